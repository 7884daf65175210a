//! A folder of `src` uses only the layers below it: the rules of DESIGN.md that the compiler does not check.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Each layer, and those that it may use besides itself.
const LAYERS: [(&str, &str); 7] = [
    ("line", ""),
    ("encoding", "line"),
    ("event", "encoding line"),
    ("decoder", "event line"),
    ("feed", "decoder event encoding line alarm timer"),
    ("server", "event alarm timer"),
    ("json", "event feed timer"),
];

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src")
}

/// Returns the code of a layer, without its tests and comments.
fn code(path: &Path) -> String {
    if path.is_dir() {
        return fs::read_dir(path).unwrap().map(|entry| code(&entry.unwrap().path())).collect();
    }
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect()
}

/// Returns the modules of the crate that the code names: `a` and `b` for `crate::{a::C, b::{d::E}}`.
fn used(code: &str) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for text in code.split("crate::").skip(1) {
        let mut depth = 0;
        // The paths after `crate::`, without the groups inside of its own group.
        let mut paths = vec![String::new()];
        for char in text.chars() {
            match char {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 1 => paths.push(String::new()),
                ';' => break,
                _ if depth < 2 => paths.last_mut().unwrap().push(char),
                _ => {}
            }
            if depth < 0 {
                break;
            }
        }
        let modules = paths.iter().filter_map(|path| Some(path.trim().split_once("::")?.0));
        let is_name = |module: &&str| module.chars().all(|char| char.is_ascii_lowercase() || char == '_');
        used.extend(modules.filter(is_name).map(str::to_owned));
    }
    used
}

#[test]
fn each_layer_uses_those_below_it() {
    for (layer, allowed) in LAYERS {
        let code = code(&src().join(layer)) + &code(&src().join(layer).with_extension("rs"));
        for module in used(&code) {
            let is_allowed = module == layer || allowed.split(' ').any(|it| it == module);
            assert!(is_allowed, "src/{layer} may not use crate::{module}");
        }
    }
}

#[test]
fn modules_in_groups_are_found() {
    let found = used("use crate::{event::{Event, id::EventId}, feed::a::B, Turn}; crate::line::x::y(); crate::Eof");
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["event", "feed", "line"]);
}
