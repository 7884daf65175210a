use eventwire::DecodeError;
use eventwire_recipes::async_read::read_events;
use std::cell::RefCell;
use tokio::io::AsyncWriteExt;

/// Reads these bytes, and nothing after them.
async fn read(bytes: &[u8]) -> (Vec<String>, anyhow::Result<()>) {
    let mut events = Vec::new();
    let result = read_events(bytes, |event_type, data| events.push(format!("{event_type}: {data}"))).await;
    (events, result)
}

#[tokio::test]
async fn events_arrive_with_their_bytes() {
    let (mut writer, reader) = tokio::io::duplex(4);
    let events = RefCell::new(Vec::new());
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let read = read_events(reader, |event_type, data| {
        events.borrow_mut().push(format!("{event_type}: {data}"));
        tell.send(()).unwrap();
    });
    let write = async {
        writer.write_all(b"event: price\ndata: 41\n\n").await.unwrap();
        told.recv().await.unwrap(); // before there is more
        writer.write_all("data: é\n\n: comment\n\n".as_bytes()).await.unwrap();
        drop(writer);
    };
    tokio::join!(async { read.await.unwrap() }, write);
    assert_eq!(events.into_inner(), ["price: 41", "message: é"]);
}

#[tokio::test]
async fn a_large_event_is_skipped() {
    let (events, result) =
        read(format!("data: 1\n\ndata: {}\n\ndata: 2\n\n", "x".repeat(1024 * 1024)).as_bytes()).await;
    result.unwrap();
    assert_eq!(events, ["message: 1", "message: 2"]);
}

#[tokio::test]
async fn a_truncated_stream_is_an_error() {
    let (events, result) = read(b"data: 1\n\ndata: 2\n").await;
    assert_eq!(events, ["message: 1"]);
    assert_eq!(result.unwrap_err().to_string(), DecodeError::Truncated.to_string());
}

#[tokio::test(start_paused = true)]
async fn silence_is_an_error() {
    let (_writer, reader) = tokio::io::duplex(4);
    let result = read_events(reader, |_, _| {}).await;
    assert_eq!(result.unwrap_err().to_string(), "no data received for 60s");
}
