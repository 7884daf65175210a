//! What is decided while there is no answer.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use eventwire::client::{ConnectionError, Decide, ResponseHead, Verdict};
use eventwire_web::FetchError;

use crate::failure;
use crate::views::ChatView;

/// A server that asks for more patience than this is not waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Says what the client of the chat does. The feed says it by its items, and has this type too, so that the client is in the program once.
#[derive(Default)]
pub(crate) struct Watch {
    pub(crate) view: Option<ChatView>,
    pub(crate) is_open: Rc<Cell<bool>>,
}

impl Watch {
    fn say(&self, words: &str) {
        if let Some(view) = &self.view {
            view.status(words);
        }
    }
}

impl Decide<FetchError> for Watch {
    fn verdict(&mut self, head: &ResponseHead<'_>) -> Verdict {
        let verdict = Verdict::default_for(head);
        if verdict == Verdict::Retry && head.retry_after().is_some_and(|delay| delay > LONGEST_WAIT) {
            return Verdict::Fail;
        }
        if verdict == Verdict::Open {
            self.is_open.set(true);
            self.say("");
        }
        verdict
    }

    fn delay(&mut self, delay: Duration, _: u32, error: &ConnectionError<FetchError>) -> Duration {
        self.say(&failure::retry(error, delay));
        delay
    }
}
