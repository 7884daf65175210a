//! The server: its settings and its only route.

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;

use crate::forward;
use crate::report::Report;
use crate::upstream::Upstream;

/// The proxy's settings.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The server to which requests are forwarded.
    pub upstream: Upstream,
    /// The name of the model that clients see in answers. `None` keeps the server's.
    pub model: Option<String>,
}

/// The function that is called with each report.
pub(crate) type Log = Arc<dyn Fn(&Report) + Send + Sync>;

pub(crate) struct Proxy {
    pub(crate) upstream: Upstream,
    pub(crate) model: Option<Arc<str>>,
    pub(crate) log: Log,
}

/// Serves on this listener until the future is dropped. `log` is called at the end of each stream.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use proxy::{Settings, Upstream};
/// use tokio::net::TcpListener;
///
/// let listener = TcpListener::bind("127.0.0.1:0").await?;
/// let base_url = format!("http://{}/v1", listener.local_addr()?);
/// let settings = Settings { upstream: Upstream::new("http://127.0.0.1:8080")?, model: Some("ours".into()) };
/// tokio::spawn(proxy::serve(listener, settings, |report| println!("{report}")));
/// # let _ = base_url;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`io::Error`] if the listener fails.
pub async fn serve(
    listener: TcpListener,
    settings: Settings,
    log: impl Fn(&Report) + Send + Sync + 'static,
) -> io::Result<()> {
    let Settings { upstream, model } = settings;
    let proxy = Proxy { upstream, model: model.map(Arc::from), log: Arc::new(log) };
    // Without this, the kernel would delay a small write, such as an event, until the one before it is
    // acknowledged.
    let listener = listener.tap_io(|connection| {
        // If this fails, the connection is already broken.
        let _ = connection.set_nodelay(true);
    });
    axum::serve(listener, Router::new().fallback(forward::forward).with_state(Arc::new(proxy))).await
}
