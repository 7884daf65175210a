//! The bytes of encoded parts, and what the encoder rejects.

use super::received::headers_of;
use eventwire_multipart::{
    Boundary, BoundaryInPart, Headers, HeadersRef, InvalidBoundary, InvalidHeader, PartEncoder, WholePart,
};

fn encoder(boundary: &str) -> PartEncoder {
    PartEncoder::new(Boundary::new(boundary).unwrap()).unwrap()
}

fn written(write: impl FnOnce(&mut PartEncoder, &mut Vec<u8>)) -> String {
    let mut buf = Vec::new();
    write(&mut encoder("b"), &mut buf);
    String::from_utf8(buf).unwrap()
}

#[track_caller]
fn check_refused(encoder: &mut PartEncoder, part: &WholePart) {
    let mut buf = Vec::new();
    assert_eq!(encoder.part(part, &mut buf), Err(BoundaryInPart));
    assert!(buf.is_empty(), "a part of a rejected part was written");
}

fn part(body: &'static str) -> WholePart {
    WholePart::new("text/plain", body).unwrap()
}

#[test]
fn the_delimiter_is_at_the_end_of_each_part() {
    let text = written(|encoder, buf| {
        encoder.part(&part("one"), buf).unwrap();
        encoder.part(&part(""), buf).unwrap();
    });
    let first = "--b\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\none\r\n--b\r\n";
    assert_eq!(text, format!("{first}Content-Type: text/plain\r\nContent-Length: 0\r\n\r\n\r\n--b\r\n"));
}

#[test]
fn a_leading_line_end_is_written_once_also_before_a_close() {
    let mut buf = Vec::new();
    let mut graphql = encoder("-").with_leading_line_end();
    graphql.begin(HeadersRef::default(), &mut buf).unwrap();
    graphql.data(b"{}", &mut buf).unwrap();
    graphql.close(&mut buf);
    assert_eq!(buf, b"\r\n---\r\n\r\n{}\r\n-----\r\n");

    buf.clear();
    encoder("-").with_leading_line_end().close(&mut buf);
    assert_eq!(buf, b"\r\n-----\r\n");
}

#[test]
fn a_delimiter_of_dashes_is_ended_by_what_follows_a_whole_part() {
    let (mut graphql, mut buf) = (encoder("-"), Vec::new());
    graphql.part(&WholePart::from_headers(Headers::new(), "1"), &mut buf).unwrap();
    assert_eq!(buf, b"---\r\nContent-Length: 1\r\n\r\n1\r\n---");
    buf.clear();
    graphql.part(&WholePart::from_headers(Headers::new(), "2"), &mut buf).unwrap();
    graphql.data(b"3", &mut buf).unwrap();
    graphql.end(&mut buf);
    assert_eq!(buf, b"\r\nContent-Length: 1\r\n\r\n2\r\n---\r\n\r\n3\r\n---\r\n");
    buf.clear();
    graphql.part(&WholePart::from_headers(Headers::new(), "4"), &mut buf).unwrap();
    graphql.close(&mut buf);
    assert_eq!(buf, b"Content-Length: 1\r\n\r\n4\r\n-----\r\n");
}

#[test]
fn a_close_ends_a_part_and_follows_a_delimiter() {
    let text = written(|encoder, buf| {
        encoder.data(b"x", buf).unwrap();
        encoder.clone().close(buf);
    });
    assert_eq!(text, "--b\r\n\r\nx\r\n--b--\r\n");
    let text = written(|encoder, buf| {
        encoder.data(b"x", buf).unwrap();
        encoder.end(buf);
        encoder.clone().close(buf);
    });
    assert_eq!(text, "--b\r\n\r\nx\r\n--b\r\n--b--\r\n");
}

#[test]
fn a_length_is_written_once_and_in_its_usual_form() {
    for (lines, expected) in [
        ("content-length: 3\r\nA: 1\r\n", "content-length: 3\r\nA: 1\r\n"),
        ("Content-Length: 7\r\n 7\r\nA: 1\r\n 2\n", "A: 1   2\r\nContent-Length: 3\r\n"),
        ("Content-Length: 3\r\ncontent-length: 0000000000000000000003\r\n", "Content-Length: 3\r\n"),
        ("Content-Length: 3\r\nContent-Length: 3\r\n", "Content-Length: 3\r\n"),
        ("Content-Length: 03\r\nA: 1\r\n", "A: 1\r\nContent-Length: 3\r\n"),
        ("Content-Length: 3\r\ncontent-length: x\r\n", "Content-Length: 3\r\n"),
    ] {
        let part = WholePart::from_headers(headers_of(lines.as_bytes()), "one");
        let text = written(|encoder, buf| encoder.part(&part, buf).unwrap());
        assert_eq!(text, format!("--b\r\n{expected}\r\none\r\n--b\r\n"), "{lines:?}");
    }
}

/// What a decoder reads from these lines, and an encoder writes.
#[track_caller]
fn check_rewritten(lines: &str, expected: &str) {
    let headers = headers_of(lines.as_bytes());
    let text = written(|encoder, buf| encoder.begin(headers.as_ref(), buf).unwrap());
    assert_eq!(text, format!("--b\r\n{expected}\r\n"), "{lines:?} in a streamed part");
    let text = written(|encoder, buf| encoder.part(&WholePart::from_headers(headers, "one"), buf).unwrap());
    let length = "Content-Length: 3\r\n\r\none\r\n--b\r\n";
    assert_eq!(text, format!("--b\r\n{expected}{length}"), "{lines:?} in a complete part");
}

#[test]
fn lines_that_are_not_headers_are_not_written() {
    check_rewritten("Content-Length\r: 2\r\n", "");
    check_rewritten("Content-Length: 2\r\r\n", "");
    check_rewritten("\rContent-Length: 2\r\n", "");
    check_rewritten("Content-Length\0: 2\r\n", "");
    check_rewritten("\0Content-Length: 2\r\n", "");
    check_rewritten("X-Role: user\r\n\0 admin\r\n", "X-Role: user\r\n");
    check_rewritten("X-Role: user\r\n\r admin\r\n", "X-Role: user\r\n");
    check_rewritten("X-Role: user\rX-Role: admin\r\n", "");
    check_rewritten("nocolon\r\n X-Evil: 1\r\nA: 1\r\n", "A: 1\r\n");
    check_rewritten(" X-Evil: 1\r\nA: 1\r\n", "A: 1\r\n");
    check_rewritten("A\r\n : 1\r\n", "");
    check_rewritten(": 1\r\nA B: 1\r\n\u{e4}: 1\r\n", "");
    check_rewritten("A : 1\nB:2\nC:\t3 \r\n\t \n", "A: 1\r\nB: 2\r\nC: 3\r\n");
}

#[test]
fn calls_in_a_wrong_order_are_completed() {
    let text = written(|encoder, buf| {
        encoder.end(buf); // no part to end
        encoder.data(b"", buf).unwrap(); // no data, so no part begins
        encoder.data(b"no begin", buf).unwrap();
        encoder.begin(Headers::new().with("A", "1").unwrap().as_ref(), buf).unwrap(); // the previous part has not ended
        encoder.part(&part("x"), buf).unwrap(); // this one has not ended either
        encoder.end(buf);
    });
    let third = "Content-Type: text/plain\r\nContent-Length: 1\r\n\r\nx\r\n--b\r\n";
    assert_eq!(text, format!("--b\r\n\r\nno begin\r\n--b\r\nA: 1\r\n\r\n\r\n--b\r\n{third}"));
}

#[test]
fn headers_cannot_end_the_block_or_begin_another() {
    for (value, at) in [("a\rb", 1), ("\n", 0), ("ab\0", 2)] {
        let error = Headers::new().with("A", value).unwrap_err();
        assert!(matches!(error, InvalidHeader::Value { at: found, .. } if found == at), "{error:?}");
    }
    for name in ["", "A B", "A:", "A\n", "\u{e4}"] {
        assert_eq!(Headers::new().with(name, "").unwrap_err(), InvalidHeader::Name, "{name:?}");
    }
    assert!(WholePart::new("text/plain\r\nA: 1", "").is_err());
}

#[test]
fn a_boundary_in_a_whole_part_is_refused() {
    for body in ["--b", "a--b", "a\r\n--b\r\n", "a\n--b--", "--bx"] {
        check_refused(&mut encoder("b"), &part(body));
    }
    for body in ["---", "a\n---", "---\r\n", "\n-----"] {
        check_refused(&mut encoder("-"), &part(body));
    }
    check_refused(&mut encoder("b"), &WholePart::from_headers(Headers::new().with("--b--", "1").unwrap(), ""));

    let mut buf = Vec::new();
    for body in ["-b", "--", "\r\n--", "- -b"] {
        encoder("b").part(&part(body), &mut buf).unwrap();
    }
    for body in ["{\"a\":\"---\"}", "a---\n--", "\r---"] {
        encoder("-").part(&part(body), &mut buf).unwrap();
    }
}

#[test]
fn a_boundary_in_a_streamed_part_is_refused_in_any_chunks() {
    let body = b"x\r\n--b";
    for cut in 0..=body.len() {
        let (mut encoder, mut buf) = (encoder("b"), Vec::new());
        encoder.begin(HeadersRef::default(), &mut buf).unwrap();
        let results = [encoder.data(&body[..cut], &mut buf), encoder.data(&body[cut..], &mut buf)];
        assert!(results.contains(&Err(BoundaryInPart)), "split at {cut}");
        assert!(!buf.ends_with(b"\r\n--b"), "split at {cut}");
        encoder.end(&mut buf); // the part can be ended
        assert!(buf.ends_with(b"\r\n--b\r\n"));
    }
    // Within a line it is not a delimiter, and the search starts again with each part.
    let (mut encoder, mut buf) = (encoder("b"), Vec::new());
    encoder.data(b"x--b", &mut buf).unwrap();
    encoder.data(b"--b", &mut buf).unwrap();
    encoder.end(&mut buf);
    assert_eq!(encoder.data(b"--b", &mut buf), Err(BoundaryInPart));
}

#[test]
fn boundaries_that_can_be_written() {
    for boundary in ["-", "a", "a b", "'()+_,-./:=?", &"x".repeat(70)] {
        assert!(PartEncoder::new(Boundary::new(boundary).unwrap()).is_ok(), "{boundary}");
    }
    for (boundary, at) in [("a;b", 1), ("a ", 1), ("\u{e4}", 0), ("a\"", 1)] {
        let error = PartEncoder::new(Boundary::new(boundary).unwrap()).unwrap_err();
        assert!(matches!(error, InvalidBoundary::Byte { at: found, .. } if found == at), "{boundary}: {error:?}");
    }
    let error = PartEncoder::new(Boundary::new("x".repeat(71)).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "the boundary has 71 bytes; the limit is 70");
    assert!(matches!(Boundary::new("x".repeat(201)), Err(InvalidBoundary::TooLong { len: 201, max: 200, .. })));
    assert_eq!(Boundary::new(""), Err(InvalidBoundary::Empty));
}

#[test]
fn the_content_type_quotes_where_necessary() {
    for (boundary, expected) in [("a-b_c.d", "a-b_c.d"), ("-", "\"-\""), ("a:b", "\"a:b\""), ("a b", "\"a b\"")] {
        assert_eq!(encoder(boundary).content_type("multipart/mixed"), format!("multipart/mixed; boundary={expected}"));
        let content_type = encoder(boundary).content_type("multipart/x-mixed-replace");
        assert_eq!(Boundary::from_content_type(content_type.as_bytes()).unwrap().as_bytes(), boundary.as_bytes());
    }
}

#[test]
fn random_boundaries_can_be_written_and_differ() {
    let [one, two] = [(); 2].map(|()| PartEncoder::random().content_type("multipart/mixed"));
    assert_ne!(one, two);
    assert!(PartEncoder::new(Boundary::from_content_type(one.as_bytes()).unwrap()).is_ok());
}
