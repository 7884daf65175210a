//! What the model answers instead of repeating the prompt.

use std::fmt;
use std::sync::Arc;

/// What the model answers to a chat, instead of repeating the last user message. A clone is the same script.
///
/// ```
/// use gateway::{Reply, Script, Settings};
///
/// let shout = Script::from_fn(|prompt| Reply {
///     content: prompt.text.to_uppercase(),
///     ..Reply::default()
/// });
/// let settings = Settings { script: Some(shout), ..Settings::default() };
/// # let _ = settings;
/// ```
#[derive(Clone)]
pub struct Script(Arc<dyn Fn(Prompt<'_>) -> Reply + Send + Sync>);

/// The question of a chat.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Prompt<'p> {
    /// The last user message.
    pub text: &'p str,
    /// Whether the request has `tools`. Without them the model should not call any.
    pub has_tools: bool,
}

/// An answer to a chat.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// The text.
    pub content: String,
    /// The tools that the model calls after the text, unless the text was truncated at its limit.
    pub tool_calls: Vec<ToolCall>,
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// The name of the function.
    pub name: String,
    /// The arguments, a JSON object. They are streamed unchanged, in pieces.
    pub arguments: String,
}

impl Script {
    /// Returns a script that calls this function for each prompt.
    pub fn from_fn(reply: impl Fn(Prompt<'_>) -> Reply + Send + Sync + 'static) -> Script {
        Script(Arc::new(reply))
    }

    pub(crate) fn reply(&self, prompt: Prompt<'_>) -> Reply {
        (self.0)(prompt)
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script").finish_non_exhaustive()
    }
}
