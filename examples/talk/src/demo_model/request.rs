//! Finds the changes that a text asks for.

use super::change::{Change, Shape};
use super::vocabulary::{Attribute, Meaning, meaning};

/// Returns one change for each shape in the text, in the order of the text. The change of a shape without
/// attributes is empty.
///
/// An attribute belongs to the shape before it (`the circle red and big`, `it to the left`), or to several shapes
/// with no attribute between them (`the circle and the square blue`). An attribute directly before a shape belongs
/// to that shape (`a big red circle`).
pub(super) fn changes(text: &str) -> Vec<Change> {
    let words = words(text);
    let meanings: Vec<Meaning> = (0..words.len()).map(|place| meaning_in(&words, place)).collect();
    let are_before_shapes = are_before_shapes(&meanings);
    let mut reader = Reader { changes: Vec::new(), targets: Vec::new(), waiting: Vec::new(), is_closed: false };
    // The last negation since the last pause.
    let mut negation = None;
    for (place, meaning) in meanings.iter().enumerate() {
        match (*meaning, negation) {
            (Meaning::Not | Meaning::DoNot, _) => negation = Some(*meaning),
            (Meaning::Pause, _) => {
                // In `Do not move the circle, move the square` the two shapes are not a group. The shapes of two
                // sentences are not a group either.
                reader.is_closed |= negation.is_some() || matches!(words[place].as_str(), "." | "!" | "?" | ";");
                negation = None;
            }
            (_, Some(Meaning::Not)) | (Meaning::Determiner | Meaning::Other, _) => {}
            (Meaning::Shape(shape), _) => reader.name(&[shape]),
            (Meaning::All, _) => reader.name(&Shape::ALL),
            (Meaning::Attribute(_) | Meaning::Verb(_), Some(_)) => {}
            (Meaning::Attribute(attribute) | Meaning::Verb(attribute), None) => {
                if are_before_shapes[place] {
                    reader.waiting.push(attribute);
                } else {
                    reader.describe(attribute);
                }
            }
        }
    }
    reader.changes
}

/// Returns the meaning of a word, which may depend on the words before and after it.
fn meaning_in(words: &[String], place: usize) -> Meaning {
    let word = |place: Option<usize>| place.and_then(|place| words.get(place)).map_or("", String::as_str);
    let next = word(place.checked_add(1));
    match (word(place.checked_sub(1)), words[place].as_str()) {
        (_, "all") if next == "right" => Meaning::Other,
        ("all", "right") => Meaning::Other,
        ("do", "not") => Meaning::DoNot,
        (_, "right") if matches!(next, "now" | "away") => Meaning::Other,
        (_, "little") if matches!(next, "to" | "more" | "further") => Meaning::Other,
        (_, "all" | "every" | "each") if matches!(meaning(next), Meaning::Shape(_)) => Meaning::Other,
        (_, word) => meaning(word),
    }
}

/// Splits a text into words, without capital letters and apostrophes. A punctuation mark is a word.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for char in text.chars().filter(|char| !matches!(char, '\'' | '’')) {
        if char.is_alphanumeric() {
            word.extend(char.to_lowercase());
            continue;
        }
        if !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if char.is_ascii_punctuation() {
            words.push(char.into());
        }
    }
    words.push(word);
    words
}

/// Returns for each place whether the attribute there belongs to the shape after it. It does if only attributes are
/// between the two; after a verb, determiners may be between them too. It is computed in one pass from the end,
/// because a long text can consist of attributes.
fn are_before_shapes(meanings: &[Meaning]) -> Vec<bool> {
    // The answers for an attribute and for a verb directly before the current place.
    let (mut attribute, mut verb) = (false, false);
    let mut answers: Vec<bool> = meanings
        .iter()
        .rev()
        .map(|meaning| {
            match meaning {
                Meaning::Shape(_) | Meaning::All => (attribute, verb) = (true, true),
                Meaning::Attribute(_) | Meaning::Verb(_) => {}
                Meaning::Determiner => attribute = false,
                _ => (attribute, verb) = (false, false),
            }
            if matches!(meaning, Meaning::Verb(_)) { verb } else { attribute }
        })
        .collect();
    answers.reverse();
    answers
}

struct Reader {
    changes: Vec<Change>,
    /// The shapes to which the next attribute belongs.
    targets: Vec<Shape>,
    /// Attributes that belong to the next shape.
    waiting: Vec<Attribute>,
    /// Whether the next shape starts a new group.
    is_closed: bool,
}

impl Reader {
    fn name(&mut self, shapes: &[Shape]) {
        if std::mem::take(&mut self.is_closed) {
            self.targets.clear();
        }
        for &shape in shapes {
            if !self.targets.contains(&shape) {
                self.targets.push(shape);
            }
            let change = change_of(&mut self.changes, shape);
            self.waiting.iter().for_each(|attribute| change.add(*attribute));
        }
        self.waiting.clear();
    }

    fn describe(&mut self, attribute: Attribute) {
        if self.targets.is_empty() {
            self.waiting.push(attribute);
            return;
        }
        self.is_closed = true;
        for shape in &self.targets {
            change_of(&mut self.changes, *shape).add(attribute);
        }
    }
}

/// Returns the change of this shape, and adds an empty one if necessary.
fn change_of(changes: &mut Vec<Change>, shape: Shape) -> &mut Change {
    let place = changes.iter().position(|change| change.shape == shape).unwrap_or_else(|| {
        changes.push(Change::new(shape));
        changes.len() - 1
    });
    &mut changes[place]
}
