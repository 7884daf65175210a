//! Programs that append by SQL, in transactions of their own.

use crate::{engine::Engine, fault::Fault, hubs::topic, item::event, ledger::Outcome, run::Run};
use eventwire_hub::Topic;
use std::{
    io::{BufRead, BufReader, Read, Write},
    process::Child,
};

pub(crate) trait Database: Engine {
    /// Begins a transaction.
    const BEGIN: &'static str;

    /// Starts a program that carries out the statements on its standard input, until one fails.
    fn program(&self) -> Child;

    /// Returns statements that append an event, and print its position in one line.
    fn append(topic: &Topic, data: &str, key: u64) -> String;
}

/// How a transaction ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Commit,
    RollBack,
    /// The program is killed before it has said how it ends.
    KilledBefore,
    /// The program is killed at any time.
    Killed,
}

impl<E: Database> Run<E> {
    /// Several transactions of a few events.
    pub(crate) fn let_other_program_append(&mut self, second: Option<Fault>) {
        for _ in 0..1 + self.random.below(5) {
            let count = 1 + self.random.below(5);
            self.transaction(count, |_| {});
        }
        self.meanwhile(second);
    }

    /// A transaction that has appended an event, and takes its time.
    pub(crate) fn hold_lock(&mut self, second: Option<Fault>) {
        self.transaction(1, |run| {
            if run.random.in_100(5) {
                // Longer than a log waits.
                run.rest(5000..7000);
            }
            run.rest(100..1000);
            run.meanwhile(second);
        });
    }

    fn transaction(&mut self, count: usize, before_end: impl FnOnce(&mut Run<E>)) {
        let end =
            self.random.pick(&[End::Commit, End::Commit, End::Commit, End::RollBack, End::KilledBefore, End::Killed]);
        let mut program = self.engine.program();
        let (mut stdin, mut stdout) = (program.stdin.take().unwrap(), BufReader::new(program.stdout.take().unwrap()));
        writeln!(stdin, "{}", E::BEGIN).unwrap();
        let mut appended = Vec::new();
        for _ in 0..count {
            let number = self.random.below(self.profile.topics);
            let event_number = self.shared.ledger.begin(number, true);
            let event = event(event_number, self.profile.padding);
            stdin.write_all(E::append(&topic(number), event.data(), event_number).as_bytes()).unwrap();
            let mut line = String::new();
            stdout.read_line(&mut line).unwrap();
            let at = line.trim_end().parse().unwrap_or_else(|_| panic!("{line:?}: {}", errors(&mut program)));
            appended.push((number, event_number, at));
        }
        before_end(self);
        match end {
            End::Commit | End::Killed => stdin.write_all(b"COMMIT;\n").unwrap(),
            End::RollBack => stdin.write_all(b"ROLLBACK;\n").unwrap(),
            End::KilledBefore => {}
        }
        if matches!(end, End::KilledBefore | End::Killed) {
            self.rest(0..10);
            program.kill().unwrap();
        }
        drop(stdin);
        let status = program.wait().unwrap();
        assert!(status.success() || matches!(end, End::KilledBefore | End::Killed), "{}", errors(&mut program));
        for (number, event_number, at) in appended {
            let outcome = match end {
                End::Commit => Outcome::Accepted(at),
                End::RollBack | End::KilledBefore => Outcome::Refused,
                End::Killed => Outcome::Unknown,
            };
            self.note(number, event_number, outcome);
        }
    }
}

fn errors(program: &mut Child) -> String {
    let mut errors = String::new();
    program.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    errors
}
