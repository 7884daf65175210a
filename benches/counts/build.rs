//! Passes on the part of the key that only the build knows: the compiler, the target and the flags.

use std::{env, process::Command};

fn main() {
    let version = env::var_os("RUSTC")
        .and_then(|rustc| Command::new(rustc).arg("--version").output().ok())
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .unwrap_or_default();
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().replace('\x1f', " ");
    println!("cargo::rustc-env=RUSTC_VERSION={}", version.trim());
    println!("cargo::rustc-env=BUILD_TARGET={}", env::var("TARGET").unwrap_or_default());
    println!("cargo::rustc-env=BUILD_RUSTFLAGS={flags}");
    println!("cargo::rerun-if-changed=build.rs");
}
