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
/// After its end, and after an error, it returns `None`. The browser has already decompressed the bytes. Dropping it
/// before its end aborts the request.
pub struct Body {
    response: Response,
    /// `None` after the end.
    source: Option<Source>,
}

struct Source {
    reader: ReadableStreamDefaultReader,
    /// The read of the next chunk, if it has begun.
    read: Option<JsFuture>,
    fetch: AbortOnDrop,
}

impl Body {
    pub(crate) fn new(response: Response, fetch: AbortOnDrop) -> Result<Body, FetchError> {
        // Responses to HEAD and some statuses have no body.
        let source = match response.body() {
            Some(stream) => {
                let reader = ReadableStreamDefaultReader::new(&stream).map_err(|error| fetch.error(&error))?;
                Some(Source { reader, read: None, fetch })
            }
            None => None,
        };
        Ok(Body { response, source })
    }

    /// Returns whether the request was redirected, even if to its own URL.
    pub(crate) fn is_redirected(&self) -> bool {
        self.response.redirected()
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
        let Some(source) = &mut self.source else { return Poll::Ready(None) };
        let item = ready!(source.poll(context));
        if !matches!(item, Some(Ok(_))) {
            self.source = None;
        }
        Poll::Ready(item)
    }
}

impl Source {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, FetchError>>> {
        loop {
            let future = self.read.get_or_insert_with(|| JsFuture::from(self.reader.read()));
            let outcome = ready!(Pin::new(future).poll(context));
            self.read = None;
            let chunk = outcome.and_then(chunk).map_err(|error| self.fetch.error(&error));
            match chunk.transpose() {
                Some(Ok(chunk)) if chunk.is_empty() => {}
                item => return Poll::Ready(item),
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
