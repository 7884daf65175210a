//! What the page shows: objects that JavaScript passes in.
//!
//! Their methods must not throw. Bytes are borrowed from the program's memory, so a method that keeps them copies them. A view whose
//! signal is aborted is not told what becomes of its connection, nor of the end.

use js_sys::Promise;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// What shows a stream that is sent again, or goes on, after an error.
    #[derive(Clone)]
    pub type ConnectionView;

    /// The state of the connection, `open` or `waiting`, and what goes on in words.
    #[wasm_bindgen(method)]
    pub(crate) fn connection(this: &ConnectionView, state: &str, words: &str);

    /// An answer of the chat.
    #[wasm_bindgen(extends = ConnectionView)]
    pub type ChatView;

    /// Adds words to the answer.
    #[wasm_bindgen(method)]
    pub(crate) fn text(this: &ChatView, words: &str);

    /// How the answer ended: `complete`, `cut-off`, `failed`, or `unreachable`, which is `failed` without any response.
    #[wasm_bindgen(method)]
    pub(crate) fn end(this: &ChatView, outcome: &str, words: &str);

    /// An answer of the talk. Sentences are counted from 1; 0 if the server does not say.
    pub type TalkView;

    /// Adds words to a sentence.
    #[wasm_bindgen(method)]
    pub(crate) fn text(this: &TalkView, sentence: u32, words: &str);

    /// The sound of a sentence, a WAV file. The answer is not read on before the promise is settled.
    #[wasm_bindgen(method)]
    pub(crate) fn sound(this: &TalkView, sentence: u32, file: &[u8]) -> Promise;

    /// Calls of tools, as JSON. They come from a model, so they may be anything.
    #[wasm_bindgen(method)]
    pub(crate) fn calls(this: &TalkView, json: &[u8]);

    /// An image, and its media type.
    #[wasm_bindgen(method)]
    pub(crate) fn drawing(this: &TalkView, media_type: &str, image: &[u8]);

    /// How the answer ended, as for the chat.
    #[wasm_bindgen(method)]
    pub(crate) fn end(this: &TalkView, outcome: &str, words: &str);

    /// The live feed.
    #[wasm_bindgen(extends = ConnectionView)]
    pub type LiveView;

    /// A reading: the ID of its event, and its JSON.
    #[wasm_bindgen(method)]
    pub(crate) fn reading(this: &LiveView, id: &str, json: &str);

    /// Readings are missing between the last one and the next.
    #[wasm_bindgen(method)]
    pub(crate) fn gap(this: &LiveView);

    /// The feed has ended by itself.
    #[wasm_bindgen(method)]
    pub(crate) fn end(this: &LiveView, words: &str);
}
