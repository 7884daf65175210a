//! The table of `crates/eventwire-cli/README.md` that says what clients make of each fault: `eventwire serve` with the
//! options of a row, read by Chromium's `EventSource`, by eventwire, and by reqwest-eventsource 0.6.
//!
//! With `EVENTWIRE_RENEW`, it writes the table.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use eventwire_client::Item;
use eventwire_reqwest::reqwest_0_12::RequestBuilderExt;
use futures_util::StreamExt;
use tokio::time::timeout;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../crates/eventwire-cli/README.md");
const HEADING: &str = "| options | `EventSource` in Chromium | eventwire | reqwest-eventsource |";
/// The file that is served, as the page shows it.
const NUMBERS: &str = "retry: 100\n\nid: 1\ndata: one\n\nid: 2\ndata: two\n\nid: 3\ndata: three\n\n";
/// After this time, nothing more is expected of a connection.
const SILENCE: Duration = Duration::from_secs(10);

/// A server with the options of a row.
struct Server {
    program: Child,
    url: String,
}

impl Server {
    fn start(options: &str, file: &Path) -> Server {
        let mut program = Command::new(env::var_os("EVENTWIRE_PROGRAM").expect("the program"));
        program.args(["serve", "--listen", "127.0.0.1:0", "--no-content-after", "2"]).args(options.split_whitespace());
        let mut program = program.arg(file).stderr(Stdio::piped()).spawn().expect("the program starts");
        let mut line = String::new();
        let mut log = BufReader::new(program.stderr.take().unwrap());
        log.read_line(&mut line).unwrap();
        // The program must not wait for a reader of its log.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        let url = line.split_whitespace().find(|word| word.starts_with("http://")).expect(&line).trim_end_matches(';');
        Server { url: format!("{url}events"), program }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

async fn ours(url: &str) -> String {
    let mut source = client().get(url).eventsource().unwrap();
    let mut words = Vec::new();
    loop {
        match timeout(SILENCE, source.next()).await {
            Ok(Some(Item::Event(event))) => words.push(event.data().to_owned()),
            Ok(Some(Item::Reconnecting { .. })) => words.push("\u{21BB}".to_owned()),
            Ok(Some(_)) => {}
            Ok(None) => return end(words, "end"),
            Err(_) => return end(words, "silence"),
        }
    }
}

async fn theirs(url: &str) -> String {
    let mut source = reqwest_eventsource::EventSource::new(client().get(url)).unwrap();
    let mut words = Vec::new();
    loop {
        match timeout(SILENCE, source.next()).await {
            Ok(Some(Ok(reqwest_eventsource::Event::Message(message)))) => words.push(message.data),
            Ok(Some(Ok(reqwest_eventsource::Event::Open))) => {}
            // It has closed if nothing follows.
            Ok(Some(Err(_))) if source.ready_state() == reqwest_eventsource::ReadyState::Closed => {
                return end(words, "end");
            }
            Ok(Some(Err(_))) => words.push("\u{21BB}".to_owned()),
            Ok(None) => return end(words, "end"),
            Err(_) => return end(words, "silence"),
        }
    }
}

/// A proxy configured on the machine could not reach the server.
fn client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}

fn end(mut words: Vec<String>, end: &str) -> String {
    words.push(end.to_owned());
    words.join(" ")
}

/// Returns what `EventSource` has seen of each URL.
fn browser(urls: &[String]) -> Vec<String> {
    let script = PathBuf::from(env::var_os("EVENTWIRE_NODE").expect("a folder")).join("eventsource.mjs");
    let profile = Path::new(env!("CARGO_TARGET_TMPDIR")).join("profile");
    let mut node = Command::new("node");
    node.arg(script).arg(env::var_os("EVENTWIRE_CHROMIUM").expect("Chromium")).arg(profile).args(urls);
    let output = node.stderr(Stdio::inherit()).output().unwrap();
    let lines = str::from_utf8(&output.stdout).unwrap().lines();
    lines
        .map(|line| {
            let seen: Vec<String> = serde_json::from_str(line).unwrap();
            let words = seen.iter().filter_map(|word| match word.as_str() {
                "open" => None,
                "reconnecting" => Some("\u{21BB}"),
                "closed" => Some("end"),
                "not closed after 40 s" => Some("silence"),
                word => Some(word.split('|').nth(1).unwrap_or_else(|| panic!("unknown: {word}"))),
            });
            words.collect::<Vec<_>>().join(" ")
        })
        .collect()
}

#[test]
#[ignore = "needs the program, Node and Chromium: tests/interop/run faults"]
fn what_clients_make_of_each_fault() {
    let page = fs::read_to_string(PAGE).unwrap();
    let (before, rest) = page.split_once(HEADING).expect("the table");
    let table: Vec<&str> = rest.trim_start().lines().take_while(|line| line.starts_with('|')).collect();
    let options: Vec<&str> =
        table[1..].iter().map(|row| row.split('|').nth(1).unwrap().trim().trim_matches('`')).collect();
    assert!(options.len() > 10);

    let file = &Path::new(env!("CARGO_TARGET_TMPDIR")).join("numbers.sse");
    fs::write(file, NUMBERS).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let rust = options.iter().map(|options| {
        let servers = [options, options].map(|options| Server::start(options, file));
        runtime.spawn(async move {
            let [ours, theirs] = [ours(&servers[0].url).await, theirs(&servers[1].url).await];
            (ours, theirs)
        })
    });
    let rust: Vec<_> = rust.collect();
    let servers: Vec<_> = options.iter().map(|options| Server::start(options, file)).collect();
    let chromium = browser(&servers.iter().map(|server| server.url.clone()).collect::<Vec<_>>());
    assert_eq!(chromium.len(), options.len());
    let rows = options.iter().zip(chromium).zip(rust).map(|((options, chromium), rust)| {
        let (ours, theirs) = runtime.block_on(rust).unwrap();
        format!("| `{options}` | {chromium} | {ours} | {theirs} |\n")
    });
    let rows: String = rows.collect();

    let old = table[1..].iter().map(|row| format!("{row}\n")).collect::<String>();
    if env::var_os("EVENTWIRE_RENEW").is_some() {
        let after = rest.trim_start().split_once(&old).unwrap().1;
        fs::write(PAGE, format!("{before}{HEADING}\n|---|---|---|---|\n{rows}{after}")).unwrap();
    } else {
        assert_eq!(rows, old, "if that is right, run it with EVENTWIRE_RENEW=1");
    }
}
