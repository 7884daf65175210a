//! Turns sentences into sound.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::log;
use crate::sound::Sound;

/// The number of sentences that are spoken at the same time.
const AT_ONCE: usize = 2;
/// The limit on a run of espeak-ng, which normally takes a few milliseconds.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Turns sentences into sound. A clone is the same speaker.
#[derive(Clone)]
pub(crate) struct Speaker(Arc<dyn Fn(String) -> BoxFuture<'static, Sound> + Send + Sync>);

impl Speaker {
    /// Returns a speaker that calls this function with each sentence. The future is dropped when the sound is no
    /// longer needed.
    pub(crate) fn from_fn<F, S>(speak: F) -> Speaker
    where
        F: Fn(String) -> S + Send + Sync + 'static,
        S: Future<Output = Sound> + Send + 'static,
    {
        Speaker(Arc::new(move |text| speak(text).boxed()))
    }

    /// Returns a speaker that plays a tone for each sentence.
    pub(crate) fn tone() -> Speaker {
        Speaker::from_fn(|text| ready(Sound::tone(&text)))
    }

    /// Returns a speaker that runs the program espeak-ng at this path. If it fails, the speaker plays a tone.
    pub(crate) fn espeak(path: impl Into<PathBuf>) -> Speaker {
        let path: Arc<Path> = path.into().into();
        let free = Arc::new(Semaphore::new(AT_ONCE));
        Speaker::from_fn(move |text| {
            let (path, free) = (Arc::clone(&path), Arc::clone(&free));
            async move {
                // The semaphore is never closed.
                let _permit = free.acquire().await;
                let sound = match timeout(TIMEOUT, espeak(&path, &text)).await {
                    Ok(sound) => sound,
                    Err(_) => Err(io::ErrorKind::TimedOut.into()),
                };
                sound.unwrap_or_else(|error| {
                    log(format_args!("espeak-ng failed: {error}; this sentence is a tone"));
                    Sound::tone(&text)
                })
            }
        })
    }

    /// Returns a speaker that runs espeak-ng if it is installed, and otherwise plays tones.
    pub(crate) async fn installed() -> Speaker {
        let path = Path::new("espeak-ng");
        if espeak(path, "Hello").await.is_ok() {
            return Speaker::espeak(path);
        }
        log("espeak-ng is not installed; each sentence is a tone");
        Speaker::tone()
    }

    pub(crate) fn speak(&self, text: String) -> BoxFuture<'static, Sound> {
        (self.0)(text)
    }
}

/// Returns the sound of this text. If the future is dropped, the process is killed.
async fn espeak(path: &Path, text: &str) -> io::Result<Sound> {
    // The text is not an argument, because it could begin with a hyphen.
    let mut child = Command::new(path)
        .args(["--stdin", "--stdout", "-b", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A sentence is smaller than the buffer of a pipe. If the program has ended, its status says more.
        let _ = stdin.write_all(text.as_bytes()).await;
    }
    let output = child.wait_with_output().await?;
    match Sound::from_wav(&output.stdout) {
        Some(sound) if output.status.success() => Ok(sound),
        _ => Err(io::Error::other(output.status.to_string())),
    }
}
