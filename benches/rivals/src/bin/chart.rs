//! Draws the chart of the README from the tables in `benches/results.md`.

use std::{fmt::Write, io, process::ExitCode};

use eventwire_rivals::table;

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

const WIDTH: f64 = 600.0;
/// Where the bars begin, and the longest one ends. Its figure follows.
const LEFT: f64 = 216.0;
const RIGHT: f64 = WIDTH - 58.0;

fn main() -> ExitCode {
    match draw(&io::read_to_string(io::stdin()).unwrap_or_default()) {
        Some(svg) => print!("{svg}"),
        None => {
            eprintln!("chart: standard input must be benches/results.md, with the summaries of reading and writing");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// In all panels but the grey bars, a figure is relative to the fastest other crate of its row.
fn draw(results: &str) -> Option<String> {
    let decode = Ratios::of_columns(results, "decode:")?;
    let stream = Ratios::of_columns(results, "stream:")?;
    let writing = ["EventRef", "EventBody"].map(|ours| Ratios::of_rows(results, ours));
    let [Some(borrowed), Some(body)] = writing else { return None };
    let largest = [&decode, &stream, &borrowed, &body].into_iter().flat_map(Ratios::means).fold(1.0, f64::max);
    let measured = results.split("\n\n").find(|text| text.starts_with("Measured on "))?.replace('\n', " ");
    let (when, machine) = measured.split_once(". ")?.0.split_once(", ")?;

    let mut chart = Chart { svg: String::new(), y: 26.0, unit: (RIGHT - LEFT) / largest };
    chart.line("head", "Throughput, as a multiple of that of the fastest other crate");
    chart.line("note", "Longer is faster. The line is the fastest other crate: 1×.");
    chart.line("note lost", "Orange: another crate is faster.");

    chart.panel("Reading, all corpora", []);
    chart.bar("eventwire, borrowed events", "fast", decode.mean());
    chart.bar("eventwire, stream", "owned", stream.mean());
    for (name, share) in Table::after(results, "The same for the streams of the rivals")?.row("stream")? {
        chart.bar(&versioned(name)?, "other", share);
    }
    chart.panel("Reading, by corpus", ["borrowed events", "stream"]);
    chart.pairs(&decode, &stream);
    chart.panel("Writing, by corpus", ["EventRef", "EventBody"]);
    chart.pairs(&borrowed, &body);

    chart.y += 22.0;
    chart.line("note", "Reading: geometric means over four chunk sizes. Borrowed events are compared");
    chart.line("note", "with the fastest API of each crate, streams with streams.");
    chart.line("note", &format!("Writing: compared with {} and {}.", versioned("axum")?, versioned("sse-stream")?));
    chart.line("note", &format!("{when},"));
    chart.line("note", &format!("{machine}."));
    let Chart { svg, y, .. } = chart;
    Some(format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" height="{y}">
<style>
{STYLE}
</style>
<rect class="back" width="{WIDTH}" height="{y}" rx="6"/>
{svg}</svg>
"#
    ))
}

/// The first Markdown table after a text.
struct Table<'a> {
    heads: Vec<&'a str>,
    rows: Vec<Vec<&'a str>>,
}

impl<'a> Table<'a> {
    fn after(page: &'a str, text: &str) -> Option<Table<'a>> {
        let lines = page.split_once(text)?.1.lines().skip_while(|line| !line.starts_with('|'));
        let cells = |line: &'a str| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>();
        let mut rows = lines.take_while(|line| line.starts_with('|')).map(cells);
        let heads = rows.next()?;
        Some(Table { heads, rows: rows.skip(1).collect() })
    }

    /// The numbers of the row with this name, with the heads of their columns. A number may be bold.
    fn row(&self, name: &str) -> Option<Vec<(&'a str, f64)>> {
        let row = self.rows.iter().find(|row| row.first() == Some(&name))?;
        let number = |cell: &str| cell.trim_matches('*').parse().ok();
        Some(self.heads.iter().zip(row).filter_map(|(head, cell)| Some((*head, number(cell)?))).collect())
    }
}

/// What a figure is divided by that of the fastest other crate, with the name of its corpus.
struct Ratios<'a>(Vec<(&'a str, f64)>);

impl<'a> Ratios<'a> {
    /// Of reading: the four columns whose first head begins with this word. A row is a corpus.
    fn of_columns(results: &'a str, word: &str) -> Option<Ratios<'a>> {
        let table = Table::after(results, "## Summary of reading")?;
        let first = table.heads.iter().position(|head| head.starts_with(word))?;
        let of_row = |row: &Vec<&'a str>| {
            let corpus = *row.first()?;
            let numbers = row.iter().skip(first).take(4).filter_map(|cell| cell.parse().ok());
            Some(numbers.map(|number| (corpus, number)).collect::<Vec<_>>())
        };
        table.rows.iter().map(of_row).collect::<Option<Vec<_>>>().map(|rows| Ratios(rows.concat()))
    }

    /// Of writing: the rows of this type of ours, one for each other crate. A column is a corpus.
    fn of_rows(results: &'a str, ours: &str) -> Option<Ratios<'a>> {
        let table = Table::after(results, "## Summary of writing")?;
        let of = |other: &str| table.row(&format!("`{ours}` / {other}"));
        let both = of("axum")?.into_iter().zip(of("sse-stream")?);
        let is_corpus = |head: &str| CORPORA.iter().any(|(name, _)| *name == head);
        let fastest = both.map(|((corpus, axum), (_, sse_stream))| (corpus, f64::min(axum, sse_stream)));
        Some(Ratios(fastest.filter(|(head, _)| is_corpus(head)).collect()))
    }

    fn mean(&self) -> f64 {
        table::mean(&self.0.iter().map(|(_, number)| *number).collect::<Vec<_>>())
    }

    fn of(&self, corpus: &str) -> Option<f64> {
        let of_corpus = Ratios(self.0.iter().copied().filter(|(name, _)| *name == corpus).collect());
        (!of_corpus.0.is_empty()).then(|| of_corpus.mean())
    }

    fn means(&self) -> impl Iterator<Item = f64> {
        CORPORA.iter().filter_map(|(corpus, _)| self.of(corpus))
    }
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
    /// The length of a bar of the value 1.
    unit: f64,
}

impl Chart {
    /// A heading, and a legend of up to two kinds of bars.
    fn panel<const N: usize>(&mut self, title: &str, kinds: [&str; N]) {
        self.y += 30.0;
        for ((kind, class), x) in kinds.into_iter().zip(["fast", "owned"]).zip([LEFT, LEFT + 140.0]) {
            self.rect(class, x, self.y - 10.0, 10.0, 10.0);
            self.text("note", x + 15.0, self.y - 1.0, kind);
        }
        self.line("head", title);
        self.y -= 8.0;
    }

    /// Two bars for each corpus that both have.
    fn pairs(&mut self, fast: &Ratios<'_>, owned: &Ratios<'_>) {
        for (corpus, label) in CORPORA {
            if let (Some(fast), Some(owned)) = (fast.of(corpus), owned.of(corpus)) {
                self.bar(label, "fast", fast);
                self.bar("", "owned", owned);
                self.y += 4.0;
            }
        }
    }

    fn bar(&mut self, label: &str, class: &str, value: f64) {
        let (text_y, length) = (self.y + 11.0, value * self.unit);
        let mark = if value < 0.995 && class != "other" { "lost" } else { "" };
        self.text("label", LEFT - 8.0, text_y, label);
        self.rect(class, LEFT, self.y, length, 12.0);
        self.rect("one", LEFT + self.unit - 0.5, self.y, 1.0, 13.0);
        self.text(mark, LEFT + length.max(self.unit) + 6.0, text_y, &format!("{value:.2}×"));
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
        let element = format!(r#"<rect class="{class}" x="{x:.1}" y="{y}" width="{width:.1}" height="{height}"/>"#);
        let _ = writeln!(self.svg, "{element}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMITTED: &str = include_str!("../../../results.svg");

    fn attribute(element: &str, name: &str) -> Option<f64> {
        element.split_once(&format!(" {name}=\""))?.1.split_once('"')?.0.parse().ok()
    }

    #[test]
    fn the_committed_chart_shows_the_committed_tables() {
        assert_eq!(draw(include_str!("../../../results.md")).as_deref(), Some(COMMITTED));
    }

    /// The widths of texts are estimated, for a wide font.
    #[test]
    fn nothing_lies_outside() {
        let size = |name| attribute(COMMITTED.lines().next().unwrap_or_default(), name).unwrap();
        let mut count = 0;
        for element in COMMITTED.lines().filter(|line| line.starts_with("<rect class") || line.starts_with("<text")) {
            let (x, y) = (attribute(element, "x").unwrap_or_default(), attribute(element, "y").unwrap_or_default());
            let class = element.split('"').nth(1).unwrap_or_default();
            let font = match class {
                "note" | "note lost" => 11.5,
                "head" => 14.0,
                _ => 13.0,
            };
            let text = element.split_once('>').and_then(|(_, rest)| rest.split_once('<')).map(|(text, _)| text);
            let (left, right, below) = match text {
                Some(text) => {
                    let width = text.chars().count() as f64 * font * 0.58;
                    let left = if class == "label" { x - width } else { x };
                    (left, left + width, y + 4.0)
                }
                None => (x, x + attribute(element, "width").unwrap(), y + attribute(element, "height").unwrap()),
            };
            assert!(left >= 0.0 && right <= size("width") && below <= size("height"), "{left} to {right}: {element}");
            count += 1;
        }
        assert!(count > 100, "{count} elements");
    }
}
