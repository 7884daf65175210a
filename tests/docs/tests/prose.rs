//! Checks the rules for prose in CONTRIBUTING.md that a program can check: the words and line lengths of all pages
//! and comments, the length of the README, and the links between pages.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    collections::BTreeSet,
    fs, iter,
    path::{Path, PathBuf},
};

/// Words that the project no longer uses, and their replacements.
const REPLACED_WORDS: &[(&str, &str)] = &[
    ("lend", "borrow"),
    ("lends", "borrows"),
    ("lending", "borrowing"),
    ("lent", "borrowed"),
    ("whoever", "the caller, the reader, ..."),
    ("whomever", "the caller, the reader, ..."),
    ("certainly", "nothing, or the reason"),
];

/// The longest line of prose, in columns.
const COLUMNS: usize = 120;

/// The longest line of code on a page, in columns: what docs.rs and GitHub show without a bar to scroll.
const CODE_COLUMNS: usize = 90;

const README_WORDS: usize = 1_100;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Returns the Markdown and Rust files of the repository, except for built and downloaded ones.
fn files() -> Vec<PathBuf> {
    let mut folders = vec![root()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                let is_built = name.starts_with('.') || matches!(&*name, "target" | "node_modules" | "pkg" | "corpus");
                if !is_built {
                    folders.push(path);
                }
            } else if matches!(path.extension().and_then(|extension| extension.to_str()), Some("md" | "rs")) {
                files.push(path);
            }
        }
    }
    assert!(files.len() > 300, "only {} files were found", files.len());
    files
}

/// Returns the lines of prose of a file, with their numbers: the comments of a Rust file; a Markdown file without its
/// tables and link definitions. Code blocks are left out of both.
fn prose(path: &Path) -> Vec<(usize, String)> {
    let text = fs::read_to_string(path).unwrap();
    let is_rust = path.extension().is_some_and(|extension| extension == "rs");
    let mut is_code = false;
    let mut lines = Vec::new();
    for (number, line) in iter::zip(1.., text.lines()) {
        let line = line.trim_end();
        let said = match is_rust {
            false => Some(line),
            true => line.trim_start().strip_prefix("//").map(|comment| comment.trim_start_matches(['/', '!'])),
        };
        let Some(said) = said.map(str::trim_start) else {
            is_code = false;
            continue;
        };
        let is_table = said.starts_with('|');
        let is_address = said.starts_with('[') && said.contains("]: ");
        if said.starts_with("```") {
            is_code = !is_code;
        } else if !is_code && !is_table && !is_address {
            lines.push((number, line.to_owned()));
        }
    }
    lines
}

#[test]
fn comments_and_pages_have_plain_words_and_short_lines() {
    let root = root();
    let mut faults = Vec::new();
    for path in files() {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        if name == "tests/docs/tests/prose.rs" {
            continue;
        }
        for (number, line) in prose(&path) {
            let columns = line.chars().count();
            if columns > COLUMNS {
                faults.push(format!("{name}:{number}: {columns} columns; the limit is {COLUMNS}"));
            }
            for word in line.split(|char: char| !char.is_alphanumeric() && char != '_' && char != '-') {
                if let Some((_, better)) = REPLACED_WORDS.iter().find(|(old, _)| word.eq_ignore_ascii_case(old)) {
                    faults.push(format!("{name}:{number}: instead of {word:?}, write {better}"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Returns the lines of code that a file shows on a page, with their numbers: the code blocks of a Markdown file or of
/// documentation comments without their hidden lines, or the whole file if it is an example.
fn shown_code(path: &Path) -> Vec<(usize, String)> {
    let text = fs::read_to_string(path).unwrap();
    let is_rust = path.extension().is_some_and(|extension| extension == "rs");
    if is_rust && path.strip_prefix(root()).unwrap().iter().any(|folder| folder == "docs") {
        return iter::zip(1.., text.lines().map(str::to_owned)).collect();
    }
    let mut language = None;
    let mut lines = Vec::new();
    for (number, line) in iter::zip(1.., text.lines()) {
        let said = match is_rust {
            false => Some(line),
            true => line.trim_start().strip_prefix("///").or(line.trim_start().strip_prefix("//!")),
        };
        let Some(said) = said.map(|said| if is_rust { said.strip_prefix(' ').unwrap_or(said) } else { said }) else {
            language = None;
            continue;
        };
        let is_hidden = |language: &str| {
            let is_rust = ["", "rust", "no_run", "ignore", "should_panic", "compile_fail"].contains(&language);
            is_rust && (said.trim_start().starts_with("# ") || said.trim() == "#")
        };
        match (said.trim_start().strip_prefix("```"), &language) {
            (Some(info), None) => language = Some(info.split(',').next().unwrap_or_default().to_owned()),
            (Some(_), Some(_)) => language = None,
            (None, Some(language)) if !is_hidden(language) => lines.push((number, said.to_owned())),
            (None, _) => {}
        }
    }
    lines
}

#[test]
fn code_on_pages_has_short_lines() {
    let root = root();
    let mut faults = Vec::new();
    let mut count = 0;
    for path in files() {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        let is_for_users = ["README.md", "crates/", "docs/", "examples/", "src/"].iter().any(|it| name.starts_with(it));
        if !is_for_users || name.contains("/tests/") {
            continue;
        }
        for (number, line) in shown_code(&path) {
            let columns = line.chars().count();
            if columns > CODE_COLUMNS {
                faults.push(format!("{name}:{number}: {columns} columns of code; the limit is {CODE_COLUMNS}"));
            }
            count += 1;
        }
    }
    assert!(count > 3_000, "only {count} lines of code were found");
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn readme_is_short() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let words = readme.split_whitespace().count();
    assert!(words <= README_WORDS, "README.md has {words} words; the limit is {README_WORDS}");
}

/// Readers of the pages decide by these numbers how much there is to review.
#[test]
fn the_unsafe_code_is_counted() {
    let (mut blocks, mut files_with_any) = (0, 0);
    for path in files().into_iter().filter(|path| path.starts_with(root().join("src"))) {
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let code: String = code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
        let count = |what| code.matches(what).count();
        assert_eq!(count("unsafe "), count("unsafe {"), "{}", path.display());
        blocks += count("unsafe {");
        files_with_any += usize::from(code.contains("unsafe "));
    }
    for (page, claim) in [
        ("DESIGN.md", format!("{blocks} blocks, in {files_with_any} files")),
        ("README.md", format!("| `unsafe` blocks | {blocks} |")),
        ("README.md", format!("The {blocks} `unsafe` blocks")),
        ("benches/results.md", format!("| its own `unsafe` blocks | {blocks} |")),
    ] {
        assert!(fs::read_to_string(root().join(page)).unwrap().contains(&claim), "{page} does not say: {claim}");
    }
}

/// Returns the targets of the links of a page, `[text](target)` and `[name]: target`, outside of code.
fn links(page: &str) -> BTreeSet<String> {
    let mut is_code = false;
    let mut targets = BTreeSet::new();
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            targets
                .extend(line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(to, _)| to.to_owned()));
            targets.extend(line.strip_prefix('[').and_then(|rest| rest.split_once("]: ")).map(|(_, to)| to.to_owned()));
        }
    }
    targets
}

/// Returns the anchors that GitHub gives the headings of a Markdown page.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = page.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let anchor = |heading: &str| {
        let kept = heading
            .to_lowercase()
            .chars()
            .filter(|&char| char.is_alphanumeric() || " -_".contains(char))
            .collect::<String>();
        kept.replace(' ', "-")
    };
    headings.map(anchor).collect()
}

/// Each relative link of a Markdown page leads to an existing file, and to an existing heading if it has an anchor.
#[test]
fn links_between_pages_resolve() {
    let root = root();
    let mut faults = Vec::new();
    let mut count = 0;
    // Rustdoc shows the files in `docs`, and their links are relative to its pages.
    let pages = files().into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    for path in pages.filter(|path| !path.starts_with(root.join("docs"))) {
        let page = fs::read_to_string(&path).unwrap();
        for target in links(&page).into_iter().filter(|target| !target.contains("://") && !target.contains(' ')) {
            count += 1;
            let (file, anchor) = target.split_once('#').map_or((&*target, None), |(file, anchor)| (file, Some(anchor)));
            let file = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            let is_there = file.exists()
                && anchor.is_none_or(|anchor| anchors(&fs::read_to_string(&file).unwrap_or_default()).contains(anchor));
            if !is_there {
                faults.push(format!("{}: {target}", path.strip_prefix(&root).unwrap().display()));
            }
        }
    }
    assert!(count > 20, "only {count} links were found");
    assert!(faults.is_empty(), "broken links:\n{}", faults.join("\n"));
}
