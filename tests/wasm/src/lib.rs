//! The attribute `test` for tests on wasm. `#[macro_use]` makes it replace the standard library's attribute in
//! every module of a crate, so that the tests of eventwire run unchanged.

pub use wasm_bindgen_test::wasm_bindgen_test as test;
