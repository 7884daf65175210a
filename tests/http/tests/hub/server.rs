//! An axum server of channels, which records the requests.

use axum::{
    Router,
    extract::{RawQuery, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::get,
};
use eventwire::{EventBody, IntoOutgoing, TokioTimer};
use eventwire_hub::{Channel, MergeError, Merged, Resume, UpToDate};
use futures_util::{Stream, StreamExt};
use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::net::TcpListener;

/// `GET /events` is the first topic, and `GET /merged` has all of them. With `earliest` in the query, readers without
/// an ID begin with the oldest event.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    topics: Vec<(&'static str, Channel)>,
    retry: Duration,
    /// The first response ends after so many items.
    first: usize,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Serves on the loopback interface while the runtime exists.
    pub(crate) async fn start(topics: &[(&'static str, Channel)], retry: Duration, first: usize) -> Server {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = Server { address, topics: topics.into(), retry, first, requests: Arc::default() };
        let router =
            Router::new().route("/events", get(events)).route("/merged", get(merged)).with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        server
    }

    /// Returns the ID in the header, the query and the answer of each request so far. A hyphen is a part that is
    /// missing.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    fn respond<S>(&self, reader: S) -> Response
    where
        S: Stream<Item: IntoOutgoing<Error: std::error::Error + Send + Sync>> + Send + 'static,
    {
        let is_first = self.requests.lock().unwrap().len() == 1;
        let reader = reader.take(if is_first { self.first } else { usize::MAX });
        // A comment would also wake a reader that was forgotten.
        let never = Duration::from_secs(3600);
        EventBody::new(reader).with_keep_alive(never, TokioTimer).response().into_response()
    }
}

async fn events(State(server): State<Server>, headers: HeaderMap, RawQuery(query): RawQuery) -> Response {
    let reader = server.topics[0].1.subscribe(resume(&headers, query.as_deref()));
    record(&server, &headers, query.as_deref(), if reader.is_ok() { "stream" } else { "UpToDate" });
    match reader {
        Ok(reader) => server.respond(reader.with_retry(server.retry)),
        Err(UpToDate) => StatusCode::NO_CONTENT.into_response(),
    }
}

async fn merged(State(server): State<Server>, headers: HeaderMap, RawQuery(query): RawQuery) -> Response {
    let topics = server.topics.iter().map(|(name, channel)| (*name, channel));
    let reader = Merged::subscribe(topics, resume(&headers, query.as_deref()));
    record(&server, &headers, query.as_deref(), if reader.is_ok() { "merged" } else { "UpToDate" });
    match reader {
        Ok(reader) => server.respond(reader.with_retry(server.retry)),
        Err(MergeError::UpToDate) => StatusCode::NO_CONTENT.into_response(),
        Err(error) => panic!("{error}"),
    }
}

fn resume<'a>(headers: &'a HeaderMap, query: Option<&'a str>) -> Resume<'a> {
    let resume = Resume::from_request(headers, query);
    if query.is_some_and(|query| query.contains("earliest")) { resume.or_earliest() } else { resume }
}

fn record(server: &Server, headers: &HeaderMap, query: Option<&str>, answer: &str) {
    let ids: Vec<_> =
        headers.get_all("last-event-id").iter().map(|id| String::from_utf8_lossy(id.as_bytes())).collect();
    let id = if ids.is_empty() { "-".to_owned() } else { ids.join(" and ") };
    server.requests.lock().unwrap().push(format!("{id} {} {answer}", query.unwrap_or("-")));
}
