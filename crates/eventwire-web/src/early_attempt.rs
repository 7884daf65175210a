//! Ending a delay early, when the browser has news.

use crate::last_request::LastRequest;
use eventwire_client::Handle;
use js_sys::Function;
use std::fmt;
use wasm_bindgen::{JsCast, JsValue, prelude::*};
use web_sys::{AbortController, AddEventListenerOptions};

/// Ends the delay of an event source when the network is back, and when the page becomes visible. Dropping it removes
/// the listeners.
pub(crate) struct EarlyAttempt {
    controller: AbortController,
    /// The listener, which must live as long as it is registered.
    _listener: Closure<dyn FnMut(Event)>,
}

impl EarlyAttempt {
    pub(crate) fn new(handle: Handle, last_request: LastRequest) -> Option<EarlyAttempt> {
        let controller = AbortController::new().ok()?;
        let options = AddEventListenerOptions::new();
        options.set_signal(&controller.signal());
        let listener: Closure<dyn FnMut(Event)> = Closure::new(move |event: Event| {
            if event.target().hidden() != Some(true) && !last_request.is_put_off() {
                handle.reconnect_now();
            }
        });
        for name in ["online", "visibilitychange"] {
            // Node has no such function.
            let _ = listen(name, listener.as_ref().unchecked_ref(), &options);
        }
        Some(EarlyAttempt { controller, _listener: listener })
    }
}

impl Drop for EarlyAttempt {
    fn drop(&mut self) {
        self.controller.abort();
    }
}

impl fmt::Debug for EarlyAttempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EarlyAttempt").finish_non_exhaustive()
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
