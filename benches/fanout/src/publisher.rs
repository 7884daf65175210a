//! What publishes events.

use crate::client;
use eventwire::Event;
use eventwire_hub::{Hub, Topic};
use eventwire_redis::RedisLog;
use http_body_util::BodyExt;
use hyper::{Request, client::conn::http1::SendRequest};

pub enum Publisher {
    /// With `POST /publish`, over one connection.
    Post(SendRequest<String>),
    /// With `Hub::send`, in this process.
    Send(Hub<RedisLog>, Topic),
}

impl Publisher {
    /// Creates publishers to the address of a server, each with its own connection, or to the URL of a Redis, with one
    /// hub for all.
    pub async fn open(to: &str, count: usize) -> anyhow::Result<Vec<Publisher>> {
        let mut publishers = Vec::with_capacity(count);
        if to.starts_with("redis://") {
            let (hub, topic) = (Hub::new(RedisLog::open(to)?), Topic::new("one")?);
            publishers.extend((0..count).map(|_| Publisher::Send(hub.clone(), topic.clone())));
        } else {
            for _ in 0..count {
                publishers.push(Publisher::Post(client::connect(to).await?));
            }
        }
        Ok(publishers)
    }

    /// Publishes one event, and waits until it is accepted.
    pub async fn publish(&mut self, data: String) -> anyhow::Result<()> {
        match self {
            Publisher::Post(connection) => {
                let response = client::send(connection, Request::post("/publish"), data).await?;
                response.collect().await?;
            }
            Publisher::Send(hub, topic) => _ = hub.send(topic, &Event::new(data)).await?,
        }
        Ok(())
    }
}
