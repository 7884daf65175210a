//! Where a reader wants to begin.

use crate::stream_position::StreamPosition;
use http::HeaderMap;
use std::{borrow::Cow, str};

/// Where a reader begins: at the end, at the beginning, or where it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resume<'a> {
    /// With the next event.
    Live,
    /// With the oldest event that is kept.
    Earliest,
    /// After the event with this ID, as the reader has sent it. Any bytes are allowed. If they are not an ID of the
    /// channel, the reader is told that events are missing.
    After(Cow<'a, [u8]>),
}

impl<'a> Resume<'a> {
    /// Takes the ID from a request: from its header `Last-Event-ID`, or else from the parameter `last_event_id` of its
    /// query, which is percent-decoded. A request with neither begins [`Live`](Resume::Live).
    ///
    /// A browser sends the header when it reconnects. Its first request cannot have one, so a page that shows a
    /// snapshot puts the snapshot's [position](crate::Channel::position) into the query. Later the header wins, because
    /// the query does not change.
    ///
    /// ```
    /// use eventwire_hub::Resume;
    /// use http::HeaderMap;
    ///
    /// let mut headers = HeaderMap::new();
    /// assert_eq!(Resume::from_request(&headers, Some("room=7")), Resume::Live);
    /// let query = Some("room=7&last_event_id=9f86d081884c7d65-42");
    /// assert_eq!(
    ///     Resume::from_request(&headers, query),
    ///     Resume::After(b"9f86d081884c7d65-42".into())
    /// );
    /// headers.insert("last-event-id", "9f86d081884c7d65-43".parse()?);
    /// assert_eq!(
    ///     Resume::from_request(&headers, query),
    ///     Resume::After(b"9f86d081884c7d65-43".into())
    /// );
    /// # Ok::<(), http::header::InvalidHeaderValue>(())
    /// ```
    #[must_use]
    pub fn from_request(headers: &'a HeaderMap, query: Option<&'a str>) -> Resume<'a> {
        let header = headers.get("last-event-id").map(|id| Cow::Borrowed(id.as_bytes()));
        let is_set = |id: &Cow<'_, [u8]>| !id.is_empty();
        header.filter(is_set).or_else(|| from_query(query?).filter(is_set)).map_or(Resume::Live, Resume::After)
    }

    /// Begins with the oldest event instead of the next one, if the reader has sent no ID.
    ///
    /// ```
    /// use eventwire_hub::Resume;
    /// use http::HeaderMap;
    ///
    /// assert_eq!(Resume::from_request(&HeaderMap::new(), None).or_earliest(), Resume::Earliest);
    /// ```
    #[must_use]
    pub fn or_earliest(self) -> Resume<'a> {
        if self == Resume::Live { Resume::Earliest } else { self }
    }
}

/// A [`Resume`] whose ID has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Live,
    Earliest,
    /// After a position, or with an ID that is none.
    After(Option<StreamPosition>),
}

impl Origin {
    pub(crate) fn new(resume: &Resume<'_>) -> Origin {
        match resume {
            Resume::Live => Origin::Live,
            Resume::Earliest => Origin::Earliest,
            Resume::After(id) => Origin::After(str::from_utf8(id).ok().and_then(|id| id.parse().ok())),
        }
    }
}

fn from_query(query: &str) -> Option<Cow<'_, [u8]>> {
    let (_, value) =
        query.split('&').filter_map(|pair| pair.split_once('=')).find(|(name, _)| *name == "last_event_id")?;
    Some(percent_decode(value.as_bytes()))
}

/// A `%` without two hexadecimal digits after it stays, as in the URL standard.
fn percent_decode(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.contains(&b'%') {
        return Cow::Borrowed(text);
    }
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [byte, after @ ..] = rest {
        rest = after;
        if *byte == b'%'
            && let [high, low, after @ ..] = rest
            && let (Some(high), Some(low)) = (digit(high), digit(low))
        {
            decoded.push(high << 4 | low);
            rest = after;
        } else {
            decoded.push(*byte);
        }
    }
    Cow::Owned(decoded)
}

#[cfg(test)]
mod tests {
    use super::Resume;
    use http::{HeaderMap, HeaderValue};

    #[track_caller]
    fn check(header: Option<&[u8]>, query: Option<&str>, expected: Option<&[u8]>) {
        let mut headers = HeaderMap::new();
        if let Some(header) = header {
            headers.insert("last-event-id", HeaderValue::from_bytes(header).unwrap());
        }
        let expected = expected.map_or(Resume::Live, |id| Resume::After(id.into()));
        assert_eq!(Resume::from_request(&headers, query), expected);
    }

    #[test]
    fn the_header_wins_over_the_query() {
        check(None, None, None);
        check(Some(b"a-1"), None, Some(b"a-1"));
        check(None, Some("last_event_id=a-1"), Some(b"a-1"));
        check(Some(b"a-2"), Some("last_event_id=a-1"), Some(b"a-2"));
        check(Some(b""), Some("last_event_id=a-1"), Some(b"a-1"));
        check(Some(b"\xE9"), None, Some(b"\xE9"));
    }

    #[test]
    fn queries() {
        check(None, Some(""), None);
        check(None, Some("last_event_id"), None);
        check(None, Some("last_event_id="), None);
        check(None, Some("my_last_event_id=a&LAST_EVENT_ID=b"), None);
        check(None, Some("x=1&last_event_id=a&last_event_id=b"), Some(b"a"));
        check(None, Some("last_event_id=prices%3Da-1%2cchat%3db-2"), Some(b"prices=a-1,chat=b-2"));
        check(None, Some("last_event_id=a=b"), Some(b"a=b"));
        check(None, Some("last_event_id=%FF%00"), Some(b"\xFF\0"));
        check(None, Some("last_event_id=%"), Some(b"%"));
        check(None, Some("last_event_id=%4"), Some(b"%4"));
        check(None, Some("last_event_id=%4g%+41%41"), Some(b"%4g%+41A"));
    }
}
