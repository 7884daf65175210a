//! What only the log in a SQLite file can meet: other programs, copies, crashes, full disks, and files that are replaced.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod dropping;
mod epochs;
mod errors;
mod model;
mod plug;
mod processes;
mod replaced;
mod retention;
mod sql;

use eventwire_hub::{Hub, Reader, Resume, StreamPosition, Topic};
use eventwire_log_tests::{
    TempFolder,
    calls::{PATIENCE, topic},
};
use eventwire_sqlite::{Error, SqliteLog};
use rusqlite::{Connection, types::FromSql};
use std::{
    env,
    ffi::OsString,
    fmt::Debug,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};
use tokio::time;

/// A file in a folder of its own.
struct LogFile {
    folder: TempFolder,
}

impl LogFile {
    fn new() -> LogFile {
        LogFile { folder: TempFolder::new() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("log.db")
    }

    /// The file with the same name, and this end.
    fn beside(&self, end: &str) -> PathBuf {
        beside(&self.path(), end)
    }

    fn open(&self) -> SqliteLog {
        SqliteLog::open(self.path()).unwrap()
    }

    /// Opens it as another program does, without the crate.
    fn connect(&self) -> Connection {
        connect(&self.path())
    }

    /// Runs SQL without the crate.
    #[track_caller]
    fn run(&self, sql: &str) {
        self.connect().execute_batch(sql).unwrap();
    }

    /// Returns one value.
    #[track_caller]
    fn get<T: FromSql>(&self, sql: &str) -> T {
        self.connect().query_row(sql, [], |row| row.get(0)).unwrap()
    }

    /// Appends by SQL, without the crate.
    #[track_caller]
    fn insert(&self, topic: &str, data: &str) {
        insert(&self.connect(), topic, data).unwrap();
    }
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut beside = OsString::from(path);
    beside.push(end);
    beside.into()
}

fn connect(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.busy_timeout(PATIENCE).unwrap();
    connection
}

fn insert(connection: &Connection, topic: &str, data: &str) -> rusqlite::Result<usize> {
    connection.execute("INSERT INTO eventwire_append (topic, data) VALUES (?, ?)", (topic, data))
}

/// Copies with another process. SQLite's locks of this process would end if it closed the file itself.
#[track_caller]
fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg(from).arg(to).status().unwrap().success());
}

fn room() -> Topic {
    topic("room")
}

/// A hub that does not look on its own: it relies on hints.
fn hub(log: SqliteLog) -> Hub<SqliteLog> {
    Hub::new(log).with_resync(Duration::from_secs(3600))
}

/// A reader that has everything up to a position.
async fn reader_after(hub: &Hub<SqliteLog>, topic: &Topic, at: StreamPosition) -> Reader<SqliteLog> {
    let mut reader = hub.subscribe(topic, Resume::After(at.to_string().into_bytes().into())).await.unwrap();
    assert_eq!(item(&mut reader).await, format!("id: {at}\n\n"));
    reader
}

/// Returns the next item of a reader.
async fn item(reader: &mut Reader<SqliteLog>) -> String {
    use futures_util::StreamExt as _;
    let item = time::timeout(PATIENCE, reader.next()).await.expect("an item").expect("it goes on");
    String::from_utf8(item.into_bytes().into()).unwrap()
}

/// The next position of the same epoch.
fn next_of(at: StreamPosition) -> StreamPosition {
    StreamPosition::new(at.epoch(), at.sequence() + 1)
}

/// Whether a position is the first one of an epoch above that of another one.
fn begins_after(before: StreamPosition, at: StreamPosition) -> bool {
    at.epoch() > before.epoch() && at.sequence() == 1
}

/// What a reader gets for an event.
fn item_of(at: StreamPosition, text: &str) -> String {
    format!("id: {at}\ndata: {text}\n\n")
}

/// What a reader gets if something of an earlier epoch may be missing.
fn gap_before(at: StreamPosition) -> String {
    format!("event: gap\nid: {}\ndata: {{}}\n\n", StreamPosition::new(at.epoch(), at.sequence() - 1))
}

/// The error is one line, and says that nothing was stored.
#[track_caller]
fn check_refused<T: Debug>(result: Result<T, Error>, begin: &str) {
    let error = result.unwrap_err();
    assert!(!error.may_be_stored(), "{error:?}");
    let shown = error.to_string();
    assert!(shown.starts_with(begin) && shown.lines().count() == 1, "{shown:?} instead of {begin:?}");
}

/// Unlike `eprintln`, this is also seen if the test passes.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Whether a program is there. If not, the test is skipped.
fn is_installed(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        say(&format!("SKIPPED: {program} is not installed"));
    }
    found
}

/// Set for a test that runs itself in another process.
const CHILD: &str = "EVENTWIRE_TEST_CHILD";

/// What this process is told to do, if it was started by [`child`].
fn told() -> Option<String> {
    env::var(CHILD).ok()
}

/// A process with the same test, which does something else.
fn child(test: &str, tell: impl AsRef<str>) -> Command {
    let mut child = Command::new(env::current_exe().unwrap());
    child.args([test, "--exact", "--nocapture", "--test-threads=1"]).env(CHILD, tell.as_ref());
    child
}
