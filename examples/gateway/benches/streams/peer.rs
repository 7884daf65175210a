//! The gateway in a separate process.

use std::{
    env,
    error::Error,
    io::{self, BufRead, BufReader, Read, Write},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use gateway::Settings;
use tokio::net::TcpListener;

/// The argument that makes this program the server.
pub(crate) const SERVE: &str = "--serve";

pub(crate) struct Peer {
    process: Child,
    /// Host and port.
    pub(crate) address: String,
}

impl Peer {
    /// Starts this program as the server, and waits for the line with its address.
    pub(crate) fn start(delay: Duration) -> Result<Peer, Box<dyn Error>> {
        let mut command = Command::new(env::current_exe()?);
        command.arg(SERVE).arg(delay.as_millis().to_string());
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut address = String::new();
        let out = process.stdout.take().ok_or("no output")?;
        BufReader::new(out).read_line(&mut address)?;
        Ok(Peer { process, address: address.trim_end().to_owned() })
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The server's `main`. It exits when its standard input is closed, which happens when the process that started it
/// exits.
pub(crate) fn serve(delay: Option<&String>) -> Result<(), Box<dyn Error>> {
    let delay = Duration::from_millis(delay.ok_or("no delay")?.parse()?);
    thread::spawn(|| {
        let _ = io::stdin().read(&mut [0]);
        std::process::exit(0);
    });
    crate::runtime()?.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        writeln!(io::stdout(), "{}", listener.local_addr()?)?;
        gateway::serve(listener, Settings { delay, ..Settings::default() }).await?;
        Ok(())
    })
}
