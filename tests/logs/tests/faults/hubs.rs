//! Hubs, each in a process of its own, which can be killed.

use crate::{PATIENCE, ledger::Outcome, random::Random};
use bytes::Bytes;
use eventwire_hub::Topic;
use eventwire_log_tests::TempFolder;
use std::{
    env, fs,
    io::{self, BufRead, BufReader, Read},
    path::PathBuf,
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt},
    net::UnixStream,
};

/// How often a hub reads without a wake-up.
pub(crate) const RESYNC: Duration = Duration::from_secs(1);

/// What a hub opens.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    /// A URL, or the durability and a file: `full:FILE` or `normal:FILE`.
    pub(crate) address: String,
    pub(crate) max_events: usize,
}

impl Log {
    /// What tells a process the log.
    pub(crate) const VARIABLE: &str = "EVENTWIRE_TEST_LOG";

    fn to_text(&self) -> String {
        format!("{} {}", self.max_events, self.address)
    }

    pub(crate) fn from_text(text: &str) -> Log {
        let (max_events, address) = text.split_once(' ').unwrap();
        Log { address: address.to_owned(), max_events: max_events.parse().unwrap() }
    }
}

/// The processes of a run: those for readers and writers, and the last one for the run itself.
#[derive(Debug)]
pub(crate) struct Hubs {
    places: Mutex<Vec<Place>>,
    /// Of their sockets.
    folder: TempFolder,
}

/// Where one process is started after the other.
#[derive(Debug)]
struct Place {
    log: Log,
    process: Arc<Process>,
}

impl Hubs {
    pub(crate) fn start(logs: Vec<Log>) -> Hubs {
        let folder = TempFolder::new();
        let starting: Vec<_> = logs.into_iter().map(|log| (Starting::spawn(&log, &folder), log)).collect();
        let places = starting.into_iter().map(|(starting, log)| Place { log, process: starting.wait() });
        Hubs { places: Mutex::new(places.collect()), folder }
    }

    fn places(&self) -> MutexGuard<'_, Vec<Place>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns one for readers and writers, if one is alive.
    pub(crate) fn any(&self, random: &mut Random) -> Option<Arc<Process>> {
        let places = self.places();
        let (_direct, places) = places.split_last().unwrap();
        let alive: Vec<_> = places.iter().map(|place| &place.process).filter(|process| !process.is_over()).collect();
        (!alive.is_empty()).then(|| Arc::clone(random.pick(&alive)))
    }

    /// Returns that of the run.
    pub(crate) fn direct(&self) -> Arc<Process> {
        Arc::clone(&self.places().last().unwrap().process)
    }

    /// Has the run's own process use another log.
    pub(crate) fn direct_to(&self, log: Log) {
        self.direct().kill();
        self.places().last_mut().unwrap().log = log;
        self.start_again();
    }

    pub(crate) fn get(&self, index: usize) -> Arc<Process> {
        Arc::clone(&self.places()[index].process)
    }

    pub(crate) fn kill_all(&self) {
        self.places().iter().for_each(|place| place.process.kill());
    }

    /// Starts other processes for those that are over.
    pub(crate) fn start_again(&self) {
        let starting: Vec<_> = {
            let places = self.places();
            let over = places.iter().enumerate().filter(|(_, place)| place.process.is_over());
            over.map(|(index, place)| (index, Starting::spawn(&place.log, &self.folder))).collect()
        };
        for (index, starting) in starting {
            let process = starting.wait();
            self.places()[index].process = process;
        }
    }

    /// Does something while all processes stand still, at any point of what they do.
    pub(crate) fn freeze(&self, meanwhile: impl FnOnce()) {
        let places = self.places();
        let ids: Vec<_> = places.iter().map(|place| place.process.id().to_string()).collect();
        let signal = |name| assert!(Command::new("kill").arg(name).args(&ids).status().unwrap().success());
        signal("-STOP");
        let begun = Instant::now();
        while !ids.iter().all(|id| stands_still(id)) {
            assert!(begun.elapsed() < PATIENCE, "a process does not stop");
            thread::sleep(Duration::from_millis(1));
        }
        meanwhile();
        signal("-CONT");
    }
}

impl Drop for Hubs {
    fn drop(&mut self) {
        self.kill_all();
    }
}

/// Whether all threads of a process are stopped.
fn stands_still(id: &str) -> bool {
    let threads = fs::read_dir(format!("/proc/{id}/task")).unwrap();
    threads.into_iter().all(|thread| {
        let status = fs::read_to_string(thread.unwrap().path().join("stat"));
        status.is_ok_and(|status| status.rsplit_once(") ").is_some_and(|(_, status)| status.starts_with('T')))
    })
}

/// A process with a hub: see `hub_server`.
#[derive(Debug)]
pub(crate) struct Process {
    child: Mutex<Child>,
    /// The process ends when this is closed, also if the test is killed.
    stdin: Mutex<Option<ChildStdin>>,
    /// Its socket. With TCP, readers would get much at once after 200 ms, whenever a small buffer was full.
    socket: PathBuf,
    is_over: AtomicBool,
}

/// One that cannot be asked yet.
struct Starting {
    child: Child,
    socket: PathBuf,
}

impl Starting {
    fn spawn(log: &Log, folder: &TempFolder) -> Starting {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let socket = folder.path().join(COUNT.fetch_add(1, SeqCst).to_string());
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["hub_server::hub", "--exact", "--ignored", "--nocapture"]);
        command.env(Log::VARIABLE, log.to_text()).env(Process::SOCKET, &socket);
        Starting { child: command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap(), socket }
    }

    /// Waits until it can be asked.
    fn wait(self) -> Arc<Process> {
        let Starting { mut child, socket } = self;
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let is_ready = stdout.by_ref().lines().any(|line| line.unwrap() == Process::READY);
        assert!(is_ready, "the process of a hub starts");
        // What the test says at its end.
        thread::spawn(move || io::copy(&mut stdout, &mut io::sink()));
        let stdin = Mutex::new(child.stdin.take());
        Arc::new(Process { child: Mutex::new(child), stdin, socket, is_over: false.into() })
    }
}

impl Process {
    /// What tells a process the path of its socket.
    pub(crate) const SOCKET: &str = "EVENTWIRE_TEST_SOCKET";
    /// What it says when it can be asked.
    pub(crate) const READY: &str = "ready";

    fn id(&self) -> u32 {
        self.child().id()
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it was killed or is to end, so that all connections break.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(SeqCst)
    }

    /// With `SIGKILL`.
    pub(crate) fn kill(&self) {
        if self.is_over.swap(true, SeqCst) {
            return;
        }
        let mut child = self.child();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Lets it close its log and end.
    pub(crate) fn end(&self) {
        if self.is_over.swap(true, SeqCst) {
            return;
        }
        self.stdin.lock().unwrap().take();
        let (mut child, begun) = (self.child(), Instant::now());
        loop {
            match child.try_wait().unwrap() {
                Some(status) => return assert!(status.success(), "a hub ends with {status}"),
                None => assert!(begun.elapsed() < PATIENCE, "a hub does not end"),
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Asks for something with a line, and returns the blocks of the answer.
    pub(crate) async fn ask(&self, line: &str) -> io::Result<Blocks> {
        let mut connection = UnixStream::connect(&self.socket).await?;
        connection.write_all(format!("{line}\n").as_bytes()).await?;
        Ok(Blocks(tokio::io::BufReader::new(connection)))
    }

    /// Asks for something that is answered by a comment, and returns what it says. `None` if the process has ended
    /// before it has answered.
    async fn ask_once(&self, line: &str) -> Option<String> {
        let answer = async { self.ask(line).await?.next().await };
        match answer.await {
            Ok(block) => Some(String::from_utf8(block.into()).unwrap()[2..].trim_end().to_owned()),
            Err(error) => {
                assert!(self.is_over(), "a hub has crashed: {error}");
                None
            }
        }
    }

    pub(crate) async fn send(&self, number: usize, event_number: u64, padding: usize, has_key: bool) -> Outcome {
        let verb = if has_key { "once" } else { "send" };
        let answer = self.ask_once(&format!("{verb} {} {event_number} {padding}", topic(number))).await;
        match answer.as_deref().map(|answer| answer.split_at(answer.find([' ', ',']).unwrap())) {
            Some(("accepted", at)) => Outcome::Accepted(at[1..].parse().unwrap()),
            Some(("refused", _)) => Outcome::Refused,
            _ => Outcome::Unknown,
        }
    }

    /// Ends a topic.
    pub(crate) async fn finish(&self, number: usize) -> Result<(), String> {
        match self.ask_once(&format!("end {}", topic(number))).await {
            Some(answer) if answer == "ended" => Ok(()),
            answer => Err(format!("{answer:?}")),
        }
    }
}

/// What is sent on one connection.
pub(crate) struct Blocks(tokio::io::BufReader<UnixStream>);

impl Blocks {
    /// Returns the next block. Fails if the connection has ended.
    pub(crate) async fn next(&mut self) -> io::Result<Bytes> {
        let mut block = Vec::new();
        while !block.ends_with(b"\n\n") {
            if self.0.read_until(b'\n', &mut block).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(block.into())
    }
}

/// The topic with a number.
pub(crate) fn topic(number: usize) -> Topic {
    Topic::new(&format!("t{number}")).unwrap()
}
