//! The readers of one stream, which can be merged.

use crate::{cursor::Part, gap::Gap, notices::Phase, numbered_event::NumberedEvent};
use eventwire::Encoded;
use std::task::{Context, Poll, ready};

/// The readers that can be merged. It is sealed.
pub trait Source: private::Source {}

pub(crate) mod private {
    use crate::{cursor::Part, notices::Notices, numbered_event::NumberedEvent, record::Progress};
    use eventwire::Encoded;
    use std::task::{Context, Poll};

    pub trait Source: Unpin {
        #[allow(private_interfaces, reason = "nobody else can name this trait")]
        fn progress(&self) -> Progress;
        #[allow(private_interfaces, reason = "nobody else can name this trait")]
        fn notices(&mut self) -> &mut Notices;
        /// Returns what comes next, events in this form. After the end, returns the end, until the topic goes on; the
        /// task is woken then.
        #[allow(private_interfaces, reason = "nobody else can name this trait")]
        fn poll_part(&mut self, context: &mut Context<'_>, form: fn(&NumberedEvent) -> Encoded) -> Poll<Option<Part>>;
    }
}

/// Returns what a reader that is not merged is sent next. Its stream ends with the first end, although the topic may go
/// on.
pub(crate) fn poll_next(reader: &mut impl private::Source, context: &mut Context<'_>) -> Poll<Option<Encoded>> {
    match reader.notices().phase {
        Phase::OpeningDue => {
            let id = reader.progress().position().map(|position| position.to_string());
            if let Some(opening) = reader.notices().open(id.as_deref()) {
                return Poll::Ready(Some(opening));
            }
        }
        Phase::Open => {}
        Phase::Ended => return Poll::Ready(None),
    }
    let part = ready!(reader.poll_part(context, NumberedEvent::whole));
    let position = reader.progress().continues_after();
    let notices = reader.notices();
    Poll::Ready(match part {
        Some(Part::Event(blocks) | Part::Transient(blocks)) => Some(blocks),
        Some(Part::Gap(missed)) => {
            Some(notices.gap(&Gap { topic: None, missed: missed.count() }, &position.to_string()))
        }
        Some(Part::Cut) | None => {
            notices.phase = Phase::Ended;
            None
        }
    })
}
