//! What is on the wire.

use eventwire::{Comment, Event};
use eventwire_test::{End, Resume, Script, TestServer};

use crate::raw_reader::{RawEnd, exchange, get, get_until_silence};

fn abc() -> Script {
    let events = ["a", "b", "c"].map(|data| Event::new(data).with_id(data.to_uppercase()).unwrap());
    Script::events(events)
}

/// Checks the chunks of the body of an event stream, whether it is complete, and how the connection ends.
#[track_caller]
fn check(script: Script, chunks: &[&str], is_complete: bool, end: RawEnd) {
    let server = TestServer::new().answer(script);
    let raw = if end == RawEnd::Silence {
        get_until_silence(&server.url(), &format!("{}\r\n", chunks[chunks.len() - 1]))
    } else {
        get(&server.url(), "")
    };
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: \
                close\r\n\r\n";
    assert_eq!(raw.head, head);
    let (seen, has_last) = raw.chunks();
    assert_eq!(
        (seen.iter().map(String::as_str).collect::<Vec<_>>(), has_last, raw.end),
        (chunks.to_vec(), is_complete, end)
    );
}

#[test]
fn how_a_response_ends() {
    const A: &str = "id: A\ndata: a\n\n";
    const B: &str = "id: B\ndata: b\n\n";
    const C: &str = "id: C\ndata: c\n\n";
    check(abc(), &[A, B, C], true, RawEnd::Fin);
    check(abc().with_end(End::Close), &[A, B, C], false, RawEnd::Fin);
    check(abc().with_end(End::Stall), &[A, B, C], false, RawEnd::Silence);
    check(abc().cut_after(2), &[A, B], false, RawEnd::Fin);
    check(abc().cut_after(2).with_end(End::Complete), &[A, B], true, RawEnd::Fin);
    check(abc().cut_after(2).with_end(End::Stall), &[A, B], false, RawEnd::Silence);
    check(abc().cut_within(1, 7), &[A, "id: B\nd"], false, RawEnd::Fin);
    check(abc().cut_within(0, 3), &["id:"], false, RawEnd::Fin);
    check(abc().cut_after(0), &[], false, RawEnd::Fin);
    check(abc().cut_after(3), &[A, B, C], false, RawEnd::Fin);
    // There is no such place.
    check(abc().cut_after(4), &[A, B, C], true, RawEnd::Fin);
    check(abc().cut_after(4).with_end(End::Close), &[A, B, C], false, RawEnd::Fin);
    check(Script::new(), &[], true, RawEnd::Fin);
}

/// The client has some milliseconds to read what came before.
#[test]
fn a_reset() {
    check(abc().cut_after(2).with_end(End::Reset), &["id: A\ndata: a\n\n", "id: B\ndata: b\n\n"], false, RawEnd::Rst);
    let server = TestServer::new().answer(Script::raw("").with_end(End::Reset));
    assert_eq!(get(&server.url(), "").end, RawEnd::Rst);
}

#[test]
fn chunks_of_any_size() {
    let script = || Script::events([Event::new("\u{E9}")]).send(": x\n\n");
    check(script(), &["data: <c3><a9>\n\n", ": x\n\n"], true, RawEnd::Fin);
    check(script().chunks_of(7), &["data: <c3>", "<a9>\n\n: x\n", "\n"], true, RawEnd::Fin);
    check(script().chunks_of(1000), &["data: <c3><a9>\n\n: x\n\n"], true, RawEnd::Fin);
    // What comes after a pause is not joined with what is before.
    let paused = Script::new().send("a").wait(std::time::Duration::from_millis(1)).send("bc").send("d");
    check(paused.chunks_of(2), &["a", "bc", "d"], true, RawEnd::Fin);
    check(Script::events([Comment::new("x")]).chunks_of(0), &[":", " ", "x", "\n", "\n"], true, RawEnd::Fin);
    // The place of a cut is one of the body, not of the chunks.
    check(script().chunks_of(4).cut_within(1, 2), &["data", ": <c3><a9>", "\n\n: "], false, RawEnd::Fin);
}

#[test]
fn a_cut_after_an_event_with_any_line_end() {
    for (text, chunk) in [
        ("data: a\r\n\r\ndata: b\r\n\r\n", "data: a\r\n\r\n"),
        ("data: a\r\rdata: b\r\r", "data: a\r\r"),
        (":\n\nid: 1\n\ndata: a\n\n\ndata: b\n\n", ":\n\nid: 1\n\ndata: a\n\n"),
    ] {
        check(Script::new().send(text).cut_after(1), &[chunk], false, RawEnd::Fin);
    }
    // The event is in several chunks.
    check(
        Script::new().send("da").send("ta: a\n").send("\ndata: b\n\n").cut_after(1),
        &["da", "ta: a\n", "\n"],
        false,
        RawEnd::Fin,
    );
}

/// Where a chunk ends is no matter.
#[test]
fn a_place_between_cr_and_lf() {
    for script in [
        Script::new().send("data: a\r\n\r\ndata: b"),
        Script::new().send("data: a\r\n\r").send("\ndata: b"),
        Script::new().send("data: a\r\n\r").send("").send("\n").send("data: b"),
    ] {
        let server = TestServer::new().answer(script.cut_within(1, 1));
        assert_eq!(get(&server.url(), "").chunks().0.concat(), "data: a\r\n\r\nd");
    }
}

/// The end of a recording is that of its whole body.
#[test]
fn a_recording_that_is_cut() {
    let folder = std::env::temp_dir().join(format!("eventwire-test-cut-{}", std::process::id()));
    const RECORDING: &str = "{\"recording\":1}\n{\"response\":{\"status\":200}}\n{\"chunk\":{\"bytes\":\"data: a\\n\\n\"}}\n\
                             {\"chunk\":{\"bytes\":\"data: b\\n\\n\"}}\n";
    for (how, has_last, end) in [("complete", true, RawEnd::Fin), ("reset", false, RawEnd::Rst)] {
        std::fs::write(&folder, format!("{RECORDING}{{\"end\":{{\"how\":\"{how}\"}}}}\n")).unwrap();
        for (cut, expected) in [(1, (1, false, RawEnd::Fin)), (3, (2, has_last, end))] {
            let scripts = Script::read(&folder).unwrap().into_iter().map(|script| script.cut_after(cut));
            let server = TestServer::new().answers(scripts);
            let raw = get(&server.url(), "");
            let (chunks, has_last) = raw.chunks();
            assert_eq!((chunks.len(), has_last, raw.end), expected, "{how} {cut}");
        }
    }
    std::fs::remove_file(folder).unwrap();
}

#[test]
fn the_same_seed_cuts_at_the_same_places() {
    let cut = |seed| {
        let script = Script::new().send("data: 0123456789\n\n".repeat(20)).random_chunks(seed);
        let server = TestServer::new().answer(script);
        get(&server.url(), "").chunks().0
    };
    let first = cut(1);
    assert_eq!((first.concat(), &first), ("data: 0123456789\n\n".repeat(20), &cut(1)));
    let lengths: std::collections::BTreeSet<_> = first.iter().map(String::len).collect();
    assert!(lengths.len() > 5, "{first:?}");
    assert_ne!(first, cut(2));
}

#[test]
fn where_a_stream_continues() {
    let all = "id: A\ndata: a\n\n|id: B\ndata: b\n\n|id: C\ndata: c\n\n";
    for (resume, id, expected) in [
        (Resume::Ignore, "A", all),
        (Resume::Exact, "A", "id: B\ndata: b\n\n|id: C\ndata: c\n\n"),
        (Resume::Exact, "C", ""),
        (Resume::Exact, "", all),
        (Resume::Exact, "unknown", all),
        (Resume::Repeat, "B", "id: B\ndata: b\n\n|id: C\ndata: c\n\n"),
        (Resume::Skip, "A", "id: C\ndata: c\n\n"),
        (Resume::Skip, "C", ""),
    ] {
        let server = TestServer::new().answer(abc().with_resume(resume));
        let raw = get(&server.url(), &format!("Last-Event-ID: {id}\r\n"));
        assert_eq!(
            raw.chunks(),
            (expected.split('|').filter(|text| !text.is_empty()).map(str::to_owned).collect(), true),
            "{resume:?} {id}"
        );
    }
    // With any line end, and if a chunk ends inside an event.
    for (resume, expected) in [
        (Resume::Exact, "id: C\rdata: c\r\r"),
        (Resume::Repeat, "id: B\r\ndata: b\r\n\r\nid: C\rdata: c\r\r"),
        (Resume::Skip, ""),
    ] {
        let script = Script::new().send("id: A\r\ndata: a\r\n\r\nid: B\r\nda").send("ta: b\r\n\r\nid: C\rdata: c\r\r");
        let server = TestServer::new().answer(script.with_resume(resume));
        assert_eq!(get(&server.url(), "Last-Event-ID: B\r\n").chunks().0.concat(), expected, "{resume:?}");
    }
    // A block without data sets an ID too, and an event without one keeps it.
    let script =
        Script::new().send("id: A\n\n:x\n\nretry: 1\n\ndata: b\n\nid: C\ndata: c\n\n").with_resume(Resume::Skip);
    let server = TestServer::new().answer(script);
    assert_eq!(get(&server.url(), "Last-Event-ID: A\r\n").chunks().0, ["id: C\ndata: c\n\n"]);
}

#[test]
fn other_responses() {
    for (script, request, head, rest) in [
        (
            Script::status(503).header("Retry-After", "2"),
            "GET /",
            "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
            "",
        ),
        (Script::status(204), "GET /", "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n", ""),
        (
            Script::status(200).header("content-type", "text/html").header("content-length", "100").send("<p>"),
            "GET /",
            "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 100\r\nconnection: close\r\n\r\n",
            "<p>",
        ),
        (
            Script::status(299).send("x"),
            "POST /",
            "HTTP/1.1 299 \r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n",
            "1\r\nx\r\n0\r\n\r\n",
        ),
        (abc(), "HEAD /", "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n", ""),
        (Script::raw("HTTP/1.1 200\r\n\r\nx"), "GET /", "HTTP/1.1 200\r\n\r\n", "x"),
    ] {
        let server = TestServer::new().answer(script);
        let raw = exchange(&server.url(), &format!("{request} HTTP/1.1\r\n\r\n"));
        assert_eq!(
            (raw.head.as_str(), str::from_utf8(&raw.rest).unwrap(), raw.end),
            (head, rest, RawEnd::Fin),
            "{request}"
        );
    }
    // HTTP/1.0 has no chunks.
    let server = TestServer::new().answer(abc().cut_after(1));
    let raw = exchange(&server.url(), "GET / HTTP/1.0\r\n\r\n");
    assert_eq!(raw.rest, b"id: A\ndata: a\n\n");
}
