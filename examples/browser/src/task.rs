//! Something that goes on until it is complete, or stopped.

use std::pin::Pin;

use futures_util::future::{AbortHandle, abortable};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::spawn_local;

/// What the exported functions return.
#[wasm_bindgen]
pub struct Task(AbortHandle);

impl Task {
    /// Begins it. In a box, so that the code around it is in the program once.
    pub(crate) fn begin(future: Pin<Box<dyn Future<Output = ()>>>) -> Task {
        let (future, handle) = abortable(future);
        spawn_local(async {
            // It is an error if the task was stopped. JavaScript knows, because it did that.
            let _ = future.await;
        });
        Task(handle)
    }
}

#[wasm_bindgen]
impl Task {
    /// Drops the future, and so aborts its request. Does nothing if it is complete.
    pub fn stop(&self) {
        self.0.abort();
    }
}
