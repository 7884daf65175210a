//! What a reader gets, and the events that are sent.

use eventwire::Event;
use eventwire_hub::StreamPosition;

/// One item of a reader's stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    Opening(StreamPosition),
    Event { at: StreamPosition, number: u64 },
    Gap { at: StreamPosition, missed: Option<u64> },
}

/// Creates an event that has a number, and in which each lost or additional byte is seen.
pub(crate) fn event(number: u64, padding: usize) -> Event {
    Event::new(format!("{number} {padding} {}", "x".repeat(padding)))
}

impl Item {
    /// Reads an item. Everything that a hub does not send is an error.
    pub(crate) fn read(bytes: &[u8]) -> Result<Item, String> {
        let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
        let wrong = || format!("no item: {text:.100?}");
        let lines: Vec<_> = text.strip_suffix("\n\n").ok_or_else(wrong)?.split('\n').collect();
        let at = lines.iter().find_map(|line| line.strip_prefix("id: ")).ok_or_else(wrong)?;
        let at = at.parse().map_err(|_| wrong())?;
        match lines[..] {
            [_] => Ok(Item::Opening(at)),
            ["event: gap", _, "data: {}"] => Ok(Item::Gap { at, missed: None }),
            ["event: gap", _, data] => {
                let missed = data.strip_prefix("data: {\"missed\":").and_then(|data| data.strip_suffix('}'));
                let missed = missed.and_then(|missed| missed.parse().ok()).ok_or_else(wrong)?;
                Ok(Item::Gap { at, missed: Some(missed) })
            }
            [_, data] => {
                let data = data.strip_prefix("data: ").ok_or_else(wrong)?;
                let mut words = data.split(' ');
                let mut word = || words.next().ok_or_else(wrong);
                let number = word()?.parse().map_err(|_| wrong())?;
                let padding: usize = word()?.parse().map_err(|_| wrong())?;
                let rest = word()?;
                if rest.len() != padding || rest.bytes().any(|byte| byte != b'x') {
                    return Err(wrong());
                }
                Ok(Item::Event { at, number })
            }
            _ => Err(wrong()),
        }
    }
}

impl Item {
    /// Reads an item of a stream of several topics: the index of the topic, and the item as it would be in a stream of
    /// that topic. The opening is one for each. `told` is the position of each topic before.
    pub(crate) fn read_merged(
        bytes: &[u8],
        names: &[String],
        told: &[Option<StreamPosition>],
    ) -> Result<Vec<(usize, Item)>, String> {
        let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
        let wrong = || format!("no item: {text:.100?}, after {told:?}");
        let id = text.split('\n').find_map(|line| line.strip_prefix("id: ")).ok_or_else(wrong)?;
        let positions: Vec<_> = id.split(',').zip(names).filter_map(|(at, name)| at.strip_prefix(name)).collect();
        let positions: Option<Vec<_>> = positions.into_iter().map(|at| at.strip_prefix('=')).collect();
        let positions = positions.filter(|positions| positions.len() == names.len()).ok_or_else(wrong)?;
        if text.lines().count() == 2 {
            let openings = positions.iter().map(|at| at.parse().map(Item::Opening).map_err(|_| wrong()));
            return openings.enumerate().map(|(index, opening)| Ok((index, opening?))).collect();
        }
        let is_new = |index: &usize| told[*index].is_none_or(|told| told.to_string() != positions[*index]);
        let new: Vec<_> = (0..names.len()).filter(is_new).collect();
        let [index] = new[..] else { return Err(wrong()) };
        let gap = format!("data: {{\"topic\":\"{}\"", names[index]);
        let text = text.replace(id, positions[index]).replace(&format!("{gap},"), "data: {").replace(&gap, "data: {");
        Ok(vec![(index, Item::read(text.as_bytes())?)])
    }
}

#[test]
fn items_of_two_topics() {
    let names = ["a".to_owned(), "b".to_owned()];
    let at = |sequence| StreamPosition::new(7, sequence);
    let told = [Some(at(1)), Some(at(2))];
    let read = |text: &str, [a, b]: [u64; 2]| {
        let text = text.replace("ID", &format!("a={},b={}", at(a), at(b)));
        Item::read_merged(text.as_bytes(), &names, &told)
    };
    assert_eq!(read("id: ID\n\n", [3, 4]), Ok(vec![(0, Item::Opening(at(3))), (1, Item::Opening(at(4)))]));
    assert_eq!(read("id: ID\ndata: 5 0 \n\n", [1, 3]), Ok(vec![(1, Item::Event { at: at(3), number: 5 })]));
    let gap = "event: gap\nid: ID\ndata: {\"topic\":\"b\",\"missed\":4}\n\n";
    assert_eq!(read(gap, [1, 6]), Ok(vec![(1, Item::Gap { at: at(6), missed: Some(4) })]));
    assert!(read(gap, [5, 2]).is_err());
    let gap = "event: gap\nid: ID\ndata: {\"topic\":\"a\"}\n\n";
    assert_eq!(read(gap, [6, 2]), Ok(vec![(0, Item::Gap { at: at(6), missed: None })]));
    assert!(read("id: ID\ndata: 5 0 \n\n", [2, 3]).is_err());
}

#[test]
fn items() {
    let at = StreamPosition::new(7, 3);
    let read = |text: String| Item::read(text.as_bytes());
    assert_eq!(read(format!("id: {at}\n\n")), Ok(Item::Opening(at)));
    assert_eq!(read(format!("event: gap\nid: {at}\ndata: {{}}\n\n")), Ok(Item::Gap { at, missed: None }));
    assert_eq!(
        read(format!("event: gap\nid: {at}\ndata: {{\"missed\":4}}\n\n")),
        Ok(Item::Gap { at, missed: Some(4) })
    );
    for padding in [0, 3] {
        let event = String::from_utf8(event(5, padding).encoded().as_ref().to_vec()).unwrap();
        assert_eq!(read(format!("id: {at}\n{event}")), Ok(Item::Event { at, number: 5 }));
        assert!(read(event.clone()).is_err());
        assert!(read(format!("id: {at}\n{}", event.replacen(' ', " 1", 2))).is_err());
    }
}
