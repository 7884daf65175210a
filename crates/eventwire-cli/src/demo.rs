//! A chat stream like those of language models, for a first look at the program.

use std::io::{self, Read};
use std::thread;
use std::time::Duration;

/// What is said before the demo and after it, on standard error.
pub(crate) const HEADING: &str = "A demo: the answer of a language model, word by word, as a stream of events.\n\n";
pub(crate) const NEXT: &str = "
Next, try:
  eventwire --select choices.0.delta.content  the text of the demo
  eventwire URL                               the events of a server
  eventwire check URL                         what is wrong with its stream
  eventwire --help                            all options
";

const TEXT: &str = "An event ends with a blank line: déjà vu, 日本語, 🦀, anything.";

/// Reads as a slow server sends: a few bytes at a time, which may end inside a character or a CRLF.
pub(crate) struct Demo {
    stream: io::Cursor<String>,
}

impl Demo {
    pub(crate) fn new() -> Demo {
        let words = TEXT
            .split_inclusive(' ')
            .map(|word| format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{word}\"}}}}]}}\r\n\r\n"));
        let usage = "event: usage\r\nid: chat-2\r\ndata: {\r\ndata:   \"completion_tokens\": 12\r\ndata: }\r\n\r\n";
        let stream =
            [": welcome\r\nretry: 3000\r\nid: chat-1\r\n", &words.collect::<String>(), usage, "data: [DONE]\r\n\r\n"];
        Demo { stream: io::Cursor::new(stream.concat()) }
    }
}

impl Read for Demo {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        const CHUNK: usize = 17;
        thread::sleep(Duration::from_millis(20));
        let length = buffer.len().min(CHUNK);
        self.stream.read(&mut buffer[..length])
    }
}
