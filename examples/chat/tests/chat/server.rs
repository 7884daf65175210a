//! A server that counts.

use std::io::{BufReader, Read, Write};
use std::net::{Shutdown, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use eventwire_test_support::head;

pub(crate) struct Server {
    pub(crate) url: String,
    requests: Arc<AtomicUsize>,
}

impl Server {
    /// Answers one request after the other with these bytes and closes its connection. It answers all further ones with the last.
    pub(crate) fn start(answers: Vec<String>) -> Server {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let requests = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&requests);
        thread::spawn(move || {
            for client in listener.incoming() {
                let mut client = client.unwrap();
                head(&mut BufReader::new(&client));
                let answer = &answers[count.fetch_add(1, Ordering::SeqCst).min(answers.len() - 1)];
                client.write_all(answer.as_bytes()).unwrap();
                // Closing with unread data would send a reset, which may discard the answer.
                client.shutdown(Shutdown::Write).unwrap();
                let _ = client.read_to_end(&mut Vec::new());
            }
        });
        Server { url, requests }
    }

    /// How many requests there have been.
    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}
