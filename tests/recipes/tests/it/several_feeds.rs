//! Several feeds in one task.

use crate::{patiently, reqwest_client, serve_routes};
use axum::{Router, extract::Path, http::StatusCode, routing::get};
use eventwire::{Event, EventBody};
use eventwire_hub::{Channel, History, Resume};
use eventwire_recipes::several_feeds::{Change, News, follow};
use eventwire_reqwest::{Item, RequestBuilderExt, RequestEventSource};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::sync::mpsc;

/// A server with feeds, and a client with all news of the task.
struct Feeds {
    url: String,
    channels: Arc<Mutex<HashMap<String, Channel>>>,
    changes: mpsc::Sender<Change>,
    news: mpsc::UnboundedReceiver<(String, String)>,
    task: tokio::task::JoinHandle<()>,
}

fn text(news: &News) -> String {
    match news {
        News::Item(Item::Open(_)) => "open".to_owned(),
        News::Item(Item::Event(event)) => event.data().to_owned(),
        News::Item(item) => format!("{item:?}"),
        News::Stopped(Ok(())) => "complete".to_owned(),
        News::Stopped(Err(error)) => error.to_string(),
    }
}

async fn start() -> Feeds {
    let channels = Arc::<Mutex<HashMap<String, Channel>>>::default();
    let known = Arc::clone(&channels);
    let feed = async move |Path(name): Path<String>| {
        let channel = known.lock().unwrap().get(&name).cloned().ok_or(StatusCode::NOT_FOUND)?;
        let reader = channel.subscribe(Resume::Live).map_err(StatusCode::from)?;
        Ok::<_, StatusCode>(EventBody::new(reader).response())
    };
    let url = serve_routes(Router::new().route("/{name}", get(feed))).await;
    let (changes, received) = mpsc::channel(1);
    let (tell, news) = mpsc::unbounded_channel();
    let task = tokio::spawn(follow(received, move |name, news| {
        let _ = tell.send((name.to_owned(), text(&news)));
    }));
    Feeds { url, channels, changes, news, task }
}

impl Feeds {
    fn channel(&self, name: &str) -> Channel {
        self.channels.lock().unwrap().entry(name.to_owned()).or_insert_with(|| Channel::new(History::new())).clone()
    }

    fn source(&self, name: &str) -> RequestEventSource {
        reqwest_client().get(format!("{}/{name}", self.url)).eventsource().unwrap()
    }

    async fn add(&self, name: &str) {
        self.changes.send((name.to_owned(), Some(self.source(name)))).await.unwrap();
    }

    async fn expect(&mut self, name: &str, text: &str) {
        let news = patiently(self.news.recv()).await.unwrap();
        assert_eq!(news, (name.to_owned(), text.to_owned()));
    }

    async fn open(&mut self, name: &str) -> Channel {
        let channel = self.channel(name);
        self.add(name).await;
        self.expect(name, "open").await;
        channel
    }
}

/// Waits until the server has no reader of this channel.
async fn left(channel: &Channel) {
    patiently(async {
        while channel.stats().readers > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn feeds_are_added_and_removed_while_others_run() {
    let mut feeds = start().await;
    let one = feeds.open("one").await;
    one.send(&Event::new("1")).unwrap();
    feeds.expect("one", "1").await;

    let two = feeds.open("two").await;
    two.send(&Event::new("2")).unwrap();
    feeds.expect("two", "2").await;
    one.send(&Event::new("3")).unwrap();
    feeds.expect("one", "3").await;

    feeds.changes.send(("one".to_owned(), None)).await.unwrap();
    feeds.changes.send(("unknown".to_owned(), None)).await.unwrap();
    left(&one).await;
    one.send(&Event::new("unread")).unwrap();
    two.send(&Event::new("4")).unwrap();
    feeds.expect("two", "4").await;

    feeds.changes.send(("two".to_owned(), None)).await.unwrap();
    left(&two).await;
    // There was none for a while.
    let three = feeds.open("three").await;
    three.send(&Event::new("5")).unwrap();
    feeds.expect("three", "5").await;
}

#[tokio::test]
async fn one_that_stops_does_not_end_the_others() {
    let mut feeds = start().await;
    let one = feeds.open("one").await;
    feeds.add("unknown").await;
    feeds.expect("unknown", "the server answered 404 Not Found").await;
    one.send(&Event::new("1")).unwrap();
    feeds.expect("one", "1").await;

    // Its name is free again.
    let known = feeds.open("unknown").await;
    known.send(&Event::new("2")).unwrap();
    feeds.expect("unknown", "2").await;
}

#[tokio::test]
async fn a_second_feed_replaces_one_with_the_same_name() {
    let mut feeds = start().await;
    let (one, two) = (feeds.open("one").await, feeds.channel("two"));
    feeds.changes.send(("one".to_owned(), Some(feeds.source("two")))).await.unwrap();
    feeds.expect("one", "open").await;
    left(&one).await;
    two.send(&Event::new("2")).unwrap();
    feeds.expect("one", "2").await;
    feeds.changes.send(("one".to_owned(), None)).await.unwrap();
    left(&two).await;
}

#[tokio::test]
async fn without_a_sender_of_changes_it_ends() {
    let mut feeds = start().await;
    let one = feeds.open("one").await;
    drop(feeds.changes);
    patiently(feeds.task).await.unwrap();
    left(&one).await;
}
