//! Text whose characters are split across chunks.

use crate::{generator::any_cut, stream_generator::cut};
use eventwire_multipart::{Boundary, PartDecoder, Parts, TextDecoder};
use futures_util::{FutureExt, stream};
use proptest::{collection::vec, prelude::*, sample::select};
use std::convert::Infallible;

proptest! {
    #[test]
    fn any_split_is_the_same_text(
        pieces in vec(select(vec![&b"a"[..], b"\xC3", b"\xA9", b"\xE2\x82\xAC", b"\xE2\x82", b"\xF0\x9F\x98\x80", b"\xF0\x9F", b"\xFF"]), 0..20),
        sizes in any_cut(),
    ) {
        let bytes = pieces.concat();
        let mut decoder = TextDecoder::new();
        let mut text: String = cut(&bytes, &sizes).into_iter().map(|chunk| decoder.decode(chunk)).collect();
        text += decoder.finish();
        prop_assert_eq!(text, String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn the_text_of_a_part_arrives_in_whole_characters() {
    let chunks = [&b"--b\r\n\r\ncaf\xC3"[..], b"\xA9", b" \xE2\x82", b"\r\n--b\r\n\r\n\xC3\xA9\r\n--b--"];
    let chunks = stream::iter(chunks.map(|chunk| Ok::<_, Infallible>(chunk.to_vec())));
    let mut parts = Parts::new(chunks, PartDecoder::new(Boundary::new("b").unwrap()));
    let read = async {
        let mut texts = Vec::new();
        while let Some(part) = parts.next().await {
            let mut part = part.unwrap();
            while let Some(text) = part.text().await {
                texts.push(text.unwrap());
            }
            assert!(part.text().await.is_none() && part.part_end().unwrap().is_complete());
            texts.push("|".to_owned());
        }
        texts
    };
    let texts = read.now_or_never().unwrap();
    assert_eq!(texts.concat(), "caf\u{E9} \u{FFFD}|\u{E9}|");
    assert!(texts.iter().all(|text| !text.is_empty()), "{texts:?}");
}

#[test]
fn after_the_error_of_a_truncated_part_there_is_no_text() {
    let chunks = [&b"--b\r\nContent-Length: 9\r\n\r\ncaf\xC3"[..], b"\r\n--b--"];
    let chunks = stream::iter(chunks.map(|chunk| Ok::<_, Infallible>(chunk.to_vec())));
    let mut parts = Parts::new(chunks, PartDecoder::new(Boundary::new("b").unwrap()));
    let read = async {
        let mut part = parts.next().await.unwrap().unwrap();
        let mut texts = Vec::new();
        while let Some(text) = part.text().await {
            texts.push(text.map_err(|error| error.to_string()));
        }
        texts
    };
    let texts = read.now_or_never().unwrap();
    assert_eq!((texts.len(), &texts[0]), (2, &Ok("caf".to_owned())));
    assert!(texts[1].as_ref().is_err_and(|error| error.contains("truncated")), "{texts:?}");
}
