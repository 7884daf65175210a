//! The words that the model understands.

use super::change::Shape;

/// The meaning of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Shape(Shape),
    /// All shapes.
    All,
    Attribute(Attribute),
    /// An attribute in the form of a verb, before its shape: `shrink the circle`.
    Verb(Attribute),
    /// A word such as `the`, which may be between a verb and its shape: `reduce the size of the circle`.
    Determiner,
    /// The shapes and attributes that follow are not meant, up to the next pause: `not the circle`.
    Not,
    /// The attributes that follow are not meant, up to the next pause: `do not make the circle red`.
    DoNot,
    /// A comma, a full stop, or a word with the same effect.
    Pause,
    Other,
}

/// A property that a shape can get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attribute {
    /// A CSS colour.
    Colour(&'static str),
    /// Per cent of the normal size. `Bigger` is also a fixed size, because the model does not know the current size.
    Size(u8),
    /// Per cent of the stage, from the left.
    X(u8),
    /// Per cent of the stage, from the top.
    Y(u8),
    /// The middle of the stage, or of a side if the text also names a side.
    Middle,
}

/// Returns the meaning of a word in lower case.
pub(super) fn meaning(word: &str) -> Meaning {
    if let Some(attribute) = attribute(word) {
        return Meaning::Attribute(attribute);
    }
    match word {
        "circle" | "circles" | "disc" | "disk" | "ball" => Meaning::Shape(Shape::Circle),
        "square" | "squares" | "box" => Meaning::Shape(Shape::Square),
        "triangle" | "triangles" => Meaning::Shape(Shape::Triangle),
        "all" | "every" | "each" | "everything" | "shapes" => Meaning::All,
        "grow" | "enlarge" | "increase" => Meaning::Verb(Attribute::Size(BIG)),
        "shrink" | "reduce" | "decrease" => Meaning::Verb(Attribute::Size(SMALL)),
        "centre" | "center" => Meaning::Verb(Attribute::Middle),
        "the" | "a" | "an" | "this" | "that" | "my" | "your" | "size" | "of" => Meaning::Determiner,
        "not" | "without" => Meaning::Not,
        "dont" | "never" => Meaning::DoNot,
        "," | "." | ";" | ":" | "!" | "?" | "but" | "instead" => Meaning::Pause,
        _ => Meaning::Other,
    }
}

const SMALL: u8 = 60;
const BIG: u8 = 150;

fn attribute(word: &str) -> Option<Attribute> {
    let colour = |name| Some(Attribute::Colour(name));
    match word {
        "red" => colour("red"),
        "orange" => colour("orange"),
        "yellow" => colour("yellow"),
        "green" => colour("green"),
        "turquoise" | "teal" => colour("turquoise"),
        "blue" => colour("blue"),
        "purple" | "violet" => colour("purple"),
        "pink" => colour("pink"),
        "brown" => colour("brown"),
        "black" => colour("black"),
        "white" => colour("white"),
        "grey" | "gray" => colour("grey"),
        "gold" | "golden" => colour("gold"),
        "tiny" | "smallest" => Some(Attribute::Size(30)),
        "small" | "smaller" | "little" => Some(Attribute::Size(SMALL)),
        "normal" | "medium" => Some(Attribute::Size(100)),
        "big" | "bigger" | "large" | "larger" => Some(Attribute::Size(BIG)),
        "huge" | "enormous" | "giant" | "biggest" | "largest" => Some(Attribute::Size(200)),
        "left" => Some(Attribute::X(15)),
        "right" => Some(Attribute::X(85)),
        "top" | "up" | "upper" | "upwards" => Some(Attribute::Y(15)),
        "bottom" | "down" | "lower" | "downwards" => Some(Attribute::Y(85)),
        "middle" => Some(Attribute::Middle),
        _ => None,
    }
}
