//! The commands of an app whose pages follow feeds.

mod tauri_streams;

use crate::tauri_streams::{Streams, Update};
use eventwire_reqwest::RequestBuilderExt;
use std::time::Duration;
use tauri::{Builder, Manager, Runtime, State, Webview, WindowEvent};
use tauri::{ipc::Channel, webview::PageLoadEvent};

#[tauri::command]
async fn follow<R: Runtime>(
    webview: Webview<R>,
    client: State<'_, reqwest::Client>,
    streams: State<'_, Streams>,
    feed: &str,
    updates: Channel<Update>,
) -> Result<(), String> {
    // The page chooses a feed, not a URL, so it cannot read from other servers.
    let request = match feed {
        "prices" => client.get("https://example.com/prices"),
        _ => return Err(format!("there is no feed {feed}")),
    };
    let source = request.eventsource().map_err(|error| error.to_string())?;
    let source = source.with_idle_timeout(Duration::from_secs(60));
    streams
        .follow(webview.label(), updates.id(), source, |update| updates.send(update))
        .await
}

#[tauri::command]
fn stop<R: Runtime>(webview: Webview<R>, streams: State<'_, Streams>, id: u32) {
    streams.stop(webview.label(), id);
}

/// Adds the commands to `tauri::Builder::default()`.
pub fn with_streams<R: Runtime>(builder: Builder<R>) -> reqwest::Result<Builder<R>> {
    Ok(builder
        .manage(eventwire_reqwest::client_builder().build()?)
        .manage(Streams::default())
        .invoke_handler(tauri::generate_handler![follow, stop])
        .on_page_load(|webview, page| {
            // A page that is loaded again has forgotten its channels.
            if page.event() == PageLoadEvent::Started {
                webview.state::<Streams>().stop_all(webview.label());
            }
        })
        .on_window_event(|window, event| {
            if let WindowEvent::Destroyed = event {
                window.state::<Streams>().stop_all(window.label());
            }
        }))
}
