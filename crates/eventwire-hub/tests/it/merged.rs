//! Several topics in one stream: what the twin does not cover.

use crate::reader::Reader;
use eventwire::{Event, EventBody};
use eventwire_hub::{Channel, History, Lag, MergeError, Merged, Resume, StreamPosition};
use futures_util::FutureExt;
use http_body::Body;
use std::{future::poll_fn, pin::pin};

fn channels() -> [Channel; 2] {
    [1, 2].map(|epoch| {
        let channel = Channel::new(History::new().with_max_events(4));
        channel.restart(StreamPosition::new(epoch, 0)).unwrap();
        channel
    })
}

fn subscribe([prices, chat]: &[Channel; 2], resume: &str) -> Result<Reader<Merged>, MergeError> {
    let resume = Resume::After(resume.as_bytes().into());
    Merged::subscribe([("prices", prices), ("chat", chat)], resume).map(Reader::new)
}

fn send(channel: &Channel, numbers: impl IntoIterator<Item = u32>) {
    for number in numbers {
        channel.send(&Event::new(number.to_string())).unwrap();
    }
}

/// The data of what is ready.
fn data(reader: &mut Reader<Merged>) -> Vec<String> {
    let line = |item: &String| item.lines().find_map(|line| line.strip_prefix("data: ").map(str::to_owned));
    reader.ready().iter().filter_map(line).collect()
}

const PRICES: &str = "0000000000000001";
const CHAT: &str = "0000000000000002";

#[test]
fn busy_topics_take_turns() {
    let [prices, chat] = &channels();
    let topics = [("prices", prices), ("chat", chat)];
    let mut reader = Reader::new(Merged::subscribe(topics, Resume::Live).unwrap());
    send(prices, [1, 2, 3]);
    send(chat, [10, 20]);
    assert_eq!(data(&mut reader), ["1", "10", "2", "20", "3"]);
}

#[test]
fn each_topic_resumes_on_its_own_and_a_gap_names_its_topic() {
    let channels = channels();
    let [prices, chat] = &channels;
    send(prices, 1..=3);
    send(chat, 1..=7);
    let mut reader = subscribe(&channels, &format!("chat={CHAT}-0,prices={PRICES}-2,old={CHAT}-9")).unwrap();
    let items = reader.ready();
    assert_eq!(
        items[..4],
        [
            format!("id: prices={PRICES}-2,chat={CHAT}-0\n\n"),
            format!("id: prices={PRICES}-3,chat={CHAT}-0\ndata: 3\n\n"),
            format!("event: gap\nid: prices={PRICES}-3,chat={CHAT}-3\ndata: {{\"topic\":\"chat\",\"missed\":3}}\n\n"),
            format!("id: prices={PRICES}-3,chat={CHAT}-4\ndata: 4\n\n"),
        ]
    );
}

#[test]
fn a_topic_that_the_reader_has_not_had_begins_with_its_next_event() {
    let channels = channels();
    send(&channels[0], [1]);
    send(&channels[1], [10]);
    let mut reader = subscribe(&channels, &format!("prices={PRICES}-0")).unwrap();
    assert_eq!(data(&mut reader), ["1"]);
    send(&channels[1], [20]);
    assert_eq!(data(&mut reader), ["20"]);
}

#[test]
fn an_id_that_cannot_be_read_is_a_gap_in_every_topic_and_each_is_told_even_if_the_connection_is_lost_between() {
    let channels = channels();
    send(&channels[0], [1]);
    let too_long = format!("prices={PRICES}-1,chat={CHAT}-0,{}=", "x".repeat(2000));
    for id in [
        "x",
        "x=nonsense",
        &format!("prices={PRICES}-1,chat=nonsense"),
        &format!("{PRICES}-1"),
        &format!("prices={PRICES}-0,prices={PRICES}-1"),
        &too_long,
    ] {
        let mut reader = subscribe(&channels, id).unwrap();
        assert_eq!(
            reader.ready(),
            [
                "id: prices=-,chat=-\n\n".to_owned(),
                format!("event: gap\nid: prices={PRICES}-1,chat=-\ndata: {{\"topic\":\"prices\"}}\n\n"),
                format!("event: gap\nid: prices={PRICES}-1,chat={CHAT}-0\ndata: {{\"topic\":\"chat\"}}\n\n"),
            ]
        );
    }
    let mut reader = subscribe(&channels, &format!("prices={PRICES}-1,chat=-")).unwrap();
    assert_eq!(data(&mut reader), [r#"{"topic":"chat"}"#]);
}

#[test]
fn an_id_in_a_query_is_read() {
    let channels = channels();
    send(&channels[0], [1, 2]);
    let query = format!("x=y&last_event_id=prices%3D{PRICES}-1%2Cchat%3D{CHAT}-0");
    let headers = http::HeaderMap::new();
    let [prices, chat] = &channels;
    let resume = Resume::from_request(&headers, Some(&query));
    let mut reader = Reader::new(Merged::subscribe([("prices", prices), ("chat", chat)], resume).unwrap());
    assert_eq!(data(&mut reader), ["2"]);
}

#[test]
fn up_to_date_is_who_has_everything_of_all_topics() {
    let channels = channels();
    send(&channels[0], [1]);
    channels[0].finish();
    let everything = format!("prices={PRICES}-1,chat={CHAT}-0");
    let mut reader = subscribe(&channels, &everything).unwrap();
    assert_eq!(reader.ready(), [format!("id: {everything}\n\n")]);
    channels[1].finish();
    assert_eq!(reader.ready(), ["(end)"]);
    assert_eq!(subscribe(&channels, &everything).err(), Some(MergeError::UpToDate));
    assert_eq!(data(&mut subscribe(&channels, &format!("prices={PRICES}-0,chat={CHAT}-0")).unwrap()), ["1"]);
}

/// Its reader is still connected, because another topic goes on.
#[test]
fn a_topic_that_was_finished_can_go_on() {
    let channels = channels();
    let [prices, chat] = &channels;
    let mut reader = subscribe(&channels, &format!("prices={PRICES}-0,chat={CHAT}-0")).unwrap();
    send(prices, [1]);
    prices.finish();
    assert_eq!(data(&mut reader), ["1"]);
    assert_eq!(reader.ready(), [""; 0]);
    reader.wakes();
    // After the newest event, nothing is missing.
    prices.restart(StreamPosition::new(1, 1)).unwrap();
    assert_eq!(reader.wakes(), 1);
    assert_eq!(reader.ready(), [""; 0]);
    send(prices, [2]);
    assert_eq!(reader.wakes(), 1);
    assert_eq!(reader.ready(), [format!("id: prices={PRICES}-2,chat={CHAT}-0\ndata: 2\n\n")]);
    prices.finish();
    assert_eq!(reader.ready(), [""; 0]);
    // In another epoch, everything may be missing.
    prices.restart(StreamPosition::new(3, 5)).unwrap();
    send(prices, [6]);
    let gap = r#"{"topic":"prices"}"#;
    assert_eq!(data(&mut reader), [gap, "6"]);
    // Both end, in whichever order.
    chat.finish();
    assert_eq!(reader.ready(), [""; 0]);
    prices.finish();
    assert_eq!(reader.ready(), ["(end)"]);
    prices.restart(StreamPosition::new(3, 6)).unwrap();
    send(prices, [7]);
    assert_eq!(reader.ready(), ["(end)"], "it has ended for good");
}

#[test]
fn to_finish_a_topic_again_wakes_nobody() {
    let channels = channels();
    let mut reader = subscribe(&channels, &format!("prices={PRICES}-0,chat={CHAT}-0")).unwrap();
    channels[0].finish();
    reader.ready();
    reader.wakes();
    channels[0].finish();
    assert_eq!(reader.wakes(), 0);
    drop(channels);
    assert_eq!(reader.wakes(), 1, "only the other topic ends");
}

#[test]
fn a_reader_that_is_too_slow_for_one_topic_ends() {
    let [prices, chat] = &channels();
    let topics = [("prices", prices), ("chat", chat)];
    let mut reader = Reader::new(Merged::subscribe(topics, Resume::Live).unwrap().with_lag(Lag::End));
    reader.ready();
    send(chat, 1..=5);
    assert_eq!(reader.ready(), ["(end)"]);
    send(prices, [1]);
    assert_eq!(reader.ready(), ["(end)"]);
}

#[test]
fn the_gap_event_can_be_set() {
    let channels = channels();
    let reader = subscribe(&channels, "x")
        .unwrap()
        .stream
        .with_gap_event(|gap| Event::new(format!("{:?} {:?}", gap.topic(), gap.missed())).with_id("other").unwrap());
    let items = Reader::new(reader).ready();
    assert_eq!(items[1], format!("id: prices={PRICES}-0,chat=-\ndata: Some(\"prices\") None\n\n"));
}

#[test]
fn the_longest_id_is_below_two_kibibytes_and_is_read() {
    let names: Vec<String> = (10..26).map(|number| format!("{number}{}", "x".repeat(62))).collect();
    let channels: Vec<Channel> = names.iter().map(|_| Channel::new(History::new())).collect();
    channels.iter().for_each(|channel| channel.restart(StreamPosition::new(u64::MAX, u64::MAX - 1)).unwrap());
    let topics = || names.iter().map(String::as_str).zip(&channels);
    let mut reader = Reader::new(Merged::subscribe(topics(), Resume::Live).unwrap());
    channels.iter().for_each(|channel| send(channel, [1]));
    let items = reader.ready();
    let id = items.last().unwrap().lines().find_map(|line| line.strip_prefix("id: ")).unwrap();
    assert_eq!(id.len(), 1647);
    let mut reader = Reader::new(Merged::subscribe(topics(), Resume::After(id.as_bytes().into())).unwrap());
    assert_eq!(reader.ready(), [format!("id: {id}\n\n")]);
}

#[test]
fn a_body_sends_the_shared_bytes_of_an_event_without_a_copy() {
    let channels = channels();
    send(&channels[0], [1]);
    let mut last_frames = Vec::new();
    for _ in 0..2 {
        let reader = subscribe(&channels, &format!("prices={PRICES}-0,chat={CHAT}-0")).unwrap().stream;
        let mut body = pin!(EventBody::new(reader));
        let mut frames = Vec::new();
        while let Some(Some(frame)) = poll_fn(|context| body.as_mut().poll_frame(context)).now_or_never() {
            frames.push(frame.unwrap().into_data().unwrap());
        }
        let id = format!("id: prices={PRICES}-1,chat={CHAT}-0\n");
        assert_eq!(frames[1..], [&id, "data: 1\n\n"]);
        last_frames.push(frames.pop().unwrap());
    }
    assert_eq!(last_frames[0].as_ptr(), last_frames[1].as_ptr());
}
