//! Runs this program again under callgrind.

use std::{
    env, io,
    process::{Command, Output},
};

use crate::{row::Row, stop::Stop};

/// The function whose instructions are counted, with those of its callees. The pattern matches any mangling by the
/// compiler.
const COLLECTED: &str = "--toggle-collect=*counted_pass*";

/// Counts the instructions of one pass of `row`, without those that build the corpus.
pub(crate) fn count(row: &Row) -> Result<u64, Stop> {
    let output = run(&["run", row.entry.name(), row.corpus, &row.cut.name()])?;
    let report = String::from_utf8_lossy(&output.stderr);
    match collected(&report) {
        None => Err(Stop::Failed(format!("{row}: callgrind reported no count:\n{report}"))),
        Some(0) => Err(Stop::Failed(format!("{row}: callgrind did not find the function that it should count"))),
        Some(count) => Ok(count),
    }
}

/// Returns the output of the subcommand `features` under callgrind.
pub(crate) fn features() -> Result<String, Stop> {
    let output = run(&["features"])?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

pub(crate) fn version() -> Result<String, Stop> {
    let output = spawned(Command::new("valgrind").arg("--version").output())?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok(version.strip_prefix("valgrind-").map(str::to_owned).unwrap_or(version))
}

/// The environment contains only what is needed to find valgrind, because variables can change the allocator, the
/// choice of vector instructions and valgrind's options.
fn run(arguments: &[&str]) -> Result<Output, Stop> {
    let program =
        env::current_exe().map_err(|error| Stop::Failed(format!("the path of this program is unknown: {error}")))?;
    let kept = ["PATH", "VALGRIND_LIB"].into_iter().filter_map(|name| Some((name, env::var_os(name)?)));
    let output = spawned(
        Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--vgdb=no", COLLECTED])
            .arg(program)
            .args(arguments)
            .env_clear()
            .envs(kept)
            // Valgrind would read options from a `.valgrindrc` in the current folder.
            .current_dir("/")
            .output(),
    )?;
    if output.status.success() {
        return Ok(output);
    }
    let out = String::from_utf8_lossy(&output.stdout);
    let err = String::from_utf8_lossy(&output.stderr);
    Err(Stop::Failed(format!("`{}` under callgrind: {}\n{out}{err}", arguments.join(" "), output.status)))
}

fn spawned(output: io::Result<Output>) -> Result<Output, Stop> {
    output.map_err(|error| Stop::NotRun(format!("cannot run valgrind: {error}")))
}

/// Reads the total from callgrind's report.
fn collected(report: &str) -> Option<u64> {
    let (_, total) = report.lines().find_map(|line| line.split_once("Collected :"))?;
    total.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::collected;

    #[test]
    fn the_total_is_read_from_the_report() {
        let report = "==7== Callgrind, a call-graph generating cache profiler\n==7== \n\
                      ==7== Events    : Ir\n==7== Collected : 1872993\n==7== \n";
        assert_eq!(collected(report), Some(1_872_993));
        assert_eq!(collected("==7== Events    : Ir\n"), None);
        assert_eq!(collected("==7== Collected : 1 2\n"), None);
    }
}
