//! Mistakes on the command line, and files that are none.

use eventwire_test_support::Process;

use crate::CHAT;
use crate::server::{Server, file};

#[track_caller]
fn fails(args: &[&str], said: &[&str]) {
    let end = Process::start(env!("CARGO_BIN_EXE_eventwire"), &[&["serve"], args].concat(), &[]).end();
    assert!(end.err.starts_with("eventwire: "), "{args:?}: {:?}", end.err);
    end.failed("", said);
}

#[test]
fn options_that_are_wrong_or_contradict_each_other() {
    let chat = file("chat.sse", CHAT);
    for (options, said) in [
        (&["--retry-after", "2"][..], &["--retry-after is for an answer with a --status", "--help"][..]),
        (&["--retry-after", "2", "--html"], &["--retry-after is for an answer with a --status"]),
        (&["--times", "2"], &["--times is for the faults --cut-after", "--help"]),
        (&["--times", "2", "--pace", "none"], &["--times is for the faults"]),
        (&["--times", "0", "--html"], &["'0'", "--times", "write a whole number, from 1"]),
        (&["--times", "two", "--html"], &["'two'", "--times", "write a whole number, from 1"]),
        (&["--no-content-after", "x"], &["'x'", "--no-content-after", "write a whole number, from 0"]),
        (&["--seed", "+x"], &["'+x'", "--seed", "write a whole number, from 0"]),
        (&["--status", "503", "--retry-after", "1s"], &["'1s'", "--retry-after", "write a whole number, from 0"]),
        (&["--status", "503", "--cut-after", "1"], &["--status and --html replace the stream"]),
        (&["--html", "--end", "reset"], &["--status and --html replace the stream"]),
        (&["--html", "--garbage", "9"], &["--status and --html replace the stream"]),
        (&["--repeat", "--end", "reset"], &["--repeat has no --end; add --cut-after"]),
        (&["--status", "99"], &["'99'", "--status", "write a status from 200 to 999"]),
        (&["--status", "1000"], &["--status", "write a status from 200 to 999"]),
        (&["--status", "204", "--html"], &["204 or 304 has no body"]),
        (&["--html", "--status", "304"], &["204 or 304 has no body"]),
        (&["--html", "--chunk", "1"], &["--status and --html replace the stream, so --chunk,", "; add --times"]),
        (&["--status", "503", "--pace", "none"], &["replace the stream, so --chunk,", "; add --times"]),
        (&["--html", "--keep-alive", "1"], &["replace the stream, so --chunk,", "; add --times"]),
        (&["--html", "--repeat"], &["replace the stream, so --chunk,", "; add --times"]),
        (&["--html", "--resume", "skip"], &["replace the stream, so --chunk,", "; add --times"]),
        (&["--html", "--seed", "1"], &["replace the stream, so --chunk,", "; add --times"]),
        (
            &["--cors", "*", "--header", "access-Control-Allow-Origin: b"],
            &["--cors sends the headers Access-Control-Allow-"],
        ),
        (&["--chunk", "0"], &["'0'", "--chunk", "a number of bytes, from 1 to 1048576, or `random`"]),
        (&["--pace", "fast"], &["'fast'", "--pace", "`recorded`, `none`"]),
        (&["--cut-after", "3c"], &["'3c'", "--cut-after", "`3+5b`"]),
        (&["--end", "soon"], &["'soon'", "--end", "complete, close, reset, stall"]),
        (&["--resume", "no"], &["'no'", "--resume", "exact, ignore, repeat, skip"]),
        (&["--garbage", "0"], &["'0'", "--garbage", "write a whole number, from 1"]),
        (&["--keep-alive", "0"], &["'0'", "--keep-alive", "write seconds"]),
        (&["--keep-alive", "0.0001"], &["--keep-alive", "a millisecond"]),
        (&["--cors", "app.example.com"], &["--cors", "https://app.example.com"]),
        (&["--header", "no colon"], &["a --header has no colon"]),
        (&["--header", "a: b\r\nc: d"], &["the --header \"a\" is not valid"]),
        (&["--listen", "somewhere"], &["'somewhere'", "--listen", "0.0.0.0:8080"]),
        (&["--listen", "127.0.0.1:"], &["--listen"]),
        (&["--listen", ":80"], &["--listen"]),
        (&["--listen", "+80"], &["--listen"]),
        (&["--listen", "65536"], &["--listen"]),
        (&["--listen", "192.0.2.1:0"], &["cannot listen at 192.0.2.1, port 0: ", "an address of this machine"]),
        (&["other.sse"], &["more than one input", "a command (check, record or serve) before its options"]),
    ] {
        fails(&[&[chat.to_str().unwrap()], options].concat(), said);
    }
    fails(&[], &["<FILE|DIRECTORY>", "--help"]);
    // What is not quoted may be a key, but the commands are named.
    let end = Process::start(env!("CARGO_BIN_EXE_eventwire"), &["server", chat.to_str().unwrap()], &[]).end();
    end.failed("", &["a command (check, record or serve) before its options"]);
    fails(&["-"], &["standard input is not supported; give a file"]);
    fails(&["https://example.com/"], &["record it first: eventwire record URL -o FILE"]);
}

#[test]
fn a_port_that_is_in_use() {
    let server = Server::chat(&[]);
    let chat = file("chat.sse", CHAT);
    let port = server.address.port().to_string();
    fails(
        &[chat.to_str().unwrap(), "--listen", &port],
        &[
            &format!("cannot listen at 127.0.0.1, port {port}: "),
            "another program uses the port; choose one with --listen, which takes 0 for any port that is free",
        ],
    );
}

#[test]
fn a_file_that_cannot_be_served() {
    fails(&["no/such.sse"], &["cannot read \"no/such.sse\": ", "; check the path"]);
    for (text, said) in [
        ("{\"recording\":1}\n{\"response\":{\"status\":\"200\"}}\n", "bad.txt:2:27: invalid type: string \"200\""),
        ("{\"recording\":1}\n", "expected a response"),
        ("{}", "bad.txt:1:2: "),
    ] {
        fails(&[file("bad.txt", text).to_str().unwrap()], &[said]);
    }
    #[cfg(unix)]
    fails(&["/dev/null"], &["\"/dev/null\" is not a file, which can be read again for each connection"]);
}
