//! An HTTP/2 server whose connections hang on demand.

use bytes::Bytes;
use futures_util::{StreamExt, future::pending, stream};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::StreamBody;
use hyper::{body::Incoming, server::conn::http2, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::{net::TcpListener, sync::Notify};

/// Answers each request with an event whose data is the number of the connection, counted from 1, and sends nothing
/// after it.
pub(crate) struct HangingPeer {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    hang: Arc<Notify>,
}

impl HangingPeer {
    pub(crate) async fn start() -> HangingPeer {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let peer =
            HangingPeer { address: listener.local_addr().unwrap(), connections: Arc::default(), hang: Arc::default() };
        let (connections, hang) = (Arc::clone(&peer.connections), Arc::clone(&peer.hang));
        tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                let number = connections.fetch_add(1, Ordering::Relaxed) + 1;
                let hang = Arc::clone(&hang);
                let service =
                    service_fn(move |_: Request<Incoming>| async move { Ok::<_, Infallible>(answer(number)) });
                let connection =
                    http2::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(client), service);
                tokio::spawn(async move {
                    tokio::pin!(connection);
                    tokio::select! {
                        _ = &mut connection => {}
                        // From now on it is neither polled nor dropped, so its socket stays open.
                        () = hang.notified() => pending().await,
                    }
                });
            }
        });
        peer
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/events", self.address)
    }

    /// Makes all existing connections hang, but not new ones.
    pub(crate) fn hang(&self) {
        self.hang.notify_waiters();
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

fn answer(connection: usize) -> Response<StreamBody<impl stream::Stream<Item = Result<Frame<Bytes>, Infallible>>>> {
    let event = Frame::data(Bytes::from(format!("data: {connection}\n\n")));
    let body = StreamBody::new(stream::iter([Ok(event)]).chain(stream::pending()));
    Response::builder().header("content-type", "text/event-stream").body(body).unwrap()
}
