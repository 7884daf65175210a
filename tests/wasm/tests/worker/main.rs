//! The client of eventwire-web in a module Worker of Chromium, which has no `window`. Its server has another origin.

#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../it/watch.rs"]
mod watch;

use eventwire_wasm::test;
use eventwire_web::Request;
use js_sys::{Function, Reflect};
use wasm_bindgen_test::wasm_bindgen_test_configure;
use watch::{SERVER, watch};
use web_sys::wasm_bindgen::JsCast;

wasm_bindgen_test_configure!(run_in_dedicated_worker);

#[test]
async fn from_connection_to_connection() {
    let scope = js_sys::global();
    assert!(!Reflect::has(&scope, &"window".into()).unwrap());
    let import_scripts: Function = Reflect::get(&scope, &"importScripts".into()).unwrap().unchecked_into();
    assert!(import_scripts.call0(&scope).is_err(), "only a worker that is no module may call it");
    let mut source = Request::get(SERVER).eventsource();
    let words =
        ["200 OK", "message d\u{E9}j\u{E0} 1", "the connection ended", "200 OK", "t b 2", "the connection ended"];
    assert_eq!(watch(&mut source).await, words);
}
