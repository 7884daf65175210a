//! The views: objects of the page that JavaScript passes in.
//!
//! Their methods must not throw. Bytes are borrowed from the program's memory, so a method that keeps them must
//! copy them. After its signal is aborted, a view is not told about its connection, nor about the end.

use js_sys::Promise;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// A view of a stream that reconnects or is requested again after an error.
    #[derive(Clone)]
    pub type ConnectionView;

    /// The server has begun to answer.
    #[wasm_bindgen(method)]
    pub(crate) fn open(this: &ConnectionView);

    /// There is no connection, for this reason. The next attempt is made in this many milliseconds.
    #[wasm_bindgen(method)]
    pub(crate) fn waiting(this: &ConnectionView, reason: &str, delay: f64);

    /// The view of an answer of the chat.
    #[wasm_bindgen(extends = ConnectionView)]
    pub type ChatView;

    /// Adds words to the answer.
    #[wasm_bindgen(method)]
    pub(crate) fn text(this: &ChatView, words: &str);

    /// Ends the answer. The outcome is `complete`, `cut-off` or `failed`.
    #[wasm_bindgen(method)]
    pub(crate) fn end(this: &ChatView, outcome: &str, words: &str);

    /// The view of an answer of the talk. Sentences are counted from 1. The number is 0 if the server does not send
    /// one.
    pub type TalkView;

    /// Adds UTF-8 to a sentence. It may end inside a character. An empty slice ends the part.
    #[wasm_bindgen(method)]
    pub(crate) fn text(this: &TalkView, sentence: u32, utf8: &[u8]);

    /// Plays the sound of a sentence, a WAV file. The next part is read after the promise has settled.
    #[wasm_bindgen(method)]
    pub(crate) fn sound(this: &TalkView, sentence: u32, file: &[u8]) -> Promise;

    /// Carries out tool calls, as JSON. They come from a model, so they may be invalid.
    #[wasm_bindgen(method)]
    pub(crate) fn calls(this: &TalkView, json: &[u8]);

    /// Shows an image of this media type.
    #[wasm_bindgen(method)]
    pub(crate) fn drawing(this: &TalkView, media_type: &str, image: &[u8]);

    /// Ends the answer, like that of the chat.
    #[wasm_bindgen(method)]
    pub(crate) fn end(this: &TalkView, outcome: &str, words: &str);

    /// The view of the live feed.
    #[wasm_bindgen(extends = ConnectionView)]
    pub type LiveView;

    /// Shows a reading: the ID of its event, and its JSON.
    #[wasm_bindgen(method)]
    pub(crate) fn reading(this: &LiveView, id: &str, json: &str);

    /// Shows that the feed has ended, and why.
    #[wasm_bindgen(method)]
    pub(crate) fn end(this: &LiveView, words: &str);
}
