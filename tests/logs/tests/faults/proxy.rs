//! A proxy in front of Redis, whose connections fail when they are told to.

use crate::random::Random;
use std::{
    io,
    net::Ipv4Addr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU16, AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpSocket, TcpStream,
        tcp::{ReadHalf, WriteHalf},
    },
    sync::{broadcast, watch},
    task::AbortHandle,
    time::{sleep, timeout},
};

/// It listens on a port of its own until it is dropped.
#[derive(Debug)]
pub(crate) struct Proxy {
    port: u16,
    control: Arc<Control>,
    listening: AbortHandle,
}

#[derive(Debug)]
struct Control {
    upstream: AtomicU16,
    buffers: Buffers,
    gate: watch::Sender<Gate>,
    cuts: broadcast::Sender<Cut>,
    accepted: AtomicUsize,
}

/// How much the system holds between Redis and the proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Buffers {
    Usual,
    Small,
}

/// What happens to all bytes, and to new connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gate {
    Open,
    /// Connections are accepted, and all bytes are held.
    Stalled,
    /// The same, only for connections with a subscription.
    WakesStalled,
    /// So long for each part, in both directions.
    Delayed(Duration),
    /// New connections are reset at once.
    Refusing,
}

/// What happens to the connections that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Reset,
    /// The side of Redis is closed, and commands are still delivered.
    HalfClose,
    /// A reset after so many bytes of the replies.
    InsideReply(usize),
    /// All bytes are taken and thrown away, and the connection stays open.
    Swallow,
    /// The same, only for connections with a subscription.
    SwallowWakes,
    /// Takes `InsideReply` back.
    Spare,
}

impl Proxy {
    pub(crate) async fn start(upstream: u16, buffers: Buffers) -> Proxy {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let control = Arc::new(Control {
            upstream: AtomicU16::new(upstream),
            buffers,
            gate: watch::Sender::new(Gate::Open),
            cuts: broadcast::Sender::new(16),
            accepted: 0.into(),
        });
        let accepting = Arc::clone(&control);
        let listening = tokio::spawn(async move {
            loop {
                let Ok((client, _)) = listener.accept().await else { continue };
                accepting.accepted.fetch_add(1, SeqCst);
                if *accepting.gate.borrow() == Gate::Refusing {
                    let _ = client.set_zero_linger();
                    continue;
                }
                let control = Arc::clone(&accepting);
                // From now on, so that a cut meets all connections that were accepted before it.
                let cuts = [control.cuts.subscribe(), control.cuts.subscribe()];
                tokio::spawn(async move { control.relay(client, cuts).await });
            }
        });
        Proxy { port, control, listening: listening.abort_handle() }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// How many connections there were.
    pub(crate) fn accepted(&self) -> usize {
        self.control.accepted.load(SeqCst)
    }

    /// Sets the server for new connections.
    pub(crate) fn connect_to(&self, upstream: u16) {
        self.control.upstream.store(upstream, SeqCst);
    }

    pub(crate) fn set(&self, gate: Gate) {
        self.control.gate.send_replace(gate);
    }

    pub(crate) fn cut(&self, cut: Cut) {
        // There may be no connection.
        let _ = self.control.cuts.send(cut);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.listening.abort();
        self.cut(Cut::Reset);
    }
}

/// How a direction of a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Closed,
    Reset,
    HalfClosed,
}

impl Control {
    async fn relay(&self, mut client: TcpStream, cuts: [broadcast::Receiver<Cut>; 2]) {
        let Ok(mut server) = self.connect().await else {
            let _ = client.set_zero_linger();
            return;
        };
        if self.copy(&mut client, &mut server, cuts).await == End::Reset {
            let _ = client.set_zero_linger();
            let _ = server.set_zero_linger();
        }
    }

    /// Copies both directions until one ends.
    async fn copy(
        &self,
        client: &mut TcpStream,
        server: &mut TcpStream,
        [up, down]: [broadcast::Receiver<Cut>; 2],
    ) -> End {
        let (from_client, to_client) = client.split();
        let (from_server, to_server) = server.split();
        let has_subscribed = AtomicBool::new(false);
        let (gate, other) = (self.gate.subscribe(), self.gate.subscribe());
        let up = pump(from_client, to_server, gate, up, Direction::Up, &has_subscribed);
        let down = pump(from_server, to_client, other, down, Direction::Down, &has_subscribed);
        tokio::pin!(up, down);
        tokio::select! {
            end = &mut down => match end {
                Ok(End::HalfClosed) => {
                    let _ = timeout(Duration::from_secs(5), up).await;
                    End::Closed
                }
                Ok(end) => end,
                Err(_) => End::Closed,
            },
            _ = &mut up => End::Closed,
        }
    }

    async fn connect(&self) -> io::Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        if self.buffers == Buffers::Small {
            socket.set_recv_buffer_size(32 << 10)?;
        }
        socket.connect((Ipv4Addr::LOCALHOST, self.upstream.load(SeqCst)).into()).await
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
}

/// Copies one direction. Only the direction to the client carries out cuts, except that both swallow.
async fn pump(
    mut from: ReadHalf<'_>,
    mut to: WriteHalf<'_>,
    mut gate: watch::Receiver<Gate>,
    mut cuts: broadcast::Receiver<Cut>,
    direction: Direction,
    has_subscribed: &AtomicBool,
) -> io::Result<End> {
    let mut buffer = vec![0; 16 << 10];
    // How many bytes may pass before a reset.
    let mut left = usize::MAX;
    let mut swallows = false;
    loop {
        let now = *gate.borrow_and_update();
        let count = tokio::select! {
            biased;
            cut = cuts.recv() => {
                match (cut, direction) {
                    (Err(_), _) => return Ok(End::Closed),
                    (Ok(Cut::Swallow), _) => swallows = true,
                    (Ok(Cut::SwallowWakes), _) => swallows = has_subscribed.load(SeqCst),
                    (Ok(Cut::Reset), Direction::Down) => return Ok(End::Reset),
                    (Ok(Cut::HalfClose), Direction::Down) => {
                        to.shutdown().await?;
                        return Ok(End::HalfClosed);
                    }
                    (Ok(Cut::InsideReply(bytes)), Direction::Down) => left = bytes,
                    (Ok(Cut::Spare), Direction::Down) => left = usize::MAX,
                    (Ok(_), Direction::Up) => {}
                }
                continue;
            }
            changed = gate.changed() => {
                if changed.is_err() {
                    return Ok(End::Closed);
                }
                continue;
            }
            count = from.read(&mut buffer), if !now.holds(has_subscribed) => count?,
        };
        if count == 0 {
            if swallows {
                // It looks as if nothing happens.
                sleep(Duration::from_secs(60)).await;
            }
            return Ok(End::Closed);
        }
        if swallows {
            continue;
        }
        if direction == Direction::Up && buffer[..count].windows(9).any(|word| word == b"SUBSCRIBE") {
            has_subscribed.store(true, SeqCst);
        }
        if let Gate::Delayed(time) = now {
            sleep(time).await;
        }
        to.write_all(&buffer[..count.min(left)]).await?;
        if left != usize::MAX {
            left = left.saturating_sub(count);
            if left == 0 {
                return Ok(End::Reset);
            }
        }
    }
}

impl Gate {
    fn holds(self, has_subscribed: &AtomicBool) -> bool {
        match self {
            Gate::Stalled => true,
            Gate::WakesStalled => has_subscribed.load(SeqCst),
            Gate::Open | Gate::Delayed(_) | Gate::Refusing => false,
        }
    }
}

impl Cut {
    pub(crate) fn inside_reply(random: &mut Random) -> Cut {
        Cut::InsideReply(1 + random.below(400))
    }
}
