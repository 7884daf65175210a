//! Checks what the pages in the documentation say about all recipes.

use std::{collections::BTreeSet, fs, path::Path};

fn recipes() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/recipes");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap());
    files.map(|file| file.file_name().into_string().unwrap()).collect()
}

/// Returns the text of the index, or of a page.
fn source(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src").join(name)).unwrap()
}

#[test]
fn every_recipe_is_on_a_page_and_in_the_index() {
    let index = source("recipes.rs");
    let mut shown = Vec::new();
    for page in ["models", "clients", "servers", "proxies", "browser"] {
        let text = source(&format!("recipes/{page}.rs"));
        let files = text.split("include_str!(\"../../docs/recipes/").skip(1);
        shown.extend(files.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
        // `.ci/links` checks where the links lead to.
        let headings = text.lines().filter(|line| line.starts_with("//! # ")).count();
        assert_eq!(index.matches(&format!("]({page}#")).count(), headings, "{page}");
    }
    let names = recipes();
    assert_eq!(shown.iter().cloned().collect::<BTreeSet<_>>(), names);
    assert_eq!(shown.len(), names.len(), "a recipe is shown twice");
}
