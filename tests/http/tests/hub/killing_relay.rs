//! A TCP relay that kills its connections.

use crate::chance::Chance;
use std::{
    net::SocketAddr,
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy},
    net::{TcpListener, TcpStream},
    select,
};

/// Kills a connection when its time, which begins with the response, is over and the next bytes come from the server:
/// the client gets only some of them, or none, so that responses also end inside an event. Half of the connections are
/// reset, and half are closed.
#[derive(Clone)]
pub(crate) struct KillingRelay(Arc<Shared>);

struct Shared {
    address: SocketAddr,
    server: SocketAddr,
    chance: Chance,
    kills: AtomicUsize,
    /// How often all connections were cut.
    cuts: AtomicUsize,
}

impl KillingRelay {
    /// Each connection has a random time within this range, in milliseconds.
    pub(crate) async fn start(server: SocketAddr, lives: Range<u64>) -> KillingRelay {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let chance = Chance::new(2026);
        let relay = KillingRelay(Arc::new(Shared {
            address,
            server,
            chance,
            kills: AtomicUsize::new(0),
            cuts: AtomicUsize::new(0),
        }));
        let shared = Arc::clone(&relay.0);
        tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                let life = lives.start + shared.chance.below((lives.end - lives.start).max(1));
                let shared = Arc::clone(&shared);
                // Either end may close the connection at any time, so errors are ignored.
                tokio::spawn(async move { shared.carry(client, Duration::from_millis(life)).await });
            }
        });
        relay
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.0.address
    }

    /// Ends the time of all connections on which a response has begun.
    pub(crate) fn cut(&self) {
        self.0.cuts.fetch_add(1, Ordering::SeqCst);
    }

    /// Returns how many connections were killed.
    pub(crate) fn kills(&self) -> usize {
        self.0.kills.load(Ordering::SeqCst)
    }
}

impl Shared {
    async fn carry(&self, mut client: TcpStream, life: Duration) -> std::io::Result<()> {
        let mut server = TcpStream::connect(self.server).await?;
        client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        let (mut requests, mut to_client) = client.split();
        let (mut responses, mut to_server) = server.split();
        let carry_responses = async {
            let mut buffer = vec![0; 16 << 10];
            let mut start = None;
            loop {
                let len = responses.read(&mut buffer).await?;
                if len == 0 {
                    return Ok(false);
                }
                let all_cuts = self.cuts.load(Ordering::SeqCst);
                let (begun, cuts) = *start.get_or_insert_with(|| (Instant::now(), all_cuts));
                let is_over = begun.elapsed() >= life || cuts < all_cuts;
                let len = if is_over { usize::try_from(self.chance.below(len as u64 + 1)).unwrap() } else { len };
                to_client.write_all(&buffer[..len]).await?;
                if is_over {
                    return Ok(true);
                }
            }
        };
        let is_killed = select! {
            is_killed = carry_responses => is_killed,
            end = copy(&mut requests, &mut to_server) => end.map(|_| false),
        };
        if is_killed? {
            self.kills.fetch_add(1, Ordering::SeqCst);
            if self.chance.below(2) == 0 {
                client.set_zero_linger()?;
            }
        }
        Ok(())
    }
}
