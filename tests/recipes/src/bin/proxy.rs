//! The recipe for a proxy as a program: `proxy URL ADDRESS` forwards to the server at the URL. Its first line of output
//! is the address on which it listens.

use anyhow::Context;
use axum::serve::ListenerExt;
use eventwire_recipes::counting_proxy::proxy;
use std::process::ExitCode;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> ExitCode {
    let Err(error) = serve().await else { return ExitCode::SUCCESS };
    eprintln!("proxy: {error:#}");
    ExitCode::FAILURE
}

async fn serve() -> anyhow::Result<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [server, address] = arguments.as_slice() else { anyhow::bail!("usage: proxy URL ADDRESS") };
    let url = server.parse().with_context(|| format!("{server:?} is not a URL"))?;
    let listener = TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address:?}"))?;
    println!("listening on http://{}", listener.local_addr()?);
    // Otherwise the kernel may hold back an event until the one before it is acknowledged.
    let listener = listener.tap_io(|connection| drop(connection.set_nodelay(true)));
    Ok(axum::serve(listener, proxy(url)?).await?)
}
