//! Answers of models that fail, or are truncated, are not taken for complete ones.

use eventwire_test::{End::Stall, Script, TestServer};
use eventwire_test_support::End;

use crate::cli::{reading, start};

const WORDS: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n\
    data: {\"choices\":[{\"delta\":{\"content\":\"lo\"},\"finish_reason\":null}]}\n\n";
const SELECT: &str = "choices.0.delta.content";

/// Runs the program on this stream from a pipe and from a URL, with the same result.
#[track_caller]
fn both(options: &[&str], stream: &str) -> End {
    let piped = reading(options, stream);
    let server = TestServer::new().answer(Script::new().send(stream.to_owned()));
    let fetched = start(&[options, &[&server.url()]].concat()).end();
    assert_eq!((piped.code, &piped.out, &piped.err), (fetched.code, &fetched.out, &fetched.err));
    piped
}

/// With `--select`, nothing else of such an event would be seen.
#[test]
fn select_does_not_hide_an_error() {
    for error in [
        "data: {\"error\":{\"message\":\"over\x1Bloaded\"}}\n\n",
        "data: {\"error\":\"over\x1Bloaded\"}\n\n",
        "event: error\ndata: over\x1Bloaded\n\n",
        "event: error\ndata: {\"message\":\"over\x1Bloaded\"}\n\n",
        "data: {\"type\":\"error\",\"message\":\"over\x1Bloaded\"}\n\n",
    ] {
        let error = if error.contains("{") { error.replace('\x1B', "\\u001b") } else { error.to_owned() };
        for options in [&["--select", SELECT][..], &["--select", SELECT, "--dialect", "openai"]] {
            let end = both(options, &format!("{WORDS}{error}"));
            end.failed("Hello\n", &["eventwire: the server reported an error: ", "loaded"]);
        }
    }
    // What is asked for is printed, and what is no error or of another type is left out.
    reading(&["--select", "error"], "data: {\"error\":\"x\"}\n\n").printed("x\n");
    reading(&["--select", "a"], "data: {\"a\":1}\n\ndata: {\"error\":null}\n\ndata: [DONE]\n\n: ping\n\n")
        .printed("1\n");
    reading(&["--select", "a", "--event", "b"], "event: error\ndata: x\n\nevent: b\ndata: {\"a\":1}\n\n")
        .printed("1\n");
    // If there is nothing else, the error says why.
    both(&["--select", "a"], "data: {\"error\":{\"message\":\"no\"}}\n\n")
        .failed("", &["the server reported an error"]);
}

/// Services send an empty text, or the rest of one, together with an error.
#[test]
fn select_does_not_hide_an_error_beside_the_value() {
    let reported = "\"error\":{\"message\":\"Provider disconnected\"},";
    for (error, said) in [(reported, "reported an error: Provider disconnected"), ("", "reported an error: ")] {
        for (content, printed) in [("\"\"", "Hello\n"), ("\"!\"", "Hello!\n"), ("null", "Hello\nnull\n")] {
            let event = format!(
                "data: {{{error}\"choices\":[{{\"delta\":{{\"content\":{content}}},\"finish_reason\":\"error\"}}]}}\n\n"
            );
            both(&["--select", SELECT], &format!("{WORDS}{event}")).failed(printed, &[said]);
        }
    }
    both(&["--select", "id"], "data: {\"id\":1,\"error\":\"busy\"}\n\n").failed("1\n", &["reported an error: busy"]);
    // The value is a part of the error, or its event is not one of the selected types.
    for (path, error, printed) in [
        ("error.message", "data: {\"error\":{\"message\":\"busy\"},\"choices\":[]}", "busy\n"),
        ("error.code", "data: {\"error\":{\"message\":\"busy\",\"code\":7}}", "7\n"),
        ("message", "event: error\ndata: {\"message\":\"busy\"}", "busy\n"),
        ("message", "data: {\"type\":\"error\",\"message\":\"busy\"}", "busy\n"),
    ] {
        both(&["--select", path], &format!("{error}\n\n")).printed(printed);
    }
    let events = "event: a\ndata: {\"a\":1}\n\ndata: {\"a\":2,\"error\":\"busy\"}\n\n";
    both(&["--select", "a", "--event", "a"], events).printed("1\n");
    // Of a stream that is no model's answer, these are values.
    both(&["--select", "a"], "data: {\"a\":1,\"code\":7,\"message\":\"b\",\"detail\":\"c\"}\n\n").printed("1\n");
}

#[test]
fn an_answer_that_is_truncated() {
    for (dialect, stream) in [
        ("openai", WORDS),
        ("mistral", "data: {}\n\n"),
        ("cohere", "data: {}\n\n"),
        ("openai-responses", "data: {\"type\":\"response.created\"}\n\n"),
        ("anthropic", "event: message_start\ndata: {}\n\n"),
    ] {
        let end = both(&["--dialect", dialect], stream);
        end.failed(&end.out, &["eventwire: the stream is truncated: it ended without "]);
        assert_eq!(end.out.lines().count(), stream.matches("\n\n").count());
    }
    let end = both(&["--dialect", "openai", "--select", ".choices[0].delta.content"], WORDS);
    end.failed("Hello\n", &["the stream is truncated"]);
    // One line: an error says why the end is missing, and so does an event that is cut off.
    let end = both(&["--dialect", "openai"], "data: {}\n\ndata: {\"error\":\"busy\"}\n\n");
    end.failed("message {}\n", &["the server reported an error"]);
    let end = reading(&["--dialect", "openai"], "data: {}\n\ndata: [DONE]\n");
    end.failed("message {}\n", &["the stream is truncated"]);
    let end = both(&["--dialect", "openai"], "data: {}\n\ndata: boom\n\ndata: [DONE]\n\n");
    end.failed("message {}\nmessage [DONE]\n", &["cannot read the data of a `message` event as JSON"]);
    // As many as were asked for.
    both(&["--dialect", "openai", "-n", "1"], "data: 1\n\ndata: 2\n\n").printed("message 1\n");
}

#[test]
fn an_answer_that_is_complete() {
    for (dialect, stream) in [
        ("openai", format!("{WORDS}data: [DONE]\n\n").as_str()),
        ("mistral", "data: {}\n\ndata: [DONE]\n\n"),
        ("cohere", "data: {}\n\nevent: message-end\ndata: {}\n\n"),
        ("openai-responses", "data: {}\n\ndata: {\"type\":\"response.completed\"}\n\n"),
        ("anthropic", "data: {}\n\nevent: ping\ndata: {}\n\nevent: message_stop\ndata: {}\n\n"),
        ("gemini", "data: {}\n\n"),
        ("any-model", "data: {}\n\n"),
    ] {
        let end = both(&["--dialect", dialect], stream);
        end.printed(&end.out);
        assert_eq!(end.out.lines().count(), stream.matches("\n\n").count(), "{dialect}");
    }
}

/// It ends the program, and does not make it reconnect.
#[test]
fn the_end_of_an_answer_ends_the_program() {
    let answer = Script::new().send(WORDS).send("data: [DONE]\n\n").with_end(Stall);
    let server = TestServer::new().answer(answer);
    start(&["--follow", "--dialect", "openai", "--select", SELECT, &server.url()]).end().printed("Hello\n");
}
