//! The file that replaces reqwest-eventsource, in a program with reqwest 0.13. `tests/migration` tests it with 0.12.

#[rustfmt::skip] // `.ci/run` formats it with the settings in `docs`
#[path = "../../../../docs/reqwest-eventsource-shim.rs"]
#[allow(unreachable_pub, reason = "users copy it into their own programs")]
mod copied;

use self::copied::{Error, Event, EventSource, RequestBuilderExt, retry::Constant};
use crate::{header, patiently};
use eventwire_test::{Script, TestServer};
use futures_util::StreamExt;
use std::time::Duration;

#[tokio::test]
async fn a_feed_over_two_connections() {
    let server = TestServer::new().answers([
        Script::new().send("id: 1\ndata: a\n\n"),
        Script::new().send("data: b\n\n"),
        Script::status(204),
    ]);
    let mut source = EventSource::get(server.url());
    source.set_retry_policy(Box::new(Constant::new(Duration::from_millis(1), None)));
    let items: Vec<_> = patiently(source.by_ref().collect()).await;
    let [
        Ok(Event::Open),
        Ok(Event::Message(a)),
        Err(Error::StreamEnded),
        Ok(Event::Open),
        Ok(Event::Message(b)),
        Err(Error::StreamEnded),
        Err(Error::InvalidStatusCode(status, _)),
    ] = &items[..]
    else {
        panic!("{items:?}")
    };
    assert_eq!((a.data.as_str(), b.data.as_str(), status.as_u16()), ("a", "b", 204));
    assert_eq!((b.id.as_str(), source.last_event_id()), ("1", "1"));
    let ids: Vec<_> = server.requests().iter().map(|request| header(request, "last-event-id").concat()).collect();
    assert_eq!(ids, ["", "1", "1"]);
}

#[tokio::test]
async fn a_post_is_sent_once() {
    let server = TestServer::new().answer_with(|_| Script::new().send("data: a\n\n"));
    let source = reqwest::Client::new().post(server.url()).body("buy").eventsource().unwrap();
    let items: Vec<_> = patiently(source.collect()).await;
    assert!(matches!(items[..], [Ok(Event::Open), Ok(_), Err(Error::StreamEnded)]), "{items:?}");
    assert_eq!(server.requests().len(), 1);
}
