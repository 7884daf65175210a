//! A listener for axum. Its connections end when a client does not read.

use axum::serve::Listener;
use std::{io, net::SocketAddr, pin::Pin, time::Duration};
use tokio::net::{TcpListener, TcpStream};
use tokio_io_timeout::TimeoutStream;

/// A connection fails if the client takes no byte for this long, although some are
/// waiting.
pub struct Impatient {
    pub listener: TcpListener,
    pub longest_stall: Duration,
}

impl Listener for Impatient {
    type Io = Pin<Box<TimeoutStream<TcpStream>>>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, SocketAddr) {
        // It waits and tries again after an error, such as too many open files.
        let (connection, address) = Listener::accept(&mut self.listener).await;
        // Otherwise the kernel may hold back a small event until the one before it is
        // acknowledged.
        let _ = connection.set_nodelay(true);
        let mut connection = TimeoutStream::new(connection);
        connection.set_write_timeout(Some(self.longest_stall));
        (Box::pin(connection), address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}
