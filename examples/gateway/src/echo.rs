//! The model.

use std::iter;

/// The name of the only model.
pub(crate) const MODEL: &str = "echo";

/// What the model says: a text, cut after a maximum number of tokens.
///
/// A token is a word with the white space after it; the first token also has the white space before it. The tokens
/// joined are the text.
pub(crate) struct Echo {
    pub(crate) text: String,
    /// The number of tokens.
    pub(crate) tokens: u64,
    /// Whether the text was longer.
    pub(crate) is_cut: bool,
}

impl Echo {
    pub(crate) fn new(mut text: String, limit: u64) -> Echo {
        let (mut len, mut tokens) = (0, 0);
        while len < text.len() && tokens < limit {
            len += token_len(&text[len..]);
            tokens += 1;
        }
        let is_cut = len < text.len();
        text.truncate(len);
        Echo { text, tokens, is_cut }
    }

    /// Returns the tokens, each made on demand: thousands of streams may be open.
    pub(crate) fn into_tokens(self) -> impl Iterator<Item = String> {
        let mut at = 0;
        iter::from_fn(move || {
            let rest = self.text.get(at..).filter(|rest| !rest.is_empty())?;
            let token = &rest[..token_len(rest)];
            at += token.len();
            Some(token.to_owned())
        })
    }
}

/// Returns the length of the first token of a text that is not empty. Only the first token of an [`Echo`] starts
/// with white space: after that, white space belongs to the token before it.
fn token_len(text: &str) -> usize {
    let word = text.trim_start();
    let space = word.trim_start_matches(|char: char| !char.is_whitespace());
    text.len() - space.trim_start().len()
}

/// Returns the number of words in a text, which counts as the number of tokens of a prompt.
pub(crate) fn words(text: &str) -> u64 {
    text.split_whitespace().map(|_| 1).sum()
}
