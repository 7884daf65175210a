//! `GET /` and the files of the page.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use reqwest::Response;
use talk::{Page, Settings};

use crate::talking::{get, serve_with, without_model};

/// The files of a page before the build, and the files that the build adds.
const SOURCES: [(&str, &[u8]); 4] = [
    ("index.html", b"<!DOCTYPE html>\xC3\xA9"),
    ("style.css", b"a { color: red }"),
    ("view.js", b"import './view/chat.js'"),
    ("view/chat.js", b"export {}"),
];
const BUILT: [(&str, &[u8]); 2] = [("pkg/page.js", b"export {}"), ("pkg/page_bg.wasm", b"\0asm\xFF\0")];

/// A folder with a page. It is removed at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static NUMBERS: AtomicU32 = AtomicU32::new(1);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let folder = Folder(std::env::temp_dir().join(format!("talk-page-{}-{number}", std::process::id())));
        fs::create_dir_all(folder.0.join("pkg")).unwrap();
        fs::create_dir(folder.0.join("view")).unwrap();
        folder.write(&SOURCES);
        folder
    }

    pub(crate) fn built() -> Folder {
        let folder = Folder::new();
        folder.write(&BUILT);
        folder
    }

    fn write(&self, files: &[(&str, &[u8])]) {
        for (name, bytes) in files {
            fs::write(self.0.join(name), bytes).unwrap();
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Serves this page, and returns its URL.
    async fn serve(&self) -> String {
        serve_with(Settings { page: Page::new(&self.0), ..without_model() }).await
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Checks status, type and body.
async fn check(response: Response, status: u16, content_type: &str, body: &[u8]) {
    let url = response.url().clone();
    assert_eq!(
        (response.status().as_u16(), &response.headers()["content-type"]),
        (status, &content_type.parse().unwrap()),
        "{url}"
    );
    assert_eq!(response.headers()["cache-control"], "no-cache", "{url}");
    assert_eq!(response.bytes().await.unwrap(), body, "{url}");
}

const FILES: [(&str, &str, &[u8]); 6] = [
    ("", "text/html; charset=utf-8", SOURCES[0].1),
    ("style.css", "text/css; charset=utf-8", SOURCES[1].1),
    ("view.js", "text/javascript", SOURCES[2].1),
    ("view/chat.js", "text/javascript", SOURCES[3].1),
    ("pkg/page.js", "text/javascript", BUILT[0].1),
    ("pkg/page_bg.wasm", "application/wasm", BUILT[1].1),
];

#[tokio::test]
async fn a_page_that_is_built() {
    let folder = Folder::built();
    let url = folder.serve().await;
    for (path, content_type, bytes) in FILES {
        check(get(&format!("{url}{path}")).await, 200, content_type, bytes).await;
    }
    // A new build is served at once.
    folder.write(&[("pkg/page.js", b"new")]);
    check(get(&format!("{url}pkg/page.js")).await, 200, "text/javascript", b"new").await;
}

#[tokio::test]
async fn a_page_that_is_not_built() {
    let folder = Folder::new();
    let url = folder.serve().await;
    for built in 0..3 {
        // With none of the files, then with each of them alone.
        for (place, (name, bytes)) in BUILT.iter().enumerate() {
            let _ = fs::remove_file(folder.path().join(name));
            if place + 1 == built {
                folder.write(&[(name, bytes)]);
            }
        }
        let response = get(&url).await;
        assert_eq!(
            (response.status().as_u16(), &response.headers()["content-type"]),
            (503, &"text/html; charset=utf-8".parse().unwrap())
        );
        assert_eq!(response.headers()["cache-control"], "no-cache");
        let html = response.text().await.unwrap();
        for said in
            ["<html lang=\"en\">", "<title>", "rustup target add wasm32-unknown-unknown\nexamples/browser/build<"]
        {
            assert!(html.contains(said), "{said:?} in {html}");
        }
        assert!(!html.contains("<script"));
        check(get(&format!("{url}style.css")).await, 200, FILES[1].1, FILES[1].2).await;
        for (place, (name, _)) in BUILT.iter().enumerate() {
            let response = get(&format!("{url}{name}")).await;
            let (status, body) = (response.status().as_u16(), response.text().await.unwrap());
            if place + 1 == built {
                assert_eq!(status, 200);
            } else {
                assert_eq!(status, 503, "{body}");
                let commands = "`rustup target add wasm32-unknown-unknown` and `examples/browser/build`";
                assert!(body.contains("page_not_built") && body.contains(commands), "{body}");
            }
        }
    }
    // The page is built while the server runs.
    folder.write(&BUILT);
    check(get(&url).await, 200, FILES[0].1, FILES[0].2).await;
}

#[tokio::test]
async fn a_folder_without_a_page() {
    let folder = Folder::built();
    for name in ["index.html", "style.css"] {
        fs::remove_file(folder.path().join(name)).unwrap();
    }
    fs::create_dir(folder.path().join("style.css")).unwrap();
    let url = folder.serve().await;
    for (path, expected, said) in [("", 404, "no file index.html"), ("style.css", 500, "cannot be read")] {
        let response = get(&format!("{url}{path}")).await;
        let (status, body) = (response.status(), response.text().await.unwrap());
        assert!(status == expected && body.contains(said), "{status} {body}");
        // The response does not reveal the path of the folder.
        assert!(!body.contains(folder.path().to_str().unwrap()), "{body}");
    }
}

/// Sends paths as raw bytes, because clients resolve the dots themselves.
#[tokio::test(flavor = "multi_thread")]
async fn no_other_file_is_served() {
    let folder = Folder::built();
    folder.write(&[("Cargo.toml", b"secret"), ("pkg/other.js", b"secret"), ("view/other.js", b"secret")]);
    let url = folder.serve().await;
    let address = url.strip_prefix("http://").unwrap().strip_suffix('/').unwrap();
    for path in [
        "/Cargo.toml",
        "/pkg/other.js",
        "/view/other.js",
        "/view/",
        "/view/../Cargo.toml",
        "/index.html",
        "/pkg",
        "/pkg/",
        "/pkg/../Cargo.toml",
        "/pkg/page.js/../../Cargo.toml",
        "/../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "/pkg/..%2FCargo.toml",
        "//Cargo.toml",
        "/style.css/",
        "/style.css%00",
        "/STYLE.css",
        "/..\\Cargo.toml",
    ] {
        let mut client = TcpStream::connect(address).unwrap();
        client
            .write_all(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").as_bytes())
            .unwrap();
        let mut response = String::new();
        client.read_to_string(&mut response).unwrap();
        // hyper refuses an invalid path.
        let is_refused = ["HTTP/1.1 404 ", "HTTP/1.1 400 "].iter().any(|line| response.starts_with(line));
        assert!(is_refused && !response.contains("secret"), "{path}: {response}");
    }
}

/// Every script of the page in this repository.
#[tokio::test]
async fn the_scripts_of_the_page() {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("browser").join("view");
    let url = serve_with(without_model()).await;
    let mut count = 0;
    for script in fs::read_dir(scripts).unwrap() {
        let path = script.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        check(get(&format!("{url}view/{name}")).await, 200, "text/javascript", &fs::read(&path).unwrap()).await;
        count += 1;
    }
    assert!(count > 0);
}
