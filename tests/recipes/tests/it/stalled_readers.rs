//! A client that does not read loses its connection; one that has nothing to read does not.

use crate::{patiently, stall, within};
use eventwire::{Event, Events};
use eventwire_hub::{Channel, History};
use eventwire_recipes::{broadcast_axum::app, stalled_readers::Impatient};
use std::{net::SocketAddr, time::Duration};
use tokio::{
    net::TcpListener,
    time::{Instant, sleep},
};

const LONGEST: Duration = Duration::from_secs(30);

async fn start(channel: &Channel) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let listener = Impatient { listener, longest_stall: LONGEST };
    tokio::spawn(axum::serve(listener, app(channel.clone())).into_future());
    address
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read() {
    let channel = Channel::new(History::new());
    let address = start(&channel).await.to_string();
    let client = stall(&address, "/prices", |text| _ = channel.send(&Event::new(text)).unwrap()).await;
    assert_eq!(channel.stats().readers, 1);
    let is_gone = async {
        while channel.stats().readers > 0 {
            sleep(Duration::from_millis(100)).await;
        }
    };
    within(LONGEST * 2, is_gone).await.expect("the connection ends");
    drop(client);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_has_nothing_to_read() {
    let channel = Channel::new(History::new());
    let address = start(&channel).await;
    let response = reqwest::Client::new().get(format!("http://{address}/prices")).send().await.unwrap();
    let mut events = Events::new(response.bytes_stream());
    for _ in 0..3 {
        let before = Instant::now();
        // Beside the keep-alives, which are read.
        assert!(within(LONGEST * 2, events.next()).await.is_none());
        assert!(before.elapsed() >= LONGEST * 2);
        channel.send(&Event::new("41.7")).unwrap();
        assert_eq!(patiently(events.next()).await.unwrap().unwrap().data(), "41.7");
    }
}
