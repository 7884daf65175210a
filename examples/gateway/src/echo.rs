//! The model.

use serde::Serialize;

/// A text that is said again, token by token.
///
/// A token is a word with the white space behind it; the first has the white space before it too. Put together, the tokens
/// are the text. The text is held once, with a position in it: thousands of streams may stand open.
pub(super) struct Echo {
    text: Box<str>,
    at: usize,
    tokens: usize,
    limit: usize,
}

/// Why nothing more is said.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FinishReason {
    Stop,
    Length,
}

impl Echo {
    /// `limit` is how many tokens are said at most.
    pub(super) fn new(text: String, limit: usize) -> Echo {
        Echo { text: text.into_boxed_str(), at: 0, tokens: 0, limit }
    }

    pub(super) fn next_token(&mut self) -> Option<&str> {
        if !self.has_more() {
            return None;
        }
        let rest = &self.text[self.at..];
        let token = &rest[..token_len(rest)];
        self.at += token.len();
        self.tokens += 1;
        Some(token)
    }

    /// Says all that is left, up to the limit.
    pub(super) fn finish(&mut self) {
        while self.next_token().is_some() {}
    }

    /// What has been said.
    pub(super) fn said(&self) -> &str {
        &self.text[..self.at]
    }

    /// How many tokens have been said.
    pub(super) fn tokens(&self) -> usize {
        self.tokens
    }

    /// Whether a token has been said, and another will be.
    pub(super) fn is_between_tokens(&self) -> bool {
        self.tokens > 0 && self.has_more()
    }

    /// What is to be said when no token is left.
    pub(super) fn finish_reason(&self) -> FinishReason {
        if self.at == self.text.len() { FinishReason::Stop } else { FinishReason::Length }
    }

    fn has_more(&self) -> bool {
        self.at < self.text.len() && self.tokens < self.limit
    }
}

/// How long the first token is, of a text that is not empty. Only a text's beginning has white space in front of it: further
/// on it has gone with the token before.
fn token_len(text: &str) -> usize {
    let word = text.trim_start();
    let space = word.trim_start_matches(|char: char| !char.is_whitespace());
    text.len() - space.trim_start().len()
}

/// How many words there are in a text, which is how the tokens of a prompt are counted.
pub(super) fn words(text: &str) -> usize {
    text.split_whitespace().count()
}
