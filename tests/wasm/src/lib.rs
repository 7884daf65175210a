//! The attribute `test` for tests on wasm. `#[macro_use]` makes it replace the standard library's attribute in
//! every module of a crate, so that the tests of eventwire run unchanged. With feature `components`, the recipes for
//! Yew and Leptos, compiled as their readers would.

pub use wasm_bindgen_test::wasm_bindgen_test as test;

// `.ci/run` formats them with the settings in `docs`.
#[cfg(feature = "components")]
#[rustfmt::skip]
#[path = "../../../docs/recipes"]
pub mod recipes {
    pub mod browser;
    pub mod leptos_chat;
    pub mod yew_feed;
}
