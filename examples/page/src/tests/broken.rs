//! A model that fails in the middle of its answer.

use eventwire_test::Script;
use serde_json::json;

use super::asking::{Heard, ask, event, hear, with_answer};

#[tokio::test]
async fn the_parts_before_an_error_are_received() {
    let report = format!("data: {}\n\n", json!({ "error": { "message": "overloaded" } }));
    let words = event("one two");
    for answer in [
        words.clone(),
        format!("{words}data: {{\"choi"),
        format!("{words}{report}"),
        format!("{words}data: {{\"choices\":1}}\n\n"),
    ] {
        let (url, _model) = with_answer(Script::new().send(answer.clone())).await;
        let (heard, end) = hear(ask(&format!("{url}talk")).await).await;
        assert_eq!(heard, [Heard::Text(1, "one two".into())], "{answer:?}");
        end.unwrap_err();
    }
}
