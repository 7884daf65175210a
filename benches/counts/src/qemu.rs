//! Runs a build of this program for AArch64 under qemu-user.

use std::{env, process::Command};

use crate::{row::Row, stop::Stop};

/// The paths of the program and of the plugin that counts, `qemu_count.c`.
pub(crate) struct Qemu<'a> {
    pub(crate) program: &'a str,
    pub(crate) plugin: &'a str,
}

impl Qemu<'_> {
    /// Counts the instructions of one pass of `row`. The plugin counts those of the entire program, so those of a run
    /// that ends before the pass are subtracted.
    pub(crate) fn count(&self, row: &Row) -> Result<u64, Stop> {
        let (all, before) = (self.run("run", row)?, self.run("prepare", row)?);
        all.checked_sub(before)
            .ok_or_else(|| Stop::Failed(format!("{row}: {all} instructions, {before} before the pass")))
    }

    /// As with callgrind, the environment contains only what is needed.
    fn run(&self, command: &str, row: &Row) -> Result<u64, Stop> {
        let output = Command::new("qemu-aarch64")
            .args(["-L", "/usr/aarch64-linux-gnu", "-plugin", self.plugin, self.program])
            .args([command, row.entry.name(), row.corpus, &row.cut.name()])
            .env_clear()
            .envs(env::var_os("PATH").map(|path| ("PATH", path)))
            .output()
            .map_err(|error| Stop::NotRun(format!("cannot run qemu-aarch64: {error}")))?;
        let report = String::from_utf8_lossy(&output.stderr);
        match total(&report) {
            Some(total) if output.status.success() => Ok(total),
            _ if report.contains("Could not load plugin") => {
                Err(Stop::NotRun(report.lines().collect::<Vec<&str>>().join(" ")))
            }
            _ => {
                let out = String::from_utf8_lossy(&output.stdout);
                Err(Stop::Failed(format!("`{command} {row}` under qemu-aarch64: {}\n{out}{report}", output.status)))
            }
        }
    }
}

/// Reads the total from the plugin's report.
fn total(report: &str) -> Option<u64> {
    report.lines().find_map(|line| line.strip_prefix("instructions: "))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::total;

    #[test]
    fn the_total_is_read_from_the_report() {
        assert_eq!(total("a warning\ninstructions: 60063513\n"), Some(60_063_513));
        assert_eq!(total("a warning\n"), None);
        assert_eq!(total("instructions: 1 2\n"), None);
    }
}
