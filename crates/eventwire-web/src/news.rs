//! Ending a delay early, when the browser has news.

use eventwire_client::Handle;
use js_sys::Function;
use std::{
    cell::{Cell, OnceCell},
    fmt,
    rc::Rc,
};
use wasm_bindgen::{JsCast, JsValue, prelude::*};
use web_sys::{AbortController, AddEventListenerOptions};

/// Ends the delay of an event source when the network is back, and when the page becomes visible, unless the server
/// has said when to send the next request. Dropping all clones removes the listeners.
#[derive(Clone, Default)]
pub(crate) struct News {
    /// Whether the server has said it.
    pub(crate) is_put_off: Rc<Cell<bool>>,
    listening: Rc<OnceCell<Listening>>,
}

struct Listening {
    controller: AbortController,
    /// It must live as long as it is registered.
    _listener: Closure<dyn FnMut(Event)>,
}

impl News {
    /// The server has said nothing about the next request yet.
    pub(crate) fn begin_attempt(&self) {
        self.is_put_off.set(false);
    }

    pub(crate) fn listen(&self, handle: Handle) {
        let Ok(controller) = AbortController::new() else { return };
        let options = AddEventListenerOptions::new();
        options.set_signal(&controller.signal());
        let is_put_off = Rc::clone(&self.is_put_off);
        let listener: Closure<dyn FnMut(Event)> = Closure::new(move |event: Event| {
            if event.target().hidden() != Some(true) && !is_put_off.get() {
                handle.reconnect_now();
            }
        });
        for name in ["online", "visibilitychange"] {
            // Node has no such function.
            let _ = listen(name, listener.as_ref().unchecked_ref(), &options);
        }
        let _ = self.listening.set(Listening { controller, _listener: listener });
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.controller.abort();
    }
}

impl fmt::Debug for News {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("News").finish_non_exhaustive()
    }
}

#[wasm_bindgen]
extern "C" {
    type Event;

    #[wasm_bindgen(method, getter)]
    fn target(this: &Event) -> Target;

    /// A document, or the window or worker, which has no such property.
    type Target;

    #[wasm_bindgen(method, getter)]
    fn hidden(this: &Target) -> Option<bool>;

    /// The function of a window or a worker. The events of a document reach its window.
    #[wasm_bindgen(js_name = addEventListener, catch)]
    fn listen(event: &str, listener: &Function, options: &AddEventListenerOptions) -> Result<(), JsValue>;
}
