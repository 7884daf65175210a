//! The chunks of a body until it fails.

use alloc::boxed::Box;
use bytes::Bytes;
use core::{
    iter::FusedIterator,
    pin::Pin,
    task::{Context, Poll, ready},
};
use eventwire::line::{Field, Lines};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

pin_project! {
    /// The chunks of a response: a stream or an iterator that ends after its first error.
    ///
    /// Some HTTP clients return the same error for each further poll of a body that has failed, for example reqwest
    /// after a timeout. The body is dropped at its end and after an error, which closes the connection.
    #[derive(Debug)]
    #[must_use = "a stream or an iterator does nothing unless it is consumed"]
    pub struct UntilError<S> {
        #[pin]
        chunks: Option<S>,
        // Looks for the first field. `None` if there is one, or if nobody asks.
        search: Option<Box<FieldSearch>>,
    }
}

impl<S> UntilError<S> {
    #[cfg(feature = "multipart")]
    pub(super) fn new(chunks: S) -> UntilError<S> {
        UntilError { chunks: Some(chunks), search: None }
    }

    /// Returns the chunks of what should be an event stream.
    pub(super) fn of_events(chunks: S) -> UntilError<S> {
        UntilError { chunks: Some(chunks), search: Some(Box::new(FieldSearch::new())) }
    }

    /// Returns whether there was text, but no field. It may be called at the end.
    pub(super) fn is_other(&self) -> bool {
        self.search.as_ref().is_some_and(|search| search.is_other())
    }
}

/// Returns the item of an open body, and whether it is the last one.
#[inline]
fn pass<B: Into<Bytes>, E>(
    search: &mut Option<Box<FieldSearch>>,
    item: Option<Result<B, E>>,
) -> (Option<Result<Bytes, E>>, bool) {
    match item {
        Some(Ok(chunk)) => {
            let chunk = chunk.into();
            if let Some(open) = search
                && open.finds_field(&chunk)
            {
                *search = None;
            }
            (Some(Ok(chunk)), false)
        }
        Some(Err(error)) => {
            // Nobody knows how the body would have continued.
            *search = None;
            (Some(Err(error)), true)
        }
        None => (None, true),
    }
}

impl<S: Stream<Item = Result<B, E>>, B: Into<Bytes>, E> Stream for UntilError<S> {
    type Item = Result<Bytes, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        let Some(open) = this.chunks.as_mut().as_pin_mut() else { return Poll::Ready(None) };
        let (item, is_last) = pass(this.search, ready!(open.poll_next(context)));
        if is_last {
            this.chunks.set(None);
        }
        Poll::Ready(item)
    }
}

impl<S: Stream<Item = Result<B, E>>, B: Into<Bytes>, E> FusedStream for UntilError<S> {
    fn is_terminated(&self) -> bool {
        self.chunks.is_none()
    }
}

impl<I: Iterator<Item = Result<B, E>>, B: Into<Bytes>, E> Iterator for UntilError<I> {
    type Item = Result<Bytes, E>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (item, is_last) = pass(&mut self.search, self.chunks.as_mut()?.next());
        if is_last {
            self.chunks = None;
        }
        item
    }
}

impl<I: Iterator<Item = Result<B, E>>, B: Into<Bytes>, E> FusedIterator for UntilError<I> {}

/// Looks for the first line of a body that is a field. Almost always that is the first line of the first chunk.
#[derive(Debug)]
struct FieldSearch {
    lines: Lines,
    /// Whether a line was neither blank nor a comment.
    has_text: bool,
}

/// The beginning of a line that shows its field, after a byte order mark: `retry:`.
const ENOUGH: usize = 9;

impl FieldSearch {
    fn new() -> FieldSearch {
        FieldSearch { lines: Lines::new().with_max_line_len(ENOUGH), has_text: false }
    }

    #[cold]
    fn finds_field(&mut self, mut chunk: &[u8]) -> bool {
        loop {
            let line = match self.lines.next(&mut chunk) {
                Ok(Some(line)) => line,
                Ok(None) => return false,
                // The rest of the line does not matter.
                Err(_) => self.lines.unfinished(),
            };
            match (Field::parse(line).0, line) {
                (Field::Comment, _) | (Field::Other, []) => {}
                (Field::Other, _) => self.has_text = true,
                _ => return true,
            }
        }
    }

    fn is_other(&self) -> bool {
        let unfinished = self.lines.unfinished();
        match Field::parse(unfinished).0 {
            Field::Comment => self.has_text,
            Field::Other => self.has_text || !unfinished.is_empty(),
            _ => false,
        }
    }
}
