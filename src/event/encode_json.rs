//! Events whose data is written as JSON directly into the buffer.

use super::Event;
use crate::encoding::Encoded;
use alloc::{string::String, vec::Vec};
use memchr::memchr2;
use serde_core::Serialize;

impl Event {
    /// Appends this event to `buffer`, with `value` as JSON in place of its data.
    ///
    /// Use it to write many values into one buffer: the JSON is written directly into the buffer, without a `String`
    /// in between. This event is a template, which you create once: its type, ID and reconnection time are written
    /// with each value, and its own data is not. For an HTTP body, which needs a `Bytes` for each value, use
    /// [`encoded_json`](Event::encoded_json).
    ///
    /// ```
    /// use eventwire::Event;
    ///
    /// #[derive(serde::Serialize)]
    /// struct Delta { text: &'static str }
    ///
    /// let delta = Event::default().with_event_type("delta")?;
    /// let mut buffer = Vec::new();
    /// for text in ["Hello", " world"] {
    ///     buffer.clear(); // its memory is used again
    ///     delta.encode_json(&Delta { text }, &mut buffer)?;
    /// }
    /// assert_eq!(buffer, b"event: delta\ndata: {\"text\":\" world\"}\n\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// The JSON is written on one line. Only raw JSON (serde_json's `RawValue`) can contain line ends; each of its
    /// lines is then written as a separate `data` line, so that the reader receives the same JSON. Without the
    /// feature `std`, the JSON is first written into a temporary `Vec` and then copied, because serde_json appends to
    /// a `Vec` only with `std`.
    ///
    /// # Errors
    ///
    /// serde_json's error if the value cannot be written as JSON: if it is a map whose keys are not text, or if its
    /// `Serialize` fails. The buffer then has the same contents as before the call, and never a part of an event. The
    /// same is true if a `Serialize` panics.
    ///
    /// ```
    /// # use eventwire::Event;
    /// # use std::collections::BTreeMap;
    /// let mut buffer = Vec::new();
    /// Event::default().encode_json(&1, &mut buffer)?;
    /// let keys_are_not_text = [Some(1), None].map(|n| BTreeMap::from([((n, n), n)]));
    /// assert!(Event::default().encode_json(&keys_are_not_text, &mut buffer).is_err());
    /// assert_eq!(buffer, b"data: 1\n\n");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[inline]
    pub fn encode_json<T: Serialize + ?Sized>(&self, value: &T, buffer: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        let mut frame = Frame { keep: buffer.len(), buffer };
        frame.put(self, value)?;
        // The frame is complete.
        frame.keep = frame.buffer.len();
        Ok(())
    }

    /// Encodes this event once, with `value` as JSON in place of its data, for [`EventBody`](crate::EventBody) or
    /// many readers.
    ///
    /// [`encode_json`](Event::encode_json) describes what is written. `EventBody` and
    /// [`KeepAlive`](crate::KeepAlive) accept both [`Encoded`] and the `Result` that this method returns.
    ///
    /// ```
    /// use eventwire::Event;
    ///
    /// let word = Event::default().with_event_type("word")?;
    /// assert_eq!(word.encoded_json("Hello")?.as_ref(), b"event: word\ndata: \"Hello\"\n\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// If each event needs a different ID, clone the template and set it. In an axum handler:
    ///
    #[cfg_attr(not(doctest), doc = include_str!("../../docs/json-frames-axum.md"))]
    ///
    /// # Errors
    ///
    /// Those of [`encode_json`](Event::encode_json).
    pub fn encoded_json<T: Serialize + ?Sized>(&self, value: &T) -> Result<Encoded, serde_json::Error> {
        let mut block = Vec::with_capacity(ROOM);
        self.encode_json(value, &mut block)?;
        Ok(Encoded::written(block))
    }
}

/// A frame that is being written. If it is dropped before it is complete, after an error or a panic in a
/// `Serialize`, it is removed from the buffer.
struct Frame<'b> {
    buffer: &'b mut Vec<u8>,
    /// The length that the buffer keeps.
    keep: usize,
}

impl Frame<'_> {
    #[inline]
    fn put<T: Serialize + ?Sized>(&mut self, head: &Event, value: &T) -> Result<(), serde_json::Error> {
        // Encode it with empty data. Then remove the two line ends, which belong after the JSON.
        head.encoding_of("").write(self.buffer);
        let data = self.buffer.len() - END.len();
        self.buffer.truncate(data);
        self.put_json(value)?;
        if memchr2(b'\n', b'\r', &self.buffer[data..]).is_some() {
            self.put_lines(head, data);
        } else {
            self.buffer.extend_from_slice(END);
        }
        Ok(())
    }

    #[cfg(feature = "std")]
    #[inline]
    fn put_json<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), serde_json::Error> {
        serde_json::to_writer(&mut *self.buffer, value)
    }

    #[cfg(not(feature = "std"))]
    fn put_json<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), serde_json::Error> {
        self.buffer.extend(serde_json::to_vec(value)?);
        Ok(())
    }

    /// Writes the event again, with the JSON as its data.
    #[cold]
    fn put_lines(&mut self, head: &Event, data: usize) {
        let json = self.buffer.split_off(data);
        self.buffer.truncate(self.keep);
        head.encoding_of(&String::from_utf8_lossy(&json)).write(self.buffer);
    }
}

impl Drop for Frame<'_> {
    #[inline]
    fn drop(&mut self) {
        self.buffer.truncate(self.keep);
    }
}

/// The end of the last data line, and the blank line.
const END: &[u8] = b"\n\n";

/// The initial capacity, enough for most frames, so that their memory does not grow.
const ROOM: usize = 512;

#[cfg(test)]
mod tests {
    use super::Event;
    use alloc::{collections::BTreeMap, vec::Vec};
    use serde_json::value::RawValue;

    // This test is here, and not with the tests of all features, because the code path is different without `std`.
    #[test]
    fn raw_json_is_split_into_lines_and_a_failure_leaves_nothing() {
        let no_json = BTreeMap::from([([1], 2)]);
        let head = Event::default().with_numeric_id(7);
        for text in ["[1,\r2]", "[1,\n2]", "[1,\r\n2]"] {
            let raw: &RawValue = serde_json::from_str(text).unwrap_or(RawValue::NULL);
            let mut written = Vec::new();
            for _ in 0..2 {
                assert!(head.encode_json(raw, &mut written).is_ok());
                assert!(head.encode_json(&no_json, &mut written).is_err());
            }
            assert_eq!(written, b"id: 7\ndata: [1,\ndata: 2]\n\n".repeat(2), "{text:?}");
        }
    }
}
