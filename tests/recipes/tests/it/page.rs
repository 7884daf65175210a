//! Checks what the page in the documentation says about all recipes.

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

#[test]
fn every_recipe_is_on_the_page() {
    let page = include_str!("../../../../src/recipes.rs");
    let shown: Vec<_> =
        page.split("include_str!(\"../docs/recipes/").skip(1).map(|rest| rest.split('"').next()).collect();
    let names: BTreeSet<_> = recipes().into_iter().map(|(name, _)| name).collect();
    assert_eq!(shown.iter().flatten().map(ToString::to_string).collect::<BTreeSet<_>>(), names);
    assert_eq!(shown.len(), names.len(), "a recipe is shown twice");
}
