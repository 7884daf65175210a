//! Turns text into sound.

mod espeak;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};

use self::espeak::Espeak;
use crate::log::log;
use crate::sound::Sound;
use crate::tones;

/// Turns text into sound. A clone is the same speaker.
#[derive(Clone)]
pub struct Speaker(Arc<dyn Fn(String) -> BoxFuture<'static, Sound> + Send + Sync>);

impl Speaker {
    /// Returns a speaker that calls this function with each passage. The future is dropped when the sound is no
    /// longer needed.
    pub fn from_fn<F, S>(speak: F) -> Speaker
    where
        F: Fn(String) -> S + Send + Sync + 'static,
        S: Future<Output = Sound> + Send + 'static,
    {
        Speaker(Arc::new(move |text| speak(text).boxed()))
    }

    /// Returns a speaker that plays a tone for each syllable.
    #[must_use]
    pub fn tones() -> Speaker {
        Speaker::from_fn(|text| ready(tones::sing(&text)))
    }

    /// Returns a speaker that runs the program `espeak-ng` at this path, with a voice such as `fr` or `en-gb`. If
    /// the program fails, the speaker plays tones and writes the reason to standard error.
    #[must_use]
    pub fn espeak(path: impl Into<PathBuf>, voice: Option<String>) -> Speaker {
        let espeak = Arc::new(Espeak { path: path.into(), voice });
        Speaker::from_fn(move |text| {
            let espeak = Arc::clone(&espeak);
            async move {
                espeak.speak(&text).await.unwrap_or_else(|error| {
                    log(format_args!("espeak-ng failed: {error}; using tones for this sentence"));
                    tones::sing(&text)
                })
            }
        })
    }

    /// Returns a speaker that runs `espeak-ng` if it is installed, and otherwise plays tones.
    pub async fn installed(voice: Option<String>) -> Speaker {
        let path = PathBuf::from("espeak-ng");
        if espeak::is_installed(&path).await {
            return Speaker::espeak(path, voice);
        }
        log("espeak-ng is not installed; using tones instead");
        Speaker::tones()
    }

    /// Returns the sound of this text.
    #[must_use = "nothing is spoken unless the future is polled"]
    pub fn speak(&self, text: String) -> BoxFuture<'static, Sound> {
        (self.0)(text)
    }
}

impl fmt::Debug for Speaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Speaker").finish_non_exhaustive()
    }
}
