//! The naive twin of a channel. It remembers everything that was ever sent, and searches all of it to find out what a
//! reader gets next. It shares no code with the crate.

/// What was sent, and whether it is still kept.
#[derive(Debug)]
struct Sent {
    /// The epoch and the number of an event; `None` for a transient item.
    position: Option<(u64, u64)>,
    data: String,
    is_kept: bool,
}

#[derive(Debug)]
pub(crate) struct Channel {
    max_events: usize,
    max_bytes: usize,
    /// The position of the newest event.
    pub(crate) newest: (u64, u64),
    /// The number before the first event since the last restart.
    begin: u64,
    sent: Vec<Sent>,
    pub(crate) is_finished: bool,
    pub(crate) readers: usize,
    pub(crate) gaps: u64,
    pub(crate) ended: u64,
}

#[derive(Clone, Debug)]
pub(crate) enum Resume {
    Live,
    Earliest,
    After(Vec<u8>),
}

/// What a reader gets, as text. Events have no ID yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Event(String),
    Transient(String),
    Gap(Option<u64>),
    TooSlow,
    Nothing,
    End,
}

#[derive(Debug)]
pub(crate) struct Reader {
    /// What its last event ID says, if that is a position.
    pub(crate) id: Option<(u64, u64)>,
    /// Where it goes on if its ID says nothing.
    otherwise: (u64, u64),
    /// Something is missing from the start, so that it is told even if it ends when it is slow.
    begins_with_gap: bool,
    /// How many items of all that were ever sent it does not get if they are transient.
    skipped: usize,
    ends_when_slow: bool,
    has_got_nothing: bool,
    pub(crate) has_ended: bool,
}

pub(crate) fn text((epoch, number): (u64, u64)) -> String {
    format!("{epoch:016x}-{number}")
}

/// The position that is written as exactly this text.
fn position(text: &[u8]) -> Option<(u64, u64)> {
    let read = std::str::from_utf8(text).ok()?;
    let (epoch, number) = read.split_at_checked(16)?;
    let position = (u64::from_str_radix(epoch, 16).ok()?, number.strip_prefix('-')?.parse().ok()?);
    (self::text(position) == read).then_some(position)
}

impl Channel {
    pub(crate) fn new(max_events: usize, max_bytes: usize, epoch: u64) -> Channel {
        let sent = Vec::new();
        Channel {
            max_events,
            max_bytes,
            newest: (epoch, 0),
            begin: 0,
            sent,
            is_finished: false,
            readers: 0,
            gaps: 0,
            ended: 0,
        }
    }

    fn kept(&self, are_events: bool) -> Vec<usize> {
        let is_wanted = |sent: &Sent| sent.is_kept && sent.position.is_some() == are_events;
        (0..self.sent.len()).filter(|&index| is_wanted(&self.sent[index])).collect()
    }

    fn bytes_of(&self, items: &[usize]) -> usize {
        let bytes = |sent: &Sent| match sent.position {
            Some(position) => format!("id: {}\ndata: {}\n\n", text(position), sent.data).len(),
            None => format!("data: {}\n\n", sent.data).len(),
        };
        items.iter().map(|&item| bytes(&self.sent[item])).sum()
    }

    pub(crate) fn events(&self) -> usize {
        self.kept(true).len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes_of(&self.kept(true)) + self.bytes_of(&self.kept(false))
    }

    pub(crate) fn oldest(&self) -> Option<(u64, u64)> {
        self.kept(true).into_iter().filter_map(|event| self.sent[event].position).min()
    }

    fn before_oldest(&self) -> (u64, u64) {
        self.oldest().map_or(self.newest, |(epoch, number)| (epoch, number - 1))
    }

    /// Forgets as few of the oldest items as possible, so that the rest is good enough.
    fn forget(&mut self, are_events: bool, is_enough: impl Fn(&Channel, &[usize]) -> bool) {
        let kept = self.kept(are_events);
        let forgotten = (0..kept.len()).find(|&count| is_enough(self, &kept[count..])).unwrap_or(kept.len());
        kept[..forgotten].iter().for_each(|&item| self.sent[item].is_kept = false);
    }

    fn forget_events(&mut self) {
        self.forget(true, |channel, events| {
            let bytes = channel.bytes_of(events) + channel.bytes_of(&channel.kept(false));
            events.len() == 1 || (events.len() <= channel.max_events && bytes <= channel.max_bytes)
        });
    }

    pub(crate) fn send(&mut self, data: &str) -> Result<(u64, u64), ()> {
        if self.is_finished {
            return Err(());
        }
        self.newest.1 += 1;
        self.sent.push(Sent { position: Some(self.newest), data: data.to_owned(), is_kept: true });
        self.forget_events();
        Ok(self.newest)
    }

    pub(crate) fn send_transient(&mut self, data: &str) -> Result<(), ()> {
        if self.is_finished || format!("data: {data}\n\n").len() > self.max_bytes / 4 {
            return Err(());
        }
        self.sent.push(Sent { position: None, data: data.to_owned(), is_kept: true });
        self.forget(false, |channel, items| {
            let (events, bytes) = (channel.max_events / 4, channel.max_bytes / 4);
            items.len() <= events.max(1) && channel.bytes_of(items) <= bytes
        });
        if self.events() > 0 {
            self.forget_events();
        }
        Ok(())
    }

    pub(crate) fn restart(&mut self, after: (u64, u64)) -> Result<(), ()> {
        if after.0 == self.newest.0 && after.1 < self.newest.1 {
            return Err(());
        }
        self.sent.iter_mut().for_each(|sent| sent.is_kept = false);
        self.newest = after;
        self.begin = after.1;
        self.is_finished = false;
        Ok(())
    }

    /// Returns the reader, and whether it is up to date.
    pub(crate) fn subscribe(&mut self, resume: &Resume, ends_when_slow: bool) -> (Reader, bool) {
        let id = match resume {
            Resume::Live => Some(self.newest),
            Resume::Earliest => Some((self.newest.0, 0)),
            Resume::After(id) => position(id).filter(|id| id.0 != self.newest.0 || id.1 <= self.newest.1),
        };
        let is_up_to_date = self.is_finished && matches!(resume, Resume::After(_)) && id == Some(self.newest);
        let mut reader = Reader {
            id,
            otherwise: self.newest,
            begins_with_gap: false,
            skipped: self.sent.len(),
            ends_when_slow,
            has_got_nothing: true,
            has_ended: false,
        };
        reader.begins_with_gap = !matches!(resume, Resume::Live) && self.missed(&reader).is_some();
        self.readers += 1;
        (reader, is_up_to_date)
    }

    /// Whether the event with this number can be read.
    fn can_read(&self, number: u64) -> bool {
        self.kept(true).iter().any(|&event| self.sent[event].position == Some((self.newest.0, number)))
    }

    /// Whether anything is missing after a position, and how much if that is known.
    fn missed(&self, reader: &Reader) -> Option<Option<u64>> {
        let Some((epoch, number)) = reader.id else { return Some(None) };
        if epoch != self.newest.0 || number > self.newest.1 {
            return Some(None);
        }
        let missing = (number + 1..=self.newest.1).filter(|number| !self.can_read(*number)).count();
        (missing > 0).then_some(Some(u64::try_from(missing).unwrap()))
    }

    pub(crate) fn next(&mut self, reader: &mut Reader) -> Part {
        if reader.has_ended {
            return Part::End;
        }
        if let Some(missed) = self.missed(reader) {
            let is_slow = !reader.begins_with_gap || !reader.has_got_nothing;
            let was_there = reader.id.is_some_and(|id| id.1 >= self.begin);
            if missed.is_some() && reader.ends_when_slow && is_slow && was_there {
                reader.has_ended = true;
                self.ended += 1;
                return Part::TooSlow;
            }
            let otherwise = reader.otherwise;
            let is_known = otherwise.0 == self.newest.0
                && otherwise.1 <= self.newest.1
                && (otherwise.1 + 1..=self.newest.1).all(|number| self.can_read(number));
            reader.id = Some(if reader.id.is_none() && is_known { otherwise } else { self.before_oldest() });
            reader.has_got_nothing = false;
            self.gaps += 1;
            return Part::Gap(missed);
        }
        let read = reader.id.unwrap();
        for index in reader.skipped..self.sent.len() {
            let sent = &self.sent[index];
            let has_read_before = self.sent[..index].iter().all(|sent| {
                !sent.is_kept || sent.position.is_none_or(|position| position.0 != read.0 || position.1 <= read.1)
            });
            if sent.is_kept && sent.position.is_none() && has_read_before {
                reader.skipped = index + 1;
                reader.has_got_nothing = false;
                return Part::Transient(format!("data: {}\n\n", sent.data));
            }
        }
        let next = (read.0, read.1 + 1);
        if let Some(event) = self.sent.iter().find(|sent| sent.is_kept && sent.position == Some(next)) {
            reader.id = Some(next);
            reader.has_got_nothing = false;
            return Part::Event(format!("data: {}\n\n", event.data));
        }
        if self.is_finished { Part::End } else { Part::Nothing }
    }
}

/// Several topics: the one after the last one that had something is asked first.
#[derive(Debug)]
pub(crate) struct Merged {
    pub(crate) readers: Vec<Reader>,
    turn: usize,
    has_ended: bool,
}

/// The ID of each topic, and what to do with it.
pub(crate) fn resumes(id: &[u8], names: &[&str]) -> Vec<Resume> {
    let nothing = || vec![Resume::After(b"?".to_vec()); names.len()];
    let Ok(id) = str::from_utf8(id) else { return nothing() };
    let pairs: Option<Vec<(&str, &str)>> = id.split(',').map(|pair| pair.split_once('=')).collect();
    let Some(pairs) = pairs else { return nothing() };
    let is_twice = pairs.iter().any(|(name, _)| pairs.iter().filter(|other| other.0 == *name).count() > 1);
    let is_name = |name: &str| !name.is_empty() && !name.contains(['?', ' ']);
    let is_wrong = |pair: &(&str, &str)| !is_name(pair.0) || (pair.1 != "-" && position(pair.1.as_bytes()).is_none());
    if id.len() > 2048 || is_twice || pairs.iter().any(is_wrong) {
        return nothing();
    }
    let resume = |name: &&str| {
        pairs.iter().find(|pair| pair.0 == *name).map_or(Resume::Live, |pair| Resume::After(pair.1.into()))
    };
    names.iter().map(resume).collect()
}

impl Merged {
    pub(crate) fn new(readers: Vec<Reader>) -> Merged {
        Merged { readers, turn: 0, has_ended: false }
    }

    /// Returns which topic has something.
    pub(crate) fn next(&mut self, channels: &mut [Channel]) -> (usize, Part) {
        if self.has_ended {
            return (0, Part::End);
        }
        let count = self.readers.len();
        let mut ended = 0;
        for index in (0..count).map(|step| (self.turn + step) % count) {
            match channels[index].next(&mut self.readers[index]) {
                Part::Nothing => {}
                Part::End => ended += 1,
                part => {
                    self.turn = index + 1;
                    self.has_ended = part == Part::TooSlow;
                    return (index, part);
                }
            }
        }
        self.has_ended = ended == count;
        (0, if ended == count { Part::End } else { Part::Nothing })
    }
}
