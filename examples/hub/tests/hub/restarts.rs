//! What a reader gets while the program is ended and started again.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::SeqCst},
        mpsc,
    },
    thread::{self, JoinHandle, sleep},
    time::Duration,
};

use eventwire_log_tests::{PostgresServer, RedisServer, TempFolder};
use eventwire_test_support::PATIENCE;

use crate::client::{Hub, read, send};

/// How often the program is ended, and how many events a reader gets before each.
const ROUNDS: usize = 5;
const EVENTS: usize = 30;

const PAUSE: Duration = Duration::from_millis(5);

/// Host and port of the program that runs now.
#[derive(Clone)]
struct Address(Arc<Mutex<String>>);

impl Address {
    fn of(hub: &Hub) -> Address {
        Address(Arc::new(Mutex::new(hub.address.clone())))
    }

    fn get(&self) -> String {
        self.0.lock().unwrap().clone()
    }

    fn set(&self, hub: &Hub) {
        self.0.lock().unwrap().clone_from(&hub.address);
    }
}

/// Sends the numbers from 1 on, each until it is accepted, and returns the last one.
fn write(address: Address, topic: String, stop: Arc<AtomicBool>) -> JoinHandle<usize> {
    thread::spawn(move || {
        for number in 1.. {
            let text = number.to_string();
            while !send(&address.get(), &topic, Some(&text), &text).is_ok_and(|answer| answer.status == 200) {
                sleep(PAUSE);
            }
            if stop.load(SeqCst) {
                return number;
            }
        }
        unreachable!("there is always another number")
    })
}

/// Reads, and returns with the last ID when a response ends. A number is `Some`, a gap event `None`.
fn follow(address: Address, topic: String) -> mpsc::Receiver<Option<usize>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let path = format!("/topics/{topic}");
        let mut id = String::new();
        loop {
            let Ok(answer) = read(&address.get(), &path, &id) else {
                sleep(PAUSE);
                continue;
            };
            for event in answer.events().map_while(Result::ok) {
                id = event.last_event_id().to_owned();
                let got = if event.event_type() == "gap" { None } else { Some(event.data().parse().unwrap()) };
                if sender.send(got).is_err() {
                    return;
                }
            }
        }
    });
    receiver
}

/// Ends the program in the middle of events, and starts it again. Returns what a reader got.
fn restart(log: &str, signal: &str) -> Vec<Option<usize>> {
    let mut hub = Hub::start(log);
    let (address, stop) = (Address::of(&hub), Arc::new(AtomicBool::new(false)));
    // With another signal, the keys are known already.
    let topic = format!("numbers{signal}");
    let reader = follow(address.clone(), topic.clone());
    let writer = write(address.clone(), topic, Arc::clone(&stop));
    let next = || reader.recv_timeout(PATIENCE).expect("an event arrives");
    let mut got = Vec::new();
    for _ in 0..ROUNDS {
        got.extend((0..EVENTS).map(|_| next()));
        hub.signal(signal);
        hub = {
            let _ = hub.process.end();
            Hub::start(log)
        };
        address.set(&hub);
    }
    stop.store(true, SeqCst);
    let last = writer.join().unwrap();
    while got.last() != Some(&Some(last)) {
        got.push(next());
    }
    got
}

/// Asserts that a reader got every number from its first one on, once and in order, and no gap event.
#[track_caller]
fn without_a_gap(log: &str) {
    for signal in ["-TERM", "-KILL"] {
        let got = restart(log, signal);
        let first = got[0].expect("no gap event");
        assert!(got.iter().copied().eq((first..first + got.len()).map(Some)), "{signal}: {got:?}");
    }
}

#[test]
fn no_gap_with_sqlite() {
    let folder = TempFolder::new();
    without_a_gap(folder.path().join("events.db").to_str().unwrap());
}

#[test]
fn no_gap_with_postgres() {
    let Some(mut server) = PostgresServer::start(&[]) else { return };
    without_a_gap(&server.url());
    // Unlike Redis, a restart of the server begins no epoch.
    for end in [PostgresServer::stop, PostgresServer::kill] {
        let hub = Hub::start(&server.url());
        let id = send(&hub.address, "a", None, "1").unwrap().text();
        end(&mut server);
        server.start_again();
        // With a key, because the connections to the server are gone, and then only this is repeated.
        assert_eq!(send(&hub.address, "a", Some(&id), "2").unwrap().status, 200);
        let mut reader = read(&hub.address, "/topics/a", &id).unwrap().events();
        assert_eq!(reader.next().unwrap().unwrap().data(), "2");
    }
}

#[test]
fn no_gap_with_redis() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    without_a_gap(&redis.url());
}

#[test]
fn one_gap_for_each_restart_in_memory() {
    for signal in ["-TERM", "-KILL"] {
        let got = restart("memory", signal);
        let runs: Vec<_> = got.split(Option::is_none).collect();
        assert_eq!(runs.len(), ROUNDS + 1, "{signal}: {got:?}");
        for run in runs {
            assert!(run.windows(2).all(|pair| pair[0].map(|number| number + 1) == pair[1]), "{signal}: {got:?}");
        }
    }
}

#[test]
fn two_programs_share_a_file() {
    let folder = TempFolder::new();
    let file = folder.path().join("events.db");
    let [one, two] = [(); 2].map(|()| Hub::start(file.to_str().unwrap()));
    let readers = [&one, &two].map(|hub| read(&hub.address, "/topics/a", "").unwrap().events());
    let mut sent = Vec::new();
    for number in 0..50 {
        let hub = if number % 3 == 0 { &one } else { &two };
        sent.push((send(&hub.address, "a", None, &number.to_string()).unwrap().text(), number.to_string()));
    }
    for reader in readers {
        let got = reader.take(50).map(Result::unwrap);
        assert!(got.map(|event| (event.last_event_id().to_owned(), event.data().to_owned())).eq(sent.clone()));
    }
    // A reader goes from one to the other.
    drop(one);
    let rest = read(&two.address, "/topics/a", &sent[39].0).unwrap().events();
    assert!(rest.take(10).map(|event| event.unwrap().data().to_owned()).eq((40..50).map(|number| number.to_string())));
}
