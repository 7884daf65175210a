//! A change of a shape: its colour, size and place.

use serde_json::{Map, Value};

use super::vocabulary::Attribute;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Circle,
    Square,
    Triangle,
}

impl Shape {
    pub(super) const ALL: [Shape; 3] = [Shape::Circle, Shape::Square, Shape::Triangle];

    pub(super) fn name(self) -> &'static str {
        match self {
            Shape::Circle => "circle",
            Shape::Square => "square",
            Shape::Triangle => "triangle",
        }
    }
}

/// A change of one shape. A field that is `None` does not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) shape: Shape,
    colour: Option<&'static str>,
    size: Option<u8>,
    x: Option<u8>,
    y: Option<u8>,
    /// Sets the coordinates that are not named to the middle, so that `the middle of the left side` is a place.
    is_middle: bool,
}

impl Change {
    pub(super) fn new(shape: Shape) -> Change {
        Change { shape, colour: None, size: None, x: None, y: None, is_middle: false }
    }

    /// Adds an attribute. It replaces an earlier one of the same kind.
    pub(super) fn add(&mut self, attribute: Attribute) {
        match attribute {
            Attribute::Colour(name) => self.colour = Some(name),
            Attribute::Size(per_cent) => self.size = Some(per_cent),
            Attribute::X(per_cent) => self.x = Some(per_cent),
            Attribute::Y(per_cent) => self.y = Some(per_cent),
            Attribute::Middle => self.is_middle = true,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.is_like(&Change::new(self.shape))
    }

    /// Whether another shape has the same change.
    pub(super) fn is_like(&self, other: &Change) -> bool {
        Change { shape: other.shape, ..*self } == *other
    }

    fn x(&self) -> Option<u8> {
        self.x.or(self.is_middle.then_some(50))
    }

    fn y(&self) -> Option<u8> {
        self.y.or(self.is_middle.then_some(50))
    }

    /// Returns the arguments of the tool call.
    pub(super) fn arguments(&self) -> String {
        let members = [
            ("shape", Some(Value::from(self.shape.name()))),
            ("colour", self.colour.map(Value::from)),
            ("size", self.size.map(Value::from)),
            ("x", self.x().map(Value::from)),
            ("y", self.y().map(Value::from)),
        ];
        let members = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Value::Object(members.collect::<Map<_, _>>()).to_string()
    }

    /// Returns the new place in words.
    fn place(&self) -> Option<&'static str> {
        Some(match (self.x(), self.y()) {
            (None, None) => return None,
            (Some(..=49), None) => "to the left",
            (Some(51..), None) => "to the right",
            (None, Some(..=49)) => "to the top",
            (None, Some(51..)) => "to the bottom",
            (Some(..=49), Some(..=49)) => "to the top left corner",
            (Some(51..), Some(..=49)) => "to the top right corner",
            (Some(..=49), Some(51..)) => "to the bottom left corner",
            (Some(51..), Some(51..)) => "to the bottom right corner",
            (Some(..=49), Some(50)) => "to the middle of the left side",
            (Some(51..), Some(50)) => "to the middle of the right side",
            (Some(50), Some(..=49)) => "to the middle of the top",
            (Some(50), Some(51..)) => "to the middle of the bottom",
            (Some(50), _) | (None, Some(50)) => "to the middle",
        })
    }

    /// Returns the new size and colour in words.
    fn looks(&self) -> Vec<&'static str> {
        let size = self.size.map(|per_cent| match per_cent {
            ..=49 => "tiny",
            50..=99 => "small",
            100 => "normal-sized",
            101..=179 => "big",
            180.. => "huge",
        });
        size.into_iter().chain(self.colour).collect()
    }
}

/// Returns a sentence about equal changes of several shapes: `the circle and the square become red`.
pub(super) fn sentence(changes: &[Change]) -> String {
    let Some(change) = changes.first() else { return String::new() };
    let names: Vec<String> = changes.iter().map(|change| format!("the {}", change.shape.name())).collect();
    let is_one = changes.len() == 1;
    let becomes = if is_one { "becomes" } else { "become" };
    let moves = if is_one { "moves" } else { "move" };
    let mut deeds = Vec::new();
    if !change.looks().is_empty() {
        deeds.push(format!("{becomes} {}", list(&change.looks())));
    }
    deeds.extend(change.place().map(|place| format!("{moves} {place}")));
    format!("{} {}", list(&names), list(&deeds))
}

/// Joins the items like `one, two and three`.
fn list(items: &[impl AsRef<str>]) -> String {
    let mut list = String::new();
    for (place, item) in items.iter().enumerate() {
        list += match (place, items.len() - place) {
            (0, _) => "",
            (_, 1) => " and ",
            _ => ", ",
        };
        list += item.as_ref();
    }
    list
}
