//! What a process with a hub does. Each connection asks for one thing, with one line:
//!
//! * `read live t0`, `read earliest t0,t1`, `read ID t0,t1`: the stream of these topics. Comments say how it ends.
//! * `send t0 NUMBER PADDING`, `once t0 NUMBER PADDING`: sends an event, the second time with its number as the key.
//! * `end t0`: ends the topic.
//!
//! The answer to the others is a comment.

use crate::{
    hubs::{Log, Process, RESYNC},
    item::event,
};
use bytes::Bytes;
use eventwire::{Encoded, Outgoing};
use eventwire_hub::{History, Hub, HubError, Resume, StreamPosition, Topic};
use eventwire_postgres::PostgresLog;
use eventwire_redis::RedisLog;
use eventwire_sqlite::{Durability, SqliteLog};
use futures_util::{StreamExt, stream::BoxStream};
use std::{
    env,
    io::{self, Read},
    thread,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{UnixListener, UnixStream},
    runtime::Builder,
    sync::oneshot,
};

/// How long to try to open a log. A file may be locked, or its disk full.
const PATIENCE: Duration = Duration::from_secs(20);

/// Other tests start it, in a process of its own.
#[test]
#[ignore = "it is no test"]
fn hub() {
    let Ok(log) = env::var(Log::VARIABLE) else { return };
    let Log { address, max_events } = Log::from_text(&log);
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    match address.split_once(':').expect("a log has a kind") {
        ("redis", _) => {
            let log = RedisLog::open(&address).unwrap().with_max_events(max_events);
            runtime.block_on(serve(log, eventwire_redis::Error::may_be_stored));
        }
        ("postgres", _) => {
            let log = PostgresLog::open(&address).unwrap().with_max_events(max_events);
            runtime.block_on(serve(log, eventwire_postgres::Error::may_be_stored));
        }
        (durability, file) => {
            let durability = if durability == "normal" { Durability::Normal } else { Durability::Full };
            let log = open(file).with_durability(durability).with_max_events(max_events);
            runtime.block_on(serve(log, eventwire_sqlite::Error::may_be_stored));
        }
    }
    // The log is closed when the last reader's task is dropped.
    drop(runtime);
}

/// Opens a file as soon as it can be opened, as a program does that is started again and again.
fn open(file: &str) -> SqliteLog {
    let begun = Instant::now();
    loop {
        match SqliteLog::open(file) {
            Ok(log) => return log,
            Err(error) => assert!(begun.elapsed() < PATIENCE, "{error}"),
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Serves until the process that has started this one closes its standard input, or ends itself.
async fn serve<L: eventwire_hub::Log>(log: L, may_be_stored: fn(&L::Error) -> bool) {
    let (end, mut ended) = oneshot::channel();
    thread::spawn(move || {
        let _ = io::stdin().read_to_end(&mut Vec::new());
        let _ = end.send(());
    });
    // A short history, so that many readers need pages of the log.
    let hub = Hub::new(log).with_history(History::new().with_max_events(24));
    let hub = hub.with_resync(RESYNC).with_idle(Duration::from_millis(200));
    let listener = UnixListener::bind(env::var_os(Process::SOCKET).unwrap()).unwrap();
    // The test's own output has begun a line.
    println!("\n{}", Process::READY);
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let (client, _) = accepted.unwrap();
                let hub = hub.clone();
                tokio::spawn(async move {
                    // An error means that the client has left.
                    let _ = answer(hub, client, may_be_stored).await;
                });
            }
            _ = &mut ended => return,
        }
    }
}

async fn answer<L: eventwire_hub::Log>(
    hub: Hub<L>,
    client: UnixStream,
    may_be_stored: fn(&L::Error) -> bool,
) -> io::Result<()> {
    let (client, mut answer) = client.into_split();
    let mut client = BufReader::new(client);
    let mut line = String::new();
    client.read_line(&mut line).await?;
    let words: Vec<_> = line.split_whitespace().collect();
    let number = |word: &str| word.parse().expect("a number");
    let topic = |name: &str| Topic::new(name).unwrap();
    let outcome = |result: Result<StreamPosition, HubError<L::Error>>| match result {
        Ok(at) => format!(": accepted {at}\n\n"),
        Err(HubError::Finished) => ": refused, the topic has ended\n\n".to_owned(),
        Err(HubError::Log(error)) if !may_be_stored(&error) => format!(": refused, {error}\n\n"),
        Err(error) => format!(": unknown, {error}\n\n"),
    };
    let text = match words[..] {
        ["read", resume, topics] => {
            let resume = match resume {
                "live" => Resume::Live,
                "earliest" => Resume::Earliest,
                id => Resume::After(id.as_bytes().to_vec().into()),
            };
            let topics: Vec<_> = topics.split(',').map(topic).collect();
            let blocks: Result<BoxStream<'_, Bytes>, _> = match &topics[..] {
                [topic] => hub.subscribe(topic, resume).await.map(|reader| reader.map(Encoded::into_bytes).boxed()),
                _ => {
                    let merged = hub.subscribe_merged(&topics, resume).await;
                    merged.map(|merged| merged.map(Outgoing::into_bytes).boxed())
                }
            };
            match blocks {
                Ok(mut blocks) => loop {
                    let block = tokio::select! {
                        block = blocks.next() => block,
                        // It sends nothing more, so it has left.
                        _ = client.read_u8() => return Ok(()),
                    };
                    match block {
                        Some(block) => answer.write_all(&block).await?,
                        None => break ": ended\n\n".to_owned(),
                    }
                },
                Err(HubError::UpToDate) => ": up to date\n\n".to_owned(),
                Err(error) => format!(": not admitted, {error}\n\n"),
            }
        }
        ["send", name, event_number, padding] => {
            outcome(hub.send(&topic(name), &event(number(event_number), number(padding) as usize)).await)
        }
        ["once", name, event_number, padding] => {
            let event = event(number(event_number), number(padding) as usize);
            outcome(hub.send_once(&topic(name), event_number, &event).await)
        }
        ["end", name] => match hub.finish(&topic(name)).await {
            Ok(()) => ": ended\n\n".to_owned(),
            Err(error) => format!(": {error}\n\n"),
        },
        _ => panic!("cannot understand {line:?}"),
    };
    answer.write_all(text.as_bytes()).await
}
