//! Compares `PUBLIC-API.md`, which says what each public item is needed by, with the texts of the public API.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::{collections::BTreeSet, fs, path::Path};

const LIBRARIES: [&str; 8] = [
    "eventwire",
    "eventwire-client",
    "eventwire-hub",
    "eventwire-lint",
    "eventwire-multipart",
    "eventwire-redis",
    "eventwire-reqwest",
    "eventwire-web",
];

/// A type or a function of a crate, and one of its own methods or constants, or `""` for itself.
type Name = (String, String);

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).unwrap()
}

/// Returns the path of an item without generic arguments: `a::B<T>::new(T) -> B<T>` becomes `a::B::new`.
fn path(item: &str) -> String {
    let mut depth = 0_usize;
    let mut path = String::new();
    for char in item.chars() {
        match char {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' | ' ' if depth == 0 => break,
            _ if depth == 0 => path.push(char),
            _ => {}
        }
    }
    path.trim_end_matches(':').to_owned()
}

/// Returns the types, functions, methods and constants of a library. The variants and fields of a type, and what it has
/// by a trait, belong to the type.
fn items(library: &str) -> BTreeSet<Name> {
    let (text, name) = match library {
        "eventwire" => (read("public-api.txt"), library.to_owned()),
        _ => (read(&format!("crates/{library}/public-api.txt")), library.replace('-', "_")),
    };
    let mut items = BTreeSet::new();
    let mut is_by_trait = false;
    for line in text.lines() {
        if line.starts_with("impl") {
            is_by_trait = line.contains(" for ");
            continue;
        }
        let kinds = ["struct", "enum", "trait", "type", "fn", "const fn", "async fn", "const"];
        let item = kinds.iter().find_map(|kind| Some((kind, line.split_once(&format!("pub {kind} "))?.1)));
        let Some((kind, item)) = item else { continue };
        let path = path(item);
        let Some(path) = path.strip_prefix(&format!("{name}::")) else { continue };
        // The names of types begin with a capital letter, those of modules and functions do not.
        let parts: Vec<&str> = path.split("::").collect();
        let of_type = parts.iter().position(|part| part.starts_with(|char: char| char.is_ascii_uppercase()));
        let (owner, member) = match of_type {
            Some(place) => (parts[..=place].join("::"), parts[place + 1..].join("::")),
            None => (path.to_owned(), String::new()),
        };
        is_by_trait &= !member.is_empty() && !matches!(*kind, "struct" | "enum" | "trait");
        // The associated types of a trait belong to it.
        if !is_by_trait && (member.is_empty() || *kind != "type") {
            items.insert((owner, member));
        }
    }
    assert!(items.len() > 5, "{library}: {items:?}");
    items
}

/// Returns what the section of a library has rows for.
fn described(library: &str) -> BTreeSet<Name> {
    let page = read("PUBLIC-API.md");
    let section = page.split("\n## ").find_map(|section| section.strip_prefix(&format!("{library}\n"))).unwrap();
    let mut items = BTreeSet::new();
    for row in section.lines().filter_map(|line| line.strip_prefix("| `")) {
        let (owner, reasons) = row.split_once("` | ").unwrap();
        let owner = owner.trim_end_matches("()");
        items.insert((owner.to_owned(), String::new()));
        // Each group is names in backticks, and then the reason in parentheses, which may name other items.
        let methods = reasons.split_once(": `").map(|(_, methods)| format!("`{methods}")).unwrap_or_default();
        for group in methods.split("; ").filter(|group| !group.is_empty()) {
            let (names, reason) = group.split_once(" (").unwrap_or_else(|| panic!("no reason: {row}"));
            assert!(!reason.contains("no user"), "{row}");
            let user = user(reason);
            for name in names.split(", ").map(|name| name.trim_matches('`')) {
                let is_used = user
                    .as_ref()
                    .is_none_or(|text| text.split(|char: char| !is_of_name(char)).any(|word| word == name));
                assert!(is_used, "{owner}::{name} is not in the {reason}");
                items.insert((owner.to_owned(), name.to_owned()));
            }
        }
    }
    items
}

/// Returns the code of the recipe, the example or the program that a reason names. The others need a reader.
fn user(reason: &str) -> Option<String> {
    let (kind, name) = reason.trim_end_matches(')').split_once(' ')?;
    let name = name.strip_prefix('`')?.strip_suffix('`')?;
    let files = match (kind, name) {
        ("recipe", _) => vec![format!("docs/recipes/{name}.rs")],
        ("program", "eventwire") => vec!["crates/eventwire-cli/src".to_owned()],
        ("example", _) => vec![
            format!("examples/{name}.rs"),
            format!("examples/{name}/src"),
            format!("examples/{name}/wasm/src"),
            format!("crates/eventwire-reqwest/examples/{name}.rs"),
        ],
        _ => return None,
    };
    let mut text = String::new();
    for file in files {
        add(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file), &mut text);
    }
    assert!(!text.is_empty(), "there is no {reason}");
    Some(text)
}

/// Adds the text of a file, or of those in a folder.
fn add(path: &Path, text: &mut String) {
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| add(&entry.unwrap().path(), text));
    } else if path.is_file() {
        *text += &fs::read_to_string(path).unwrap();
    }
}

fn is_of_name(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

#[test]
fn every_public_item_is_needed() {
    for library in LIBRARIES {
        let (items, described) = (items(library), described(library));
        let missing: Vec<_> = items.difference(&described).collect();
        assert!(missing.is_empty(), "PUBLIC-API.md does not say what {library}'s items are needed by: {missing:?}");
        let gone: Vec<_> = described.difference(&items).filter(|(owner, _)| !is_page(owner)).collect();
        assert!(gone.is_empty(), "PUBLIC-API.md has items that {library} does not have: {gone:?}");
    }
}

/// Three modules are pages of the documentation, without items.
fn is_page(owner: &str) -> bool {
    owner.contains("in_a_browser")
}
