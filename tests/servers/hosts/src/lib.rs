//! The recipes for poem and rocket, compiled as their readers would.

#[rustfmt::skip] // `.ci/run` formats them with the settings in `docs`
#[path = "../../../../docs/recipes/serve_poem.rs"]
pub mod serve_poem;
#[rustfmt::skip]
#[path = "../../../../docs/recipes/serve_rocket.rs"]
pub mod serve_rocket;
