//! One table: eventwire's entry at one level against the best entry of each rival.

use std::fmt::Write;

use crate::{
    contender::{Contender, Level, OURS},
    race::{Outcome, Row},
};

#[derive(Clone, Copy)]
pub(crate) enum Section {
    /// Called with bytes. A rival is represented by its fastest entry, which may be its stream.
    Decode,
    /// Polled for events. Only streams take part.
    Stream,
}

impl Section {
    /// Returns the table, its summary, and the wrong results.
    pub(crate) fn report(self, contenders: &[Contender], rows: &[Row]) -> String {
        let rivals = rivals(contenders);
        let lines: Vec<Line> = rows.iter().map(|row| self.line(contenders, &rivals, row)).collect();

        let mut out = format!("## {}\n\nMB/s, the best of the rounds.\n\n", self.title());
        self.write_table(&mut out, &rivals, &lines);
        self.write_sum(&mut out, &lines);
        self.write_wrong(&mut out, contenders, rows);
        out
    }

    fn title(self) -> &'static str {
        match self {
            Section::Decode => "decode",
            Section::Stream => "stream",
        }
    }

    /// Eventwire's entry in the ratio, then the entries that are only shown.
    fn ours(self) -> &'static [&'static str] {
        match self {
            Section::Decode => &["decode", "decode_bytes", "events"],
            Section::Stream => &["stream"],
        }
    }

    fn admits(self, contender: &Contender) -> bool {
        match self {
            Section::Decode => true,
            Section::Stream => contender.level == Level::Stream,
        }
    }

    /// The goal for eventwire's throughput on every row, as a multiple of the fastest rival's.
    fn bar(self) -> f64 {
        match self {
            Section::Decode => 1.25,
            Section::Stream => 0.9,
        }
    }

    fn line(self, contenders: &[Contender], rivals: &[&'static str], row: &Row) -> Line {
        let best_of = |of: &str, entry: Option<&str>| {
            contenders
                .iter()
                .zip(&row.results)
                .filter(|(contender, _)| contender.of == of && self.admits(contender))
                .filter(|(contender, _)| entry.is_none_or(|entry| contender.entry == entry))
                .map(|(_, outcome)| outcome.clone())
                .max_by(|a, b| speed_or_none(a).total_cmp(&speed_or_none(b)))
                .unwrap_or(Outcome::Wrong(String::from("nothing")))
        };
        let ours: Vec<Outcome> = self.ours().iter().map(|entry| best_of(OURS, Some(entry))).collect();
        let theirs: Vec<Outcome> = rivals.iter().map(|rival| best_of(rival, None)).collect();
        let fastest = rivals
            .iter()
            .zip(&theirs)
            .filter_map(|(rival, outcome)| Some((*rival, outcome.speed()?)))
            .max_by(|a, b| a.1.total_cmp(&b.1));
        let ratio = ours[0].speed().zip(fastest).map(|(ours, (_, theirs))| ours / theirs);
        let of_limit = ours[0].speed().map(|ours| ours / row.limit);
        Line {
            name: format!("{} / {}", row.corpus, row.cut),
            ours,
            theirs,
            limit: row.limit,
            pass: row.pass,
            of_limit,
            fastest: fastest.map(|(rival, _)| rival),
            ratio,
        }
    }

    fn write_table(self, out: &mut String, rivals: &[&str], lines: &[Line]) {
        let ours = self.ours().iter().map(|entry| format!("{OURS} {entry}"));
        let mut head = vec![String::from("corpus / cut")];
        head.extend(ours);
        head.extend(rivals.iter().map(|&rival| rival.to_owned()));
        head.extend(["bare pass", "limit", "of the limit", "fastest rival", "ratio"].map(String::from));
        write_cells(out, &head);
        let rule: Vec<&str> = head.iter().map(|_| "---").collect();
        write_cells(out, &rule);
        for line in lines {
            let mut cells = vec![line.name.clone()];
            cells.extend(line.ours.iter().map(megabytes));
            cells.extend(line.theirs.iter().map(megabytes));
            cells.push(megabytes(&Outcome::Speed(line.pass)));
            cells.push(megabytes(&Outcome::Speed(line.limit)));
            cells.push(two_places(line.of_limit));
            cells.push(line.fastest.unwrap_or("none").to_owned());
            cells.push(two_places(line.ratio));
            write_cells(out, &cells);
        }
    }

    fn write_sum(self, out: &mut String, lines: &[Line]) {
        let ratios: Vec<(&Line, f64)> = lines.iter().filter_map(|line| Some((line, line.ratio?))).collect();
        let Some((lowest, minimum)) = ratios.iter().min_by(|a, b| a.1.total_cmp(&b.1)) else {
            return;
        };
        let mean = mean(ratios.iter().map(|(_, ratio)| *ratio));
        let of_limit = mean_of_limit(lines);
        let _ = writeln!(out, "\nGeometric mean of the ratios: {mean:.2}. Of the limit: {of_limit:.2}.");
        let _ = writeln!(out, "Minimum: {minimum:.2}, on {}.\n", lowest.name);

        let below: Vec<_> = ratios.iter().filter(|(_, ratio)| *ratio < self.bar()).collect();
        let missing = lines.len() - ratios.len();
        let _ =
            writeln!(out, "Rows below the bar: {} of {}; rows without a ratio: {missing}.", below.len(), ratios.len());
        for (line, ratio) in below {
            let _ = writeln!(out, "- {}: {ratio:.2}, bar {}", line.name, self.bar());
        }
    }

    fn write_wrong(self, out: &mut String, contenders: &[Contender], rows: &[Row]) {
        for row in rows {
            for (contender, outcome) in contenders.iter().zip(&row.results) {
                if let (Outcome::Wrong(what), true) = (outcome, self.admits(contender)) {
                    let name = contender.name();
                    let _ = writeln!(out, "\nWrong: {name} on {} / {}: {what}.", row.corpus, row.cut);
                }
            }
        }
    }
}

struct Line {
    name: String,
    ours: Vec<Outcome>,
    theirs: Vec<Outcome>,
    limit: f64,
    pass: f64,
    /// Eventwire's throughput divided by the practical limit.
    of_limit: Option<f64>,
    fastest: Option<&'static str>,
    ratio: Option<f64>,
}

fn rivals(contenders: &[Contender]) -> Vec<&'static str> {
    let mut rivals: Vec<&'static str> =
        contenders.iter().map(|contender| contender.of).filter(|of| *of != OURS).collect();
    rivals.dedup();
    rivals
}

fn speed_or_none(outcome: &Outcome) -> f64 {
    outcome.speed().unwrap_or(-1.0)
}

fn mean_of_limit(lines: &[Line]) -> f64 {
    mean(lines.iter().filter_map(|line| line.of_limit))
}

/// The geometric mean.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value.ln(), count + 1.0));
    (sum / count).exp()
}

fn two_places(value: Option<f64>) -> String {
    value.map_or(String::from("none"), |value| format!("{value:.2}"))
}

/// A tilde marks a single trial.
fn megabytes(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Speed(speed) => format!("{:.0}", speed / 1e6),
        Outcome::Slow(speed) => format!("~{:.1}", speed / 1e6),
        Outcome::Wrong(_) => String::from("wrong"),
    }
}

fn write_cells(out: &mut String, cells: &[impl AsRef<str>]) {
    for cell in cells {
        let _ = write!(out, "| {} ", cell.as_ref());
    }
    out.push_str("|\n");
}
