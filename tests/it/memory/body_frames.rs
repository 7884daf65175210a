//! The allocations for a frame of an `EventBody`: only its bytes.

use crate::counting_allocator::measure;
use bytes::Bytes;
use eventwire::{Block, BlockItem, BodyChunks, Comment, Encoded, Event, EventBody, IntoOutgoing, Outgoing};
use futures_util::{FutureExt, Stream, StreamExt, stream};
use std::{convert::Infallible, future, time::Duration};

/// Returns the frames of a body of these blocks, and the number of allocations for each.
fn frames<B>(blocks: Vec<B>) -> Vec<(Bytes, u64)>
where
    B: IntoOutgoing<Error = Infallible> + Unpin,
{
    fn counted(body: impl Stream<Item = Result<Bytes, Infallible>> + Unpin) -> Vec<(Bytes, u64)> {
        let mut body = body;
        let mut frames = Vec::new();
        loop {
            let (frame, usage) = measure(|| body.next().now_or_never().expect("always ready"));
            let Some(Ok(frame)) = frame else { return frames };
            frames.push((frame, usage.allocations));
        }
    }
    counted(BodyChunks::new(EventBody::new(stream::iter(blocks))))
}

/// Items that are short, long, of many lines, and with all fields.
fn blocks() -> Vec<BlockItem> {
    let long = "a rather long text, of which there are several; ".repeat(50);
    let event = Event::new("1").with_event_type("t").unwrap().with_numeric_id(7).with_retry(Duration::from_secs(1));
    vec![
        BlockItem::Block(Event::new("").into()),
        BlockItem::Block(event.clone().with_data(long.clone()).into()),
        BlockItem::Block(event.with_data("line\n".repeat(100)).into()),
        BlockItem::Comment(Comment::new(long)),
        BlockItem::Block(Block::default().with_retry(Duration::from_secs(1))),
    ]
}

fn encoded(item: BlockItem) -> Encoded {
    match item {
        BlockItem::Block(block) => block.encoded(),
        BlockItem::Comment(comment) => Encoded::from_bytes(comment.to_bytes()).unwrap(),
    }
}

#[test]
fn a_block_costs_one_allocation_and_an_encoded_one_none() {
    let expected: Vec<_> = blocks().into_iter().map(|item| (Outgoing::from(item).into_bytes(), 1)).collect();
    assert_eq!(frames(blocks()), expected);
    let encoded: Vec<_> = blocks().into_iter().map(encoded).collect();
    let places: Vec<_> = encoded.iter().map(|encoded| encoded.as_ref().as_ptr()).collect();
    let sent = frames(encoded);
    assert_eq!(sent.iter().map(|(frame, _)| frame.as_ptr()).collect::<Vec<_>>(), places);
    let expected: Vec<_> = blocks().into_iter().map(|item| (Outgoing::from(item).into_bytes(), 0)).collect();
    assert_eq!(sent, expected);
}

#[test]
fn large_data_is_sent_from_where_it_is() {
    let data = Event::new("x".repeat(1 << 16));
    let place = data.data().as_ptr();
    let sent = frames(vec![data]);
    let lengths: Vec<_> = sent.iter().map(|(frame, _)| frame.len()).collect();
    assert_eq!(lengths, ["data: ".len(), 1 << 16, 2]);
    assert_eq!(sent[1].0.as_ptr(), place);
}

#[test]
fn keep_alives_and_a_signal_cost_no_allocation() {
    let blocks: Vec<_> = blocks().into_iter().map(encoded).collect();
    let count = blocks.len();
    let body = EventBody::new(stream::iter(blocks)).until(future::pending::<()>());
    let body = body.with_keep_alive(Duration::from_secs(15), |_: Duration| future::pending::<()>());
    let mut body = BodyChunks::new(body);
    let (sent, usage) = measure(|| {
        let mut sent = 0;
        while let Some(Some(Ok(_))) = body.next().now_or_never() {
            sent += 1;
        }
        sent
    });
    assert_eq!((sent, usage.allocations), (count, 0));
}
