//! What a server needs.

use anyhow::Context;
use std::{fs, time::Duration};

/// A process and its descendants.
pub struct Processes(Vec<String>);

impl Processes {
    pub fn of(pid: &str) -> anyhow::Result<Processes> {
        Ok(Processes(family(pid)?))
    }

    /// User and system time.
    pub fn processor_time(&self) -> anyhow::Result<Duration> {
        let mut ticks = 0;
        for pid in &self.0 {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
            // The name before it may contain spaces. Fields 14 and 15 of the line are the times.
            let (_, fields) = stat.rsplit_once(") ").context("no name")?;
            ticks += fields.split(' ').skip(11).take(2).map(|field| field.parse().unwrap_or(0)).sum::<u64>();
        }
        // Linux reports these times in hundredths of a second on all common machines.
        Ok(Duration::from_millis(10 * ticks))
    }

    /// The resident memory in KiB. Pages that several share are counted once (Linux calls this "Pss").
    pub fn memory(&self) -> anyhow::Result<f64> {
        let mut sum = 0.0;
        for pid in &self.0 {
            let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
            let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:")).context("no Pss")?;
            sum += line.trim().trim_end_matches(" kB").parse::<f64>()?;
        }
        Ok(sum)
    }
}

fn family(pid: &str) -> anyhow::Result<Vec<String>> {
    let mut pids = vec![pid.to_owned()];
    for child in fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))?.split_whitespace() {
        pids.extend(family(child)?);
    }
    Ok(pids)
}
