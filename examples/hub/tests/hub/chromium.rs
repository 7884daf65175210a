//! The page in Chromium.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::app::App;

#[test]
#[ignore = "needs Chromium and playwright-core: tests/interop/run --only eventsource"]
fn two_windows() {
    let (node, chromium) = (env::var("EVENTWIRE_NODE").unwrap(), env::var("EVENTWIRE_CHROMIUM").unwrap());
    let apps = [App::start(&[]), App::start(&["--keep", "3"])];
    // Node searches for the packages of a script that it reads from a pipe in its current folder.
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hub/page.mjs");
    let mut command = Command::new("node");
    command.args(["--input-type=module", "-", &chromium]).args(apps.iter().map(|app| &app.url)).current_dir(node);
    command.stdin(std::fs::File::open(script).unwrap()).stdout(Stdio::null());
    let output = command.stderr(Stdio::piped()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
