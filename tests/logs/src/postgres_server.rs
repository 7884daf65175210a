//! A server of Postgres, for one test.

use crate::{TempFolder, free_port};
use std::{
    env, fs,
    io::{self, Write},
    os::unix::{fs::chown, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// How long to wait for the server to start.
const PATIENCE: Duration = Duration::from_secs(60);

/// A process with its own port and folder. It is killed when this is dropped.
#[derive(Debug)]
pub struct PostgresServer {
    port: u16,
    folder: TempFolder,
    options: Vec<String>,
    process: Option<Child>,
}

impl PostgresServer {
    /// Starts a server with some options, such as `-c max_connections=10`, and an empty database `postgres`. Its user
    /// `postgres` needs no password. `None`, and a line on the standard error, if no server is installed.
    ///
    /// Servers have the same system identifier: they are copies of one.
    pub fn start(options: &[&str]) -> Option<PostgresServer> {
        if !is_installed() {
            return None;
        }
        let folder = new_folder();
        copy(&template(), &folder.path().join("data"));
        Some(PostgresServer::on(folder, options))
    }

    /// Starts a standby, which gets what is stored here, a little later.
    #[must_use]
    pub fn start_standby(&self, options: &[&str]) -> PostgresServer {
        let folder = new_folder();
        let data = folder.path().join("data");
        run(program("pg_basebackup")
            .args(["--write-recovery-conf", "--checkpoint=fast", "--pgdata"])
            .arg(&data)
            .args(["--dbname", &self.url()]));
        PostgresServer::on(folder, options)
    }

    /// Starts a copy of the files as they are, which must be those of a server that was stopped or killed.
    #[must_use]
    pub fn start_copy(&self, options: &[&str]) -> PostgresServer {
        let folder = new_folder();
        copy(&self.data(), &folder.path().join("data"));
        PostgresServer::on(folder, options)
    }

    fn on(folder: TempFolder, options: &[&str]) -> PostgresServer {
        let options = options.iter().map(|&option| option.to_owned()).collect();
        let mut server = PostgresServer { port: free_port(), folder, options, process: None };
        server.start_again();
        server
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// The process of the server.
    pub fn id(&self) -> Option<u32> {
        self.process.as_ref().map(Child::id)
    }

    pub fn url(&self) -> String {
        self.url_of("postgres")
    }

    /// The URL of another database.
    pub fn url_of(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// Where the server keeps its files.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A folder of this server, which may be written by it.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Kills the process at once, as a crash does, and waits until its children have ended.
    pub fn kill(&mut self) {
        self.end("KILL");
    }

    /// Stops the server in order.
    pub fn stop(&mut self) {
        self.end("INT");
    }

    fn end(&mut self, signal: &str) {
        let Some(mut process) = self.process.take() else { return };
        let children = children(process.id());
        send_signal(signal, process.id());
        process.wait().unwrap();
        // They notice it, but not at once, and a new server would refuse to start while there are any.
        let started = Instant::now();
        for child in children {
            while is_running(child) {
                assert!(started.elapsed() < PATIENCE, "a process of postgres does not end");
                thread::sleep(Duration::from_millis(2));
            }
        }
    }

    /// Starts the server on the same port and folder, after it was killed or stopped.
    pub fn start_again(&mut self) {
        let started = Instant::now();
        self.process = Some(self.spawn());
        while !self.is_ready() {
            assert!(started.elapsed() < PATIENCE, "postgres does not answer: {}", self.log());
            // Another socket may have the port for a moment.
            if self.process.as_mut().is_some_and(|process| matches!(process.try_wait(), Ok(Some(_)))) {
                self.process = Some(self.spawn());
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn spawn(&self) -> Child {
        let log = fs::OpenOptions::new().create(true).append(true).open(self.folder.path().join("log")).unwrap();
        let mut command = program("postgres");
        command.arg("-D").arg(self.data()).args(["-p", &self.port.to_string()]);
        // Little memory, and no socket in a folder that other servers share.
        command.args([
            "-c",
            "listen_addresses=127.0.0.1",
            "-c",
            "unix_socket_directories=",
            "-c",
            "shared_buffers=16MB",
        ]);
        command.args(&self.options);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap()
    }

    /// What the server has logged.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// Whether it is this process that answers, and not another one that was given the port.
    fn is_ready(&self) -> bool {
        let process = fs::read_to_string(self.data().join("postmaster.pid")).unwrap_or_default();
        process.lines().next() == self.id().map(|id| id.to_string()).as_deref() && self.try_sql("SELECT 1").is_ok()
    }

    /// Carries out statements on a connection of its own, and returns the rows: fields are separated by `|`.
    #[track_caller]
    pub fn sql(&self, statements: &str) -> String {
        self.try_sql(statements).unwrap_or_else(|error| panic!("{statements}: {error}"))
    }

    /// As [`sql`](PostgresServer::sql).
    ///
    /// # Errors
    ///
    /// What psql reports.
    pub fn try_sql(&self, statements: &str) -> Result<String, String> {
        try_sql(&self.url(), statements)
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Carries out statements, each in a transaction of its own, until one fails.
///
/// # Errors
///
/// What psql reports.
pub fn try_sql(url: &str, statements: &str) -> Result<String, String> {
    let mut psql = program("psql");
    psql.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1"]);
    psql.args(["--set=VERBOSITY=verbose", "--dbname", url, "--file=-"]);
    let mut psql = psql.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It ends early if it cannot connect.
    let _ = psql.stdin.take().unwrap().write_all(statements.as_bytes());
    let output = psql.wait_with_output().unwrap();
    if output.status.success() {
        Ok(String::from_utf8(output.stdout).unwrap().trim_end_matches('\n').to_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// A program of Postgres, run by a user who may: servers refuse root.
pub fn program(name: &str) -> Command {
    let mut command = Command::new(find(name).unwrap_or_else(|| name.into()));
    command.env("LC_ALL", "C.UTF-8").current_dir(env::temp_dir());
    if let Some((user, group)) = other_user() {
        command.uid(user).gid(group);
    }
    command
}

/// Runs a program to its end.
#[track_caller]
pub fn run(command: &mut Command) -> Output {
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// `nobody`, if this is root.
fn other_user() -> Option<(u32, u32)> {
    let owner = fs::metadata("/proc/self").ok().map(|about| std::os::unix::fs::MetadataExt::uid(&about));
    (owner == Some(0)).then_some((65534, 65534))
}

/// In the path, or where Debian has it.
fn find(name: &str) -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<_> = versions.map(|version| version.path().join("bin")).collect();
    versions.sort();
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(versions.into_iter().rev()).chain(["/usr/sbin".into()]);
    folders.map(|folder| folder.join(name)).find(|program| program.is_file())
}

fn is_installed() -> bool {
    let is_installed = ["postgres", "initdb", "psql"].iter().all(|name| find(name).is_some());
    if !is_installed {
        // Unlike `eprintln`, this is also seen if the test passes.
        let _ = writeln!(io::stderr(), "SKIPPED: postgres is not installed");
    }
    is_installed
}

/// The files of a new server. They take more than a second to make, so all test programs use the same, which stay.
fn template() -> PathBuf {
    static LOCK: Mutex<()> = Mutex::new(());
    let _alone = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let initdb = find("initdb").unwrap();
    let template =
        env::temp_dir().join(format!("eventwire-postgres{}", initdb.display().to_string().replace('/', "-")));
    if !template.exists() {
        let folder = new_folder();
        let mut initdb = program("initdb");
        initdb.args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8"]);
        run(initdb.arg(folder.path().join("data")));
        // Another program may just have done the same.
        let _ = fs::rename(folder.path().join("data"), &template);
    }
    template
}

fn new_folder() -> TempFolder {
    let folder = TempFolder::new();
    own(folder.path());
    folder
}

/// Gives a file or folder to the user of the server.
pub fn own(path: &Path) {
    if let Some((user, group)) = other_user() {
        chown(path, Some(user), Some(group)).unwrap();
    }
}

fn copy(from: &Path, to: &Path) {
    run(Command::new("cp").arg("-a").arg(from).arg(to));
    let _ = fs::remove_file(to.join("postmaster.pid"));
}

fn send_signal(signal: &str, process: u32) {
    run(Command::new("kill").args(["-s", signal, &process.to_string()]));
}

/// Reads a process's line in `/proc`: its state, and its parent.
fn about(process: u32) -> Option<(char, u32)> {
    let line = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut fields = line.rsplit_once(") ")?.1.split(' ');
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}

fn is_running(process: u32) -> bool {
    about(process).is_some_and(|(state, _)| state != 'Z')
}

fn children(parent: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = processes.filter_map(|process| process.file_name().to_str()?.parse().ok());
    ids.filter(|id| about(*id).is_some_and(|(_, of)| of == parent)).collect()
}
