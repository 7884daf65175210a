//! The client over `fetch` without reqwest, and single responses.

use crate::watch::{SERVER, watch};
use eventwire::Dialect;
use eventwire_client::{ConnectionError, Item, OpenError, ReconnectPolicy, StopReason};
use eventwire_web::{BrowserTimer, FetchError, Request, RequestCache, RequestCredentials, RequestMode};
use futures_util::{
    StreamExt, TryStreamExt,
    future::{self, Either},
};
use http::Method;
use serde_json::Value;
use std::{error::Error, future::ready, time::Duration};

fn url(path: &str) -> String {
    format!("{SERVER}/web/{path}")
}

async fn text(request: Request) -> String {
    let bytes = request.send().await.unwrap().into_body().bytes(1 << 20).await.unwrap();
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Returns the request that the server received.
async fn echo(request: Request) -> Value {
    serde_json::from_str(&text(request).await).unwrap()
}

/// Returns the number of requests for this path.
async fn visits(path: &str) -> String {
    text(Request::get(url(&format!("visits?{path}")))).await
}

/// Waits until the client has closed this many connections to `/web/open`, as counted by the server.
async fn closed(count: usize) {
    for _ in 0..200 {
        if text(Request::get(url("closed"))).await == count.to_string() {
            return;
        }
        gloo_timers::future::sleep(Duration::from_millis(5)).await;
    }
    panic!("the connection is still open");
}

#[test]
async fn from_connection_to_connection() {
    let mut source = Request::get(SERVER).eventsource();
    let words =
        ["200 OK", "message d\u{E9}j\u{E0} 1", "the connection ended", "200 OK", "t b 2", "the connection ended"];
    assert_eq!(watch(&mut source).await, words);
    assert_eq!(source.into_stopped().reason(), StopReason::NoContent);
}

#[test]
async fn a_refusal_has_its_body() {
    let mut source = Request::get(format!("{SERVER}/refused")).eventsource();
    assert!(watch(&mut source).await.is_empty());
    assert_eq!(source.into_stopped().response().unwrap().text(), "{\"error\":\"who?\"}");
}

#[test]
async fn one_response_is_opened() {
    let opened = Request::post(url("busy?00")).with_body("a question").open().await.unwrap();
    assert_eq!(opened.response().headers()["content-type"], "text/event-stream");
    assert_eq!(opened.json::<u32>().try_collect::<Vec<_>>().await.unwrap(), [1]);

    let error = Request::get(url("busy?9")).open().await.unwrap_err();
    assert_eq!(error.to_string(), "the server answered 429 Too Many Requests: busy");
    let error = Request::get(url("echo")).open().await.unwrap_err();
    let OpenError::WrongContentType(refusal) = &error else { panic!("{error:?}") };
    assert_eq!(refusal.json::<Value>().unwrap()["headers"]["accept"], "text/event-stream");
    let error = Request::get("http://127.0.0.1:1/").open().await.unwrap_err();
    assert!(matches!(error, OpenError::Transport(_)), "{error:?}");
    let opening = Request::get(url("open?silent")).open().with_timeout(Duration::from_millis(20));
    assert_eq!(opening.await.unwrap_err().to_string(), "no response received for 20ms");

    // What came before the connection broke is returned.
    let mut opened = Request::get(url("cut?opened")).open().await.unwrap();
    assert_eq!(opened.next().await.unwrap().unwrap().data(), "a");
    assert!(opened.next().await.unwrap().is_err() && opened.next().await.is_none());
}

#[test]
async fn a_silent_connection_is_closed() {
    let limit = Duration::from_millis(20);
    let before: usize = text(Request::get(url("closed"))).await.parse().unwrap();
    let mut source = Request::get(url("open?headers")).eventsource().with_idle_timeout(limit);
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    assert!(matches!(source.next().await, Some(Item::Event(_))));
    let Some(Item::Reconnecting { error, .. }) = source.next().await else { panic!("it goes on") };
    assert!(matches!(error, ConnectionError::IdleTimeout(timeout) if timeout == limit), "{error}");
    closed(before + 1).await;
}

#[test]
async fn the_parts_of_one_response_are_opened() {
    let response = Request::get(url("parts")).open_parts().await.unwrap();
    assert_eq!(response.headers()["x-accept"], "multipart/x-mixed-replace, multipart/mixed");
    let mut parts = response.into_body();
    assert_eq!(parts.next().await.unwrap().unwrap().bytes().await.unwrap(), "hello");
    assert!(parts.next().await.is_none());
    let error = Request::get(url("echo")).open_parts().await.unwrap_err();
    assert_eq!(error.response().unwrap().headers()["content-type"], "application/json");
}

#[test]
async fn a_last_event_id_to_start_with() {
    let request = Request::get(url("id")).with_header("Last-Event-ID", "s\u{FC}d\u{6587}");
    let source = request.clone().eventsource();
    assert_eq!(source.last_event_id(), "s\u{FC}d\u{6587}");
    let made = eventwire_web::from_fn(|_| ready(Ok::<_, FetchError>(request.clone())));
    for source in [source.boxed_local(), made.boxed_local()] {
        let events = source.filter_map(async |item| match item {
            Item::Event(event) => Some(event.into_data().to_string()),
            _ => None,
        });
        assert_eq!(events.take(2).collect::<Vec<_>>().await, ["s\u{FC}d\u{6587}", "\u{E9}\u{6587}"]);
    }
}

#[test]
async fn a_post_that_was_turned_away_is_sent_again() {
    let policy = ReconnectPolicy::new().with_reconnection_time(Duration::from_millis(1));
    let mut source = Request::post(url("busy?2")).eventsource().with_policy(policy);
    let words = watch(&mut source).await;
    assert_eq!(words.len(), 4, "{words:?}");
    assert!(words[0].contains("429") && words[1].contains("429"), "{words:?}");
    assert_eq!(words[2..], ["200 OK", "message 3 "]);
    assert_eq!(visits("busy?2").await, "3");
}

/// The server that redirected the request may have carried it out.
#[test]
async fn a_post_that_was_turned_away_after_a_redirect_is_not_sent_again() {
    let mut source = Request::post(url("redirect?90")).eventsource();
    assert_eq!(watch(&mut source).await, [""; 0]);
    assert_eq!((source.into_stopped().reason(), &*visits("busy?90").await), (StopReason::NotResent, "1"));
    let mut source = eventwire_web::from_fn(|_| ready(Ok::<_, FetchError>(Request::post(url("redirect?91")))));
    assert_eq!(watch(&mut source).await, [""; 0]);
    assert_eq!((source.into_stopped().reason(), &*visits("busy?91").await), (StopReason::NotResent, "1"));
}

/// The URL is that of the request, but the POST has been carried out.
#[test]
async fn a_post_that_was_redirected_to_its_own_url_is_not_sent_again() {
    let policy = ReconnectPolicy::new().with_max_attempts(2).with_reconnection_time(Duration::from_millis(1));
    // The second visit is the GET, or the POST that came back.
    for path in ["posted?503", "posted?429", "there?1"] {
        let mut source = Request::post(url(path)).eventsource().with_policy(policy.clone());
        assert_eq!(watch(&mut source).await, [""; 0]);
        assert_eq!((source.into_stopped().reason(), &*visits(path).await), (StopReason::NotResent, "2"), "{path}");
    }
    for path in ["posted?503&made", "posted?429&made", "there?2"] {
        let mut source = eventwire_web::from_fn(|_| ready(Ok::<_, FetchError>(Request::post(url(path)))))
            .with_policy(policy.clone());
        assert_eq!(watch(&mut source).await, [""; 0]);
        assert_eq!((source.into_stopped().reason(), &*visits(path).await), (StopReason::NotResent, "2"), "{path}");
    }
}

#[test]
async fn a_post_that_may_have_been_carried_out_is_not_sent_again() {
    let mut source = Request::post(url("cut?post")).eventsource();
    assert_eq!(watch(&mut source).await, ["200 OK", "message a "]);
    assert_eq!((source.into_stopped().reason(), &*visits("cut?post").await), (StopReason::NotResent, "1"));
    let mut source = Request::post(url("unavailable")).eventsource();
    assert_eq!(watch(&mut source).await, [""; 0]);
    assert_eq!((source.into_stopped().reason(), &*visits("unavailable").await), (StopReason::NotResent, "1"));
    // No server listens on this port, but `fetch` does not report that.
    let mut source = Request::post("http://127.0.0.1:1/").eventsource();
    assert!(watch(&mut source).await.is_empty());
    assert_eq!(source.into_stopped().reason(), StopReason::NotResent);
}

#[test]
async fn a_get_is_sent_again() {
    let policy = ReconnectPolicy::new().with_max_attempts(2).with_reconnection_time(Duration::from_millis(1));
    let mut source = Request::get("http://127.0.0.1:1/").eventsource().with_policy(policy);
    assert_eq!(watch(&mut source).await.len(), 1);
    let stopped = source.into_stopped();
    assert_eq!(stopped.reason(), StopReason::AttemptsExhausted);
    assert!(stopped.to_string().contains("the request failed: "), "{stopped}");
}

#[test]
async fn a_request_for_each_attempt() {
    let mut number = 0;
    let mut source = eventwire_web::from_fn(|_| {
        number += 1;
        ready::<Result<_, Box<dyn Error>>>(match number {
            // The first request was not sent, so even a POST is tried again.
            1 => Err("no token yet".into()),
            2 => Ok(Request::post(url("busy?1"))),
            _ => Ok(Request::get(SERVER)),
        })
    })
    .with_policy(ReconnectPolicy::new().with_reconnection_time(Duration::from_millis(1)));
    let words = watch(&mut source).await;
    assert!(words[0].contains("no token yet") && words[1].contains("429"), "{words:?}");
    assert_eq!(words[2..4], ["200 OK", "message d\u{E9}j\u{E0} 1"]);
    assert_eq!(source.into_stopped().reason(), StopReason::NoContent);
}

#[test]
async fn the_request_arrives_unchanged() {
    let request = Request::new(Method::PUT, url("echo?q"))
        .with_header("X-Text", "s\u{FC}d \u{6587}")
        .with_header("X-Twice", "a")
        .with_header("X-Twice", "b")
        .with_body("text \u{E9}");
    let echoed = echo(request).await;
    assert_eq!((&echoed["method"], &echoed["url"]), (&"PUT".into(), &"/web/echo?q".into()));
    assert_eq!(echoed["headers"]["x-text"], "s\u{FC}d \u{6587}");
    assert_eq!(echoed["headers"]["x-twice"], "a, b");
    assert_eq!(echoed["headers"]["content-type"], "text/plain;charset=UTF-8");
    assert_eq!(echoed["body"], "text \u{E9}");
    assert!(echoed["headers"]["last-event-id"].is_null());

    let bytes = js_sys::Uint8Array::from(&b"bytes"[..]);
    let echoed = echo(Request::post(url("echo")).with_body(bytes)).await;
    assert_eq!((&echoed["body"], &echoed["headers"]["content-type"]), (&"bytes".into(), &Value::Null));
    let form = js_sys::eval("new URLSearchParams({ a: '1', b: '2' })").unwrap();
    assert_eq!(echo(Request::post(url("echo")).with_body(form)).await["body"], "a=1&b=2");
    let stream = js_sys::eval("new Blob(['in pieces']).stream()").unwrap();
    assert_eq!(echo(Request::post(url("echo")).with_body(stream)).await["body"], "in pieces");
}

#[test]
async fn the_response_arrives_unchanged() {
    let response = Request::get(url("echo#fragment")).send().await.unwrap();
    assert_eq!(
        (response.status().as_u16(), response.headers()["content-type"].as_bytes()),
        (200, &b"application/json"[..])
    );
    assert_eq!(response.headers()["x-accent"].as_bytes(), "d\u{E9}j\u{E0}".as_bytes());

    let response = Request::get(url("redirect?0")).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream", "after a redirect");

    let response = Request::get(url("gzip")).send().await.unwrap();
    assert!(response.headers().get("content-encoding").is_none());
    // That was the length of the compressed bytes.
    assert!(response.headers().get("content-length").is_none());
    assert_eq!(response.into_body().bytes(usize::MAX).await.unwrap(), "unpacked");

    let response = Request::get(url("length")).send().await.unwrap();
    assert_eq!(response.headers()["content-length"], "3");

    let response = Request::get(url("nothing")).send().await.unwrap();
    assert_eq!((response.status().as_u16(), response.into_body().bytes(0).await.unwrap().len()), (404, 0));
}

#[test]
async fn a_large_body() {
    let mut body = Request::get(url("large")).send().await.unwrap().into_body();
    let mut all = Vec::new();
    while let Some(chunk) = body.next().await {
        let chunk = chunk.unwrap();
        assert!(!chunk.is_empty());
        all.extend_from_slice(&chunk);
    }
    assert!(body.next().await.is_none());
    assert!(all.len() == 5_000_000 && all.iter().enumerate().all(|(at, byte)| usize::from(*byte) == at / 50_000));

    let body = Request::get(url("large")).send().await.unwrap().into_body();
    let error = body.bytes(4_999_999).await.unwrap_err();
    assert_eq!(error.to_string(), "the body cannot be read: it is larger than the limit");
    assert!(error.is_too_large());
    let body = Request::get(url("large")).send().await.unwrap().into_body();
    assert_eq!(body.bytes(5_000_000).await.unwrap().len(), 5_000_000);
}

#[test]
async fn a_body_that_is_cut_off() {
    let mut body = Request::get(url("cut")).send().await.unwrap().into_body();
    assert_eq!(body.next().await.unwrap().unwrap(), "data: a\n\ndata: b");
    let error = body.next().await.unwrap().unwrap_err();
    assert!(error.to_string().starts_with("the request failed: "), "{error}");
    assert!(body.next().await.is_none() && !error.is_aborted() && !error.is_invalid_request());
}

#[test]
async fn an_invalid_request_stops_the_source() {
    for request in [
        Request::get("http://[::1"),
        Request::new(Method::TRACE, SERVER),
        Request::get(SERVER).with_body("a GET has none"),
        Request::get(SERVER).with_header("not a name", "secret"),
        Request::get(SERVER).with_header("X-A", "secret\r\nX-B: b"),
        Request::get(SERVER).with_cache(RequestCache::OnlyIfCached),
        Request::get(SERVER).with_mode(RequestMode::Navigate),
        Request::new(Method::PUT, SERVER).with_mode(RequestMode::NoCors),
    ] {
        let mut made = eventwire_web::from_fn(|_| ready(Ok::<_, FetchError>(request.clone())));
        assert!(watch(&mut made).await.is_empty());
        assert_eq!(made.into_stopped().reason(), StopReason::Permanent, "{request:?}");
        let mut source = request.clone().eventsource();
        assert!(watch(&mut source).await.is_empty());
        let stopped = source.into_stopped();
        assert_eq!(stopped.reason(), StopReason::Permanent, "{request:?}: {stopped}");
        let stopped = stopped.to_string();
        assert!(stopped.contains("the request is not valid: ") && !stopped.contains("secret"), "{stopped}");
        assert!(request.send().await.unwrap_err().is_invalid_request());
    }
}

#[test]
async fn dropping_aborts() {
    let before: usize = text(Request::get(url("closed"))).await.parse().unwrap();
    let mut source = Request::get(url("open?headers")).eventsource();
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    assert!(matches!(source.next().await, Some(Item::Event(_))));
    drop(source);
    closed(before + 1).await;

    let mut body = Request::get(url("open?headers")).send().await.unwrap().into_body();
    body.next().await.unwrap().unwrap();
    drop(body);
    closed(before + 2).await;

    let visits_before = visits("open").await;
    let response = Box::pin(Request::get(url("open")).send());
    let is_asked = Box::pin(async {
        while visits("open").await == visits_before {
            gloo_timers::future::sleep(Duration::from_millis(5)).await;
        }
    });
    match future::select(response, is_asked).await {
        Either::Left(_) => panic!("there is a response"),
        Either::Right(((), response)) => drop(response),
    }
    closed(before + 3).await;
}

#[test]
async fn a_signal_aborts() {
    let controller = web_sys::AbortController::new().unwrap();
    let request = Request::get(url("open?headers")).with_signal(controller.signal());
    let mut source = request.clone().eventsource();
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    assert!(matches!(source.next().await, Some(Item::Event(_))));
    controller.abort_with_reason(&"enough".into());
    let Some(Item::Reconnecting { error: ConnectionError::Transport(error), .. }) = source.next().await else {
        panic!("it goes on")
    };
    assert!(error.is_aborted());
    assert_eq!(error.to_string(), "the request was aborted: enough");
    assert!(source.next().await.is_none());
    assert_eq!(source.into_stopped().reason(), StopReason::Permanent);
    assert!(request.send().await.unwrap_err().is_aborted());
}

#[test]
fn sources_that_are_disconnected_together_do_not_reconnect_together() {
    let same = || format!("{:?}", Request::get(SERVER).eventsource());
    assert_ne!(same(), same());
    let made = || eventwire_web::from_fn(|_| ready(Ok::<_, FetchError>(Request::get(SERVER))));
    assert_ne!(format!("{:?}", made()), format!("{:?}", made()));
}

/// The browser's error message for such a URL may contain the password.
#[test]
async fn a_password_is_not_printed() {
    let error = Request::get("http://user:secret@127.0.0.1/").send().await.unwrap_err();
    assert!(error.is_invalid_request() && !error.to_string().contains("secret"), "{error}");
}

/// The settings are passed to `fetch`.
#[test]
async fn settings_reach_fetch() {
    js_sys::eval(
        "globalThis.before = fetch; globalThis.seen = []
        globalThis.fetch = (request) => {
            if (request.url.includes('settings')) seen.push([request.credentials, request.mode, request.cache].join())
            return before(request)
        }",
    )
    .unwrap();
    let request = Request::get(url("settings"));
    let _ = request.clone().send().await;
    let _ = request.clone().with_cache(RequestCache::Reload).with_mode(RequestMode::SameOrigin).send().await;
    let _ = request.clone().with_credentials(RequestCredentials::Include).eventsource().next().await;
    let _ = request.with_cache(RequestCache::Default).eventsource().next().await;
    let seen = js_sys::eval("globalThis.fetch = before; seen.join(' ')").unwrap().as_string().unwrap();
    assert_eq!(
        seen,
        "same-origin,cors,default same-origin,same-origin,reload include,cors,no-store same-origin,cors,default"
    );
}

/// Header values may be secrets.
#[test]
async fn debug_hides_headers_and_body() {
    let request = Request::post(SERVER).with_header("Authorization", "Bearer secret").with_body("secret");
    let debug = format!("{request:?} {:?}", request.clone().eventsource().connector());
    assert!(debug.contains("Authorization") && !debug.contains("secret"), "{debug}");
}

/// Like a response in the mode `no-cors`. A retry would not make it readable.
#[test]
async fn a_response_that_is_hidden_stops_the_source() {
    js_sys::eval("globalThis.before = fetch; globalThis.fetch = (request) => request.url.includes('hidden') ? Promise.resolve(Response.error()) : before(request)").unwrap();
    let policy = ReconnectPolicy::new().with_max_attempts(2).with_reconnection_time(Duration::from_millis(1));
    let mut source = Request::get(url("hidden")).eventsource().with_policy(policy);
    let words = watch(&mut source).await;
    let reason = source.into_stopped().reason();
    let error = Request::get(url("hidden")).send().await.unwrap_err();
    js_sys::eval("globalThis.fetch = before").unwrap();
    assert_eq!((words.len(), reason), (0, StopReason::Permanent));
    assert_eq!(error.to_string(), "the browser hides the response: its mode is `no-cors`");
}

#[test]
async fn a_response_without_a_body() {
    for request in [Request::get(url("null")), Request::new(Method::HEAD, url("echo"))] {
        let mut body = request.clone().send().await.unwrap().into_body();
        assert!(body.next().await.is_none());
        assert!(body.next().await.is_none());
        assert_eq!(request.clone().send().await.unwrap().into_body().bytes(0).await.unwrap().len(), 0);
        let mut source = request.eventsource();
        assert!(watch(&mut source).await.is_empty());
    }
}

/// Waits for the end of the response of `/web/done`, as the server saw it.
async fn end_of(path: &str) -> String {
    loop {
        match text(Request::get(url(path))).await {
            end if end == "open" => gloo_timers::future::sleep(Duration::from_millis(5)).await,
            end => return end,
        }
    }
}

/// Also at its end marker, because the response has not ended.
#[test]
async fn an_answer_that_is_dropped_is_aborted() {
    let mut numbers = Request::get(url("done?open-half")).eventsource().events().json::<u32>();
    assert_eq!(numbers.next().await.unwrap().unwrap(), 1);
    drop(numbers);
    assert_eq!(end_of("ends?open-half").await, "aborted");

    let numbers = Request::get(url("done?open")).open().await.unwrap().json_with::<u32>(Dialect::OPENAI);
    assert_eq!(numbers.try_collect::<Vec<_>>().await.unwrap(), [1]);
    assert_eq!(end_of("ends?open").await, "aborted");

    let source = Request::get(url("done?open-source")).eventsource().with_end(|event| event.data() == "[DONE]");
    assert_eq!(source.events().try_collect::<Vec<_>>().await.unwrap().len(), 2);
    assert_eq!(end_of("ends?open-source").await, "aborted");
}

/// The server ends the response a moment after the end marker.
#[test]
async fn an_answer_that_is_read_to_its_end_is_not_aborted() {
    let answer = Request::get(url("done")).open().await.unwrap().with_idle_timeout(Duration::from_secs(60));
    let mut numbers = answer.json_with::<u32>(Dialect::OPENAI);
    assert_eq!(numbers.by_ref().try_collect::<Vec<_>>().await.unwrap(), [1]);
    let mut rest = numbers.into_inner();
    while let Some(Ok(_)) = rest.next().await {}
    drop(rest);
    assert_eq!(end_of("ends").await, "complete");
}

/// Node has neither of the events, so they are sent to listeners that this test collects.
#[test]
async fn news_from_the_browser_end_a_delay() {
    js_sys::eval(
        "globalThis.target = new EventTarget(); target.count = 0
        globalThis.addEventListener = (name, listener, { signal }) => {
            target.addEventListener(name, listener, { signal })
            target.count += 1; signal.addEventListener('abort', () => (target.count -= 1))
        }",
    )
    .unwrap();
    let count = || js_sys::eval("target.count").unwrap().as_f64().unwrap();
    let policy = || {
        ReconnectPolicy::new().with_reconnection_time(Duration::from_secs(60)).with_min_delay(Duration::from_secs(60))
    };
    let mut source = Request::get(url("cut?news")).eventsource().with_policy(policy());
    let mut made =
        eventwire_web::from_fn(|_| ready(Ok::<_, FetchError>(Request::get(url("cut?made"))))).with_policy(policy());
    assert_eq!(count(), 4.0);
    for expected in ["1", "2", "3"] {
        while !matches!(source.next().await, Some(Item::Reconnecting { .. })) {}
        while !matches!(made.next().await, Some(Item::Reconnecting { .. })) {}
        assert_eq!((&*visits("cut?news").await, &*visits("cut?made").await), (expected, expected));
        js_sys::eval("target.dispatchEvent(new Event('online'))").unwrap();
    }
    // This delay is the server's.
    let mut busy = Request::get(url("retry")).eventsource();
    assert!(matches!(busy.next().await, Some(Item::Reconnecting { delay, .. }) if delay.as_secs() >= 60));
    js_sys::eval("target.dispatchEvent(new Event('visibilitychange'))").unwrap();
    assert!(futures_util::poll!(busy.next()).is_pending());
    assert_eq!(visits("retry").await, "1");
    drop((source, made, busy));
    js_sys::eval("delete globalThis.addEventListener").unwrap();
    assert_eq!(count(), 0.0);
}

#[test]
async fn no_rejection_is_unhandled_after_a_drop() {
    js_sys::eval("globalThis.unhandled = []; process.on('unhandledRejection', (e) => unhandled.push(String(e)))")
        .unwrap();
    // The future is never polled.
    drop(Request::get(url("dropped?1")).send());
    drop(Request::get(url("dropped?1")).eventsource());
    let mut polled = Box::pin(Request::get(url("open")).send());
    assert!(futures_util::poll!(polled.as_mut()).is_pending());
    drop(polled);
    // A read is pending when the body is dropped.
    let mut body = Request::get(url("open?headers")).send().await.unwrap().into_body();
    body.next().await.unwrap().unwrap();
    assert!(futures_util::poll!(body.next()).is_pending());
    drop(body);
    // The body is never read.
    drop(Request::get(url("open?headers")).send().await.unwrap());
    drop(Request::get(url("cut")).send().await.unwrap());
    let kept = Request::get(url("cut")).send().await.unwrap();
    let mut ended = Request::get(url("gzip")).send().await.unwrap().into_body();
    while ended.next().await.is_some() {}
    drop(ended);
    gloo_timers::future::sleep(Duration::from_millis(100)).await;
    drop(kept);
    gloo_timers::future::sleep(Duration::from_millis(50)).await;
    assert_eq!(js_sys::eval("unhandled.join()").unwrap().as_string().unwrap(), "");
    assert_eq!(visits("dropped?1").await, "0");
}

#[test]
async fn a_signal_that_was_aborted_before_or_after() {
    let controller = web_sys::AbortController::new().unwrap();
    controller.abort();
    let request = Request::get(url("aborted")).with_signal(controller.signal());
    assert!(request.clone().send().await.unwrap_err().is_aborted());
    let mut source = request.eventsource();
    assert!(watch(&mut source).await.is_empty());
    assert_eq!(visits("aborted").await, "0");
    // Aborting after the end has no effect.
    let controller = web_sys::AbortController::new().unwrap();
    let request = Request::get(url("gzip")).with_signal(controller.signal());
    let mut body = request.send().await.unwrap().into_body();
    while body.next().await.is_some() {}
    controller.abort();
    assert!(body.next().await.is_none());
}

#[test]
async fn a_stream_is_sent_once() {
    let stream = js_sys::eval("new Blob(['in pieces']).stream()").unwrap();
    let request = Request::post(url("busy?50")).with_body(stream);
    let policy = ReconnectPolicy::new().with_reconnection_time(Duration::from_millis(1));
    let mut source = request.clone().eventsource().with_policy(policy);
    assert_eq!(watch(&mut source).await.len(), 1);
    assert_eq!(source.into_stopped().reason(), StopReason::Permanent);
    assert!(request.send().await.unwrap_err().is_invalid_request());
}

#[test]
async fn the_headers_of_an_event_source() {
    async fn accept(request: Request) -> String {
        let mut source = request.eventsource().with_response_verdict(|_| eventwire_client::Verdict::Fail);
        while source.next().await.is_some() {}
        let stopped = source.into_stopped();
        let text = stopped.response().unwrap().text().to_string();
        let value: Value = serde_json::from_str(&text).unwrap();
        format!("{} {}", value["headers"]["accept"], value["headers"]["last-event-id"])
    }
    assert_eq!(accept(Request::get(url("echo"))).await, "\"text/event-stream\" null");
    assert_eq!(
        accept(Request::get(url("echo")).with_header("ACCEPT", "a/b").with_header("aCCept", "c/d")).await,
        "\"a/b, c/d\" null"
    );
    assert_eq!(
        accept(Request::get(url("echo")).with_header("LAST-event-ID", " a ").with_header("last-event-id", "b")).await,
        "\"text/event-stream\" \"a\""
    );
    assert_eq!(accept(Request::get(url("echo")).with_header("Last-Event-ID", "")).await, "\"text/event-stream\" null");
    assert_eq!(
        accept(Request::get(url("echo")).with_header("Last-Event-ID", "  ")).await,
        "\"text/event-stream\" \"\""
    );
}

#[test]
async fn the_last_waker_is_woken() {
    use futures_util::task::{ArcWake, waker};
    use std::{
        pin::Pin,
        sync::{
            Arc,
            atomic::{AtomicU32, Ordering},
        },
        task::Context,
    };
    #[derive(Default)]
    struct Count(AtomicU32);
    impl ArcWake for Count {
        fn wake_by_ref(this: &Arc<Self>) {
            this.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let (a, b) = (Arc::new(Count::default()), Arc::new(Count::default()));
    let mut body = Request::get(url("cut")).send().await.unwrap().into_body();
    body.next().await.unwrap().unwrap();
    use futures_util::Stream;
    assert!(Pin::new(&mut body).poll_next(&mut Context::from_waker(&waker(a.clone()))).is_pending());
    assert!(Pin::new(&mut body).poll_next(&mut Context::from_waker(&waker(b.clone()))).is_pending());
    gloo_timers::future::sleep(Duration::from_millis(100)).await;
    assert_eq!((a.0.load(Ordering::SeqCst), b.0.load(Ordering::SeqCst)), (0, 1));
    // A sleep also wakes only the last waker.
    use eventwire::Timer;
    let mut sleep = Box::pin(BrowserTimer.sleep(Duration::ZERO));
    assert!(sleep.as_mut().poll(&mut Context::from_waker(&waker(a.clone()))).is_pending());
    assert!(sleep.as_mut().poll(&mut Context::from_waker(&waker(b.clone()))).is_pending());
    gloo_timers::future::sleep(Duration::from_millis(20)).await;
    assert_eq!((a.0.load(Ordering::SeqCst), b.0.load(Ordering::SeqCst)), (0, 2));
    assert!(sleep.as_mut().poll(&mut Context::from_waker(&waker(b.clone()))).is_ready());
}

#[test]
async fn the_servers_id_replaces_those_of_the_request() {
    let request = ["Last-Event-ID", "LAST-EVENT-ID", "last-event-id"]
        .iter()
        .fold(Request::get(url("id")), |request, name| request.with_header(name, "old"));
    let mut source = eventwire_web::from_fn(|_| ready(Ok::<_, FetchError>(request.clone())));
    let mut seen = Vec::new();
    while seen.len() < 2 {
        if let Item::Event(event) = source.next().await.unwrap() {
            seen.push(event.into_data().to_string());
        }
    }
    assert_eq!(seen, ["old, old, old", "\u{E9}\u{6587}"]);
}

#[test]
async fn sleeps_are_rounded_up_and_limited() {
    use eventwire::Timer;

    js_sys::eval(
        "globalThis.before = setTimeout; globalThis.delays = []
        globalThis.setTimeout = (f, delay) => { delays.push(delay); return before(f, delay) }",
    )
    .unwrap();
    for duration in [Duration::ZERO, Duration::from_nanos(1), Duration::from_micros(1_001), Duration::from_millis(7)] {
        drop(BrowserTimer.sleep(duration));
    }
    for millis in [2_147_483_646, 2_147_483_647, 2_147_483_648, 4_294_967_000, 4_294_968_000, u64::MAX] {
        drop(BrowserTimer.sleep(Duration::from_millis(millis)));
    }
    drop(BrowserTimer.sleep(Duration::MAX));
    let delays = js_sys::eval("globalThis.setTimeout = before; delays.join()").unwrap().as_string().unwrap();
    assert_eq!(delays, "0,1,2,7,2147483646,2147483647,2147483647,2147483647,2147483647,2147483647,2147483647");
}

#[test]
async fn empty_chunks_are_left_out() {
    js_sys::eval(
        "globalThis.before = fetch
        globalThis.fetch = (request) => !request.url.includes('/web/empty') ? before(request) : Promise.resolve(new Response(new ReadableStream({ start(to) {
            for (const text of ['', 'a', '', '', 'b', '']) to.enqueue(new TextEncoder().encode(text))
            to.close()
        } })))",
    )
    .unwrap();
    let response = Request::get(url("empty")).send().await;
    js_sys::eval("globalThis.fetch = before").unwrap();
    let chunks: Vec<_> = response.unwrap().into_body().map(Result::unwrap).collect().await;
    assert_eq!(chunks, ["a", "b"]);
}

/// An earlier POST no longer matters.
#[test]
async fn a_function_that_fails_later() {
    let mut number = 0;
    let mut source = eventwire_web::from_fn(|_| {
        number += 1;
        ready::<Result<_, Box<dyn Error>>>(match number {
            1 => Ok(Request::post(url("busy?70"))),
            2 => Err("no token".into()),
            _ => Ok(Request::get(SERVER)),
        })
    })
    .with_policy(ReconnectPolicy::new().with_reconnection_time(Duration::from_millis(1)));
    let words = watch(&mut source).await;
    assert!(words[0].contains("429") && words[1].contains("no token") && words[2] == "200 OK", "{words:?}");
}

/// Some runtimes refuse a request that has this field, with any value.
#[test]
async fn the_default_cache_mode_is_not_a_field() {
    js_sys::eval(
        "globalThis.before = Request; globalThis.seen = []
        globalThis.Request = class extends before {
            constructor(url, init) { super(url, init); if (url.includes('field')) seen.push('cache' in init) }
        }",
    )
    .unwrap();
    let request = Request::get(url("field"));
    for request in [request.clone(), request.clone().with_cache(RequestCache::Default)] {
        drop(request.send().await.unwrap());
    }
    drop(request.with_cache(RequestCache::Reload).send().await.unwrap());
    assert_eq!(js_sys::eval("globalThis.Request = before; seen.join()").unwrap(), "false,false,true");
}
