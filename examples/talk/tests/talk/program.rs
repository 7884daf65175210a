//! Tests of the program, run like a user runs it.

use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use eventwire_test_support::{End, Process, Script, serve};
use serde_json::{Value, json};
use talk::Sound;

use crate::page;
use crate::talking::{DONE, Owned, STREAM, event, get, hear, post};

const PROGRAM: &str = env!("CARGO_BIN_EXE_talk");
const WORDS: &str = "This is the first sentence of two. And this is the second and last.";

/// A path that does not exist yet. It is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NUMBERS: AtomicU32 = AtomicU32::new(1);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        Folder(std::env::temp_dir().join(format!("talk-saved-{}-{number}", std::process::id())))
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    /// Returns the names of the files.
    #[track_caller]
    fn files(&self) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[track_caller]
    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn run(args: &[&str]) -> End {
    Process::start(PROGRAM, args, &[]).end()
}

/// The test passes with and without espeak-ng.
#[test]
fn the_demo_shows_all_kinds_of_parts() {
    for (environment, err) in [
        (&[][..], None),
        (&[("PATH", "/nonexistent")], Some("talk: espeak-ng is not installed; using tones instead\n")),
    ] {
        let end = Process::start(PROGRAM, &["--demo"], environment).end();
        assert_eq!(end.code, Some(0), "{end:?}");
        if let Some(err) = err {
            assert_eq!(end.err, err);
        }
        let (text, rest) = end.out.split_once('\n').unwrap();
        assert!(text.starts_with("Good morning!") && text.ends_with("the weather."), "{end:?}");
        let mut lines: Vec<&str> = rest.lines().collect();
        lines.retain(|line| !line.starts_with("[a drawing of "));
        assert_eq!((rest.lines().count() - lines.len(), lines.len()), (4, 4), "{end:?}");
        let sounds = lines.iter().filter(|line| line.starts_with("[sentence ") && line.ends_with(" s of sound]"));
        assert_eq!(sounds.count(), 3, "{end:?}");
        assert!(lines.iter().any(|line| line.starts_with("[{\"tool_calls\":[{\"id\":\"call-")), "{end:?}");
    }
}

#[test]
fn an_answer_is_saved() {
    let folder = Folder::new();
    run(&["--tones", "--save", folder.path(), WORDS]).printed(&format!("{WORDS}\n"));
    assert_eq!(folder.files(), ["001.wav", "002.wav", "drawing.svg"]);
    for name in ["001.wav", "002.wav"] {
        let sound = Sound::from_wav(&folder.read(name)).unwrap();
        assert!(sound.rate == 22_050 && sound.duration().as_secs() >= 1, "{:?}", sound.duration());
    }
    let drawing = String::from_utf8(folder.read("drawing.svg")).unwrap();
    // This is the last drawing.
    assert!(drawing.contains(">14 words, ") && drawing.contains(" s of sound<"), "{drawing}");
    assert!(drawing.contains("<rect ") && !drawing.contains(", 0.0 s"), "{drawing}");
    // Existing files are kept.
    run(&["--tones", "--save", folder.path(), "Hello"])
        .failed("", &["cannot save", folder.path(), "not empty", "--save"]);
    let file = folder.0.join("001.wav");
    run(&["--tones", "--save", file.to_str().unwrap(), "Hello"]).failed("", &["cannot save", "001.wav"]);
}

/// Starts a server, and returns the URL of its page.
#[track_caller]
fn start(args: &[&str]) -> (Process, String) {
    let mut server = Process::start(PROGRAM, args, &[]);
    let line = server.line();
    let url = line.strip_prefix("listening on ").and_then(|rest| rest.strip_suffix('\n')).expect(&line);
    let port = url.strip_prefix("http://127.0.0.1:").and_then(|rest| rest.strip_suffix('/')).expect(url);
    assert!(port.parse::<u16>().is_ok(), "{url}");
    (server, url.into())
}

#[tokio::test]
async fn the_page_and_its_model() {
    let folder = page::Folder::built();
    let (_server, url) = start(&["--listen", "127.0.0.1:0", "--tones", "--page", folder.path().to_str().unwrap()]);
    assert_eq!(get(&url).await.status(), 200);
    let asked = |tools| json!({ "messages": [{ "role": "user", "content": "Make the circle red" }], "tools": tools });
    let (heard, end) = hear(post(&format!("{url}talk"), asked(json!([{ "type": "function" }]))).await).await;
    end.unwrap();
    assert!(matches!(&heard[0], Owned::Text(1, text) if text.starts_with("All right")), "{heard:?}");
    let calls = heard.iter().find_map(|part| if let Owned::ToolCalls(calls) = part { Some(calls) } else { None });
    let function = &calls.expect("calls")["tool_calls"][0]["function"];
    let arguments: Value = serde_json::from_str(function["arguments"].as_str().unwrap()).unwrap();
    assert_eq!((&function["name"], arguments), (&json!("change_shape"), json!({ "shape": "circle", "colour": "red" })));
    let stream = post(&format!("{url}chat"), asked(json!([]))).await.text().await.unwrap();
    assert!(stream.contains(r#""content":"wrote: ""#) && stream.ends_with(DONE), "{stream}");
    assert!(!stream.contains("tool_calls"), "{stream}");
}

#[tokio::test]
async fn a_page_that_is_not_built_is_reported() {
    let folder = page::Folder::new();
    let (mut server, url) = start(&["--listen", "127.0.0.1:0", "--tones", "--page", folder.path().to_str().unwrap()]);
    let line = server.error_line();
    let expected = "talk: the page is not built yet; run `rustup target add wasm32-unknown-unknown` and `examples/browser/build`\n";
    assert_eq!(line, expected);
    assert_eq!(get(&url).await.status(), 503);
}

/// The address is fixed, so another program may be using it.
#[test]
fn without_arguments_it_serves() {
    let mut server = Process::start(PROGRAM, &[], &[("PATH", "/nonexistent")]);
    match server.line().as_str() {
        "" => server.end().failed("", &["\"127.0.0.1:8082\"", "in use", "--listen, such as 127.0.0.1:0"]),
        line => {
            assert_eq!(line, "listening on http://127.0.0.1:8082/\n");
            // The address is in use now.
            let end = run(&["--tones"]);
            end.failed("", &["\"127.0.0.1:8082\"", "in use", "--listen, such as 127.0.0.1:0"]);
        }
    }
}

#[test]
fn a_server_and_a_reader() {
    let model = Script::new(&[&format!("{STREAM}{}{DONE}", event("Yes,\u{1b} it is."))]);
    let args =
        ["--tones", "--listen", "127.0.0.1:0", "--base-url", &model.url, "--model", "any", "--api-key", "sesame"];
    let (_server, url) = start(&args);
    let url = &format!("{url}talk");
    let end = run(&["--url", url, "Is it?"]);
    assert_eq!((end.code, end.err.as_str()), (Some(0), ""));
    // Control characters do not reach the terminal.
    assert!(end.out.starts_with("Yes,\\u{1b} it is.\n[sentence 1: "), "{end:?}");
    let requests = model.requests();
    let [request] = &requests[..] else { panic!("{requests:?}") };
    assert_eq!(request.header("authorization"), ["Bearer sesame"]);
    assert!(request.body.contains("Is it?") && request.body.contains("\"any\""), "{}", request.body);
    // The model's script has no more answers.
    run(&["--url", url, "Is it?"]).failed("", &["talk: the server answered 502 Bad Gateway: "]);
}

#[test]
fn the_environment_names_the_model_s_server() {
    let model = Script::new(&[&format!("{STREAM}{}{DONE}", event("Yes."))]);
    let environment = [("OPENAI_BASE_URL", model.url.as_str()), ("OPENAI_API_KEY", "sesame")];
    let end = Process::start(PROGRAM, &["--model", "any", "--tones", "Is it?"], &environment).end();
    assert!(end.out.starts_with("Yes.\n"), "{end:?}");
    assert_eq!(model.requests()[0].header("authorization"), ["Bearer sesame"]);
}

/// The client chooses the file names, and the parts that have arrived are kept.
#[test]
fn an_answer_that_is_cut_off() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=b\r\n\r\n";
    let sound = "Content-Type: audio/wav\r\nContent-Disposition: attachment; filename=\"../../evil.wav\"\r\n\r\n";
    let body = format!(
        "--b\r\nContent-Type: text/plain\r\n\r\none \r\n--b\r\n{sound}first\r\n--b\r\nContent-Type: application/json\
         \r\n\r\n{{}}\r\n--b\r\nContent-Type: image/svg+xml\r\n\r\n<svg/>\r\n--b\r\nContent-Type: image/svg+xml\r\n\r\n\
         <svg></svg>\r\n--b\r\nContent-Type: text/plain\r\n\r\ntwo\r\n--b\r\n{sound}sec"
    );
    let url = serve(move |_, mut client| client.write_all(format!("{head}{body}").as_bytes()).unwrap());
    let folder = Folder::new();
    let end = run(&["--url", &url, "--save", folder.path(), "Hello"]);
    end.failed("one two\n", &["talk: the answer was cut off: ", "; ask again"]);
    assert_eq!(folder.files(), ["001.json", "001.wav", "drawing.svg"]);
    assert_eq!(folder.read("001.wav"), b"first");
    assert_eq!(folder.read("001.json"), b"{}");
    assert_eq!(folder.read("drawing.svg"), b"<svg></svg>");
    assert!(!Path::new("../../evil.wav").exists());
}

#[test]
fn servers_that_are_not_there() {
    run(&["--url", "http://talk.invalid/talk", "a"])
        .failed("", &["talk: cannot connect to http://talk.invalid/talk: ", "check the URL"]);
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = taken.local_addr().unwrap().to_string();
    run(&["--tones", "--listen", &address]).failed("", &[&address, "in use", "--listen"]);
    let url = serve(|_, mut client| client.write_all(b"HTTP/1.1 200 OK\r\n\r\nhello").unwrap());
    run(&["--url", &url, "a"]).failed("", &["cannot be read: ", "not multipart", "check that the URL"]);
}

#[test]
fn help_is_no_error() {
    for flag in ["--help", "-h"] {
        let end = run(&[flag]);
        assert_eq!((end.code, end.err.as_str()), (Some(0), ""));
        for word in [
            "Usage: talk",
            "--demo",
            "--page",
            "--host",
            "127.0.0.1:8082",
            "--url",
            "--save",
            "--listen",
            "--base-url",
            "--tones",
            "Exit codes",
        ] {
            assert!(end.out.contains(word), "{}", end.out);
        }
        let too_long = end.out.lines().find(|line| line.chars().count() > 80);
        assert_eq!(too_long, None);
    }
}

#[test]
fn a_mistake_on_the_command_line() {
    let fails = |args: &[&str], said: &[&str]| {
        let end = run(args);
        assert!(end.err.starts_with("talk: "), "{:?}", end.err);
        end.failed("", said);
    };
    fails(&["--nonsense"], &["--nonsense", "--help"]);
    fails(&["--non\nsense"], &["--non\\nsense", "--help"]);
    fails(&["one", "two"], &["\"two\"", "--help"]);
    fails(&["--save", "x"], &["no words to ask", "--help"]);
    fails(&["--url", "http://127.0.0.1:1/talk"], &["no words to ask"]);
    fails(&["--url", "ftp://127.0.0.1", "a"], &["\"ftp://127.0.0.1\" is not the URL", "http://host:port/talk"]);
    fails(&["--url", "http://127.0.0.1:1/talk", "--tones", "a"], &["--tones", "--url"]);
    fails(&["--url", "http://127.0.0.1:1/talk", "--listen", "127.0.0.1:0", "a"], &["--listen", "leave out --url"]);
    fails(&["--listen", "127.0.0.1:0", "a"], &["--listen", "leave out \"a\""]);
    fails(&["--page", "x", "a"], &["--page starts a server", "leave out \"a\""]);
    fails(&["--listen", "127.0.0.1:0", "--save", "x"], &["does not ask or save", "leave out --save"]);
    fails(&["--listen", "127.0.0.1:0", "--demo"], &["leave out --demo"]);
    fails(&["--demo", "a"], &["leave out the words"]);
    fails(&["--demo", "--url", "http://127.0.0.1:1/talk"], &["leave out --url"]);
    fails(&["--demo", "--base-url", "http://127.0.0.1:1/v1", "--model", "any"], &["leave out --base-url"]);
    fails(&["--host", "a", "--demo"], &["--host starts a server", "leave out --demo"]);
    fails(&["--page"], &["--page", "--help"]);
    fails(&["--model", "any", "a"], &["\"any\"", "--base-url"]);
    fails(&["--base-url", "http://127.0.0.1:1/v1", "a"], &["--model"]);
    fails(
        &["--base-url", "elsewhere", "--model", "any", "a"],
        &["\"elsewhere\" is not a base URL", "http://host:port/v1"],
    );
    fails(&["--listen"], &["--listen", "--help"]);
    fails(&["--tones", "--listen", "nowhere"], &["\"nowhere\"", "--listen"]);
}
