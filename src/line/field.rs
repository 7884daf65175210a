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
    /// Any other name. The standard ignores such a line.
    Other,
}

impl Field {
    /// Splits a line into its field and value. The value follows the first colon, without one leading space.
    ///
    /// The value of a line without a colon is empty. A blank line is not a field: for it, the result is
    /// [`Field::Other`] with an empty value.
    #[inline]
    #[must_use]
    pub fn parse(line: &[u8]) -> (Field, &[u8]) {
        if let Some((field, prefix)) = Field::known(line) {
            return (field, &line[prefix..]);
        }
        let after_colon = memchr::memchr(b':', line).map_or(&[][..], |colon| &line[colon + 1..]);
        (Field::Other, after_colon.strip_prefix(b" ").unwrap_or(after_colon))
    }

    /// Returns the field of a line, unless it is [`Field::Other`], and how many bytes precede its value.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn known(line: &[u8]) -> Option<(Field, usize)> {
        // Most lines of most streams. The table below returns the same, but more slowly (see benches/history.md).
        let usual = after(line, b"data: ").map(|value| (Field::Data, value));
        let usual = usual.or_else(|| after(line, b"event: ").map(|value| (Field::EventType, value)));
        let usual = usual.or_else(|| after(line, b"id: ").map(|value| (Field::Id, value)));
        usual.or_else(|| Field::look_up(line))
    }

    fn look_up(line: &[u8]) -> Option<(Field, usize)> {
        if line.is_empty() {
            return None;
        }
        // No known name is longer than five bytes.
        let colon = line.iter().take(6).position(|byte| *byte == b':');
        let name = line.get(..colon.unwrap_or(line.len()))?;
        let prefix = match *line.get(name.len()..)? {
            [b':', b' ', ..] => name.len() + 2,
            [b':', ..] => name.len() + 1,
            _ => name.len(),
        };
        Some((Field::named(name), prefix)).filter(|(field, _)| *field != Field::Other)
    }

    /// Returns the field with this name: the bytes before a line's first colon, or the complete line if it has none. An
    /// empty name means a comment, because nothing precedes its colon.
    #[inline]
    pub(crate) const fn named(name: &[u8]) -> Field {
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

/// Where the value of a line with this prefix begins. Arrays are compared as integers, slices on wasm by a call.
#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn after<const N: usize>(line: &[u8], prefix: &[u8; N]) -> Option<usize> {
    (line.first_chunk() == Some(prefix)).then_some(N)
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
