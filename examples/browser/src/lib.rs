//! The program of the page: a chat, a talk and a live feed, read by `eventwire` over the browser's `fetch`.
//!
//! What it makes of bytes is apart from what it shows: [`message`], [`chunk`], [`tool_call`], [`change`], [`failure`], [`readings`] and
//! [`utf8`] know nothing of a page, and are tested on any machine by `cargo test`.

mod ask_form;
mod change;
mod chat;
mod chat_log;
mod chunk;
mod curve;
mod dom;
mod drawing;
mod failure;
mod live;
mod message;
mod part_kind;
mod player;
mod readings;
mod sentences;
mod stage;
mod state;
mod talk;
mod tool_call;
mod utf8;

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// Called by the browser as soon as the program is loaded. An error is in the browser's console.
#[wasm_bindgen(start)]
fn start() -> Result<(), JsValue> {
    chat::Chat::start()?;
    talk::Talk::start()?;
    live::Live::start()?;
    if let Some(body) = dom::document()?.body() {
        dom::set(&body, "data-ready", "true");
    }
    Ok(())
}
