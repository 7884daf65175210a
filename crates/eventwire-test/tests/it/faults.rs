//! The faults that are for the program `eventwire`, and how they are written.

use std::io::{Read, Write};
use std::num::NonZeroU32;
use std::time::Duration;

use eventwire_test::internal::{Chunking, Pace, Place};
use eventwire_test::{End, Script, TestServer};

use crate::raw_reader::{RawEnd, connect, get, get_until_silence};

fn chunks(script: Script) -> (Vec<String>, bool) {
    let server = TestServer::new().answer(script);
    get(&server.url(), "").chunks()
}

#[test]
fn garbage_leaves_the_line_ends() {
    let text = "data: 0123456789\r\n\r\n".repeat(100);
    let spoiled = |seed, size| {
        let mut script = text.as_bytes().chunks(size).map(<[u8]>::to_vec).fold(Script::new(), Script::send);
        script.faults_mut().garbage = NonZeroU32::new(50);
        script.faults_mut().seed = Some(seed);
        chunks(script).0.concat()
    };
    let seen = spoiled(7, 1000);
    // Chunks do not matter, a seed does.
    assert_eq!(seen, spoiled(7, 3));
    assert_ne!(seen, spoiled(8, 1000));
    let count = seen.matches("<ff>").count();
    assert!((10..80).contains(&count), "{count}");
    assert_eq!(seen.replace("<ff>", "?").len(), text.len());
    assert_eq!(seen.matches("\r\n\r\n").count(), 100);
}

#[test]
fn a_body_that_is_sent_again_and_again() {
    let mut script = Script::new().send("data: a\n\n").send("data: b\n\n").cut_after(5);
    script.faults_mut().repeat = true;
    assert_eq!(chunks(script).0.concat(), "data: a\n\ndata: b\n\ndata: a\n\ndata: b\n\ndata: a\n\n");
    let mut empty = Script::new().send("");
    empty.faults_mut().repeat = true;
    assert_eq!(chunks(empty), (Vec::new(), true));
}

/// Only between two blocks, where a comment means nothing.
#[test]
fn keep_alives() {
    let mut script = Script::new()
        .send("data: a\n\n")
        .wait(Duration::from_millis(50))
        .send("data: b\n")
        .wait(Duration::from_millis(50))
        .send("\n");
    script.faults_mut().keep_alive = NonZeroU32::new(20);
    assert_eq!(chunks(script).0, ["data: a\n\n", ":\n\n", ":\n\n", "data: b\n", "\n"]);

    let mut stalled = Script::new().send("data: a\n\n").with_end(End::Stall);
    stalled.faults_mut().keep_alive = NonZeroU32::new(20);
    let server = TestServer::new().answer(stalled);
    let mut socket = connect(&server.url());
    socket.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    // The head, the event and some comments.
    let mut seen = vec![0; 160];
    socket.read_exact(&mut seen).unwrap();
    let seen = String::from_utf8(seen).unwrap();
    assert!(seen.matches("3\r\n:\n\n\r\n").count() > 2, "{seen}");
}

#[test]
fn a_pace() {
    let script = |pace: &str| {
        let mut script = Script::new().send("a").wait(Duration::from_secs(3600)).send("b");
        script.faults_mut().pace = Some(pace.parse().unwrap());
        script
    };
    for pace in ["none", "1000000x", "1ms", "0.001s"] {
        assert_eq!(chunks(script(pace)).0, ["a", "b"], "{pace}");
    }
    let server = TestServer::new().answer(script("recorded"));
    let raw = get_until_silence(&server.url(), "a\r\n");
    assert_eq!((raw.chunks().0, raw.end), (vec!["a".to_owned()], RawEnd::Silence));
}

#[test]
fn how_values_are_written() {
    let size = |size: usize| Chunking::Size(size.try_into().unwrap());
    assert_eq!("7".parse::<Chunking>().unwrap(), size(7));
    assert_eq!("random".parse::<Chunking>().unwrap(), Chunking::Random);
    for (text, events, bytes) in [("3", 3, 0), ("100b", 0, 100), ("3+5b", 3, 5), ("0", 0, 0)] {
        assert_eq!(text.parse::<Place>().unwrap(), Place { events, bytes });
    }
    assert_eq!("2.5x".parse::<Pace>().unwrap(), Pace::Times(2.5));
    assert_eq!("100ms".parse::<Pace>().unwrap(), Pace::Every(Duration::from_millis(100)));
    assert_eq!("1.5s".parse::<Pace>().unwrap(), Pace::Every(Duration::from_millis(1500)));

    let chunking = |text: &str| text.parse::<Chunking>().unwrap_err().to_string();
    assert_eq!(chunking("0"), "found \"0\", expected a number of bytes, from 1 to 1048576, or `random`");
    for text in ["", "-1", "+5", "1.5", "all", "1048577"] {
        assert!(text.parse::<Chunking>().is_err(), "{text}");
    }
    for text in ["", "b", "3+5", "+5b", "3+", "-1", "1.5", "3b+5b", "3++5b", "three"] {
        assert!(text.parse::<Place>().is_err(), "{text}");
    }
    for text in ["", "x", "0x", "-1x", "infx", "NaNx", "ms", "-1s", "1", "fast", "1e300s", "+1x", "+1ms"] {
        assert!(text.parse::<Pace>().is_err(), "{text}");
    }
}
