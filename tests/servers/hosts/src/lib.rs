//! The recipes for poem and rocket, compiled as their readers would.

#[path = "../../../../docs/recipes/serve_poem.rs"]
pub mod serve_poem;
#[path = "../../../../docs/recipes/serve_rocket.rs"]
pub mod serve_rocket;
