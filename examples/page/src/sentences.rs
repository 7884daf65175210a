//! Splits the model's text into sentences, which are spoken one by one.

/// A sentence with fewer bytes is joined with the next one.
const SHORTEST: usize = 30;
/// A text with this many bytes and no full stop ends with the current word.
const LONG: usize = 400;

/// The sentence that is being written.
pub(crate) struct Sentences {
    /// The number of the sentence, from 1.
    number: u64,
    text: String,
}

/// A result of adding text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Text of the sentence with this number. It is not empty.
    Text(u64, String),
    /// The sentence with this number has ended. All of its text.
    End(u64, String),
}

impl Sentences {
    pub(crate) fn new() -> Sentences {
        Sentences { number: 1, text: String::new() }
    }

    /// The sentences do not depend on how the text is split into pieces. Each character is passed on at once: a
    /// sentence ends before the white space after its full stop, so its end does not depend on the next word.
    pub(crate) fn push(&mut self, text: &str) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut start = 0;
        for (at, char) in text.char_indices() {
            if self.ends_before(char) {
                steps.extend(self.step(&text[start..at]));
                steps.extend(self.finish());
                start = at;
            }
            self.text.push(char);
        }
        steps.extend(self.step(&text[start..]));
        steps
    }

    /// Ends the text, and returns the rest as a sentence, even if it is short.
    pub(crate) fn finish(&mut self) -> Option<Step> {
        let text = std::mem::take(&mut self.text);
        self.number += 1;
        (!text.is_empty()).then_some(Step::End(self.number - 1, text))
    }

    fn step(&self, text: &str) -> Option<Step> {
        (!text.is_empty()).then(|| Step::Text(self.number, text.to_owned()))
    }

    fn ends_before(&self, next: char) -> bool {
        let text = self.text.trim_start();
        if text.len() < SHORTEST {
            return false;
        }
        // A quotation mark or a bracket may follow the full stop.
        let end = text.trim_end_matches(['"', '\'', ')', ']', '”', '’', '»', '*']);
        let is_sentence = end.ends_with(['.', '!', '?', '…', '。', '！', '？']);
        next == '\n' || text.len() >= 2 * LONG || (next.is_whitespace() && (is_sentence || text.len() >= LONG))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the sentences of the text in these pieces.
    fn sentences(pieces: &[&str]) -> Vec<String> {
        let mut sentences = Sentences::new();
        let mut steps: Vec<Step> = pieces.iter().flat_map(|piece| sentences.push(piece)).collect();
        steps.extend(sentences.finish());
        let (mut texts, mut open) = (Vec::new(), String::new());
        for step in steps {
            let expected = texts.len() as u64 + 1;
            match step {
                Step::Text(number, text) => {
                    assert_eq!(number, expected);
                    open += &text;
                }
                Step::End(number, text) => {
                    assert_eq!((number, &text), (expected, &open));
                    texts.push(std::mem::take(&mut open));
                }
            }
        }
        assert_eq!(open, "");
        texts
    }

    #[test]
    fn at_every_cut() {
        let word = "long".repeat(LONG / 4);
        for expected in [
            &["Good morning! This is one sentence.", " This is another one, with 3.5 commas", "\nThe end."][..],
            &["She said: “This is the sentence.”", " And this one is in italics, *is it not?*", " Yes."],
            &[&word, " and on it goes"],
            &[&word.repeat(2), "x"],
            &["日本語の文章です。これはもう一つの文です。", " おわり"],
            &["No."],
            &[],
        ] {
            let text = expected.concat();
            assert_eq!(sentences(&[&text]), expected);
            for (at, _) in text.char_indices() {
                assert_eq!(sentences(&[&text[..at], &text[at..]]), expected, "cut at {at}");
            }
        }
    }
}
