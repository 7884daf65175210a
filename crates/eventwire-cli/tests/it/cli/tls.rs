//! A server whose certificate nobody has signed.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::cli::{EVENT_STREAM, fails, start};

/// A certificate for 127.0.0.1 until the year 2126, and its key, which is used for nothing else.
const PEM: &[u8] = include_bytes!("self-signed.pem");

/// Starts the server, and returns its URL.
fn server() -> String {
    let certificate = CertificateDer::from_pem_slice(PEM).unwrap();
    let key = PrivateKeyDer::from_pem_slice(PEM).unwrap();
    let config = ServerConfig::builder().with_no_client_auth().with_single_cert(vec![certificate], key).unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("https://{}/events", listener.local_addr().unwrap());
    thread::spawn(move || {
        for connection in listener.incoming() {
            let tls = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = StreamOwned::new(tls, connection.unwrap());
            // A client that refuses the certificate leaves before it has sent a request.
            if stream.read(&mut [0; 4096]).is_ok() {
                stream.write_all([EVENT_STREAM, "data: one\n\n"].concat().as_bytes()).unwrap();
                stream.conn.send_close_notify();
                stream.flush().unwrap();
            }
        }
    });
    url
}

#[test]
fn a_certificate_is_checked_unless_the_user_says_otherwise() {
    let url = server();
    for check in [&[][..], &["check"]] {
        fails(&[check, &[&url]].concat(), &["certificate", "check the certificate of the server, or use --insecure"]);
    }
    for option in ["-k", "--insecure"] {
        start(&[option, &url]).end().printed("message one\n");
    }
    let checked = start(&["check", "-k", "--time", "50", &url]).end();
    assert!(checked.out.contains("1 event,") && !checked.out.contains("FAIL"), "{checked:?}");
}
