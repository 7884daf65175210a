//! What is in a recording: the chunks as they were sent, their times, and how the answers have ended.

use std::io::Write;
use std::time::{Duration, Instant};

use eventwire_test::{End, Script, TestServer};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;

use crate::record::{Recording, new_file, start};

#[test]
fn chunks_are_recorded_as_they_were_sent() {
    const PAUSE: Duration = Duration::from_millis(300);
    let chunks: [&'static [u8]; 7] =
        [b"id: 1\nda", b"ta: caf", b"\xC3", b"\xA9\n", b"\n", b"\xFF\0\r\ndata: \"2\\\"\n\n", &[b':'; 20_000]];
    let send = |script: Script, chunk: &&'static [u8]| script.send(*chunk);
    let before_the_pause = chunks[..2].iter().fold(Script::new(), send);
    let server = TestServer::new().answer(chunks[2..].iter().fold(before_the_pause.wait(PAUSE), send));
    let file = new_file("chunks");
    let begun = Instant::now();
    start(&[], &server.url(), &file).end().printed("message [1] café\nmessage \"2\\\"\n");
    let elapsed = begun.elapsed();
    let recording = Recording::read(&file);
    // A client may read a large chunk in several parts.
    let found = recording.chunks();
    assert_eq!(found[..6], chunks[..6]);
    assert_eq!(found[6..].concat(), chunks[6]);
    assert_eq!(recording.ends(), ["complete"]);
    let waits: Vec<u64> = recording.all("chunk").iter().map(|chunk| chunk["ms"].as_u64().unwrap()).collect();
    // On a busy machine, other chunks may be late as well.
    assert!(
        waits[2] >= 250 && u128::from(waits.iter().sum::<u64>()) <= elapsed.as_millis(),
        "{waits:?} in {elapsed:?}"
    );
    // The order of the lines.
    let kinds: Vec<&String> = recording.0.iter().flat_map(|line| line.as_object().unwrap().keys()).collect();
    assert_eq!(kinds[..4], ["recording", "request", "response", "chunk"]);
}

#[test]
fn the_heads_of_request_and_response() {
    let answer = [
        ("content-type", "text/event-stream; charset=utf-8"),
        ("date", "x"),
        ("vary", "Origin"),
        ("access-control-allow-origin", "*"),
        ("vary", "Accept"),
        ("x-accel-buffering", "no"),
        ("x-other", "1"),
        ("content-length", "9"),
    ];
    let answer = answer.iter().fold(Script::status(200), |answer, (name, value)| answer.header(*name, *value));
    let server = TestServer::new().answer(answer.send("data: 1\n\n"));
    let file = new_file("heads");
    let end = start(&["--last-event-id", "7", "-H", "X-Own: 1", "-v", "-i"], &server.url(), &file).end();
    let recording = Recording::read(&file);
    let headers = json!([
        ["accept", "text/event-stream"],
        ["accept-encoding", "identity"],
        ["cache-control", "no-cache"],
        ["last-event-id", "7"],
    ]);
    let [request] = recording.all("request")[..] else { panic!("{:?}", recording.0) };
    let mut found = request["headers"].as_array().unwrap().clone();
    found.sort_by_key(ToString::to_string);
    assert_eq!(json!(found), headers);
    assert_eq!((&request["method"], &request["url"]), (&json!("GET"), &json!(server.url())));
    let headers = json!([
        ["content-type", "text/event-stream; charset=utf-8"],
        ["date", "x"],
        ["vary", "Origin"],
        ["vary", "Accept"],
        ["access-control-allow-origin", "*"],
        ["x-accel-buffering", "no"],
    ]);
    assert_eq!(recording.all("response"), [&json!({"status": 200, "headers": headers})]);
    // What is shown is what is recorded.
    let shown = "content-type: text/event-stream; charset=utf-8\ndate: x\nvary: Origin\nvary: Accept\naccess-control-allow-origin: *";
    assert!(end.out.starts_with(&format!("HTTP/1.1 200 OK\n{shown}\nx-accel-buffering: no\n\nmessage ")), "{end:?}");
    assert!(!end.out.contains("x-other") && !end.err.contains("x-other"), "{end:?}");
    let recorded = format!("* recorded 1 answer, 1 chunk, 9 bytes in {file:?}\n");
    assert!(end.err.ends_with(&recorded) && end.err.contains("* vary: Origin\n"), "{end:?}");
}

#[test]
fn a_compressed_stream_is_recorded_compressed() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let mut chunks = Vec::new();
    for text in ["data: 1\n\n", "data: 2\n\n"] {
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.flush().unwrap();
        chunks.push(std::mem::take(encoder.get_mut()));
    }
    chunks.push(encoder.finish().unwrap());
    // Nobody decompresses it, but it was sent.
    chunks.push(b"rest".to_vec());
    let answer = chunks.iter().fold(Script::new().header("content-encoding", "gzip"), |answer, chunk| {
        answer.send(chunk.clone()).wait(Duration::from_millis(20))
    });
    let server = TestServer::new().answer(answer);
    let file = new_file("gzip");
    start(&["-H", "Accept-Encoding: gzip"], &server.url(), &file).end().printed("message 1\nmessage 2\n");
    assert_eq!(server.requests()[0].headers()["accept-encoding"], "gzip");
    let recording = Recording::read(&file);
    assert_eq!(recording.chunks(), chunks);
    assert_eq!(recording.ends(), ["complete"]);
    let headers = &recording.all("response")[0]["headers"];
    assert_eq!(headers[1], json!(["content-encoding", "gzip"]));
    assert!(recording.all("request")[0]["headers"].to_string().contains("[\"accept-encoding\",\"gzip\"]"));
}

/// Lines of JSON are shown as events, and recorded as they are.
#[test]
fn lines_of_json() {
    let lines = Script::status(200).header("content-type", "application/x-ndjson").send("{\"a\":1}\n");
    let server = TestServer::new().answer(lines);
    let file = new_file("lines");
    start(&["--select", "a"], &server.url(), &file).end().printed("1\n");
    let recording = Recording::read(&file);
    assert_eq!(recording.chunks(), [b"{\"a\":1}\n"]);
    assert_eq!(recording.all("response")[0]["headers"], json!([["content-type", "application/x-ndjson"]]));
}

#[test]
fn with_follow_each_connection_is_recorded_refusals_included() {
    // Longer than what is shown of it, and than what a client keeps.
    let page = "x".repeat(40_000);
    let server = TestServer::new().answers([
        Script::new().send("retry: 1\nid: 1\ndata: one\n\n"),
        Script::status(503).header("retry-after", "0").header("content-type", "text/plain").send(page.clone()),
        Script::new().header("content-length", "99").send("id: 2\ndata: two\n\nda"),
        Script::status(302).header("location", "/moved"),
        Script::status(204),
    ]);
    let file = new_file("follow");
    let end = start(&["--follow"], &server.url(), &file).end();
    assert_eq!((end.code, end.out.as_str()), (Some(0), "message [1] one\nmessage [2] two\n"), "{}", end.err);
    assert_eq!(server.requests().len(), 5);
    let recording = Recording::read(&file);
    let statuses: Vec<&serde_json::Value> = recording.all("response").iter().map(|answer| &answer["status"]).collect();
    assert_eq!(statuses, [200, 503, 200, 204]);
    // A redirect is no answer. The request is the one that was answered.
    let requests = recording.all("request");
    assert_eq!((requests.len(), &requests[3]["url"]), (4, &json!(server.url().replace("events", "moved"))));
    let ids: Vec<_> = requests.iter().map(|request| request["headers"].to_string()).collect();
    assert!(!ids[0].contains("last-event-id"), "{ids:?}");
    for (number, id) in [(1, "1"), (2, "1"), (3, "2")] {
        assert!(ids[number].contains(&format!("[\"last-event-id\",\"{id}\"]")), "{ids:?}");
    }
    assert_eq!(recording.ends(), ["complete", "complete", "close"]);
    let body = recording.chunks().concat();
    assert_eq!(String::from_utf8(body).unwrap(), format!("retry: 1\nid: 1\ndata: one\n\n{page}id: 2\ndata: two\n\nda"));
}

#[test]
fn ends() {
    // Between two chunks, and inside one.
    let inside = Script::new().header("transfer-encoding", "chunked").send("f\r\ndata: 1\n\n");
    for answer in [Script::new().send("data: 1\n\n").with_end(End::Close), inside] {
        let server = TestServer::new().answer(answer);
        let file = new_file("close");
        let end = start(&[], &server.url(), &file).end();
        end.failed("message 1\n", &["; run the command again, or use --follow to reconnect"]);
        let recording = Recording::read(&file);
        assert_eq!((recording.chunks().concat(), recording.ends()), (b"data: 1\n\n".to_vec(), vec!["close"]));
    }

    let pause = Duration::from_millis(300);
    let script = || Script::new().send("data: 1\n\n").wait(pause);
    let server = TestServer::new().answer(script().with_end(End::Reset));
    let file = new_file("reset");
    assert_eq!(start(&[], &server.url(), &file).end().code, Some(1));
    assert_eq!(Recording::read(&file).ends(), ["reset"]);

    // A server that is left because it is silent.
    let server = TestServer::new().answer(script().with_end(End::Stall));
    let file = new_file("stall");
    start(&["--timeout", "2"], &server.url(), &file).end().failed("message 1\n", &["no data received"]);
    let recording = Recording::read(&file);
    assert_eq!(recording.ends(), ["stall"]);
    assert!(recording.all("end")[0]["ms"].as_u64().unwrap() >= 1900, "{:?}", recording.0);
}

/// It is in the file when its event is shown.
#[cfg(unix)]
#[test]
fn what_has_arrived_survives_ctrl_c() {
    let answer = Script::new().send("data: 1\n\n").send("data: 2\n\nda").with_end(End::Stall);
    let server = TestServer::new().answer(answer);
    let file = new_file("interrupt");
    let mut program = start(&[], &server.url(), &file);
    for event in ["message 1\n", "message 2\n"] {
        assert_eq!(program.line(), event);
    }
    program.interrupt();
    let end = program.end();
    assert_eq!((end.code, end.out.as_str(), end.err.as_str()), (None, "", ""));
    let recording = Recording::read(&file);
    assert_eq!(
        (recording.chunks(), recording.ends().len()),
        (vec![b"data: 1\n\n".to_vec(), b"data: 2\n\nda".to_vec()], 0)
    );
}

#[test]
fn after_the_last_event_that_is_asked_for_there_is_no_end() {
    let server = TestServer::new().answer(Script::new().send("data: 1\n\ndata: 2\n\n"));
    let file = new_file("count");
    start(&["-n", "1"], &server.url(), &file).end().printed("message 1\n");
    let recording = Recording::read(&file);
    assert_eq!((recording.chunks().concat(), recording.ends().len()), (b"data: 1\n\ndata: 2\n\n".to_vec(), 0));
}
