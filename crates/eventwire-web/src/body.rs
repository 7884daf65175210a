//! The body of a response.

use crate::{FetchError, abort_on_drop::AbortOnDrop};
use bytes::Bytes;
use futures_core::Stream;
use js_sys::Uint8Array;
use std::{
    fmt, future,
    pin::Pin,
    task::{Context, Poll, ready},
};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ReadableStreamDefaultReader, Response};

/// The body of a response: a stream of chunks, returned as they arrive.
///
/// Dropping it aborts the request. After its end, and after an error, it returns `None`. The browser has already
/// decompressed the bytes.
pub struct Body(State);

enum State {
    Open {
        reader: ReadableStreamDefaultReader,
        /// The read of the next chunk, if it has begun.
        read: Option<JsFuture>,
        fetch: AbortOnDrop,
    },
    Closed,
}

impl Body {
    pub(crate) fn new(response: &Response, fetch: AbortOnDrop) -> Result<Body, FetchError> {
        // Responses to HEAD and some statuses have no body.
        let Some(stream) = response.body() else { return Ok(Body(State::Closed)) };
        let reader = ReadableStreamDefaultReader::new(&stream).map_err(|error| fetch.error(&error))?;
        Ok(Body(State::Open { reader, read: None, fetch }))
    }

    /// Reads the rest of the body, for example the message of a refused request.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), eventwire_web::FetchError> {
    /// use eventwire_web::Request;
    ///
    /// let response = Request::get("/status").send().await?;
    /// let bytes = response.into_body().bytes(1 << 20).await?; // 1 MiB at most
    /// # let _ = bytes;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`FetchError`] if the body fails, or if it is larger than `limit`, in bytes.
    pub async fn bytes(mut self, limit: usize) -> Result<Bytes, FetchError> {
        let mut all = Vec::new();
        while let Some(chunk) = future::poll_fn(|context| Pin::new(&mut self).poll_next(context)).await {
            let chunk = chunk?;
            if chunk.len() > limit - all.len() {
                return Err(FetchError::too_large());
            }
            all.extend_from_slice(&chunk);
        }
        Ok(all.into())
    }
}

impl Stream for Body {
    type Item = Result<Bytes, FetchError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let State::Open { reader, read, fetch } = &mut self.0 else { return Poll::Ready(None) };
        loop {
            let future = read.get_or_insert_with(|| JsFuture::from(reader.read()));
            let outcome = ready!(Pin::new(future).poll(context));
            *read = None;
            match outcome.and_then(chunk) {
                Ok(Some(chunk)) if chunk.is_empty() => {}
                Ok(Some(chunk)) => return Poll::Ready(Some(Ok(chunk))),
                Ok(None) => {
                    self.0 = State::Closed;
                    return Poll::Ready(None);
                }
                Err(error) => {
                    let error = fetch.error(&error);
                    self.0 = State::Closed;
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
    }
}

fn chunk(result: JsValue) -> Result<Option<Bytes>, JsValue> {
    let result: ReadResult = result.unchecked_into();
    if result.done() {
        return Ok(None);
    }
    // The bodies of responses have no other chunks.
    let chunk: Uint8Array = result.value().dyn_into()?;
    Ok(Some(chunk.to_vec().into()))
}

#[wasm_bindgen]
extern "C" {
    /// The result of a read from a stream: [an object] with `done` and `value`.
    ///
    /// [an object]: https://streams.spec.whatwg.org/#dictdef-readablestreamreadresult
    type ReadResult;

    #[wasm_bindgen(method, getter)]
    fn done(this: &ReadResult) -> bool;

    #[wasm_bindgen(method, getter)]
    fn value(this: &ReadResult) -> JsValue;
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Body").finish_non_exhaustive()
    }
}
