//! Sending a request.

use crate::{Body, FetchError, Request};
use eventwire_client::Attempt;
use http::{Response, header::RETRY_AFTER};
use std::{cell::Cell, pin::Pin, rc::Rc};

/// The future of a response to a request.
pub type Sending = Pin<Box<dyn Future<Output = Result<Response<Body>, FetchError>>>>;

/// Sends the request of an attempt, and reports to the event source what happens to it, and to the listeners whether
/// the server has said when to send the next one.
pub(crate) fn send(request: Request, attempt: Attempt, is_put_off: Rc<Cell<bool>>) -> Sending {
    Box::pin(async move {
        attempt.handle_start(request.resend);
        let outcome = request.for_attempt(&attempt).send().await;
        match &outcome {
            Ok(response) => {
                // The first server has carried out the request.
                if response.body().is_redirected() {
                    attempt.handle_carried_out();
                }
                is_put_off.set(response.headers().contains_key(RETRY_AFTER));
            }
            // It is not valid, was aborted, or has a response that the browser hides.
            Err(error) if error.is_permanent() => attempt.handle_permanent_error(),
            Err(_) => {}
        }
        outcome
    })
}
