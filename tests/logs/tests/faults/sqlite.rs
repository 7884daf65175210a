//! SQLite, and what goes wrong with it.

use crate::{
    engine::Engine,
    fault::{ALL_KEPT, Fault, LOST, Profile, USUAL},
    hubs::topic,
    item::event,
    ledger::{Gaps, Outcome, Rules},
    random::Random,
    run::Run,
};
use eventwire_hub::StreamPosition;
use eventwire_log_tests::TempFolder;
use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};
use tokio::runtime::Handle;

/// One file, which all hubs open.
#[derive(Debug)]
pub(crate) struct Sqlite {
    durability: &'static str,
    folder: TempFolder,
    /// Whether the folder is a small file system of its own.
    is_mounted: bool,
}

/// The ends of the names of the files of SQLite.
const FILES: [&str; 3] = ["", "-wal", "-shm"];

impl Sqlite {
    fn file(&self, end: &str) -> PathBuf {
        self.folder.path().join(format!("log.db{end}"))
    }

    /// Runs the program `sqlite3`.
    fn program(&self) -> Child {
        let mut command = Command::new("sqlite3");
        command.args(["-batch", "-bail", "-cmd", ".timeout 20000"]).arg(self.file(""));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
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

impl Drop for Sqlite {
    fn drop(&mut self) {
        if self.is_mounted {
            let _ = Command::new("umount").arg("--lazy").arg(self.folder.path()).status();
        }
    }
}

impl Engine for Sqlite {
    const PROFILES: &'static [Profile] = PROFILES;

    // After a later epoch than its own it finds nothing, because it may have lost it.
    const STRANGE: StreamPosition = StreamPosition::new(1, 5);

    fn start(profile: &Profile, _runtime: &Handle) -> Option<Sqlite> {
        let (durability, is_mounted) = (profile.options[0], profile.has(Fault::FullDisk));
        let mut engine = Sqlite { durability, folder: TempFolder::new(), is_mounted: false };
        let skip = |why: &str| _ = writeln!(io::stderr(), "SKIPPED {:?}: {why}", profile.name);
        if [Fault::OtherProgram, Fault::RemoveTopic].iter().any(|fault| profile.has(*fault))
            && Command::new("sqlite3").arg("-version").stdout(Stdio::null()).status().is_err()
        {
            skip("sqlite3 is not installed");
            return None;
        }
        if is_mounted {
            if !mount(engine.folder.path()) {
                skip("no right to mount a small disk");
                return None;
            }
            engine.is_mounted = true;
        }
        Some(engine)
    }

    fn port(&self) -> Option<u16> {
        None
    }

    fn address(&self, _port: Option<u16>) -> String {
        format!("{}:{}", self.durability, self.file("").display())
    }

    fn remove_topics(&self, numbers: &[usize], _random: &mut Random) {
        let names: Vec<_> = numbers.iter().map(|number| format!("'{}'", topic(*number))).collect();
        self.execute(&format!("DELETE FROM eventwire_topics WHERE name IN ({});", names.join(", ")));
    }

    fn happen(run: &mut Run<Sqlite>, fault: Fault, second: Option<Fault>) -> bool {
        match fault {
            Fault::OtherProgram => {
                for _ in 0..1 + run.random.below(5) {
                    run.run_program();
                }
                run.meanwhile(second);
            }
            Fault::HoldLock => {
                let mut program = run.engine.program();
                let mut stdin = program.stdin.take().unwrap();
                stdin.write_all(b"BEGIN IMMEDIATE;\n.shell echo locked\n").unwrap();
                let mut line = String::new();
                BufReader::new(program.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
                assert_eq!(line, "locked\n");
                if run.random.in_100(5) {
                    // Longer than a log waits.
                    run.rest(5000..7000);
                }
                run.rest(100..800);
                run.meanwhile(second);
                if run.random.in_100(50) {
                    program.kill().unwrap();
                }
                drop(stdin);
                program.wait().unwrap();
            }
            Fault::FullDisk => {
                let filler = run.engine.folder.path().join("filler");
                let mut file = File::create(&filler).unwrap();
                while file.write_all(&[0; 64 << 10]).is_ok() {}
                drop(file);
                let number = run.random.below(run.profile.topics);
                run.burst(number, 50, 10_000);
                run.meanwhile(second);
                fs::remove_file(filler).unwrap();
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

/// Mounts a file system of 32 MB in memory.
fn mount(folder: &Path) -> bool {
    let mut command = Command::new("mount");
    command.args(["-t", "tmpfs", "-o", "size=32m", "tmpfs"]).arg(folder).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
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

    /// Appends some events in one transaction of another program.
    fn run_program(&mut self) {
        let mut sql = "BEGIN IMMEDIATE;\n".to_owned();
        let count = 1 + self.random.below(5);
        let events: Vec<_> = (0..count).map(|_| self.random.below(self.profile.topics)).collect();
        let events = events.into_iter().map(|number| (number, self.shared.ledger.begin(number, true)));
        let events: Vec<(usize, u64)> = events.collect();
        for (number, event_number) in &events {
            let (topic, event) = (topic(*number), event(*event_number, self.profile.padding));
            let data = event.data();
            sql += &format!(
                "INSERT INTO eventwire_append (topic, type, data, key) VALUES ('{topic}', NULL, '{data}', '{event_number}');
                 SELECT printf('%016x-%d', epoch, number) FROM eventwire_topics WHERE name = '{topic}';\n"
            );
        }
        let (commits, is_killed) = (self.random.in_100(70), self.random.in_100(20));
        sql += if commits { "COMMIT;\n" } else { "ROLLBACK;\n" };
        let mut program = self.engine.program();
        program.stdin.take().unwrap().write_all(sql.as_bytes()).unwrap();
        if is_killed {
            self.rest(0..20);
            program.kill().unwrap();
        }
        let output = program.wait_with_output().unwrap();
        assert!(output.status.success() || is_killed, "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        let mut positions = text.lines();
        for (number, event_number) in events {
            let outcome = match positions.next() {
                _ if !commits => Outcome::Refused,
                Some(at) if output.status.success() => Outcome::Accepted(at.parse().unwrap()),
                _ => Outcome::Unknown,
            };
            self.note(number, event_number, outcome);
        }
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
