//! What is printed.

use anyhow::ensure;
use std::process::{Command, ExitCode};

/// What is printed after the tables, and whether a row failed.
#[derive(Default)]
pub struct Report {
    versions: Vec<String>,
    not_run: Vec<String>,
    failed: bool,
}

impl Report {
    /// Notes the versions of a server. If it is not installed, notes that it did not run, and returns false.
    pub fn is_installed(&mut self, name: &str) -> bool {
        let (versions, install) = match name {
            "nchan" => ("dpkg-query --show libnginx-mod-nchan nginx", "apt-get install nginx libnginx-mod-nchan"),
            "better-sse" => ("npm list better-sse", "npm install --no-save better-sse@0.16"),
            "sse-starlette" => ("python3 sse-starlette.py", "pip install 'sse-starlette==3.7.*' 'uvicorn[standard]'"),
            "redis" => ("redis-server --version", "apt-get install redis-server"),
            _ => (&*format!("cargo pkgid {name}"), "rustup"),
        };
        let versions = output(versions);
        let is_installed = versions.is_ok();
        match versions {
            Ok(versions) => self.versions.push(versions),
            Err(_) => self.not_run.push(format!("{name}: install it with `{install}`")),
        }
        is_installed
    }

    /// Prints a row of a table, or why there is none.
    pub fn add(&mut self, name: &str, row: anyhow::Result<String>) {
        match row {
            Ok(row) => println!("{row}"),
            Err(error) => {
                eprintln!("FAILED: {name}: {error:#}");
                self.failed = true;
            }
        }
    }

    pub fn finish(self) -> ExitCode {
        println!("\n{}", self.versions.join("\n"));
        for command in ["uname -sr", "grep -m 1 model.name /proc/cpuinfo", "nproc", "rustc --version"] {
            println!("{}", output(command).unwrap_or_default());
        }
        for server in &self.not_run {
            println!("NOT RUN: {server}");
        }
        ExitCode::from(match (self.failed, self.not_run.is_empty()) {
            (true, _) => 1,
            (false, false) => 3,
            (false, true) => 0,
        })
    }
}

/// Runs a program in the folder of this package, and returns what it prints.
pub fn output(command: &str) -> anyhow::Result<String> {
    let mut words = command.split(' ');
    let program = words.next().unwrap_or_default();
    let output = Command::new(program).args(words).current_dir(env!("CARGO_MANIFEST_DIR")).output()?;
    ensure!(output.status.success(), "{program}: {}", output.status);
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}
