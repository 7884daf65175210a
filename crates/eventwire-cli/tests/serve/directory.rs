//! A directory, which no path can leave.

use std::fs;
use std::path::PathBuf;

use crate::server::{Server, directory};

/// Returns a directory with `chat.sse`, `sub/deep.sse`, a name that needs escapes, and `../secret.sse`.
fn site() -> PathBuf {
    let root = directory();
    let site = root.join("site");
    fs::create_dir_all(site.join("sub")).unwrap();
    fs::write(root.join("secret.sse"), "data: secret\n\n").unwrap();
    fs::write(site.join("chat.sse"), "data: chat\n\n").unwrap();
    fs::write(site.join("sub/deep.sse"), "data: deep\n\n").unwrap();
    fs::write(site.join("é %41.sse"), "data: escaped\n\n").unwrap();
    site
}

fn serve(site: &std::path::Path) -> Server {
    Server::start(site.to_str().unwrap(), &[])
}

#[test]
fn the_path_names_a_file() {
    let site = site();
    let server = serve(&site);
    server.get("/chat.sse").is("data: chat\n\n");
    server.get("/chat.sse?token=1").is("data: chat\n\n");
    server.get("/%63hat%2Esse").is("data: chat\n\n");
    server.get("/sub/deep.sse").is("data: deep\n\n");
    server.get("//sub//deep.sse").is("data: deep\n\n");
    server.get("/%C3%A9%20%2541.sse").is("data: escaped\n\n");
    // A file that is new.
    fs::write(site.join("new.sse"), "data: new\n\n").unwrap();
    server.get("/new.sse").is("data: new\n\n");
}

#[test]
fn what_is_not_there_is_a_list_of_what_is() {
    let server = serve(&site());
    let list = "there is no such file; there are:\n/%C3%A9%20%2541.sse\n/chat.sse\n/sub/\n";
    for path in ["/nothing.sse", "/", "/sub/nothing.sse", "/chat.sse/more"] {
        let answer = server.get(path);
        assert_eq!((answer.status(), answer.header("content-type")[0].as_str()), (404, "text/plain; charset=utf-8"));
        assert_eq!(String::from_utf8(answer.body()).unwrap(), list, "{path}");
    }
    for path in ["/sub", "/sub/"] {
        let answer = server.get(path);
        assert_eq!(answer.status(), 404);
        assert_eq!(answer.body(), b"there is no such file; there are:\n/sub/deep.sse\n");
    }
    let answer = serve(&directory()).get("/");
    assert_eq!((answer.status(), answer.body()), (404, b"there is no such file, and no other\n".to_vec()));
}

#[test]
fn a_path_cannot_leave_the_directory() {
    let site = site();
    fs::write(site.join("\u{6}.sse"), "data: no digits\n\n").unwrap();
    let server = serve(&site);
    let absolute = site.parent().unwrap().join("secret.sse").to_str().unwrap().to_owned();
    for path in [
        "/../secret.sse",
        "/sub/../../secret.sse",
        "/%2e%2e/secret.sse",
        "/%2E./secret.sse",
        "/..%2fsecret.sse",
        "/%2e%2e%2fsecret.sse",
        "/sub/%2e%2e%2f%2e%2e%2fsecret.sse",
        "/%252e%252e/secret.sse",
        "/..%5csecret.sse",
        "/..\\secret.sse",
        "/.../secret.sse",
        "/chat.sse%00/../../secret.sse",
        "/../site/chat.sse",
        "/./chat.sse",
        "/sub/../chat.sse",
        "/sub%2fdeep.sse",
        "/sub%2f/deep.sse",
        "/sub%2f./deep.sse",
        "/%+6.sse",
        "/chat.sse%00",
        "/chat.sse%",
        "/chat.sse%2",
        "/%+63hat.sse",
        "/%FF",
        &absolute,
        &format!("/{absolute}"),
        &format!("/{}", absolute.replace('/', "%2f")),
        &format!("/%2f{absolute}"),
    ] {
        let answer = server.get(path);
        let text = answer.text();
        assert!(answer.status() == 404 && !text.contains("data:") && !text.contains("secret"), "{path}: {text}");
    }
}

#[test]
#[cfg(unix)]
fn links_that_lead_out_are_not_followed() {
    use std::os::unix::fs::symlink;

    let site = site();
    symlink("../secret.sse", site.join("link.sse")).unwrap();
    symlink("..", site.join("up")).unwrap();
    symlink("chat.sse", site.join("inside.sse")).unwrap();
    symlink("link.sse", site.join("link-to-link.sse")).unwrap();
    symlink("loop", site.join("loop")).unwrap();
    // A directory whose name begins as that of the root.
    fs::create_dir(site.with_file_name("site-of-others")).unwrap();
    fs::write(site.with_file_name("site-of-others").join("secret.sse"), "data: secret\n\n").unwrap();
    symlink("../site-of-others/secret.sse", site.join("neighbour.sse")).unwrap();
    let server = serve(&site);
    for path in ["/link.sse", "/up/secret.sse", "/link-to-link.sse", "/loop", "/neighbour.sse", "/up"] {
        let answer = server.get(path);
        assert_eq!(answer.status(), 404, "{path}");
        assert_eq!(
            String::from_utf8(answer.body()).unwrap(),
            "there is no such file; there are:\n/%C3%A9%20%2541.sse\n/chat.sse\n/inside.sse\n/sub/\n"
        );
    }
    server.get("/inside.sse").is("data: chat\n\n");
    // It leads out, and in again.
    server.get("/up/site/chat.sse").is("data: chat\n\n");
    // The directory may be a link.
    let link = directory().join("link");
    symlink(&site, &link).unwrap();
    let server = serve(&link);
    server.get("/chat.sse").is("data: chat\n\n");
    assert_eq!(server.get("/link.sse").status(), 404);
}

#[test]
fn hidden_files_are_not_found() {
    let site = site();
    fs::create_dir(site.join(".git")).unwrap();
    for name in [".env", ".git/config", "sub/.deep.sse"] {
        fs::write(site.join(name), "data: secret\n\n").unwrap();
    }
    let server = serve(&site);
    for path in ["/.env", "/%2Eenv", "/.git/config", "/.git/", "/sub/.deep.sse", "/sub/"] {
        let answer = server.get(path);
        let text = answer.text();
        let is_listed =
            text.contains("secret") || text.contains(".env") || text.contains(".git") || text.contains("/.");
        assert!(answer.status() == 404 && text.contains("there are:\n/") && !is_listed, "{path}: {text}");
    }
}

#[test]
fn each_file_has_its_own_connections() {
    let site = site();
    let server = Server::start(site.to_str().unwrap(), &["--status", "503", "--times", "1"]);
    for path in ["/chat.sse", "/sub/deep.sse"] {
        assert_eq!(server.get(path).status(), 503);
    }
    server.get("/chat.sse").is("data: chat\n\n");
    server.get("//chat.sse").is("data: chat\n\n");
    server.get("/sub/deep.sse").is("data: deep\n\n");
}

#[test]
fn a_bad_file_is_found_when_it_is_asked_for() {
    let site = site();
    fs::write(site.join("bad.txt"), "{\"recording\":2}\n").unwrap();
    let mut server = serve(&site);
    let answer = server.get("/bad.txt");
    let body = String::from_utf8(answer.body()).unwrap();
    assert_eq!(answer.status(), 500);
    assert!(body.ends_with("bad.txt:1:1: version 2 of the format; this program reads 1\n"), "{body}");
    let line = server.line();
    assert!(line.starts_with("1 GET /bad.txt: 500, 0 events, ") && line.ends_with(body.trim_end()), "{line}");
    server.get("/chat.sse").is("data: chat\n\n");
    fs::write(site.join("bad.txt"), "data: good\n\n").unwrap();
    server.get("/bad.txt").is("data: good\n\n");
}
