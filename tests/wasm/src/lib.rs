//! The attribute `test` for the tests on wasm, which `#[macro_use]` puts before the standard library's in every module of a
//! crate. So the tests of eventwire are taken as they stand.

pub use wasm_bindgen_test::wasm_bindgen_test as test;
