//! What only the log on Postgres can meet: other transactions, restored dumps, standbys, crashes, locks, full disks,
//! PgBouncer, TLS, rights, and other versions.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use eventwire::Event;
use eventwire_hub::{Hub, Limit, Log, Page, Reader, Resume, StreamPosition, Topic, Wake};
use eventwire_log_tests::{
    PostgresServer, SmallDisk,
    calls::{
        PATIENCE, append, append_again, append_all, append_once, end, event, next, read, read_all, topic, try_append,
        wait_until, watch,
    },
    free_port,
    postgres_server::{own, program, run, try_sql},
    proxy::{Cut, Gate, Proxy},
};
use eventwire_postgres::{Error, PostgresLog, SCHEMA};
use futures_util::{
    FutureExt, StreamExt,
    future::{join_all, join3},
};
use std::{
    fs,
    io::Write,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use tokio::{task, time};
use tokio_postgres::{Client, NoTls};

fn room() -> Topic {
    topic("room")
}

fn open(server: &PostgresServer) -> PostgresLog {
    PostgresLog::open(&server.url()).unwrap()
}

/// Starts a server, and opens a log on it. Returns from the test if no server is installed.
macro_rules! start {
    ($($option:expr),*) => {
        match PostgresServer::start(&[$($option),*]) {
            Some(server) => {
                let log = open(&server);
                (server, log, room())
            }
            None => return,
        }
    };
}

/// The same, with the tables.
macro_rules! start_with_tables {
    ($($option:expr),*) => {{
        let (server, log, room) = start!($($option),*);
        read_all(&log, &room).await;
        (server, log, room)
    }};
}

/// Nothing was stored.
#[track_caller]
fn check_refused<T: std::fmt::Debug>(result: Result<T, Error>, message: &str) {
    let error = result.unwrap_err();
    assert!(!error.may_be_stored(), "{error:?}");
    check_message(&error, message);
}

/// A message is one line.
#[track_caller]
fn check_message(error: &Error, part: &str) {
    let shown = error.to_string();
    assert!(shown.contains(part) && shown.lines().count() == 1 && !shown.contains('\r'), "{shown:?}");
    assert!(!shown.contains("secret") && !format!("{error:?}").contains("secret"), "{shown:?}");
}

fn page_of(at: StreamPosition, text: &str) -> Page {
    Page { entries: vec![(at, event(text).into_bytes())], tail: at, finished: false }
}

/// A session of another program.
async fn connect(server: &PostgresServer) -> Client {
    let (client, connection) = tokio_postgres::connect(&server.url(), NoTls).await.unwrap();
    task::spawn(connection);
    client
}

/// Returns the first field of the first row.
async fn ask(client: &Client, statement: &str) -> String {
    let messages = client.simple_query(statement).await.unwrap();
    let row = messages.iter().find_map(|message| match message {
        tokio_postgres::SimpleQueryMessage::Row(row) => Some(row.get(0).unwrap().to_owned()),
        _ => None,
    });
    row.unwrap()
}

/// Returns the SQLSTATE with which a statement is refused.
#[track_caller]
fn refusal(server: &PostgresServer, statement: &str) -> String {
    let error = server.try_sql(statement).expect_err(statement);
    let (_, rest) = error.split_once("ERROR:  ").unwrap_or_else(|| panic!("{error}"));
    rest[..5].to_owned()
}

/// A reader, and its hub, without which it would end.
struct Follower {
    reader: Reader<PostgresLog>,
    _hub: Hub<PostgresLog>,
}

async fn subscribe(log: &PostgresLog, after: Option<StreamPosition>) -> Follower {
    let hub = Hub::new(log.clone());
    let after = after.map(|at| at.to_string());
    let resume = after.as_ref().map_or(Resume::Earliest, |after| Resume::After(after.as_bytes().into()));
    Follower { reader: hub.subscribe(&room(), resume).await.unwrap(), _hub: hub }
}

/// Returns the next item of a reader that has data.
async fn item(follower: &mut Follower) -> String {
    loop {
        let item = time::timeout(PATIENCE, follower.reader.next()).await.expect("an item").expect("it goes on");
        let item = String::from_utf8(item.into_bytes().into()).unwrap();
        // It begins with its own position.
        if item.contains("data: ") {
            return item;
        }
    }
}

/// Waits for an item that is an event with this text, and fails at a gap.
async fn check_event(follower: &mut Follower, at: StreamPosition, text: &str) {
    assert_eq!(item(follower).await, format!("id: {at}\ndata: {text}\n\n"));
}

/// A reader is told once that something is missing, and then gets the first event of another epoch.
async fn check_gap(follower: &mut Follower, at: StreamPosition, text: &str) {
    assert_eq!(at.sequence(), 1);
    let gap = item(follower).await;
    assert!(gap.starts_with("event: gap\n"), "{gap}");
    check_event(follower, at, text).await;
}

#[tokio::test]
async fn an_event_is_stored_with_the_change_that_it_reports_or_not_at_all() {
    let (server, log, room) = start_with_tables!();
    server.sql("CREATE TABLE orders (id int)");
    let mut reader = subscribe(&log, None).await;
    let order = "INSERT INTO orders VALUES (7); SELECT eventwire_append('room', 'order', '7', 'key')";
    server.sql(&format!("BEGIN; {order}; ROLLBACK"));
    assert_eq!(read_all(&log, &room).await.tail, StreamPosition::new(0, 0));
    let at = server.sql(&format!("BEGIN; {order}; COMMIT"));
    assert_eq!(item(&mut reader).await, format!("id: {at}\nevent: order\ndata: 7\n\n"));
    assert!(at.ends_with("-1"), "{at}");
    // Between two of our own, one that is rolled back leaves no hole.
    let second = append(&log, &room, &event("ours")).await;
    server.sql("BEGIN; SELECT eventwire_append('room', NULL, 'gone'); ROLLBACK");
    server.sql("BEGIN; SAVEPOINT s; SELECT eventwire_append('room', NULL, 'gone'); ROLLBACK TO s; COMMIT");
    let third = append(&log, &room, &event("ours, too")).await;
    assert_eq!((second.sequence(), third.sequence()), (2, 3));
    check_event(&mut reader, second, "ours").await;
    check_event(&mut reader, third, "ours, too").await;
    // The key is known to all.
    assert_eq!(server.sql("SELECT eventwire_append('room', 'order', 'other', 'key')"), at);
    assert_eq!(append_once(&log, &room, "key", &event("other")).await.unwrap().to_string(), at);
    assert_eq!(server.sql("SELECT count(*) FROM orders"), "1");
}

#[tokio::test]
async fn positions_are_in_the_order_of_commits() {
    let (server, log, room) = start_with_tables!();
    append(&log, &room, &event("0")).await;
    let (first, second) = (connect(&server).await, connect(&server).await);
    for client in [&first, &second] {
        client.batch_execute("BEGIN; SELECT pg_current_xact_id()").await.unwrap();
    }
    let at = ask(&second, "SELECT eventwire_append('room', NULL, 'of the second')").await;
    // The one that began first waits until the other has committed, and no reader sees anything before that.
    let waiting = task::spawn(async move {
        let at = ask(&first, "SELECT eventwire_append('room', NULL, 'of the first')").await;
        first.batch_execute("COMMIT").await.unwrap();
        at
    });
    let is_waiting = || server.sql("SELECT count(*) FROM pg_locks WHERE NOT granted") == "1";
    wait_until("it waits", is_waiting).await;
    assert_eq!(read_all(&log, &room).await.tail.sequence(), 1);
    second.batch_execute("COMMIT").await.unwrap();
    let later = waiting.await.unwrap();
    let page = read_all(&log, &room).await;
    let stored: Vec<_> = page.entries.iter().map(|(at, event)| (at.to_string(), event.clone())).collect();
    assert_eq!(stored[1..], [(at, event("of the second").into_bytes()), (later, event("of the first").into_bytes())]);
}

#[tokio::test]
async fn what_is_no_event_is_refused() {
    let (server, log, room) = start_with_tables!();
    let all = append_all(&log, &room, 1).await;
    let long = "x".repeat(257);
    for (statement, code) in [
        (r"SELECT eventwire_append('room', E'a\nb', '')", "22023"),
        (r"SELECT eventwire_append('room', E'a\rb', '')", "22023"),
        ("SELECT eventwire_append('room', NULL, NULL)", "22004"),
        ("SELECT eventwire_append(NULL, NULL, '')", "22004"),
        ("SELECT eventwire_append('', NULL, '')", "23514"),
        (r"SELECT eventwire_append(E'a\tb', NULL, '')", "23514"),
        (r"SELECT eventwire_append(E'a\u0085b', NULL, '')", "23514"),
        (&format!("SELECT eventwire_append('{long}', NULL, '')"), "23514"),
        (r"SELECT eventwire_append('room', NULL, E'\u0000')", "42601"),
        (r"SELECT eventwire_append('room', NULL, '', E'\x00')", "22021"),
    ] {
        assert_eq!(refusal(&server, statement), code, "{statement}");
    }
    // Nor can the tables store one.
    let insert = |number: &str, event: &str| {
        format!("INSERT INTO eventwire_entries VALUES ('other', 7, {number}, '{event}'::bytea, now())")
    };
    for block in ["", "data: a", r"data: a\012", r"data: a\015\012", r"\012data: a", r"data: a\012\012b\012"] {
        assert_eq!(refusal(&server, &insert("1", block)), "23514", "{block:?}");
    }
    assert_eq!(refusal(&server, &insert("1", r"\357\273\277data: a\012\012")), "23514");
    assert_eq!(refusal(&server, &insert("0", r"data: a\012\012")), "23514");
    for (number, block) in
        (1..).zip([r"\012", r"\015", r"\015\012", r"a\012\012", r"a\015\015", r"a\012\015", r"a\015\012\015\012"])
    {
        server.sql(&insert(&number.to_string(), block));
    }
    // What no append has counted is not there.
    assert_eq!(read_all(&log, &topic("other")).await.tail, StreamPosition::new(0, 0));
    assert_eq!(read_all(&log, &room).await.entries, all);
    end(&log, &room).await;
    assert_eq!(refusal(&server, "SELECT eventwire_append('room', NULL, '')"), "55000");
}

#[tokio::test]
async fn a_block_of_sql_is_that_of_the_encoder() {
    let (server, log, room) = start_with_tables!();
    let client = connect(&server).await;
    let data = [
        "",
        "a",
        " a",
        "  a ",
        ":a",
        "a:b",
        "\n",
        "\r",
        "\r\n",
        "\n\r",
        "\n\n",
        "a\nb",
        "a\r\nb\rc\n\r\nd",
        "a\n",
        "\u{FEFF}a",
        "é\u{2028}b\u{85}c\u{B}d\u{C}e",
        "data: a",
        "\\n",
        "\\",
        "'",
        "\u{1}\u{7F}",
        "😀",
        "event: a\nid: 7",
    ];
    let types = [None, Some(""), Some("a"), Some(" a"), Some("é: b"), Some("message")];
    let long = "x\n".repeat(5000);
    let mut expected = Vec::new();
    for text in data.iter().copied().chain([&*long]) {
        for event_type in types {
            client.query("SELECT eventwire_append('room', $1, $2)", &[&event_type, &text]).await.unwrap();
            let event = Event::new(text);
            let event = event_type.map_or(event.clone(), |name| event.with_event_type(name).unwrap());
            expected.push(event.encoded().into_bytes());
        }
    }
    let stored: Vec<_> = read_all(&log, &room).await.entries.into_iter().map(|(_, event)| event).collect();
    assert_eq!(stored, expected);
}

#[tokio::test]
async fn a_commit_of_an_event_waits_for_the_disk() {
    let (server, _log, _) = start_with_tables!();
    let client = connect(&server).await;
    client.batch_execute("SET synchronous_commit = off; BEGIN").await.unwrap();
    assert_eq!(ask(&client, "SHOW synchronous_commit").await, "off");
    ask(&client, "SELECT eventwire_append('room', NULL, 'a')").await;
    assert_eq!(ask(&client, "SHOW synchronous_commit").await, "on");
    client.batch_execute("COMMIT").await.unwrap();
    assert_eq!(ask(&client, "SHOW synchronous_commit").await, "off");
    // What is stricter, or only for another server, stays.
    for setting in ["local", "remote_apply"] {
        client.batch_execute(&format!("SET synchronous_commit = {setting}; BEGIN")).await.unwrap();
        ask(&client, "SELECT eventwire_append('room', NULL, 'a')").await;
        assert_eq!(ask(&client, "SHOW synchronous_commit").await, setting);
        client.batch_execute("COMMIT").await.unwrap();
    }
}

#[tokio::test]
async fn a_restored_dump_is_a_new_epoch() {
    let (server, log, room) = start!();
    let before = append_all(&log, &room, 3).await;
    end(&log, &topic("ended")).await;
    append_once(&log, &room, "key", &event("4")).await.unwrap();
    server.sql("CREATE DATABASE restored");
    let dump = run(program("pg_dump").arg(server.url()));
    try_sql(&server.url_of("restored"), &String::from_utf8(dump.stdout).unwrap()).unwrap();
    // Readers got this, and it is not in the copy.
    let lost = append(&log, &room, &event("5")).await;

    let restored = PostgresLog::open(&server.url_of("restored")).unwrap();
    let mut reader = subscribe(&restored, Some(before[2].0)).await;
    assert!(item(&mut reader).await.ends_with("\ndata: 4\n\n"));
    let mut ahead = subscribe(&restored, Some(lost)).await;
    let at = append(&restored, &room, &event("after")).await;
    assert!(at.epoch() > lost.epoch());
    check_gap(&mut reader, at, "after").await;
    // It has got everything that the copy has.
    check_gap(&mut ahead, at, "after").await;
    assert_eq!(append(&restored, &room, &event("again")).await, StreamPosition::new(at.epoch(), 2));
    // Keys are known, and what has ended stays so.
    assert_eq!(append_once(&restored, &room, "key", &event("4")).await.unwrap().sequence(), 4);
    assert_eq!(try_append(&restored, &topic("ended"), "late").await.unwrap(), None);
    // The first database goes on.
    assert_eq!(append(&log, &room, &event("6")).await, StreamPosition::new(lost.epoch(), 6));
}

#[tokio::test]
async fn a_promoted_standby_is_a_new_epoch() {
    let (primary, log, room) = start_with_tables!("-c", "wal_keep_size=64MB");
    let standby = primary.start_standby(&[]);
    let before = append_all(&log, &room, 3).await;
    let has_all = || standby.sql("SELECT number FROM eventwire_topics WHERE name = 'room'") == "3";
    wait_until("the standby has everything", has_all).await;
    let promoted = open(&standby);
    check_refused(try_append(&promoted, &room, "refused").await, "the server is a standby");

    // It gets no more, and readers do.
    standby.sql("ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 port=1'; SELECT pg_reload_conf()");
    wait_until("it is alone", || primary.sql("SELECT count(*) FROM pg_stat_replication") == "0").await;
    let lost = append(&log, &room, &event("lost")).await;
    standby.sql("SELECT pg_promote()");
    let mut behind = subscribe(&promoted, Some(before[2].0)).await;
    let mut ahead = subscribe(&promoted, Some(lost)).await;
    let at = append_again(&promoted, &room, "after").await;
    assert!(at.epoch() > lost.epoch());
    check_gap(&mut behind, at, "after").await;
    check_gap(&mut ahead, at, "after").await;
    let second = append(&promoted, &room, &event("again")).await;
    assert_eq!(second, StreamPosition::new(at.epoch(), 2));
    check_event(&mut behind, second, "again").await;
    check_event(&mut ahead, second, "again").await;
}

#[tokio::test]
async fn hosts_are_tried_in_their_order() {
    let (primary, log, room) = start_with_tables!();
    let standby = primary.start_standby(&[]);
    let hosts = |hosts: &[u16], parameters: &str| {
        let hosts: Vec<_> = hosts.iter().map(|port| format!("127.0.0.1:{port}")).collect();
        PostgresLog::open(&format!("postgres://postgres@{}/postgres{parameters}", hosts.join(","))).unwrap()
    };
    // Nobody listens there.
    let closed = free_port();
    let first = append(&hosts(&[closed, primary.port(), standby.port()], ""), &room, &event("a")).await;
    let second = append(&log, &room, &event("b")).await;
    assert_eq!(second, StreamPosition::new(first.epoch(), 2));
    let both = [closed, standby.port(), primary.port()];
    check_refused(try_append(&hosts(&both, ""), &room, "refused").await, "the server is a standby");
    let skipping = hosts(&both, "?target_session_attrs=read-write");
    assert_eq!(append(&skipping, &room, &event("c")).await, StreamPosition::new(first.epoch(), 3));
}

#[tokio::test]
async fn a_new_epoch_begins_when_it_is_asked_for() {
    let (server, log, room) = start!();
    let before = append_all(&log, &room, 3).await;
    let mut reader = subscribe(&log, Some(before[1].0)).await;
    check_event(&mut reader, before[2].0, "3").await;
    server.sql("SELECT eventwire_new_epoch()");
    // With the next event.
    assert_eq!(read_all(&log, &room).await.entries, before);
    let at = append(&log, &room, &event("after")).await;
    assert!(at.epoch() > before[2].0.epoch());
    check_gap(&mut reader, at, "after").await;
    let again = append(&log, &room, &event("again")).await;
    assert_eq!(again, StreamPosition::new(at.epoch(), 2));
    check_event(&mut reader, again, "again").await;
    // The entries of both are there: a page ends where the epoch does.
    let page = read_all(&log, &room).await;
    assert_eq!((page.entries, page.tail), (before.clone(), again));
    assert_eq!(read(&log, &room, Some(before[2].0), 10).await.entries.len(), 2);
}

#[tokio::test]
async fn a_topic_that_is_deleted_begins_in_a_new_epoch() {
    let (server, log, room) = start!();
    append_once(&log, &room, "key", &event("1")).await.unwrap();
    let before = append(&log, &room, &event("2")).await;
    append(&log, &topic("other"), &event("stays")).await;
    server.sql("DELETE FROM eventwire_topics WHERE name = 'room'");
    assert_eq!(server.sql("SELECT count(*) FROM eventwire_entries"), "1");
    assert_eq!(read_all(&log, &room).await.tail, StreamPosition::new(0, 0));
    // The clock was set back.
    server.sql("SELECT setval('eventwire_epochs', 4000000000000000000)");
    let at = append_once(&log, &room, "key", &event("again")).await.unwrap();
    assert!(at.epoch() > 4_000_000_000_000_000_000 && at.epoch() < 4_000_000_000_000_000_000 + 10_000_000_003);
    assert_eq!(at.sequence(), 1);
    assert!(at.epoch() > before.epoch());
    assert_eq!(read_all(&log, &room).await, page_of(at, "again"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_loses_nothing_and_is_no_gap() {
    let (mut server, log, room) = start!();
    let first = append(&log, &room, &event("0")).await;
    let mut reader = subscribe(&log, Some(first)).await;
    for round in 0..3 {
        // Appends are on their way.
        let writers = (0..8).map(|writer| {
            let log = log.clone();
            task::spawn(async move {
                let (mut accepted, room) = (Vec::new(), self::room());
                while let Ok(at) = try_append(&log, &room, &format!("of {writer} in {round}")).await {
                    accepted.push(at.unwrap());
                }
                accepted
            })
        });
        let writers: Vec<_> = writers.collect();
        time::sleep(Duration::from_millis(100 + 37 * round)).await;
        server.kill();
        let accepted: Vec<_> = join_all(writers).await.into_iter().flat_map(Result::unwrap).collect();
        server.start_again();
        let last = append_again(&log, &room, &format!("after {round}")).await;
        assert_eq!(last.epoch(), first.epoch());
        let page = read_all(&log, &room).await;
        assert_eq!(page.entries.len() as u64, last.sequence(), "there is a hole");
        assert!(!accepted.is_empty());
        assert!(accepted.iter().all(|at| page.entries.iter().any(|(stored, _)| stored == at)), "an event is lost");
        // The reader gets each once, and no gap.
        loop {
            let item = item(&mut reader).await;
            assert!(!item.starts_with("event: gap"), "{item}");
            if item.starts_with(&format!("id: {last}\n")) {
                break;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_are_terminated_are_replaced() {
    let (server, log, room) = start!();
    let first = append(&log, &room, &event("0")).await;
    let mut reader = subscribe(&log, Some(first)).await;
    let kill = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND \
                backend_type = 'client backend'";
    for round in 1..=5 {
        let mut wakes = watch(&log, &room).await;
        assert_eq!(server.sql(kill), "2");
        let ended = async { while wakes.next().await.is_some() {} };
        time::timeout(PATIENCE, ended).await.expect("the hints end");
        let at = append_again(&log, &room, &round.to_string()).await;
        assert_eq!(at, StreamPosition::new(first.epoch(), first.sequence() + round));
        check_event(&mut reader, at, &round.to_string()).await;
    }
}

/// One that is not sent was not stored, and one without an answer may be.
#[tokio::test]
async fn an_event_may_be_stored_if_there_is_no_answer() {
    let (server, _, room) = start!();
    let proxy = Proxy::start(server.port()).await;
    let log = PostgresLog::open(&format!("postgres://postgres@127.0.0.1:{}/postgres", proxy.port())).unwrap();
    let first = append(&log, &room, &event("1")).await;
    proxy.cut(Cut::InsideReply(0));
    let error = try_append(&log, &room, "2").await.unwrap_err();
    assert!(error.may_be_stored(), "{error}");
    check_message(&error, "no answer from Postgres: ");
    wait_until("it is stored", || server.sql("SELECT number FROM eventwire_topics") == "2").await;
    assert_eq!(append_again(&log, &room, "3").await, StreamPosition::new(first.epoch(), 3));
    // One waits until another one has its answer.
    proxy.set(Gate::Stalled);
    let later = async |time| time::sleep(Duration::from_millis(time)).await;
    let waiting = later(50).then(|()| try_append(&log, &room, "waiting"));
    let reset = later(100).map(|()| proxy.cut(Cut::Reset));
    let (sent, waiting, ()) = join3(try_append(&log, &room, "sent"), waiting, reset).await;
    assert!(sent.unwrap_err().may_be_stored());
    check_refused(waiting, "cannot connect to Postgres: ");
    drop((proxy, server));
    let error = loop {
        let error = try_append(&log, &room, "4").await.unwrap_err();
        if !error.may_be_stored() {
            break error;
        }
    };
    check_message(&error, "cannot connect to Postgres: ");
}

#[tokio::test]
async fn those_who_wait_for_a_connection_share_the_attempt() {
    let (server, _, room) = start!();
    let proxy = Proxy::start(server.port()).await;
    let log = PostgresLog::open(&format!("postgres://postgres@127.0.0.1:{}/postgres", proxy.port())).unwrap();
    proxy.set(Gate::Refusing);
    for result in join_all((0..20).map(|_| try_append(&log, &room, "refused"))).await {
        check_refused(result, "cannot connect to Postgres: ");
    }
    assert!(proxy.accepted() <= 2, "{} connections", proxy.accepted());
    // Who comes later has an attempt of their own.
    proxy.set(Gate::Open);
    assert_eq!(append(&log, &room, &event("a")).await.sequence(), 1);
}

#[tokio::test]
async fn a_long_transaction_delays_only_its_own_topic() {
    let (server, log, room) = start!();
    let first = append(&log, &room, &event("1")).await;
    let client = connect(&server).await;
    let stored = || server.sql("SELECT count(*) FROM eventwire_topics WHERE name LIKE 'other %'");
    // One topic that exists, and one that does not yet.
    client.batch_execute("BEGIN").await.unwrap();
    ask(&client, "SELECT eventwire_append('room', NULL, 'held')").await;
    ask(&client, "SELECT eventwire_append('new', NULL, 'held')").await;
    let started = Instant::now();
    let new = topic("new");
    let mut held = vec![try_append(&log, &room, "a").boxed(), try_append(&log, &new, "b").boxed()];
    let mut others = 0;
    let held_for = loop {
        let other = topic(&format!("other {others}"));
        tokio::select! {
            result = append_one(&log, &other) => {
                result.unwrap();
                others += 1;
            }
            result = &mut held[0] => {
                check_refused(result, "the topic is locked by a transaction of another program");
                break started.elapsed();
            }
        }
    };
    check_refused(held.pop().unwrap().await, "the topic is locked by a transaction of another program");
    assert!(held_for >= Duration::from_secs(5), "{held_for:?}");
    // Each of them waits for 20 ms, at most.
    assert!(others >= 20, "only {others} appends to other topics");
    // One more was on its way.
    assert!(others <= stored().parse().unwrap());
    client.batch_execute("COMMIT").await.unwrap();
    assert_eq!(append(&log, &room, &event("3")).await, StreamPosition::new(first.epoch(), 3));
    assert_eq!(append(&log, &new, &event("2")).await.sequence(), 2);
}

async fn append_one(log: &PostgresLog, topic: &Topic) -> Result<Option<StreamPosition>, Error> {
    try_append(log, topic, "free").await
}

/// Clients that lock topics in any order meet each other, and not us: each of our appends is accepted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn there_is_no_deadlock_with_our_appends() {
    let (server, log, _) = start_with_tables!("-c", "deadlock_timeout=300ms");
    let names = ["a", "b", "c", "d"];
    let sessions = [connect(&server).await, connect(&server).await];
    let clients = sessions.map(|client| {
        task::spawn(async move {
            for round in 0..12 {
                client.batch_execute("BEGIN").await.unwrap();
                for name in [names[(3 + round) % 4], names[round % 4], names[(2 + round) % 4]] {
                    let append = format!("SELECT eventwire_append('{name}', NULL, 'theirs')");
                    if client.simple_query(&append).await.is_err() {
                        break;
                    }
                    time::sleep(Duration::from_millis(3)).await;
                }
                client.batch_execute("COMMIT").await.unwrap();
            }
        })
    });
    let ours = (0..16).map(|writer| {
        let log = log.clone();
        task::spawn(async move {
            for round in 0..12 {
                try_append(&log, &topic(names[(writer + round) % 4]), "ours").await.unwrap();
            }
        })
    });
    for task in join_all(ours).await.into_iter().chain(join_all(clients).await) {
        task.unwrap();
    }
    let stored: Vec<_> = join_all(names.map(async |name| read_all(&log, &topic(name)).await)).await;
    let ours = stored.iter().flat_map(|page| &page.entries).filter(|(_, event)| event == "data: ours\n\n");
    assert_eq!(ours.count(), 16 * 12);
    for page in stored {
        assert_eq!(page.entries.len() as u64, page.tail.sequence());
    }
    // The log says which statements were in one.
    let log = server.log();
    assert!(log.contains("deadlock detected"), "the clients have not met each other");
    let statements = log.lines().filter(|line| line.trim_start().starts_with("Process "));
    assert!(!statements.into_iter().any(|line| line.contains("eventwire_append_all")), "{log}");
}

/// One error in a transaction with others' events is only that of its event.
#[tokio::test]
async fn an_event_that_is_refused_does_not_refuse_others() {
    let (server, log, room) = start_with_tables!();
    server.sql("ALTER TABLE eventwire_entries ADD CHECK (event <> 'data: bad\\012\\012'::bytea)");
    let texts = ["1", "2", "bad", "3", "bad", "4"];
    let results = join_all(texts.map(|text| try_append(&log, &room, text))).await;
    for (text, result) in texts.iter().zip(results) {
        match result {
            Ok(at) => assert_ne!((*text, at), ("bad", None)),
            Err(error) => {
                assert_eq!(*text, "bad");
                check_refused::<()>(Err(error), "Postgres has refused the command: ");
            }
        }
    }
    let page = read_all(&log, &room).await;
    let stored: Vec<_> = page.entries.iter().map(|(_, event)| event.clone()).collect();
    assert_eq!(stored, ["1", "2", "3", "4"].map(|text| event(text).into_bytes()));
}

#[tokio::test]
async fn a_full_disk_refuses_and_loses_nothing() {
    let (server, log, room) = start!();
    let folder = server.folder().join("disk");
    fs::create_dir_all(&folder).unwrap();
    let Some(disk) = SmallDisk::mount(&folder, "size=4m") else {
        let _ = writeln!(std::io::stderr(), "SKIPPED: a disk cannot be mounted");
        return;
    };
    own(&folder);
    server.sql(&format!("CREATE TABLESPACE small LOCATION '{}'", folder.display()));
    server.sql("ALTER DATABASE postgres SET default_tablespace = small");
    let first = append(&log, &room, &event("1")).await;
    let mut reader = subscribe(&log, Some(first)).await;
    let large = "x".repeat(100_000);
    let text = |number: u64| if number.is_multiple_of(2) { large.clone() } else { number.to_string() };
    // What cannot be compressed.
    server.sql("ALTER TABLE eventwire_entries ALTER event SET STORAGE EXTERNAL");
    let mut last = first;
    let error = loop {
        let number = last.sequence() + 1;
        match try_append(&log, &room, &text(number)).await {
            Ok(at) => {
                last = at.unwrap();
                assert_eq!(last, StreamPosition::new(first.epoch(), number));
                check_event(&mut reader, last, &text(number)).await;
            }
            Err(error) => break error,
        }
        assert!(last.sequence() < 200, "the disk is large");
    };
    check_refused::<()>(Err(error), "No space left on device");
    let page = read_all(&log, &room).await;
    assert_eq!((page.tail, page.entries.len() as u64), (last, last.sequence()));
    // There is room again.
    disk.remount("size=16m");
    let at = append(&log, &room, &event("again")).await;
    assert_eq!(at, StreamPosition::new(first.epoch(), last.sequence() + 1));
    check_event(&mut reader, at, "again").await;
}

/// A pool of connections, which is killed when this is dropped.
struct PgBouncer {
    process: Child,
    url: String,
}

impl PgBouncer {
    fn start(server: &PostgresServer, mode: &str) -> Option<PgBouncer> {
        let port = free_port();
        let settings = server.folder().join(format!("pgbouncer-{mode}.ini"));
        let text = format!(
            "[databases]\npostgres = host=127.0.0.1 port={} dbname=postgres user=postgres\n[pgbouncer]\n\
             listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = {mode}\n",
            server.port()
        );
        fs::write(&settings, text).unwrap();
        let process = program("pgbouncer").arg(&settings).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let Ok(process) = process else {
            let _ = writeln!(std::io::stderr(), "SKIPPED: pgbouncer is not installed");
            return None;
        };
        Some(PgBouncer { process, url: format!("postgres://postgres@127.0.0.1:{port}/postgres") })
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

#[tokio::test]
async fn pgbouncer_works_in_session_mode_and_says_so_in_transaction_mode() {
    let (server, log, room) = start!();
    append(&log, &room, &event("1")).await;
    let Some(session) = PgBouncer::start(&server, "session") else { return };
    let through = PostgresLog::open(&session.url).unwrap();
    let second = append_again(&through, &room, "2").await;
    let mut wakes = watch(&through, &room).await;
    let third = append(&log, &room, &event("3")).await;
    while !matches!(next(&mut wakes).await, Wake::Entry(at, _) if at == third) {}
    assert_eq!(read_all(&through, &room).await.entries.len() as u64, second.sequence() + 1);

    let transaction = PgBouncer::start(&server, "transaction").unwrap();
    let through = PostgresLog::open(&transaction.url).unwrap();
    let started = Instant::now();
    loop {
        let error = try_append(&through, &room, "refused").await.unwrap_err();
        if error.to_string().contains("PgBouncer") {
            check_refused::<()>(Err(error), "notifications do not arrive");
            break;
        }
        assert!(started.elapsed() < PATIENCE, "{error}");
    }
    assert_eq!(read_all(&log, &room).await.tail, third);
}

/// Makes the certificate of an authority, and one that it has signed for a name.
fn certificates(folder: &Path, authority: &str, name: &str) {
    let openssl = |arguments: &str| {
        let mut openssl = Command::new("openssl");
        run(openssl.args(arguments.split_whitespace()).current_dir(folder));
    };
    let new = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
    openssl(&format!("req -x509 {new} -keyout {authority}.key -out {authority}.pem -subj /CN={authority}"));
    openssl(&format!("req {new} -keyout {name}.key -out {name}.csr -subj /CN={name}"));
    fs::write(folder.join("names"), format!("subjectAltName=DNS:{name}\nbasicConstraints=CA:FALSE\n")).unwrap();
    openssl(&format!(
        "x509 -req -in {name}.csr -CA {authority}.pem -CAkey {authority}.key -CAcreateserial -days 2 -extfile names \
         -out {name}.pem"
    ));
    for file in [format!("{name}.key"), format!("{name}.pem")] {
        own(&folder.join(file));
    }
}

#[tokio::test]
async fn tls_is_used_and_certificates_are_verified() {
    if Command::new("openssl").arg("version").output().is_err() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: openssl is not installed");
        return;
    }
    let (mut server, _, room) = start!();
    let folder = server.folder().to_owned();
    certificates(&folder, "authority", "localhost");
    certificates(&folder, "another", "elsewhere");
    let settings =
        format!("ssl=on\nssl_cert_file='{0}/localhost.pem'\nssl_key_file='{0}/localhost.key'\n", folder.display());
    let mut file = fs::OpenOptions::new().append(true).open(server.data().join("postgresql.conf")).unwrap();
    file.write_all(settings.as_bytes()).unwrap();
    server.stop();
    server.start_again();

    let with = |host: &str, parameters: &str| {
        let url = format!("postgres://postgres:secret@{host}:{}/postgres?{parameters}", server.port());
        PostgresLog::open(&url).unwrap()
    };
    let root = |name: &str| format!("sslrootcert={}", folder.join(name).display().to_string().replace('p', "%70"));
    let encrypted = || server.sql("SELECT count(*) FROM pg_stat_ssl WHERE ssl");
    let mut count = 0;
    for parameters in ["", "&sslmode=require", "&sslmode=verify-ca", "&sslmode=verify-full"] {
        let log = with("localhost", &format!("{}{parameters}", root("authority.pem")));
        count += 1;
        assert_eq!(append(&log, &room, &event("a")).await.sequence(), count);
        assert_eq!(encrypted(), "2", "{parameters}");
        drop(log);
        wait_until("it is closed", || encrypted() == "0").await;
    }
    // Another authority, another name, and one that the system does not know.
    for log in [
        with("localhost", &root("another.pem")),
        with("127.0.0.1", &root("authority.pem")),
        with("localhost", "sslmode=require"),
    ] {
        check_refused(try_append(&log, &room, "refused").await, "invalid peer certificate");
    }
    // Whoever does not ask for it, has no more than libpq gives.
    let log = with("localhost", "");
    append(&log, &room, &event("a")).await;
    assert_eq!(encrypted(), "0");
    let missing = PostgresLog::open("postgres://u:secret@localhost/?sslrootcert=/nothing.pem").unwrap_err();
    check_message(&missing, "cannot read the certificates");
    // A server without TLS.
    fs::write(server.data().join("postgresql.auto.conf"), "ssl = off\n").unwrap();
    server.stop();
    server.start_again();
    let log = PostgresLog::open(&format!("{}?sslmode=require", server.url())).unwrap();
    check_refused(try_append(&log, &room, "refused").await, "TLS");
}

#[tokio::test]
async fn roles_need_few_rights() {
    let (server, _, room) = start!("-c", "password_encryption=scram-sha-256");
    server.sql(
        "CREATE ROLE app LOGIN PASSWORD 'secret'; CREATE ROLE writer LOGIN; CREATE ROLE hub LOGIN; \
         REVOKE CREATE ON SCHEMA public FROM PUBLIC",
    );
    let url = |role: &str| format!("postgres://{role}@127.0.0.1:{}/postgres", server.port());
    let app = PostgresLog::open(&url("app:secret")).unwrap();
    check_refused(try_append(&app, &room, "a").await, "Run eventwire_postgres::SCHEMA as a role that may create them");
    // Somebody who may does it for them.
    server.sql(SCHEMA);
    server.sql("GRANT EXECUTE ON FUNCTION eventwire_append TO writer");
    let append = "SELECT eventwire_append('room', NULL, 'theirs')";
    try_sql(&url("writer"), append).unwrap();
    for denied in [
        "SELECT * FROM eventwire_entries",
        "SELECT eventwire_new_epoch()",
        "SELECT eventwire_remove(0, 0)",
        "DELETE FROM eventwire_topics",
        "SELECT nextval('eventwire_epochs')",
        // The function does not write to a table of the same name that its caller has made.
        "CREATE TEMP TABLE eventwire_topics (LIKE public.eventwire_topics); SELECT eventwire_append('room', NULL, 'b'); \
         SELECT 1 / count(*) FROM pg_temp.eventwire_topics",
    ] {
        assert!(try_sql(&url("writer"), denied).is_err(), "{denied}");
    }
    assert!(try_sql(&url("app"), append).unwrap_err().contains("42501"));
    check_refused(try_append(&app, &room, "a").await, "permission denied");

    // What the page says a process with a hub needs.
    server.sql(
        "GRANT SELECT ON eventwire_log, eventwire_topics, eventwire_entries TO hub; \
         GRANT EXECUTE ON FUNCTION eventwire_append_all, eventwire_remove TO hub",
    );
    let hub = PostgresLog::open(&url("hub")).unwrap().with_max_age(Duration::from_secs(3600)).with_max_events(100);
    let at = try_append(&hub, &room, "ours").await.unwrap().unwrap();
    assert_eq!(read(&hub, &room, None, 0).await.tail, at);
    assert_eq!(append_once(&hub, &room, "key", &event("a")).await.unwrap().sequence(), at.sequence() + 1);
}

#[tokio::test]
async fn two_installations_in_one_database_are_apart() {
    let (server, log, room) = start!();
    server.sql("CREATE SCHEMA other");
    let other = PostgresLog::open(&format!("{}?options=-c%20search_path%3Dother,public", server.url())).unwrap();
    // The first one is in `public`, which the other one would see.
    let mut wakes = watch(&other, &room).await;
    let at = append(&other, &room, &event("of the other")).await;
    append(&log, &room, &event("of the first")).await;
    let again = append(&other, &room, &event("again")).await;
    for expected in [at, again] {
        assert!(matches!(next(&mut wakes).await, Wake::Entry(at, _) if at == expected));
    }
    assert_eq!(read_all(&log, &room).await.entries.len(), 1);
    // Whatever the caller's path is.
    server.sql("SET search_path = public; SELECT other.eventwire_append('room', NULL, 'a')");
    assert_eq!(read_all(&other, &room).await.tail.sequence(), 3);
}

#[tokio::test]
async fn a_later_version_is_an_error() {
    let (server, log, room) = start_with_tables!();
    let at = append(&log, &room, &event("a")).await;
    for version in [2, i32::MAX] {
        server.sql(&format!("UPDATE eventwire_log SET version = {version}"));
        let log = open(&server);
        let message = format!(
            "the tables are of version {version}, and this release of eventwire-postgres knows version 1: use a newer \
             release"
        );
        check_refused(try_append(&log, &room, "b").await, &message);
        assert!(log.watch(&room).await.is_err());
    }
    // Version 0 means that there are no tables.
    assert_eq!(refusal(&server, "UPDATE eventwire_log SET version = 0"), "23514");
    server.sql("UPDATE eventwire_log SET version = 1");
    assert_eq!(append(&open(&server), &room, &event("b")).await.sequence(), at.sequence() + 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_who_come_first_make_the_tables_once() {
    let (server, ..) = start!();
    let logs: Vec<_> = (0..8).map(|_| open(&server)).collect();
    let room = room();
    let mut numbers: Vec<_> =
        join_all(logs.iter().map(async |log| append(log, &room, &event("a")).await.sequence())).await;
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=8).collect::<Vec<_>>());
    assert_eq!(server.sql("SELECT count(*) FROM eventwire_log"), "1");
    assert!(refusal(&server, SCHEMA).starts_with("42P07"));
}

#[test]
fn a_password_is_never_shown() {
    for url in [
        "postgres://user:secret@localhost:port/db",
        "postgres://user:secret@localhost/db?unknown=secret",
        "postgres://user:secret@localhost/db?sslmode=secret",
        "postgres://user:secret@/db",
        "postgres://user:s@secret@localhost/db",
        "redis://user:secret@localhost",
        "secret",
    ] {
        check_refused(PostgresLog::open(url), "cannot use the URL: ");
    }
    let log = PostgresLog::open("postgres://user:s?cr&t=secret@localhost/db").unwrap();
    assert!(!format!("{log:?}").contains("secret"));
}

#[tokio::test]
async fn an_error_says_which_server() {
    let port = free_port();
    let log = PostgresLog::open(&format!("postgres://user:secret@localhost,127.0.0.1:{port}/db")).unwrap();
    let error = try_append(&log, &room(), "a").await.unwrap_err().to_string();
    assert!(error.starts_with(&format!("cannot connect to Postgres: localhost,127.0.0.1:{port}: ")), "{error}");
    let log = PostgresLog::open(&format!("postgres://user@/db?host=127.0.0.1&port={port}")).unwrap();
    check_refused(try_append(&log, &room(), "a").await, "cannot connect to Postgres: the host of the URL: ");
    let error = PostgresLog::open("postgres://user:s@cret@localhost/db").unwrap_err().to_string();
    assert_eq!(error, "cannot use the URL: its host has an @. In a password, write %40");
}

#[tokio::test]
async fn sessions_have_a_name() {
    let (server, log, room) = start!();
    append(&log, &room, &event("a")).await;
    let named = PostgresLog::open(&format!("{}?application_name=mine", server.url())).unwrap();
    append(&named, &room, &event("b")).await;
    let sessions = "SELECT string_agg(application_name, ' ' ORDER BY application_name) FROM pg_stat_activity \
                    WHERE application_name IN ('eventwire', 'mine')";
    assert_eq!(server.sql(sessions), "eventwire eventwire mine mine");
}

#[tokio::test]
async fn another_encoding_is_refused() {
    let (server, _, room) = start!();
    server.sql("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'");
    let log = PostgresLog::open(&server.url_of("latin")).unwrap();
    let message = "cannot connect to Postgres: the encoding of the database is LATIN1, and events are UTF-8";
    check_refused(try_append(&log, &room, "a").await, message);
}

#[tokio::test]
async fn the_schema_can_be_a_part_of_a_migration() {
    let (server, log, room) = start!();
    let migration = |end: &str| {
        server.sql(&format!(
            "BEGIN; SET LOCAL search_path = public, pg_catalog; CREATE TABLE orders (); {SCHEMA} \
             CREATE TABLE path AS SELECT current_setting('search_path'); {end}"
        ));
    };
    let tables = "SELECT count(*) FROM pg_tables WHERE tablename IN ('orders', 'eventwire_topics')";
    migration("ROLLBACK");
    assert_eq!(server.sql(tables), "0");
    migration("COMMIT");
    assert_eq!(server.sql(tables), "2");
    assert_eq!(server.sql("SELECT * FROM path"), "public, pg_catalog");
    // Not in another schema, which the search path does not have.
    assert!(refusal(&server, &format!("BEGIN; SET LOCAL search_path = missing; {SCHEMA}")).starts_with("3F000"));
    append(&log, &room, &event("a")).await;
}

#[tokio::test]
async fn a_wrong_password_is_refused() {
    let (server, ..) = start!();
    server.sql("CREATE ROLE app LOGIN PASSWORD 'right'");
    fs::write(server.data().join("pg_hba.conf"), "host all app all scram-sha-256\nhost all all all trust\n").unwrap();
    server.sql("SELECT pg_reload_conf()");
    let wrong = PostgresLog::open(&format!("postgres://app:secret@127.0.0.1:{}/postgres", server.port())).unwrap();
    check_refused(try_append(&wrong, &room(), "a").await, "password authentication failed for user \"app\"");
}

#[tokio::test]
async fn a_key_is_known_for_a_day() {
    let (server, log, room) = start!();
    for key in ["a", "b", "c"] {
        append_once(&log, &room, key, &event(key)).await.unwrap();
    }
    let age = |age: &str| server.sql(&format!("UPDATE eventwire_keys SET at = at - interval '{age}'"));
    age("23 hours 50 minutes");
    assert_eq!(append_once(&log, &room, "a", &event("again")).await.unwrap().sequence(), 1);
    age("20 minutes");
    assert_eq!(append_once(&log, &room, "a", &event("again")).await.unwrap().sequence(), 4);
    assert_eq!(append_once(&log, &room, "a", &event("again")).await.unwrap().sequence(), 4);
    // The others are removed with it.
    assert_eq!(server.sql("SELECT count(*) FROM eventwire_keys"), "1");
}

#[tokio::test]
async fn old_events_are_removed() {
    let (server, log, room) = start_with_tables!();
    server.sql("SELECT eventwire_append('room', NULL, n::text) FROM generate_series(1, 5000) n");
    append(&log, &room, &event("5001")).await;
    append(&log, &topic("other"), &event("young")).await;
    assert_eq!(server.sql("SELECT count(*) FROM eventwire_entries"), "5002", "without a limit, all are kept");

    // A process that only reads does it, too, in several steps.
    let small = log.clone().with_max_events(10);
    let tail = read(&small, &room, None, 0).await.tail;
    let count = || server.sql("SELECT count(*) FROM eventwire_entries WHERE topic = 'room'");
    wait_until("the oldest are removed", || count() == "10").await;
    let page = read_all(&log, &room).await;
    assert_eq!((page.tail, page.entries[0].0.sequence()), (tail, 4992));

    server.sql("UPDATE eventwire_entries SET at = at - interval '2 hours' WHERE topic = 'room' AND number <> 5001");
    let young = open(&server).with_max_age(Duration::from_secs(3600));
    append(&young, &topic("other"), &event("young, too")).await;
    wait_until("the old ones are removed", || count() == "1").await;
    assert_eq!(read_all(&log, &topic("other")).await.entries.len(), 2);
    // An age that no event has.
    read_all(&open(&server).with_max_age(Duration::MAX), &room).await;
    let none = open(&server).with_max_age(Duration::ZERO);
    let page = read_all(&none, &room).await;
    wait_until("all are removed", || count() == "0").await;
    let empty = read_all(&log, &room).await;
    assert_eq!((empty.entries.len(), empty.tail), (0, page.tail));
}

#[tokio::test]
async fn an_earlier_epoch_goes_when_the_new_one_has_enough() {
    let (server, log, room) = start_with_tables!();
    append_all(&log, &room, 5).await;
    server.sql("SELECT eventwire_new_epoch()");
    let small = log.clone().with_max_events(5);
    append_all(&small, &room, 5).await;
    assert_eq!(server.sql("SELECT eventwire_remove(5, NULL)"), "0");
    assert_eq!(read(&log, &room, None, 100).await.entries.len(), 5, "a page is of one epoch");
    append(&log, &room, &event("6")).await;
    assert_eq!(server.sql("SELECT eventwire_remove(5, NULL)"), "6");
    assert_eq!(read_all(&log, &room).await.entries[0].0.sequence(), 2);
}

#[tokio::test]
async fn a_page_ends_before_an_entry_that_was_removed() {
    let (server, log, room) = start!();
    let all = append_all(&log, &room, 9).await;
    let tail = all[8].0;
    server.sql("DELETE FROM eventwire_entries WHERE number IN (1, 4, 6, 7, 9)");
    for (after, numbers) in [(0, 2..=3), (2, 3..=3), (3, 5..=5), (5, 8..=8)] {
        let page = read(&log, &room, Some(StreamPosition::new(tail.epoch(), after)), 100).await;
        let entries = all[numbers.start() - 1..*numbers.end()].to_vec();
        assert_eq!(page, Page { entries, tail, finished: false }, "after {after}");
    }
}

/// Those who watch get the events themselves, also of transactions with many.
#[tokio::test]
async fn hints_have_the_events() {
    let (server, log, room) = start_with_tables!();
    let mut wakes = watch(&log, &room).await;
    server.sql("SELECT eventwire_append('room', NULL, n::text) FROM generate_series(1, 50) n");
    for number in 1..=50 {
        let Wake::Entry(at, bytes) = next(&mut wakes).await else { panic!("hint {number} has no event") };
        assert_eq!((at.sequence(), bytes), (number, event(&number.to_string()).into_bytes()));
    }
    // What other programs notify is none of ours.
    let channel = server.sql("SELECT 'eventwire_' || 'eventwire_topics'::regclass::oid");
    let _others = watch(&log, &topic("other")).await;
    let last = format!("1 {} 1 f other", u64::MAX);
    for payload in ["", "a", "1 2 3", "1 2 3 f", "1 x 3 f room", "end room", "1 0 0 t ", &last] {
        server.sql(&format!("SELECT pg_notify('{channel}', '{payload}')"));
    }
    end(&log, &room).await;
    assert!(matches!(next(&mut wakes).await, Wake::Changed));
    assert!(log.read(&room, None, Limit { entries: 0, bytes: 0 }).await.unwrap().finished);
}

/// More than there is room for hints.
#[tokio::test]
async fn many_events_at_once_begin_a_topic_without_a_gap() {
    let (server, log, room) = start_with_tables!();
    let mut reader = subscribe(&log, None).await;
    let other = open(&server);
    join_all((1..=300).map(async |number| append(&other, &room, &event(&number.to_string())).await)).await;
    for number in 1..=300 {
        let item = item(&mut reader).await;
        assert!(item.ends_with(&format!("-{number}\ndata: {number}\n\n")), "{number}: {item}");
    }
}

/// If a topic is deleted and used again, the notification of its event is read when there is only a later one.
#[tokio::test]
async fn a_hint_of_what_is_gone_is_not_one_of_what_came_later() {
    let (server, log, room) = start_with_tables!();
    let mut reader = subscribe(&log, None).await;
    let mut wakes = watch(&log, &room).await;
    // This blocks the only thread of the test. So the log reads nothing until all of it is done.
    let stored = server.sql(
        "SELECT eventwire_append('room', NULL, 'gone'); DELETE FROM eventwire_topics WHERE name = 'room'; \
         SELECT eventwire_append('room', NULL, 'later')",
    );
    let (gone, later) = stored.split_once('\n').unwrap();
    let (gone, later) = (gone.parse::<StreamPosition>().unwrap(), later.parse::<StreamPosition>().unwrap());
    assert!(gone.epoch() < later.epoch() && gone.sequence() == 1, "{stored}");
    // Nobody may take it for the very first one.
    let first = next(&mut wakes).await;
    assert!(matches!(first, Wake::Changed), "{first:?}");
    let second = next(&mut wakes).await;
    assert!(matches!(&second, Wake::Entry(at, _) if *at == later), "{second:?}");
    check_gap(&mut reader, later, "later").await;
}
