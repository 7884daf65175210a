//! Events of a channel, as they are sent.

use crate::{blocks::Blocks, stream_position::StreamPosition};
use bytes::Bytes;
use eventwire::Encoded;

/// An event as it is sent: the line with its ID, and the rest.
pub(crate) struct NumberedEvent {
    encoded: Encoded,
    /// The length of the line with its ID.
    id_line: usize,
}

impl NumberedEvent {
    pub(crate) fn whole(&self) -> Encoded {
        self.encoded.clone()
    }

    #[expect(clippy::expect_used, reason = "the end of a block is the end of its rest")]
    pub(crate) fn without_id(&self) -> Encoded {
        let bytes = self.whole().into_bytes();
        Encoded::from_bytes(bytes.slice(self.id_line..)).expect("a block")
    }
}

impl AsRef<[u8]> for NumberedEvent {
    fn as_ref(&self) -> &[u8] {
        self.encoded.as_ref()
    }
}

/// An event that is encoded, with room for the line with its ID. So only the ID has to be written once its position is
/// known.
pub(crate) struct Draft(Vec<u8>);

/// The length of the longest line with an ID.
const ID_LINE: usize = "id: ".len() + StreamPosition::MAX_LEN + "\n".len();

impl Draft {
    /// `write` appends one block without an ID, of about `len` bytes.
    pub(crate) fn new(len: usize, write: impl FnOnce(&mut Vec<u8>)) -> Draft {
        let mut bytes = Vec::with_capacity(ID_LINE + len);
        bytes.resize(ID_LINE, 0);
        write(&mut bytes);
        // The event is kept, so it must not have much unused capacity.
        bytes.shrink_to(bytes.len() + bytes.len() / 8);
        Draft(bytes)
    }

    /// `None` if the blocks are not exactly one event without an ID.
    pub(crate) fn of(event: &Encoded) -> Option<Draft> {
        let event = event.as_ref();
        Blocks::are_one_event(event).then(|| Draft::new(event.len(), |bytes| bytes.extend_from_slice(event)))
    }

    #[expect(clippy::expect_used, reason = "what was written ends with a blank line")]
    pub(crate) fn at(mut self, position: StreamPosition) -> NumberedEvent {
        self.0[ID_LINE - 1] = b'\n';
        let start = position.write_before(&mut self.0[..ID_LINE - 1]) - "id: ".len();
        self.0[start..start + "id: ".len()].copy_from_slice(b"id: ");
        let encoded = Encoded::from_bytes(Bytes::from(self.0).slice(start..)).expect("a block");
        NumberedEvent { encoded, id_line: ID_LINE - start }
    }
}
