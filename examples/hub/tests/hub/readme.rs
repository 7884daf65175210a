//! The commands of the README, and what it says about them.

use std::{
    io::{Write, stderr},
    process::Command,
};

use eventwire_log_tests::TempFolder;
use eventwire_test_support::Process;

use crate::client::{Hub, PROGRAM};

const README: &str = include_str!("../../README.md");

/// Returns the contents of the blocks of this language.
fn blocks(language: &str) -> impl Iterator<Item = &'static str> {
    README.split("```").skip(1).step_by(2).filter_map(move |block| block.strip_prefix(language)?.strip_prefix('\n'))
}

/// Epochs differ from run to run.
fn without_epoch(line: &str) -> String {
    match line.strip_prefix("id: ").and_then(|id| id.split_once('-')) {
        Some((_, number)) => format!("id: {number}"),
        None => line.trim_end().to_owned(),
    }
}

#[test]
fn its_commands_do_what_it_says() {
    if Command::new("curl").arg("--version").output().is_err() {
        let _ = writeln!(stderr(), "SKIPPED: curl is not installed");
        return;
    }
    let folder = TempFolder::new();
    let file = folder.path().join("events.db");
    let run = |command: &str| Process::start("sh", &["-c", &format!("exec {command}")], &[]);
    let start = |command: &str| {
        // Of two options, the last one counts.
        let command = command.replace("127.0.0.1:3001", "127.0.0.1:0");
        let command = command.replace("cargo run -p hub --", &format!("{PROGRAM} --listen 127.0.0.1:0"));
        Hub::of(run(&command.replace("events.db", file.to_str().unwrap())))
    };
    let curl = |command: &str, hub: &Hub| run(&command.replace("localhost:3000", &hub.address));

    let commands: Vec<_> = blocks("sh").flat_map(str::lines).collect();
    let [first, follow, hello, knock, again, resume, several, end, second] = commands[..] else {
        panic!("other commands: {commands:?}")
    };
    let shown: Vec<_> = blocks("text").flat_map(str::lines).map(without_epoch).collect();
    let (opening, events) = shown.split_at(3);
    let next = |reader: &mut Process, lines: &[String]| {
        let got: Vec<_> = lines.iter().map(|_| without_epoch(reader.line().trim_end())).collect();
        assert_eq!(got, lines);
    };

    let hub = start(first);
    let mut reader = curl(follow, &hub);
    next(&mut reader, opening);
    let one = curl(hello, &hub).end().out;
    let two = curl(knock, &hub).end().out;
    assert_eq!(curl(again, &hub).end().out, two);
    next(&mut reader, events);

    hub.signal("-KILL");
    let (hub, other) = (start(first), start(second));
    let resume = resume.replace("0640f65a0b6fd1c9-1", &one);
    for hub in [&hub, &other] {
        let mut reader = curl(&resume, hub);
        assert_eq!([(); 3].map(|()| reader.line()), [format!("id: {one}\n"), "retry: 3000\n".into(), "\n".into()]);
        next(&mut reader, &events[3..]);
    }

    let mut merged = curl(several, &hub);
    assert!(merged.line().starts_with("id: room-7="));
    assert_eq!(curl(end, &hub).end().out, "");
    // Who has everything is told not to return.
    let ended = resume.replace(&one, &two).replace("-N", "-sw '%{http_code}'");
    assert_eq!(curl(&ended, &hub).end().out, "204");
}
