//! The server: who may use it, its routes, and what it answers.

use std::convert::Infallible;
use std::error::Error;
use std::fmt::Display;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, Query, RawQuery, Request, State};
use axum::http::header::{AUTHORIZATION, HeaderMap, RETRY_AFTER};
use axum::http::{Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response, Result};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use axum::{Router, body::Body};
use eventwire::{Event, EventBody, IntoOutgoing, TokioTimer};
use eventwire_hub::{Hub, HubError, Log, Resume, Topic};
use futures_core::Stream;
use gateway::KnownHosts;
use serde::Deserialize;
use subtle::ConstantTimeEq;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::report;

/// Proxies close a silent connection after about a minute.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// After how long readers return when a connection breaks.
const RETRY: Duration = Duration::from_secs(3);
/// How long the open responses may take to end. A client that has stopped reading cannot be sent the end of its own.
const LAST_WRITES: Duration = Duration::from_secs(5);
/// The longest key that is stored, in bytes.
const MAX_KEY: usize = 256;

/// Who may send requests.
pub(crate) struct Guard {
    pub(crate) hosts: KnownHosts,
    /// What those who send must know.
    pub(crate) token: Option<String>,
}

struct Server<L: Log> {
    hub: Hub<L>,
    /// The sender is dropped when the server is to end.
    is_running: watch::Receiver<()>,
}

/// Serves the topics of a log until it is told to end.
pub(crate) async fn serve<L: Log>(
    listener: TcpListener,
    log: L,
    guard: Guard,
    told_to_end: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let (running, is_running) = watch::channel(());
    let mut ended = is_running.clone();
    let routes = Router::new()
        .route("/topics", get(read_several::<L>))
        .route("/topics/{name}", get(read::<L>).post(send::<L>))
        .route("/topics/{name}/end", post(end::<L>))
        .layer(middleware::from_fn_with_state(Arc::new(guard), check))
        .with_state(Arc::new(Server { hub: Hub::new(log), is_running }));
    // Otherwise the kernel may hold back a small event until the one before it is acknowledged.
    let listener = listener.tap_io(|connection| drop(connection.set_nodelay(true)));
    let shutdown = async {
        told_to_end.await;
        drop(running);
    };
    let server = axum::serve(listener, routes).with_graceful_shutdown(shutdown);
    let limit = async {
        let _ = ended.changed().await;
        sleep(LAST_WRITES).await;
    };
    tokio::select! { result = server.into_future() => result, () = limit => Ok(()) }
}

/// Lets everyone read, and only those who know the token send. A server that has users checks here, or in the handlers,
/// who may read a topic: a replay needs the same rights as new events.
async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Result<Response> {
    guard.hosts.check(&request).map_err(|error| (error.status(), error.to_string()))?;
    let sent = request.headers().get(AUTHORIZATION).map_or(&[][..], |value| value.as_bytes());
    let is_known = |token: &String| bool::from(format!("Bearer {token}").as_bytes().ct_eq(sent));
    if request.method() == Method::POST && !guard.token.as_ref().is_none_or(is_known) {
        return Err((StatusCode::UNAUTHORIZED, "send the token as `Authorization: Bearer TOKEN`").into());
    }
    Ok(next.run(request).await)
}

async fn read<L: Log>(
    State(server): State<Arc<Server<L>>>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response> {
    let resume = Resume::from_request(&headers, query.as_deref());
    let reader = server.hub.subscribe(&topic(&name)?, resume).await.map_err(refuse)?;
    Ok(server.stream(reader.with_retry(RETRY)))
}

async fn read_several<L: Log>(
    State(server): State<Arc<Server<L>>>,
    Query(parameters): Query<Vec<(String, String)>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response> {
    let names = parameters.iter().filter(|(parameter, _)| parameter == "topic");
    let topics: Vec<Topic> = names.map(|(_, name)| topic(name)).collect::<Result<_, _>>()?;
    let resume = Resume::from_request(&headers, query.as_deref());
    let reader = server.hub.subscribe_merged(&topics, resume).await.map_err(refuse)?;
    Ok(server.stream(reader.with_retry(RETRY)))
}

#[derive(Deserialize)]
struct Options {
    #[serde(default)]
    r#type: String,
}

/// Answers with the position of the event, once the log has stored it.
async fn send<L: Log>(
    State(server): State<Arc<Server<L>>>,
    Path(name): Path<String>,
    Query(options): Query<Options>,
    headers: HeaderMap,
    data: String,
) -> Result<String> {
    let topic = topic(&name)?;
    let event = Event::new(data).with_event_type(options.r#type).map_err(bad_request)?;
    let sent = match headers.get("idempotency-key") {
        None => server.hub.send(&topic, &event).await,
        Some(key) if key.len() > MAX_KEY => return Err(bad_request("the key has more than 256 bytes").into()),
        Some(key) => server.hub.send_once(&topic, key.to_str().map_err(bad_request)?, &event).await,
    };
    Ok(sent.map_err(refuse)?.to_string())
}

async fn end<L: Log>(State(server): State<Arc<Server<L>>>, Path(name): Path<String>) -> Result<()> {
    Ok(server.hub.finish(&topic(&name)?).await.map_err(refuse)?)
}

impl<L: Log> Server<L> {
    fn stream(&self, reader: impl Stream<Item: IntoOutgoing<Error = Infallible>> + Send + 'static) -> Response {
        let mut is_running = self.is_running.clone();
        EventBody::new(reader)
            .until(async move { is_running.changed().await })
            // At random, so that readers do not return all at once.
            .with_final_retry(Duration::from_secs(1)..=Duration::from_secs(10))
            .with_keep_alive(KEEP_ALIVE, TokioTimer)
            .response()
            .map(Body::new)
    }
}

fn topic(name: &str) -> Result<Topic, (StatusCode, String)> {
    Topic::new(name).map_err(bad_request)
}

fn bad_request(error: impl Display) -> (StatusCode, String) {
    (StatusCode::BAD_REQUEST, error.to_string())
}

/// Makes a response of an error. Why the log has failed is only logged, for the operator.
fn refuse<E: Error>(error: HubError<E>) -> impl IntoResponse {
    let mut text = error.to_string();
    let mut headers = HeaderMap::new();
    match &error {
        HubError::Log(cause) => report(format_args!("{text}: {cause}")),
        HubError::OutOfOrder => report(&text),
        HubError::UpToDate => text.clear(), // status 204 has no body
        HubError::Full { retry_after } => {
            headers.insert(RETRY_AFTER, retry_after.as_secs().into());
        }
        _ => {}
    }
    (StatusCode::from(error), headers, text)
}
