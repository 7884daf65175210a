//! Postgres, and what goes wrong with it.

use crate::{
    PATIENCE,
    engine::Engine,
    fault::{ALL_KEPT, Fault, LOST, Profile, USUAL, small_disk},
    hubs::{Log, topic},
    ledger::{Gaps, Rules},
    other_program::Database,
    run::Run,
};
use eventwire_hub::{StreamPosition, Topic};
use eventwire_log_tests::{
    PostgresServer, SmallDisk, TempFolder,
    postgres_server::{own, program, run, try_sql},
    proxy::{Cut, Gate, Proxy},
};
use std::{
    mem,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};
use tokio::runtime::Handle;

/// A server, and a standby if the run needs one.
#[derive(Debug)]
pub(crate) struct Postgres {
    master: PostgresServer,
    standby: Option<Standby>,
    /// Where the database is, if its disk can be full.
    disk: Option<(SmallDisk, TempFolder)>,
}

#[derive(Debug)]
struct Standby {
    server: PostgresServer,
    /// Between it and its master.
    link: Proxy,
}

/// Where hubs have their tables. It can be dropped, unlike the one that psql is connected to then.
const DATABASE: &str = "events";

impl Postgres {
    /// Carries out statements in the database of the hubs.
    fn sql(&self, statements: &str) -> String {
        try_sql(&self.master.url_of(DATABASE), statements).unwrap_or_else(|error| panic!("{statements}: {error}"))
    }

    /// Copies the master, and waits until the copy is up to date.
    fn start_standby(&mut self, runtime: &Handle) {
        let link = runtime.block_on(Proxy::start(self.master.port()));
        let source = format!("primary_conninfo=host=127.0.0.1 port={} user=postgres", link.port());
        let server = self.master.start_standby(&["-c", &source]);
        let is_up_to_date = "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'";
        let started = Instant::now();
        while self.sql(is_up_to_date) != "1" {
            assert!(started.elapsed() < PATIENCE, "the standby does not connect");
            thread::sleep(Duration::from_millis(10));
        }
        self.standby = Some(Standby { server, link });
    }
}

impl Engine for Postgres {
    const PROFILES: &'static [Profile] = PROFILES;

    // After a later epoch than its own it finds nothing, because it may have lost it.
    const STRANGE: StreamPosition = StreamPosition::new(1, 5);

    fn start(profile: &Profile, runtime: &Handle) -> Option<Postgres> {
        let disk = if profile.has(Fault::FullDisk) {
            let folder = TempFolder::new();
            Some((small_disk(profile, folder.path())?, folder))
        } else {
            None
        };
        let master = PostgresServer::start(&[])?;
        master.sql(&match &disk {
            Some((_, folder)) => {
                own(folder.path());
                let place = folder.path().display();
                format!("CREATE TABLESPACE small LOCATION '{place}'; CREATE DATABASE {DATABASE} TABLESPACE small;")
            }
            None => format!("CREATE DATABASE {DATABASE};"),
        });
        let mut engine = Postgres { master, standby: None, disk };
        if profile.has(Fault::Promote) {
            engine.start_standby(runtime);
        }
        Some(engine)
    }

    fn port(&self) -> Option<u16> {
        Some(self.master.port())
    }

    fn address(&self, port: Option<u16>) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{DATABASE}", port.unwrap())
    }

    fn remove_topics(run: &mut Run<Postgres>, numbers: &[usize]) {
        run.lose(numbers.iter().copied());
        let names: Vec<_> = numbers.iter().map(|number| format!("'{}'", topic(*number))).collect();
        run.engine.sql(&format!("DELETE FROM eventwire_topics WHERE name IN ({});", names.join(", ")));
    }

    fn happen(run: &mut Run<Postgres>, fault: Fault, second: Option<Fault>) -> bool {
        match fault {
            Fault::KillServer => {
                if run.random.in_100(80) {
                    run.engine.master.kill();
                } else {
                    run.engine.master.stop();
                }
                run.meanwhile(second);
                run.engine.master.start_again();
            }
            Fault::TerminateBackends => {
                run.engine.sql(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                     WHERE datname = current_database() AND pid <> pg_backend_pid();",
                );
                run.meanwhile(second);
            }
            Fault::Promote => run.promote(second),
            Fault::Restore => run.restore(second),
            Fault::OtherProgram => run.let_other_program_append(second),
            Fault::HoldLock => run.hold_lock(second),
            Fault::FullDisk => {
                run.disk().fill();
                let number = run.random.below(run.profile.topics);
                let refused = run.burst(number, 50, 10_000);
                run.meanwhile(second);
                run.disk().free();
                return refused > 0;
            }
            _ => unreachable!("{fault:?} is not one of Postgres"),
        }
        true
    }
}

impl Database for Postgres {
    const BEGIN: &'static str = "BEGIN;";

    fn program(&self) -> Child {
        let mut psql = program("psql");
        psql.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1"]);
        psql.args(["--dbname", &self.master.url_of(DATABASE), "--file=-"]);
        psql.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn append(topic: &Topic, data: &str, key: u64) -> String {
        format!("SELECT eventwire_append('{topic}', NULL, '{data}', '{key}');\n")
    }
}

impl Run<Postgres> {
    fn disk(&self) -> &SmallDisk {
        &self.engine.disk.as_ref().unwrap().0
    }

    /// The standby becomes the master, without what it has not got.
    fn promote(&mut self, second: Option<Fault>) {
        let standby = self.engine.standby.take().unwrap();
        if self.random.in_100(80) {
            standby.link.set(Gate::Stalled);
        }
        self.rest(20..300);
        self.engine.master.kill();
        self.lose_all();
        standby.server.sql("SELECT pg_promote();");
        self.rest(5..100);
        // The old master is gone.
        drop(mem::replace(&mut self.engine.master, standby.server));
        for proxy in &self.proxies {
            proxy.connect_to(self.engine.master.port());
            proxy.cut(Cut::Reset);
        }
        let address = self.engine.address(self.engine.port());
        self.shared.hubs.direct_to(Log { address, max_events: self.profile.max_events });
        self.meanwhile(second);
        self.engine.start_standby(&self.runtime.handle().clone());
    }

    /// A dump takes the place of the database, while hubs are connected.
    fn restore(&mut self, second: Option<Fault>) {
        let server = &self.engine.master;
        let dump = server.folder().join("dump");
        run(program("pg_dump").arg("--file").arg(&dump).arg(server.url_of(DATABASE)));
        server.sql("CREATE DATABASE restored;");
        // Programs go on to append.
        run(program("psql")
            .args(["--quiet", "--set=ON_ERROR_STOP=1", "--file"])
            .arg(&dump)
            .arg(server.url_of("restored")));
        self.rest(0..300);
        let server = &self.engine.master;
        self.lose_all();
        server.sql(&format!("DROP DATABASE {DATABASE} WITH (FORCE);"));
        self.meanwhile(second);
        self.engine.master.sql(&format!("ALTER DATABASE restored RENAME TO {DATABASE};"));
    }
}

const PROFILES: &[Profile] = &[
    Profile {
        name: "connections",
        faults: &[
            Fault::KillHub,
            Fault::Reset,
            Fault::HalfClose,
            Fault::Stall,
            Fault::StallWakes,
            Fault::Delay,
            Fault::CutInsideReply,
            Fault::RefuseConnections,
            Fault::Silence,
            Fault::TerminateBackends,
        ],
        ..USUAL
    },
    Profile {
        name: "killed",
        faults: &[Fault::KillServer, Fault::KillServer, Fault::KillAll, Fault::KillHub, Fault::CutInsideReply],
        ..USUAL
    },
    Profile {
        name: "a standby",
        faults: &[Fault::Promote, Fault::Promote, Fault::CutInsideReply, Fault::KillHub],
        rules: LOST,
        ..USUAL
    },
    Profile {
        name: "a restored dump",
        faults: &[Fault::Restore, Fault::Restore, Fault::Reset, Fault::KillHub],
        rules: LOST,
        ..USUAL
    },
    Profile {
        name: "other programs",
        faults: &[Fault::OtherProgram, Fault::OtherProgram, Fault::HoldLock, Fault::Reset, Fault::KillHub],
        ..USUAL
    },
    Profile { name: "a full disk", faults: &[Fault::FullDisk, Fault::FullDisk, Fault::KillHub], ..USUAL },
    Profile {
        name: "16 events",
        faults: &[Fault::Trim, Fault::Trim, Fault::TerminateBackends, Fault::KillServer],
        rules: Rules { gaps: Gaps::Anywhere, ..ALL_KEPT },
        max_events: 16,
        ..USUAL
    },
    Profile {
        name: "topics that come and go",
        faults: &[Fault::ComeAndGo, Fault::GoOn, Fault::RemoveTopic, Fault::CutInsideReply],
        rules: LOST,
        ..USUAL
    },
];
