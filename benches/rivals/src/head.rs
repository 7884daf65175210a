//! The line that names the compiler, the processor and the command.

use std::{env, fs, path::PathBuf};

pub fn line() -> String {
    let mut words = env::args();
    let program = PathBuf::from(words.next().unwrap_or_default());
    let program = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut command = format!("cargo run --release --bin {program}");
    let words: Vec<String> = words.collect();
    if !words.is_empty() {
        command = format!("{command} -- {}", words.join(" "));
    }
    format!("{}; `{command}`", machine())
}

fn machine() -> String {
    let about = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = about.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(": "));
    format!("{}; {}", env!("RUSTC_VERSION"), model.map_or("an unknown processor", |(_, name)| name))
}
