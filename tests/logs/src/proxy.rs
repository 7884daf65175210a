//! A proxy in front of a server, whose connections fail when they are told to.

use std::{
    io,
    net::Ipv4Addr,
    sync::{
        Arc,
        atomic::{AtomicU16, AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpSocket, TcpStream},
    sync::{broadcast, watch},
    task::AbortHandle,
    time::sleep,
};

/// It listens on a port of its own until it is dropped.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    control: Arc<Control>,
    listening: AbortHandle,
}

#[derive(Debug)]
struct Control {
    upstream: AtomicU16,
    gate: watch::Sender<Gate>,
    cuts: broadcast::Sender<Cut>,
    accepted: AtomicUsize,
}

/// What happens to all connections until there is another gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    Open,
    /// All bytes are held.
    Stalled,
    /// The same, only for connections with a subscription.
    WakesStalled,
    /// Each part arrives so much later, in both directions.
    Delayed(Duration),
    /// Each connection is reset at once.
    Refusing,
}

/// What happens once, to the connections that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    Reset,
    /// The client is told that there are no more replies, and its commands are still delivered.
    HalfClose,
    /// A reset after so many bytes of the replies.
    InsideReply(usize),
    /// Takes `InsideReply` back.
    Spare,
    /// The connection stays open, and nothing arrives any more.
    Silence,
    /// The same, only for connections with a subscription.
    SilenceWakes,
}

/// What a cut has done to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Whole,
    ResetAfter(usize),
    HalfClosed,
    Silent,
}

impl Proxy {
    pub async fn start(upstream: u16) -> Proxy {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let control = Arc::new(Control {
            upstream: AtomicU16::new(upstream),
            gate: watch::Sender::new(Gate::Open),
            cuts: broadcast::Sender::new(16),
            accepted: 0.into(),
        });
        let accepting = Arc::clone(&control);
        let listening = tokio::spawn(async move {
            loop {
                let Ok((client, _)) = listener.accept().await else { continue };
                accepting.accepted.fetch_add(1, SeqCst);
                let control = Arc::clone(&accepting);
                // From now on, so that a cut meets all connections that were accepted before it.
                let cuts = control.cuts.subscribe();
                // A connection that breaks is closed on both sides.
                tokio::spawn(async move { control.relay(client, cuts).await });
            }
        });
        Proxy { port, control, listening: listening.abort_handle() }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// How many connections there were.
    pub fn accepted(&self) -> usize {
        self.control.accepted.load(SeqCst)
    }

    /// Sets the server for new connections.
    pub fn connect_to(&self, upstream: u16) {
        self.control.upstream.store(upstream, SeqCst);
    }

    pub fn set(&self, gate: Gate) {
        self.control.gate.send_replace(gate);
    }

    pub fn cut(&self, cut: Cut) {
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

impl Control {
    /// Copies both directions until the connection ends, or is to end.
    async fn relay(&self, mut client: TcpStream, mut cuts: broadcast::Receiver<Cut>) -> io::Result<()> {
        let mut gates = self.gate.subscribe();
        let Ok(mut server) = self.connect().await else { return client.set_zero_linger() };
        let (mut commands, mut replies) = (vec![0; 16 << 10], vec![0; 16 << 10]);
        let (mut fate, mut has_subscribed) = (Fate::Whole, false);
        loop {
            let gate = *gates.borrow_and_update();
            let is_held = match gate {
                Gate::Open | Gate::Delayed(_) => fate == Fate::Silent,
                Gate::Stalled => true,
                Gate::WakesStalled => has_subscribed || fate == Fate::Silent,
                Gate::Refusing => return reset(&client, &server),
            };
            let delay = async || {
                if let Gate::Delayed(time) = gate {
                    sleep(time).await;
                }
            };
            tokio::select! {
                biased;
                cut = cuts.recv() => match cut {
                    Ok(Cut::Reset) | Err(_) => return reset(&client, &server),
                    Ok(Cut::HalfClose) => {
                        client.shutdown().await?;
                        fate = Fate::HalfClosed;
                    }
                    Ok(Cut::InsideReply(bytes)) if fate == Fate::Whole => fate = Fate::ResetAfter(bytes),
                    Ok(Cut::Spare) if matches!(fate, Fate::ResetAfter(_)) => fate = Fate::Whole,
                    Ok(Cut::Silence) => fate = Fate::Silent,
                    Ok(Cut::SilenceWakes) if has_subscribed => fate = Fate::Silent,
                    Ok(Cut::InsideReply(_) | Cut::Spare | Cut::SilenceWakes) => {}
                },
                changed = gates.changed() => changed.map_err(io::Error::other)?,
                count = client.read(&mut commands), if !is_held => {
                    let commands = &commands[..count?];
                    if commands.is_empty() {
                        return Ok(());
                    }
                    // To Redis, or to Postgres.
                    has_subscribed |= commands.windows(9).any(|words| words == b"SUBSCRIBE");
                    has_subscribed |= commands.windows(7).any(|words| words == b"LISTEN ");
                    delay().await;
                    server.write_all(commands).await?;
                }
                count = server.read(&mut replies), if !is_held => {
                    let replies = &replies[..count?];
                    if replies.is_empty() {
                        return Ok(());
                    }
                    delay().await;
                    match &mut fate {
                        Fate::ResetAfter(left) if *left <= replies.len() => {
                            client.write_all(&replies[..*left]).await?;
                            return reset(&client, &server);
                        }
                        Fate::ResetAfter(left) => {
                            client.write_all(replies).await?;
                            *left -= replies.len();
                        }
                        Fate::Whole => client.write_all(replies).await?,
                        Fate::HalfClosed | Fate::Silent => {}
                    }
                }
            }
        }
    }

    async fn connect(&self) -> io::Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        // The system holds little between the server and the proxy, so the server soon finds that one of its clients is stalled.
        socket.set_recv_buffer_size(32 << 10)?;
        socket.connect((Ipv4Addr::LOCALHOST, self.upstream.load(SeqCst)).into()).await
    }
}

/// What is closed after this is reset.
fn reset(client: &TcpStream, server: &TcpStream) -> io::Result<()> {
    client.set_zero_linger()?;
    server.set_zero_linger()
}
