//! An example: sends a prompt to a server with the API of OpenAI's chat completions, and prints the answer as it
//! arrives.
//!
//! `cargo run -p chat` asks the example `gateway`, which it runs in its own process. `cargo run -p chat -- --help`
//! lists its options.

mod answer;
mod ask;
mod chunk;
mod failure;
mod printer;
mod program;
mod reason;
mod root_cause;

pub use self::{failure::Failure, program::run};
