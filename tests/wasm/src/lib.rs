//! The attribute `test` for tests on wasm. `#[macro_use]` makes it replace the standard library's attribute in
//! every module of a crate, so that the tests of eventwire run unchanged. With feature `components`, the recipes for
//! Yew and Leptos, compiled as their readers would.

pub use wasm_bindgen_test::wasm_bindgen_test as test;

#[cfg(feature = "components")]
#[path = "../../../docs/recipes/browser.rs"]
pub mod browser;
#[cfg(feature = "components")]
#[path = "../../../docs/recipes/leptos_chat.rs"]
pub mod leptos_chat;
#[cfg(feature = "components")]
#[path = "../../../docs/recipes/yew_feed.rs"]
pub mod yew_feed;
