//! Draws the chart of the README from the tables that the default benchmark and `encode` print.

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
text { font: 13px system-ui, sans-serif; fill: #1f2328 } .label { text-anchor: end }
.head { font-size: 14px; font-weight: 600 } .note { font-size: 11.5px; fill: #59636e }
.back { fill: #ffffff } .fast { fill: #0969da } .owned { fill: #54aeff } .other { fill: #8c959f } .one { fill: #59636e }
.lost { fill: #bc4c00; font-weight: 600 }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc } .note { fill: #9198a1 } .back { fill: #0d1117 } .fast { fill: #58a6ff } .owned { fill: #1f6feb }
.other { fill: #6e7681 } .one { fill: #9198a1 } .lost { fill: #ffa657 } }";

/// Where the bars begin, and the length of a bar of the value 1.
const LEFT: f64 = 204.0;
const UNIT: f64 = 44.0;

fn main() -> ExitCode {
    match draw(&io::read_to_string(io::stdin()).unwrap_or_default()) {
        Some(svg) => print!("{svg}"),
        None => {
            eprintln!("chart: standard input needs the tables of the default benchmark and of `encode`, with all rows");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn draw(tables: &str) -> Option<String> {
    let (compiler, processor) = tables.lines().next()?.split_once("; `")?.0.split_once("; ")?;
    let rows = rows(tables);
    let mut chart = Chart { svg: String::new(), y: 26.0 };
    chart.line("head", "Throughput: the fastest other crate is 1");
    chart.line("note", "Longer is faster. Geometric means over four chunk sizes. Orange: another crate is faster.");

    chart.panel("Reading, all corpora", []);
    chart.bar("eventwire, borrowed events", "fast", mean(&rows, |row| row.number("decode / fastest"))?);
    chart.bar("eventwire, stream", "owned", mean(&rows, |row| row.number("stream / fastest stream"))?);
    for name in STREAMS {
        let share = |row: &Row<'_>| {
            let fastest = STREAMS.iter().filter_map(|name| row.number(name)).reduce(f64::max)?;
            row.number("stream").and(Some(row.number(name)? / fastest))
        };
        chart.bar(&versioned(name)?, "other", mean(&rows, share)?);
    }
    chart.panel("Reading, eventwire", ["borrowed", "stream"]);
    chart.pairs(&rows, ["decode / fastest", "stream / fastest stream"]);
    chart.panel(&format!("Writing, eventwire ({} is 1)", versioned("axum")?), ["EventRef", "EventBody"]);
    chart.pairs(&rows, ["EventRef / axum", "EventBody / axum"]);

    chart.y += 22.0;
    chart.line("note", &format!("{}, {processor}.", compiler.split(" (").next()?));
    chart.line("note", "Borrowed events: compared with the fastest API of each crate; streams: with streams.");
    let Chart { svg, y } = chart;
    Some(format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 560 {y}" width="560" height="{y}">
<style>
{STYLE}
</style>
<rect class="back" width="560" height="{y}" rx="6"/>
{svg}</svg>
"#
    ))
}

struct Row<'a> {
    corpus: &'a str,
    /// By the heads of their columns.
    numbers: HashMap<&'a str, f64>,
}

/// Reads the rows of all Markdown tables.
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
            rows.push(Row { corpus: cells[1].split(" / ").next().unwrap_or_default(), numbers: numbers.collect() });
        }
    }
    rows
}

impl Row<'_> {
    fn number(&self, head: &str) -> Option<f64> {
        self.numbers.get(head).copied()
    }
}

/// The geometric mean over the rows that have this value.
fn mean(rows: &[Row<'_>], value: impl Fn(&Row<'_>) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = rows.iter().filter_map(value).collect();
    (!values.is_empty()).then(|| table::mean(&values))
}

/// The name of a crate and the version that Cargo.toml pins.
fn versioned(name: &str) -> Option<String> {
    let line = include_str!("../../Cargo.toml").lines().find(|line| line.split(" = ").next() == Some(name))?;
    let (version, _) = line.split_once("\"=")?.1.split_once('"')?;
    Some(format!("{name} {version}"))
}

struct Chart {
    svg: String,
    /// Where the next element goes.
    y: f64,
}

impl Chart {
    /// A heading, and a legend of up to two kinds of bars.
    fn panel<const N: usize>(&mut self, title: &str, kinds: [&str; N]) {
        self.y += 30.0;
        for ((kind, class), x) in kinds.into_iter().zip(["fast", "owned"]).zip([330.0, 450.0]) {
            self.rect(class, x, self.y - 10.0, 10.0, 10.0);
            self.text("note", x + 15.0, self.y - 1.0, kind);
        }
        self.line("head", title);
        self.y -= 8.0;
    }

    /// Two bars for each corpus that is in a table with these columns.
    fn pairs(&mut self, rows: &[Row<'_>], columns: [&str; 2]) {
        for (corpus, label) in CORPORA {
            let of_corpus = |row: &Row<'_>, head| row.number(head).filter(|_| row.corpus == corpus);
            if let [Some(fast), Some(owned)] = columns.map(|head| mean(rows, |row| of_corpus(row, head))) {
                self.bar(label, "fast", fast);
                self.bar("", "owned", owned);
                self.y += 4.0;
            }
        }
    }

    fn bar(&mut self, label: &str, class: &str, value: f64) {
        let (text_y, length) = (self.y + 11.0, value * UNIT);
        let mark = if value < 0.995 && class != "other" { "lost" } else { "" };
        self.text("label", LEFT - 8.0, text_y, label);
        self.rect(class, LEFT, self.y, length, 12.0);
        self.rect("one", LEFT + UNIT - 0.5, self.y, 1.0, 13.0);
        self.text(mark, LEFT + length.max(UNIT) + 6.0, text_y, &format!("{value:.2}"));
        self.y += 13.0;
    }

    fn line(&mut self, class: &str, text: &str) {
        self.text(class, 16.0, self.y, text);
        self.y += 18.0;
    }

    fn text(&mut self, class: &str, x: f64, y: f64, text: &str) {
        let _ = writeln!(self.svg, r#"<text class="{class}" x="{x:.1}" y="{y}">{text}</text>"#);
    }

    fn rect(&mut self, class: &str, x: f64, y: f64, width: f64, height: f64) {
        let _ = writeln!(self.svg, r#"<rect class="{class}" x="{x}" y="{y}" width="{width:.1}" height="{height}"/>"#);
    }
}
