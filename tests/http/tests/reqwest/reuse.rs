//! A complete answer leaves its connection to the next request.

use crate::version::RequestBuilderExt;
use eventwire::{Dialect, EventsExt};
use eventwire_client::EventSource;
use futures_util::TryStreamExt;
use reqwest::{Client, RequestBuilder};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// The end of the answer and that of the body arrive together.
const ANSWER: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n\
    17\r\ndata: 1\n\ndata: [DONE]\n\n\r\n0\r\n\r\n";

async fn serve(mut stream: TcpStream) {
    let mut request = [0; 4096];
    while stream.read(&mut request).await.is_ok_and(|length| length > 0) {
        stream.write_all(ANSWER.as_bytes()).await.unwrap();
    }
}

/// Returns how many connections five requests need, one after the other.
async fn connections<R: Future<Output = Vec<u32>>>(read: impl Fn(RequestBuilder) -> R) -> usize {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(serve(stream));
        }
    });
    let client = Client::builder().no_proxy().build().unwrap();
    for _ in 0..5 {
        assert_eq!(read(client.get(&url)).await, [1]);
        // The task of the connection sees that the body was dropped, and returns the connection to the pool.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }
    count.load(Ordering::Relaxed)
}

#[tokio::test]
async fn a_complete_answer_leaves_its_connection() {
    let events = |request: RequestBuilder| async {
        request.eventsource().unwrap().events().json_with::<u32>(Dialect::OPENAI).try_collect().await.unwrap()
    };
    assert_eq!(connections(events).await, 1);
    let with_end = |request: RequestBuilder| async {
        let source = request.eventsource().unwrap().with_end(|event| event.data() == "[DONE]");
        let events: Vec<_> = EventSource::events(source).try_collect().await.unwrap();
        events.iter().filter_map(|event| event.data().parse().ok()).collect()
    };
    assert_eq!(connections(with_end).await, 1);
    let response = |request: RequestBuilder| async {
        let body = request.send().await.unwrap().bytes_stream();
        body.events().json_with::<u32>(Dialect::OPENAI).try_collect().await.unwrap()
    };
    assert_eq!(connections(response).await, 1);
}
