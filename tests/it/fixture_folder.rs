//! A folder of fixtures: pairs of files with the same name, and a README.

use std::{collections::BTreeSet, fs};

/// Returns the names of all pairs in a folder: a stream with this extension, and a `.json` file.
#[track_caller]
pub(crate) fn names(folder: &str, extension: &str) -> BTreeSet<String> {
    let names = names_with(folder, extension);
    assert_eq!(names, names_with(folder, ".json"), "every {extension} has its .json, and every .json its {extension}");
    names
}

fn names_with(folder: &str, extension: &str) -> BTreeSet<String> {
    fs::read_dir(folder)
        .expect("the fixtures")
        .map(|entry| entry.expect("a file").file_name().into_string().expect("a name of letters and hyphens"))
        .filter_map(|name| Some(name.strip_suffix(extension)?.to_owned()))
        .collect()
}

/// Checks that the folder's README contains the number of pairs, and lists each name in one of its tables.
#[track_caller]
pub(crate) fn check_readme(folder: &str, extension: &str) {
    let readme = fs::read_to_string(format!("{folder}/README.md")).expect("the folder's README");
    let words = readme.split_whitespace().collect::<Vec<_>>().join(" ");
    let names = names(folder, extension);
    let figure = format!("There are {} pairs.", names.len());
    assert!(words.contains(&figure), "the README should contain: {figure}");

    // In a table, names are in the last column, in backticks.
    let rows = readme.lines().filter(|line| line.starts_with('|'));
    let columns = rows.filter_map(|row| row.trim_end_matches('|').rsplit('|').next());
    let named: BTreeSet<String> = columns
        .flat_map(|column| column.split('`').skip(1).step_by(2))
        .filter(|word| word.contains('-') && !word.contains(['/', ' ']))
        .map(str::to_owned)
        .collect();
    assert_eq!(names.difference(&named).collect::<Vec<_>>(), [""; 0], "fixtures that are missing in the README");
    assert_eq!(named.difference(&names).collect::<Vec<_>>(), [""; 0], "names in the README that are not fixtures");
}
