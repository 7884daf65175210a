//! What holds for every input: the program does not panic, and what it prints is not much longer than what it reads,
//! decompressed.

use std::io;

use proptest::prelude::*;

use crate::print::{COLOURS, Format, Output, PLAIN};
use crate::session::Session;
use crate::{printable, report};

/// How many bytes are printed for a byte of input, at most. Almost as many are needed for empty comments, with `--json`
/// and `--timestamps`; most events are printed in fewer bytes than they have.
const MOST: usize = 30;

/// How many bytes an error message has, at most. There is one for each event that is too large, and one at the end.
const MESSAGE: usize = 1000;

/// Returns what is printed for this input, on standard output and on standard error.
fn printed(input: &[u8], output: Output) -> (String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    if let Err(error) = Session::new(&mut out, &mut err, output).read(input, "the input") {
        assert!(error.to_string().starts_with("no event "), "{error}");
        report(&mut err, error);
    }
    (String::from_utf8(out).expect("text"), String::from_utf8(err).expect("text"))
}

#[track_caller]
fn check(input: &[u8]) {
    let select = |format| Output { select: Some("a.0".parse().expect("a path")), ..Output::new(format) };
    for output in [
        Output::new(Format::Text(PLAIN)),
        Output { comments: true, timestamps: true, ..Output::new(Format::Text(PLAIN)) },
        Output { comments: true, timestamps: true, ..Output::new(Format::Text(COLOURS)) },
        Output { pretty: true, ..Output::new(Format::Text(PLAIN)) },
        select(Format::Text(PLAIN)),
        select(Format::Json),
        Output::new(Format::Json),
        Output { comments: true, timestamps: true, ..Output::new(Format::Json) },
    ] {
        let format = output.format;
        let (out, err) = printed(input, output);
        assert!(out.len() <= MOST * input.len(), "{} bytes for {}: {format:?}", out.len(), input.escape_ascii());
        assert!(err.len() <= MESSAGE && err.lines().count() <= 1, "{err:?}");
        for text in [out, err] {
            let text = match format {
                Format::Text(COLOURS) => text.replace("\x1B[36m", "").replace("\x1B[2m", "").replace("\x1B[0m", ""),
                _ => text,
            };
            assert_eq!(text.find(|char| printable::is_escaped(char) && char != '\n'), None, "{text:?}");
        }
    }
}

/// JSON that has a value at the path `a.0`, and may be deep.
fn json() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        "[0-9]{1,9}",
        any::<String>().prop_map(|text| serde_json::Value::from(text).to_string()),
        (1..100_usize).prop_map(|depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth))),
        prop::collection::vec("[0-9]", 0..50)
            .prop_map(|numbers| format!("[[[[[[[[[[[{}]]]]]]]]]]]", numbers.join(","))),
    ];
    value.prop_map(|value| format!("{{\"a\":[{value},1]}}"))
}

/// A stream made of lines that mean something, and of any bytes between them.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let name = prop::sample::select(vec!["data", "event", "id", "retry", "", "other", "\u{FEFF}data"]);
    let value = prop_oneof![
        Just(String::new()),
        "[0-9]{1,22}",
        "\\PC{0,20}",
        any::<String>(),
        json(),
        ("[\\x1B\u{80}\u{202E}\u{E0020}x]", 0_usize..1000).prop_map(|(text, count)| text.repeat(count)),
    ];
    let end = prop::sample::select(vec!["\n", "\r", "\r\n", "\n\n", "\r\n\r\n", ""]);
    let line = (name, value, end).prop_map(|(name, value, end)| format!("{name}:{value}{end}").into_bytes());
    let short = prop::sample::select(vec!["data\n\n", "data\n", ":\n"]);
    let many = (short, 0_usize..500).prop_map(|(line, count)| line.repeat(count).into_bytes());
    let bytes = prop::collection::vec(any::<u8>(), 0..40);
    let event = json().prop_map(|json| format!("\n\ndata: {json}\n\n").into_bytes());
    prop::collection::vec(prop_oneof![4 => line, 1 => many, 1 => bytes, 1 => event], 0..12)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes(input in prop::collection::vec(any::<u8>(), 0..400)) {
        check(&input);
    }

    #[test]
    fn any_stream(input in stream()) {
        check(&input);
    }
}

#[test]
fn streams_that_could_be_printed_in_many_bytes() {
    // A long type before many lines, a long ID that many events inherit, and the most that is printed.
    check(format!("event: {}\n{}\n", "x".repeat(48_000), "data\n".repeat(9_600)).as_bytes());
    check(format!("id: {}\n{}", "x".repeat(48_000), "data\n\n".repeat(8_000)).as_bytes());
    check(":\n".repeat(1_000).as_bytes());
}

/// An event is printed piece by piece, so that a large one needs no more memory than it has itself.
#[test]
fn an_event_is_written_in_small_pieces() {
    struct Largest(usize);
    impl io::Write for &mut Largest {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.max(bytes.len());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let input = format!("event: x\n{}\n", "data: \x1B\n".repeat(100_000));
    for format in [Format::Text(PLAIN), Format::Json] {
        let mut largest = Largest(0);
        assert!(
            Session::new(&mut largest, io::sink(), Output::new(format)).read(input.as_bytes(), "the input").is_ok()
        );
        assert!((1..=16 * 1024).contains(&largest.0), "{} bytes at once: {format:?}", largest.0);
    }
}
