//! The file: what must not be lost, and what happens if it cannot be written.

use std::fs;
use std::path::Path;

use eventwire_test::{End, Script, TestServer};
use eventwire_test_support::Process;

use crate::record::{PROGRAM, Recording, new_file, start};

/// Starts a server that sends one event to each client.
fn server() -> TestServer {
    TestServer::new().answer_with(|_| Script::new().send("data: 1\n\n"))
}

#[test]
fn an_existing_file_is_replaced_only_with_force() {
    let file = new_file("exists");
    let precious = "precious".repeat(1000);
    fs::write(&file, &precious).unwrap();
    let server = server();
    start(&[], &server.url(), &file).end().failed("", &["exists.jsonl\" exists; choose another file", "--force"]);
    assert_eq!((fs::read_to_string(&file).unwrap(), server.requests().len()), (precious.clone(), 0));

    // It stays as long as there is nothing in its place.
    let end = start(&["--force"], "http://127.0.0.1:1/", &file).end();
    end.failed("", &["error sending request"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), precious);

    start(&["--force"], &server.url(), &file).end().printed("message 1\n");
    assert_eq!(Recording::read(&file).chunks(), [b"data: 1\n\n"]);

    // Of an empty file nothing is lost. An attempt without an answer leaves one.
    let file = new_file("empty");
    let end = start(&[], "http://127.0.0.1:1/", &file).end();
    end.failed("", &["error sending request"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "");
    start(&[], &server.url(), &file).end().printed("message 1\n");
    assert_eq!(Recording::read(&file).chunks(), [b"data: 1\n\n"]);
}

#[test]
fn a_file_that_cannot_be_opened() {
    let server = server();
    let file = new_file("no-folder");
    fs::write(&file, "").unwrap();
    for path in [Path::new("no/such/folder/file"), Path::new(env!("CARGO_TARGET_TMPDIR")), &file.join("x")] {
        start(&[], &server.url(), path).end().failed("", &[&format!("cannot write {path:?}: "), "choose another file"]);
    }
    // Where a user other than root cannot write.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("record-read-only");
        let _ = fs::create_dir(&folder);
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
        if fs::write(folder.join("probe"), "").is_err() {
            start(&[], &server.url(), &folder.join("x")).end().failed("", &["cannot write", "ermission denied"]);
        }
    }
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn mistakes_on_the_command_line() {
    for (args, said) in [
        (&["http://localhost:1/"][..], &["--output <FILE>", "--help"][..]),
        (&["-o", "file"], &["<URL>", "--help"]),
        (&["-o", "-", "http://localhost:1/"], &["the events go to standard output; write -o FILE"]),
        (&["-o", "file", "-"], &["record is for a URL"]),
        (&["-o", "file", "no/such/file"], &["record is for a URL"]),
    ] {
        Process::start(PROGRAM, &[&["record"], args].concat(), &[]).end().failed("", said);
    }
    assert!(!Path::new("file").exists());
}

#[test]
fn help() {
    let help = Process::start(PROGRAM, &["record", "--help"], &[]).end();
    help.printed(&help.out);
    assert!(help.out.starts_with("Writes ") && help.out.lines().all(|line| line.len() <= 80), "{}", help.out);
}

/// A limit of the size of a file fails like a full disk does: after a part of a line. The chunks are those of an event
/// that does not end, so nothing else would end the program.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let chunks = (0..20).map(|number| format!("data: {number} {}\n", "x".repeat(1000)));
    let large = TestServer::new().answer(chunks.fold(Script::new(), Script::send).with_end(End::Stall));
    let file = new_file("full");
    let command = "trap '' XFSZ; ulimit -f 8; exec \"$@\"";
    let record = [PROGRAM, "record", "--follow", "--select", "x", "-o", file.to_str().unwrap(), &large.url()];
    let end = Process::start("bash", &[&["-c", command, "bash"], &record[..]].concat(), &[]).end();
    let text = fs::read_to_string(&file).unwrap();
    assert!((7000..=8192).contains(&text.len()), "{}", text.len());
    let chunks = Recording::read(&file).chunks();
    assert_eq!(chunks.len(), 7);
    let bytes = chunks.concat().len();
    end.failed(
        "",
        &[
            "eventwire: cannot write \"",
            "full.jsonl\": File too large (os error 27); it ends after ",
            &format!(" after 1 answer, 7 chunks, {bytes} bytes\n"),
        ],
    );
    assert_eq!(Script::read(&file).unwrap().len(), 1);

    let server = server();
    let end = start(&["--follow"], &server.url(), Path::new("/dev/full")).end();
    end.failed("", &["cannot write \"/dev/full\": No space left on device", "0 answers, 0 chunks, 0 bytes"]);
    assert_eq!(server.requests().len(), 1);
}
