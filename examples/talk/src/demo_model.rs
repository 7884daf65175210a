//! The page's demo model, which understands a few words about three shapes.

mod change;
mod request;
mod vocabulary;

use gateway::{Prompt, Reply, Script, ToolCall};

use self::change::{Change, sentence};
use self::request::changes;

/// The name of the tool that the model calls.
const TOOL: &str = "change_shape";
/// The limits on a quote of the prompt: words and characters.
const REPEATED: (usize, usize) = (15, 200);

const ABILITIES: &str = "I can change the colour, the size and the place of a circle, a square and a triangle.";

pub(crate) fn script() -> Script {
    Script::from_fn(|Prompt { text, has_tools, .. }| reply(text, has_tools))
}

/// Returns the reply to a prompt. It depends only on the arguments.
fn reply(text: &str, has_tools: bool) -> Reply {
    let quote = quote(text);
    if !has_tools {
        return Reply { content: chat(&quote), ..Reply::default() };
    }
    let changes = changes(text);
    let (asked, unclear): (Vec<Change>, Vec<Change>) = changes.into_iter().partition(|change| !change.is_empty());
    let content = match (&asked[..], &unclear[..]) {
        ([], []) => match quote.as_str() {
            "" => format!("I did not hear a word, so I have changed nothing. {ABILITIES}"),
            quote => format!("Thank you, I heard you say: “{quote}”. {ABILITIES}"),
        },
        ([], [unclear, ..]) => {
            let name = unclear.shape.name();
            format!("I see that it is about the {name}, but I do not know what to do with it. {ABILITIES}")
        }
        (asked, _) => carried_out(asked),
    };
    let call = |change: &Change| ToolCall { name: TOOL.into(), arguments: change.arguments() };
    Reply { content, tool_calls: asked.iter().map(call).collect() }
}

/// Describes the changes. Each sentence is long enough to be spoken separately.
fn carried_out(asked: &[Change]) -> String {
    let mut content = String::from("All right, I know what you would like to see.");
    // Shapes with the same change share a sentence.
    for (place, alike) in asked.chunk_by(Change::is_like).enumerate() {
        let first = if place == 0 { "And so" } else { "Then" };
        content += &format!(" {first} {}.", sentence(alike));
    }
    if asked.len() < 3 {
        content += " Now have a look at the stage, please.";
    }
    content
}

/// Returns an answer without tool calls. It is long enough for the user to see it arrive.
fn chat(quote: &str) -> String {
    let heard = match quote {
        "" => "You did not write a word, but I answer anyway.".into(),
        quote => format!("You wrote: “{quote}”."),
    };
    format!(
        "{heard} I am only the demo of this server, so I do not know much about that. But each of these words is a separate \
         event: watch them arrive, one after the other, as they would from a real model."
    )
}

/// Quotes the prompt on one line, without the full stop. A long prompt is shortened.
fn quote(text: &str) -> String {
    let (words, chars) = REPEATED;
    let all: Vec<&str> = text.split_whitespace().collect();
    let line = all[..all.len().min(words)].join(" ");
    let short: String = line.chars().take(chars).collect();
    if short.len() < line.len() || all.len() > words {
        return format!("{}…", short.trim_end_matches(is_end));
    }
    short.trim_end_matches(is_end).into()
}

fn is_end(char: char) -> bool {
    matches!(char, '.' | '!' | ',' | ';' | ' ')
}

#[cfg(test)]
mod tests;
