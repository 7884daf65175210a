//! Typed streams, which are searched by different code on wasm.

use eventwire::{Dialect, Events, JsonError};
use serde::Deserialize;
use std::convert::Infallible;

#[derive(Debug, Deserialize, PartialEq)]
struct Count {
    n: u32,
}

#[test]
fn values_errors_and_ends() {
    let stream = concat!(
        "data: {\"n\":1,\"note\":\"\\\"type\\\":\\\"done\\\" \\\"error\\\"\"}\n\n",
        "data: {\"n\":\"two\"}\n\n",
        "data: {\"n\":3,\"error\":null}\n\n",
        "data: {\"\\u0065rror\":{\"message\":\"overloaded\"}}\n\n",
        "data: {\"n\":5,\"type\" : \"done\"}\n\n",
        "data: {\"n\":6}\n\n",
    );
    // In a single chunk, and one byte at a time.
    for size in [stream.len(), 1] {
        let chunks = stream.as_bytes().chunks(size).map(|chunk| Ok::<_, Infallible>(chunk.to_vec()));
        let values = Events::new(chunks).json_with::<Count>(Dialect::new().with_last_type("done").with_error_reports());
        let words: Vec<String> = values
            .map(|value| match value {
                Ok(Count { n }) => n.to_string(),
                Err(JsonError::Payload { path, .. }) => format!("not {path}"),
                Err(JsonError::Reported { .. }) => "reported".to_owned(),
                Err(other) => other.to_string(),
            })
            .collect();
        assert_eq!(words, ["1", "not n", "3", "reported", "5"]);
    }
}
