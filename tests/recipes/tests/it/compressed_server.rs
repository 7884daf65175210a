//! A compressed stream, read by our client, by curl and by Chromium: each event arrives before the next one is sent.

use crate::{patiently, serve_routes};
use axum::{
    Router,
    extract::{Path, Request},
    http::header::{ACCEPT_ENCODING, HeaderValue},
    middleware::map_request,
    response::Html,
    routing::{get, post},
};
use eventwire::Event;
use eventwire_hub::{Channel, History};
use eventwire_recipes::compressed_server::app;
use eventwire_reqwest::reqwest_0_12::RequestBuilderExt;
use eventwire_test_support::Process;
use std::{env, fs, io::Write, path::PathBuf};
use tokio::{sync::mpsc, task::spawn_blocking};

const CODINGS: [&str; 3] = ["gzip", "br", "zstd"];

/// The lengths of the events. One needs more than a buffer of the compressor, which is 4 KiB; more than 16 KiB of it
/// would wait in curl, if they are compressed with brotli, until there is more.
const EVENTS: [usize; 6] = [1, 100, 100, 10_000, 1, 1];

/// The data of an event: its index, and letters at random, which take more than half of their bits.
fn data(index: usize) -> String {
    let mut state = 1_u32;
    let letters = (0..EVENTS[index]).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'a' + (state >> 24) as u8 % 26)
    });
    format!("{index} {}", letters.collect::<String>())
}

fn client(coding: &str) -> reqwest_0_12::Client {
    let mut builder = reqwest_0_12::Client::builder().no_proxy();
    for (other, without) in [
        ("gzip", reqwest_0_12::ClientBuilder::no_gzip as fn(_) -> _),
        ("br", reqwest_0_12::ClientBuilder::no_brotli),
        ("zstd", reqwest_0_12::ClientBuilder::no_zstd),
    ] {
        if other != coding {
            builder = without(builder);
        }
    }
    builder.build().unwrap()
}

#[tokio::test]
async fn the_head_says_how_the_body_is_compressed() {
    let channel = Channel::new(History::new());
    let url = serve_routes(app(channel)).await + "/events";
    for (asked, coding) in [("gzip", Some("gzip")), ("br", Some("br")), ("zstd", Some("zstd")), ("identity", None)] {
        let request = client("none").get(&url).header(ACCEPT_ENCODING, asked);
        let response = patiently(request.send()).await.unwrap();
        let headers = response.headers();
        assert_eq!(headers.get("content-encoding").map(|value| value.to_str().unwrap()), coding);
        assert_eq!(headers["vary"], "accept-encoding");
        // For proxies: see the page.
        assert_eq!(headers["cache-control"], "no-cache, no-transform");
    }
}

#[tokio::test]
async fn our_client() {
    for coding in CODINGS {
        let channel = Channel::new(History::new());
        let url = serve_routes(app(channel.clone())).await + "/events";
        // Without a feature for it, the response would be refused.
        let mut events = patiently(client(coding).get(&url).open()).await.unwrap();
        for index in 0..EVENTS.len() {
            channel.send(&Event::new(data(index))).unwrap();
            assert_eq!(patiently(events.next()).await.unwrap().unwrap().data(), data(index), "{coding}");
        }
        channel.finish();
        assert!(patiently(events.next()).await.is_none());
    }
}

#[tokio::test]
async fn without_decompression_our_client_says_what_is_wrong() {
    let url = serve_routes(app(Channel::new(History::new()))).await + "/events";
    let request = client("none").get(&url).header(ACCEPT_ENCODING, "gzip");
    let error = patiently(request.open()).await.unwrap_err().to_string();
    assert!(error.contains("the body is still compressed with \"gzip\""), "{error}");
}

/// The test is skipped without the program, or if it cannot do what is needed.
fn skip(test: &str, why: &str) {
    assert!(std::env::var_os("CI").is_none(), "{test}: {why}");
    // `eprintln!` would be shown only if a test fails.
    let _ = writeln!(std::io::stderr(), "skipped: {test}: {why}");
}

#[tokio::test(flavor = "multi_thread")]
async fn curl() {
    for coding in CODINGS {
        let version = std::process::Command::new("curl").arg("--version").output();
        let known = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        let feature = match coding {
            "gzip" => "libz",
            "br" => "brotli",
            other => other,
        };
        if !known.split_whitespace().any(|word| word == feature) {
            skip(&format!("curl, {coding}"), "curl is not installed, or does not know it");
            continue;
        }
        let channel = Channel::new(History::new());
        let url = serve_routes(app(channel.clone())).await + "/events";
        let accept = format!("Accept-Encoding: {coding}");
        let reading = move || {
            let mut curl = Process::start("curl", &["-sN", "--compressed", "-H", &accept, &url], &[]);
            // The opening, after which the reader is there.
            assert!(curl.line().starts_with("id: "));
            assert_eq!(curl.line(), "\n");
            for index in 0..EVENTS.len() {
                channel.send(&Event::new(data(index))).unwrap();
                assert!(curl.line().starts_with("id: "), "{coding}");
                assert_eq!(curl.line(), format!("data: {}\n", data(index)), "{coding}");
                assert_eq!(curl.line(), "\n");
            }
        };
        spawn_blocking(reading).await.unwrap();
    }
}

/// Returns Chromium, whose path may be in `EVENTWIRE_CHROMIUM`, if it is there.
fn chromium() -> Option<PathBuf> {
    let named = env::var_os("EVENTWIRE_CHROMIUM").filter(|path| !path.is_empty()).map(PathBuf::from);
    let paths = env::var_os("PATH").map(|paths| env::split_paths(&paths).collect::<Vec<_>>()).unwrap_or_default();
    named.or_else(|| paths.into_iter().map(|folder| folder.join("chromium")).find(|path| path.exists()))
}

/// For each coding, a source that reports what it gets.
const PAGE: &str = "<!doctype html><script>
for (const coding of ['gzip', 'br', 'zstd']) {
    const source = new EventSource(`/events?coding=${coding}`)
    const report = (text) => fetch(`/seen/${coding}`, { method: 'POST', body: text })
    source.onopen = () => report('open')
    source.onerror = () => report('error')
    source.onmessage = ({ data }) => report(data)
}
</script>";

/// Has a request ask for the coding in its query only, whatever the browser prefers.
async fn only_the_coding_in_the_query(mut request: Request) -> Request {
    if let Some(coding) = request.uri().query().and_then(|query| query.strip_prefix("coding=")) {
        let coding = HeaderValue::from_str(coding).unwrap();
        let accepted = request.headers_mut().insert(ACCEPT_ENCODING, coding.clone()).unwrap();
        let is_accepted = accepted.to_str().unwrap().split(", ").any(|accepted| accepted == coding);
        assert!(is_accepted, "Chromium does not decompress {coding:?}: {accepted:?}");
    }
    request
}

#[tokio::test(flavor = "multi_thread")]
async fn chromium_with_its_event_source() {
    let Some(chromium) = chromium() else { return skip("Chromium", "it is not installed") };
    let channel = Channel::new(History::new());
    let (report, mut reports) = mpsc::unbounded_channel();
    let seen = async move |Path(coding): Path<String>, body: String| report.send((coding, body)).unwrap();
    let routes = Router::new().route("/", get(async || Html(PAGE))).route("/seen/{coding}", post(seen));
    let url = serve_routes(app(channel.clone()).merge(routes).layer(map_request(only_the_coding_in_the_query))).await;
    let profile = env::temp_dir().join(format!("profile-of-compressed-{}", url.rsplit(':').next().unwrap()));
    let arguments = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-proxy-server",
        // Otherwise it exits when the page has loaded.
        "--remote-debugging-port=0",
        &format!("--user-data-dir={}", profile.display()),
        &url,
    ];
    let browser = Process::start(chromium.to_str().unwrap(), &arguments, &[]);
    let mut all_report = async |text: &str| {
        let mut reported = Vec::new();
        for _ in CODINGS {
            let (coding, body) = patiently(reports.recv()).await.unwrap();
            assert_eq!(body, text, "{coding}");
            reported.push(coding);
        }
        reported.sort();
        assert_eq!(reported, ["br", "gzip", "zstd"]);
    };
    all_report("open").await;
    for index in 0..EVENTS.len() {
        channel.send(&Event::new(data(index))).unwrap();
        all_report(&data(index)).await;
    }
    drop(browser);
    let _ = fs::remove_dir_all(profile);
}
