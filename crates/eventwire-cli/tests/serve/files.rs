//! Files: recordings and what they say, files that change, and large ones.

use std::fs;

use crate::CHAT;
use crate::answer::End;
use crate::server::{Server, file};

/// Returns a recording with these answers: the fields of each response, and its text.
fn recording(answers: &[(&str, &str)]) -> String {
    let mut text = "{\"recording\":1}\n".to_owned();
    for (fields, body) in answers {
        text += &format!("{{\"response\":{{\"status\":200{fields}}}}}\n");
        text += &format!("{{\"chunk\":{{\"bytes\":{}}}}}\n", serde_json::to_string(body).unwrap());
        text += "{\"end\":{\"how\":\"complete\"}}\n";
    }
    text
}

fn serve(recording: &str, options: &[&str]) -> Server {
    Server::start(file("recording.txt", recording).to_str().unwrap(), options)
}

#[test]
fn each_connection_gets_the_next_answer() {
    let three = recording(&[("", "id: 1\n\n"), ("", "id: 1\n\nid: 2\n\n"), ("", "id: 3\n\nid: 4\n\n")]);
    let server = serve(&three, &[]);
    // A HEAD uses up none.
    server.ask("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    server.get("/").is("id: 1\n\n");
    // The next answer is what a server sent to a client that had an ID, so nothing of it is left out.
    server.get_after("1").is("id: 1\n\nid: 2\n\n");
    server.get_after("3").is("id: 3\n\nid: 4\n\n");
    server.get_after("3").is("id: 3\n\nid: 4\n\n");
    // But the option says otherwise.
    let server = serve(&three, &["--resume", "exact"]);
    server.get("/").is("id: 1\n\n");
    server.get_after("1").is("id: 2\n\n");
}

/// The server has a connection of its own.
#[test]
fn headers_about_the_recorded_connection_are_left_out() {
    let headers = r#"["Connection","keep-alive"],["keep-alive","timeout=5"],["Transfer-Encoding","gzip"],["x-a","b"]"#;
    let answer = serve(&recording(&[(&format!(",\"headers\":[{headers}]"), CHAT)]), &[]).get("/");
    answer.is(CHAT);
    assert_eq!((answer.header("connection"), answer.header("x-a")), (vec!["close".to_owned()], vec!["b".to_owned()]));
    assert_eq!((answer.header("keep-alive").len(), answer.header("transfer-encoding").len()), (0, 1));
}

/// An answer that is sent instead uses up none of the file.
#[test]
fn after_a_refusal_the_answers_begin() {
    let server = serve(&recording(&[("", "one"), ("", "two")]), &["--status", "503", "--times", "2"]);
    assert_eq!([server.get("/").status(), server.get("/").status()], [503, 503]);
    server.get("/").is("one");
    server.get("/").is("two");
}

/// With another fault, the answer is the one of the connection.
#[test]
fn an_answer_that_is_cut_is_used_up() {
    let server = serve(&recording(&[("", "one"), ("", "two")]), &["--cut-after", "2b", "--times", "1"]);
    server.get("/").is_cut("on", End::Fin);
    server.get("/").is("two");
}

#[test]
fn options_replace_what_the_file_says() {
    let text = recording(&[(
        ",\"faults\":{\"cut_after\":1,\"resume\":\"repeat\",\"chunk\":5,\"pace\":\"2ms\",\"seed\":3}",
        CHAT,
    )]);
    let server = serve(&text, &[]);
    let answer = server.get("/");
    // The recorded end is that of the whole body.
    answer.is_cut(&CHAT[..17], End::Fin);
    assert_eq!(answer.chunks().0[0], b"id: 1");
    server.get_after("2").is_cut(&CHAT[17..34], End::Fin);
    let server = serve(&text, &["--cut-after", "2", "--chunk", "6", "--resume", "exact"]);
    let answer = server.get_after("1");
    answer.is_cut(&CHAT[17..], End::Fin);
    assert_eq!(answer.chunks().0[0], b"id: 2\n");
    let slow = text.replace("2ms", "3600s");
    serve(&slow, &["--pace", "none"]).get("/").is_cut(&CHAT[..17], End::Fin);
    let server = serve(&text, &["--end", "reset"]);
    server.get("/").is_cut(&CHAT[..17], End::Rst);
}

/// How a recording ended is not how the option cuts it.
#[test]
fn a_recording_that_is_cut_is_not_complete() {
    serve(&recording(&[("", CHAT)]), &["--cut-after", "1"]).get("/").is_cut(&CHAT[..17], End::Fin);
    serve(&recording(&[("", CHAT)]), &[]).get("/").is(CHAT);
}

#[test]
fn a_compressed_recording_can_be_cut_by_bytes() {
    let text = recording(&[(",\"headers\":[[\"Content-Encoding\",\"gzip\"]]", "0123456789")]);
    let server = serve(&text, &["--cut-after", "5b", "--chunk", "2"]);
    let answer = server.get_after("1");
    answer.is_cut("01234", End::Fin);
    assert_eq!(answer.header("content-encoding"), ["gzip"]);
    let path = file("gzip.txt", &text);
    for options in [
        &["--cut-after", "3"][..],
        &["--cut-after", "1+1b"],
        &["--resume", "exact"],
        &["--garbage", "10"],
        &["--keep-alive", "10"],
    ] {
        let args = [&["serve", path.to_str().unwrap(), "--listen", "0"], options].concat();
        let end = eventwire_test_support::Process::start(env!("CARGO_BIN_EXE_eventwire"), &args, &[]).end();
        end.failed("", &["gzip.txt: the body is compressed", "--cut-after with bytes"]);
    }
    serve(&text, &["--resume", "ignore"]).get("/").is("0123456789");
    let plain = recording(&[(",\"headers\":[[\"content-encoding\",\"identity\"]]", CHAT)]);
    serve(&plain, &["--cut-after", "1"]).get("/").is_cut(&CHAT[..17], End::Fin);
}

#[test]
fn a_file_that_changes_is_read_again() {
    let path = file("changing.txt", recording(&[("", "a"), ("", "b")]));
    let server = Server::start(path.to_str().unwrap(), &[]);
    server.get("/").is("a");
    fs::write(&path, recording(&[("", "a longer one"), ("", "c")])).unwrap();
    server.get("/").is("c");
    fs::write(&path, "{\"recording\":1}\n{\"response\":{}}\n").unwrap();
    let answer = server.get("/");
    assert_eq!(answer.status(), 500);
    let body = String::from_utf8(answer.body()).unwrap();
    assert!(body.contains("changing.txt:2:14: missing field `status`"), "{body}");
    fs::write(&path, "data: plain\n\n").unwrap();
    server.get("/").is("data: plain\n\n");
    fs::remove_file(&path).unwrap();
    let answer = server.get("/");
    assert_eq!(answer.status(), 500);
    assert!(answer.text().contains("cannot read"), "{}", answer.text());
}

#[test]
#[cfg(target_os = "linux")]
fn a_large_file_is_not_in_memory() {
    use std::io::Read;

    const FILE: u64 = 1 << 30;
    const READ: u64 = 16 << 20;
    let path = file("large.sse", "");
    // It has no blocks on the disk.
    fs::File::options().write(true).open(&path).unwrap().set_len(FILE).unwrap();
    let server = Server::start(path.to_str().unwrap(), &[]);
    let mut socket = server.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").take(READ);
    assert_eq!(std::io::copy(&mut socket, &mut std::io::sink()).unwrap(), READ);
    let status = fs::read_to_string(format!("/proc/{}/status", server.process.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < 32 << 10, "{peak} KiB");
    fs::remove_file(path).unwrap();
}
