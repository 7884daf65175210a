//! The demo model, which knows a few words about three shapes.

use std::time::Duration;

use eventwire::Event;
use futures_util::{Stream, StreamExt, stream};
use serde_json::{Map, Value, json};
use tokio::time::sleep;

use crate::conversation::Conversation;

/// The delay before each word, so that one can see the words arrive.
const DELAY: Duration = Duration::from_millis(40);
/// The maximum number of words in a quote of the question.
const QUOTED: usize = 15;

const SHAPES: [&str; 3] = ["circle", "square", "triangle"];
const COLOURS: [&str; 12] =
    ["red", "orange", "yellow", "green", "turquoise", "blue", "purple", "pink", "brown", "black", "white", "gold"];
/// Words for the other properties of a shape, in per cent of its normal size, or of the stage.
const PROPERTIES: [(&str, &str, u8); 14] = [
    ("tiny", "size", 30),
    ("small", "size", 60),
    ("smaller", "size", 60),
    ("big", "size", 150),
    ("bigger", "size", 150),
    ("large", "size", 150),
    ("huge", "size", 200),
    ("left", "x", 15),
    ("right", "x", 85),
    ("top", "y", 15),
    ("up", "y", 15),
    ("bottom", "y", 85),
    ("down", "y", 85),
    ("middle", "x", 50),
];

/// Returns the events of the answer: word by word, then the tool calls, then the end marker.
pub(crate) fn answer(conversation: &Conversation) -> impl Stream<Item = Event> + Send + use<> {
    let question = conversation.question();
    let calls = if conversation.has_tools() { calls(question) } else { Vec::new() };
    let text = text(question, conversation.has_tools(), &calls);
    let mut deltas: Vec<Value> = text.split_inclusive(' ').map(|word| json!({ "content": word })).collect();
    if !calls.is_empty() {
        let call = |(index, arguments): (usize, Map<String, Value>)| {
            let function = json!({ "name": "change_shape", "arguments": Value::Object(arguments).to_string() });
            json!({ "index": index, "id": format!("call-{index}"), "type": "function", "function": function })
        };
        let calls: Vec<Value> = calls.into_iter().enumerate().map(call).collect();
        deltas.push(json!({ "tool_calls": calls }));
    }
    let chunks = stream::iter(deltas).then(|delta| async move {
        sleep(DELAY).await;
        Event::new(json!({ "choices": [{ "index": 0, "delta": delta }] }).to_string())
    });
    chunks.chain(stream::iter([Event::new("[DONE]")]))
}

/// Each sentence is long enough to be spoken on its own, and the answer long enough to watch it arrive.
fn text(question: &str, has_tools: bool, calls: &[Map<String, Value>]) -> String {
    let mut words: Vec<&str> = question.split_whitespace().collect();
    let end = if words.len() > QUOTED { "…" } else { "" };
    words.truncate(QUOTED);
    let quote = format!("“{}{end}”", words.join(" ").trim_end_matches(['.', '!', ',', ';']));
    if !has_tools {
        return format!(
            "You wrote: {quote}. I am only the demo of this server, so I do not know much about that. But each of these \
             words is a separate event: watch them arrive, one after the other, as they would from a real model."
        );
    }
    if calls.is_empty() {
        return format!(
            "Thank you, I heard you say: {quote}. I can change the colour, the size and the place of a circle, a square \
             and a triangle."
        );
    }
    let mut text = String::from("All right, I know what you would like to see.");
    for call in calls {
        let value = |name: &str| call.get(name).map(|value| value.as_str().map_or(value.to_string(), String::from));
        let shape = value("shape").unwrap_or_default();
        let done = [
            value("colour").map(|colour| format!("becomes {colour}")),
            value("size").map(|size| format!("gets {size} per cent of its size")),
            (call.contains_key("x") || call.contains_key("y")).then(|| "moves to its new place".into()),
        ];
        let done: Vec<String> = done.into_iter().flatten().collect();
        text += &format!(" And so the {shape} {}.", done.join(" and "));
    }
    text + " Now have a look at the stage, please."
}

/// Returns the arguments of a call for each shape that the question wants to change.
///
/// The question is cut into phrases, at punctuation and at `and`. A phrase without a shape is about the shapes of the
/// phrase before it, `the circle red and bigger`. A phrase with a shape only is about what the next one says,
/// `the circle and the square blue`.
fn calls(question: &str) -> Vec<Map<String, Value>> {
    let question = question.to_lowercase().replace([',', '.', ';', ':', '!', '?'], " and ");
    let mut calls: Vec<Map<String, Value>> = Vec::new();
    let mut about: Vec<&str> = Vec::new();
    let mut is_described = true;
    for phrase in question.split(" and ") {
        let words = || phrase.split_whitespace();
        let is_all = words().any(|word| matches!(word, "all" | "everything" | "shapes"));
        let shapes = SHAPES.into_iter().filter(|shape| is_all || words().any(|word| word == *shape));
        let shapes: Vec<&str> = shapes.collect();
        let described: Vec<(&str, Value)> = words().filter_map(property).collect();
        if is_described && !shapes.is_empty() {
            about.clear();
        }
        about.extend(&shapes);
        if !shapes.is_empty() || !described.is_empty() {
            is_described = !described.is_empty();
        }
        for shape in about.iter().filter(|_| is_described) {
            let place = calls.iter().position(|call| call["shape"] == **shape).unwrap_or_else(|| {
                calls.push(Map::from_iter([("shape".into(), json!(shape))]));
                calls.len() - 1
            });
            calls[place].extend(described.iter().map(|(name, value)| ((*name).into(), value.clone())));
        }
    }
    calls.retain(|call| call.len() > 1);
    calls
}

fn property(word: &str) -> Option<(&'static str, Value)> {
    if let Some(colour) = COLOURS.iter().find(|colour| **colour == word) {
        return Some(("colour", json!(colour)));
    }
    let (_, name, value) = PROPERTIES.iter().find(|(name, ..)| *name == word)?;
    Some((name, json!(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the calls for a question.
    #[track_caller]
    fn check(question: &str, expected: Value) {
        assert_eq!(json!(calls(question)), expected, "{question}");
    }

    #[test]
    fn the_questions_of_the_page() {
        let circle = json!({ "shape": "circle", "colour": "red", "x": 15 });
        check("A red circle on the left", json!([circle]));
        check(
            "A big green triangle at the top",
            json!([{ "shape": "triangle", "colour": "green", "size": 150, "y": 15 }]),
        );
        check("A small square at the bottom left", json!([{ "shape": "square", "size": 60, "x": 15, "y": 85 }]));
    }

    #[test]
    fn several_shapes() {
        let (red, blue) =
            (json!({ "shape": "circle", "colour": "red" }), json!({ "shape": "square", "colour": "blue" }));
        check("A red circle and a BLUE square.", json!([red, blue]));
        check("Make the circle red. Paint the square blue!", json!([red, blue]));
        check("the circle and the square blue", json!([{ "shape": "circle", "colour": "blue" }, blue]));
        check("Make the circle red and move it to the left", json!([{ "shape": "circle", "colour": "red", "x": 15 }]));
        check("Everything blue", json!(SHAPES.map(|shape| json!({ "shape": shape, "colour": "blue" }))));
        check("What about the circle? And a cube?", json!([]));
    }
}
