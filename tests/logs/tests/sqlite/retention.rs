//! How long events are kept, and that the count of their bytes stays right.

use crate::{LogFile, hub, insert, item, item_of, next_of, reader_after, room};
use eventwire::Encoded;
use eventwire_hub::StreamPosition;
use eventwire_log_tests::calls::{append, append_all, event, read_all, topic, wait_until};
use proptest::prelude::*;
use std::time::Duration;
use tokio::runtime;

/// An event with so many bytes.
fn of_length(length: usize) -> Encoded {
    event(&"x".repeat(length - "data: \n\n".len()))
}

const DIFFERENT: &str = "SELECT count(*) FROM eventwire_topics AS topics WHERE bytes <>
    (SELECT total(length(event)) FROM eventwire_entries WHERE topic = topics.id)";

#[tokio::test]
async fn everything_is_kept_unless_it_is_set() {
    let file = LogFile::new();
    let log = file.open();
    append_all(&log, &room(), 50).await;
    file.run("UPDATE eventwire_entries SET at = 0");
    append(&log, &room(), &of_length(1 << 20)).await;
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert_eq!(read_all(&log, &room()).await.entries.len(), 51);
}

#[tokio::test]
async fn by_events() {
    for (most, kept) in [(0, 1), (1, 1), (7, 7), (100, 100), (usize::MAX, 120)] {
        let file = LogFile::new();
        let log = file.open().with_max_events(most);
        let all = append_all(&log, &room(), 120).await;
        append_all(&log, &topic("other"), 1).await;
        assert_eq!(read_all(&log, &room()).await.entries, all[120 - kept..], "at most {most}");
        assert_eq!(file.get::<i64>(DIFFERENT), 0);
    }
}

#[tokio::test]
async fn by_bytes() {
    for (most, kept) in [(0, 1), (99, 1), (100, 1), (199, 1), (200, 2), (1050, 10), (usize::MAX, 50)] {
        let file = LogFile::new();
        let log = file.open().with_max_bytes(most);
        for _ in 0..50 {
            append(&log, &room(), &of_length(100)).await;
        }
        assert_eq!(read_all(&log, &room()).await.entries.len(), kept, "at most {most}");
        // One that is larger than all together.
        if most < usize::MAX {
            append(&log, &room(), &of_length(5000)).await;
            assert_eq!(read_all(&log, &room()).await.entries.len(), 1, "at most {most}");
            append(&log, &room(), &of_length(100)).await;
            assert_eq!(read_all(&log, &room()).await.entries.len(), 1, "at most {most}");
        }
        assert_eq!(file.get::<i64>(DIFFERENT), 0);
    }
}

#[tokio::test]
async fn by_age() {
    let file = LogFile::new();
    let log = file.open().with_max_age(Duration::from_secs(3600));
    let all = append_all(&log, &room(), 10).await;
    append_all(&log, &topic("other"), 10).await;
    file.run("UPDATE eventwire_entries SET at = at - 3600001 WHERE number <= 4");
    wait_until("old ones are removed", || file.get::<i64>("SELECT count(*) FROM eventwire_entries") == 12).await;
    assert_eq!(read_all(&log, &room()).await.entries, all[4..]);
    // The numbers go on, also if nothing is left.
    file.run("UPDATE eventwire_entries SET at = at - 3600001");
    wait_until("old ones are removed", || file.get::<i64>("SELECT count(*) FROM eventwire_entries") == 0).await;
    assert_eq!(file.get::<i64>(DIFFERENT), 0);
    assert_eq!(read_all(&log, &room()).await.tail, all[9].0);
    assert_eq!(append(&log, &room(), &event("11")).await, next_of(all[9].0));
}

/// The crate only runs.
#[tokio::test]
async fn what_another_program_appends_is_removed_as_well() {
    let (by_events, by_bytes) = (LogFile::new(), LogFile::new());
    let logs = [by_events.open().with_max_events(10), by_bytes.open().with_max_bytes(1000)];
    for file in [&by_events, &by_bytes] {
        let mut connection = file.connect();
        let transaction = connection.transaction().unwrap();
        for number in 0..1500 {
            // 10 bytes.
            insert(&transaction, if number < 1100 { "room" } else { "other" }, "ab").unwrap();
        }
        transaction.commit().unwrap();
    }
    for (file, kept) in [(&by_events, 20), (&by_bytes, 200)] {
        let count = || file.get::<i64>("SELECT count(*) FROM eventwire_entries");
        wait_until("they are removed", || count() <= kept).await;
        assert_eq!(count(), kept);
        assert_eq!(file.get::<i64>("SELECT count(*) FROM eventwire_entries WHERE number IN (1100, 400)"), 2);
        assert_eq!(file.get::<i64>(DIFFERENT), 0);
    }
    drop(logs);
}

/// After the first start with a limit, for example.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn those_who_append_do_not_wait_until_all_is_removed() {
    const COUNT: &str = "SELECT count(*) FROM eventwire_entries";
    let file = LogFile::new();
    let at = append(&file.open(), &room(), &event("1")).await;
    file.run(
        "WITH numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < 60000)
         INSERT INTO eventwire_entries SELECT n, topic, epoch, n, 0, event FROM numbers, eventwire_entries WHERE id = 1;
         UPDATE eventwire_topics SET number = 60000, bytes = 9 * 60000;
         UPDATE eventwire_log SET appended = 60000;
         UPDATE eventwire_entries SET at = 0",
    );
    let log = file.open().with_max_age(Duration::from_secs(3600));
    wait_until("it begins", || file.get::<i64>(COUNT) < 60_000).await;
    append(&log, &topic("other"), &event("1")).await;
    assert!(file.get::<i64>(COUNT) > 1, "it was removed before");
    wait_until("it is removed", || file.get::<i64>(COUNT) == 1).await;
    assert_eq!(read_all(&log, &room()).await.tail, StreamPosition::new(at.epoch(), 60_000));
    assert_eq!(file.get::<i64>(DIFFERENT), 0);
}

#[tokio::test]
async fn a_reader_gets_a_gap_where_events_were_removed() {
    let file = LogFile::new();
    let log = file.open().with_max_events(3);
    let all = append_all(&log, &room(), 10).await;
    let hub = hub(log.clone());
    let mut reader = reader_after(&hub, &room(), all[1].0).await;
    let gap = format!("event: gap\nid: {}\ndata: {{\"missed\":5}}\n\n", all[6].0);
    assert_eq!(item(&mut reader).await, gap);
    for (number, (at, _)) in all.iter().enumerate().skip(7) {
        assert_eq!(item(&mut reader).await, item_of(*at, &(number + 1).to_string()));
    }
}

/// Of two epochs, the older one is kept until the newer one has enough.
#[tokio::test]
async fn an_earlier_epoch_goes_when_the_new_one_has_enough() {
    let file = LogFile::new();
    let log = file.open().with_max_events(5);
    append_all(&log, &room(), 8).await;
    log.new_epoch().await.unwrap();
    append_all(&log, &room(), 5).await;
    assert_eq!(file.get::<i64>("SELECT count(*) FROM eventwire_entries"), 10);
    let all = append_all(&log, &room(), 1).await;
    assert_eq!(file.get::<i64>("SELECT count(*) FROM eventwire_entries"), 5);
    assert_eq!(read_all(&log, &room()).await.entries.last(), all.last());
    assert_eq!(file.get::<i64>(DIFFERENT), 0);
}

#[derive(Clone, Debug)]
enum Step {
    Append(u8, usize),
    Insert(u8, usize),
    RollBack(u8),
    Delete(u8),
    DeleteTopic(u8),
    NewEpoch,
    MaxEvents(usize),
    MaxBytes(usize),
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let (room, length) = (0..3_u8, 8..300_usize);
    prop_oneof![
        8 => (room.clone(), length.clone()).prop_map(|(room, length)| Step::Append(room, length)),
        4 => (room.clone(), length.clone()).prop_map(|(room, length)| Step::Insert(room, length)),
        1 => room.clone().prop_map(Step::RollBack),
        2 => room.clone().prop_map(Step::Delete),
        1 => room.prop_map(Step::DeleteTopic),
        1 => Just(Step::NewEpoch),
        1 => (1..10_usize).prop_map(Step::MaxEvents),
        1 => (1..2000_usize).prop_map(Step::MaxBytes),
        1 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_count_of_bytes_stays_right(steps in prop::collection::vec(step(), 60)) {
        runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
            let file = LogFile::new();
            let mut log = file.open();
            let connection = file.connect();
            let name = |room: u8| format!("room {room}");
            let run = |sql: String| _ = connection.execute_batch(&sql);
            for step in steps {
                match step {
                    Step::Append(room, length) => _ = append(&log, &topic(&name(room)), &of_length(length)).await,
                    Step::Insert(room, length) => _ = insert(&connection, &name(room), &"x".repeat(length)).unwrap(),
                    Step::RollBack(room) => run(format!(
                        "BEGIN IMMEDIATE; INSERT INTO eventwire_append (topic, data) VALUES ('{}', 'x'); ROLLBACK",
                        name(room),
                    )),
                    Step::Delete(room) => run(format!(
                        "DELETE FROM eventwire_entries WHERE number % 3 = 1
                         AND topic = (SELECT id FROM eventwire_topics WHERE name = '{}')",
                        name(room),
                    )),
                    Step::DeleteTopic(room) => run(format!("DELETE FROM eventwire_topics WHERE name = '{}'", name(room))),
                    Step::NewEpoch => log.new_epoch().await.unwrap(),
                    Step::MaxEvents(most) => log = log.with_max_events(most),
                    Step::MaxBytes(most) => log = log.with_max_bytes(most),
                    Step::Reopen => {
                        drop(log);
                        log = file.open();
                    }
                }
                assert_eq!(file.get::<i64>(DIFFERENT), 0, "after {step:?}");
                let without = "SELECT count(*) FROM eventwire_entries WHERE topic NOT IN (SELECT id FROM eventwire_topics)";
                assert_eq!(file.get::<i64>(without), 0, "after {step:?}");
            }
        });
    }
}
