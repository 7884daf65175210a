//! The texts that are written.

use bytes::Bytes;
use eventwire::Decoder;
use eventwire_rivals::corpora::Corpus;

/// The texts of an event.
pub(crate) struct Message {
    pub(crate) event_type: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) data: String,
}

impl Message {
    pub(crate) fn len(&self) -> usize {
        let len = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        len(&self.event_type) + len(&self.id) + self.data.len()
    }
}

pub(crate) fn all(corpus: &Corpus) -> Vec<Message> {
    let messages = decode(&corpus.bytes);
    assert_eq!(messages.len(), corpus.events, "{}", corpus.name);
    messages
}

/// Asserts that these bytes contain the messages and nothing else.
pub(crate) fn check(by: &str, messages: &[Message], written: &[u8]) {
    let read = decode(written);
    assert_eq!(read.len(), messages.len(), "events by {by}");
    for (read, message) in read.iter().zip(messages) {
        assert_eq!(read.data, message.data, "data by {by}");
        assert_eq!((&read.event_type, &read.id), (&message.event_type, &message.id), "type and ID by {by}");
    }
}

fn decode(stream: &[u8]) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut decoder = Decoder::new();
    let mut input = Bytes::copy_from_slice(stream);
    while let Some(event) = decoder.decode_bytes(&mut input).expect("within the limit") {
        messages.push(Message {
            event_type: Some(event.event_type().to_owned()).filter(|event_type| event_type != "message"),
            id: event.has_id().then(|| event.last_event_id().to_owned()),
            data: event.data().to_owned(),
        });
    }
    messages
}
