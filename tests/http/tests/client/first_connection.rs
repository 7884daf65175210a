//! A first connection that never succeeds, and response heads that never end, over real sockets.

use crate::{
    http_client,
    server::{
        Answer, Server,
        Step::{Drip, Hang, Send},
        stream,
    },
    timer::{self, Delays},
};
use eventwire::{Error, TokioTimer};
use eventwire_client::{ConnectionError, EventSource, Item, StopReason};
use eventwire_reqwest::RequestConnector;
use futures_util::{StreamExt, TryStreamExt};
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

/// Returns why the events of this URL end, and the number of delays.
async fn failure(url: &str) -> (StopReason, String, usize) {
    let delays = Delays::default();
    let connector = RequestConnector::new(http_client().get(url)).unwrap();
    let mut events = EventSource::with_connector(connector, timer::short(&delays)).events();
    match events.try_next().await {
        Err(Error::Transport(stopped)) => (stopped.reason(), stopped.to_string(), delays.all().len()),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_mistyped_host_and_a_closed_port() {
    let unused = TcpListener::bind(("127.0.0.1", 0)).await.unwrap().local_addr().unwrap();
    for url in ["http://host.invalid/events", &format!("http://{unused}/events")] {
        let (reason, words, delays) = failure(url).await;
        assert_eq!((reason, delays), (StopReason::NeverOpened, 4), "{words}");
        assert!(words.starts_with("no event stream could be opened: "), "{words}");
    }
}

#[tokio::test]
async fn https_on_a_port_for_http() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("https://{}/events", listener.local_addr().unwrap());
    // The server reads the TLS greeting as an invalid request.
    tokio::spawn(async move {
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            let _ = client.read(&mut [0; 1024]).await;
            let _ = client.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n").await;
        }
    });
    let (reason, words, delays) = failure(&url).await;
    assert_eq!((reason, delays), (StopReason::NeverOpened, 4), "{words}");
}

#[tokio::test]
async fn a_head_whose_bytes_trickle() {
    // `Drip` sends one byte per millisecond.
    const TRICKLE: Answer = &[Send(b"HTTP/1.1 200 OK\r\nX-Long: "), Drip(&[b'x'; 3000])];
    const HALF: Answer = &[Send(b"HTTP/1.1 200 OK\r\nContent-Type: text/ev"), Hang];
    for answer in [TRICKLE, HALF] {
        let server = Server::start(vec![answer].leak()).await;
        let connector = RequestConnector::new(http_client().get(server.url())).unwrap();
        let timeout = Duration::from_millis(300);
        let mut source = EventSource::with_connector(connector, TokioTimer).with_idle_timeout(timeout);
        match source.next().await {
            Some(Item::Reconnecting { error: error @ ConnectionError::ResponseTimeout(_), .. }) => {
                assert_eq!(error.to_string(), "no response received for 300ms");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_last_event_id_that_is_too_long_is_not_sent() {
    let long = format!("retry: 20\nid: {}\ndata: a\n\n", "x".repeat(9000));
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n{long}");
    let answer: Answer = vec![Send(answer.leak().as_bytes())].leak();
    const NEXT: Answer = &[stream!("data: b\n\n")];
    let server = Server::start(vec![answer, NEXT].leak()).await;
    let connector = RequestConnector::new(http_client().get(server.url())).unwrap();
    let mut source = EventSource::with_connector(connector, timer::short(&Delays::default()));
    let mut events = 0;
    while let Some(item) = source.next().await {
        events += usize::from(matches!(item, Item::Event(_)));
    }
    assert_eq!((events, server.requests().len()), (1, 1));
    let stopped = source.into_stopped();
    assert_eq!((stopped.reason(), stopped.is_failure()), (StopReason::LastEventIdTooLong, true));
}
