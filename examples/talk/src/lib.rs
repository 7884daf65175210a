//! An example: a server that answers with text and sound in one response.
//!
//! `POST /talk` takes a conversation as OpenAI's chat completions do, and asks a model, whose answer comes as an event stream. The
//! response is a stream of parts, `multipart/x-mixed-replace`:
//!
//! | `Content-Type` | what |
//! |---|---|
//! | `text/plain; charset=utf-8` | text, word by word as the model gives it. All text parts together are the answer |
//! | `audio/wav` | a sentence, spoken |
//! | `application/json` | the model's tool calls: an object with `tool_calls`, after the text |
//! | `image/svg+xml` | a drawing of the sound, which replaces the last one |
//!
//! Parts with text or sound have a header `Sentence`, a number from 1, which says what belongs together. A text part has text of one
//! sentence only. A sentence may be split into several text parts, because the sound of an earlier one is sent as soon as it is ready.
//! Sentences shorter than 30 characters are joined with the next one. Text without letters and digits is not spoken.
//!
//! If the model fails before its first word, the response is a JSON error with a status. If it fails later, the response breaks off without
//! a close delimiter. If the client leaves, the request to the model is dropped, and the processes that speak are killed.
//!
//! [`serve`] is the server, which other programs and tests run in their own process. [`listen()`] reads an answer. [`run`] is the
//! program `talk`: `cargo run -p talk` shows both at work, and `cargo run -p talk -- --help` lists its options.

mod api_error;
mod chunk;
mod conversation;
mod drawing;
mod http_client;
mod listen;
mod log;
mod model;
mod model_error;
mod passages;
mod program;
mod root_cause;
mod safe_text;
mod server;
mod sound;
mod speaker;
mod speech;
mod talk;
mod tones;
mod tool_calls;
mod utf8;

pub use self::{
    listen::{Heard, ListenError, listen},
    model::{InvalidModel, Model},
    program::{Failure, run},
    server::{Settings, serve},
    sound::{InvalidWav, Sound},
    speaker::Speaker,
};
