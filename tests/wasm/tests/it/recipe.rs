//! The recipe for pages.

#[rustfmt::skip] // `.ci/run` formats it with the settings in `docs`
#[path = "../../../../docs/recipes/browser.rs"]
mod browser;

use self::browser::ask;
use crate::watch::SERVER;
use eventwire_web::Request;
use futures_channel::mpsc::{UnboundedReceiver, unbounded};
use futures_util::{StreamExt, future::AbortHandle};
use std::time::Duration;

/// Asks the server, and returns a stream of the texts that are shown.
fn start(prompt: &str) -> (UnboundedReceiver<String>, AbortHandle) {
    let (tell, shown) = unbounded();
    let handle = ask(format!("{SERVER}/recipe/chat"), prompt, move |text| tell.unbounded_send(text.into()).unwrap());
    (shown, handle)
}

async fn answer(prompt: &str) -> Vec<String> {
    start(prompt).0.collect().await
}

#[test]
async fn tokens_are_shown_when_they_arrive() {
    assert_eq!(answer("\"d\u{E9}j\u{E0}\"").await, ["You said: ", "\"d\u{E9}j\u{E0}\""]);
}

#[test]
async fn a_truncated_answer_is_an_error() {
    let shown = answer("half").await;
    assert_eq!(shown, ["You said: ", "\n[the stream is truncated: it ended without `[DONE]`]"]);
}

#[test]
async fn a_refusal_is_shown() {
    assert_eq!(answer("").await, ["\n[the server answered 400 Bad Request: ask something]"]);
}

#[test]
async fn stopping_an_answer_closes_its_connection() {
    let (mut shown, handle) = start("wait");
    assert_eq!(shown.next().await.unwrap(), "You said: ");
    handle.abort();
    assert_eq!(shown.next().await, None);
    for _ in 0..200 {
        let response = Request::get(format!("{SERVER}/recipe/closed")).send().await.unwrap();
        if response.into_body().bytes(10).await.unwrap() == "1" {
            return;
        }
        gloo_timers::future::sleep(Duration::from_millis(5)).await;
    }
    panic!("the connection is still open");
}
