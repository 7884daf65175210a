//! Servers with one fault each: it is named with its cure, and nothing else is.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use eventwire_test::{End, Script, TestServer};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::check::server::{Request, header, last_id, right};
use crate::check::{check, found, is_about_times};

type Respond = fn(&Request) -> Script;

/// For how long streams are watched that do not end. It is more than a busy machine needs to answer and to send events.
const TIME: &str = "5";

/// Between the events of a stream that does not end.
const PAUSE: Duration = Duration::from_millis(100);

/// Checks that exactly this is found, and that the text names all of these. Returns the whole output.
#[track_caller]
fn fault(options: &[&str], answer: Respond, expected: &[&str], said: &[&str]) -> String {
    let server = TestServer::new().answer_with(answer);
    let url = server.url();
    // The last option of several counts.
    let args = [&["--time", TIME], options, &[&url]].concat();
    // A machine that is very busy may delay what shows a fault by a second, but not each time.
    let tries = if expected.iter().any(|finding| is_about_times(finding)) { 3 } else { 1 };
    let mut all = (1..tries).map(|_| found(&args, expected));
    let is_expected = |(codes, _): &(Vec<String>, String)| codes == expected;
    let (codes, out) = all.find(is_expected).unwrap_or_else(|| found(&args, expected));
    assert_eq!(codes, expected, "{out}");
    for words in said {
        // In a text of JSON, quotes are escaped.
        let is_said = out.contains(words) || out.contains(&words.replace('"', "\\\""));
        assert!(is_said, "{words:?} in {out}");
    }
    out
}

/// Checks that this is said with a time of at least this number of seconds. How much more it is depends on the machine.
#[track_caller]
fn at_least(seconds: f64, before: &str, out: &str) {
    let (_, after) = out.split_once(before).unwrap_or_else(|| panic!("{before:?} in {out}"));
    let number: f64 = after.split(' ').next().unwrap().parse().unwrap_or_else(|_| panic!("{after}"));
    assert!(number >= seconds, "{before:?} {number} s in {out}");
}

/// Returns the last line of the output.
fn summary(out: &str) -> serde_json::Value {
    serde_json::from_str(out.lines().last().unwrap()).unwrap()
}

/// All at the same time, because each waits most of the time.
#[test]
fn servers_with_one_fault_each() {
    let faults: [fn(); 28] = [
        nothing,
        held_back_until_the_end,
        compression_that_delays_events,
        compression_that_is_flushed,
        brotli_that_is_flushed,
        an_answer_that_changes_with_compression,
        compression_that_is_broken_or_was_not_asked_for,
        compression_without_an_event,
        what_a_browser_does_not_accept,
        lines_of_json,
        a_refusal_with_its_reason,
        a_page_is_not_watched,
        the_last_lines,
        a_text_whose_line_breaks_were_not_split,
        no_blank_line_after_the_last_event,
        silence,
        headers_that_come_late,
        headers_that_do_not_come,
        a_server_that_repeats_or_skips_events,
        a_server_that_keeps_few_events,
        a_server_that_resumes_with_204,
        a_finished_stream_that_begins_anew,
        a_page_of_another_origin,
        headers_of_a_document,
        a_connection_that_breaks,
        the_protocol_of_a_model,
        a_header_does_not_reach_the_terminal,
        a_finding_is_one_line,
    ];
    thread::scope(|scope| {
        for fault in faults {
            scope.spawn(fault);
        }
    });
}

fn event(number: u64) -> String {
    format!("id: {number}\ndata: event {number}\n\n")
}

/// Returns the events after the one that the client has, up to this one, and 204 if there is none.
fn finite(request: &Request, last: u64) -> Script {
    if last_id(request) >= last {
        return Script::status(204);
    }
    (last_id(request) + 1..=last).map(event).fold(right(), Script::send)
}

/// Returns [`numbers`].
fn endless(request: &Request) -> Script {
    numbers(request, right())
}

/// Adds the events after the one that the client has: five at once, and then one every 100 ms, for longer than any check
/// lasts.
fn numbers(request: &Request, answer: Script) -> Script {
    let first = last_id(request) + 1;
    (first..first + 1_000).fold(answer, |answer, number| {
        let answer = answer.send(event(number));
        if number > 5 { answer.wait(PAUSE) } else { answer }
    })
}

/// The head of a right response and this chunk. In one piece, they arrive at the same time.
fn at_once(chunk: &str) -> String {
    let length = chunk.len();
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nConnection: close\r\n\
         Transfer-Encoding: chunked\r\n\r\n{length:x}\r\n{chunk}\r\n"
    )
}

/// Returns a response with these texts.
fn texts(texts: &[&'static str]) -> Script {
    texts.iter().copied().fold(right(), Script::send)
}

/// Returns a response of this content type, without a body.
fn typed(content_type: &str) -> Script {
    Script::status(200).header("content-type", content_type).header("cache-control", "no-cache")
}

/// Returns a compressed response of these texts, one every 100 ms. `compressed` takes what is sent from the encoder.
fn gzip(texts: impl Iterator<Item = String>, compressed: fn(&mut GzEncoder<Vec<u8>>) -> Vec<u8>) -> Script {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    texts.fold(right().header("content-encoding", "gzip"), |answer, text| {
        encoder.write_all(text.as_bytes()).unwrap();
        answer.send(compressed(&mut encoder)).wait(PAUSE)
    })
}

fn flushed(encoder: &mut GzEncoder<Vec<u8>>) -> Vec<u8> {
    encoder.flush().unwrap();
    std::mem::take(encoder.get_mut())
}

fn nothing() {
    fault(&[], endless, &[], &["\"not_judged\":\"silence\""]);
    fault(&[], |request| finite(request, 7), &[], &[]);
}

fn held_back_until_the_end() {
    fault(
        &["--time", "50"],
        |request| {
            if last_id(request) > 0 {
                return finite(request, 5);
            }
            let chunk = at_once("data: 1\n\ndata: 2\n\ndata: 3\n\nid: 4\ndata: 4\n\nid: 5\ndata: 5\n\n");
            Script::raw("").wait(Duration::from_millis(2_300)).send(chunk).send("0\r\n\r\n")
        },
        &["fail held-back"],
        &[
            "all 5 events arrived at once, when the stream ended",
            "X-Accel-Buffering: no",
            "a proxy that no header names",
        ],
    );
}

fn compression_that_delays_events() {
    let answer: Respond = |request| match header(request, "accept-encoding") {
        // A server that does not flush sends what the encoder gives, at first its header.
        Some("gzip, br") => gzip((1..1_000).map(event), |encoder| std::mem::take(encoder.get_mut())),
        _ => endless(request),
    };
    let out = fault(&[], answer, &["fail compression"], &["Cache-Control: no-cache, no-transform"]);
    at_least(6.0, "no event arrived in ", &out);
}

fn compression_that_is_flushed() {
    let answer: Respond = |request| match header(request, "accept-encoding") {
        Some("gzip, br") => gzip((last_id(request) + 1..1_000).map(event), flushed),
        _ => endless(request),
    };
    fault(&[], answer, &[], &[]);
}

/// Brotli without compression: each event is a metablock of its own, which ends with its last byte.
fn brotli_that_is_flushed() {
    let answer: Respond = |request| {
        if header(request, "accept-encoding") != Some("gzip, br") {
            return endless(request);
        }
        let first = last_id(request) + 1;
        (first..1_000).fold(right().header("content-encoding", "br"), |answer, number| {
            let event = event(number);
            // From the lowest bit: it is not the last, its length has 16 bits, its length less one, it is as it is.
            let header = (u32::try_from(event.len()).unwrap() - 1) << 3 | 1 << 19;
            // The very first bit says that the window has 64 KiB.
            let header = if number == first { header << 1 } else { header };
            answer.send([&header.to_le_bytes()[..3], event.as_bytes()].concat()).wait(PAUSE)
        })
    };
    fault(&[], answer, &[], &[]);
}

fn an_answer_that_changes_with_compression() {
    let answer: Respond = |request| match header(request, "accept-encoding") {
        Some("gzip, br") => Script::raw("").with_end(End::Stall),
        _ => endless(request),
    };
    let out = fault(&[], answer, &["fail compression"], &[]);
    at_least(6.0, "with `Accept-Encoding: gzip, br`, no headers arrived in ", &out);

    let answer: Respond = |request| match header(request, "accept-encoding") {
        Some("gzip, br") => Script::status(500),
        _ => endless(request),
    };
    fault(&[], answer, &["fail compression"], &["the response has the status 500 Internal Server Error"]);

    // This coding is none.
    fault(&[], |request| numbers(request, right().header("content-encoding", "identity")), &[], &[]);
}

fn compression_that_is_broken_or_was_not_asked_for() {
    let answer: Respond = |request| match header(request, "accept-encoding") {
        Some("gzip, br") => {
            right().header("content-encoding", "br").send("data: this is not brotli\n\n").with_end(End::Close)
        }
        _ => endless(request),
    };
    fault(&[], answer, &["fail compression"], &["the response cannot be decompressed"]);

    let answer: Respond = |_| gzip(["data: 1\n\n".to_owned()].into_iter(), flushed).with_end(End::Stall);
    fault(&[], answer, &["warn compressed-unasked"], &["Accept-Encoding: identity", "\"events\":1"]);

    // The header of gzip.
    let answer: Respond = |_| gzip([String::new()].into_iter(), flushed).with_end(End::Stall);
    let out = fault(&[], answer, &["fail compression", "warn compressed-unasked"], &[]);
    at_least(5.0, "no event arrived in ", &out);
}

/// Without an event, only a compressor that gives nothing at all is known to hold events back.
fn compression_without_an_event() {
    let not_judged = "{\"not_judged\":\"compression\",\"why\":\"no events to compare\"}";
    let answer: Respond = |_| gzip((0..1_000).map(|_| ": ping\n\n".to_owned()), flushed);
    fault(&[], answer, &["warn compressed-unasked"], &[not_judged]);
    let answer: Respond = |_| right().header("content-encoding", "gzip").send("this is not gzip");
    fault(&[], answer, &["fail broken", "warn compressed-unasked"], &[not_judged]);
}

/// Some kilobytes of brotli, which are 4 GiB of comments. Only what is decompressed in the time of the check is judged.
#[test]
fn compression_that_expands() {
    let answer = right().header("content-encoding", "br").send(&include_bytes!("comments.br")[..]);
    let server = TestServer::new().answer_with(move |_| answer.clone());
    let (codes, out) = found(&["--time", "2", &server.url()], &[]);
    assert_eq!(codes, ["warn compressed-unasked"], "{out}");
    assert!((1..4 << 30).contains(&summary(&out)["bytes"].as_u64().unwrap()), "{out}");
}

fn what_a_browser_does_not_accept() {
    fault(
        &[],
        |_| typed("text/plain").send("hello"),
        &["fail content-type"],
        &["the server answered with the content type \"text/plain\": hello", "Send `Content-Type: text/event-stream`"],
    );
    let answer: Respond = |_| typed("text/event-stream; charset=iso-8859-1").send("data: 1\n\n").with_end(End::Stall);
    fault(&[], answer, &["fail charset"], &["charset `iso-8859-1`", "Chromium"]);
    fault(&[], |_| Script::status(204), &["fail no-content"], &["the status is 204 No Content"]);
    let said = ["the server answered 404 Not Found", "Check the path of the URL"];
    fault(&[], |_| Script::status(404), &["fail status"], &said);
    fault(&[], |_| Script::status(529), &["fail status"], &["\"the server answered 529\""]);
}

/// They are watched like a stream, and are not judged as one.
fn lines_of_json() {
    let answer: Respond = |_| {
        let answer = typed("application/x-ndjson").send("{\"done\":false}\n{\"done\":tr");
        answer.wait(Duration::from_secs(2)).send("ue}\n")
    };
    fault(&[], answer, &["fail json-lines"], &["the body has 2 lines of JSON\"", "\"headers, times, resume\""]);
    let answer: Respond = |_| typed("application/json").send("{\"type\":\"ADDED\"}\n{").with_end(End::Stall);
    fault(&[], answer, &["fail json-lines"], &["the body has had 1 line of JSON so far"]);
    let answer: Respond = |_| typed("application/json").send("{\"a\":1}");
    fault(&[], answer, &["fail content-type"], &["the server answered with the content type \"application/json\": {"]);
}

/// As the viewer, it says what the server says, and what to do. It says nothing else of a page that is no stream.
fn a_refusal_with_its_reason() {
    let answer: Respond = |_| {
        let refusal = Script::status(401).header("content-length", "12").header("cache-control", "public");
        refusal.send("no \x1B[2J key\n\n")
    };
    let said = [
        "the server answered 401 Unauthorized: no ",
        "[2J key; send credentials with --header 'Authorization: Bearer KEY'",
        "let the page do it before",
    ];
    fault(&[], answer, &["fail status"], &said);

    let answer: Respond = |_| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(b"out of quota").unwrap();
        typed("text/plain").header("content-encoding", "gzip").send(encoder.finish().unwrap())
    };
    fault(&[], answer, &["fail content-type"], &["\"text/plain\": out of quota"]);

    let answer: Respond = |_| {
        let refusal = Script::status(403).header("content-encoding", "zstd").header("content-length", "4");
        refusal.send("zzzz")
    };
    fault(&[], answer, &["fail status"], &["its body is compressed, and curl --compressed shows it; send credentials"]);
    let answer: Respond = |_| right().header("content-encoding", "zstd").with_end(End::Stall);
    let said =
        ["compressed with `zstd`, although", "\"not_judged\":\"events, times, resume\"", "curl -sN --compressed URL"];
    fault(&[], answer, &["fail compressed-unasked"], &said);

    let page = Script::status(200).header("content-type", "text/html").header("cache-control", "public");
    let server = TestServer::new().answer(page.header("content-language", "en").send("<p>Hello"));
    let end = check(&["--origin", "https://a.example", "--time", "50", &server.url()]);
    let lines: Vec<&str> = end.out.lines().collect();
    assert_eq!((lines.len(), server.requests().len()), (2, 1), "{lines:#?}");
    assert!(
        lines[0].starts_with("FAIL content-type: the server answered with the content type \"text/html\". "),
        "{lines:#?}"
    );
    assert!(
        lines[1].starts_with("1 FAIL, no events seen, 8 bytes, HTTP/1.1 200 OK, text/html, ended after "),
        "{lines:#?}"
    );
}

/// A page is no stream: nothing is said of how it ends, and it is left soon if it does not.
fn a_page_is_not_watched() {
    let answer: Respond =
        |_| Script::status(404).header("content-encoding", "gzip").header("content-length", "3").send("bad");
    fault(&[], answer, &["fail status"], &["the server answered 404 Not Found"]);
    let open: Respond = |_| {
        let page = Script::status(200).header("content-type", "text/plain").header("content-length", "9");
        page.send("hello").with_end(End::Stall)
    };
    let out = fault(&["--time", "50"], open, &["fail content-type"], &["the content type \"text/plain\": hello"]);
    assert!(summary(&out)["seconds"].as_f64().unwrap() < 50.0, "{out}");
    let large: Respond = |_| typed("text/plain").send(vec![b'x'; 16 << 20]).chunks_of(1024);
    let out = fault(&["--time", "50"], large, &["fail content-type"], &["the content type \"text/plain\": xxx"]);
    assert!(summary(&out)["bytes"].as_u64().unwrap() < 1 << 20, "{out}");
}

/// What is counted, and what could not be judged on one line that says what to do.
fn the_last_lines() {
    let last_lines = |answer: Script| {
        let server = TestServer::new().answer_with(move |_| answer.clone());
        let end = check(&["--time", TIME, &server.url()]);
        let lines: Vec<String> = end.out.lines().map(str::to_owned).collect();
        assert_eq!(lines.iter().filter(|line| line.starts_with("---- not judged: ")).count(), 1, "{lines:#?}");
        lines[lines.len() - 2..].to_vec()
    };
    let none = last_lines(right().send("\n").with_end(End::Stall));
    for part in [
        " s: use a longer --time); silence (",
        " s are too short to see it: use --time 20); resume (no event has an ID); compression (no events to compare); cors (",
    ] {
        assert!(none[0].contains(part), "{part:?} in {none:#?}");
    }
    at_least(5.0, "held-back (no events in ", &none[0]);
    at_least(5.0, "silence (", &none[0]);
    at_least(5.0, "no events seen, 1 byte, HTTP/1.1 200 OK, text/event-stream, watched for ", &none[1]);

    let notes = last_lines(Script::new().send("event: message\ndata: 1\n\n").with_end(End::Stall));
    // On a busy machine, the headers may be late.
    assert!(notes[1].contains("2 notes in 1 event, "), "{notes:#?}");
    let one = last_lines(right().send("event: message\ndata: 1\n\n"));
    assert!(one[0].contains("held-back (the stream has 1 event); "), "{one:#?}");
    assert!(one[1].contains(" WARN, 1 note in 1 event, "), "{one:#?}");
}

/// It was not the time that ended the check.
#[test]
fn the_advice_names_the_option_that_ended_the_check() {
    let server = TestServer::new().answer_with(|_| right().send("data: 1\n\n").with_end(End::Stall));
    let args = ["--json", "--dialect", "openai", "--events", "1", "--time", "50", &server.url()];
    let out = check(&args).out;
    assert!(!out.contains("--time"), "{out}");
    assert_eq!(out.matches("use a larger --events").count(), 3, "{out}");
}

fn a_text_whose_line_breaks_were_not_split() {
    let answer: Respond = |_| right().send("data: first line\nsecond line\n\n").with_end(End::Stall);
    let said =
        ["\"lines\":[2]", "\"bytes\":[17]", "\"second line\" does not begin with `data:`", "one `data: ` per line"];
    fault(&[], answer, &["fail missing-prefix"], &said);
}

fn no_blank_line_after_the_last_event() {
    let answer: Respond = |request| match last_id(request) {
        0 => texts(&["id: 1\ndata: 1\n\n", "data: 2\n"]),
        _ => Script::status(204),
    };
    fault(
        &[],
        answer,
        &["fail unfinished"],
        &["\"lines\":[4]", "End every event, the last one too, with a blank line"],
    );
}

/// The only test that has to wait for long: the lint warns after 17 seconds. This is the time that the program advises.
fn silence() {
    let answer: Respond = |_| right().send("data: 1\n\n").with_end(End::Stall);
    let said = ["Send a comment line such as `: keep-alive` every 15 seconds"];
    let out = fault(&["--time", "20"], answer, &["warn silence"], &said);
    at_least(17.0, "nothing arrived for ", &out);
}

fn headers_that_come_late() {
    let answer: Respond = |request| {
        if last_id(request) > 0 {
            return endless(request);
        }
        let late = Script::raw("").wait(Duration::from_millis(1_200));
        late.send(at_once("id: 1\ndata: 1\n\nid: 2\ndata: 2\n\n")).with_end(End::Stall)
    };
    fault(&[], answer, &["warn late-headers"], &["together with the first bytes", "`flushHeaders()`"]);
}

fn headers_that_do_not_come() {
    let answer: Respond = |request| match request.method().as_str() {
        "HEAD" => Script::status(200).header("server", "nginx/1.22.1"),
        _ => Script::raw("").with_end(End::Stall),
    };
    let said = ["no headers arrived in 5.0 s, although a HEAD request was answered (`Server: nginx/1.22.1`)"];
    fault(&[], answer, &["fail no-response"], &said);
}

fn a_server_that_repeats_or_skips_events() {
    fn events(first: u64) -> Script {
        let events = (first..first + 1_000).map(|number| format!("id: {number}\ndata: event\n\n"));
        events.fold(right(), |answer, event| answer.send(event).wait(2 * PAUSE))
    }
    let said = [
        "a request with `Last-Event-ID: ",
        "was answered with event \"1\", which the client already had",
        "start with the event after that ID",
    ];
    fault(&[], |_| events(1), &["fail resume"], &said);

    static NUMBER: AtomicU64 = AtomicU64::new(1);
    let answer: Respond = |_| events(NUMBER.fetch_add(1_000, Ordering::Relaxed));
    fault(&[], answer, &["fail resume"], &[", which skips \""]);

    let answer: Respond = |request| match last_id(request) {
        0 => endless(request),
        _ => Script::status(400),
    };
    fault(&[], answer, &["fail resume"], &["was answered with status 400"]);
}

/// It keeps the last 3,000 events, and sends more than 4,000 before the check asks again.
fn a_server_that_keeps_few_events() {
    static NEWEST: AtomicU64 = AtomicU64::new(0);
    let answer: Respond = |request| {
        let oldest = NEWEST.swap(4_100, Ordering::Relaxed).saturating_sub(3_000);
        (oldest.max(last_id(request)) + 1..6_000).fold(right(), |answer, number| {
            let answer = answer.send(format!("id: {number}\ndata: event\n\n"));
            if number > 4_000 { answer.wait(Duration::from_millis(20)) } else { answer }
        })
    };
    // On a busy machine, the time alone would end before them.
    let out = fault(&["--events", "4100", "--time", "50"], answer, &[], &[]);
    assert!(summary(&out)["events"].as_u64().unwrap() >= 4_100, "{out}");
}

/// An ID that no header can have is no fault of the server's memory.
fn a_server_that_resumes_with_204() {
    let answer: Respond = |request| match last_id(request) {
        0 => endless(request),
        _ => Script::status(204),
    };
    fault(&[], answer, &["fail resume"], &["was answered with status 204, although \""]);

    let answer: Respond = |_| right().send("id: \u{1}1\ndata: 1\n\nid: \u{1}2\ndata: 2\n\n").with_end(End::Stall);
    fault(&[], answer, &[], &["cannot be sent in a header"]);
}

fn a_finished_stream_that_begins_anew() {
    let answer: Respond = |_| texts(&["data: 1\n\n", "data: 2\n\n"]);
    fault(&[], answer, &["warn begins-anew"], &["two later requests each got it again", "respond with 204 No Content"]);
    // Once may be the server's own restart. The first two requests are the first one, and one of the two after the end.
    static REQUESTS: AtomicU64 = AtomicU64::new(0);
    let answer: Respond = |_| match REQUESTS.fetch_add(1, Ordering::Relaxed) {
        0..2 => texts(&["data: 1\n\n", "data: 2\n\n"]),
        _ => Script::status(204),
    };
    fault(&[], answer, &[], &[]);
    // Something else each time is no fault.
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    let answer: Respond = |_| right().send(format!("data: {}\n\n", NUMBER.fetch_add(1, Ordering::Relaxed)));
    fault(&[], answer, &[], &[]);
}

fn a_page_of_another_origin() {
    // As many people write it.
    let origin_with_slash = ["--origin", "https://app.example.com/"];
    let origin = ["--origin", "https://app.example.com"];
    let answer: Respond = |request| match request.method().as_str() {
        "OPTIONS" => Script::status(405),
        _ => endless(request),
    };
    let said =
        ["for pages from https://app.example.com", "was answered 405", "Access-Control-Allow-Headers: Last-Event-ID"];
    fault(&origin, answer, &["fail cors", "warn preflight"], &said);

    let answer: Respond = |request| {
        let allow = |answer: Script| {
            answer.header("access-control-allow-origin", header(request, "origin").unwrap_or_default())
        };
        match request.method().as_str() {
            "OPTIONS" => allow(Script::status(204))
                .header("access-control-allow-headers", "X-One")
                .header("access-control-allow-headers", "X-Two, last-event-id"),
            _ => allow(right()).send("data: 1\n\n").with_end(End::Stall),
        }
    };
    fault(&origin, answer, &[], &[]);
    fault(&origin_with_slash, answer, &[], &[]);
}

fn headers_of_a_document() {
    let answer: Respond = |_| {
        Script::raw(
            "HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: public, max-age=60\r\n\
             Content-Length: 9\r\n\r\ndata: 1\n\n",
        )
    };
    fault(
        &[],
        answer,
        &["warn begins-anew", "warn cache-control", "warn content-length", "warn http-1.0"],
        &["`Cache-Control: public, max-age=60`", "Content-Length: 9", "HTTP/1.0"],
    );
}

fn a_connection_that_breaks() {
    let answer: Respond = |_| right().send("data: 1\n\ndata: 2\n").with_end(End::Close);
    fault(&[], answer, &["fail broken"], &["the connection broke after"]);
}

fn the_protocol_of_a_model() {
    let options = ["--dialect", "openai", "-d", "{}"];
    let answer: Respond = |_| texts(&["data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"]);
    let said = ["the stream ended without `data: [DONE]`", "no choice has a `finish_reason`"];
    fault(&options, answer, &["fail no-end-marker", "warn no-finish-reason"], &said);

    let answer: Respond = |_| texts(&["data: {\"error\":\"overloaded\"}\n\n"]);
    fault(&options, answer, &["fail error-shape"], &["event 1 is an `error` that has no text `message`"]);

    let answer: Respond =
        |_| texts(&["data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n", "data: [DONE]\n\n"]);
    fault(&options, answer, &[], &["only a GET is sent again"]);
}

/// A header may contain what a terminal obeys: a control character in two bytes, and one that turns the text around.
fn a_header_does_not_reach_the_terminal() {
    let server = TestServer::new().answer_with(|_| typed("text/plain; a=\u{9B}2J\u{202E}"));
    for option in [&[][..], &["--json"]] {
        let end = check(&[option, &["--time", "50", &server.url()]].concat());
        assert!(end.out.contains("content-type") && !end.out.contains(['\u{9B}', '\u{202E}']), "{}", end.out);
    }
}

/// A reader of the terminal's text learns both what is wrong and what to do.
fn a_finding_is_one_line() {
    let server = TestServer::new().answer_with(|_| {
        let answer = right().header("server", "\u{202E}").send("data: first line\nsecond\u{1B}[2J line\n\n");
        answer.with_end(End::Stall)
    });
    let end = check(&["--time", TIME, &server.url()]);
    let lines: Vec<&str> = end.out.lines().collect();
    assert_eq!(
        lines[0],
        "FAIL missing-prefix: line 2 (byte 17): \"second\\u{1b}[2J line\" does not begin with `data:` or another field. \
         Clients ignore such a line. If it is a part of a text, write `data: ` before each line of the text: a text with line breaks needs one \
         `data: ` per line."
    );
    // On a busy machine, the headers may be late.
    let mut others = lines[1..lines.len() - 1].iter().filter(|line| !line.starts_with("WARN late-headers: "));
    assert!(others.all(|line| line.starts_with("---- ")), "{lines:#?}");
    let last = lines[lines.len() - 1];
    assert!(last.starts_with("1 FAIL"), "{last}");
    at_least(5.0, " in 1 event, 34 bytes, HTTP/1.1 200 OK, text/event-stream, watched for ", last);
    assert!(!end.out.contains(['\u{1B}', '\u{202E}']));
    assert_eq!((end.code, end.err.as_str()), (Some(1), ""));
}
