//! An example: a proxy in front of a server with the API of OpenAI, such as the example `gateway`. It shows what
//! [`Tap`](eventwire::Tap) and [`Rewrite`](eventwire::Rewrite) are for.
//!
//! Requests and answers pass through. Of each event stream it counts the tokens and measures the time to the first one,
//! removes the comments, and can replace the model's name. When the stream ends, it logs a [`Report`].
//!
//! What does not pass through: headers about one connection only, `Range` and `If-Range`, and trailers, of requests and of
//! answers. The server is asked not to compress its answers, because the proxy cannot read compressed ones; those pass
//! unchanged, and so do partial answers and JSON over 16 MiB.
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
