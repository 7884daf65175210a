//! Draws the chart of the README from the tables of two benchmarks:
//!
//! ```sh
//! (cargo run --release && cargo run --release --bin encode) | cargo run --release --bin chart > ../results.svg
//! ```

use std::{collections::HashMap, fmt::Write, io, process::ExitCode};

use eventwire_rivals::table;

const STREAMS: [&str; 5] = ["sse-core", "sse-stream", "sseer", "sse-parse", "eventsource-stream"];

const CORPORA: [(&str, &str); 10] = [
    ("openai", "OpenAI-like, 300 bytes"),
    ("openai-crlf", "the same with CRLF"),
    ("anthropic", "event and data, 150 bytes"),
    ("ticks", "id, event, data, 30 bytes"),
    ("tiny", "16 bytes"),
    ("lines24", "24 data lines"),
    ("cjk-emoji", "CJK and emoji, 190 bytes"),
    ("keep-alive", "50 comments an event"),
    ("mib", "1 MiB"),
    ("recordings", "twenty LLM services"),
];

/// It follows the reader's scheme, and has its own background: the page around it may have another scheme.
const STYLE: &str = "\
text { font: 13px system-ui, sans-serif; fill: #1f2328 } .head { font-size: 14px; font-weight: 600 } .note { font-size: 11.5px; fill: #59636e }
.back { fill: #ffffff } .fast { fill: #0969da } .owned { fill: #54aeff } .other { fill: #8c959f } .line { stroke: #59636e }
.lost { fill: #bc4c00; font-weight: 600 }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc } .note { fill: #9198a1 } .back { fill: #0d1117 } .fast { fill: #58a6ff } .owned { fill: #1f6feb }
.other { fill: #6e7681 } .line { stroke: #9198a1 } .lost { fill: #ffa657 } }";

const WIDTH: f64 = 560.0;
/// Where the bars begin, and the length of a bar of the value 1.
const LEFT: f64 = 204.0;
const UNIT: f64 = 44.0;

fn main() -> ExitCode {
    let tables = io::read_to_string(io::stdin()).unwrap_or_default();
    match Chart::of(&tables) {
        Some(svg) => print!("{svg}"),
        None => {
            eprintln!("chart: standard input needs the tables of the default benchmark and of `encode`, with all rows");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// The numbers of a row of a Markdown table by the heads of their columns, and the name of its corpus.
struct Row<'a>(&'a str, HashMap<&'a str, f64>);

fn rows(tables: &str) -> Vec<Row<'_>> {
    let (mut rows, mut heads) = (Vec::new(), Vec::new());
    for line in tables.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if cells.len() < 3 {
            heads.clear();
        } else if heads.is_empty() {
            heads = cells;
        } else {
            // A mark may follow the number.
            let number = |cell: &str| cell.split(' ').next().and_then(|number| number.parse().ok());
            let numbers = heads.iter().zip(&cells).filter_map(|(&head, cell)| Some((head, number(cell)?)));
            rows.push(Row(cells[1].split(" / ").next().unwrap_or_default(), numbers.collect()));
        }
    }
    rows
}

/// The geometric mean over the rows of one corpus, or of all.
fn mean(rows: &[Row<'_>], corpus: Option<&str>, value: impl Fn(&HashMap<&str, f64>) -> Option<f64>) -> Option<f64> {
    let rows = rows.iter().filter(|row| corpus.is_none_or(|corpus| row.0 == corpus));
    let values: Vec<f64> = rows.filter_map(|row| value(&row.1)).collect();
    (!values.is_empty()).then(|| table::mean(&values))
}

struct Chart {
    svg: String,
    y: f64,
}

impl Chart {
    fn of(tables: &str) -> Option<String> {
        let (compiler, processor) = tables.lines().next()?.split_once("; `")?.0.split_once("; ")?;
        let compiler = compiler.split(" (").next()?;
        let rows = rows(tables);
        let column = |corpus, name: &str| mean(&rows, corpus, |row| row.get(name).copied());
        let mut chart = Chart { svg: String::new(), y: 26.0 };

        chart.text("head", "Throughput: the fastest other crate is 1");
        chart.text("note", "Longer is faster. Geometric means over four chunk sizes. Orange: another crate is faster.");
        chart.panel("Reading, all corpora");
        chart.bar("eventwire, borrowed events", "fast", column(None, "decode / fastest")?);
        chart.bar("eventwire, stream", "owned", column(None, "stream / fastest stream")?);
        for name in STREAMS {
            let fastest =
                |row: &HashMap<&str, f64>| STREAMS.iter().filter_map(|name| row.get(name)).copied().reduce(f64::max);
            let share = mean(&rows, None, |row| row.contains_key("stream").then_some(row.get(name)? / fastest(row)?))?;
            chart.bar(&versioned(name)?, "other", share);
        }
        chart.pairs(
            "Reading, eventwire",
            &rows,
            ["decode / fastest", "stream / fastest stream"],
            ["borrowed", "stream"],
        );
        let writing = format!("Writing, eventwire ({} is 1)", versioned("axum")?);
        chart.pairs(&writing, &rows, ["EventRef / axum", "EventBody / axum"], ["EventRef", "EventBody"]);
        chart.y += 22.0;
        chart.text("note", &format!("{compiler}, {processor}."));
        chart.text("note", "Borrowed events: compared with the fastest API of each crate; streams: with streams.");
        Some(chart.finish())
    }

    /// Two bars for each corpus.
    fn pairs(&mut self, title: &str, rows: &[Row<'_>], columns: [&str; 2], names: [&str; 2]) {
        self.panel(title);
        for (x, class, name) in [(LEFT + 126.0, "fast", names[0]), (LEFT + 246.0, "owned", names[1])] {
            let (y, text_x, text_y) = (self.y - 20.0, x + 15.0, self.y - 11.0);
            let _ = writeln!(
                self.svg,
                r#"<rect class="{class}" x="{x}" y="{y}" width="10" height="10"/>
<text class="note" x="{text_x}" y="{text_y}">{name}</text>"#
            );
        }
        for (corpus, label) in CORPORA {
            let values = columns.map(|name| mean(rows, Some(corpus), |row| row.get(name).copied()));
            if let [Some(fast), Some(owned)] = values {
                self.bar(label, "fast", fast);
                self.bar("", "owned", owned);
                self.y += 4.0;
            }
        }
    }

    fn bar(&mut self, label: &str, class: &str, value: f64) {
        let (y, width) = (self.y, value * UNIT);
        let lost = if value < 0.995 && class != "other" { "lost" } else { "" };
        let (label_x, value_x, text_y, line_x) = (LEFT - 8.0, LEFT + width.max(UNIT) + 6.0, y + 11.0, LEFT + UNIT);
        let _ = writeln!(
            self.svg,
            r#"<text x="{label_x}" y="{text_y}" text-anchor="end">{label}</text>
<rect class="{class}" x="{LEFT}" y="{y}" width="{width:.1}" height="12"/>
<text class="{lost}" x="{value_x:.1}" y="{text_y}">{value:.2}</text>
<path class="line" d="M{line_x} {y}v13"/>"#
        );
        self.y += 13.0;
    }

    fn panel(&mut self, title: &str) {
        self.y += 30.0;
        self.text("head", title);
        self.y -= 8.0;
    }

    fn text(&mut self, class: &str, text: &str) {
        let _ = writeln!(self.svg, r#"<text class="{class}" x="16" y="{}">{text}</text>"#, self.y);
        self.y += 18.0;
    }

    fn finish(self) -> String {
        let (height, svg) = (self.y, self.svg);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\">\n\
             <style>\n{STYLE}\n</style>\n<rect class=\"back\" width=\"100%\" height=\"100%\" rx=\"6\"/>\n{svg}</svg>\n"
        )
    }
}

/// The name of a crate and the version that Cargo.toml pins.
fn versioned(name: &str) -> Option<String> {
    let line = include_str!("../../Cargo.toml").lines().find(|line| line.split(" = ").next() == Some(name))?;
    let (version, _) = line.split_once("\"=")?.1.split_once('"')?;
    Some(format!("{name} {version}"))
}
