//! The page shows what is seen: its commands are run, by curl if there is one, and by a reader of raw sockets.

use std::collections::BTreeSet;
use std::env;
use std::io::{ErrorKind, Read};
use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

use eventwire_test_support::PATIENCE;

use crate::server::{Server, file};

const PAGE: &str = include_str!("../../README.md");

/// A command of the page, and the lines after it.
struct Shown {
    command: &'static str,
    output: Vec<&'static str>,
}

/// Returns the commands of the page. A block without a server is about that of the block before.
fn commands() -> Vec<Shown> {
    let blocks = PAGE.split("```console\n").skip(1).map(|block| block.split_once("```").unwrap().0);
    let mut shown: Vec<Shown> = Vec::new();
    for line in blocks.flat_map(str::lines) {
        match line.strip_prefix("$ ") {
            Some(command) => shown.push(Shown { command, output: Vec::new() }),
            None => shown.last_mut().unwrap().output.push(line),
        }
    }
    shown
}

/// What a client printed, and the code of curl's error.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    text: String,
    error: Option<String>,
}

impl Seen {
    /// The words of the error are those of a version of curl, or of a system.
    fn new(lines: &[&str]) -> Seen {
        let error = lines.last().and_then(|line| line.strip_prefix("curl: ("));
        let lines = if error.is_some() { &lines[..lines.len() - 1] } else { lines };
        let error = error.map(|error| error.split_once(')').unwrap().0.to_owned());
        Seen { text: lines.join("\n").trim_end().to_owned(), error }
    }
}

/// Runs curl. `None` if there is none.
fn curl(command: &str, address: SocketAddr) -> Option<Seen> {
    let command = command.replace("127.0.0.1:8080", &address.to_string()).replacen("curl", "curl -q -sS", 1);
    let mut shell = Command::new("sh");
    for proxy in ["http_proxy", "all_proxy", "ALL_PROXY"] {
        shell.env_remove(proxy);
    }
    let output = shell.args(["-c", &command]).output().ok().filter(|output| output.status.code() != Some(127))?;
    let text = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
    let error = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> = text.split('\n').chain(error.lines()).collect();
    Some(Seen::new(&lines))
}

/// Does what curl does, with its options that the page has.
fn raw(command: &str, server: &Server) -> Seen {
    let (options, pipe) = command.strip_prefix("curl ").unwrap().rsplit_once(" http://127.0.0.1:8080/").unwrap();
    let longest = pipe.strip_prefix(" | head -n ").map_or(usize::MAX, |lines| lines.parse().unwrap());
    let (mut headers, mut shows_head, mut is_raw, mut patience) = (String::new(), false, false, PATIENCE);
    let mut words = options.split(' ');
    while let Some(word) = words.next() {
        match word {
            "-N" => {}
            "-Ni" => shows_head = true,
            "--raw" => is_raw = true,
            "-m" => patience = Duration::from_secs(words.next().unwrap().parse().unwrap()),
            "-H" => {
                let header: Vec<&str> = words.by_ref().collect();
                headers = format!("{}\r\n", header.join(" ").trim_matches('\''));
            }
            _ => panic!("teach {word} to this function"),
        }
    }
    let mut socket = server.send(&format!("GET / HTTP/1.1\r\nHost: {}\r\n{headers}\r\n", server.address));
    socket.set_read_timeout(Some(patience)).unwrap();
    let (mut bytes, mut buffer) = (Vec::new(), [0; 1024]);
    loop {
        let length = socket.read(&mut buffer);
        bytes.extend_from_slice(&buffer[..*length.as_ref().unwrap_or(&0)]);
        let Some(blank) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
            assert!(length.unwrap() > 0, "no head");
            continue;
        };
        let (head, rest) = bytes.split_at(blank + 4);
        let head = str::from_utf8(head).unwrap();
        let is_chunked = head.contains("\r\ntransfer-encoding: chunked\r\n") && !is_raw;
        let (body, is_complete) = if is_chunked { unchunked(rest) } else { (rest.to_vec(), true) };
        let text = format!("{}{}", if shows_head { head } else { "" }, String::from_utf8_lossy(&body));
        let text = text.replace("\r\n", "\n");
        let lines: Vec<&str> = text.split_inclusive('\n').take(longest).collect();
        let error = match length {
            _ if lines.len() == longest => Some("23"),
            Ok(0) if is_complete => None,
            Ok(0) => Some("18"),
            Ok(_) => continue,
            Err(error) if error.kind() == ErrorKind::ConnectionReset => Some("56"),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Some("28"),
            Err(error) => panic!("{error}"),
        };
        return Seen { text: lines.concat().trim_end().to_owned(), error: error.map(str::to_owned) };
    }
}

/// Returns the whole chunks of a body, and whether the last one, which is empty, has come.
fn unchunked(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        let Some((chunk, after)) = rest[end + 2..].split_at_checked(size + 2) else { break };
        if size == 0 {
            return (body, true);
        }
        body.extend_from_slice(&chunk[..size]);
        rest = after;
    }
    (body, false)
}

/// Runs the commands of the page with this client. Returns the servers.
fn run(client: impl Fn(&str, &Server) -> Seen) -> Vec<&'static str> {
    let mut chat = None;
    let mut server: Option<(Server, &[&str])> = None;
    let shown = commands();
    let mut servers = Vec::new();
    for Shown { command, output } in &shown {
        if *command == "cat chat.sse" {
            chat = Some(file("chat.sse", output.join("\n") + "\n"));
        } else if let Some(options) = command.strip_prefix("eventwire serve chat.sse") {
            let words: Vec<&str> = options.split_whitespace().collect();
            // Only a header has quotes.
            let words = words.join("\u{1F}").replace(":\u{1F}", ": ").replace('\'', "");
            let words: Vec<&str> = words.split('\u{1F}').filter(|word| !word.is_empty()).collect();
            server = Some((Server::start(chat.as_ref().unwrap().to_str().unwrap(), &words), output));
            servers.push(*command);
        } else {
            let (server, said) = server.as_mut().unwrap();
            assert_eq!(client(command, server), Seen::new(output), "{} {command}", servers.last().unwrap());
            if let [start, line] = said {
                assert_eq!(*start, "serving chat.sse at http://127.0.0.1:8080/; stop with Ctrl-C");
                assert_eq!(server.line(), line.rsplit_once(", ").unwrap().0);
            }
        }
    }
    servers
}

#[test]
fn what_the_page_shows_a_raw_socket_sees() {
    let servers = run(raw);
    let shown: BTreeSet<&str> = servers.iter().flat_map(|line| line.split(' ')).collect();
    for fault in [
        "--chunk",
        "random",
        "--seed",
        "--pace",
        "--keep-alive",
        "--repeat",
        "--resume",
        "repeat",
        "skip",
        "--cut-after",
        "16b",
        "complete",
        "close",
        "reset",
        "stall",
        "--garbage",
        "--status",
        "--retry-after",
        "--html",
        "--header",
        "--times",
        "--no-content-after",
    ] {
        assert!(shown.contains(fault), "the page does not show {fault}");
    }
}

#[test]
fn what_the_page_shows_curl_sees() {
    if Command::new("curl").arg("--version").output().is_err() {
        assert!(env::var_os("CI").is_none(), "there is no curl");
        return;
    }
    run(|command, server| curl(command, server.address).unwrap());
}
