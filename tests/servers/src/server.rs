//! A server, as far as this crate asks for one: messages in, the chunks of a body out.

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
    /// The block that the server sends, unless told otherwise, while there is nothing to be sent.
    const KEEP_ALIVE: &'static str;

    /// The server's own response to a request for these events. No socket, and no HTTP around it.
    fn respond(script: Script) -> impl Future<Output = Result<Response, Refusal>>;
}

/// What to send, and when.
pub struct Script {
    pub messages: Vec<Message>,
    pub pace: Pace,
}

#[derive(Clone, Copy)]
pub enum Pace {
    AtOnce,
    /// With a pause before each message, and the server's keep-alives in it.
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

/// How a server says that it does not send something.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// It panics with this message.
    Panics(String),
    /// Its body ends with this error.
    Fails(String),
    /// It has no method for it.
    Unsayable(&'static str),
}

impl Script {
    pub fn keep_alive(&self) -> Option<Duration> {
        match self.pace {
            Pace::AtOnce => None,
            Pace::Slow { keep_alive, .. } => Some(keep_alive),
        }
    }

    /// The messages, for a server that builds its own event of each.
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

/// Runs a server on a clock of its own, which goes on only while everything waits for it: no keep-alive takes real time, and
/// none comes but in a pause.
pub fn run<S: Server>(script: Script) -> Result<Response, Refusal> {
    panic::catch_unwind(|| {
        let runtime = runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime without sockets").block_on(S::respond(script))
    })
    .unwrap_or_else(|panic| Err(Refusal::Panics(text_of(&*panic))))
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    text.unwrap_or("(something other than text)").to_owned()
}
