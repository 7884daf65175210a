//! Files and pipes.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use eventwire_lint::Finding;
use eventwire_test_support::Process;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::check::{check, found};

fn file(name: &str, bytes: &[u8]) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn the_lines_of_a_file_or_a_pipe() {
    const BODY: &[u8] = b"data: 1\n\ndata: 2\n";
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(BODY).unwrap();
    for path in [file("check.sse", BODY), file("check.sse.gz", &encoder.finish().unwrap())] {
        let (codes, out) = found(&[&path], &[]);
        assert_eq!(codes, ["fail unfinished"], "{out}");
        let last: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
        assert_eq!((&last["fail"], &last["events"], &last["bytes"]), (&1.into(), &1.into(), &17.into()));
    }
    let mut program = Process::start(env!("CARGO_BIN_EXE_eventwire"), &["check", "-"], &[]);
    program.feed(BODY);
    let end = program.end();
    assert!(end.out.starts_with("FAIL unfinished: line 3 (byte 9): "), "{}", end.out);
    assert!(end.out.contains("---- not judged: headers, times, resume (a body alone"), "{}", end.out);

    let good = check(&[&file("good.sse", b"data: 1\n\n")]);
    assert_eq!((good.code, good.err.as_str()), (Some(0), ""));
    assert!(good.out.contains("\nnothing found in 1 event, 9 bytes, ended after "), "{}", good.out);
    let empty = check(&[&file("empty.sse", b"")]);
    assert!(empty.code == Some(0) && empty.out.contains("\nno events seen, 0 bytes, ended after "), "{}", empty.out);
    check(&["no/such/file"]).failed("", &["cannot open \"no/such/file\": ", "check the path"]);
}

#[test]
fn lines_of_json_are_no_event_stream() {
    for (body, what) in [
        (&b"{\"a\":1}\r\n\r\n{\"a\":2}\n"[..], "the body has 2 lines of JSON"),
        (b"{\"a\":1}\n{\"a\":2}", "the body has 2 lines of JSON"),
        (b"{\"a\":1}\n{\"a\":", "the body has 2 lines of JSON, of which the last is not complete"),
        (b"{\"a\":1}\n", "the body has 1 line of JSON"),
        (b"{\"a\":1}\nfoo\nbar\n", "the body has 1 line of JSON"),
        (b"{\"a\":1}\nfoo\nbar", "the body has 1 line of JSON"),
    ] {
        let (codes, out) = found(&[&file("lines.ndjson", body)], &[]);
        assert_eq!(codes, ["fail json-lines"], "{out}");
        assert!(out.contains(&format!("\"what\":\"{what}\"")) && out.contains("`eventwire --select`"), "{out}");
    }
    let (codes, _) = found(&[&file("other.ndjson", b"{\n}\n")], &[]);
    assert_eq!(codes, ["fail missing-prefix"]);
}

#[test]
fn an_event_stream_may_begin_with_a_line_of_json() {
    let (codes, out) = found(&[&file("error.sse", b"{\"error\":\"x\"}\n\ndata: 1\n\nid: 3\ndata: 2\n\n")], &[]);
    assert_eq!(codes, ["fail missing-prefix"], "{out}");
    assert!(out.contains("\"lines\":[1]") && out.contains("\"events\":2"), "{out}");
    for rest in ["data: 1", "data\n", ": 1\n", "id: 3\n{}\n", "event: a\n", "retry: 1\n"] {
        let (codes, out) = found(&[&file("rest.sse", format!("{{}}\n\n{rest}").as_bytes())], &[]);
        assert!(codes.iter().any(|code| code == "fail missing-prefix"), "{rest:?}: {out}");
    }
}

#[test]
fn a_pipe_that_does_not_end_is_left_after_the_time() {
    for beginning in [&b""[..], b"data: 1\n\ndata : 2\n\n"] {
        let mut program = Process::start(env!("CARGO_BIN_EXE_eventwire"), &["check", "--time", "3", "-"], &[]);
        program.feed(beginning);
        let line = program.line();
        assert!(line.starts_with(if beginning.is_empty() { "---- " } else { "FAIL field-space: line 3" }), "{line}");
    }
}

#[test]
fn keys_of_json() {
    let end = check(&["--json", &file("keys.sse", b"data: 1\n\ndata : 2\n\n")]);
    let objects: Vec<Value> = end.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let keys = |object: &Value| object.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let [finding, not_judged, summary] = &objects[..] else { panic!("{objects:#?}") };
    assert_eq!(keys(finding), ["bytes", "code", "count", "cure", "effect", "lines", "severity", "what"]);
    assert_eq!(keys(not_judged), ["not_judged", "why"]);
    assert_eq!(keys(summary), ["bytes", "events", "fail", "note", "seconds", "warn"]);
    let readme = include_str!("../../../README.md");
    let all = objects.iter().flat_map(keys).collect::<Vec<_>>();
    all.iter().for_each(|key| assert!(readme.contains(&format!("`{key}`")), "{key}"));
}

/// The picture in the README shows texts that are still printed.
#[test]
fn the_picture() {
    let mut picture = String::new();
    for (number, piece) in include_str!("../../../check.svg").split(['<', '>']).enumerate() {
        match piece {
            "/text" => picture.push(' '),
            text if number % 2 == 0 => picture.push_str(text.trim_matches('\n')),
            _ => {}
        }
    }
    let picture = picture.split_whitespace().collect::<Vec<_>>().join(" ");
    for code in ["held-back", "missing-prefix", "resume", "begins-anew"] {
        let finding = Finding::new(code, "");
        for text in [&format!("{} {code}: ", finding.severity), finding.effect, finding.cure] {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(picture.contains(&text), "{text} in {picture}");
        }
    }
}

/// Recorded streams of model services, which belong to others and are not part of the crate.
#[test]
fn recordings() {
    let Some(folder) = std::env::var_os("EVENTWIRE_RECORDINGS") else {
        // `eprintln!` would be shown only if a test fails.
        let _ = writeln!(std::io::stderr(), "skipped: EVENTWIRE_RECORDINGS names no folder of recorded streams");
        return;
    };
    let mut count = 0;
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "sse") {
            count += 1;
            let end = check(&[path.to_str().unwrap()]);
            assert!(end.code == Some(0) && !end.out.contains("FAIL") && !end.out.contains("WARN"), "{}", end.out);
        }
    }
    assert!(count > 0, "no *.sse file");
}

/// 100 MiB are read in less memory than a tenth of that.
#[cfg(target_os = "linux")]
#[test]
fn a_large_file_does_not_fill_the_memory() {
    let path = file("large.sse", &b"data: 0123456789\n\n".repeat(100 * 1024 * 1024 / 18));
    let end = std::process::Command::new("sh")
        .args(["-c", "ulimit -v $1; exec \"$2\" check \"$3\"", "sh", "60000"])
        .args([env!("CARGO_BIN_EXE_eventwire"), &path])
        .output()
        .unwrap();
    fs::remove_file(&path).unwrap();
    let out = String::from_utf8(end.stdout).unwrap();
    assert!(end.status.success() && out.contains("nothing found in 5825422 events"), "{out} {:?}", end.stderr);
}
