//! The ways to read a multipart stream.

use crate::{
    part_corpora::{BOUNDARY, PartCorpus, Seen},
    part_entries, rivals,
};
use bytes::Bytes;
use std::{
    future::Future,
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
    let ours = |name, run| Contender { name, is_ours: true, run };
    vec![
        ours("decode", |_, chunks| part_entries::decode(chunks)),
        ours("decode, trusting", |_, chunks| part_entries::decode_trusting(chunks)),
        ours("decode_bytes", |_, chunks| part_entries::decode_bytes(chunks)),
        ours("Parts", |_, chunks| polled(part_entries::parts(chunks))),
        ours("Collected", |_, chunks| part_entries::collected(chunks)),
        rival("multer", |_, chunks| polled(rivals::multer(BOUNDARY, chunks))),
        rival("multer, chunk by chunk", |_, chunks| polled(rivals::multer_one_by_one(BOUNDARY, chunks))),
        rival("mpart-async", |_, chunks| polled(rivals::mpart_async(BOUNDARY, chunks))),
        rival("multipart-stream", |corpus, chunks| polled(rivals::multipart_stream(BOUNDARY, chunks, corpus.parts))),
    ]
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
