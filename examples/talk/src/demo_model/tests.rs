//! Tests of the words that the demo model understands, and of its replies.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::*;

fn ask(text: &str, has_tools: bool) -> (String, Vec<Value>) {
    let reply = reply(text, has_tools);
    let calls = reply.tool_calls.iter().map(|call| {
        assert_eq!(call.name, "change_shape");
        serde_json::from_str(&call.arguments).unwrap()
    });
    (reply.content, calls.collect())
}

/// Checks the calls for this text. A coordinate that the text does not name is not in the call.
#[track_caller]
fn check(text: &str, calls: &[Value]) {
    assert_eq!(ask(text, true).1, calls, "{text:?}");
    assert_eq!(ask(&text.to_uppercase(), true).1, calls, "{text:?}, in capitals");
    assert_eq!(ask(text, false).1, [] as [Value; 0], "{text:?}, without tools");
}

#[test]
fn several_shapes_in_a_sentence() {
    let circle = json!({ "shape": "circle", "colour": "red", "size": 150 });
    let square = json!({ "shape": "square", "x": 15 });
    check("Make the circle red and bigger, and move the square to the left", &[circle.clone(), square.clone()]);
    check("Make the circle red and bigger and move the square to the left.", &[circle.clone(), square.clone()]);
    check("Move the square to the left. Make the circle red. And make it bigger!", &[square.clone(), circle.clone()]);
    check("the circle: big, red; the square: left", &[circle, square]);
    let red = |shape| json!({ "shape": shape, "colour": "red" });
    check("Paint the circle and the triangle red.", &[red("circle"), red("triangle")]);
    for all in ["all shapes", "all the shapes", "everything", "every shape", "the circle, the square and the triangle"]
    {
        check(&format!("make {all} red"), &[red("circle"), red("square"), red("triangle")]);
    }
    check("Make the circle red and the square blue", &[red("circle"), json!({ "shape": "square", "colour": "blue" })]);
    check("a red circle and a blue square", &[red("circle"), json!({ "shape": "square", "colour": "blue" })]);
    let top = |shape, colour| json!({ "shape": shape, "colour": colour, "y": 15 });
    check(
        "A red circle, please. Paint the square blue.",
        &[red("circle"), json!({ "shape": "square", "colour": "blue" })],
    );
    check("Put a red circle and a blue square at the top", &[top("circle", "red"), top("square", "blue")]);
    let (left, right) = (json!({ "shape": "circle", "x": 15 }), json!({ "shape": "square", "x": 85 }));
    check("Put the circle on the left and the square on the right", &[left, right]);
}

#[test]
fn colours() {
    let names = [
        "red",
        "orange",
        "yellow",
        "green",
        "turquoise",
        "blue",
        "purple",
        "pink",
        "brown",
        "black",
        "white",
        "grey",
        "gold",
    ];
    for name in names {
        check(&format!("Change the square's color to {name}"), &[json!({ "shape": "square", "colour": name })]);
    }
    for (said, name) in [("gray", "grey"), ("violet", "purple"), ("golden", "gold"), ("teal", "turquoise")] {
        check(&format!("a {said} disc"), &[json!({ "shape": "circle", "colour": name })]);
    }
}

#[test]
fn sizes() {
    for (said, size) in [
        ("a tiny box", 30),
        ("a small square", 60),
        ("make the square smaller", 60),
        ("make the square a little smaller", 60),
        ("shrink the square", 60),
        ("a square of normal size", 100),
        ("make the square a little bigger", 150),
        ("let the square grow", 150),
        ("increase the size of the square", 150),
        ("a large square", 150),
        ("a huge square", 200),
    ] {
        check(said, &[json!({ "shape": "square", "size": size })]);
    }
    let circle = json!({ "shape": "circle", "colour": "red" });
    check("Make the circle red and shrink the square", &[circle.clone(), json!({ "shape": "square", "size": 60 })]);
    check("Make the circle red and reduce the size of the square", &[circle, json!({ "shape": "square", "size": 60 })]);
}

#[test]
fn places() {
    for (said, x, y) in [
        ("to the left", Some(15), None),
        ("a little to the left", Some(15), None),
        ("right", Some(85), None),
        ("to the top", None, Some(15)),
        ("up", None, Some(15)),
        ("down", None, Some(85)),
        ("to the bottom", None, Some(85)),
        ("to the middle", Some(50), Some(50)),
        ("to the centre", Some(50), Some(50)),
        ("to the center", Some(50), Some(50)),
        ("to the top left corner", Some(15), Some(15)),
        ("to the top-right corner", Some(85), Some(15)),
        ("to the lower left", Some(15), Some(85)),
        ("to the bottom right", Some(85), Some(85)),
        ("to the middle of the left side", Some(15), Some(50)),
        ("to the top, in the middle", Some(50), Some(15)),
    ] {
        let (_, calls) = ask(&format!("Move the triangle {said}."), true);
        let [call] = &calls[..] else { panic!("{said:?}: {calls:?}") };
        assert_eq!((call["x"].as_u64(), call["y"].as_u64()), (x, y), "{said:?}");
        assert_eq!(
            (&call["shape"], call.get("size"), call.get("colour")),
            (&json!("triangle"), None, None),
            "{said:?}"
        );
    }
    let circle = json!({ "shape": "circle", "colour": "red" });
    check("Make the circle red and centre the square", &[circle, json!({ "shape": "square", "x": 50, "y": 50 })]);
}

#[test]
fn words_that_are_not_meant() {
    let circle = json!({ "shape": "circle", "colour": "red" });
    for text in [
        "All right, make the circle red",
        "Make the circle red right now",
        "Make the circle red right away!",
        "Make the circle, not the square, red",
        "Don't make the circle blue, make it red",
        "Do not make the circle blue! Make it red!",
        "Don’t move the square, but make all circles red",
        "Make the circle blue. No, red",
    ] {
        check(text, std::slice::from_ref(&circle));
    }
}

#[test]
fn nothing_to_do() {
    for (text, said) in [
        ("", "did not hear a word"),
        (" \n\t...", "did not hear a word"),
        ("Hello, who are you?", "heard you say: “Hello, who are you?”."),
        ("Make it\n  red!", "heard you say: “Make it red”."),
        ("What about the triangle", "it is about the triangle"),
    ] {
        let (content, calls) = ask(text, true);
        assert_eq!(calls, [] as [Value; 0], "{text:?}");
        assert!(content.contains(said) && content.ends_with(ABILITIES), "{content}");
    }
}

#[test]
fn the_reply_describes_the_changes() {
    for (text, said) in [
        ("Make the circle red", "And so the circle becomes red. Now have"),
        (
            "Make the circle red and tiny, at the top",
            "And so the circle becomes tiny and red and moves to the top. Now",
        ),
        (
            "Make the circle and the square red, the triangle to the bottom left",
            "And so the circle and the square become red. Then the triangle moves to the bottom left corner.",
        ),
        ("Centre everything", "And so the circle, the square and the triangle move to the middle."),
    ] {
        let (content, _) = ask(text, true);
        assert!(content.contains(said), "{content}");
    }
}

/// The quote in a chat answer is limited, and the rest is long enough for the user to see it arrive.
#[test]
fn without_tools_it_chats() {
    let long = "word ".repeat(100);
    let giant = "ß".repeat(5_000_000);
    for (text, said) in [
        ("", "You did not write a word"),
        ("Why is the sky blue?", "You wrote: “Why is the sky blue?”."),
        ("Make the circle red.", "You wrote: “Make the circle red”."),
        (&long, "word word…”."),
        (&giant, "ßß…”."),
    ] {
        let (content, _) = ask(text, false);
        let words = content.split_whitespace().count();
        assert!(content.contains(said) && (30..=60).contains(&words) && content.chars().count() < 600, "{content}");
        assert!(ask(text, true).0.chars().count() < 600);
    }
}

/// Texts from all sequences of three of these words. The reply is of the right kind, and the same each time.
#[test]
fn any_text_has_a_reply() {
    let words = [
        "circle",
        "square",
        "triangle",
        "all",
        "everything",
        "red",
        "big",
        "left",
        "right",
        "middle",
        "top",
        "shrink",
        "the",
        "not",
        "and",
        "now",
        "little",
        ",",
        "'",
        "é\u{0}🦀",
        "İ",
        "\"{}\\",
    ];
    let mut contents = HashSet::new();
    for first in words {
        for second in words {
            for third in words {
                let text = format!("{first} {second}-{third} {second} {first}");
                let (content, calls) = ask(&text, true);
                assert_eq!(ask(&text, true), (content.clone(), calls.clone()), "{text:?}");
                let shapes: HashSet<&str> = calls.iter().map(|call| call["shape"].as_str().unwrap()).collect();
                assert_eq!(shapes.len(), calls.len(), "{text:?}");
                for call in &calls {
                    let is_allowed = |(name, value): (&String, &Value)| match name.as_str() {
                        "shape" | "colour" => value.is_string(),
                        "size" => value.as_u64().is_some_and(|size| (10..=200).contains(&size)),
                        "x" | "y" => value.as_u64().is_some_and(|place| place <= 100),
                        _ => false,
                    };
                    let members = call.as_object().unwrap();
                    assert!(members.len() > 1 && members.iter().all(is_allowed), "{text:?}: {call}");
                }
                let sentences = content.matches(['.', '!', '?']).count();
                assert!(calls.is_empty() || (2..=4).contains(&sentences), "{text:?}: {content}");
                contents.insert(content);
            }
        }
    }
    assert!(contents.len() > 500, "{}", contents.len());
}

/// The maximum number of words in a request.
#[test]
fn a_long_text_takes_time_in_proportion() {
    for word in ["red ", "shrink the ", "circle red ", "not, ", "left "] {
        let text = word.repeat((4 << 20) / word.len());
        let (content, _) = ask(&text, true);
        assert!(content.chars().count() < 600, "{content}");
    }
}
