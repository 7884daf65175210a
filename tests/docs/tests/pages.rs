//! Checks what the pages claim: the links between them, and how much `unsafe` code there is.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Returns the files below a folder that have this extension, except for built and downloaded ones.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_built = name.starts_with('.') || matches!(&*name, "target" | "node_modules" | "pkg" | "corpus");
        if path.is_dir() && !is_built {
            files.extend(self::files(&path, extension));
        } else if path.extension().is_some_and(|it| it == extension) {
            files.push(path);
        }
    }
    files
}

/// Readers of the pages decide by these numbers how much there is to review.
#[test]
fn the_unsafe_code_is_counted() {
    let (mut blocks, mut files_with_any) = (0, 0);
    for path in files(&root().join("src"), "rs") {
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

/// Each claim in the table of the README names a test that is in the file beside it.
#[test]
fn each_claim_has_its_test() {
    let page = fs::read_to_string(root().join("README.md")).unwrap();
    let rows = page.lines().skip_while(|line| !line.starts_with("| claim |")).skip(2);
    let rows: Vec<_> = rows.take_while(|line| line.starts_with('|')).collect();
    assert!(rows.len() > 10, "the table has {} rows", rows.len());
    for row in rows {
        let (name, rest) = row.split_once("[`").unwrap().1.split_once("`](").unwrap();
        let file = rest.split_once(')').unwrap().0;
        let code = fs::read_to_string(root().join(file)).unwrap();
        let (before, _) = code.split_once(&format!("fn {name}(")).expect(row);
        let attributes = before.rsplit("\n\n").next().unwrap();
        assert!(attributes.contains("#[test]"), "{name} is not a test");
    }
}

/// The README and the front page of the documentation have the same table of crates. Only where its links lead differs.
#[test]
fn the_crates_are_the_same_on_both_pages() {
    let table = |file| {
        let page = fs::read_to_string(root().join(file)).unwrap();
        let lines = page.lines().map(|line| line.trim_start_matches("//! ").to_owned());
        let from_table = lines.skip_while(|line| !line.starts_with("| you want to |"));
        from_table.take_while(|line| line.starts_with('|')).collect::<Vec<_>>()
    };
    let readme = table("README.md");
    assert!(readme.len() > 10, "the table has {} lines", readme.len());
    assert_eq!(readme, table("src/lib.rs"));
}

/// The page about logs has the figures of their benchmark.
#[test]
fn the_figures_of_the_logs_are_the_same_on_both_pages() {
    let table = |file| {
        let page = fs::read_to_string(root().join(file)).unwrap();
        let rows = page.lines().skip_while(|line| !line.starts_with("| log |")).map(str::to_owned);
        rows.take_while(|line| !line.is_empty()).collect::<Vec<_>>()
    };
    let measured = table("benches/logs/README.md");
    assert!(measured.len() > 6, "the table has {} lines", measured.len());
    assert_eq!(measured, table("crates/eventwire-hub/docs/which-log.md"));
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

/// The links of the README are defined after its last paragraph, and each one that is used is defined.
#[test]
fn the_links_of_the_readme_are_defined_at_its_end() {
    let page = fs::read_to_string(root().join("README.md")).unwrap();
    let after_bracket = |line: &str| line.strip_prefix('[')?.split_once(']').map(|(_, rest)| rest.to_owned());
    let is_definition = |line: &&str| after_bracket(line).is_some_and(|rest| rest.starts_with(": "));
    let (text, definitions) = page.split_once("\n[the WHATWG standard]: ").unwrap();
    assert_eq!(text.lines().find(is_definition), None);
    let defined = |name: &str| definitions.contains(&format!("\n[{name}]: "));
    let prose: String = text.split("```").step_by(2).collect();
    for name in prose.split("][").skip(1).map(|rest| rest.split_once(']').unwrap().0) {
        assert!(defined(name), "[{name}] is not defined");
    }
}

/// Each relative link of a Markdown page leads to an existing file, and to an existing heading if it has an anchor.
#[test]
fn links_between_pages_resolve() {
    let root = root();
    let mut faults = Vec::new();
    let mut count = 0;
    // Rustdoc shows the files in `docs`, and their links are relative to its pages.
    for path in files(&root, "md").into_iter().filter(|path| !path.starts_with(root.join("docs"))) {
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
