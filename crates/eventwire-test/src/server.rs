//! The server of a test.

use std::{
    collections::VecDeque,
    fmt, iter,
    net::{SocketAddr, TcpListener},
    sync::{Arc, Mutex, PoisonError},
    thread::{self, JoinHandle},
};

use bytes::Bytes;
use http::Request;
use tokio::{runtime::Builder, sync::oneshot};

use crate::{body::Times, connection::Connection, script::Script, tcp};

/// A server that answers each request with the next [`Script`].
#[derive(Debug)]
pub struct TestServer {
    address: SocketAddr,
    answers: Arc<Answers>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// The answers that are left, and the requests so far.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    scripts: VecDeque<Script>,
    /// What answers after the last script.
    function: Option<Box<Function>>,
    requests: Vec<Request<Bytes>>,
}

type Function = dyn FnMut(&Request<Bytes>) -> Script + Send;

impl TestServer {
    /// Starts a server on a free port of the loopback interface, on a thread of its own. It ends when it is dropped.
    ///
    /// # Panics
    ///
    /// If the system has no port or no thread left.
    #[must_use]
    #[expect(clippy::expect_used, reason = "a test cannot go on without its server")]
    pub fn new() -> TestServer {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("the address of a socket that listens");
        listener.set_nonblocking(true).expect("a socket that does not block");
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let answers = Arc::<Answers>::default();
        let (stop, stopped) = oneshot::channel::<()>();
        let shared = Arc::clone(&answers);
        let thread = thread::Builder::new().name("eventwire-test".to_owned());
        let thread = thread.spawn(move || {
            runtime.block_on(async {
                let accepting = tokio::spawn(accept(listener, shared));
                let _ = stopped.await;
                accepting.abort();
            });
            // What still waits for a client ends with it.
            runtime.shutdown_background();
        });
        TestServer { address, answers, stop: Some(stop), thread: Some(thread.expect("a thread")) }
    }

    /// Adds the answer to the next request that has none yet.
    #[must_use]
    pub fn answer(self, script: Script) -> TestServer {
        self.answers(iter::once(script))
    }

    /// Adds these answers, such as those of a [file](Script::read).
    #[must_use]
    pub fn answers(self, scripts: impl IntoIterator<Item = Script>) -> TestServer {
        self.answers.with(|state| state.scripts.extend(scripts));
        self
    }

    /// Answers the requests for which no script is left by a function, such as one that looks at their paths:
    ///
    /// ```
    /// use eventwire_test::{Script, TestServer};
    ///
    /// let server = TestServer::new().answer_with(|request| match (request.method().as_str(), request.uri().path()) {
    ///     ("POST", "/login") => Script::status(200).header("set-cookie", "session=1"),
    ///     ("GET", "/events") => Script::new().send("data: welcome\n\n"),
    ///     _ => Script::status(404),
    /// });
    /// ```
    #[must_use]
    pub fn answer_with(self, function: impl FnMut(&Request<Bytes>) -> Script + Send + 'static) -> TestServer {
        self.answers.with(|state| state.function = Some(Box::new(function)));
        self
    }

    /// Returns a URL of the server, such as `http://127.0.0.1:41807/events`. The answers are the same for all paths.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/events", self.address)
    }

    /// Returns all requests so far, in the order in which they arrived.
    #[must_use]
    pub fn requests(&self) -> Vec<Request<Bytes>> {
        self.answers.with(|state| state.requests.clone())
    }

    /// Opens a connection in memory, for an HTTP client that takes one, such as hyper's.
    ///
    /// Its pauses are those of tokio's clock in the task that reads it, so they pass at once if the clock is
    /// [paused](https://docs.rs/tokio/latest/tokio/time/fn.pause.html). A clock that is paused would run ahead of a
    /// socket.
    #[must_use]
    pub fn connect(&self) -> Connection {
        Connection::new(Arc::clone(&self.answers))
    }
}

impl Default for TestServer {
    fn default() -> TestServer {
        TestServer::new()
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // The port is free afterwards.
            let _ = thread.join();
        }
    }
}

impl Answers {
    /// Returns the answer to this request.
    pub(crate) fn next(&self, request: &Request<Bytes>) -> Script {
        self.with(|state| {
            state.requests.push(request.clone());
            match (state.scripts.pop_front(), &mut state.function) {
                (Some(script), _) => script,
                (None, Some(function)) => function(request),
                (None, None) => {
                    let (number, method, url) = (state.requests.len(), request.method(), request.uri());
                    let text = format!("no answer is left for request {number}: {method} {url}\n");
                    Script::status(500).header("content-type", "text/plain").send(text)
                }
            }
        })
    }

    fn with<T>(&self, use_state: impl FnOnce(&mut State) -> T) -> T {
        use_state(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let State { scripts, function: _, requests } = self;
        f.debug_struct("State").field("scripts", scripts).field("requests", requests).finish_non_exhaustive()
    }
}

async fn accept(listener: TcpListener, answers: Arc<Answers>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    loop {
        // An error is that of one connection.
        let Ok((socket, _)) = listener.accept().await else { continue };
        let answers = Arc::clone(&answers);
        tokio::spawn(async move { tcp::serve(socket, Times::Dropped, |request| answers.next(request)).await });
    }
}
