//! The key: what the counts depend on besides the code.

use std::process::Command;

use crate::{callgrind, stop::Stop};

/// Names and values. Counts are compared only with counts of the same key. It does not contain the versions of the
/// dependencies, because the lock file pins them.
#[derive(Debug, PartialEq)]
pub(crate) struct Key(pub(crate) Vec<(String, String)>);

impl Key {
    pub(crate) fn of_this_machine() -> Result<Key, Stop> {
        if cfg!(debug_assertions) {
            return Err(Stop::Failed(String::from("debug build; add --release")));
        }
        let parts = [
            ("rustc", env!("RUSTC_VERSION").trim_start_matches("rustc ").to_owned()),
            ("target", env!("BUILD_TARGET").to_owned()),
            ("RUSTFLAGS", env!("BUILD_RUSTFLAGS").to_owned()),
            ("glibc", glibc_version()),
            ("valgrind", callgrind::version()?),
            ("processor features", callgrind::features()?),
        ];
        let or_none = |value: String| if value.is_empty() { String::from("none") } else { value };
        Ok(Key(parts.map(|(name, value)| (name.to_owned(), or_none(value))).into()))
    }

    /// Describes the parts in which this key differs from `other`.
    pub(crate) fn differences_from(&self, other: &Key) -> String {
        let differing = self.0.iter().filter(|part| !other.0.contains(part));
        let named: Vec<String> = differing.map(|(name, value)| format!("{name} {value}")).collect();
        named.join(", ")
    }
}

fn glibc_version() -> String {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output();
    let version = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    version.trim().trim_start_matches("glibc ").to_owned()
}

/// The processor features by which memchr, simdutf8 and glibc choose their vector instructions. This runs under
/// valgrind, which does not pass on the processor's own answer.
#[cfg(target_arch = "x86_64")]
pub(crate) fn processor_features() -> String {
    macro_rules! detected {
        ($($feature:tt)*) => {
            [$(is_x86_feature_detected!($feature).then_some($feature)),*]
        };
    }
    let detected = detected!(
        "sse3" "ssse3" "sse4.1" "sse4.2" "avx" "avx2" "fma" "avx512f" "avx512bw" "avx512vl" "popcnt" "lzcnt" "bmi1" "bmi2"
        "movbe" "ermsb" "rtm"
    );
    detected.into_iter().flatten().collect::<Vec<&str>>().join(" ")
}

/// On other architectures the key contains only the target.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn processor_features() -> String {
    String::from("not recorded")
}
