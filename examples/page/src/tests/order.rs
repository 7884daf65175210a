//! The order of text and sound.

use std::io::Write;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};

use eventwire_test_support::PATIENCE;
use talk::Speaker;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

use crate::talking::{DONE, Owned, STREAM, add, ask, event, hear, listen, model, spell, talk, written};

const TEXT: &str =
    "This is the first sentence of three. This is the second sentence of three. And this is the last one of them.";

#[tokio::test]
async fn text_and_calls_do_not_wait_for_speech() {
    // No sound is returned before everything else has been received.
    let speech = Arc::new(Semaphore::new(0));
    let gate = Arc::clone(&speech);
    let speaker = Speaker::from_fn(move |text| {
        let gate = Arc::clone(&gate);
        async move {
            gate.acquire().await.unwrap().forget();
            spell(&text)
        }
    });
    let url = talk(&model(TEXT, &[("f", "{}")]).await, speaker).await;
    let mut heard = Vec::new();
    let end = listen(ask(&url).await, |part| {
        if let Owned::ToolCalls(_) = part {
            speech.add_permits(3);
        }
        add(&mut heard, part);
    });
    end.await.unwrap();
    let kinds: Vec<&str> = heard.iter().map(kind).collect();
    assert_eq!(
        kinds,
        [
            "text 1", "text 2", "text 3", "calls", "sound 1", "drawing", "sound 2", "drawing", "sound 3", "drawing",
            "drawing"
        ]
    );
}

fn kind(part: &Owned) -> &'static str {
    match part {
        Owned::Text(1, _) => "text 1",
        Owned::Text(2, _) => "text 2",
        Owned::Text(..) => "text 3",
        Owned::Sound(1, _) => "sound 1",
        Owned::Sound(2, _) => "sound 2",
        Owned::Sound(..) => "sound 3",
        Owned::ToolCalls(_) => "calls",
        Owned::Drawing(_) => "drawing",
    }
}

#[tokio::test]
async fn sounds_keep_their_order() {
    // The sound of the first sentence is ready only after that of the second.
    let (done, wait) = oneshot::channel::<()>();
    let (done, wait) = (Arc::new(Mutex::new(Some(done))), Arc::new(Mutex::new(Some(wait))));
    let speaker = Speaker::from_fn(move |text| {
        let wait = text.contains("first").then(|| wait.lock().unwrap().take().unwrap());
        let done = text.contains("second").then(|| done.lock().unwrap().take().unwrap());
        async move {
            if let Some(wait) = wait {
                timeout(PATIENCE, wait).await.expect("two sentences are spoken at the same time").unwrap();
            }
            if let Some(done) = done {
                done.send(()).unwrap();
            }
            spell(&text)
        }
    });
    let (heard, end) = hear(ask(&talk(&model(TEXT, &[]).await, speaker).await).await).await;
    end.unwrap();
    let sounds: Vec<&str> = heard.iter().map(kind).filter(|kind| kind.starts_with("sound")).collect();
    assert_eq!(sounds, ["sound 1", "sound 2", "sound 3"]);
}

#[tokio::test]
async fn a_sound_does_not_wait_for_the_end_of_a_text_part() {
    // The model pauses in the middle of the second sentence until the client has received the sound of the first.
    let (go, wait) = mpsc::channel::<()>();
    let base_url = written(move |mut client| {
        let first = event("This is the first sentence of two. This");
        client.write_all(format!("{STREAM}{first}").as_bytes()).unwrap();
        wait.recv_timeout(PATIENCE).expect("the sound");
        client.write_all(format!("{}{DONE}", event(" is the second.")).as_bytes()).unwrap();
    });
    let speaker = Speaker::from_fn(|text| async move { spell(&text) });
    let mut heard = Vec::new();
    let end = listen(ask(&talk(&base_url, speaker).await).await, |part| {
        if let Owned::Sound(1, _) = part {
            go.send(()).unwrap();
        }
        add(&mut heard, part);
    });
    end.await.unwrap();
    heard.retain(|part| !matches!(part, Owned::Drawing(_)));
    let expected = [
        Owned::Text(1, "This is the first sentence of two.".into()),
        Owned::Text(2, " This".into()),
        Owned::Sound(1, "This is the first sentence of two.".into()),
        Owned::Text(2, " is the second.".into()),
        Owned::Sound(2, " This is the second.".into()),
    ];
    assert_eq!(heard, expected);
}

/// The client receives a word before the model sends the next one.
#[tokio::test]
async fn words_come_one_by_one() {
    let (go, wait) = mpsc::channel::<()>();
    let base_url = written(move |mut client| {
        client.write_all(STREAM.as_bytes()).unwrap();
        for word in ["one", " two", " three"] {
            client.write_all(event(word).as_bytes()).unwrap();
            wait.recv_timeout(PATIENCE).expect(word);
        }
        client.write_all(DONE.as_bytes()).unwrap();
    });
    let mut words = Vec::new();
    let end = listen(ask(&talk(&base_url, Speaker::tones()).await).await, |part| {
        if let Owned::Text(1, word) = part {
            words.push(word);
            go.send(()).unwrap();
        }
    });
    // The server of this test blocks its own thread.
    end.await.unwrap();
    assert_eq!(words, ["one", " two", " three"]);
}
