//! What the page "Serving many" of eventwire-hub says about servers.

use crate::{patiently, stall};
use axum::serve::ListenerExt;
use eventwire::Event;
use eventwire_hub::{Channel, History};
use eventwire_recipes::broadcast_axum::app;
use std::time::Duration;
use tokio::{net::TcpListener, time::sleep};

const PAGE: &str = include_str!("../../../../crates/eventwire-hub/docs/serving-many.md");

/// The words of a text, without its line breaks and indentation.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the part of a text between `begin` and `end`.
#[track_caller]
fn part<'a>(text: &'a str, begin: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(begin).unwrap();
    rest.split_once(end).unwrap().0
}

#[test]
fn the_readme_of_the_hub_shows_the_server_of_its_front_page() {
    let readme = include_str!("../../../../crates/eventwire-hub/README.md");
    assert!(readme.contains(include_str!("../../../../crates/eventwire-hub/docs/server.rs")));
}

#[test]
fn the_page_shows_the_handler_of_the_recipe_and_the_listener_of_this_test() {
    let handler = part(include_str!("../../../../docs/recipes/axum_server.rs"), "async fn events", "\n}\n");
    assert!(words(PAGE).contains(&words(handler)));
    let listener = part(include_str!("serving_many.rs"), "listener.tap_io(|connection| {\n", "    });\n");
    assert!(words(PAGE).contains(&words(listener).replace("LONGEST", "Duration::from_secs(60)")));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_reader_that_does_not_read_is_ended_by_a_timeout_of_tcp_and_not_by_the_end_of_the_channel() {
    const LONGEST: Duration = Duration::from_secs(4);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = listener.local_addr().unwrap().to_string();
    let listener = listener.tap_io(|connection| {
        let socket = socket2::SockRef::from(&*connection);
        let _ = socket.set_tcp_user_timeout(Some(LONGEST));
        // Otherwise the kernel may hold back a small event until the one before it is
        // acknowledged.
        let _ = socket.set_tcp_nodelay(true);
    });
    let channel = Channel::new(History::new());
    tokio::spawn(axum::serve(listener, app(channel.clone())).into_future());
    let client = stall(&url, "/prices", |text| _ = channel.send(&Event::new(text)).unwrap()).await;
    // Its subscription is over, but it is not polled.
    channel.finish();
    sleep(Duration::from_millis(100)).await;
    assert_eq!(channel.stats().readers, 1);
    patiently(async {
        while channel.stats().readers > 0 {
            sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    drop(client);
}
