//! The table of a benchmark in Markdown: a row for each race, with the speed of each entry and the ratios of some.

use std::ops::Range;

use crate::{
    head,
    options::Options,
    race::{self, Entry},
};

pub struct Table<'a> {
    options: &'a Options,
    /// Formats a speed, in units a second.
    format: fn(f64) -> String,
    ratios: &'a [Ratio],
    pub rows: Vec<Row>,
    missing: Vec<String>,
}

/// The speed of an entry divided by that of the fastest of other entries. If their order is reversed, it is the time
/// of the other one divided by that of the entry.
pub struct Ratio {
    pub name: &'static str,
    pub of: &'static str,
    pub to: &'static [&'static str],
    pub goal: Range<f64>,
}

/// A goal without a maximum.
pub const fn at_least(minimum: f64) -> Range<f64> {
    minimum..f64::INFINITY
}

pub const fn at_most(maximum: f64) -> Range<f64> {
    0.0..maximum
}

pub struct Row {
    pub corpus: String,
    pub cut: String,
    /// Names and speeds, in units a second. An entry with a wrong result has none.
    pub speeds: Vec<(&'static str, Option<f64>)>,
    /// One for each of the table's ratios.
    pub ratios: Vec<Option<f64>>,
}

impl<'a> Table<'a> {
    /// Prints the machine and what the table contains.
    pub fn new(options: &'a Options, about: &str, format: fn(f64) -> String, ratios: &'a [Ratio]) -> Table<'a> {
        println!("{}\n\n{about}; the best of {} rounds.\n", head::line(), options.rounds);
        Table { options, format, ratios, rows: Vec::new(), missing: Vec::new() }
    }

    /// Races the entries and prints the row. Each pass of each entry works on this number of units, such as bytes,
    /// and must return the expected number.
    pub fn row(&mut self, corpus: &str, cut: &str, units: usize, expected: usize, entries: &[Entry<'_>]) {
        if let Some(name) = &self.options.profile {
            if let Some(entry) = entries.iter().find(|entry| entry.name == name) {
                (0..self.options.rounds).for_each(|_| entry.counted_pass(expected));
                self.rows.push(Row { corpus: corpus.to_owned(), cut: cut.to_owned(), speeds: vec![], ratios: vec![] });
            }
            return;
        }
        let place = if cut.is_empty() { corpus.to_owned() } else { format!("{corpus} / {cut}") };
        let mut speeds = Vec::new();
        for (entry, best) in entries.iter().zip(race::race(entries, expected, self.options.rounds)) {
            speeds.push((entry.name, best.as_ref().ok().map(|best| units as f64 / best.as_secs_f64())));
            self.missing.extend(best.err().map(|why| format!("{} on {place}: {why}", entry.name)));
        }
        if self.rows.is_empty() {
            self.print_head(entries);
        }
        let mut cells: Vec<String> =
            speeds.iter().map(|(_, speed)| speed.map_or("-".to_owned(), self.format)).collect();
        let mut ratios = Vec::new();
        for ratio in self.ratios {
            let fastest = ratio.fastest(&speeds);
            let value = speed_of(&speeds, ratio.of).zip(fastest).map(|(of, (_, to))| of / to);
            cells.extend(fastest.filter(|_| ratio.to.len() > 1).map(|(name, _)| name.to_owned()));
            cells.push(value.map_or("-".to_owned(), |value| {
                let mark = if ratio.goal.contains(&value) { "" } else { " (misses the goal)" };
                format!("{value:.2}{mark}")
            }));
            ratios.push(value);
        }
        println!("| {place} | {} |", cells.join(" | "));
        self.rows.push(Row { corpus: corpus.to_owned(), cut: cut.to_owned(), speeds, ratios });
    }

    fn print_head(&self, entries: &[Entry<'_>]) {
        let mut cells: Vec<&str> = vec![""];
        cells.extend(entries.iter().map(|entry| entry.name));
        for ratio in self.ratios {
            cells.extend((ratio.to.len() > 1).then_some("fastest rival"));
            cells.push(ratio.name);
        }
        println!("| {} |\n|{}", cells.join(" | "), "---|".repeat(cells.len()));
    }

    /// Prints the means of the ratios, the rows that miss a goal, and the results without a speed.
    pub fn finish(self) -> Result<Vec<Row>, String> {
        if self.rows.is_empty() {
            return Err("there is no such corpus, cut or entry; run without options for a table of all".to_owned());
        }
        if self.options.profile.is_some() {
            return Ok(self.rows);
        }
        println!();
        for (index, ratio) in self.ratios.iter().enumerate() {
            let values: Vec<f64> = self.rows.iter().filter_map(|row| row.ratios[index]).collect();
            let misses = values.iter().filter(|value| !ratio.goal.contains(value)).count();
            let (least, most) =
                (values.iter().copied().fold(f64::MAX, f64::min), values.iter().copied().fold(0.0, f64::max));
            println!(
                "{}: geometric mean {:.2}, {least:.2} to {most:.2}; {misses} of {} rows miss the goal.",
                ratio.name,
                mean(&values),
                values.len(),
            );
        }
        for missing in &self.missing {
            println!("No speed: {missing}.");
        }
        println!();
        Ok(self.rows)
    }
}

impl Ratio {
    /// The fastest of the others, by name.
    fn fastest(&self, speeds: &[(&'static str, Option<f64>)]) -> Option<(&'static str, f64)> {
        let others = self.to.iter().filter_map(|&name| Some((name, speed_of(speeds, name)?)));
        others.max_by(|one, other| one.1.total_cmp(&other.1))
    }
}

pub fn speed_of(speeds: &[(&'static str, Option<f64>)], name: &str) -> Option<f64> {
    speeds.iter().find(|speed| speed.0 == name).expect("an entry with this name").1
}

/// The geometric mean.
pub fn mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

pub fn megabytes(per_second: f64) -> String {
    format!("{:.0}", per_second / 1e6)
}
