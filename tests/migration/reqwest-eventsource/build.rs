//! Changes the copied file as the page says: in a package that replaces reqwest-eventsource, a message has the type of
//! eventsource-stream, because crates such as async-openai 0.35.0 use the two as one.

use std::{env, fs, path::Path};

const FILE: &str = "../../../docs/reqwest-eventsource-shim.rs";

fn main() {
    println!("cargo::rerun-if-changed={FILE}");
    let file = fs::read_to_string(FILE).expect("the file");
    let (before, message) = file.split_once("#[derive(Clone, Debug, Default, PartialEq, Eq)]\n").expect("its struct");
    assert!(message.starts_with("pub struct MessageEvent {"), "another struct");
    let (_, after) = message.split_once("}\n").expect("its end");
    // What begins a file must not be in the middle of one.
    let before = before.replace("//!", "//").replace("#!", "//");
    let changed = format!("{before}pub use eventsource_stream::Event as MessageEvent;\n{after}");
    fs::write(Path::new(&env::var("OUT_DIR").expect("a folder")).join("lib.rs"), changed).expect("written");
}
