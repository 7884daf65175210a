//! Positions in a stream, which are its event IDs.

use eventwire::EventId;
use std::{fmt, str::FromStr};

/// A position in the stream of a channel, and the ID of the event at that position.
///
/// It is the *epoch* and a *sequence number*. A channel begins with a random epoch, so the IDs of a process that was
/// restarted never look like those of the process before. Within an epoch, the events are numbered 1, 2, 3 and so on,
/// without holes; 0 is the position before the first one. So how many events lie between two positions of an epoch is
/// known exactly.
///
/// It is written as 16 hexadecimal digits, a hyphen and a decimal number, at most 37 ASCII characters. Readers need not
/// know that: to them, an ID is opaque.
///
/// ```
/// use eventwire_hub::StreamPosition;
///
/// let position: StreamPosition = "9f86d081884c7d65-42".parse()?;
/// assert_eq!(position, StreamPosition::new(0x9f86_d081_884c_7d65, 42));
/// assert_eq!(position.to_string(), "9f86d081884c7d65-42");
/// // Each position is written in one way only.
/// assert!("9f86d081884c7d65-042".parse::<StreamPosition>().is_err());
/// # Ok::<(), eventwire_hub::InvalidPosition>(())
/// ```
///
/// Positions have no order: only numbers of the same epoch can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StreamPosition {
    epoch: u64,
    sequence: u64,
}

impl StreamPosition {
    /// The length of the longest one, in bytes.
    pub(crate) const MAX_LEN: usize = "0123456789abcdef-18446744073709551615".len();

    /// Creates a position, for events that were numbered elsewhere; see [`Channel::append`](crate::Channel::append).
    #[must_use]
    pub const fn new(epoch: u64, sequence: u64) -> StreamPosition {
        StreamPosition { epoch, sequence }
    }

    /// Returns the epoch.
    #[must_use]
    pub const fn epoch(self) -> u64 {
        self.epoch
    }

    /// Returns the sequence number: how many events the epoch has had up to here.
    #[must_use]
    pub const fn sequence(self) -> u64 {
        self.sequence
    }

    /// The position after this one, in the same epoch.
    pub(crate) fn next(self) -> Option<StreamPosition> {
        self.sequence.checked_add(1).map(|sequence| StreamPosition { sequence, ..self })
    }

    /// Writes the position at the end of a buffer that has room for it, and returns where it starts.
    ///
    /// With `format!`, sending an event to one reader takes 60 ns longer, a third of the whole.
    pub(crate) fn write_before(self, buffer: &mut [u8]) -> usize {
        let mut start = buffer.len();
        let mut put = |byte| {
            start -= 1;
            buffer[start] = byte;
        };
        let mut sequence = self.sequence;
        loop {
            put(b'0' + (sequence % 10) as u8);
            sequence /= 10;
            if sequence == 0 {
                break;
            }
        }
        put(b'-');
        for shift in (0..64).step_by(4) {
            put(b"0123456789abcdef"[(self.epoch >> shift & 0xF) as usize]);
        }
        start
    }
}

impl fmt::Display for StreamPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}-{}", self.epoch, self.sequence)
    }
}

/// Accepts only what `Display` writes.
impl FromStr for StreamPosition {
    type Err = InvalidPosition;

    fn from_str(text: &str) -> Result<StreamPosition, InvalidPosition> {
        let (epoch, sequence) = text.split_once('-').ok_or(InvalidPosition)?;
        let epoch = u64::from_str_radix(epoch, 16).map_err(|_| InvalidPosition)?;
        let sequence = sequence.parse().map_err(|_| InvalidPosition)?;
        let position = StreamPosition { epoch, sequence };
        // The parsers of numbers also accept capitals, leading zeros and a plus.
        if position.to_string() == text { Ok(position) } else { Err(InvalidPosition) }
    }
}

/// A text is not a [`StreamPosition`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a position is written as 16 lowercase hexadecimal digits, a hyphen and a number without leading zeros")]
pub struct InvalidPosition;

/// Returns an ID that is made of positions and names of topics.
#[expect(clippy::expect_used, reason = "neither contains a line end or a NUL")]
pub(crate) fn event_id(text: &str) -> EventId {
    text.parse().expect("a line of text")
}

#[cfg(test)]
mod tests {
    use super::StreamPosition;
    use proptest::prelude::*;

    proptest! {
        // Miri has no file system for recorded failures.
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_written_is_read(epoch: u64, sequence: u64) {
            let position = StreamPosition::new(epoch, sequence);
            prop_assert_eq!(position.to_string().parse(), Ok(position));
            prop_assert!(position.to_string().len() <= 37);
        }

        #[test]
        #[cfg_attr(miri, ignore = "takes minutes to generate the texts")]
        fn whatever_is_read_is_written_the_same(text in "[0-9a-fA-F+-]{15,18}-[0-9+]{1,21}|.*") {
            if let Ok(position) = text.parse::<StreamPosition>() {
                prop_assert_eq!(position.to_string(), text);
            }
        }
    }

    #[test]
    fn other_texts_are_no_positions() {
        let least = "0000000000000000-0";
        assert_eq!(least.parse(), Ok(StreamPosition::new(0, 0)));
        let greatest = "ffffffffffffffff-18446744073709551615";
        assert_eq!((greatest.parse(), greatest.len()), (Ok(StreamPosition::new(u64::MAX, u64::MAX)), 37));
        for text in [
            "",
            "-",
            "42",
            "0000000000000000",
            "0000000000000000-",
            "-0000000000000000-1",
            "0000000000000000--1",
            "0000000000000000-+1",
            "0000000000000000-01",
            "0000000000000000-1 ",
            " 0000000000000000-1",
            "0000000000000000-1-2",
            "000000000000000-1",
            "00000000000000000-1",
            "+000000000000000-1",
            "000000000000000A-1",
            "000000000000000g-1",
            "0000000000000000-18446744073709551616",
        ] {
            assert!(text.parse::<StreamPosition>().is_err(), "{text}");
        }
    }
}
