//! Each option, on the wire.

use std::io::{ErrorKind, Read};
use std::time::Duration;

use crate::answer::End;
use crate::server::{Server, file};
use crate::{CHAT, HEAD};

#[test]
fn without_options_each_event_is_a_chunk() {
    let server = Server::chat(&[]);
    let answer = server.get("/any/path?query");
    assert_eq!(
        (answer.text(), answer.end),
        (
            format!(
                "{HEAD}11\r\nid: 1\ndata: one\n\n\r\n11\r\nid: 2\ndata: two\n\n\r\n14\r\nid: 3\ndata: zwölf\n\n\r\n0\r\n\r\n"
            ),
            End::Fin
        )
    );
    server.ask("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}").is(CHAT);
    let head = server.ask("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!((head.text(), head.end), (HEAD.replace("transfer-encoding: chunked\r\n", ""), End::Fin));
}

#[test]
fn chunks_of_a_size() {
    let (chunks, is_complete) = Server::chat(&["--chunk", "1"]).get("/").chunks();
    assert_eq!((chunks.concat(), is_complete), (CHAT.into(), true));
    assert!(chunks.iter().all(|chunk| chunk.len() == 1));
    let (chunks, _) = Server::chat(&["--chunk", "20"]).get("/").chunks();
    assert_eq!(chunks.iter().map(Vec::len).collect::<Vec<_>>(), [20, 20, CHAT.len() - 40]);
}

#[test]
fn random_faults_are_those_of_the_seed() {
    let stream = CHAT.repeat(100);
    let path = file("long.sse", &stream);
    let runs: Vec<_> = ["7", "7", "8"]
        .iter()
        .map(|seed| {
            let options = ["--chunk", "random", "--garbage", "50", "--seed", seed];
            let server = Server::start(path.to_str().unwrap(), &options);
            [server.get("/"), server.get("/")]
        })
        .collect();
    assert_eq!(runs[0], runs[1]);
    // The second connection has the next seed.
    assert_ne!(runs[0][0], runs[0][1]);
    assert_eq!(runs[0][1], runs[2][0]);
    let (chunks, is_complete) = runs[0][0].chunks();
    assert!(is_complete && chunks.iter().any(|chunk| chunk.len() == 1) && chunks.iter().any(|chunk| chunk.len() > 40));
    let body = chunks.concat();
    assert_eq!(body.len(), stream.len());
    let spoiled = body.iter().zip(stream.as_bytes()).filter(|(now, before)| now != before);
    let spoiled: Vec<u8> = spoiled.map(|(now, _)| *now).collect();
    assert!(spoiled.iter().all(|&byte| byte == 0xFF) && (50..200).contains(&spoiled.len()), "{}", spoiled.len());
}

#[test]
fn cuts() {
    let events: Vec<&str> = CHAT.split_inclusive("\n\n").collect();
    for (place, body) in [
        ("2", events[..2].concat()),
        ("0", String::new()),
        ("9b", "id: 1\ndat".to_owned()),
        ("1+6b", format!("{}id: 2\n", events[0])),
    ] {
        let server = Server::chat(&["--cut-after", place]);
        server.get("/").is_cut(&body, End::Fin);
        Server::chat(&["--cut-after", place, "--end", "reset"]).get("/").is_cut(&body, End::Rst);
        Server::chat(&["--cut-after", place, "--end", "complete"]).get("/").is(&body);
    }
}

#[test]
fn ends() {
    Server::chat(&["--end", "complete"]).get("/").is(CHAT);
    Server::chat(&["--end", "close"]).get("/").is_cut(CHAT, End::Fin);
    Server::chat(&["--end", "reset"]).get("/").is_cut(CHAT, End::Rst);
}

#[test]
fn a_stream_that_stalls() {
    let server = Server::chat(&["--cut-after", "1", "--end", "stall"]);
    let mut socket = server.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let expected = format!("{HEAD}11\r\nid: 1\ndata: one\n\n\r\n");
    let mut bytes = vec![0; expected.len()];
    socket.read_exact(&mut bytes).unwrap();
    assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    socket.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    let error = socket.read(&mut [0]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error}");
}

#[test]
fn keep_alives_while_nothing_is_sent() {
    let server = Server::chat(&["--keep-alive", "0.01", "--end", "stall"]);
    let mut socket = server.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let mut text = String::new();
    while !text.ends_with("\n\n\r\n3\r\n:\n\n\r\n3\r\n:\n\n\r\n") {
        let mut byte = [0];
        socket.read_exact(&mut byte).unwrap();
        text.push(char::from(byte[0]));
    }
    assert!(text.contains("id: 3\n"), "{text:?}");
}

#[test]
fn a_pace_replaces_recorded_times() {
    // With the times of the recording, the test would take an hour.
    let recording = "{\"recording\":1}\n{\"response\":{\"status\":200}}\n{\"chunk\":{\"ms\":3600000,\"bytes\":\"data: \
                     1\\n\\n\"}}\n{\"end\":{\"ms\":3600000,\"how\":\"close\"}}\n";
    let path = file("slow.txt", recording);
    for pace in ["none", "1ms", "1000000x"] {
        let server = Server::start(path.to_str().unwrap(), &["--pace", pace]);
        server.get("/").is_cut("data: 1\n\n", End::Fin);
    }
    // The recorded times are those without the option, too.
    for pace in [&[][..], &["--pace", "recorded"]] {
        let server = Server::start(path.to_str().unwrap(), &[pace, &["--keep-alive", "0.01"]].concat());
        let mut socket = server.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let head = HEAD.replace("content-type: text/event-stream\r\n", "");
        let mut bytes = vec![0; head.len() + 16];
        socket.read_exact(&mut bytes).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), format!("{head}3\r\n:\n\n\r\n3\r\n:\n\n\r\n"));
    }
}

#[test]
fn a_stream_without_end() {
    let server = Server::chat(&["--repeat", "--cut-after", "7"]);
    let events: Vec<&str> = CHAT.split_inclusive("\n\n").collect();
    server.get("/").is_cut(&format!("{CHAT}{CHAT}{}", events[0]), End::Fin);
}

#[test]
fn the_last_event_id() {
    let events: Vec<&str> = CHAT.split_inclusive("\n\n").collect();
    for (resume, from) in [("exact", 1), ("ignore", 0), ("repeat", 0), ("skip", 2)] {
        let server = Server::chat(&["--resume", resume]);
        server.get_after("1").is(&events[from..].concat());
    }
    Server::chat(&["--resume", "repeat"]).get_after("2").is(&events[1..].concat());
    let server = Server::chat(&[]);
    server.get_after("2").is(events[2]);
    server.get_after("3").is("");
    server.get_after("unknown").is(CHAT);
}

#[test]
fn the_first_connections_fail() {
    let server = Server::chat(&["--cut-after", "1", "--garbage", "1", "--header", "X-A: b", "--times", "2"]);
    // A HEAD is not one of them.
    assert_eq!(server.ask("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n").header("x-a"), ["b"]);
    for _ in 0..2 {
        let answer = server.get("/");
        assert_eq!((answer.header("x-a"), answer.chunks().1), (vec!["b".to_owned()], false));
        assert_eq!(answer.body(), b"\xFF\xFF\xFF\xFF\xFF\n\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\n\n");
    }
    let answer = server.get("/");
    assert_eq!(answer.head(), HEAD);
    answer.is(CHAT);
}

/// Only then a client that comes again after a single fault gets what `--resume` says.
#[test]
fn how_the_stream_is_sent_has_no_times() {
    let options = ["--cut-after", "1", "--times", "1", "--resume", "repeat", "--chunk", "100"];
    let server = Server::chat(&options);
    assert!(!server.get("/").chunks().1);
    let answer = server.get_after("1");
    answer.is(CHAT);
    assert_eq!(answer.chunks().0.len(), 1);
}

#[test]
fn a_status_instead_of_the_stream() {
    let options = ["--status", "503", "--retry-after", "2", "--header", "X-Why: busy", "--times", "1"];
    let server = Server::chat(&options);
    let answer = server.get("/");
    assert_eq!(
        (answer.text().as_str(), answer.end),
        (
            "HTTP/1.1 503 Service Unavailable\r\nretry-after: 2\r\nx-why: busy\r\ncontent-length: 0\r\n\
             connection: close\r\n\r\n",
            End::Fin
        )
    );
    let answer = server.get("/");
    assert_eq!(answer.head(), HEAD);
    answer.is(CHAT);
}

/// With `--times`, the options about the stream are for later connections.
#[test]
fn after_a_status_the_stream_is_sent_as_the_options_say() {
    let server = Server::chat(&["--status", "503", "--times", "1", "--chunk", "1"]);
    assert_eq!(server.get("/").status(), 503);
    assert_eq!(server.get("/").chunks().0.len(), CHAT.len());
}

#[test]
fn a_page_instead_of_the_stream() {
    let answer = Server::chat(&["--html"]).get("/");
    assert_eq!((answer.status(), answer.header("content-type")), (200, vec!["text/html; charset=utf-8".to_owned()]));
    assert!(answer.body().starts_with(b"<!doctype html>\n"));
    let options = ["--html", "--status", "502", "--header", "Content-Type: text/event-stream"];
    let answer = Server::chat(&options).get("/");
    assert_eq!((answer.status(), answer.header("content-type")), (502, vec!["text/event-stream".to_owned()]));
}

#[test]
fn headers_replace_those_of_the_file() {
    let options = ["--header", "Content-Type: text/plain", "--header", "Set-Cookie: a", "--header", "Set-Cookie: b"];
    let answer = Server::chat(&options).get("/");
    assert_eq!(answer.header("content-type"), ["text/plain"]);
    assert_eq!(answer.header("set-cookie"), ["a", "b"]);
    answer.is(CHAT);
    // The body is shorter than its head says.
    let answer = Server::chat(&["--header", "Content-Length: 1000"]).get("/");
    assert_eq!((&answer.bytes[answer.head().len()..], answer.end), (CHAT.as_bytes(), End::Fin));
}

#[test]
fn an_end_with_no_content() {
    let server = Server::chat(&["--no-content-after", "2"]);
    server.get("/").is(CHAT);
    server.ask("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    server.get_after("1").is(&CHAT[17..]);
    for _ in 0..2 {
        assert_eq!(server.get("/").text(), "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n");
    }
}
