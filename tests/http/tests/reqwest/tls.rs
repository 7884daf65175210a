//! TLS, with which only reqwest 0.13 is built here.

use crate::texts::check;
use std::{
    io::{Read, Write},
    net::TcpListener,
};

#[tokio::test]
async fn tls_to_a_server_without_it() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/events", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            // The client's first message.
            assert!(connection.read(&mut [0; 1024]).unwrap() > 0);
            // The client may have closed the connection.
            let _ = connection.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        }
    });
    check(&url, &url, |why| why == "received corrupt message of type InvalidContentType").await;
}
