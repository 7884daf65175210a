//! An example: a server with the API of OpenAI's chat completions and completions. Its only model, `echo`, repeats
//! the last user message or the prompt, token by token, or answers by a [`Script`].
//!
//! [`serve`] is the server, which other programs and tests run in their own process. [`serve_until`] also shuts it
//! down gracefully. `cargo run -p gateway` serves on <http://127.0.0.1:8080>, and `cargo run -p gateway -- --help`
//! lists the options.

mod answer;
mod api_error;
mod echo;
mod endpoints;
mod key;
mod known_hosts;
mod payload;
mod script;
mod server;

pub use self::{
    known_hosts::{ForeignRequest, KnownHosts},
    script::{Prompt, Reply, Script, ToolCall},
    server::{Settings, serve, serve_until},
};
