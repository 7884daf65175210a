//! The program `espeak-ng`, as a child process for each passage.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::time::timeout;

use crate::sound::{InvalidWav, Sound};

/// The limit on a run of the program, which normally takes a few milliseconds.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The limit on a sound in bytes: six minutes.
const LIMIT: u64 = 16 << 20;

pub(super) struct Espeak {
    pub(super) path: PathBuf,
    pub(super) voice: Option<String>,
}

/// Returns whether the program at this path can be run.
pub(super) async fn is_installed(path: &Path) -> bool {
    let mut command = Command::new(path);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    timeout(TIMEOUT, command.status()).await.is_ok_and(|status| status.is_ok_and(|status| status.success()))
}

impl Espeak {
    /// Returns the sound of this text. If the future is dropped, the process is killed.
    pub(super) async fn speak(&self, text: &str) -> Result<Sound, Error> {
        timeout(TIMEOUT, self.run(text)).await.unwrap_or(Err(Error::Timeout))
    }

    async fn run(&self, text: &str) -> Result<Sound, Error> {
        // The text is not an argument, because it could begin with a hyphen.
        let mut command = Command::new(&self.path);
        command.args(["--stdin", "--stdout", "-b", "1"]);
        if let Some(voice) = &self.voice {
            command.arg("-v").arg(voice);
        }
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::Io(io::ErrorKind::BrokenPipe.into()));
        };
        let write = async {
            // If the program stops reading, its exit status or its sound is more useful than this error.
            let _ = stdin.write_all(text.as_bytes()).await;
            drop(stdin);
        };
        let read = async {
            let mut wav = Vec::new();
            stdout.take(LIMIT + 1).read_to_end(&mut wav).await.map(|_| wav)
        };
        // Writing and reading run at the same time, because the program may wait until its output is read.
        let ((), wav) = tokio::join!(write, read);
        let wav = wav?;
        if u64::try_from(wav.len()).is_ok_and(|length| length > LIMIT) {
            return Err(Error::TooLarge);
        }
        match child.wait().await? {
            status if status.success() => Ok(Sound::from_wav(&wav)?),
            status => Err(Error::Failed(status)),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("no answer for {TIMEOUT:?}")]
    Timeout,
    #[error("{0}")]
    Failed(ExitStatus),
    #[error("the sound is larger than {LIMIT} bytes")]
    TooLarge,
    #[error(transparent)]
    NoWav(#[from] InvalidWav),
}
