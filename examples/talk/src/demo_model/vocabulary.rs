//! The words that the model understands.

use super::change::Shape;

/// What a word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Shape(Shape),
    /// All shapes.
    All,
    Attribute(Attribute),
    /// An attribute in the form of a verb, which stands before its shape: `shrink the circle`.
    Verb(Attribute),
    /// `the` and the like, which may stand between a verb and its shape: `reduce the size of the circle`.
    Determiner,
    /// The shapes and attributes that follow are not meant, up to the next pause: `not the circle`.
    Not,
    /// The attributes that follow are not meant, up to the next pause: `do not make the circle red`.
    DoNot,
    /// A comma, a full stop, or a word with the same effect.
    Pause,
    Other,
}

/// Something that a shape can become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attribute {
    /// A colour of CSS.
    Colour(&'static str),
    /// Per cent of the normal size. `Bigger` is a size, too: the model does not know how big a shape is.
    Size(u8),
    /// Per cent of the stage, from the left.
    X(u8),
    /// Per cent of the stage, from the top.
    Y(u8),
    /// The middle of the stage, or of a side if one is named as well.
    Middle,
}

/// What this word means, which has no capital letters.
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
