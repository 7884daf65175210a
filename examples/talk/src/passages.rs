//! Splits the model's text into passages, which are spoken one by one.

/// A sentence shorter than this many characters is joined with the next one.
const SHORTEST: usize = 30;
/// A passage with this many characters ends with the current word.
const LONG: usize = 400;
/// The maximum length of a passage, in characters.
const LONGEST: usize = 600;

/// A sentence, or several short sentences. In a text without sentences, it is a line or several hundred characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Passage {
    /// The number of the passage, from 1.
    pub(crate) number: u64,
    pub(crate) text: String,
}

/// A result of adding text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Text of the passage with this number. It is not empty.
    Text(u64, String),
    /// The end of a passage, after all of its text.
    End(Passage),
}

/// Splits text into passages. The result does not depend on how the text is split into pieces. Each character is
/// passed on at once.
///
/// A sentence ends before the white space after its full stop, so that its end does not depend on the next word.
#[derive(Debug)]
pub(crate) struct Passages {
    passage: Passage,
    /// The number of characters in the passage, without the white space at its start.
    length: usize,
    after: After,
}

/// The kind of the last characters. Closing quotation marks after a full stop do not change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    Text,
    /// A full stop, which ends a sentence if white space follows.
    Stop,
    /// A full stop of a script that does not use white space.
    WideStop,
}

impl Passages {
    pub(crate) fn new() -> Passages {
        Passages { passage: Passage { number: 1, text: String::new() }, length: 0, after: After::Text }
    }

    pub(crate) fn push(&mut self, text: &str) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut start = 0;
        for (at, char) in text.char_indices() {
            if self.ends_before(char) {
                steps.extend(self.text(&text[start..at]));
                steps.push(Step::End(self.end()));
                start = at;
            }
            self.add(char);
        }
        steps.extend(self.text(&text[start..]));
        steps
    }

    /// Ends the text. Returns the rest as a passage, however short it is.
    pub(crate) fn finish(&mut self) -> Option<Passage> {
        (!self.passage.text.is_empty()).then(|| self.end())
    }

    fn text(&self, text: &str) -> Option<Step> {
        (!text.is_empty()).then(|| Step::Text(self.passage.number, text.to_owned()))
    }

    fn ends_before(&self, char: char) -> bool {
        let is_end = match char {
            '\n' => true,
            _ if char.is_whitespace() => self.after != After::Text || self.length >= LONG,
            _ => self.after == After::WideStop && !is_closing(char),
        };
        self.length >= LONGEST || (self.length >= SHORTEST && is_end)
    }

    fn add(&mut self, char: char) {
        self.after = match char {
            '.' | '!' | '?' | '…' => After::Stop,
            '。' | '！' | '？' => After::WideStop,
            _ if is_closing(char) => self.after,
            _ => After::Text,
        };
        if self.length > 0 || !char.is_whitespace() {
            self.length += 1;
        }
        self.passage.text.push(char);
    }

    fn end(&mut self) -> Passage {
        let number = self.passage.number;
        let next = Passages { passage: Passage { number: number + 1, text: String::new() }, ..Passages::new() };
        std::mem::replace(self, next).passage
    }
}

/// Whether this character may be between the full stop of a sentence and the white space.
fn is_closing(char: char) -> bool {
    matches!(char, '"' | '\'' | ')' | ']' | '*' | '_' | '”' | '’' | '»' | '」' | '』' | '）')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the passages of the text in these pieces.
    fn passages(pieces: &[&str]) -> Vec<String> {
        let mut passages = Passages::new();
        let mut steps: Vec<Step> = pieces.iter().flat_map(|piece| passages.push(piece)).collect();
        steps.extend(passages.finish().map(Step::End));
        let (mut texts, mut open) = (Vec::new(), String::new());
        for step in steps {
            match step {
                Step::Text(number, text) => {
                    assert!(!text.is_empty());
                    assert_eq!(number, texts.len() as u64 + 1);
                    open += &text;
                }
                Step::End(passage) => {
                    assert_eq!((passage.number, &passage.text), (texts.len() as u64 + 1, &open));
                    texts.push(std::mem::take(&mut open));
                }
            }
        }
        assert_eq!(open, "");
        texts
    }

    #[track_caller]
    fn check(expected: &[&str]) {
        let text = expected.concat();
        let chars: Vec<String> = text.chars().map(String::from).collect();
        assert_eq!(passages(&chars.iter().map(String::as_str).collect::<Vec<_>>()), expected);
        assert_eq!(passages(&[&text]), expected);
        for (at, _) in text.char_indices() {
            assert_eq!(passages(&[&text[..at], &text[at..]]), expected, "cut at {at}");
        }
    }

    #[test]
    fn sentences() {
        check(&[]);
        check(&["Hello"]);
        check(&[
            "This is the first one of them.",
            " This is the second one of them!",
            "  And this the third one of them?",
        ]);
        check(&["The quick brown fox said: “Jump!”", " Then it did just that, it jumped.", " "]);
        check(&["これは三十文字よりも長い文章でなければならないので、もう少し書きます。", "次の文もあります"]);
        check(&["彼は「これは三十文字よりも長い文章でなければならないのです。」", "と言った。"]);
    }

    #[test]
    fn short_sentences_are_joined() {
        check(&["Hello! How are you? I am fine.", " Thank you."]);
        check(&["Twenty-nine characters, 29-9. So this goes on to here.", " Next"]);
        // White space before a passage does not count.
        check(&["     \n    Twenty-nine characters, 29-9. So this goes on.", " Next"]);
    }

    #[test]
    fn no_end_of_a_sentence() {
        check(&["It costs 3.14 dollars at example.org, v1.2 is free", "\nA heading"]);
        check(&["One line\ntwo lines\nthree lines, now", "\nfour"]);
    }

    #[test]
    fn text_without_sentences_is_split_too() {
        let words = "word ".repeat(80).trim_end().to_owned() + "s";
        assert_eq!(words.len(), LONG);
        check(&[&words, " and more"]);
        let word = "x".repeat(LONGEST);
        check(&[&word, &word, "x"]);
    }

    #[test]
    fn a_passage_ends_as_soon_as_its_end_is_certain() {
        let mut passages = Passages::new();
        let text = "This is the first one of them.";
        assert_eq!(passages.push(text), [Step::Text(1, text.into())]);
        let first = Step::End(Passage { number: 1, text: text.into() });
        assert_eq!(passages.push(" "), [first, Step::Text(2, " ".into())]);
    }
}
