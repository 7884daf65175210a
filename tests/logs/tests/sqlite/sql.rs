//! Other programs append by plain SQL: `sqlite3`, Python, and this one through rusqlite.

use crate::{LogFile, gap_before, hub, insert, is_installed, item, item_of, next_of, reader_after, room};
use bytes::Bytes;
use eventwire::Event;
use eventwire_hub::{Entry, Log, Resume, StreamPosition, Topic};
use eventwire_log_tests::calls::{append, append_once, end, event, next, read_all, topic, try_append, watch};
use proptest::prelude::*;
use rusqlite::{Connection, ToSql, TransactionBehavior};
use std::process::Command;

/// Each can run a script, and returns what it printed, or what went wrong.
type Run = fn(&LogFile, &str) -> Result<String, String>;

fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

fn sqlite3(file: &LogFile, sql: &str) -> Result<String, String> {
    output(Command::new("sqlite3").args(["-bail", "-batch"]).arg(file.path()).arg(sql))
}

fn python(file: &LogFile, sql: &str) -> Result<String, String> {
    const SCRIPT: &str = "
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in sys.argv[2].split(';'):
    for row in connection.execute(statement):
        print('|'.join(map(str, row)))
";
    output(Command::new("python3").args(["-c", SCRIPT]).arg(file.path()).arg(sql))
}

/// The programs that are installed. Both have an older SQLite than this crate.
fn programs() -> Vec<(&'static str, Run)> {
    let programs: [(_, Run); 2] = [("sqlite3", sqlite3), ("python3", python)];
    programs.into_iter().filter(|(name, _)| is_installed(name)).collect()
}

/// With a table of their own, in one transaction.
#[tokio::test]
async fn a_program_in_another_language_appends_in_its_own_transaction() {
    for (name, run) in programs() {
        let file = LogFile::new();
        file.run("CREATE TABLE orders (id INTEGER PRIMARY KEY, state TEXT); INSERT INTO orders VALUES (7, 'new')");
        let log = file.open();
        let first = append(&log, &room(), &event("1")).await;
        let hub = hub(log.clone());
        let mut reader = reader_after(&hub, &room(), first).await;
        let transaction = |end: &str| {
            run(
                &file,
                &format!(
                    "BEGIN IMMEDIATE;
                     UPDATE orders SET state = state || ' paid' WHERE id = 7;
                     INSERT INTO eventwire_append (topic, type, data, key) VALUES ('room', 'paid', 'order 7', NULL);
                     INSERT INTO eventwire_append (topic, data) VALUES ('room', 'next');
                     {end}"
                ),
            )
            .unwrap()
        };
        transaction("ROLLBACK");
        assert_eq!(file.get::<String>("SELECT state FROM orders"), "new", "{name}");
        transaction("COMMIT");
        assert_eq!(file.get::<String>("SELECT state FROM orders"), "new paid", "{name}");
        let second = next_of(first);
        assert_eq!(item(&mut reader).await, format!("id: {second}\nevent: paid\ndata: order 7\n\n"), "{name}");
        assert_eq!(item(&mut reader).await, item_of(next_of(second), "next"), "{name}");
        let at = append(&log, &room(), &event("last")).await;
        assert_eq!(at, StreamPosition::new(first.epoch(), 4), "{name}: nothing is stored of what was rolled back");
        // The page says how to find the position.
        let tail = run(&file, "SELECT printf('%016x-%d', epoch, number) FROM eventwire_topics WHERE name = 'room'");
        assert_eq!(tail.unwrap().trim(), at.to_string());
        // Its version of SQLite also reads and checks all of the schema.
        assert_eq!(run(&file, "PRAGMA integrity_check").unwrap().trim(), "ok", "{name}");
        assert_eq!(run(&file, "PRAGMA quick_check").unwrap().trim(), "ok", "{name}");
    }
}

/// A transaction that begins with a read, as many programs do, and one that fails in the middle.
#[tokio::test]
async fn what_was_refused_leaves_nothing_behind() {
    for (name, run) in programs() {
        let file = LogFile::new();
        let log = file.open();
        let before = append(&log, &room(), &event("1")).await;
        // Python takes long to start, so it tries some of them only.
        let step = if name == "python3" { 4 } else { 1 };
        let refused = [
            ("'room', 'a' || char(10) || 'data: b', 'x', NULL", "a type is text without line ends"),
            ("'room', 'a' || char(13), 'x', NULL", "a type is text without line ends"),
            ("'room', char(10), 'x', NULL", "a type is text without line ends"),
            ("'room', char(0, 10), 'x', NULL", "a type is text without line ends"),
            ("'room', X'61', 'x', NULL", "a type is text without line ends"),
            ("'room', 1, 'x', NULL", "a type is text without line ends"),
            ("'room', NULL, NULL, NULL", "data is text"),
            ("'room', NULL, X'61', NULL", "data is text"),
            ("'room', NULL, 1.5, NULL", "data is text"),
            ("'room', NULL, 'x', 'a' || char(0)", "a key is text without NUL"),
            ("'room', NULL, 'x', char(0) || 'a'", "a key is text without NUL"),
            ("'room', NULL, 'x', X'61'", "a key is text without NUL"),
            ("'room', NULL, 'x', 7", "a key is text without NUL"),
            ("'', NULL, 'x', NULL", "a topic is text of 1 to 256 bytes without control characters"),
            ("NULL, NULL, 'x', NULL", "a topic is text"),
            ("7, NULL, 'x', NULL", "a topic is text"),
            ("X'61', NULL, 'x', NULL", "a topic is text"),
            ("'a' || char(0), NULL, 'x', NULL", "a topic is text"),
            ("'a' || char(9), NULL, 'x', NULL", "a topic is text"),
            ("printf('%257s', 'a'), NULL, 'x', NULL", "a topic is text"),
            ("printf('%255s', '') || char(233), NULL, 'x', NULL", "a topic is text"),
        ];
        for (values, cause) in refused.into_iter().step_by(step) {
            let sql = format!("INSERT INTO eventwire_append (topic, type, data, key) VALUES ({values})");
            let error = run(&file, &sql).unwrap_err();
            assert!(error.contains(&format!("eventwire: {cause}")), "{name}: {values}: {error}");
        }
        assert_eq!(append(&log, &room(), &event("2")).await, next_of(before), "{name}");
        assert_eq!(file.get::<i64>("SELECT count(*) FROM eventwire_topics"), 1, "{name}");
        assert_eq!(file.get::<i64>("SELECT appended FROM eventwire_log"), 2, "{name}");
        // These are not.
        for (values, count) in [("printf('%256s', 'a')", 1), ("char(160)", 2), ("'*[]?'", 3), ("char(128512)", 4)] {
            run(&file, &format!("INSERT INTO eventwire_append (topic, data) VALUES ({values}, '')")).unwrap();
            assert_eq!(file.get::<i64>("SELECT count(*) FROM eventwire_topics"), 1 + count, "{name}: {values}");
        }
    }
}

/// The same characters that [`Topic`] refuses.
#[tokio::test]
async fn names_of_topics_are_checked_as_in_rust() {
    let file = LogFile::new();
    drop(file.open());
    // Each statement waits for the disk otherwise.
    let connection = file.connect();
    connection.execute_batch("BEGIN").unwrap();
    let control = (0..=0x120).filter_map(char::from_u32);
    for character in control.chain(['\u{FEFF}', '\u{10FFFF}', '😀']) {
        for name in [format!("{character}"), format!("a{character}b")] {
            let (rust, sql) = (Topic::new(&name), insert(&connection, &name, ""));
            assert_eq!(rust.is_ok(), sql.is_ok(), "{character:?}");
        }
        connection.execute("DELETE FROM eventwire_topics", []).unwrap();
    }
    for len in [0, 1, 127, 128, 129, 255, 256, 257, 10_000] {
        for name in ["a".repeat(len), "é".repeat(len)] {
            assert_eq!(Topic::new(&name).is_ok(), insert(&connection, &name, "").is_ok(), "{} bytes", name.len());
        }
    }
}

/// Values with these parts.
fn text() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "", "a", " ", "\r", "\n", "\r\n", "\n\r", ":", "data: ", "id: 7", "\0", "é", "😀", "\u{FEFF}", "\u{2028}",
        "''", "%",
    ]);
    prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    /// Or refuses it, as the other does.
    #[test]
    fn sql_makes_the_same_block_as_rust(events in prop::collection::vec((prop::option::of(text()), text()), 60)) {
        let file = LogFile::new();
        drop(file.open());
        let mut connection = file.connect();
        let transaction = connection.transaction().unwrap();
        let mut accepted = 0;
        for (event_type, data) in events {
            let expected = match &event_type {
                Some(event_type) => Event::new(&*data).with_event_type(&**event_type).ok(),
                None => Some(Event::new(&*data)),
            };
            let parameters: [&dyn ToSql; 2] = [&event_type, &data];
            let appended = transaction.execute("INSERT INTO eventwire_append VALUES ('room', ?, ?, NULL)", parameters);
            prop_assert_eq!(appended.is_ok(), expected.is_some(), "type {:?}", event_type);
            let Some(expected) = expected else { continue };
            accepted += 1;
            let block: Vec<u8> = transaction
                .query_row("SELECT event FROM eventwire_entries WHERE number = ?", [accepted], |row| row.get(0))
                .unwrap();
            prop_assert_eq!(Bytes::from(block), expected.encoded().into_bytes(), "{:?} {:?}", event_type, data);
        }
    }
}

/// More than there is room for hints.
#[tokio::test]
async fn many_events_at_once_begin_a_topic_without_a_gap() {
    let file = LogFile::new();
    let hub = hub(file.open());
    let mut reader = hub.subscribe(&room(), Resume::Live).await.unwrap();
    item(&mut reader).await;
    file.run(
        "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 500)
         INSERT INTO eventwire_append SELECT 'room', NULL, CAST(n AS TEXT), NULL FROM numbers",
    );
    for number in 1..=500 {
        let item = item(&mut reader).await;
        assert!(item.ends_with(&format!("-{number}\ndata: {number}\n\n")), "{number}: {item}");
    }
}

/// What a statement does with a conflict holds for the statements of a trigger, too.
#[tokio::test]
async fn no_conflict_clause_stores_a_half() {
    for clause in ["", "OR ABORT", "OR FAIL", "OR IGNORE", "OR REPLACE", "OR ROLLBACK"] {
        let file = LogFile::new();
        let log = file.open();
        let before = append_once(&log, &room(), "key", &event("1")).await.unwrap();
        let connection = file.connect();
        let insert = |into: &str, values: &str| {
            connection.execute(&format!("INSERT {clause} INTO {into} VALUES ({values})"), [])
        };
        for half in ["''", "'data: a'", "'data: a' || char(10)", "'id: 1' || char(10, 10, 65)"] {
            let values = format!("'room', CAST({half} AS BLOB), NULL");
            let refused = insert("eventwire_append_block (topic, event, key)", &values);
            assert!(refused.is_err(), "{clause}: {half}");
            let refused = insert("eventwire_append_block", &format!("'room', {half} || char(10, 10), NULL"));
            assert!(refused.is_err(), "{clause}: text, {half}");
            let entry = format!("100, 1, {}, 2, 0, CAST({half} AS BLOB)", before.epoch());
            let stored = insert("eventwire_entries (id, topic, epoch, number, at, event)", &entry);
            assert!(stored.is_err() || stored == Ok(0), "{clause}: {half}");
        }
        for values in ["'room', char(10), 'x', NULL", "'', NULL, 'x', NULL", "'room', NULL, NULL, NULL"] {
            assert!(insert("eventwire_append", values).is_err(), "{clause}: {values}");
        }
        // A key that is known, with whatever clause.
        insert("eventwire_append", "'room', NULL, 'again', 'key'").unwrap();
        insert("eventwire_append", "'room', NULL, '2', 'other key'").unwrap();
        let at = append(&log, &room(), &event("3")).await;
        assert_eq!(at, StreamPosition::new(before.epoch(), 3), "{clause}");
        let page = read_all(&log, &room()).await;
        let expected = ["1", "2", "3"].map(|text| event(text).into_bytes());
        assert!(page.entries.iter().map(|(_, event)| event).eq(&expected), "{clause}: {page:?}");
        assert_eq!(append_once(&log, &room(), "key", &event("x")).await, Some(before), "{clause}");

        end(&log, &room()).await;
        assert!(insert("eventwire_append", "'room', NULL, 'late', NULL").is_err(), "{clause}");
        insert("eventwire_append", "'room', NULL, 'late', 'key'").unwrap();
        assert_eq!(read_all(&log, &room()).await.tail, at, "{clause}");
    }
}

/// A key is the same for SQL and for Rust.
#[tokio::test]
async fn keys_are_known_for_a_day() {
    let file = LogFile::new();
    let log = file.open();
    let by_sql = |key: &str, text: &str| {
        let sql = "INSERT INTO eventwire_append (topic, data, key) VALUES ('room', ?, ?)";
        file.connect().execute(sql, (text, key)).unwrap();
    };
    let first = append_once(&log, &room(), "rust", &event("1")).await.unwrap();
    by_sql("rust", "again");
    by_sql("sql é", "2");
    by_sql("sql é", "again");
    let second = next_of(first);
    assert_eq!(append_once(&log, &room(), "sql é", &event("x")).await, Some(second));
    // An empty one is a key as well, and one that SQL refuses.
    let third = append_once(&log, &room(), "", &event("3")).await.unwrap();
    by_sql("", "again");
    let fourth = append_once(&log, &room(), "a\0b", &event("4")).await.unwrap();
    assert_eq!((third, fourth), (next_of(second), next_of(next_of(second))));
    assert_eq!(append_once(&log, &room(), "a\0c", &event("5")).await, Some(next_of(fourth)));
    assert_eq!(append_once(&log, &room(), "a\0b", &event("x")).await, Some(fourth));

    let age = |milliseconds: i64| file.run(&format!("UPDATE eventwire_keys SET at = at - {milliseconds}"));
    age(86_400_000 - 60_000);
    assert_eq!(append_once(&log, &room(), "rust", &event("x")).await, Some(first));
    by_sql("rust", "again");
    assert_eq!(read_all(&log, &room()).await.entries.len(), 5);
    age(60_001);
    // Not one of those that are removed by this append: it is too old all the same.
    assert_eq!(append_once(&log, &room(), "a\0c", &event("6")).await.unwrap().sequence(), 6);
    let again = append_once(&log, &room(), "rust", &event("7")).await.unwrap();
    assert_eq!(again.sequence(), 7);
    by_sql("sql é", "8");
    assert_eq!(append_once(&log, &room(), "sql é", &event("x")).await, Some(next_of(again)));
    // Those of other topics go, a few with each append that has a key.
    for number in 0..100 {
        append_once(&log, &topic("other"), &number.to_string(), &event("a")).await;
    }
    age(86_400_001);
    for number in 0..50 {
        append_once(&log, &topic("new"), &number.to_string(), &event("a")).await;
    }
    assert_eq!(file.get::<i64>("SELECT count(*) FROM eventwire_keys"), 50);
}

/// The first event that SQL appends, also together with a topic that is watched.
#[tokio::test]
async fn a_reader_of_an_unknown_topic_gets_the_first_event_without_a_gap() {
    let file = LogFile::new();
    let hub = hub(file.open());
    let mut reader = hub.subscribe(&room(), Resume::Live).await.unwrap();
    let opening = item(&mut reader).await;
    assert!(opening.ends_with("\n\n") && !opening.contains("gap"), "{opening:?}");
    let connection = file.connect();
    for number in 0..5 {
        insert(&connection, "room", &number.to_string()).unwrap();
    }
    for number in 0..5 {
        let item = item(&mut reader).await;
        assert!(item.ends_with(&format!("\ndata: {number}\n\n")), "{item:?}");
    }
}

/// A program that has its own tables in the file.
#[tokio::test]
async fn what_belongs_to_the_program_is_not_touched() {
    let file = LogFile::new();
    file.run(
        "PRAGMA application_id = 1234; PRAGMA user_version = 56; PRAGMA foreign_keys = on;
         CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
         CREATE TABLE posts (author INTEGER REFERENCES users ON DELETE CASCADE, text TEXT);
         CREATE VIEW names AS SELECT name FROM users;
         CREATE TRIGGER posted AFTER INSERT ON posts BEGIN UPDATE users SET name = name || '+' WHERE id = NEW.author; END;
         INSERT INTO users VALUES (1, 'a'); INSERT INTO posts VALUES (1, 'x')",
    );
    const OTHERS: &str = "SELECT group_concat(sql, ';') FROM sqlite_schema WHERE name NOT GLOB 'eventwire_*'
        AND tbl_name NOT GLOB 'eventwire_*'";
    let before: String = file.get(OTHERS);
    {
        let log = file.open().with_max_events(1);
        append(&log, &room(), &event("1")).await;
        append(&log, &room(), &event("2")).await;
        log.new_epoch().await.unwrap();
        end(&log, &room()).await;
    }
    assert_eq!(file.get::<String>(OTHERS), before);
    assert_eq!(file.get::<i64>("PRAGMA application_id"), 1234);
    assert_eq!(file.get::<i64>("PRAGMA user_version"), 56);
    assert_eq!(file.get::<String>("SELECT name || text FROM users, posts"), "a+x");
    // And its own migrations read all of the schema.
    file.run(
        "ALTER TABLE users RENAME COLUMN name TO called; ALTER TABLE posts RENAME TO messages; VACUUM;
         PRAGMA trusted_schema = off; INSERT INTO eventwire_append (topic, data) VALUES ('new', 'a')",
    );
    let log = file.open();
    assert_eq!(read_all(&log, &topic("new")).await.entries.len(), 1);
    // Only tables with the prefix were added.
    let added: i64 = file.get("SELECT count(*) FROM sqlite_schema WHERE name GLOB 'eventwire_*'");
    assert!(added > 8, "{added}");
}

/// A transaction of another program that is open for long does not keep readers from reading, and its events come once
/// it commits.
#[tokio::test]
async fn events_come_when_the_other_program_commits() {
    let file = LogFile::new();
    let log = file.open();
    let before = append(&log, &room(), &event("1")).await;
    let mut wakes = watch(&log, &room()).await;
    let mut connection = file.connect();
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    insert(&transaction, "room", "2").unwrap();
    for _ in 0..3 {
        assert_eq!(read_all(&log, &room()).await.tail, before);
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    transaction.commit().unwrap();
    assert_eq!(read_all(&log, &room()).await.tail, next_of(before));
    match next(&mut wakes).await {
        eventwire_hub::Wake::Entry(at, bytes) if at == next_of(before) => assert_eq!(bytes, event("2").as_ref()),
        other => panic!("{other:?}"),
    }
}

/// Many at once, in one transaction: each watcher reads then.
#[tokio::test]
async fn a_large_transaction_of_another_program_is_read() {
    let file = LogFile::new();
    let log = file.open();
    let before = append(&log, &room(), &event("0")).await;
    let hub = hub(log.clone());
    let mut reader = reader_after(&hub, &room(), before).await;
    let sql = "WITH numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 3000)
        INSERT INTO eventwire_append (topic, data) SELECT 'room', CAST(n AS TEXT) FROM numbers";
    let connection: Connection = file.connect();
    connection.execute(sql, []).unwrap();
    for number in 1..=3000 {
        let at = StreamPosition::new(before.epoch(), number + 1);
        assert_eq!(item(&mut reader).await, item_of(at, &number.to_string()));
    }
}

/// What SQL cannot append, a caller of the crate gets told as well, and others of the same group do not.
#[tokio::test]
async fn an_event_that_is_refused_does_not_take_others_with_it() {
    let file = LogFile::new();
    let log = file.open();
    append(&log, &room(), &event("1")).await;
    file.run(
        "CREATE TRIGGER no_secrets BEFORE INSERT ON eventwire_entries WHEN instr(NEW.event, CAST('secret' AS BLOB))
         BEGIN SELECT RAISE(ABORT, 'no secrets'); END",
    );
    let texts = ["2", "secret", "3", "secret", "4"];
    let room = room();
    let results = futures_util::future::join_all(texts.map(|text| try_append(&log, &room, text))).await;
    for (text, result) in texts.iter().zip(results) {
        match result {
            Ok(at) => assert!(at.is_some() && *text != "secret"),
            Err(error) => {
                assert_eq!(*text, "secret");
                assert!(error.to_string().contains("no secrets") && !error.may_be_stored(), "{error}");
            }
        }
    }
    let page = read_all(&log, &room).await;
    assert_eq!((page.tail.sequence(), page.entries.len()), (4, 4));
    assert!(log.append(&room, Entry::End, None).await.unwrap().is_some());
}

/// A hub whose topic is removed by SQL: one gap.
#[tokio::test]
async fn a_topic_is_removed_while_it_is_read() {
    for (name, run) in programs() {
        let file = LogFile::new();
        let log = file.open();
        let before = append(&log, &room(), &event("1")).await;
        let hub = hub(log.clone());
        let mut reader = reader_after(&hub, &room(), before).await;
        run(
            &file,
            "BEGIN; DELETE FROM eventwire_topics WHERE name = 'room';
             INSERT INTO eventwire_append (topic, data) VALUES ('room', '2'); COMMIT",
        )
        .unwrap();
        let at = read_all(&log, &room()).await.tail;
        assert!(crate::begins_after(before, at), "{name}: {at}");
        assert_eq!(item(&mut reader).await, gap_before(at), "{name}");
        assert_eq!(item(&mut reader).await, item_of(at, "2"), "{name}");
    }
}
