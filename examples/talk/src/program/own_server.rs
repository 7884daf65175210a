//! The server and the model in this process.

use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use gateway::Script;
use tokio::net::TcpListener;

use super::args::{Own, OwnModel, Voice};
use super::{Failure, demo};
use crate::demo_model;
use crate::model::Model;
use crate::server::{Settings, serve};
use crate::speaker::Speaker;

/// Starts a server that runs until the runtime ends, and returns the URL of `POST /talk`.
pub(super) async fn start(own: Own) -> Result<String, Failure> {
    let settings = settings(own).await?;
    let listener = free_port().await.map_err(Failure::Start)?;
    let url = format!("{}talk", url(&listener).map_err(Failure::Start)?);
    tokio::spawn(serve(listener, settings));
    Ok(url)
}

pub(super) async fn settings(own: Own) -> Result<Settings, Failure> {
    let model = match own.model {
        OwnModel::At { base_url, name, api_key } => Model::new(&base_url, name, api_key)?,
        OwnModel::Echo => gateway(None).await?,
        OwnModel::Demo => gateway(Some(demo::script())).await?,
        OwnModel::Shapes => gateway(Some(demo_model::script())).await?,
    };
    let speaker = match own.voice {
        Voice::Installed(voice) => Speaker::installed(voice).await,
        Voice::Tones => Speaker::tones(),
    };
    Ok(Settings::new(model, speaker))
}

/// Returns the URL of the page.
pub(super) fn url(listener: &TcpListener) -> io::Result<String> {
    Ok(format!("http://{}/", listener.local_addr()?))
}

async fn gateway(script: Option<Script>) -> Result<Model, Failure> {
    let listener = free_port().await.map_err(Failure::Start)?;
    let base_url = format!("http://{}/v1", listener.local_addr().map_err(Failure::Start)?);
    // The delay makes it possible to see the words arrive.
    let settings = gateway::Settings { delay: Duration::from_millis(40), script, ..gateway::Settings::default() };
    tokio::spawn(gateway::serve(listener, settings));
    Ok(Model::new(&base_url, "echo", None)?)
}

async fn free_port() -> io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await
}
