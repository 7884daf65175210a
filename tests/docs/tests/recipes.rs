//! Checks what the pages in the documentation say about all recipes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{collections::BTreeSet, fs, path::Path};

/// The longest recipe, in lines that are not blank.
const LONGEST: usize = 80;

fn recipes() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/recipes");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap());
    files.map(|file| (file.file_name().into_string().unwrap(), fs::read_to_string(file.path()).unwrap())).collect()
}

#[test]
fn every_recipe_is_short() {
    for (name, text) in recipes() {
        let length = text.lines().filter(|line| !line.trim().is_empty()).count();
        assert!(length <= LONGEST, "{name} has {length} lines that are not blank; the limit is {LONGEST}");
    }
}

/// Returns the text of the index, or of a page.
fn source(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src").join(name)).unwrap()
}

#[test]
fn every_recipe_is_on_a_page_and_in_the_index() {
    let index = source("recipes.rs");
    let mut shown = Vec::new();
    for page in ["models", "clients", "servers", "proxies", "compression", "browser"] {
        let text = source(&format!("recipes/{page}.rs"));
        let files = text.split("include_str!(\"../../docs/recipes/").skip(1);
        shown.extend(files.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
        // `.ci/links` checks where the links lead to.
        let headings = text.lines().filter(|line| line.starts_with("//! # ")).count();
        assert_eq!(index.matches(&format!("]({page}#")).count(), headings, "{page}");
    }
    let names: BTreeSet<_> = recipes().into_iter().map(|(name, _)| name).collect();
    assert_eq!(shown.iter().cloned().collect::<BTreeSet<_>>(), names);
    assert_eq!(shown.len(), names.len(), "a recipe is shown twice");
}
