//! The searcher on wasm.

/// Finds a short text, like memchr's searcher of this name, whose code would be 2 KB of each page, gzipped.
#[derive(Clone, Debug)]
pub(super) struct Finder<'n> {
    needle: &'n [u8],
}

impl<'n> Finder<'n> {
    /// A text of a few bytes: the time is proportional to its length.
    pub(super) fn new<const LEN: usize>(needle: &'n [u8; LEN]) -> Finder<'n> {
        Finder { needle }
    }

    pub(super) fn find(&self, text: &[u8]) -> Option<usize> {
        self.find_iter(text).next()
    }

    /// Where it begins, each time. None of our texts can overlap itself.
    pub(super) fn find_iter(&self, text: &[u8]) -> impl Iterator<Item = usize> {
        let needle = self.needle;
        memchr::memchr_iter(needle[0], text).filter(move |at| text[*at..].starts_with(needle))
    }
}
