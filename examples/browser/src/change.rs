//! What a call of the tool asks for.

use serde::Deserialize;

use crate::tool_call::Function;

/// The tools that the model may call, as the request has them.
pub(crate) const TOOLS: &str = include_str!("tools.json");

/// A valid change of one shape. What is `None` stays as it is.
#[derive(Debug, PartialEq)]
pub(crate) struct Change {
    pub(crate) shape: Shape,
    /// Whether it is a colour, the browser knows.
    pub(crate) colour: Option<String>,
    /// Per cent of the normal size.
    pub(crate) size: Option<f64>,
    /// Per cent of the stage, from the left.
    pub(crate) x: Option<f64>,
    /// Per cent of the stage, from the top.
    pub(crate) y: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shape {
    Circle,
    Square,
    Triangle,
}

impl Shape {
    pub(crate) const ALL: [Shape; 3] = [Shape::Circle, Shape::Square, Shape::Triangle];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Shape::Circle => "circle",
            Shape::Square => "square",
            Shape::Triangle => "triangle",
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    shape: String,
    #[serde(alias = "color")]
    colour: Option<String>,
    size: Option<f64>,
    x: Option<f64>,
    y: Option<f64>,
}

impl Change {
    /// The change that a call asks for, or why it cannot be made. The model reads that, and so do people.
    pub(crate) fn of_call(function: &Function) -> Result<Change, String> {
        if function.name != "change_shape" {
            return Err(format!("there is no tool {:.40}; the only one is change_shape", function.name));
        }
        let arguments: Arguments = serde_json::from_str(&function.arguments)
            .map_err(|error| format!("the arguments cannot be read: {error}"))?;
        let Some(shape) = Shape::ALL.into_iter().find(|shape| shape.name() == arguments.shape) else {
            return Err(format!("there is no {:.40}; the shapes are circle, square and triangle", arguments.shape));
        };
        let is_within = |value: Option<f64>, from, to| value.is_none_or(|value| value >= from && value <= to);
        if !is_within(arguments.size, 10.0, 200.0) {
            return Err("the size must be from 10 to 200".into());
        }
        if !is_within(arguments.x, 0.0, 100.0) || !is_within(arguments.y, 0.0, 100.0) {
            return Err("x and y must be from 0 to 100".into());
        }
        let Arguments { colour, size, x, y, .. } = arguments;
        Ok(Change { shape, colour: colour.map(|colour| colour.trim().into()), size, x, y })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(name: &str, arguments: &str) -> Result<Change, String> {
        Change::of_call(&Function { name: name.into(), arguments: arguments.into() })
    }

    #[track_caller]
    fn check_refused(name: &str, arguments: &str, words: &str) {
        let error = change(name, arguments).unwrap_err();
        assert!(error.contains(words), "{error}");
    }

    #[test]
    fn only_the_shape_is_required() {
        let only = Change { shape: Shape::Square, colour: None, size: None, x: None, y: None };
        assert_eq!(change("change_shape", "{\"shape\":\"square\"}").unwrap(), only);
        let all = Change {
            shape: Shape::Circle,
            colour: Some("rebeccapurple".into()),
            size: Some(12.5),
            x: Some(0.0),
            y: Some(100.0),
        };
        let arguments = "{\"shape\":\"circle\",\"colour\":\" rebeccapurple \",\"size\":12.5,\"x\":0,\"y\":100}";
        assert_eq!(change("change_shape", arguments).unwrap(), all);
        assert_eq!(change("change_shape", &arguments.replace("colour", "color")).unwrap(), all);
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        check_refused("rm", "{}", "there is no tool rm");
        check_refused("change_shape", "", "cannot be read");
        check_refused("change_shape", "{\"shape\":\"cir", "cannot be read");
        check_refused("change_shape", "{\"colour\":\"red\"}", "missing field `shape`");
        check_refused("change_shape", "{\"shape\":\"circle\",\"z\":1}", "unknown field `z`");
        check_refused("change_shape", "{\"shape\":\"hexagon\"}", "there is no hexagon");
        for value in ["9", "201", "-1", "1e300"] {
            check_refused("change_shape", &format!("{{\"shape\":\"circle\",\"size\":{value}}}"), "from 10 to 200");
        }
        for value in ["{\"shape\":\"circle\",\"x\":-0.1}", "{\"shape\":\"circle\",\"y\":100.5}"] {
            check_refused("change_shape", value, "from 0 to 100");
        }
    }

    /// The shapes and limits that the model is told are those that are kept.
    #[test]
    fn the_tool_is_described_as_it_is() {
        let tools: serde_json::Value = serde_json::from_str(TOOLS).unwrap();
        let properties = &tools[0]["function"]["parameters"]["properties"];
        assert_eq!(properties["shape"]["enum"], serde_json::json!(Shape::ALL.map(Shape::name)));
        for name in ["size", "x", "y"] {
            for limit in ["minimum", "maximum"] {
                let limit = &properties[name][limit];
                assert!(change("change_shape", &format!("{{\"shape\":\"circle\",\"{name}\":{limit}}}")).is_ok());
            }
        }
    }
}
