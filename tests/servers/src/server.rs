//! The interface that these tests need of a server: messages in, the chunks of a body out.

use crate::message::Message;
use bytes::Bytes;
use futures_util::{
    StreamExt, TryStreamExt,
    stream::{self, Stream},
};
use std::{any::Any, fmt::Display, panic, time::Duration};
use tokio::{runtime, time};

pub trait Server {
    /// The crate's name.
    const NAME: &'static str;
    /// The block that the server sends as its default keep-alive.
    const KEEP_ALIVE: &'static str;

    /// Returns the server's own response that sends these events, without a socket or HTTP.
    fn respond(script: Script) -> impl Future<Output = Result<Response, Refusal>>;
}

/// What to send, and at which pace.
pub struct Script {
    pub messages: Vec<Message>,
    pub pace: Pace,
}

#[derive(Clone, Copy)]
pub enum Pace {
    AtOnce,
    /// A pause before each message, in which the server sends its keep-alives.
    Slow {
        pause: Duration,
        keep_alive: Duration,
    },
}

#[derive(Debug)]
pub struct Response {
    pub content_type: String,
    pub chunks: Vec<Bytes>,
}

/// The ways in which a server refuses to send something.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// The server panics with this message.
    Panics(String),
    /// The body ends with this error.
    Fails(String),
    /// The server has no method for it.
    Unsayable(&'static str),
}

impl Script {
    pub fn keep_alive(&self) -> Option<Duration> {
        match self.pace {
            Pace::AtOnce => None,
            Pace::Slow { keep_alive, .. } => Some(keep_alive),
        }
    }

    /// Returns the messages as a stream, after `build` has made the server's own event from each.
    pub fn stream<T>(
        self,
        build: impl Fn(Message) -> T + Send + Sync + 'static,
    ) -> impl Stream<Item = T> + Send + Sync {
        let Script { messages, pace } = self;
        stream::iter(messages)
            .then(move |message| async move {
                if let Pace::Slow { pause, .. } = pace {
                    time::sleep(pause).await;
                }
                message
            })
            .map(build)
    }
}

impl Response {
    /// Polls a body to its end.
    pub async fn new<E: Display>(
        content_type: Option<&[u8]>,
        body: impl Stream<Item = Result<Bytes, E>>,
    ) -> Result<Response, Refusal> {
        let content_type = String::from_utf8_lossy(content_type.unwrap_or_default()).into_owned();
        let chunks = body.try_collect().await.map_err(|error| Refusal::Fails(error.to_string()))?;
        Ok(Response { content_type, chunks })
    }
}

/// Runs a server with a simulated clock, which advances only while all tasks wait. So keep-alives cost no real time
/// and are sent only in a pause.
pub fn run<S: Server>(script: Script) -> Result<Response, Refusal> {
    panic::catch_unwind(|| {
        let runtime = runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime without sockets").block_on(S::respond(script))
    })
    .unwrap_or_else(|panic| Err(Refusal::Panics(text_of(&*panic))))
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    text.unwrap_or("(not a text)").to_owned()
}
