//! The curve of the last readings.

use js_sys::Array;
use wasm_bindgen::JsValue;
use web_sys::Element;

use crate::dom;
use crate::readings::{LENGTH, Readings};

/// The size of the chart, as its `viewBox` has it.
const WIDTH: f64 = 590.0;
const HEIGHT: f64 = 100.0;
/// How much of the height stays free above and below.
const MARGIN: f64 = 8.0;

pub(crate) struct Curve {
    chart: Element,
    curve: Element,
    area: Element,
    dot: Element,
}

impl Curve {
    pub(crate) fn new() -> Result<Curve, JsValue> {
        Ok(Curve {
            chart: dom::element("live-chart")?,
            curve: dom::element("live-curve")?,
            area: dom::element("live-area")?,
            dot: dom::element("live-dot")?,
        })
    }

    pub(crate) fn draw(&self, readings: &Readings) {
        let (low, high) =
            readings.recent().fold((f64::MAX, f64::MIN), |(low, high), (_, value)| (low.min(value), high.max(value)));
        // A line that does not move is in the middle.
        let range = (high - low).max(f64::EPSILON);
        let step = WIDTH / f64::from(u32::try_from(LENGTH - 1).unwrap_or(1));
        let points: Vec<(f64, f64)> = readings
            .recent()
            .map(|(ago, value)| {
                let height = (value - low) / range * (HEIGHT - 2.0 * MARGIN);
                (WIDTH - f64::from(ago) * step, HEIGHT - MARGIN - height)
            })
            .collect();
        let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
        dom::set(&self.curve, "points", &text(&points));
        // A line without a length: with round ends it is a dot.
        dom::set(&self.dot, "points", &text(&[*last, *last]));
        let corners = [(last.0, HEIGHT), (first.0, HEIGHT)];
        dom::set(&self.area, "points", &text(&[&points[..], &corners[..]].concat()));
        let words =
            format!("Curve of the last {} readings, between {} and {}", points.len(), rounded(low), rounded(high));
        dom::set(&self.chart, "aria-label", &words);
    }
}

/// A value with two decimals.
pub(crate) fn rounded(value: f64) -> String {
    js_sys::Number::from(value).to_fixed(2).map_or_else(|_| String::new(), String::from)
}

/// The list of points, as SVG has it.
fn text(points: &[(f64, f64)]) -> String {
    let list = Array::new();
    for (x, y) in points {
        list.push(&(*x).into());
        list.push(&(*y).into());
    }
    list.join(" ").into()
}
