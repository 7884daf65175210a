//! The server: its routes, and how it shuts down.

use std::future::Future;
use std::io;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use axum::{BoxError, Router};
use eventwire::{EventBody, IntoOutgoing, TokioTimer};
use eventwire_hub::{Hub, Log, Unknown};
use futures_util::Stream;
use gateway::KnownHosts;
use tokio::net::TcpListener;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::args::Args;
use crate::refusal::Refusal;
use crate::{answers, page, topics};

/// The largest body of a request, in bytes.
const LIMIT: usize = 64 << 10;
/// A reader's reconnection time.
pub(crate) const RETRY: Duration = Duration::from_secs(3);
/// The reconnection times that readers get when the server shuts down. They differ, so that the readers do not all
/// return at once.
const COME_BACK: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_secs(10);
/// The interval of keep-alives. Proxies close a silent connection after about a minute.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How much longer the model may speak when the server shuts down.
const OVERTIME: Duration = Duration::from_secs(2);
/// How long a shutdown can take. A client that has stopped reading cannot be sent the end of its response.
const SHUTDOWN: Duration = Duration::from_secs(5);

/// What the handlers share.
pub(crate) struct Service<L: Log> {
    /// A reader may wait for the first event of a topic.
    pub(crate) topics: Hub<L>,
    /// One topic for each answer. One that is unknown has never been asked for, or has expired.
    pub(crate) answers: Hub<L>,
    /// The pause between two words of an answer.
    pub(crate) delay: Duration,
    /// The tasks that run the model.
    pub(crate) tasks: TaskTracker,
    shutdown: CancellationToken,
}

/// Serves on this listener until `interrupted` resolves. The streams of all readers then end. The answers that the
/// model is giving are finished, or stopped if that takes too long.
pub(crate) async fn serve<L: Log>(
    listener: TcpListener,
    args: &Args,
    topics: L,
    answers: L,
    interrupted: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let hosts = KnownHosts::new(listener.local_addr()?, args.hosts.iter().cloned());
    let service = Arc::new(Service {
        topics: Hub::new(topics).with_history(args.history()).with_max_readers(args.readers),
        answers: Hub::new(answers).with_unknown(Unknown::NotFound),
        delay: args.delay,
        tasks: TaskTracker::new(),
        shutdown: CancellationToken::new(),
    });
    let (tasks, shutdown) = (service.tasks.clone(), service.shutdown.clone());
    // Otherwise the kernel may hold back a small event until the one before it is acknowledged.
    let listener = listener.tap_io(|connection| drop(connection.set_nodelay(true)));
    let signal = shutdown.clone();
    let server = axum::serve(listener, router(service, hosts)).with_graceful_shutdown(async move {
        interrupted.await;
        signal.cancel();
    });
    let all = async {
        server.await?;
        tasks.close();
        tasks.wait().await;
        Ok(())
    };
    let limit = async { (shutdown.cancelled().await, sleep(SHUTDOWN).await) };
    tokio::select! { result = all => result, _ = limit => Ok(()) }
}

fn router<L: Log>(service: Arc<Service<L>>, hosts: KnownHosts) -> Router {
    Router::new()
        .route("/", get(page::page))
        .route("/wire.js", get(page::wire_script))
        .route("/wire.css", get(page::wire_style))
        .route("/topics", get(topics::merged::<L>))
        .route("/topics/{name}", get(topics::events::<L>).post(topics::send::<L>))
        .route("/topics/{name}/position", get(topics::position::<L>))
        .route("/answers", post(answers::begin::<L>))
        .route("/answers/{id}", get(answers::events::<L>).delete(answers::stop::<L>))
        .layer(DefaultBodyLimit::max(LIMIT))
        .layer(middleware::from_fn_with_state(hosts, known_hosts_only))
        .with_state(service)
}

/// Refuses requests from pages of other origins. A server for the public asks here, or in each handler, who the caller
/// is. A stream must be allowed as long as it is open, and what is replayed needs the same permission as what is new.
async fn known_hosts_only(State(hosts): State<KnownHosts>, request: Request, next: Next) -> Result<Response, Refusal> {
    hosts.check(&request)?;
    Ok(next.run(request).await)
}

impl<L: Log> Service<L> {
    /// Responds with the events of one reader, until they end or the server shuts down.
    pub(crate) fn stream<S>(&self, events: S) -> Response
    where
        S: Stream<Item: IntoOutgoing<Error: Into<BoxError>>> + Send + 'static,
    {
        let body = EventBody::new(events).until(self.shutdown.clone().cancelled_owned());
        let body = body.with_final_retry(COME_BACK).with_keep_alive(KEEP_ALIVE, TokioTimer);
        body.response().map(Body::new)
    }

    /// Resolves when the server is shutting down, and a model has had time to finish.
    pub(crate) async fn overtime(&self) {
        self.shutdown.cancelled().await;
        sleep(OVERTIME).await;
    }
}
