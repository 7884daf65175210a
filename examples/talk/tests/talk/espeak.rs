//! The program espeak-ng, and scripts that fail in its place.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use talk::{Sound, Speaker};

/// A shell script in its own folder, which is removed at the end.
pub(crate) struct Program {
    pub(crate) folder: PathBuf,
}

impl Program {
    pub(crate) fn new(script: &str) -> Program {
        static NUMBERS: AtomicU32 = AtomicU32::new(1);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("talk-{}-{number}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let program = Program { folder };
        fs::write(program.path(), format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(program.path(), fs::Permissions::from_mode(0o755)).unwrap();
        program
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join("espeak-ng")
    }

    /// Waits for the text that the script writes to `$0.pid`.
    pub(crate) async fn pid(&self) -> u32 {
        loop {
            if let Ok(pid) = fs::read_to_string(self.folder.join("espeak-ng.pid")) {
                return pid.trim().parse().unwrap();
            }
            tokio::task::yield_now().await;
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Whether the process does not exist, or is a zombie.
pub(crate) fn has_ended(pid: u32) -> bool {
    let out = std::process::Command::new("ps").args(["-o", "stat=", "-p", &pid.to_string()]).output().unwrap();
    let state = String::from_utf8(out.stdout).unwrap();
    state.trim().is_empty() || state.starts_with('Z')
}

const TEXT: &str = "--help, it is a sentence.";

async fn tones() -> Sound {
    Speaker::tones().speak(TEXT.into()).await
}

#[tokio::test]
async fn the_output_is_the_sound() {
    // The text goes to standard input, and the sound to standard output. The files in the folder record the input.
    let program = Program::new("cd \"${0%/*}\"; echo \"$@\" >args; cat >text; cat sound.wav");
    let sound = Sound { rate: 16_000, samples: vec![1, 2, 3] };
    fs::write(program.folder.join("sound.wav"), sound.to_wav()).unwrap();
    assert_eq!(Speaker::espeak(program.path(), Some("fr".into())).speak(TEXT.into()).await, sound);
    let read = |name| fs::read_to_string(program.folder.join(name)).unwrap();
    assert_eq!((read("text").as_str(), read("args").as_str()), (TEXT, "--stdin --stdout -b 1 -v fr\n"));
}

#[tokio::test]
async fn tones_if_it_fails() {
    let wav = "cat sound.wav";
    for script in ["exit 1", "cat >/dev/null", "echo RIFF", "cd \"${0%/*}\"; cat sound.wav; exit 1", "kill -9 $$"] {
        let program = Program::new(script);
        fs::write(program.folder.join("sound.wav"), Sound { rate: 8000, samples: vec![1] }.to_wav()).unwrap();
        assert_eq!(Speaker::espeak(program.path(), None).speak(TEXT.into()).await, tones().await, "{script}");
    }
    let nothing = Path::new("/nonexistent/espeak-ng");
    assert_eq!(Speaker::espeak(nothing, None).speak(TEXT.into()).await, tones().await, "{wav}");
}

/// The clock advances when all tasks are waiting.
#[tokio::test(start_paused = true)]
async fn tones_if_it_hangs() {
    let program = Program::new("exec sleep 3600");
    assert_eq!(Speaker::espeak(program.path(), None).speak(TEXT.into()).await, tones().await);
}

#[tokio::test]
async fn the_installed_espeak_ng() {
    let speaker = Speaker::espeak("espeak-ng", None);
    let sound = speaker.speak("This is a sentence that takes some time to say.".into()).await;
    if std::process::Command::new("espeak-ng").arg("--version").output().is_err() {
        println!("NOT RUN: espeak-ng is not installed");
        return;
    }
    assert_ne!(sound, Speaker::tones().speak("This is a sentence that takes some time to say.".into()).await);
    assert!((1.5..6.0).contains(&sound.duration().as_secs_f64()), "{:?}", sound.duration());
    assert!(sound.samples.iter().any(|sample| sample.unsigned_abs() > 2_000));
}
