//! The part of a chunk of the model's answer that the page uses.
//!
//! `Deserialize` is written by hand: derived code for the three objects around the text would add 2,000 bytes, gzipped.

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The data of one event, `{"choices":[{"delta":{"content":".."}}]}`.
pub(crate) struct Chunk {
    /// The text that the chunk adds. It is empty in some chunks, for example in the one with the usage.
    pub(crate) text: String,
}

/// The path to the text. Everything else is skipped.
const PATH: [Step; 4] = [Step::Member("choices"), Step::Items, Step::Member("delta"), Step::Member("content")];

enum Step {
    Member(&'static str),
    Items,
}

impl<'de> Deserialize<'de> for Chunk {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Chunk, D::Error> {
        let mut text = String::new();
        Text { path: &PATH, text: &mut text }.deserialize(deserializer)?;
        Ok(Chunk { text })
    }
}

/// Reads the text at the end of a path.
struct Text<'a> {
    path: &'a [Step],
    text: &'a mut String,
}

impl<'de> DeserializeSeed<'de> for Text<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.path.first() {
            Some(Step::Member(_)) => deserializer.deserialize_map(self),
            Some(Step::Items) => deserializer.deserialize_seq(self),
            None => deserializer.deserialize_option(self),
        }
    }
}

impl<'de> Visitor<'de> for Text<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a part of a chunk")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<String>()? {
            match self.path {
                [Step::Member(wanted), path @ ..] if name == *wanted => {
                    members.next_value_seed(Text { path, text: self.text })?;
                }
                _ => {
                    members.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let path = self.path.get(1..).unwrap_or_default();
        while items.next_element_seed(Text { path, text: self.text })?.is_some() {}
        Ok(())
    }

    /// `"content":null` is in chunks with a tool call.
    fn visit_none<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.text.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use eventwire::Events;

    use super::*;

    fn text(json: &str) -> Option<String> {
        let body = format!("data: {json}\n\n");
        let mut chunks = Events::new([Ok::<_, Infallible>(body)].into_iter()).json::<Chunk>();
        chunks.next()?.ok().map(|chunk| chunk.text)
    }

    #[test]
    fn the_text_of_every_choice() {
        let json = r#"{"id":"a","choices":[{"index":0,"delta":{"role":"x","content":"H\u00e9"},"n":null},{"delta":{"content":"!"}}],"n":1.5}"#;
        assert_eq!(text(json).unwrap(), "Hé!");
        assert_eq!(text(r#"{"ch\u006fices":[{"delta":{"content":"escaped"}}]}"#).unwrap(), "escaped");
    }

    #[test]
    fn chunks_without_a_text() {
        for json in [
            r#"{"choices":[],"usage":{"content":"5"}}"#,
            r#"{"content":"no","delta":{"content":"no"}}"#,
            r#"{"choices":[{"finish_reason":"stop","content":"no"}]}"#,
            r#"{"choices":[{"delta":{}}]}"#,
            r#"{"choices":[{"delta":{"content":null}}]}"#,
        ] {
            assert_eq!(text(json).unwrap(), "", "{json}");
        }
    }

    #[test]
    fn json_that_is_not_a_chunk() {
        for json in [
            "[]",
            "5",
            r#"{"choices":{}}"#,
            r#"{"choices":[5]}"#,
            r#"{"choices":[{"delta":"text"}]}"#,
            r#"{"choices":[{"delta":{"content":5}}]}"#,
            r#"{"choices":[{"delta":{"content":"text"}}]"#,
        ] {
            assert!(text(json).is_none(), "{json}");
        }
    }
}
