//! Tests of the client with responses that the tests write.

use std::io::{self, Write};

use eventwire_test_support::serve;
use talk::{Heard, ListenError};

use crate::talking::{Owned, ask, hear, spell};

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=b\r\n";
const TEXT: &str = "Content-Type: text/plain; charset=utf-8\r\nSentence: 1\r\n\r\n";

/// Reads a response with this head and these writes, after which the connection is closed.
async fn heard(head: &str, writes: Vec<Vec<u8>>) -> (Vec<Owned>, Result<(), ListenError>) {
    let head = head.to_owned() + "\r\n";
    let url = serve(move |_, mut client| {
        client.set_nodelay(true).unwrap();
        client.write_all(head.as_bytes()).unwrap();
        for write in writes {
            // The client may have closed the connection.
            let _ = client.write_all(&write);
        }
    });
    hear(ask(&url).await).await
}

async fn heard_body(body: &str) -> (Vec<Owned>, Result<(), ListenError>) {
    heard(HEAD, vec![body.into()]).await
}

fn text(text: &str) -> Owned {
    Owned::Text(1, text.into())
}

#[tokio::test]
async fn parts_of_all_kinds() {
    let wav = spell("a").to_wav();
    let mut body = format!("--b\r\n{TEXT}one\r\n--b\r\nContent-Type: video/mp4\r\n\r\nno\r\n--b\r\n\r\nno\r\n--b\r\n");
    body += "content-type: Audio/WAV; rate=1\r\nSENTENCE: 7\r\n\r\n";
    let mut body = body.into_bytes();
    body.extend_from_slice(&wav);
    body.extend(
        b"\r\n--b\r\nContent-Type: image/svg+xml\r\n\r\n<svg/>\r\n--b\r\nContent-Type: text/plain\r\n\r\ntwo\r\n--b",
    );
    body.extend(b"\r\nContent-Type: application/json\r\nSentence: x\r\n\r\n[1]\r\n--b--\r\nafter");
    let (parts, end) = heard(HEAD, vec![body]).await;
    end.unwrap();
    let svg = Owned::Drawing("<svg/>".into());
    let calls = Owned::ToolCalls(serde_json::json!([1]));
    assert_eq!(parts, [text("one"), Owned::Sound(7, "a".into()), svg, Owned::Text(0, "two".into()), calls]);
}

/// The connection is closed at each position of a stream. Only the complete stream is not an error, and everything
/// before the position is received.
#[tokio::test]
async fn a_stream_that_is_cut_anywhere() {
    let body = format!("--b\r\n{TEXT}one\r\n--b\r\nContent-Type: image/svg+xml\r\n\r\n<svg/>\r\n--b--\r\n");
    let text_at = body.find("one").unwrap();
    let next = text_at + "one\r\n--b\r\n".len();
    let svg_end = body.find("<svg/>").unwrap() + "<svg/>".len();
    let closed = body.len() - 2;
    for cut in 0..body.len() {
        for chunked in [true, false] {
            let (head, sent) = if chunked {
                let chunk = format!("{:x}\r\n{}\r\n", cut.max(1), &body[..cut.max(1)]);
                (format!("{HEAD}Transfer-Encoding: chunked\r\n"), chunk)
            } else {
                (HEAD.to_owned(), body[..cut].to_owned())
            };
            let (parts, end) = heard(&head, vec![sent.into()]).await;
            // After the close delimiter, the client does not wait for the end of the chunked encoding.
            assert_eq!(end.is_ok(), cut >= closed, "{cut}, {chunked}: {end:?}");
            if let Err(error) = end {
                // Bytes without a delimiter could be anything.
                let is_anything = !chunked && (1..5).contains(&cut) && matches!(error, ListenError::NoAnswer(_));
                assert!(is_anything || matches!(error, ListenError::CutOff(_)), "{cut}, {chunked}: {error:?}");
            }
            let heard_text: String = parts
                .iter()
                .filter_map(|part| match part {
                    Owned::Text(_, text) => Some(text.as_str()),
                    _ => None,
                })
                .collect();
            // An incomplete delimiter at the end is text.
            let arrived = &body[text_at.min(cut)..cut.min(next)];
            let is_text = arrived.starts_with(&heard_text) && heard_text.len() >= arrived.len().min(3);
            assert!(is_text && (cut < next || heard_text == "one"), "{cut}, {chunked}: {heard_text:?}");
            let is_drawn = parts.contains(&Owned::Drawing("<svg/>".into()));
            // The drawing is complete when its delimiter has arrived.
            assert!(!is_drawn || cut > svg_end, "{cut}, {chunked}");
            assert!(is_drawn || cut < closed, "{cut}, {chunked}");
        }
    }
}

#[tokio::test]
async fn characters_that_are_cut() {
    let body = format!("--b\r\n{TEXT}é日\r\n--b--");
    let writes = body.bytes().map(|byte| vec![byte]).collect();
    let (parts, end) = heard(HEAD, writes).await;
    end.unwrap();
    assert_eq!(parts, [text("é日")]);
    // An incomplete character at the end of a part.
    let mut body = format!("--b\r\n{TEXT}é").into_bytes();
    body.pop();
    body.extend(format!("\r\n--b\r\n{TEXT}x\r\n--b--").bytes());
    let (parts, end) = heard(HEAD, vec![body]).await;
    end.unwrap();
    assert_eq!(parts, [text("\u{FFFD}x")]);
}

/// Text has no limit, because it is not stored.
#[tokio::test]
async fn a_part_that_is_too_large() {
    const LIMIT: usize = 16 << 20;
    for (size, is_ok) in [(LIMIT, true), (LIMIT + 1, false)] {
        for content_type in ["audio/wav", "application/json", "image/svg+xml", "text/plain"] {
            let body = format!("--b\r\nContent-Type: {content_type}\r\n\r\n{}\r\n--b--", "x".repeat(size));
            let head = HEAD.to_owned() + "\r\n";
            let url = serve(move |_, mut client| {
                let _ = client.write_all(head.as_bytes()).and_then(|()| client.write_all(body.as_bytes()));
            });
            let mut length = 0;
            let end = talk::listen(ask(&url).await, |heard| {
                length += match heard {
                    Heard::Text { text, .. } => text.len(),
                    Heard::Sound { wav: bytes, .. } | Heard::ToolCalls(bytes) | Heard::Drawing(bytes) => bytes.len(),
                    other => panic!("{other:?}"),
                };
                Ok(())
            })
            .await;
            if is_ok || content_type == "text/plain" {
                end.unwrap();
                assert_eq!(length, size, "{content_type}");
            } else {
                assert!(matches!(&end, Err(ListenError::NoAnswer(why)) if why.contains("16777216 bytes")), "{end:?}");
                assert_eq!(length, 0, "{content_type}");
            }
        }
    }
}

#[tokio::test]
async fn responses_that_are_not_an_answer() {
    for (head, said) in [
        ("HTTP/1.1 200 OK\r\n", "not multipart"),
        ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", "not multipart"),
        ("HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace\r\n", "no boundary"),
    ] {
        let (parts, end) = heard(head, vec![b"--b\r\n\r\nx\r\n--b--".into()]).await;
        assert!(matches!(&end, Err(ListenError::NoAnswer(why)) if why.contains(said)), "{end:?}");
        assert!(parts.is_empty());
    }
    for (body, said) in
        [("<html>", "no error message"), (r#"{"error":"no\u001b"}"#, "answered 503 Service Unavailable: no\\u{1b}")]
    {
        let (_, end) = heard("HTTP/1.1 503 Service Unavailable\r\n", vec![body.into()]).await;
        assert!(matches!(&end, Err(ListenError::Refused(why)) if why.contains(said)), "{end:?}");
    }
    let (_, end) = heard_body("no delimiter anywhere").await;
    end.unwrap_err();
}

/// The caller stops reading, for example because the disk is full.
#[tokio::test]
async fn an_error_of_the_caller() {
    let body = format!("{HEAD}\r\n--b\r\n{TEXT}one\r\n--b\r\n{TEXT}two\r\n--b--");
    let url = serve(move |_, mut client| client.write_all(body.as_bytes()).unwrap());
    let mut calls = 0;
    let end = talk::listen(ask(&url).await, |_| {
        calls += 1;
        Err(io::ErrorKind::StorageFull.into())
    });
    let end = end.await;
    assert!(matches!(&end, Err(ListenError::Output(error)) if error.kind() == io::ErrorKind::StorageFull), "{end:?}");
    assert_eq!(calls, 1);
}
