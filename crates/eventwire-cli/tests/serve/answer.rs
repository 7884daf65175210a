//! What a server sends, byte for byte.

use std::io::{ErrorKind, Read};
use std::net::TcpStream;

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Fin,
    Rst,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) bytes: Vec<u8>,
    pub(crate) end: End,
}

impl Answer {
    /// Reads to the end.
    pub(crate) fn read(mut socket: TcpStream) -> Answer {
        let mut bytes = Vec::new();
        let mut buffer = [0; 16 * 1024];
        let end = loop {
            match socket.read(&mut buffer) {
                Ok(0) => break End::Fin,
                Ok(length) => bytes.extend_from_slice(&buffer[..length]),
                Err(error) if error.kind() == ErrorKind::ConnectionReset => break End::Rst,
                Err(error) => panic!("{error} after {:?}", String::from_utf8_lossy(&bytes)),
            }
        };
        Answer { bytes, end }
    }

    /// Returns everything as a text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.bytes.clone()).unwrap()
    }

    /// Returns the head, with its blank line.
    pub(crate) fn head(&self) -> String {
        let text = String::from_utf8_lossy(&self.bytes);
        text[..text.find("\r\n\r\n").unwrap_or_else(|| panic!("no head in {text:?}")) + 4].to_owned()
    }

    pub(crate) fn status(&self) -> u16 {
        self.head()["HTTP/1.1 ".len()..][..3].parse().unwrap()
    }

    /// Returns the values of the headers with this name.
    pub(crate) fn header(&self, name: &str) -> Vec<String> {
        let head = self.head();
        let headers = head.lines().skip(1).filter_map(|line| line.split_once(": "));
        headers.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned()).collect()
    }

    /// Returns what follows the head.
    fn rest(&self) -> &[u8] {
        &self.bytes[self.head().len()..]
    }

    /// Returns the chunks of the chunked transfer coding, and whether the last one, which is empty, has come.
    pub(crate) fn chunks(&self) -> (Vec<Vec<u8>>, bool) {
        assert_eq!(self.header("transfer-encoding"), ["chunked"]);
        let mut rest = self.rest();
        let mut chunks = Vec::new();
        while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
            let size = usize::from_str_radix(str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
            let (chunk, after) = rest[end + 2..].split_at(size);
            rest = after.strip_prefix(b"\r\n").unwrap();
            if size == 0 {
                assert!(rest.is_empty());
                return (chunks, true);
            }
            chunks.push(chunk.to_vec());
        }
        assert!(rest.is_empty(), "half a chunk: {rest:?}");
        (chunks, false)
    }

    /// Returns the body, whose length the head has, or which is chunked.
    pub(crate) fn body(&self) -> Vec<u8> {
        if let [length] = &self.header("content-length")[..] {
            assert_eq!(self.rest().len(), length.parse::<usize>().unwrap());
            return self.rest().to_vec();
        }
        self.chunks().0.concat()
    }

    /// Checks the body, and that it is complete.
    #[track_caller]
    pub(crate) fn is(&self, body: &str) {
        assert_eq!(String::from_utf8_lossy(&self.body()), body);
        assert_eq!((self.chunks().1, self.end), (true, End::Fin));
    }

    /// Checks the body, and that the connection ended before it was complete.
    #[track_caller]
    pub(crate) fn is_cut(&self, body: &str, end: End) {
        assert_eq!(String::from_utf8_lossy(&self.body()), body);
        assert_eq!((self.chunks().1, self.end), (false, end));
    }
}
