//! The searcher on wasm.

/// Finds a short text, like memchr's searcher of this name, whose code would add 2 KB to each page, gzipped.
#[derive(Clone, Debug)]
pub(super) struct Finder<'n> {
    needle: &'n [u8],
}

impl<'n> Finder<'n> {
    /// Creates a searcher for a text of a few bytes. The time of a search may grow with the length of that text.
    pub(super) fn new<const LEN: usize>(needle: &'n [u8; LEN]) -> Finder<'n> {
        Finder { needle }
    }

    pub(super) fn needle(&self) -> &[u8] {
        self.needle
    }

    pub(super) fn find(&self, text: &[u8]) -> Option<usize> {
        self.find_iter(text).next()
    }

    /// Returns each place where the searched text begins.
    pub(super) fn find_iter(&self, text: &[u8]) -> impl Iterator<Item = usize> {
        let needle = self.needle;
        memchr::memchr_iter(needle[0], text).filter(move |at| text[*at..].starts_with(needle))
    }
}

#[cfg(test)]
mod tests {
    use super::Finder;
    use alloc::vec::Vec;
    use memchr::memmem;

    #[test]
    fn it_finds_what_memchr_finds() {
        for text in
            ["", "\"", "\"type", "\"type\"", "\"\"type\" \"type\"x\"typ\"type\"", "x\"Type\"", "\u{FF}\"type\"\u{0}"]
        {
            let needle = b"\"type\"";
            let finder = Finder::new(needle);
            assert_eq!(finder.find(text.as_bytes()), memmem::find(text.as_bytes(), needle), "{text}");
            assert_eq!(finder.needle(), memmem::Finder::new(needle).needle());
            let all: Vec<usize> = memmem::find_iter(text.as_bytes(), needle).collect();
            assert_eq!(finder.find_iter(text.as_bytes()).collect::<Vec<_>>(), all, "{text}");
        }
    }
}
