//! The memory of a process.

use std::{fmt, fs};

/// The memory of a process, in bytes: before the streams were opened, and when all of them were open.
#[derive(Clone, Copy)]
pub(crate) struct Memory {
    before: usize,
    open: usize,
}

impl Memory {
    pub(crate) fn new(before: Option<usize>, open: Option<usize>) -> Option<Memory> {
        Some(Memory { before: before?, open: open? })
    }

    pub(crate) fn growth(&self) -> usize {
        self.open.saturating_sub(self.before)
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mebi = |bytes: usize| bytes as f64 / f64::from(1 << 20);
        write!(f, "{:.1} MiB before, {:.1} MiB with all streams open", mebi(self.before), mebi(self.open))
    }
}

/// The resident memory of a process, in bytes. The kernel's socket buffers are not included.
pub(crate) fn resident(process: u32) -> Option<usize> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibi: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibi * 1024)
}
