//! The fields of an event stream, recognised by their names.

/// The field that a line sets, as [the standard] defines them, or a comment.
///
/// Names must match exactly: `Data`, and `data` followed by a space, are [`Field::Other`].
///
/// ```
/// use eventwire::line::Field;
///
/// assert_eq!(Field::parse(b"data: a: b"), (Field::Data, &b"a: b"[..]));
/// assert_eq!(Field::parse(b"data"), (Field::Data, &b""[..]));
/// assert_eq!(Field::parse(b"event:  ping"), (Field::EventType, &b" ping"[..]));
/// assert_eq!(Field::parse(b": keep-alive"), (Field::Comment, &b"keep-alive"[..]));
/// assert_eq!(Field::parse(b"Data: 1"), (Field::Other, &b"1"[..]));
/// ```
///
/// What the field does is left to you: `data` lines are joined by LF, an `id` with a NUL is ignored, and so is a
/// `retry` that is not only ASCII digits.
///
/// No variant will be added: the standard has only these fields, and ignores every other name.
///
/// [the standard]: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// `data`: a line of the event's data.
    Data,
    /// `event`: the event's type.
    EventType,
    /// `id`: the last event ID.
    Id,
    /// `retry`: the reconnection time, in milliseconds.
    Retry,
    /// A line that begins with a colon.
    Comment,
    /// Any other name, which the standard ignores. [`parse`](Field::parse) also returns it for a blank line.
    Other,
}

impl Field {
    /// Splits a line into its field and value. The value follows the first colon, without one leading space.
    ///
    /// The value of a line without a colon is empty. A blank line is not a field: for it, the result is
    /// [`Field::Other`] with an empty value.
    #[inline(always)]
    #[must_use]
    pub fn parse(line: &[u8]) -> (Field, &[u8]) {
        // Most lines of most streams. `look_up` returns the same, but more slowly (see benches/README.md).
        if let Some(value) = line.strip_prefix(b"data: ") {
            (Field::Data, value)
        } else if let Some(value) = line.strip_prefix(b":") {
            (Field::Comment, value.strip_prefix(b" ").unwrap_or(value))
        } else if let Some(value) = line.strip_prefix(b"event: ") {
            (Field::EventType, value)
        } else if let Some(value) = line.strip_prefix(b"id: ") {
            (Field::Id, value)
        } else {
            Field::look_up(line)
        }
    }

    fn look_up(line: &[u8]) -> (Field, &[u8]) {
        let Some(colon) = memchr::memchr(b':', line) else {
            return (if line.is_empty() { Field::Other } else { Field::named(line) }, &[]);
        };
        let (name, value) = line.split_at_checked(colon).unwrap_or_default();
        let value = value.get(1..).unwrap_or_default();
        (Field::named(name), value.strip_prefix(b" ").unwrap_or(value))
    }

    /// The field with this name: the bytes before a line's first colon, or the complete line if it has none. An empty
    /// name means a comment, because nothing precedes its colon.
    #[inline]
    const fn named(name: &[u8]) -> Field {
        match name {
            b"data" => Field::Data,
            b"event" => Field::EventType,
            b"id" => Field::Id,
            b"retry" => Field::Retry,
            b"" => Field::Comment,
            _ => Field::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Field;

    /// For every line, `parse` agrees with `named` on the bytes before the first colon.
    #[test]
    fn parse_agrees_with_named() {
        let names: [&[u8]; 22] = [
            b"data", b"event", b"id", b"retry", b"", b"dat", b"dataa", b"Data", b"DATA", b" data", b"data ", b"even",
            b"events", b"i", b"idd", b"ID", b"retr", b"retry ", b"retryy", b"comment", b"\xFF", b"\0",
        ];
        for name in names {
            for (tail, value) in [
                (&b":v"[..], &b"v"[..]),
                (b": v", b"v"),
                (b":  v", b" v"),
                (b":", b""),
                (b": ", b""),
                (b"::", b":"),
                (b":\tv", b"\tv"),
            ] {
                let line = [name, tail].concat();
                assert_eq!(Field::parse(&line), (Field::named(name), value), "{}", line.escape_ascii());
            }
            if !name.is_empty() {
                assert_eq!(Field::parse(name), (Field::named(name), &[][..]), "{}", name.escape_ascii());
            }
        }
        assert_eq!(Field::parse(b""), (Field::Other, &[][..]));
    }
}
