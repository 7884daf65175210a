//! Several channels in one response.

use crate::{
    channel::Channel,
    cursor::Part,
    gap::{Gap, Lag},
    notices::{GapEvent, Notices, Phase},
    numbered_event::NumberedEvent,
    record::Progress,
    resume::{Origin, Resume},
    source::Source,
    stream_position::{StreamPosition, event_id},
    subscription::Subscription,
};
use eventwire::{Event, Outgoing};
use futures_core::Stream;
use http::StatusCode;
use std::{
    collections::BTreeMap,
    fmt::Write,
    pin::Pin,
    str,
    task::{Context, Poll},
    time::Duration,
};

/// The most topics that can be merged.
const MAX_TOPICS: usize = 16;
/// The longest name of a topic, in bytes. With it, an ID is at most 1,647 bytes long.
const MAX_NAME: usize = 64;
/// The longest ID that is read, in bytes.
const MAX_ID: usize = 2048;
/// Stands in an ID for the position of a topic until the reader is told that it has missed something of it.
const UNKNOWN: &str = "-";

/// Several channels as one stream, so that a page needs one connection for all of them. A browser has only six to a
/// host over HTTP/1.1, for all of its tabs together.
///
/// Each channel is a *topic* with a name. The reader gets the events of all topics, in order within each topic; busy
/// topics take turns. An event does not say which topic it is from, so give the events of different topics different
/// types. The ID of an event has the positions of all topics, such as
/// `prices=9f86d081884c7d65-42,chat=51ab88310c6e8e12-7`. So each topic continues where the reader was. A topic that is
/// not in the ID begins with its next event, also if the reader had it earlier and then left it out. A gap event names
/// its topic: `{"topic":"chat","missed":3}`.
///
/// ```
/// # futures_util::FutureExt::now_or_never(async {
/// use eventwire::Event;
/// use eventwire_hub::{Channel, History, Merged, Resume};
/// use futures_util::StreamExt;
///
/// let (prices, chat) = (Channel::new(History::new()), Channel::new(History::new()));
/// let mut reader = Merged::subscribe([("prices", &prices), ("chat", &chat)], Resume::Live)?;
/// reader.next().await; // the opening
///
/// let hello = chat.send(&Event::new("hello").with_event_type("chat")?)?;
/// let event = reader.next().await.unwrap().into_bytes();
/// assert_eq!(
///     event,
///     format!(
///         "id: prices={},chat={hello}\nevent: chat\ndata: hello\n\n",
///         prices.position()
///     )
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap().unwrap();
/// ```
///
/// The stream ends when all topics have ended. A topic that has ended and [goes on](Channel::restart) before that is
/// read again.
#[derive(Debug)]
#[must_use = "a stream does nothing unless it is polled"]
pub struct Merged<R = Subscription> {
    topics: Vec<Branch<R>>,
    /// The topic that is asked first.
    turn: usize,
    notices: Notices,
}

#[derive(Debug)]
struct Branch<R> {
    name: Box<str>,
    reader: R,
}

impl Merged {
    /// Returns the stream of a reader of these topics, which begins where `resume` says.
    ///
    /// A name has 1 to 64 of the characters `A-Z a-z 0-9 _ . -`. There can be up to 16 topics. Each of them starts as
    /// described for [`Channel::subscribe`], with the position that the reader's ID has for it.
    ///
    /// # Errors
    ///
    /// [`MergeError::UpToDate`] if all channels are finished and the reader has everything: answer with status 204.
    /// The other errors are about the topics. If a request names them, answer with status 400. The error converts to
    /// these statuses, as [`UpToDate`](crate::UpToDate) does.
    pub fn subscribe<'a>(
        topics: impl IntoIterator<Item = (&'a str, &'a Channel)>,
        resume: Resume<'_>,
    ) -> Result<Merged, MergeError> {
        let mut merging = Merging::new(&resume);
        for (name, channel) in topics {
            let from = merging.begin(name)?;
            merging.add(name, channel.open(from));
        }
        merging.finish()
    }

    /// Sets what happens when the reader is so slow that the next event of a topic is no longer kept; see
    /// [`Subscription::with_lag`].
    pub fn with_lag(mut self, lag: Lag) -> Merged {
        self.topics.iter_mut().for_each(|topic| topic.reader.cursor.set_lag(lag));
        self
    }
}

/// Topics that are being merged.
pub(crate) struct Merging<'a, R> {
    begin: Begin<'a>,
    topics: Vec<Branch<R>>,
    is_up_to_date: bool,
}

impl<'a, R> Merging<'a, R> {
    pub(crate) fn new(resume: &'a Resume<'_>) -> Merging<'a, R> {
        Merging { begin: Begin::new(resume), topics: Vec::new(), is_up_to_date: true }
    }

    /// Returns where another topic begins.
    pub(crate) fn begin(&self, name: &str) -> Result<Origin, MergeError> {
        if self.topics.len() == MAX_TOPICS {
            return Err(MergeError::TooManyTopics);
        }
        if !is_name(name) {
            return Err(MergeError::InvalidName(name.to_owned()));
        }
        if self.topics.iter().any(|topic| *topic.name == *name) {
            return Err(MergeError::RepeatedName(name.to_owned()));
        }
        Ok(self.begin.of(name))
    }

    /// Adds the reader of a topic, which may have everything of a stream that has ended.
    pub(crate) fn add(&mut self, name: &str, (reader, is_up_to_date): (R, bool)) {
        self.is_up_to_date &= is_up_to_date;
        self.topics.push(Branch { name: name.into(), reader });
    }

    pub(crate) fn finish(self) -> Result<Merged<R>, MergeError> {
        if self.topics.is_empty() {
            return Err(MergeError::NoTopics);
        }
        if self.is_up_to_date {
            return Err(MergeError::UpToDate);
        }
        Ok(Merged { topics: self.topics, turn: 0, notices: Notices::default() })
    }
}

impl<R: Source> Merged<R> {
    /// Sends this reconnection time in the first block; see [`Subscription::with_retry`].
    pub fn with_retry(mut self, time: Duration) -> Merged<R> {
        self.notices.retry = Some(time);
        self
    }

    /// Sets the event that tells the reader that events of a topic are missing; see
    /// [`Subscription::with_gap_event`]. By default its data is `{"topic":"chat","missed":3}`, without `missed` if the
    /// number is not known.
    pub fn with_gap_event(mut self, event: impl Fn(&Gap<'_>) -> Event + Send + Sync + 'static) -> Merged<R> {
        self.notices.gap_event = Some(GapEvent(Box::new(event)));
        self
    }

    /// The positions of all topics.
    fn id(&self) -> String {
        let mut id = String::new();
        for (index, topic) in self.topics.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            // Writing to a string does not fail.
            let _ = match topic.reader.progress() {
                Progress::UpTo(position) => write!(id, "{comma}{}={position}", topic.name),
                Progress::Unknown { .. } => write!(id, "{comma}{}={UNKNOWN}", topic.name),
            };
        }
        id
    }

    /// Ends the stream, and the readers of its topics with it.
    fn end(&mut self) {
        self.notices.phase = Phase::Ended;
        self.topics.clear();
    }
}

fn is_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(is_allowed)
}

/// Where the topics begin.
enum Begin<'a> {
    /// All in the same way. After an ID that cannot be read, something is missing in every topic.
    Alike(Origin),
    /// After the positions in an ID, or with an event that is told to be missing. Other topics are new to the reader.
    After(BTreeMap<&'a str, Option<StreamPosition>>),
}

impl Begin<'_> {
    fn new<'a>(resume: &'a Resume<'_>) -> Begin<'a> {
        match resume {
            Resume::After(id) => positions(id).map_or(Begin::Alike(Origin::After(None)), Begin::After),
            Resume::Live | Resume::Earliest => Begin::Alike(Origin::new(resume)),
        }
    }

    fn of(&self, topic: &str) -> Origin {
        match self {
            Begin::Alike(from) => *from,
            Begin::After(positions) => positions.get(topic).map_or(Origin::Live, |position| Origin::After(*position)),
        }
    }
}

/// The positions in an ID, by topic. `None` if it is not an ID of a `Merged`.
fn positions(id: &[u8]) -> Option<BTreeMap<&str, Option<StreamPosition>>> {
    if id.len() > MAX_ID {
        return None;
    }
    let mut positions = BTreeMap::new();
    for pair in str::from_utf8(id).ok()?.split(',') {
        let (name, position) = pair.split_once('=').filter(|(name, _)| is_name(name))?;
        let position = if position == UNKNOWN { None } else { Some(position.parse().ok()?) };
        if positions.insert(name, position).is_some() {
            return None;
        }
    }
    Some(positions)
}

impl<R: Source> Stream for Merged<R> {
    type Item = Outgoing;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Outgoing>> {
        let this = &mut *self;
        match this.notices.phase {
            Phase::OpeningDue => {
                let id = this.id();
                return Poll::Ready(this.notices.open(Some(&id)).map(Outgoing::from));
            }
            Phase::Open => {}
            Phase::Ended => return Poll::Ready(None),
        }
        let count = this.topics.len();
        let mut have_all_ended = true;
        for index in (this.turn..count).chain(0..this.turn) {
            let part = match this.topics[index].reader.poll_part(context, NumberedEvent::without_id) {
                Poll::Ready(Some(part)) => part,
                Poll::Ready(None) => continue,
                Poll::Pending => {
                    have_all_ended = false;
                    continue;
                }
            };
            this.turn = (index + 1) % count;
            return Poll::Ready(Some(match part {
                Part::Event(without_id) => Outgoing::from_id(event_id(&this.id()), without_id),
                Part::Transient(blocks) => blocks.into(),
                Part::Gap(missed) => {
                    let gap = Gap { topic: Some(&this.topics[index].name), missed: missed.count() };
                    this.notices.gap(&gap, &this.id()).into()
                }
                // If only this topic ended, the reader would not know.
                Part::Cut => {
                    this.end();
                    return Poll::Ready(None);
                }
            }));
        }
        if !have_all_ended {
            return Poll::Pending;
        }
        this.end();
        Poll::Ready(None)
    }
}

/// Why topics were not [merged](Merged::subscribe).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// The reader has everything, and all channels are finished. Answer with status 204, or it asks again forever.
    #[error("the reader has every event, and the channels are finished")]
    UpToDate,
    /// There is no topic.
    #[error("no topic")]
    NoTopics,
    /// There are more than 16 topics.
    #[error("more than 16 topics")]
    TooManyTopics,
    /// A name is empty, longer than 64 bytes, or has other characters than `A-Z a-z 0-9 _ . -`.
    #[error("invalid topic name {0:?}: use 1 to 64 of the characters A-Z a-z 0-9 _ . -")]
    InvalidName(String),
    /// Two topics have the same name.
    #[error("two topics have the name {0:?}")]
    RepeatedName(String),
}

/// Status 204, No Content, if the reader is up to date; otherwise 400, Bad Request.
impl From<MergeError> for StatusCode {
    fn from(error: MergeError) -> StatusCode {
        if error == MergeError::UpToDate { StatusCode::NO_CONTENT } else { StatusCode::BAD_REQUEST }
    }
}
