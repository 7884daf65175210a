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

    /// Shows the state of the connection, `open` or `waiting`, with a sentence about it.
    #[wasm_bindgen(method)]
    pub(crate) fn connection(this: &ConnectionView, state: &str, words: &str);

    /// The view of an answer of the chat.
    #[wasm_bindgen(extends = ConnectionView)]
    pub type ChatView;

    /// Adds words to the answer.
    #[wasm_bindgen(method)]
    pub(crate) fn text(this: &ChatView, words: &str);

    /// Ends the answer. The outcome is `complete`, `cut-off`, `failed`, or `unreachable`, which means failed
    /// without any response.
    #[wasm_bindgen(method)]
    pub(crate) fn end(this: &ChatView, outcome: &str, words: &str);

    /// The view of an answer of the talk. Sentences are counted from 1. The number is 0 if the server does not send
    /// one.
    pub type TalkView;

    /// Adds words to a sentence.
    #[wasm_bindgen(method)]
    pub(crate) fn text(this: &TalkView, sentence: u32, words: &str);

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

    /// Shows that readings are missing between the last one and the next.
    #[wasm_bindgen(method)]
    pub(crate) fn gap(this: &LiveView);

    /// Shows that the feed has ended, and why.
    #[wasm_bindgen(method)]
    pub(crate) fn end(this: &LiveView, words: &str);
}
