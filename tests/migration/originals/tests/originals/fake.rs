//! A server without a network, for clients that are given a transport or a connector.

use super::PATIENCE;
use bytes::Bytes;
use eventwire::TokioTimer;
use eventwire_client::{Connector, EventSource, Resend, connector_fn};
use futures_util::stream;
use http::{HeaderMap, Request, Response};
use launchdarkly_sdk_transport::{ByteStream, HttpTransport, ResponseFuture, TransportError};
use std::{
    future, io,
    sync::{Arc, Mutex},
};

#[derive(Clone, Copy)]
pub(crate) enum Answer {
    /// Status, content type, another header, and body.
    Response(u16, &'static str, (&'static str, &'static str), &'static [u8]),
    NotReached,
}

/// 200, and an event stream with this body.
pub(crate) const fn open(body: &'static [u8]) -> Answer {
    Answer::Response(200, "text/event-stream", ("x-none", ""), body)
}

/// Answers requests with these answers, in order. Further requests get no answer.
#[derive(Clone)]
pub(crate) struct Fake {
    answers: &'static [Answer],
    requests: Arc<Mutex<Vec<Request<Option<Bytes>>>>>,
}

/// Time passes only when nothing else can happen.
pub(crate) fn run<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(async { tokio::time::timeout(PATIENCE, future).await.expect("an end") })
}

impl Fake {
    pub(crate) fn new(answers: &'static [Answer]) -> Fake {
        Fake { answers, requests: Arc::default() }
    }

    /// The last event ID of each request so far.
    pub(crate) fn ids(&self) -> Vec<Option<String>> {
        let requests = self.requests.lock().expect("requests");
        let id = |headers: &HeaderMap| Some(headers.get("last-event-id")?.to_str().expect("text").to_owned());
        requests.iter().map(|request| id(request.headers())).collect()
    }

    /// The body of each request so far.
    pub(crate) fn bodies(&self) -> Vec<Option<Bytes>> {
        self.requests.lock().expect("requests").iter().map(|request| request.body().clone()).collect()
    }

    async fn answer(self, request: Request<Option<Bytes>>) -> Result<Response<&'static [u8]>, io::Error> {
        let place = {
            let mut requests = self.requests.lock().expect("requests");
            requests.push(request);
            requests.len() - 1
        };
        match self.answers.get(place) {
            None => future::pending().await,
            Some(Answer::NotReached) => Err(io::Error::other("not reached")),
            Some(&Answer::Response(status, content_type, (name, value), body)) => Ok(Response::builder()
                .status(status)
                .header("content-type", content_type)
                .header(name, value)
                .body(body)
                .expect("a response")),
        }
    }

    /// eventwire's client on this server, for requests with this method.
    pub(crate) fn source(
        &self,
        method: &'static str,
    ) -> EventSource<impl Connector<Error = io::Error> + use<>, TokioTimer> {
        let fake = self.clone();
        let connector = connector_fn(move |attempt| {
            let mut request = Request::builder().method(method).body(None).expect("a request");
            attempt.add_to(request.headers_mut());
            let answer = fake.clone().answer(request);
            async move { Ok::<_, io::Error>(answer.await?.map(|body| stream::iter([Ok::<_, io::Error>(body)]))) }
        });
        EventSource::with_connector(connector.with_resend(Resend::for_method(method)), TokioTimer)
    }
}

impl HttpTransport for Fake {
    fn request(&self, request: Request<Option<Bytes>>) -> ResponseFuture {
        let answer = self.clone().answer(request);
        Box::pin(async move {
            let body = |body| Box::pin(stream::iter([Ok(Bytes::from_static(body))])) as ByteStream;
            Ok(answer.await.map_err(TransportError::new)?.map(body))
        })
    }
}
