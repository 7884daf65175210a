//! Pages in Chromium, each with an `EventSource`.

use std::{env, path::Path, process::Command};

/// Returns what the pages have seen until their sources were closed, one entry for each URL.
pub(crate) async fn browse(urls: Vec<String>) -> Vec<Vec<String>> {
    tokio::task::spawn_blocking(move || run(&urls)).await.unwrap()
}

fn run(urls: &[String]) -> Vec<Vec<String>> {
    let (node, chromium) = (env::var("EVENTWIRE_NODE").unwrap(), env::var("EVENTWIRE_CHROMIUM").unwrap());
    // Node searches for packages in the folder of the script.
    let script = Path::new(&node).join("eventsource.mjs");
    let port = urls[0].parse::<http::Uri>().unwrap().port_u16().unwrap();
    let profile = env::temp_dir().join(format!("profile-of-eventsource-{port}"));
    let output = Command::new("node").arg(&script).arg(chromium).arg(&profile).args(urls).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let lines: Vec<Vec<String>> = output
        .stdout
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    assert_eq!(lines.len(), urls.len(), "{errors}");
    lines
}
