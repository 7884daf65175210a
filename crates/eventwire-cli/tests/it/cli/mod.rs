//! Runs the program `eventwire` as a user does, and checks what it prints, when, and its exit code.

mod answers;
mod input;
mod json_lines;
mod options;
// `script` has other options elsewhere.
#[cfg(target_os = "linux")]
mod terminal;
mod tls;
mod url;

use bytes::Bytes;
use eventwire_test_support::{End, Process};
use http::Request;
use serde_json::Value;

const EVENT_STREAM: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

/// Returns the values of all headers with this name.
fn header<'a>(request: &'a Request<Bytes>, name: &str) -> Vec<&'a str> {
    request.headers().get_all(name).iter().map(|value| str::from_utf8(value.as_bytes()).unwrap()).collect()
}

fn start(args: &[&str]) -> Process {
    Process::start(env!("CARGO_BIN_EXE_eventwire"), args, &[])
}

/// Runs the program with this standard input.
fn reading(options: &[&str], stream: impl AsRef<[u8]>) -> End {
    let mut program = start(&[options, &["-"]].concat());
    program.feed(stream.as_ref());
    program.end()
}

/// Checks that the program prints one line with these words on standard error, nothing else, and exits with 1.
#[track_caller]
fn fails(args: &[&str], said: &[&str]) {
    let end = start(args).end();
    assert!(end.err.starts_with("eventwire: "), "{args:?}: {:?}", end.err);
    end.failed("", said);
}

#[test]
fn the_demo() {
    const CHAT: &str = "An event ends with a blank line: déjà vu, 日本語, 🦀, anything.";
    let end = start(&["--json", "--comments"]).end();
    assert_eq!(end.code, Some(0));
    // What is said before and after it is on standard error.
    let (heading, next) = end.err.split_once("\n\n\n").unwrap();
    assert!(heading.starts_with("A demo: ") && heading.lines().count() == 1, "{heading}");
    for line in ["Next, try:\n", "\n  eventwire URL  ", "\n  eventwire check URL  ", "\n  eventwire --help  "] {
        assert!(next.contains(line), "{line:?} in {next}");
    }
    let lines: Vec<Value> = end.out.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let [welcome, chat @ .., usage, done] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!((&welcome["comment"], &done["data"]), (&"welcome".into(), &"[DONE]".into()));
    assert_eq!(usage["data"], "{\n  \"completion_tokens\": 12\n}");
    let chunks = chat.iter().map(|event| serde_json::from_str(event["data"].as_str().unwrap()).unwrap());
    let text: String =
        chunks.map(|chunk: Value| chunk["choices"][0]["delta"]["content"].as_str().unwrap().to_owned()).collect();
    assert_eq!(text, CHAT);
}

#[test]
fn help_and_version() {
    let help = start(&["--help"]).end();
    help.printed(&help.out);
    start(&["-h"]).end().printed(&help.out);
    assert!(help.out.starts_with("Shows ") && help.out.lines().all(|line| line.len() <= 80), "{}", help.out);
    for flag in ["--version", "-V"] {
        start(&[flag]).end().printed(concat!("eventwire ", env!("CARGO_PKG_VERSION"), "\n"));
    }
}

#[test]
fn the_readme_names_only_options_that_exist() {
    let commands = [&["--help"][..], &["check", "--help"], &["record", "--help"], &["serve", "--help"]];
    let help = commands.map(|args| start(args).end().out).concat();
    let options: Vec<&str> = include_str!("../../../README.md")
        .split(|char: char| !char.is_ascii_alphanumeric() && char != '-')
        // One of curl's.
        .filter(|word| word.starts_with("--") && !word.trim_matches('-').is_empty() && *word != "--raw")
        .collect();
    assert!(options.contains(&"--follow"), "{options:?}");
    for option in options {
        assert!(help.contains(option), "{option}");
    }
}

#[test]
fn mistakes_on_the_command_line() {
    let url = "http://127.0.0.1:1/";
    for (args, said) in [
        (&["--non\u{202E}sense"][..], &["--non\\u{202e}sense", "--help"][..]),
        (&["one", "two"], &["more than one input", "--help"]),
        (&["--json", "check", "-"], &["a command (check, record or serve) before its options"]),
        // The quotes are missing.
        (&["-H", "Authorization:", "Bearer", "key", url], &["more than one input", "--header 'Name: value'"]),
        (&["-H", "Authorization:", "key", url], &["more than one input", "--header 'Name: value'"]),
        (&["check", "-H", "Authorization:", "Bearer", "key", url], &["more than one input"]),
        (&["-H", "-: key", "-"], &["for a URL"]),
        (&["-H", "-key", url], &["no colon"]),
        (&["--select", "a", "--timestamps", "-"], &["--select", "--timestamps", "--help"]),
        (&["--jsno", "-"], &["unexpected argument '--jsno'", "a similar argument exists: '--json'", "--help"]),
        (&["check"], &["<URL|FILE>", "--help"]),
        (&["check", "--dialect", "x", "-"], &["possible values: openai", "--help"]),
        (&["check", "--origin", "https://a", "-"], &["--origin is for a URL"]),
        (&["-n", "0", "-"], &["'0'", "--count", "write a whole number, from 1", "--help"]),
        (&["--timeout", "soon", url], &["'soon'", "write seconds", "--help"]),
        (&["--pretty", "--json", "-"], &["--pretty", "--json", "--help"]),
        (&["--json=yes", "-"], &["--json", "yes", "--help"]),
        (&[url, "--header"], &["a value is required", "--header", "--help"]),
        (&["http://["], &["this is not a URL", "http://host:port/path", "--help"]),
        (&["ftp://127.0.0.1/"], &["cannot read ftp:// URLs", "http://"]),
        (&["no/such/file"], &["cannot open \"no/such/file\": ", "; check the path; a URL starts with http://"]),
        (&["example.com/feed"], &["cannot open \"example.com/feed\": ", "a URL starts with http://"]),
        (&["localhost:99999/"], &["this is not a URL: invalid port number"]),
        (&["--dialect", "x", "-"], &["possible values: openai, openai-responses, anthropic, gemini", "--help"]),
        (&["127.0.0.1:80/a\nb"], &["cannot open \"127.0.0.1:80/a\\nb\": ", "a URL starts with http://"]),
        (&[env!("CARGO_TARGET_TMPDIR")], &[env!("CARGO_TARGET_TMPDIR")]),
        (&["--header", "Authorization Bearer key", url], &["no colon", "'Name: value'", "--help"]),
        (&["--header", "a b: key", url], &["\"a b\"", "'Name: value'"]),
        (&["--header", "a: key\nb: c", url], &["\"a\"", "control characters"]),
        (&["--post", "@no/such", url], &["cannot read the --data \"@no/such\": ", "@-"]),
        (&["--last-event-id", "a\nb", url], &["--last-event-id", "line feed"]),
        (&["--last-event-id", "\x1B", url], &["last event ID", "control character"]),
        // These are for URLs only.
        (&["--follow", "-"], &["--follow", "for a URL, which starts with http://", "--help"]),
        (&["-f", "no/such/file"], &["--follow", "for a URL"]),
        (&["--post", "body"], &["--data", "for a URL"]),
        (&["--last-event-id", "1", "-"], &["--last-event-id", "for a URL"]),
        (&["--header", "a: b", "example.com"], &["--header", "for a URL"]),
    ] {
        let end = start(args).end();
        end.failed("", said);
        assert!(!end.err.contains("key"), "{:?}", end.err);
    }
}
