//! The command `serve`: sends a file to each client that connects, and breaks it as the options say.

mod listen;
mod log;
pub(crate) mod options;
mod plan;
mod reply;
mod site;
mod source;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, anyhow};
use bytes::Bytes;
use eventwire_test::internal::{self, How, Times};
use http::{Method, Request};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;

use listen::Listen;
use log::{Entry, Log};
use plan::Plan;
use reply::Reply;
use site::Site;

/// How long to wait when no connection can be accepted, because the system has no file descriptor left.
const BREATH: Duration = Duration::from_millis(500);

/// To serve a file or a directory.
pub(crate) struct Serve {
    /// The file or the directory.
    place: PathBuf,
    listen: Listen,
    plan: Plan,
    /// The origin whose pages may read the answers, or `*`.
    cors: Option<String>,
    log: Log,
}

/// Serves until the program is killed.
pub(crate) fn run(serve: Serve) -> anyhow::Result<ExitCode> {
    let Serve { place, listen, plan, cors, log } = serve;
    let site = Site::open(&place, &plan)?;
    let server = Arc::new(Server { site, listen, plan, cors, log, connections: AtomicU64::new(0) });
    let runtime =
        Builder::new_multi_thread().worker_threads(2).enable_all().build().context("cannot start the async runtime")?;
    runtime.block_on(async {
        let listener = server.listen.bind().await?;
        server.log.start(&place, listener.local_addr().context("cannot listen")?);
        if let Site::File(source) = &server.site {
            source.warn(&server.log);
        }
        accept(listener, server).await
    })
}

async fn accept(listener: TcpListener, server: Arc<Server>) -> anyhow::Result<ExitCode> {
    loop {
        match listener.accept().await {
            Ok((socket, _)) => {
                tokio::spawn(Arc::clone(&server).serve(socket));
            }
            // The client has left before it was accepted.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            Err(error) => {
                server.log.problem(&anyhow!("cannot accept a connection: {error}; trying again"));
                tokio::time::sleep(BREATH).await;
            }
        }
    }
}

/// What all connections share.
struct Server {
    site: Site,
    listen: Listen,
    plan: Plan,
    cors: Option<String>,
    log: Log,
    /// How many connections have sent a request.
    connections: AtomicU64,
}

impl Server {
    /// Answers one request, and logs it.
    async fn serve(self: Arc<Server>, socket: TcpStream) {
        let server = Arc::clone(&self);
        let served = internal::serve(socket, Times::Kept, move |request| {
            let mut reply = server.reply(request);
            if let Some(origin) = &server.cors {
                reply.allow(origin);
            }
            let entry = Entry { number: server.count(), status: reply.status(), problem: reply.problem };
            (reply.script, entry)
        })
        .await;
        // A client that has sent no request is not a connection.
        if served.answered.is_some() || matches!(served.how, How::BadRequest(_)) {
            self.log.end(served, || self.count());
        }
    }

    /// Returns the number of a connection, from 1.
    fn count(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn reply(&self, request: &Request<Bytes>) -> Reply {
        if let Some(host) = self.listen.foreign_host(request) {
            return Reply::foreign_host(host);
        }
        match *request.method() {
            Method::GET | Method::HEAD | Method::POST => {}
            Method::OPTIONS if self.cors.is_some() => return Reply::preflight(request),
            _ => return Reply::no_such_method(self.cors.is_some()),
        }
        let path = request.uri().path();
        let Some(source) = self.site.find(path) else { return Reply::not_found(&self.site.list(path)) };
        source.warn(&self.log);
        let number = source.count(request.method());
        match self.plan.script(number, || source.answers(&self.plan)) {
            Ok(script) => Reply { script, problem: None },
            Err(error) => Reply::failed(&error),
        }
    }
}
