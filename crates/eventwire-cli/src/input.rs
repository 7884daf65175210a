//! A file or a pipe, decompressed.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

use anyhow::{Context, anyhow};
use flate2::read::MultiGzDecoder;

/// The first bytes of a gzip file.
pub(crate) const GZIP: [u8; 2] = [0x1F, 0x8B];

/// Opens a file.
pub(crate) fn file(path: &Path) -> anyhow::Result<Box<dyn Read + Send>> {
    let file = File::open(path).map_err(|error| {
        anyhow!("cannot open {path:?}: {error}; check the path; a URL starts with http:// or https://")
    })?;
    decompressed(file).with_context(|| format!("cannot read {path:?}"))
}

/// Opens standard input.
pub(crate) fn stdin() -> anyhow::Result<Box<dyn Read + Send>> {
    decompressed(io::stdin()).context("cannot read standard input")
}

/// Returns a reader of the decompressed bytes, if the first of them are those of gzip.
fn decompressed(mut reader: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    let mut start = Vec::new();
    reader.by_ref().take(GZIP.len() as u64).read_to_end(&mut start)?;
    let is_gzip = start == GZIP;
    let reader = Cursor::new(start).chain(reader);
    Ok(if is_gzip { Box::new(MultiGzDecoder::new(reader)) } else { Box::new(reader) })
}
