//! An example: a proxy in front of a server with the API of OpenAI, such as the example `gateway`. It shows what
//! [`Tap`](eventwire::Tap) and [`Rewrite`](eventwire::Rewrite) are for.
//!
//! Requests and answers pass through. Of each event stream it counts the tokens and measures the time to the first one,
//! removes the comments, and can replace the model's name. When the stream ends, it logs a [`Report`].
//!
//! It does not pass on trailers, `Range` and `If-Range`, and headers that apply to one connection only. It asks the
//! server not to compress its answers, because it cannot read compressed ones. Compressed answers, partial answers
//! and JSON of more than 16 MiB pass through unchanged.
//!
//! [`serve`] is the proxy, which other programs and tests run in their own process. [`run`] is the program `proxy`:
//! `cargo run -p proxy -- --upstream http://127.0.0.1:8080` serves on <http://127.0.0.1:8081>, and
//! `cargo run -p proxy -- --help` lists its options.

mod api_error;
mod forward;
mod headers;
mod model;
mod program;
mod relay;
mod report;
mod request_body;
mod root_cause;
mod said;
mod server;
mod upstream;
mod watch;

pub use self::{
    program::{Failure, run},
    report::{End, Report, Usage},
    server::{Settings, serve},
    upstream::{InvalidUpstream, Upstream},
};
