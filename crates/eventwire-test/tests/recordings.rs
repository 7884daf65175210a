//! Files that can be served, and those that cannot: the page about the format, and what is said about mistakes.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::{fs, path::PathBuf};

use eventwire_test::Script;

const RECORDING: &str = r#"{"recording":1}"#;
const RESPONSE: &str = r#"{"response":{"status":200}}"#;

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Returns how many answers a file with this text has, or what is wrong with it, without the path.
fn read(name: &str, text: &str) -> Result<usize, String> {
    let path = file(name);
    fs::write(&path, text).unwrap();
    let read = Script::read(&path).map(|scripts| scripts.len()).map_err(|error| error.to_string());
    fs::remove_file(&path).unwrap();
    read.map_err(|error| {
        error.strip_prefix(&format!("{}:", path.display())).expect("it begins with the path").to_owned()
    })
}

#[test]
fn a_mistake_has_its_line_its_column_and_what_was_expected() {
    let one_key = "expected an object with one key: `recording`, `request`, `response`, `chunk` or `end`";
    let example = r#"as in {"chunk":{"bytes":"data: 1\n\n"}}"#;
    let after = |line: &str| format!("{RECORDING}\n{RESPONSE}\n{line}");
    let response = |value: &str| format!("{RECORDING}\n\n{{\"response\":{value}}}");
    let faults = |value: &str| response(&format!("{{\"status\":200,\"faults\":{value}}}"));
    for (text, said) in [
        // The whole file.
        (String::new(), "1:1: expected a recording or an event stream, but the file is empty".to_owned()),
        (RECORDING.to_owned(), "2:1: expected a response".to_owned()),
        (format!("{RECORDING}\n"), "2:1: expected a response".to_owned()),
        (
            format!("{RECORDING}\n{{\"request\":{{\"method\":\"GET\",\"url\":\"http://a\"}}}}\n\n"),
            "4:1: expected a response".to_owned(),
        ),
        // The first line.
        (format!("{RESPONSE}\n"), "1:1: expected `{\"recording\":1}` in the first line".to_owned()),
        ("{\"recording\":2}\n".to_owned(), "1:1: version 2 of the format; this program reads 1".to_owned()),
        ("{\"recording\":\"1\"}\n".to_owned(), "1:16: invalid type: string \"1\", expected a whole number".to_owned()),
        // A stream of JSON lines.
        (
            "{\"model\":\"m\"}\n".to_owned(),
            "1:8: unknown field `model`, expected one of `recording`, `request`, `response`, `chunk`, `end`".to_owned(),
        ),
        // The order.
        (format!("{RECORDING}\n{RECORDING}\n"), "2:1: expected a request, a response, a chunk or an end".to_owned()),
        (
            format!("{RECORDING}\n{{\"chunk\":{{\"bytes\":\"\"}}}}\n"),
            "2:1: expected a response before its chunks and its end".to_owned(),
        ),
        (
            after("{\"end\":{\"how\":\"close\"}}\n{\"chunk\":{\"bytes\":\"\"}}"),
            "4:1: expected a response before its chunks and its end".to_owned(),
        ),
        (
            after("{\"request\":{\"method\":\"GET\",\"url\":\"\"}}\n{\"end\":{\"how\":\"close\"}}"),
            "4:1: expected a response before its chunks and its end".to_owned(),
        ),
        // What is not JSON, or no object with one key.
        (
            after("data: 1"),
            format!("3:1: this is not JSON (expected value); expected an object on one line, {example}"),
        ),
        (
            after("{\"chunk\":{\"bytes\":\"a\"}} x"),
            format!("3:25: this is not JSON (trailing characters); expected an object on one line, {example}"),
        ),
        (
            after("{\"chunk\":{\"bytes\":\"dat"),
            format!("3:22: the line is cut off (EOF while parsing a string); expected a whole object, {example}"),
        ),
        (
            after("{\"chunk\":\n{\"bytes\":\"a\"}}"),
            format!("3:9: the line is cut off (EOF while parsing a value); expected a whole object, {example}"),
        ),
        (after("[1]"), format!("3:1: invalid type: sequence, {one_key}")),
        (after("\"chunk\""), format!("3:7: invalid type: string \"chunk\", {one_key}")),
        (after("{}"), format!("3:2: found no keys, {one_key}")),
        (
            after("{\"chunk\":{\"bytes\":\"\"},\"end\":{\"how\":\"close\"}}"),
            format!("3:27: found several keys, {one_key}"),
        ),
        (
            after("{\"chunks\":1}"),
            "3:9: unknown field `chunks`, expected one of `recording`, `request`, `response`, `chunk`, `end`"
                .to_owned(),
        ),
        // Values of the lines.
        (
            after("{\"chunk\":5}"),
            "3:10: invalid type: integer `5`, expected an object with `bytes`, and perhaps `ms`".to_owned(),
        ),
        (after("{\"chunk\":{\"ms\":1}}"), "3:17: missing field `bytes`".to_owned()),
        (
            after("{\"chunk\":{\"bytes\":[\"a\",256]}}"),
            "3:28: `bytes` is not a text, or a list of texts and of bytes from 0 to 255".to_owned(),
        ),
        (
            after("{\"chunk\":{\"ms\":-1,\"bytes\":\"\"}}"),
            "3:17: invalid value: integer `-1`, expected a whole number".to_owned(),
        ),
        (
            after("{\"chunk\":{\"ms\":\"1\",\"bytes\":\"\"}}"),
            "3:18: invalid type: string \"1\", expected a whole number".to_owned(),
        ),
        (
            after("{\"chunk\":{\"delay\":1,\"bytes\":\"\"}}"),
            "3:17: unknown field `delay`, expected `ms` or `bytes`".to_owned(),
        ),
        (
            after("{\"end\":{\"how\":\"gone\"}}"),
            "3:21: unknown value `gone`, expected one of `complete`, `close`, `reset`, `stall`".to_owned(),
        ),
        (after("{\"end\":{\"how\":1}}"), "3:15: invalid type: integer `1`, expected a text".to_owned()),
        (format!("{RECORDING}\n{{\"request\":{{\"method\":\"GET\"}}}}"), "2:27: missing field `url`".to_owned()),
        (
            format!("{RECORDING}\n{{\"request\":1}}"),
            "2:12: invalid type: integer `1`, expected an object with `method`, `url` and perhaps `headers`".to_owned(),
        ),
        (
            after("{\"end\":\"close\"}"),
            "3:14: invalid type: string \"close\", expected an object with `how`, and perhaps `ms`".to_owned(),
        ),
        (response("{}"), "3:14: missing field `status`".to_owned()),
        (
            response("[]"),
            "3:14: invalid length 0, expected an object with `status`, and perhaps `headers` and `faults`".to_owned(),
        ),
        (response("{\"status\":99}"), "3:25: found the status 99, expected one from 100 to 999".to_owned()),
        (response("{\"status\":\"200\"}"), "3:27: invalid type: string \"200\", expected a whole number".to_owned()),
        (
            response("{\"status\":200,\"headers\":{\"a\":\"b\"}}"),
            "3:36: invalid type: map, expected a list of `[\"name\",\"value\"]`".to_owned(),
        ),
        (
            response("{\"status\":200,\"headers\":[[\"a\"]]}"),
            "3:42: invalid length 1, expected `[\"name\",\"value\"]`".to_owned(),
        ),
        (
            response("{\"status\":200,\"headers\":[[\"a\",1]]}"),
            "3:43: invalid type: integer `1`, expected a text".to_owned(),
        ),
        // Faults.
        (faults("1"), "3:36: invalid type: integer `1`, expected an object with faults".to_owned()),
        (
            faults("{\"cut\":1}"),
            "3:41: unknown field `cut`, expected one of `chunk`, `cut_after`, `end`, `resume`, `pace`, `keep_alive`, \
             `garbage`, `repeat`, `seed`"
                .to_owned(),
        ),
        (
            after(r#"{"response":{"status":200,"headers":[["a","b\r\nc: d"]]}}"#),
            "3:56: found \"a\" with \"b\\r\\nc: d\", expected the name and the value of a header".to_owned(),
        ),
        (
            faults("{\"chunk\":0}"),
            "3:46: found \"0\", expected a number of bytes, from 1 to 1048576, or `random`".to_owned(),
        ),
        (
            faults("{\"chunk\":null}"),
            "3:49: found \"null\", expected a number of bytes, from 1 to 1048576, or `random`".to_owned(),
        ),
        (
            faults("{\"cut_after\":\"3b+5\"}"),
            "3:55: found \"3b+5\", expected a number of events as in `3`, of bytes as in `100b`, or both as in `3+5b`"
                .to_owned(),
        ),
        (
            faults("{\"pace\":\"0x\"}"),
            "3:48: found \"0x\", expected `recorded`, `none`, a speed as in `4x`, or a time as in `100ms` or `2s`"
                .to_owned(),
        ),
        (
            faults("{\"end\":\"fin\"}"),
            "3:48: unknown value `fin`, expected one of `complete`, `close`, `reset`, `stall`".to_owned(),
        ),
        (faults("{\"end\":true}"), "3:46: invalid type: boolean `true`, expected a text".to_owned()),
        (faults("{\"resume\":3}"), "3:46: invalid type: integer `3`, expected a text".to_owned()),
        (
            faults("{\"resume\":\"right\"}"),
            "3:53: unknown value `right`, expected one of `ignore`, `exact`, `repeat`, `skip`".to_owned(),
        ),
        (faults("{\"keep_alive\":0}"), "3:50: invalid value: integer `0`, expected a whole number from 1".to_owned()),
        (
            faults("{\"garbage\":\"10\"}"),
            "3:50: invalid type: string \"10\", expected a whole number from 1".to_owned(),
        ),
        (faults("{\"repeat\":1}"), "3:46: invalid type: integer `1`, expected `true` or `false`".to_owned()),
        (faults("{\"seed\":-1}"), "3:45: invalid value: integer `-1`, expected a whole number".to_owned()),
        (faults("{\"seed\":null}"), "3:47: invalid type: null, expected a whole number".to_owned()),
    ] {
        assert_eq!(read("mistake.jsonl", &text), Err(said), "{text}");
    }
}

#[test]
fn a_file_that_cannot_be_read() {
    for path in [file("no such file"), file("")] {
        let why = fs::read(&path).unwrap_err();
        assert_eq!(Script::read(&path).unwrap_err().to_string(), format!("cannot read {}: {why}", path.display()));
    }
}

/// Returns the blocks of code on the page about the format.
fn blocks() -> Vec<&'static str> {
    let page = include_str!("../docs/recordings.md");
    page.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

/// An example is a whole file, or a line of one.
#[test]
fn the_examples_of_the_page_are_read() {
    let (files, lines): (Vec<&str>, Vec<&str>) = blocks().into_iter().partition(|block| block.starts_with(RECORDING));
    let answers: Vec<_> = files.iter().map(|file| read("example.jsonl", file)).collect();
    assert_eq!(answers, [Ok(1), Ok(1), Ok(3)]);
    assert!(lines.len() >= 4, "{lines:?}");
    for line in lines {
        assert!(read("example.jsonl", &format!("{RECORDING}\n{RESPONSE}\n{line}")).is_ok(), "{line}");
    }
}

/// The table has each fault, and each way to write its value.
#[test]
fn the_faults_of_the_page_are_read() {
    let page = include_str!("../docs/recordings.md");
    let rows = page.lines().skip_while(|line| !line.starts_with("| fault |")).skip(2);
    let mut names = Vec::new();
    for row in rows.take_while(|line| line.starts_with('|')) {
        let codes: Vec<&str> = row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2).collect();
        for code in codes {
            let line = format!("{{\"response\":{{\"status\":200,\"faults\":{{{code}}}}}}}");
            assert_eq!(read("fault.jsonl", &format!("{RECORDING}\n{line}")), Ok(1), "{code}");
            names.push(code.split('"').nth(1).unwrap());
        }
    }
    names.dedup();
    let all = ["chunk", "cut_after", "end", "resume", "pace", "keep_alive", "garbage", "repeat", "seed"];
    assert_eq!(names, all);
}

#[test]
fn blank_lines_line_ends_and_a_last_line_without_an_end_are_forgiven() {
    let lines = [RECORDING, "", RESPONSE, " \t", "  {\"chunk\" : { \"bytes\" : \"a\" } }  ", RESPONSE].join("\r\n");
    assert_eq!(read("forgiven.jsonl", &lines), Ok(2));
    for before in ["\u{FEFF}", " ", "\n\r\n"] {
        assert_eq!(read("forgiven.jsonl", &format!("{before}{lines}")), Ok(2), "{before:?}");
    }
}
