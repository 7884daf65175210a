//! A client that disconnects.

use std::io::{ErrorKind, Read, Write};
use std::sync::mpsc;

use eventwire_test_support::{PATIENCE, by_hand};
use tokio::sync::{mpsc as channel, oneshot};
use tokio::time::timeout;

use super::asking::{STREAM, ask, event, with_model};
use crate::speaker::Speaker;

/// Serves a model that sends only this, and reports when its connection is closed.
async fn serve(bytes: String, speaker: Speaker) -> (String, oneshot::Receiver<()>, mpsc::Receiver<()>) {
    let (asked, was_asked) = mpsc::channel();
    let (gone, is_gone) = oneshot::channel();
    let model = by_hand(move |mut client| {
        client.write_all(bytes.as_bytes()).unwrap();
        client.set_read_timeout(Some(PATIENCE)).unwrap();
        let _ = asked.send(());
        // Waits for the end of the connection.
        let end = client.read_to_end(&mut Vec::new());
        assert!(!end.is_err_and(|error| error.kind() == ErrorKind::WouldBlock), "the connection is open");
        let _ = gone.send(());
    });
    (with_model(&model, speaker).await, is_gone, was_asked)
}

/// Reports when it is dropped.
struct Guard(channel::UnboundedSender<()>);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

#[tokio::test]
async fn the_request_and_the_speech_are_dropped() {
    let (started, mut speech) = channel::unbounded_channel();
    let (tell, mut dropped) = channel::unbounded_channel();
    let speaker = Speaker::from_fn(move |_| {
        started.send(()).unwrap();
        let guard = Guard(tell.clone());
        async move {
            let _guard = guard;
            std::future::pending().await
        }
    });
    let bytes = format!("{STREAM}{}", event("This is a sentence of its own. And"));
    let (url, mut is_gone, _) = serve(bytes, speaker).await;
    let mut response = ask(&format!("{url}talk")).await;
    timeout(PATIENCE, response.chunk()).await.expect("a word").unwrap().unwrap();
    timeout(PATIENCE, speech.recv()).await.expect("speech").unwrap();
    assert!(dropped.try_recv().is_err() && is_gone.try_recv().is_err());
    drop(response);
    timeout(PATIENCE, is_gone).await.expect("the request to the model is dropped").unwrap();
    timeout(PATIENCE, dropped.recv()).await.expect("the speech is dropped").unwrap();
}

#[tokio::test]
async fn the_relayed_request_is_dropped() {
    let (url, mut is_gone, _) = serve(format!("{STREAM}{}", event("one")), Speaker::tone()).await;
    let mut response = ask(&format!("{url}chat")).await;
    timeout(PATIENCE, response.chunk()).await.expect("a word").unwrap().unwrap();
    assert!(is_gone.try_recv().is_err());
    drop(response);
    timeout(PATIENCE, is_gone).await.expect("the request to the model is dropped").unwrap();
}

#[tokio::test]
async fn before_the_answer_has_begun() {
    for path in ["talk", "chat"] {
        let (url, is_gone, was_asked) = serve(String::new(), Speaker::tone()).await;
        let request = tokio::spawn(async move { ask(&format!("{url}{path}")).await });
        tokio::task::spawn_blocking(move || was_asked.recv_timeout(PATIENCE).unwrap()).await.unwrap();
        request.abort();
        timeout(PATIENCE, is_gone).await.expect("the request to the model is dropped").unwrap();
    }
}
