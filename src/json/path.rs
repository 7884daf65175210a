//! The path to the value in a payload that cannot be read.

mod tracked;

use self::tracked::Tracked;
use alloc::{boxed::Box, format, string::String, vec::Vec};
use core::{fmt, mem};
use serde_core::de::DeserializeOwned;

/// The path from the top of a JSON value to the value that is being read.
#[derive(Debug, Default)]
pub(super) struct Path {
    steps: Vec<Step>,
    /// The text of the last scalar, which may have been a key.
    scalar: String,
}

#[derive(Debug)]
enum Step {
    Key(String),
    Index(usize),
}

impl Path {
    /// Returns the path at which reading this JSON as a `T` fails, such as `choices[0].delta.content`. It is empty
    /// for the top.
    ///
    /// It reads the data once more. The cost is code: `T` is compiled for two deserializers.
    pub(super) fn to_failure<T: DeserializeOwned>(json: &str) -> Box<str> {
        let mut path = Path::default();
        let mut json = serde_json::Deserializer::from_str(json);
        match T::deserialize(Tracked { inner: &mut json, path: &mut path }) {
            // The value is valid, so the error is in the text after it.
            Ok(_) => Box::default(),
            Err(_) => format!("{path}").into(),
        }
    }

    fn depth(&self) -> usize {
        self.steps.len()
    }

    fn enter(&mut self, depth: usize, step: Step) {
        self.leave(depth);
        self.steps.push(step);
    }

    /// Goes back to this depth. It is not called for a value that cannot be read, so that the path to it is kept.
    fn leave(&mut self, depth: usize) {
        self.steps.truncate(depth);
    }

    fn store_scalar(&mut self, scalar: &impl fmt::Display) {
        self.scalar = format!("{scalar}");
    }

    fn take_key(&mut self) -> Step {
        Step::Key(mem::take(&mut self.scalar))
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (depth, step) in self.steps.iter().enumerate() {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) if !is_plain(key) => write!(f, "[{key:?}]")?,
                Step::Key(key) if depth == 0 => f.write_str(key)?,
                Step::Key(key) => write!(f, ".{key}")?,
            }
        }
        Ok(())
    }
}

/// Returns whether a key can be printed without quotes and still be distinguished from the path around it.
fn is_plain(key: &str) -> bool {
    // Characters of other scripts are plain if `Debug` prints them unchanged. Every program with JSON already
    // contains the tables for that, while `is_alphanumeric` would add others.
    !key.is_empty()
        && key.chars().all(|char| match char {
            '_' | '-' | '$' | '@' => true,
            _ if char.is_ascii() => char.is_ascii_alphanumeric(),
            _ => char.escape_debug().len() == 1,
        })
}

/// A path in front of an error message, or nothing if the path is empty.
pub(super) struct Prefix<'p>(pub(super) &'p str);

impl fmt::Display for Prefix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, "{:.200}: ", self.0) }
    }
}

#[cfg(test)]
mod tests;
