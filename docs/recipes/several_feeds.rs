//! Many feeds in one task. They are added and removed while it runs, and one that stops does
//! not end the others.

use eventwire_reqwest::{Item, RequestEventSource, Stopped};
use futures_util::{Stream, StreamExt, stream};
use std::collections::HashMap;
use tokio::sync::mpsc;

/// The name of a feed, and its source, which replaces one of the same name. `None` removes
/// the feed.
pub type Change = (String, Option<RequestEventSource>);

#[derive(Debug)]
pub enum News {
    Item(Item<reqwest::Error>),
    /// Why the feed stopped: the last news of it. An error if the server answered 404, for
    /// example.
    Stopped(Result<(), Stopped<reqwest::Error>>),
}

/// Follows the feeds until the sender of the changes is dropped. Then it drops all
/// connections.
pub async fn follow(
    mut changes: mpsc::Receiver<Change>,
    mut on_news: impl FnMut(&str, News),
) {
    let mut feeds = stream::SelectAll::new(); // polls only feeds that have been woken
    let mut handles = HashMap::<String, stream::AbortHandle>::new();
    loop {
        tokio::select! {
            change = changes.recv() => {
                let Some((name, source)) = change else { return };
                // Its connection is dropped, and no news of it follow.
                if let Some(handle) = handles.remove(&name) {
                    handle.abort();
                }
                if let Some(source) = source {
                    let news = news(name.clone(), source).boxed();
                    let (feed, handle) = stream::abortable(news);
                    feeds.push(feed);
                    handles.insert(name, handle);
                }
            }
            // Without a feed, this is `None`, and only a change can follow.
            Some((name, news)) = feeds.next() => {
                if let News::Stopped(_) = news {
                    handles.remove(&name);
                }
                on_news(&name, news);
            }
        }
    }
}

fn news(name: String, source: RequestEventSource) -> impl Stream<Item = (String, News)> {
    stream::unfold(Some(source), move |source| {
        let name = name.clone();
        async {
            let mut source = source?;
            let (news, source) = match source.next().await {
                Some(item) => (News::Item(item), Some(source)),
                None => (News::Stopped(source.into_result()), None),
            };
            Some(((name, news), source))
        }
    })
}
