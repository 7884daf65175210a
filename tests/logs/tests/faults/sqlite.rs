//! SQLite, and what goes wrong with it.

use crate::{
    engine::Engine,
    fault::{ALL_KEPT, Fault, LOST, Profile, USUAL, skip, small_disk},
    hubs::topic,
    ledger::{Gaps, Rules},
    other_program::Database,
    run::Run,
};
use eventwire_hub::{StreamPosition, Topic};
use eventwire_log_tests::{SmallDisk, TempFolder};
use std::{
    fs::{self, File},
    io::{self, Write},
    path::PathBuf,
    process::{Child, Command, Stdio},
};
use tokio::runtime::Handle;

/// One file, which all hubs open.
#[derive(Debug)]
pub(crate) struct Sqlite {
    durability: &'static str,
    folder: TempFolder,
    /// What the folder is, if it can be full.
    disk: Option<SmallDisk>,
}

/// The ends of the names of the files of SQLite.
const FILES: [&str; 3] = ["", "-wal", "-shm"];

impl Sqlite {
    fn file(&self, end: &str) -> PathBuf {
        self.folder.path().join(format!("log.db{end}"))
    }

    fn execute(&self, sql: &str) {
        let mut program = self.program();
        program.stdin.take().unwrap().write_all(sql.as_bytes()).unwrap();
        let output = program.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }

    fn copy(&self) {
        for end in FILES {
            let copy = self.file(&format!(".copy{end}"));
            let _ = fs::remove_file(&copy);
            // If nobody has the file, there is only one.
            if self.file(end).exists() {
                fs::copy(self.file(end), copy).unwrap();
            }
        }
        fs::copy(self.file("-eventwire"), self.file(".copy-eventwire")).unwrap();
    }

    /// Lets the copy take the place of the file.
    fn put_back(&self, how: PutBack) {
        for end in ["-wal", "-shm"] {
            let _ = fs::remove_file(self.file(end));
        }
        match how {
            PutBack::Renamed => fs::rename(self.file(".copy"), self.file("")).unwrap(),
            PutBack::RenamedWithSidecar => {
                fs::rename(self.file(".copy"), self.file("")).unwrap();
                fs::rename(self.file(".copy-eventwire"), self.file("-eventwire")).unwrap();
            }
            PutBack::Removed => {
                fs::remove_file(self.file("")).unwrap();
                fs::copy(self.file(".copy"), self.file("")).unwrap();
            }
            PutBack::InPlace => {
                let mut file = File::options().write(true).truncate(true).open(self.file("")).unwrap();
                io::copy(&mut File::open(self.file(".copy")).unwrap(), &mut file).unwrap();
            }
        }
        for end in ["-wal", "-shm"] {
            let copy = self.file(&format!(".copy{end}"));
            if copy.exists() {
                fs::rename(copy, self.file(end)).unwrap();
            }
        }
    }
}

/// How a copy of a file takes its place.
#[derive(Clone, Copy, Debug)]
enum PutBack {
    /// It is renamed, so it is another file for the system.
    Renamed,
    /// Together with what the log has beside it, as when the folder is copied.
    RenamedWithSidecar,
    /// The file is removed first. The system may give the copy its number.
    Removed,
    /// It is written into the file.
    InPlace,
}

impl Engine for Sqlite {
    const PROFILES: &'static [Profile] = PROFILES;

    // After a later epoch than its own it finds nothing, because it may have lost it.
    const STRANGE: StreamPosition = StreamPosition::new(1, 5);

    fn start(profile: &Profile, _runtime: &Handle) -> Option<Sqlite> {
        let needs_program = [Fault::OtherProgram, Fault::RemoveTopic].iter().any(|fault| profile.has(*fault));
        if needs_program && Command::new("sqlite3").arg("-version").stdout(Stdio::null()).status().is_err() {
            skip(profile, "sqlite3 is not installed");
            return None;
        }
        let folder = TempFolder::new();
        let disk = if profile.has(Fault::FullDisk) { Some(small_disk(profile, folder.path())?) } else { None };
        Some(Sqlite { durability: profile.options[0], folder, disk })
    }

    fn port(&self) -> Option<u16> {
        None
    }

    fn address(&self, _port: Option<u16>) -> String {
        format!("{}:{}", self.durability, self.file("").display())
    }

    fn remove_topics(run: &mut Run<Sqlite>, numbers: &[usize]) {
        run.lose(numbers.iter().copied());
        let names: Vec<_> = numbers.iter().map(|number| format!("'{}'", topic(*number))).collect();
        run.engine.execute(&format!("DELETE FROM eventwire_topics WHERE name IN ({});", names.join(", ")));
    }

    fn happen(run: &mut Run<Sqlite>, fault: Fault, second: Option<Fault>) -> bool {
        match fault {
            Fault::OtherProgram => run.let_other_program_append(second),
            Fault::HoldLock => run.hold_lock(second),
            Fault::FullDisk => {
                run.engine.disk.as_ref().unwrap().fill();
                let number = run.random.below(run.profile.topics);
                let refused = run.burst(number, 50, 10_000);
                run.meanwhile(second);
                run.engine.disk.as_ref().unwrap().free();
                return refused > 0;
            }
            Fault::CopyFile => {
                let how = run.random.pick(&[PutBack::Renamed, PutBack::RenamedWithSidecar, PutBack::Removed]);
                run.restore(how, second);
            }
            Fault::RestoreInPlace => run.restore(PutBack::InPlace, second),
            _ => unreachable!("{fault:?} is not one of SQLite"),
        }
        true
    }
}

impl Database for Sqlite {
    const BEGIN: &'static str = "BEGIN IMMEDIATE;";

    fn program(&self) -> Child {
        // Otherwise its output arrives at its end.
        let mut command = Command::new("stdbuf");
        command.args(["-oL", "sqlite3", "-batch", "-bail", "-cmd", ".timeout 20000"]).arg(self.file(""));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn append(topic: &Topic, data: &str, key: u64) -> String {
        format!(
            "INSERT INTO eventwire_append (topic, type, data, key) VALUES ('{topic}', NULL, '{data}', '{key}');
             SELECT printf('%016x-%d', epoch, number) FROM eventwire_topics WHERE name = '{topic}';\n"
        )
    }
}

impl Run<Sqlite> {
    /// Copies the file while the hubs write, and later puts the copy in its place, while nobody has the file open.
    fn restore(&mut self, how: PutBack, second: Option<Fault>) {
        self.shared.hubs.freeze(|| self.engine.copy());
        self.rest(0..300);
        self.shared.hubs.kill_all();
        self.engine.put_back(how);
        self.meanwhile(second);
        self.shared.hubs.start_again();
    }
}

const PROFILES: &[Profile] = &[
    Profile { name: "killed", options: &["full"], faults: &[Fault::KillHub, Fault::KillHub, Fault::KillAll], ..USUAL },
    Profile {
        name: "killed, not synced",
        options: &["normal"],
        faults: &[Fault::KillHub, Fault::KillHub, Fault::KillAll],
        ..USUAL
    },
    Profile {
        name: "other programs",
        options: &["full"],
        faults: &[Fault::OtherProgram, Fault::OtherProgram, Fault::HoldLock, Fault::KillHub],
        ..USUAL
    },
    Profile {
        name: "copies",
        options: &["full"],
        faults: &[Fault::CopyFile, Fault::CopyFile, Fault::RestoreInPlace, Fault::KillHub],
        rules: LOST,
        ..USUAL
    },
    Profile {
        name: "copies, not synced",
        options: &["normal"],
        faults: &[Fault::CopyFile, Fault::RestoreInPlace],
        rules: LOST,
        ..USUAL
    },
    Profile {
        name: "a full disk",
        options: &["full"],
        faults: &[Fault::FullDisk, Fault::FullDisk, Fault::KillHub],
        ..USUAL
    },
    Profile {
        name: "16 events",
        options: &["full"],
        faults: &[Fault::Trim, Fault::Trim, Fault::KillHub, Fault::KillAll],
        rules: Rules { gaps: Gaps::Anywhere, ..ALL_KEPT },
        max_events: 16,
        ..USUAL
    },
    Profile {
        name: "topics that come and go",
        options: &["full"],
        faults: &[Fault::ComeAndGo, Fault::GoOn, Fault::RemoveTopic, Fault::KillHub],
        rules: LOST,
        ..USUAL
    },
];
