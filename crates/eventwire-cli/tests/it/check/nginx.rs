//! nginx in front of a server: with its defaults it holds events back, and it is found out.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use eventwire_test_support::PATIENCE;

use crate::check::right::{are_right, start};
use crate::check::{check, found};

struct Nginx {
    child: Child,
    /// A URL with the default settings, and one for event streams.
    defaults: String,
    unbuffered: String,
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the program, whose path may be in `EVENTWIRE_NGINX`, if it is there.
fn program() -> Option<PathBuf> {
    let named = env::var_os("EVENTWIRE_NGINX").map(PathBuf::from);
    let paths = env::var_os("PATH").map(|paths| env::split_paths(&paths).collect::<Vec<_>>()).unwrap_or_default();
    let mut installed = paths.into_iter().chain(["/usr/sbin".into()]).map(|folder| folder.join("nginx"));
    named.or_else(|| installed.find(|path| path.exists()))
}

fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

/// Starts nginx in front of this URL.
fn proxy(program: &Path, url: &str) -> Nginx {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("nginx");
    fs::create_dir_all(&folder).unwrap();
    let (defaults, unbuffered) = (free_port(), free_port());
    let kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let temporary: String = kinds.map(|kind| format!("{kind}_temp_path {kind};\n")).concat();
    let settings = format!(
        "daemon off; master_process off; pid nginx.pid; error_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{temporary}\
         server {{ listen 127.0.0.1:{defaults}; location / {{ proxy_pass {url}; }} }}\n\
         server {{ listen 127.0.0.1:{unbuffered}; location / {{ proxy_pass {url}; proxy_buffering off; \
         proxy_http_version 1.1; }} }}\n}}\n"
    );
    fs::write(folder.join("nginx.conf"), settings).unwrap();
    let mut command = Command::new(program);
    command.arg("-p").arg(&folder).args(["-c", "nginx.conf", "-e", "stderr"]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let nginx = Nginx {
        child,
        defaults: format!("http://127.0.0.1:{defaults}"),
        unbuffered: format!("http://127.0.0.1:{unbuffered}"),
    };
    let begun = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", unbuffered)).is_err() {
        assert!(begun.elapsed() < PATIENCE, "nginx does not start");
        thread::sleep(Duration::from_millis(20));
    }
    nginx
}

#[test]
fn nginx() {
    let Some(program) = program() else {
        // `eprintln!` would be shown only if a test fails.
        let _ = writeln!(io::stderr(), "skipped: there is no nginx; EVENTWIRE_NGINX can name it");
        return;
    };
    let nginx = proxy(&program, &start());
    thread::scope(|scope| {
        scope.spawn(|| are_right(&nginx.unbuffered, &["/body", "/finite", "/large", "/sse", "/channel"]));
        // The responses of `EventBody` tell nginx not to hold them back.
        scope.spawn(|| are_right(&nginx.defaults, &["/body", "/channel"]));
        // It sends a finished stream with its end.
        scope.spawn(|| {
            let url = format!("{}/finite", nginx.defaults);
            let (codes, out) = found(&["--time", "9", &url], &["fail held-back"]);
            assert_eq!(codes, ["fail held-back"], "{out}");
            assert!(
                out.contains("all 15 events arrived at once, when the stream ended") && out.contains("`Server: nginx/"),
                "{out}"
            );
        });
        // It sends a long one in pieces of its buffer's size, which end inside an event.
        scope.spawn(|| {
            let url = format!("{}/large", nginx.defaults);
            let (codes, out) = found(&["--time", "9", &url], &["fail held-back", "warn late-headers"]);
            assert!(codes.contains(&"fail held-back".to_owned()), "{out}");
            assert!(out.contains("stopped inside an event") && out.contains("`Server: nginx/"), "{out}");
        });
        // It sends nothing of a slow one for minutes, not even the headers.
        scope.spawn(|| {
            let end = check(&["--time", "3", &format!("{}/sse", nginx.defaults)]);
            let first = end.out.lines().next().unwrap();
            assert!(first.starts_with("FAIL no-response: no headers arrived in 3.0 s"), "{first}");
            assert!(first.contains("although a HEAD request was answered (`Server: nginx/"), "{first}");
            assert!(first.contains("X-Accel-Buffering: no") && first.contains("proxy_buffering off"), "{first}");
            assert_eq!(end.code, Some(1));
        });
    });
}
