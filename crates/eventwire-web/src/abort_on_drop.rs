//! Aborting a `fetch`.

use crate::FetchError;
use js_sys::Array;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};
use web_sys::{AbortController, AbortSignal};

/// Aborts its `fetch` when it is dropped. A complete `fetch` is not affected.
#[derive(Debug)]
pub(crate) struct AbortOnDrop {
    controller: AbortController,
    /// The user's signal.
    signal: Option<AbortSignal>,
}

impl AbortOnDrop {
    pub(crate) fn new(signal: Option<AbortSignal>) -> Result<AbortOnDrop, FetchError> {
        let controller = AbortController::new().map_err(|error| FetchError::invalid_request(&error))?;
        Ok(AbortOnDrop { controller, signal })
    }

    /// Returns the signal for `fetch`: the controller's, combined with the user's.
    pub(crate) fn signal(&self) -> Result<AbortSignal, FetchError> {
        let own = self.controller.signal();
        let Some(signal) = &self.signal else { return Ok(own) };
        let both = any(&Array::of2(&own, signal));
        both.map_err(|_| {
            FetchError::invalid_request(&"this browser has no `AbortSignal.any`, which `with_signal` needs".into())
        })
    }

    /// Returns what the browser's error means.
    pub(crate) fn error(&self, error: &JsValue) -> FetchError {
        match &self.signal {
            // The reason of a signal can be any value.
            Some(signal) if signal.aborted() => FetchError::aborted(error),
            _ => FetchError::network(error),
        }
    }
}

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.controller.abort();
    }
}

#[wasm_bindgen]
extern "C" {
    /// Returns an error where the function does not exist; web-sys's version throws an exception there.
    #[wasm_bindgen(catch, js_namespace = AbortSignal)]
    fn any(signals: &Array) -> Result<AbortSignal, JsValue>;
}
