//! The model.

use serde::Serialize;

/// The name of the only model.
pub(crate) const MODEL: &str = "echo";

/// A text that is repeated token by token.
///
/// A token is a word with the white space after it; the first token also has the white space before it. The tokens
/// joined are the text. The text is stored once, with a position in it, because thousands of streams may be open.
pub(crate) struct Echo {
    text: Box<str>,
    at: usize,
    tokens: u64,
    limit: u64,
}

/// Why the model stopped.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FinishReason {
    Stop,
    Length,
    ToolCalls,
}

impl Echo {
    /// Repeats this text, up to `limit` tokens of it.
    pub(crate) fn new(text: String, limit: u64) -> Echo {
        Echo { text: text.into_boxed_str(), at: 0, tokens: 0, limit }
    }

    pub(crate) fn next_token(&mut self) -> Option<&str> {
        if !self.has_more() {
            return None;
        }
        let rest = &self.text[self.at..];
        let token = &rest[..token_len(rest)];
        self.at += token.len();
        self.tokens += 1;
        Some(token)
    }

    /// Skips the remaining tokens, up to the limit.
    pub(crate) fn finish(&mut self) {
        while self.next_token().is_some() {}
    }

    /// Returns the text up to the last token that was returned.
    pub(crate) fn said(&self) -> &str {
        &self.text[..self.at]
    }

    /// Returns the complete text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns how many tokens were returned.
    pub(crate) fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Returns whether a token was returned and another one follows.
    pub(crate) fn is_between_tokens(&self) -> bool {
        self.tokens > 0 && self.has_more()
    }

    /// Returns the finish reason that applies after the last token.
    pub(crate) fn finish_reason(&self) -> FinishReason {
        if self.at == self.text.len() { FinishReason::Stop } else { FinishReason::Length }
    }

    fn has_more(&self) -> bool {
        self.at < self.text.len() && self.tokens < self.limit
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
