//! Measures one stream, and reports at its end.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use axum::http::{Method, StatusCode};
use eventwire::{BlockRef, DecodeError};

use crate::report::{End, Report};
use crate::said::Said;
use crate::server::Log;

/// Measures one stream, and logs its report when it is dropped. If it is dropped before the end of the stream, the
/// client closed the connection.
pub(crate) struct Watch {
    measured: Arc<Mutex<Measured>>,
    started: Instant,
    end: Option<End>,
    log: Log,
}

/// Shared with the observer in the tap.
struct Measured {
    report: Report,
    is_complete: bool,
}

impl Watch {
    pub(crate) fn new(method: Method, path: String, status: StatusCode, started: Instant, log: Log) -> Watch {
        let (tokens, usage, first_token, total, end) = (0, None, None, started.elapsed(), End::Unmarked);
        let report = Report { method, path, status, tokens, usage, first_token, total, end };
        Watch { measured: Arc::new(Mutex::new(Measured { report, is_complete: false })), started, end: None, log }
    }

    /// Returns the observer for the tap.
    pub(crate) fn observer(&self) -> impl FnMut(Result<BlockRef<'_>, DecodeError>) + Send + use<> {
        let (measured, started) = (Arc::clone(&self.measured), self.started);
        move |block| {
            if let Ok(BlockRef::Event(event)) = block {
                lock(&measured).note(&Said::read(event.data()), started);
            }
        }
    }

    pub(crate) fn end(&mut self, end: End) {
        self.end = Some(end);
    }
}

impl Measured {
    fn note(&mut self, said: &Said, started: Instant) {
        if said.is_text {
            self.report.tokens += 1;
            self.report.first_token.get_or_insert_with(|| started.elapsed());
        }
        self.report.usage = said.usage.or(self.report.usage);
        self.is_complete |= said.is_end;
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let measured = lock(&self.measured);
        let mut report = measured.report.clone();
        report.total = self.started.elapsed();
        report.end = match self.end.take() {
            Some(end @ (End::CutOff(_) | End::Unreadable(_))) => end,
            // Some clients close the connection as soon as they have read the marker.
            _ if measured.is_complete => End::Complete,
            Some(end) => end,
            None => End::ClientLeft,
        };
        drop(measured);
        (self.log)(&report);
    }
}

/// The measurements are still correct after a panic in another thread.
fn lock(measured: &Mutex<Measured>) -> MutexGuard<'_, Measured> {
    measured.lock().unwrap_or_else(PoisonError::into_inner)
}
