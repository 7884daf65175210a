//! Connections of HTTP.

use crate::PATIENCE;
use anyhow::ensure;
use hyper::{
    Request,
    body::Incoming,
    client::conn::http1::{self, SendRequest},
    http::request::Builder,
};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, time};

pub(crate) async fn connect(address: &str) -> anyhow::Result<SendRequest<String>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(sender)
}

/// Opens a stream, and returns its body after its head has arrived.
pub(crate) async fn subscribe(address: &str) -> anyhow::Result<Incoming> {
    let request = Request::get("/events").header("accept", "text/event-stream");
    send(&mut connect(address).await?, request, String::new()).await
}

pub(crate) async fn send(to: &mut SendRequest<String>, request: Builder, body: String) -> anyhow::Result<Incoming> {
    to.ready().await?;
    let request = request.header("host", "localhost").body(body)?;
    let response = time::timeout(PATIENCE, to.send_request(request)).await??;
    ensure!(response.status().is_success(), "the answer is {}", response.status());
    Ok(response.into_body())
}
