//! An example: a server that answers with text and sound in one response, and a page that shows the answers in a
//! browser.
//!
//! | endpoint | response |
//! |---|---|
//! | `GET /` | the page, which is built in `examples/browser` |
//! | `POST /talk` | a model's answer as text and sound: a stream of parts |
//! | `POST /chat` | a model's answer, passed on unchanged: an event stream |
//! | `GET /live` | a feed: an event each second |
//!
//! # Talk
//!
//! The request is a conversation in the format of OpenAI's chat completions. The server asks a model, which answers
//! with an event stream. The response is a stream of parts, `multipart/x-mixed-replace`:
//!
//! | `Content-Type` | content |
//! |---|---|
//! | `text/plain; charset=utf-8` | text, word by word as the model sends it; all text parts together are the answer |
//! | `audio/wav` | a spoken sentence |
//! | `application/json` | the model's tool calls: an object with `tool_calls`, after the text |
//! | `image/svg+xml` | a drawing of the sound, which replaces the previous one |
//!
//! Parts with text or sound have a header `Sentence`, a number from 1, which connects the text and the sound of a
//! sentence. A text part has text of only one sentence. A sentence may be split into several text parts, because
//! the sound of an earlier sentence is sent as soon as it is ready. Sentences shorter than 30 characters are joined
//! with the next one. Text without letters and digits is not spoken.
//!
//! If the model fails before its first word, the response is a JSON error with a status. If it fails later, the
//! response ends without a close delimiter. If the client disconnects, the request to the model is dropped, and the
//! processes that speak are killed.
//!
//! # Chat
//!
//! The request is the same. The model's status, content type, `Retry-After` and body are passed on. Nothing is
//! retried, so that the client can decide what to do. The model's name and the API key stay on the server. If the
//! model's stream breaks, so does the response. If the client disconnects, the request to the model is dropped.
//! Without a response to pass on, the response is a JSON error.
//!
//! # The live feed
//!
//! `GET /live` is an event stream with one event for each second since 1970. The number of the second is the ID:
//!
//! ```text
//! event: reading
//! id: 1700000000
//! data: {"n":1700000000,"value":58.09}
//! ```
//!
//! The value is from 0 to 100. It depends only on the number, so every server sends the same values. The feed
//! starts with the last 60 events, or after the event that `Last-Event-ID` names. A client that missed more than
//! 3,600 events gets an event `gap` without an ID, whose data contains the range that is left out
//! (`{"from":1699990000,"to":1699996399}`), and then the last 3,600 events.
//!
//! # The library and the program
//!
//! [`serve`] is the server, which other programs and tests can run in their own process. [`listen()`] reads an
//! answer. [`run`] is the program `talk`: `cargo run -p talk` serves the page, `cargo run -p talk -- --demo` shows
//! server and client in the terminal, and `cargo run -p talk -- --help` lists the options.

mod api_error;
mod chunk;
mod clock;
mod conversation;
mod demo_model;
mod drawing;
mod http_client;
mod listen;
mod live;
mod log;
mod model;
mod model_error;
mod page;
mod passages;
/// Shared with the program `eventwire`.
#[path = "../../../crates/eventwire-cli/src/printable.rs"]
mod printable;
mod program;
mod reading;
mod relay;
mod root_cause;
mod server;
mod sound;
mod speaker;
mod speech;
mod talk;
mod tones;
mod tool_calls;
mod utf8;

pub use self::{
    clock::Clock,
    listen::{Heard, ListenError, listen},
    model::{InvalidModel, Model},
    page::Page,
    program::{Failure, run},
    server::{Settings, serve},
    sound::{InvalidWav, Sound},
    speaker::Speaker,
};
