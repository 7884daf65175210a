//! A client that disconnects.

use std::io::{Read, Write};
use std::sync::mpsc;

use eventwire_test_support::PATIENCE;
use talk::Speaker;
use tokio::sync::{mpsc as channel, oneshot};
use tokio::time::timeout;

use crate::talking::{STREAM, ask, event, talk, written};

/// A model that sends only this, and reports when its connection is closed.
fn model(bytes: String) -> (String, oneshot::Receiver<()>, mpsc::Receiver<()>) {
    let (asked, was_asked) = mpsc::channel();
    let (gone, is_gone) = oneshot::channel();
    let base_url = written(move |mut client| {
        client.write_all(bytes.as_bytes()).unwrap();
        client.set_read_timeout(Some(PATIENCE)).unwrap();
        let _ = asked.send(());
        // Reads the body of the request, then the end of the connection.
        let end = client.read_to_end(&mut Vec::new());
        assert!(!end.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock), "the connection is open");
        let _ = gone.send(());
    });
    (base_url, is_gone, was_asked)
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
    let (base_url, mut is_gone, _) = model(format!("{STREAM}{}", event("This is a sentence of its own. And")));
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
    let mut response = ask(&talk(&base_url, speaker).await).await;
    timeout(PATIENCE, response.chunk()).await.expect("a word").unwrap().unwrap();
    timeout(PATIENCE, speech.recv()).await.expect("speech").unwrap();
    assert!(dropped.try_recv().is_err() && is_gone.try_recv().is_err());
    drop(response);
    timeout(PATIENCE, is_gone).await.expect("the request to the model is dropped").unwrap();
    timeout(PATIENCE, dropped.recv()).await.expect("the speech is dropped").unwrap();
}

#[tokio::test]
async fn the_relayed_request_is_dropped() {
    let (base_url, mut is_gone, _) = model(format!("{STREAM}{}", event("one")));
    let mut response = ask(&talk(&base_url, Speaker::tones()).await.replace("/talk", "/chat")).await;
    timeout(PATIENCE, response.chunk()).await.expect("a word").unwrap().unwrap();
    assert!(is_gone.try_recv().is_err());
    drop(response);
    timeout(PATIENCE, is_gone).await.expect("the request to the model is dropped").unwrap();
}

#[tokio::test]
async fn before_the_answer_has_begun() {
    for path in ["/talk", "/chat"] {
        let (base_url, is_gone, was_asked) = model(String::new());
        let url = talk(&base_url, Speaker::tones()).await.replace("/talk", path);
        let request = tokio::spawn(async move { ask(&url).await });
        tokio::task::spawn_blocking(move || was_asked.recv_timeout(PATIENCE).unwrap()).await.unwrap();
        request.abort();
        timeout(PATIENCE, is_gone).await.expect("the request to the model is dropped").unwrap();
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_process_that_speaks_is_killed() {
    use crate::espeak::{Program, has_ended};

    let (base_url, is_gone, _) = model(format!("{STREAM}{}", event("This is a sentence of its own. And")));
    let program = Program::new("echo $$ >\"$0.pid.new\"; mv \"$0.pid.new\" \"$0.pid\"; exec sleep 3600");
    let mut response = ask(&talk(&base_url, Speaker::espeak(program.path(), None)).await).await;
    timeout(PATIENCE, response.chunk()).await.expect("a word").unwrap().unwrap();
    let pid = timeout(PATIENCE, program.pid()).await.expect("the process");
    assert!(!has_ended(pid));
    drop(response);
    timeout(PATIENCE, is_gone).await.expect("the request to the model is dropped").unwrap();
    let ended = async {
        while !has_ended(pid) {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, ended).await.expect("the process is killed");
}
