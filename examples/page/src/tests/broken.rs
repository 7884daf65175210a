//! A model that fails in the middle of its answer.

use serde_json::json;

use super::asking::{Heard, STREAM, ask, event, hear, with_bytes};

#[tokio::test]
async fn the_parts_before_an_error_are_received() {
    let report = format!("data: {}\n\n", json!({ "error": { "message": "overloaded" } }));
    let words = event("one two");
    for answer in [
        format!("{STREAM}{words}"),
        format!("{STREAM}{words}data: {{\"choi"),
        format!("{STREAM}{words}{report}"),
        format!("{STREAM}{words}data: {{\"choices\":1}}\n\n"),
    ] {
        let (heard, end) = hear(ask(&format!("{}talk", with_bytes(answer.clone()).await)).await).await;
        assert_eq!(heard, [Heard::Text(1, "one two".into())], "{answer:?}");
        end.unwrap_err();
    }
}
