//! `--follow`: reconnecting.

use std::io::Write;
use std::sync::mpsc;

use eventwire_test_support::Script;

use crate::{EVENT_STREAM, fails, one_line, start};

const NO_CONTENT: &str = "HTTP/1.1 204 No Content\r\n\r\n";

#[test]
fn it_continues_after_the_last_event_until_a_204() {
    let script = Script::new(&[
        &format!("{EVENT_STREAM}retry: 1\nid: 1\ndata: one\n\n"),
        &format!("{EVENT_STREAM}id: é 2\ndata: two\n\ndata: cut o"),
        &format!("{EVENT_STREAM}data: three\n\n"),
        NO_CONTENT,
    ]);
    let end = start(&["--follow", &script.url]).end();
    assert_eq!((end.code, end.out.as_str()), (Some(0), "message [1] one\nmessage [é 2] two\nmessage [é 2] three\n"));
    notes(&end.err, &["eventwire: the connection ended"; 3]);
    let ids: Vec<String> = script.requests().iter().map(|request| request.header("last-event-id").join("|")).collect();
    assert_eq!(ids, ["", "1", "é 2", "é 2"]);
}

#[test]
fn a_204_to_the_first_request_is_not_a_failure() {
    for option in ["--follow", "-f"] {
        let script = Script::new(&[NO_CONTENT, NO_CONTENT]);
        start(&[option, &script.url]).end().printed("");
        assert_eq!(script.requests().len(), 1);
    }
}

#[test]
fn retry_after_is_the_delay() {
    let script = Script::new(&[
        &format!("{EVENT_STREAM}retry: 1\ndata: one\n\n"),
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 0\r\n\r\n{\"error\": {\"message\": \"no \\u001b[2J\\n room\"}}",
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n\r\n",
        &format!("{EVENT_STREAM}data: two\n\n"),
        NO_CONTENT,
    ]);
    let end = start(&["--follow", &script.url]).end();
    assert_eq!((end.code, end.out.as_str()), (Some(0), "message one\nmessage two\n"));
    let answered = format!("eventwire: {} answered 503 Service Unavailable", script.url);
    let said = format!("{answered}: no \\u{{1b}}[2J room");
    notes(&end.err, &["eventwire: the connection ended", &said, &answered, "eventwire: the connection ended"]);
    // At least the delay that it asks for, and at most a quarter more.
    let is_the_delay =
        ["1.0", "1.1", "1.2", "1.3"].map(|seconds| format!("Unavailable; reconnecting in {seconds} s\n"));
    assert!(is_the_delay.iter().any(|words| end.err.contains(words)), "{:?}", end.err);
    assert_eq!(script.requests().len(), 5);
}

#[test]
fn it_reconnects_after_a_lost_connection() {
    let script = Script::new(&[
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 1000\r\n\r\nretry: 1\ndata: one\n\n",
        NO_CONTENT,
    ]);
    let end = start(&["--follow", &script.url]).end();
    assert_eq!((end.code, end.out.as_str()), (Some(0), "message one\n"));
    notes(&end.err, &["eventwire: connection lost: "]);
}

#[test]
fn a_permanent_refusal_ends_it() {
    let script = Script::new(&[
        &format!("{EVENT_STREAM}retry: 1\nid: a\"\x7F\ndata: one\n\nid: a\"b\ndata: two\n\n"),
        "HTTP/1.1 410 Gone\r\n\r\nthe\r\nstream is \x07 no more",
        &format!("{EVENT_STREAM}data: not asked for\n\n"),
    ]);
    let end = start(&["--follow", &script.url]).end();
    assert_eq!((end.code, end.out.as_str()), (Some(1), "message [a\"\\u{7f}] one\nmessage [a\"b] two\n"));
    let (note, refusal) = end.err.split_once('\n').unwrap();
    notes(&format!("{note}\n"), &["eventwire: the connection ended"]);
    one_line(
        refusal,
        &[
            &format!("{} answered 410 Gone: the stream is \\u{{7}} no more; check the path of the URL", script.url),
            "; continue with --last-event-id \"a\\\"b\"",
        ],
    );
    assert_eq!(script.requests().len(), 2);

    // Without an event there is no ID to continue from.
    let script = Script::new(&["HTTP/1.1 404 Not Found\r\n\r\n"]);
    fails(&["--follow", "--last-event-id", "7", &script.url], &["answered 404 Not Found; check the path of the URL\n"]);
    assert_eq!(script.requests().len(), 1);
}

#[test]
fn an_id_that_cannot_be_sent_ends_it() {
    let script = Script::new(&[&format!("{EVENT_STREAM}retry: 1\nid: \x1B\ndata: one\n\n")]);
    let end = start(&["--follow", &script.url]).end();
    assert_eq!((end.code, end.out.as_str()), (Some(1), "message [\\u{1b}] one\n"));
    one_line(&end.err, &["last event ID", "control character"]);
    assert_eq!(script.requests().len(), 1);
}

#[test]
fn an_event_that_is_too_large_sets_the_exit_code() {
    let large = ".".repeat(16 << 20);
    let script = Script::new(&[&format!("{EVENT_STREAM}retry: 1\ndata: {large}\n\ndata: two\n\n"), NO_CONTENT]);
    let end = start(&["--follow", &script.url]).end();
    assert_eq!((end.code, end.out.as_str()), (Some(1), "message two\n"));
    let (large, note) = end.err.split_once('\n').unwrap();
    assert!(large.contains("more than 16777216 bytes"), "{large:?}");
    notes(note, &["eventwire: the connection ended"]);
}

#[test]
fn it_ends_quietly_when_the_output_is_closed() {
    let (go, wait) = mpsc::channel::<()>();
    let script = Script::with(move |place, mut client| {
        if place == 1 {
            wait.recv().unwrap();
        }
        client.write_all(format!("{EVENT_STREAM}retry: 1\ndata: {place}\n\n").as_bytes()).unwrap();
    });
    let mut program = start(&["--follow", &script.url]);
    assert_eq!(program.line(), "message 0\n");
    program.hang_up();
    go.send(()).unwrap();
    let end = program.end();
    assert_eq!(end.code, Some(0));
    notes(&end.err, &vec!["eventwire: the connection ended"; script.requests().len() - 1]);
}

#[test]
fn without_follow_there_is_one_request() {
    let cut_off = EVENT_STREAM.replace("\r\n\r\n", "\r\nContent-Length: 99\r\n\r\n");
    let id = "retry: 1\nid: 1\ndata: one\n\n";
    let answers: [(String, &str, &[&str]); 5] = [
        (format!("{EVENT_STREAM}{id}"), "message [1] one\n", &[]),
        (format!("{EVENT_STREAM}event: a\ndata\n\n"), "a \n", &[]),
        ("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 0\r\n\r\n".into(), "", &["--follow"]),
        (
            format!("{cut_off}{id}"),
            "message [1] one\n",
            &["connection lost: ", "; continue with --last-event-id \"1\"\n"],
        ),
        (format!("{cut_off}retry: 1\n\n"), "", &["connection lost: ", "use --follow to reconnect\n"]),
    ];
    for (answer, out, said) in answers {
        let script = Script::new(&[&answer, &answer]);
        let end = start(&[&script.url]).end();
        if said.is_empty() {
            end.printed(out);
        } else {
            end.failed(out, said);
        }
        assert_eq!(script.requests().len(), 1, "{answer:?}");
    }
}

/// Checks that there is one line for each reconnection, with its reason and delay.
#[track_caller]
fn notes(err: &str, whys: &[&str]) {
    let lines: Vec<&str> = err.lines().collect();
    assert_eq!(lines.len(), whys.len(), "{err:?}");
    for (line, why) in lines.into_iter().zip(whys) {
        let (what, delay) = line.split_once("; reconnecting in ").expect(line);
        assert!(what.starts_with(why) && !line.contains(char::is_control), "{why:?} in {line:?}");
        let seconds: f32 = delay.strip_suffix(" s").expect(line).parse().expect(line);
        assert!((0.1..=1.3).contains(&seconds), "{line:?}");
    }
}
