//! An event whose data is written as JSON, straight into the stream.

use super::{Event, EventRef, MESSAGE, truncate_buf::TruncateBuf};
use crate::encoding::Encoding;
use alloc::{string::String, vec::Vec};
use core::time::Duration;
use memchr::memchr2;
use serde_core::Serialize;

impl Event {
    /// Writes this event at the end of `buffer`, with `value` as JSON in place of its data.
    ///
    /// For sending many values: the JSON goes straight into the buffer, without a `String` in between. The type, the ID and
    /// the reconnection time are those of this event, which is made once; its own data is not written.
    ///
    /// ```
    /// use eventwire::Event;
    /// use bytes::BytesMut;
    ///
    /// #[derive(serde::Serialize)]
    /// struct Delta { text: &'static str }
    ///
    /// let delta = Event::default().with_event_type("delta")?;
    /// let mut buffer = BytesMut::new();
    /// // A frame for each value, for a body that takes `Bytes`:
    /// let frames = [Delta { text: "Hello" }, Delta { text: " world" }].map(|value| {
    ///     delta.encode_json(&value, &mut buffer)?;
    ///     Ok::<_, serde_json::Error>(buffer.split().freeze())
    /// });
    /// assert_eq!(frames[1].as_ref().unwrap(), "event: delta\ndata: {\"text\":\" world\"}\n\n");
    /// # Ok::<(), eventwire::InvalidField>(())
    /// ```
    ///
    /// To give each event an ID of its own, use [`EventRef::encode_json`], which borrows the ID. In a handler of axum:
    ///
    #[cfg_attr(not(doctest), doc = include_str!("../../docs/json-frames-axum.md"))]
    ///
    /// A line end in the JSON, which only raw JSON can have (serde_json's `RawValue`), begins another `data` line, so that the
    /// reader sees the same JSON. Without feature `std` the JSON is put together in memory of its own first, because only with `std`
    /// serde_json can write elsewhere.
    ///
    /// # Errors
    ///
    /// serde_json's, for a value that is not JSON: a map whose keys are not text, or one whose `Serialize` fails. The buffer is
    /// then truncated to its length before the call, so that there is no part of an event in it.
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
    pub fn encode_json<T: Serialize + ?Sized>(
        &self,
        value: &T,
        buffer: &mut impl TruncateBuf,
    ) -> Result<(), serde_json::Error> {
        let event_type = Some(self.event_type()).filter(|&event_type| event_type != MESSAGE);
        let id = self.has_id().then(|| self.id());
        Head { event_type, id, retry: self.retry() }.encode(value, buffer)
    }
}

impl EventRef<'_> {
    /// Writes this event at the end of `buffer`, with `value` as JSON in place of its data; see [`Event::encode_json`].
    ///
    /// ```
    /// use eventwire::EventRef;
    ///
    /// let mut stream = Vec::new();
    /// for (n, word) in ["Hello", "world"].iter().enumerate() {
    ///     EventRef::new("").with_id(&n.to_string())?.encode_json(word, &mut stream)?;
    /// }
    /// assert_eq!(stream, b"id: 0\ndata: \"Hello\"\n\nid: 1\ndata: \"world\"\n\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// serde_json's; the buffer is then as it was.
    #[inline]
    pub fn encode_json<T: Serialize + ?Sized>(
        &self,
        value: &T,
        buffer: &mut impl TruncateBuf,
    ) -> Result<(), serde_json::Error> {
        let event_type = Some(self.event_type()).filter(|&event_type| event_type != MESSAGE);
        let id = self.has_id().then(|| self.id());
        Head { event_type, id, retry: self.retry() }.encode(value, buffer)
    }
}

/// All of an event but its data.
#[derive(Clone, Copy)]
struct Head<'e> {
    event_type: Option<&'e str>,
    id: Option<&'e str>,
    retry: Option<Duration>,
}

impl Head<'_> {
    #[inline]
    fn encode<T, B>(self, value: &T, buffer: &mut B) -> Result<(), serde_json::Error>
    where
        T: Serialize + ?Sized,
        B: TruncateBuf,
    {
        let start = buffer.as_ref().len();
        // With empty data, which ends with the two line ends that come after the JSON.
        self.encoding("").write(buffer);
        let data = buffer.as_ref().len() - END.len();
        buffer.truncate(data);
        if let Err(error) = buffer.put_json(value) {
            buffer.truncate(start);
            return Err(error);
        }
        if memchr2(b'\n', b'\r', &buffer.as_ref()[data..]).is_some() {
            self.encode_lines(start, data, buffer);
        } else {
            buffer.put_slice(END);
        }
        Ok(())
    }

    /// Writes it again, as an event that has the JSON for its data.
    #[cold]
    fn encode_lines(self, start: usize, data: usize, buffer: &mut impl TruncateBuf) {
        let json: Vec<u8> = buffer.as_ref()[data..].into();
        buffer.truncate(start);
        self.encoding(&String::from_utf8_lossy(&json)).write(buffer);
    }

    #[inline]
    fn encoding<'e>(&'e self, data: &'e str) -> Encoding<'e> {
        Encoding::event(self.event_type, data, self.id, self.retry)
    }
}

/// The end of the last data line, and the blank line.
const END: &[u8] = b"\n\n";

#[cfg(test)]
mod tests {
    use super::{Event, EventRef};
    use alloc::{collections::BTreeMap, vec::Vec};
    use bytes::BytesMut;
    use serde_json::value::RawValue;

    // Here, and not with the tests of all features, because it takes another way without `std`.
    #[test]
    fn raw_json_has_its_lines_and_what_fails_is_not_there() {
        let no_json = BTreeMap::from([([1], 2)]);
        let head = Event::default().with_numeric_id(7);
        for text in ["[1,\r2]", "[1,\n2]", "[1,\r\n2]"] {
            let raw: &RawValue = serde_json::from_str(text).unwrap_or(RawValue::NULL);
            let (mut vec, mut bytes) = (Vec::new(), BytesMut::new());
            for _ in 0..2 {
                assert!(head.encode_json(raw, &mut vec).is_ok());
                assert!(EventRef::new("").encode_json(raw, &mut bytes).is_ok());
                assert!(head.encode_json(&no_json, &mut vec).is_err());
                assert!(head.encode_json(&no_json, &mut bytes).is_err());
            }
            assert_eq!(vec, b"id: 7\ndata: [1,\ndata: 2]\n\n".repeat(2), "{text:?}");
            assert_eq!(bytes, &b"data: [1,\ndata: 2]\n\n".repeat(2)[..], "{text:?}");
        }
    }
}
