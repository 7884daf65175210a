//! The ways to read a multipart stream.

use crate::{
    part_corpora::{BOUNDARY, PartCorpus},
    rivals,
};
use bytes::Bytes;
use std::{
    future::Future,
    hint::black_box,
    pin::pin,
    task::{Context, Poll, Waker},
};

pub(crate) struct Contender {
    pub(crate) name: &'static str,
    pub(crate) is_ours: bool,
    pub(crate) run: fn(&PartCorpus, &[Bytes]) -> Result<Seen, String>,
}

pub(crate) fn all() -> Vec<Contender> {
    let rival = |name, run| Contender { name, is_ours: false, run };
    vec![
        rival("multer", |_, chunks| polled(rivals::multer(BOUNDARY, chunks))),
        rival("multer, chunk by chunk", |_, chunks| polled(rivals::multer_one_by_one(BOUNDARY, chunks))),
        rival("mpart-async", |_, chunks| polled(rivals::mpart_async(BOUNDARY, chunks))),
        rival("multipart-stream", |corpus, chunks| polled(rivals::multipart_stream(BOUNDARY, chunks, corpus.parts))),
    ]
}

/// What has come out.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Seen {
    pub(crate) parts: usize,
    pub(crate) body_bytes: usize,
}

impl Seen {
    pub(crate) fn of(corpus: &PartCorpus) -> Seen {
        Seen { parts: corpus.parts, body_bytes: corpus.body_bytes }
    }

    pub(crate) fn part<H>(&mut self, headers: H) {
        black_box(headers);
        self.parts += 1;
    }

    pub(crate) fn chunk(&mut self, chunk: &[u8]) {
        self.body_bytes += black_box(chunk).len();
    }
}

/// Polls to the end without an executor.
fn polled<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
}
