//! The line that names the compiler, the processor and the command.

use std::{env, fs};

pub(crate) fn line() -> String {
    let mut command = format!("cargo run --release --bin {}", env!("CARGO_BIN_NAME"));
    let words: Vec<String> = env::args().skip(1).collect();
    if !words.is_empty() {
        command = format!("{command} -- {}", words.join(" "));
    }
    format!("{}; {}; `{command}`", env!("RUSTC_VERSION"), processor())
}

fn processor() -> String {
    let about = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    about
        .lines()
        .find(|line| line.starts_with("model name"))
        .and_then(|line| line.split_once(": "))
        .map_or_else(|| String::from("an unknown processor"), |(_, name)| name.to_owned())
}
