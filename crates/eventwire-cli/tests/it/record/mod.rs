//! Runs `eventwire record` as a user does, and compares the file with what the server has sent. The client that reads a
//! recording when it is served again is a raw socket.

mod again;
#[path = "../../serve/answer.rs"]
#[allow(dead_code, reason = "the tests of `serve` use the rest")]
mod answer;
mod chunks;
mod file;
mod http2;
mod secrets;

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use eventwire_test_support::{PATIENCE, Process};
use serde_json::Value;

use self::answer::Answer;

const PROGRAM: &str = env!("CARGO_BIN_EXE_eventwire");

/// Returns the path of a file that does not exist.
fn new_file(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("record-{name}.jsonl"));
    let _ = fs::remove_file(&path);
    path
}

fn start(options: &[&str], url: &str, file: &Path) -> Process {
    Process::start(PROGRAM, &[&["record", "-o", file.to_str().unwrap()], options, &[url]].concat(), &[])
}

/// The lines of a recording, read without the library that has written it.
struct Recording(Vec<Value>);

impl Recording {
    #[track_caller]
    fn read(path: &Path) -> Recording {
        let text = fs::read_to_string(path).unwrap();
        assert!(text.ends_with('\n'), "{text}");
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
        assert_eq!(lines[0], serde_json::json!({"recording": 1}));
        Recording(lines)
    }

    /// Returns the values of the lines of this kind.
    fn all(&self, kind: &str) -> Vec<&Value> {
        self.0.iter().filter_map(|line| line.get(kind)).collect()
    }

    /// Returns the bytes of all chunks.
    fn chunks(&self) -> Vec<Vec<u8>> {
        let bytes = |value: &Value| match value {
            Value::Number(byte) => vec![u8::try_from(byte.as_u64().unwrap()).unwrap()],
            text => text.as_str().unwrap().as_bytes().to_vec(),
        };
        let chunk = |chunk: &&Value| match &chunk["bytes"] {
            Value::Array(parts) => parts.iter().flat_map(bytes).collect(),
            text => bytes(text),
        };
        self.all("chunk").iter().map(chunk).collect()
    }

    /// Returns how the answers have ended.
    fn ends(&self) -> Vec<&str> {
        self.all("end").iter().map(|end| end["how"].as_str().unwrap()).collect()
    }
}

/// Sends a GET, and reads the response up to the end of the connection.
fn get(url: &str) -> Answer {
    let address = url.strip_prefix("http://").unwrap().split('/').next().unwrap();
    let mut server = TcpStream::connect(address).unwrap();
    server.set_read_timeout(Some(PATIENCE)).unwrap();
    server.write_all(b"GET /events HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    Answer::read(server)
}
