//! A connector that looks at each response.

use std::cell::RefCell;
use std::future;
use std::io;
use std::rc::Rc;
use std::task::Poll;

use bytes::Bytes;
use eventwire_client::{Attempt, Connector, Resend};
use futures_util::future::{FutureExt, LocalBoxFuture};
use futures_util::stream::{self, LocalBoxStream, Stream, StreamExt, TryStreamExt};
use http::header::CONTENT_ENCODING;
use http::{HeaderMap, HeaderValue, Response};
use reqwest::Url;

use crate::beginning::Beginning;
use crate::coding::{Coding, coding, decoded};
use crate::journey::{Ask, Chunks, Form, Journey, LastId, Refused, Sender, Step};
use crate::json_lines::{self, Announced, Converter};
use crate::record::{Recorder, recorded, remove_others};
use crate::traffic::Traffic;

/// Sends a request for each attempt, records the answer if it is to be recorded, and decompresses the bodies. One that
/// turns out to be compressed in another way ends at once.
pub(crate) struct Observed {
    sender: Rc<Sender>,
    recorder: Option<Rc<RefCell<Recorder>>>,
    connection: Rc<RefCell<Observation>>,
}

/// What has been seen of the connections.
pub(crate) struct Observation {
    /// What the last response starts with.
    pub(crate) beginning: Beginning,
    /// Whether the body of the last response has been read to its end.
    pub(crate) has_ended: bool,
    pub(crate) traffic: Traffic,
    /// The URL of the last response.
    pub(crate) url: Url,
    /// The URL of the response that has sent the last event ID, or the user's if the user gave it.
    pub(crate) id_is_of: Url,
    /// Whether the last response continues after the last event ID.
    pub(crate) id: IdSent,
}

/// Whether the server of a response has got the last event ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdSent {
    /// It has, or there is none.
    Yes,
    /// The ID is for another origin.
    No,
}

impl Observed {
    pub(crate) fn new(sender: Rc<Sender>, recorder: Option<Rc<RefCell<Recorder>>>) -> Observed {
        let connection = Rc::new(RefCell::new(Observation::new(&sender.home)));
        Observed { sender, recorder, connection }
    }

    /// The last response has set the last event ID.
    pub(crate) fn id_received(&self) {
        let mut connection = self.connection.borrow_mut();
        connection.id_is_of = connection.url.clone();
    }

    /// Returns what has been seen.
    pub(crate) fn last(&self) -> std::cell::Ref<'_, Observation> {
        self.connection.borrow()
    }
}

impl Observation {
    fn new(home: &Url) -> Observation {
        Observation {
            beginning: Beginning::default(),
            has_ended: false,
            traffic: Traffic::new(),
            url: home.clone(),
            id_is_of: home.clone(),
            id: IdSent::Yes,
        }
    }

    /// A request is sent.
    fn connect(&mut self) {
        self.beginning = Beginning::default();
        self.has_ended = false;
        self.traffic.connect();
    }

    /// A response has arrived from this URL.
    fn arrived(&mut self, url: &Url, id: Option<&HeaderValue>) {
        self.url = url.clone();
        let is_withheld = id.is_some() && self.id_is_of.origin() != url.origin();
        self.id = if is_withheld { IdSent::No } else { IdSent::Yes };
    }
}

type Body = LocalBoxStream<'static, io::Result<Bytes>>;

impl Connector for Observed {
    type Chunk = Bytes;
    type BodyError = io::Error;
    type Body = Body;
    type Error = FetchError;
    type Connect = LocalBoxFuture<'static, Result<Response<Self::Body>, FetchError>>;

    fn connect(&mut self, attempt: Attempt) -> Self::Connect {
        self.connection.borrow_mut().connect();
        let connection = Rc::clone(&self.connection);
        let arrived = move |chunk: &Bytes| connection.borrow_mut().traffic.chunk(chunk.len());
        let connection = Rc::clone(&self.connection);
        let accepts = move |chunk: &io::Result<Bytes>| future::ready(connection.borrow_mut().beginning.accepts(chunk));
        let connection = Rc::clone(&self.connection);
        let end = stream::poll_fn(move |_| {
            connection.borrow_mut().has_ended = true;
            Poll::Ready(None)
        });
        let observation = Rc::clone(&self.connection);
        let last_id = attempt.last_event_id().cloned();
        let last_id = last_id.map(|value| LastId { value, of: observation.borrow().id_is_of.clone() });
        let journey = self.sender.journey(Ask { headers: HeaderMap::new(), last_id });
        let recorder = self.recorder.clone();
        async move {
            let response = send(journey, &attempt).await?;
            let coding = coding(&response);
            let (mut head, body) = response.into_parts();
            let body = match &recorder {
                Some(recorder) => {
                    recorder.borrow_mut().response(&head)?;
                    decoded_to_its_end(coding, recorded(body, Rc::clone(recorder)))
                }
                None => decoded(coding, body),
            };
            if coding.is_some() {
                head.headers.remove(CONTENT_ENCODING);
            }
            if let Some(url) = head.extensions.get::<Url>() {
                observation.borrow_mut().arrived(url, attempt.last_event_id());
            }
            let body = body.inspect_ok(arrived).boxed_local();
            let mut response = converted(Response::from_parts(head, body)).await;
            if recorder.is_some() {
                remove_others(response.headers_mut());
            }
            Ok(response.map(|body| body.take_while(accepts).chain(end).boxed_local()))
        }
        .boxed_local()
    }
}

/// Decompresses a body, and also reads what follows the compressed data, so that it is recorded, too.
fn decoded_to_its_end(coding: Option<Coding>, body: impl Stream<Item = io::Result<Bytes>> + 'static) -> Body {
    let body = Rc::new(RefCell::new(body.fuse().boxed_local()));
    let rest = Rc::clone(&body);
    let chunks = stream::poll_fn(move |context| body.borrow_mut().poll_next_unpin(context));
    let rest = stream::poll_fn(move |context| rest.borrow_mut().poll_next_unpin(context));
    let rest = rest.try_filter(|_| future::ready(false));
    decoded(coding, chunks).chain(rest).boxed_local()
}

/// Turns the lines of a response into events, if they are JSON. If only its first line shows it, that is waited for.
async fn converted(response: Response<Body>) -> Response<Body> {
    let announced = Announced::by(&response);
    if announced == Announced::No {
        return response;
    }
    let (head, body) = response.into_parts();
    let converter = Rc::new(RefCell::new(Converter::new(announced)));
    let [chunks, end] = [(), ()].map(|()| Rc::clone(&converter));
    let body = body.map_ok(move |chunk| chunks.borrow_mut().chunk(chunk));
    let body = body.chain(stream::once(async move { Ok(end.borrow_mut().end()) }));
    let mut body = Box::pin(body.try_filter(|chunk| future::ready(!chunk.is_empty())).peekable());
    if announced == Announced::Perhaps {
        body.as_mut().peek().await;
    }
    let mut response = Response::from_parts(head, body as Body);
    if converter.borrow().begins_with_json_lines() {
        json_lines::declare_events(&mut response);
    }
    response
}

/// Sends the requests of an attempt, and reports what happens to them.
async fn send(mut journey: Journey, attempt: &Attempt) -> Result<Response<Chunks>, FetchError> {
    loop {
        attempt.handle_start(Resend::for_method(journey.method().as_str()));
        match journey.step().await {
            Ok(Step::Arrived(response)) => return Ok(response),
            Ok(Step::Moved(_)) if journey.form() == Form::Result => attempt.handle_carried_out(),
            Ok(Step::Moved(_)) => {}
            Ok(Step::Refused(refused)) => {
                if refused.is_permanent() {
                    attempt.handle_permanent_error();
                }
                return Err(FetchError::Redirect(refused));
            }
            Err(error) => {
                if error.is_builder() {
                    attempt.handle_permanent_error();
                }
                if error.is_builder() || error.is_connect() {
                    attempt.handle_unsent();
                }
                return Err(FetchError::Request(error));
            }
        }
    }
}

/// Why there is no response, or no more of its body.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    #[error(transparent)]
    Request(#[from] reqwest::Error),
    #[error("{}: {_0}", .0.from())]
    Redirect(Refused),
    #[error(transparent)]
    Body(#[from] io::Error),
}
