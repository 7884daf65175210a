//! The stage with the three shapes.

use js_sys::Number;
use wasm_bindgen::JsValue;
use web_sys::{Element, SvgElement};

use crate::change::{Change, Shape};
use crate::dom;

/// A hundredth of the stage, in units of the drawing. Around the stage there is room for half a shape.
const WIDTH: f64 = 1.6;
const HEIGHT: f64 = 1.0;

pub(crate) struct Stage {
    stage: Element,
    shapes: [SvgElement; 3],
}

impl Stage {
    pub(crate) fn new() -> Result<Stage, JsValue> {
        let shape = |shape: Shape| dom::element(&format!("shape-{}", shape.name()));
        let [circle, square, triangle] = Shape::ALL;
        let shapes = [shape(circle)?, shape(square)?, shape(triangle)?];
        let stage = Stage { stage: dom::element("stage")?, shapes };
        stage.describe();
        Ok(stage)
    }

    /// Changes a shape, and says what was done. The error says why it cannot be done.
    pub(crate) fn change(&self, change: &Change) -> Result<String, String> {
        let name = change.shape.name();
        let [circle, square, triangle] = &self.shapes;
        let shape = match change.shape {
            Shape::Circle => circle,
            Shape::Square => square,
            Shape::Triangle => triangle,
        };
        let mut done = Vec::new();
        if let Some(colour) = &change.colour {
            if !is_colour(colour) {
                return Err(format!("{colour:.40} is not a colour"));
            }
            dom::set(shape, "data-colour", colour);
            done.push(colour.clone());
        }
        if let Some(size) = change.size {
            dom::set(shape, "data-size", &dom::number(size));
            done.push(format!("{} % of its size", dom::number(size)));
        }
        if let Some(x) = change.x {
            dom::set(shape, "data-x", &dom::number(x));
            done.push(format!("{} % from the left", dom::number(x)));
        }
        if let Some(y) = change.y {
            dom::set(shape, "data-y", &dom::number(y));
            done.push(format!("{} % from the top", dom::number(y)));
        }
        show(shape);
        self.describe();
        if done.is_empty() {
            return Ok(format!("the {name} stays as it is"));
        }
        Ok(format!("the {name}: {}", done.join(", ")))
    }

    /// The text alternative.
    fn describe(&self) {
        let shapes = Shape::ALL.into_iter().zip(&self.shapes).map(|(kind, shape)| {
            let [colour, size, x, y] = ["colour", "size", "x", "y"].map(|name| data(shape, name));
            format!("A {} of colour {colour}, {size} % in size, {x} % from the left, {y} % from the top.", kind.name())
        });
        dom::set(&self.stage, "aria-label", &shapes.collect::<Vec<_>>().join(" "));
    }
}

/// Shows what the attributes say. A style is used, because a style changes smoothly.
fn show(shape: &SvgElement) {
    let style = shape.style();
    let number = |name, factor: f64| dom::number(Number::parse_float(&data(shape, name)) * factor);
    let (x, y, size) = (number("x", WIDTH), number("y", HEIGHT), number("size", 0.01));
    // Valid values cannot fail.
    let _ = style.set_property("transform", &format!("translate({x}px, {y}px) scale({size})"));
    let _ = style.set_property("fill", &data(shape, "colour"));
}

fn data(shape: &SvgElement, name: &str) -> String {
    shape.get_attribute(&format!("data-{name}")).unwrap_or_default()
}

/// Whether the browser knows this colour. The words that CSS has for every property, and variables, are not colours.
fn is_colour(colour: &str) -> bool {
    let is_of_any_property = ["inherit", "initial", "unset", "revert", "revert-layer"]
        .into_iter()
        .any(|word| colour.eq_ignore_ascii_case(word));
    !is_of_any_property
        && !colour.as_bytes().windows(4).any(|word| word.eq_ignore_ascii_case(b"var("))
        && web_sys::css::supports_with_value("color", colour).unwrap_or(false)
}
