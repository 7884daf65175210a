//! The server of a test.

use std::{
    any::Any,
    collections::VecDeque,
    fmt, io, iter,
    net::{Ipv4Addr, SocketAddr},
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::Duration,
};

use bytes::Bytes;
use http::Request;
use tokio::{
    net::{TcpListener, TcpSocket},
    runtime::Builder,
    sync::oneshot,
    time::sleep,
};

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
#[derive(Default)]
pub(crate) struct Answers {
    state: Mutex<State>,
    function: Mutex<Option<Box<Function>>>,
    /// The panic of the function, if there was one.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

#[derive(Debug, Default)]
struct State {
    scripts: VecDeque<Script>,
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
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let listener = {
            let _guard = runtime.enter();
            listen().expect("a free port")
        };
        let address = listener.local_addr().expect("the address of a socket that listens");
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
        lock(&self.answers.state).scripts.extend(scripts);
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
    ///
    /// The function is not called on the thread of the server, and may wait for the test. If it panics, the client gets
    /// a 500, and the test panics when the server is dropped.
    #[must_use]
    pub fn answer_with(self, function: impl FnMut(&Request<Bytes>) -> Script + Send + 'static) -> TestServer {
        *lock(&self.answers.function) = Some(Box::new(function));
        self
    }

    /// Returns a URL of the server, such as `http://127.0.0.1:41807/events`. The answers are the same for all paths.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/events", self.address)
    }

    /// Returns the address, for a URL with another path, or for a client that takes no URL.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns all requests so far, in the order in which they arrived.
    #[must_use]
    pub fn requests(&self) -> Vec<Request<Bytes>> {
        lock(&self.answers.state).requests.clone()
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
        let panic = lock(&self.answers.panic).take();
        if let Some(panic) = panic.filter(|_| !thread::panicking()) {
            resume_unwind(panic);
        }
    }
}

impl Answers {
    /// Returns the answer to this request.
    pub(crate) fn next(&self, request: &Request<Bytes>) -> Script {
        let (number, script) = {
            let mut state = lock(&self.state);
            state.requests.push(request.clone());
            (state.requests.len(), state.scripts.pop_front())
        };
        // Nothing else is locked, so that a test can look at the requests while the function waits for it.
        let answer = || match &mut *lock(&self.function) {
            Some(function) => function(request),
            None => {
                let (method, url) = (request.method(), request.uri());
                Script::text(500, format!("no answer is left for request {number}: {method} {url}\n"))
            }
        };
        script.unwrap_or_else(|| {
            catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|panic| {
                lock(&self.panic).get_or_insert(panic);
                Script::text(500, "the function that answers has panicked\n".to_owned())
            })
        })
    }
}

/// After a panic, all that is locked is as good as before.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Answers { state, function: _, panic: _ } = self;
        state.fmt(f)
    }
}

/// Listens on a free port. A thousand clients can wait until they are accepted.
fn listen() -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((Ipv4Addr::LOCALHOST, 0).into())?;
    socket.listen(1024)
}

async fn accept(listener: TcpListener, answers: Arc<Answers>) {
    loop {
        let Ok((socket, _)) = listener.accept().await else {
            // There may be no file descriptor left.
            sleep(Duration::from_millis(10)).await;
            continue;
        };
        let answers = Arc::clone(&answers);
        tokio::spawn(tcp::serve(socket, Times::Dropped, move |request| (answers.next(request), ())));
    }
}
