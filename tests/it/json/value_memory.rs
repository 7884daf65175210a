//! How much memory a `serde_json::Value` takes: the figures in the documentation of `JsonStream`.

use super::events;
use crate::counting_allocator::measure;
use bytes::Bytes;
use serde_json::Value;

/// Checks how many times the size of its data a value takes at most while it is read, rounded.
#[track_caller]
fn check(json: &str, times: usize) {
    let chunk = Bytes::from_static(format!("data: {json}\n\n").leak().as_bytes());
    let mut values = events(chunk).json::<Value>();
    let (value, usage) = measure(|| values.next());
    assert!(matches!(value, Some(Ok(_))), "{value:?}");
    assert_eq!((usage.peak + json.len() / 2) / json.len(), times, "{} bytes for {}", usage.peak, json.len());
}

#[test]
#[cfg(target_pointer_width = "64")]
fn a_value_is_many_times_as_large_as_its_data() {
    // A little more than a power of two, so that the vector has just doubled.
    check(&format!("[{}0]", "0,".repeat(1 << 15)), 48);
    // As deep as serde_json allows.
    let tower = [&"{\"\":".repeat(126), "0", &"}".repeat(126)].concat();
    check(&format!("[{}]", [&*tower; 100].join(",")), 126);
}
