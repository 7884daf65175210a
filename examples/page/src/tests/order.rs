//! The order of text and sound.

use std::io::Write;
use std::sync::{Arc, Mutex, mpsc};

use eventwire_test::{Script, TestServer};
use eventwire_test_support::{PATIENCE, by_hand};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

use super::asking::{DONE, Heard, STREAM, add, ask, event, hear, listen, spell, with_model};
use crate::speaker::Speaker;

const TEXT: &str =
    "This is the first sentence of three. This is the second sentence of three. And this is the last one of them.";
const CALL: &str = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}]}\n\n";

/// Serves the text and a call, spoken by this speaker.
async fn serve(speaker: Speaker) -> (String, TestServer) {
    let model = TestServer::new().answer(Script::new().send(format!("{}{CALL}{DONE}", event(TEXT))));
    (with_model(&model.url(), speaker).await + "talk", model)
}

fn kind(part: &Heard) -> String {
    match part {
        Heard::Text(sentence, _) => format!("text {sentence}"),
        Heard::Sound(sentence, _) => format!("sound {sentence}"),
        Heard::Calls(_) => "calls".into(),
        Heard::Drawing(_) => "drawing".into(),
    }
}

#[tokio::test]
async fn text_and_calls_do_not_wait_for_speech() {
    // No sound is ready before everything else has been received.
    let speech = Arc::new(Semaphore::new(0));
    let gate = Arc::clone(&speech);
    let speaker = Speaker::from_fn(move |text| {
        let gate = Arc::clone(&gate);
        async move {
            gate.acquire().await.unwrap().forget();
            spell(&text)
        }
    });
    let mut heard = Vec::new();
    let (url, _model) = serve(speaker).await;
    let end = listen(ask(&url).await, |part| {
        if let Heard::Calls(_) = part {
            speech.add_permits(3);
        }
        add(&mut heard, part);
    });
    end.await.unwrap();
    let kinds: Vec<String> = heard.iter().map(kind).collect();
    let first = ["text 1", "text 2", "text 3", "calls"];
    let last = ["sound 1", "drawing", "sound 2", "drawing", "sound 3", "drawing", "drawing"];
    assert_eq!(kinds, [&first[..], &last].concat());
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
    let (url, _model) = serve(speaker).await;
    let (heard, end) = hear(ask(&url).await).await;
    end.unwrap();
    let sounds: Vec<String> = heard.iter().map(kind).filter(|kind| kind.starts_with("sound")).collect();
    assert_eq!(sounds, ["sound 1", "sound 2", "sound 3"]);
}

#[tokio::test]
async fn a_sound_does_not_wait_for_the_end_of_a_text_part() {
    // The model pauses in the middle of the second sentence until the client has received the sound of the first.
    let (go, wait) = mpsc::channel::<()>();
    let speaker = Speaker::from_fn(|text| async move { spell(&text) });
    let model = by_hand(move |mut client| {
        let first = event("This is the first sentence of two. This");
        client.write_all(format!("{STREAM}{first}").as_bytes()).unwrap();
        wait.recv_timeout(PATIENCE).expect("the sound");
        client.write_all(format!("{}{DONE}", event(" is the second.")).as_bytes()).unwrap();
    });
    let mut heard = Vec::new();
    let url = with_model(&model, speaker).await;
    let end = listen(ask(&format!("{url}talk")).await, |part| {
        if let Heard::Sound(1, _) = part {
            go.send(()).unwrap();
        }
        add(&mut heard, part);
    });
    end.await.unwrap();
    heard.retain(|part| !matches!(part, Heard::Drawing(_)));
    let expected = [
        Heard::Text(1, "This is the first sentence of two.".into()),
        Heard::Text(2, " This".into()),
        Heard::Sound(1, "This is the first sentence of two.".into()),
        Heard::Text(2, " is the second.".into()),
        Heard::Sound(2, " This is the second.".into()),
    ];
    assert_eq!(heard, expected);
}
