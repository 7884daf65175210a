//! The bodies of a thousand open responses.

use axum::body::Body;
use bytes::Bytes;
use http_body::Body as _;
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
};

pub(crate) struct Readers(Vec<(Body, Waker)>);

/// Each reader has its own task, as in a server.
struct Task;

impl Wake for Task {
    fn wake(self: Arc<Task>) {}
}

impl Readers {
    pub(crate) fn new(bodies: impl Iterator<Item = Body>) -> Readers {
        Readers(bodies.map(|body| (body, Waker::from(Arc::new(Task)))).collect())
    }

    /// Reads all frames that are ready for each reader.
    pub(crate) fn poll(&mut self, mut each: impl FnMut(Bytes)) {
        for (body, waker) in &mut self.0 {
            let mut context = Context::from_waker(waker);
            while let Poll::Ready(frame) = Pin::new(&mut *body).poll_frame(&mut context) {
                each(frame.expect("no end").expect("no error").into_data().expect("data"));
            }
        }
    }
}
