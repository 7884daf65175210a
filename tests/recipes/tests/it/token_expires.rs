use crate::{patiently, serve_routes};
use eventwire::{Event, Events};
use eventwire_hub::{Channel, History};
use eventwire_recipes::token_expires::{Tokens, app, follow};
use futures_util::StreamExt;
use reqwest::{Response, StatusCode};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};
use tokio::{sync::mpsc, time::sleep};

const HOUR: Duration = Duration::from_secs(3600);

struct Server {
    url: String,
    tokens: Tokens,
    channel: Channel,
}

async fn start() -> Server {
    let (tokens, channel) = (Tokens::default(), Channel::new(History::new()));
    let url = serve_routes(app(tokens.clone(), channel.clone())).await + "/events";
    Server { url, tokens, channel }
}

impl Server {
    fn send(&self, number: u32) {
        self.channel.send(&Event::new(number.to_string())).unwrap();
    }

    async fn request(&self, token: &str, last_event_id: &str) -> Response {
        let request = reqwest::Client::new().get(&self.url).bearer_auth(token);
        patiently(request.header("Last-Event-ID", last_event_id).send()).await.unwrap()
    }

    /// Starts the client. Returns its events, and its result.
    fn follow(&self, token: impl Fn() -> String + Send + Sync + 'static) -> (mpsc::UnboundedReceiver<u32>, Client) {
        let url = self.url.clone();
        let (events, received) = mpsc::unbounded_channel();
        let client = async move {
            let on_event = |event: Event| events.send(event.data().parse().unwrap()).unwrap();
            follow(&url, token, on_event).await
        };
        (received, tokio::spawn(client))
    }
}

type Client = tokio::task::JoinHandle<anyhow::Result<()>>;

/// Waits until the server has this reader, which gets the next event.
async fn connected(server: &Server) {
    patiently(async {
        while server.channel.stats().readers == 0 {
            sleep(Duration::from_millis(1)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn without_a_valid_token_there_are_no_events_not_even_earlier_ones() {
    let server = start().await;
    let position = server.channel.position().to_string();
    server.send(1);
    server.tokens.grant("expired", Duration::ZERO);
    server.tokens.grant("revoked", HOUR);
    server.tokens.revoke("revoked");
    for token in ["", "unknown", "expired", "revoked"] {
        let response = server.request(token, &position).await;
        assert_eq!(response.status(), StatusCode::UNAUTHORIZED, "{token}");
        assert_eq!(response.headers()["www-authenticate"], "Bearer");
        assert_eq!(response.text().await.unwrap(), "");
    }
    assert_eq!(reqwest::get(&server.url).await.unwrap().status(), StatusCode::UNAUTHORIZED);
    assert_eq!(server.channel.stats().readers, 0);
}

#[tokio::test(start_paused = true)]
async fn no_event_is_lost_or_repeated_although_tokens_expire() {
    let server = start().await;
    let (tokens, granted) = (server.tokens.clone(), Arc::new(AtomicU32::new(0)));
    let count = Arc::clone(&granted);
    let (mut received, _client) = server.follow(move || {
        let token = count.fetch_add(1, Ordering::Relaxed).to_string();
        tokens.grant(&token, Duration::from_secs(5));
        token
    });
    connected(&server).await;
    // Several events are sent while there is no connection.
    for number in 0..500 {
        server.send(number);
        sleep(Duration::from_millis(100)).await;
    }
    for number in 0..500 {
        assert_eq!(patiently(received.recv()).await, Some(number));
    }
    let granted = granted.load(Ordering::Relaxed);
    assert!((5..=11).contains(&granted), "{granted} tokens");
}

#[tokio::test(start_paused = true)]
async fn a_reader_without_a_fresh_token_stops_with_the_servers_answer() {
    let server = start().await;
    server.tokens.grant("first", Duration::from_secs(10));
    let (mut received, client) = server.follow(|| "first".to_owned());
    connected(&server).await;
    server.send(1);
    assert_eq!(patiently(received.recv()).await, Some(1));
    let error = patiently(client).await.unwrap().unwrap_err().to_string();
    assert!(error.contains("401"), "{error}");
    assert_eq!(server.channel.stats().readers, 0);
}

#[tokio::test]
async fn a_stream_ends_when_its_token_is_revoked_before_later_events() {
    let server = start().await;
    server.tokens.grant("token", HOUR);
    server.tokens.grant("fresh", HOUR);
    let response = server.request("token", "").await;
    assert_eq!(response.status(), StatusCode::OK);
    let mut events = Events::new(response.bytes_stream()).boxed();
    server.send(1);
    let event = patiently(events.next()).await.unwrap().unwrap();
    assert_eq!(event.data(), "1");
    server.tokens.revoke("token");
    server.send(2);
    assert!(patiently(events.next()).await.is_none());
    assert_eq!(server.request("token", event.last_event_id()).await.status(), StatusCode::UNAUTHORIZED);
    // With another token, it continues where it was.
    let response = server.request("fresh", event.last_event_id()).await;
    let mut events = Events::new(response.bytes_stream()).boxed();
    assert_eq!(patiently(events.next()).await.unwrap().unwrap().data(), "2");
}
