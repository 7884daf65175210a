//! `GET /` and the files of the page.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;

use super::asking::{client, serve_with, settings};
use crate::server::Settings;

#[tokio::test]
async fn the_files_of_a_folder() {
    let folder = std::env::temp_dir().join(format!("page-site-{}", std::process::id()));
    fs::create_dir_all(folder.join("site/pkg")).unwrap();
    fs::write(folder.join("secret.js"), "secret").unwrap();
    let site = folder.join("site");
    let files = [
        ("index.html", "text/html; charset=utf-8", "<!doctype html>"),
        ("style.css", "text/css; charset=utf-8", "a { color: red }"),
        ("view.js", "text/javascript", "export {}"),
        (".gitignore", "", "secret"),
        ("pkg/page_bg.wasm", "application/wasm", "\0asm"),
    ];
    let url = serve_with(Settings { site: site.clone(), ..settings() }).await;
    let get = async |path: &str| {
        let response = client().get(format!("{url}{path}")).send().await.unwrap();
        let content_type = response.headers()["content-type"].to_str().unwrap().to_owned();
        (response.status().as_u16(), content_type, response.text().await.unwrap())
    };
    for (name, _, content) in &files[..4] {
        fs::write(site.join(name), content).unwrap();
    }
    for path in ["", "pkg/page_bg.wasm"] {
        let (status, _, why) = get(path).await;
        assert!(status == 503 && why.contains("run `rustup target add wasm32-unknown-unknown`"), "{path}: {why}");
    }
    fs::write(site.join(files[4].0), files[4].2).unwrap();
    for (name, content_type, content) in files.into_iter().filter(|(_, content_type, _)| !content_type.is_empty()) {
        let path = if name == "index.html" { "" } else { name };
        assert_eq!(get(path).await, (200, content_type.into(), content.into()), "{name}");
    }

    // Clients such as reqwest resolve these paths themselves.
    let address = url.strip_prefix("http://").unwrap().trim_end_matches('/');
    for path in [
        "/../secret.js",
        "/pkg/../../secret.js",
        "/%2e%2e/secret.js",
        "/pkg/..%2f..%2fsecret.js",
        "//etc/x.js",
        "/.gitignore",
        "/none.js",
    ] {
        let mut stream = TcpStream::connect(address).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let response = tokio::task::spawn_blocking(move || {
            let mut response = String::new();
            stream.read_to_string(&mut response).unwrap();
            response
        });
        let response = response.await.unwrap();
        assert!(response.starts_with("HTTP/1.1 404 ") && !response.contains("secret\""), "{path}: {response}");
    }
    fs::remove_dir_all(&folder).unwrap();
}
