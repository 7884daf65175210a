//! Recorded streams of servers decode as by the naive twin, whole and byte by byte.
//!
//! The recordings belong to others and are not part of the crate. `EVENTWIRE_RECORDINGS` names a folder of `*.sse`
//! files; without it, these tests do nothing.

use crate::{
    decode_routes,
    naive::{self, Options, Outcome},
};
use std::{
    env,
    ffi::OsStr,
    fs,
    io::{self, Write},
    path::Path,
};

pub(crate) struct Recording {
    pub(crate) name: String,
    pub(crate) stream: Vec<u8>,
    pub(crate) expected: Outcome,
}

/// Returns the recordings. If no folder is named, prints a line and returns none.
pub(crate) fn recordings() -> Vec<Recording> {
    match env::var_os("EVENTWIRE_RECORDINGS") {
        Some(folder) => read(Path::new(&folder)).unwrap_or_else(|error| panic!("EVENTWIRE_RECORDINGS: {error}")),
        None => {
            // `eprintln!` would be shown only if a test fails.
            let _ = writeln!(io::stderr(), "skipped: EVENTWIRE_RECORDINGS names no folder of recorded streams");
            Vec::new()
        }
    }
}

/// A folder without recordings is an error, because a folder that is named should be tested.
fn read(folder: &Path) -> Result<Vec<Recording>, String> {
    let files = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut recordings = Vec::new();
    for file in files {
        let path = file.map_err(|error| error.to_string())?.path();
        if path.extension() == Some(OsStr::new("sse")) {
            let stream = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let expected = naive::interpret(&stream, &Options::default());
            recordings.push(Recording { name: path.display().to_string(), stream, expected });
        }
    }
    if recordings.is_empty() {
        return Err(format!("{}: no *.sse file", folder.display()));
    }
    Ok(recordings)
}

#[test]
fn every_route_agrees_with_the_twin() {
    for Recording { name, stream, expected } in recordings() {
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        for (route_name, route) in decode_routes::ALL {
            assert_eq!(route(&[&stream], &Options::default()), expected, "{name}: {route_name}, unsplit");
            assert_eq!(route(&bytes, &Options::default()), expected, "{name}: {route_name}, byte by byte");
        }
    }
}

#[test]
fn a_folder_without_recordings_is_an_error() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(read(&here.join("tests/no such folder")).is_err());
    assert!(read(&here.join("tests/it")).is_err());
    assert!(read(&here.join("tests/fixtures")).is_ok());
}
