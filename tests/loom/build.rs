//! Has the library take its locks from loom.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(eventwire_loom)");
    println!("cargo::rustc-cfg=eventwire_loom");
}
