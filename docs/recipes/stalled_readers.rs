//! A listener for axum. Its connections end when a client does not read.

use axum::serve::Listener;
use std::{io, net::SocketAddr, pin::Pin, time::Duration};
use tokio::net::{TcpListener, TcpStream};
use tokio_io_timeout::TimeoutStream;

/// A connection fails if there are bytes to send, and the client takes none for so long.
pub struct Impatient {
    pub listener: TcpListener,
    pub longest_stall: Duration,
}

impl Listener for Impatient {
    type Io = Pin<Box<TimeoutStream<TcpStream>>>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, SocketAddr) {
        // This one repeats what fails, for example because too many files are open.
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
