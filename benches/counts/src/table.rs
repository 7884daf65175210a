//! The committed table, `table.md`: a key and the count of each row.

use std::{fmt, fs};

use crate::{RENEW, key::Key, row::Row, stop::Stop};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/table.md");

/// The headings of the two Markdown tables in the file.
const KEY_HEAD: (&str, &str) = ("key", "value");
const COUNTS_HEAD: (&str, &str) = ("row", "instructions");

#[derive(Debug, PartialEq)]
pub(crate) struct Table {
    pub(crate) key: Key,
    /// Names of rows, with the instructions of each.
    pub(crate) counts: Vec<(String, u64)>,
}

impl Table {
    pub(crate) fn read() -> Result<Table, Stop> {
        let text = fs::read_to_string(PATH).map_err(|error| unusable(&format!("{PATH}: {error}")))?;
        Table::parse(&text)
    }

    fn parse(text: &str) -> Result<Table, Stop> {
        let lines: Vec<(&str, &str)> = text.lines().filter_map(cells).collect();
        let counts_at = lines.iter().position(|line| *line == COUNTS_HEAD);
        let (key, counts) = lines.split_at(counts_at.ok_or_else(|| unusable("no counts"))?);
        let key = match key {
            [KEY_HEAD, key @ ..] => key.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect(),
            _ => return Err(unusable("no key")),
        };
        let count = |&(name, count): &(&str, &str)| match count.parse() {
            Ok(count) if count > 0 => Ok((name.to_owned(), count)),
            _ => Err(unusable(&format!("the count of {name} is {count:?}"))),
        };
        Ok(Table { key: Key(key), counts: counts[1..].iter().map(count).collect::<Result<_, Stop>>()? })
    }

    /// Replaces the file in one step, so that an interrupted run leaves the old table.
    pub(crate) fn write(&self) -> Result<(), Stop> {
        let unfinished = format!("{PATH}.new");
        fs::write(&unfinished, self.to_string())
            .and_then(|()| fs::rename(&unfinished, PATH))
            .map_err(|error| Stop::Failed(format!("cannot write {PATH}: {error}")))
    }

    /// Counts of another compiler, library or processor are not comparable.
    pub(crate) fn require_key(&self, found: &Key) -> Result<(), Stop> {
        if self.key == *found {
            return Ok(());
        }
        let (ours, theirs) = (self.key.differences_from(found), found.differences_from(&self.key));
        Err(Stop::NotRun(format!("the table was made with {ours}, this machine has {theirs}; renew it with `{RENEW}`")))
    }

    /// Returns the counts of these rows, which must be the rows of the table.
    pub(crate) fn counts_of(&self, rows: &[Row]) -> Result<Vec<u64>, Stop> {
        if self.counts.iter().map(|(name, _)| name.clone()).eq(rows.iter().map(Row::to_string)) {
            Ok(self.counts.iter().map(|&(_, count)| count).collect())
        } else {
            Err(unusable("its rows differ from the ones that are counted now"))
        }
    }
}

fn unusable(why: &str) -> Stop {
    Stop::Failed(format!("unusable table: {why}; renew it with `{RENEW}`"))
}

/// Returns the two cells of a line of a Markdown table.
fn cells(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim().strip_prefix('|')?.strip_suffix('|')?.split_once('|')?;
    (!name.starts_with('-')).then_some((name.trim(), value.trim()))
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# Instruction counts\n")?;
        writeln!(f, "The instructions of one pass over a corpus, counted by callgrind. Written by\n")?;
        writeln!(f, "```sh\n{RENEW}\n```\n")?;
        writeln!(
            f,
            "The [README of the benchmarks](../README.md#instruction-counts) describes how they are compared.\n"
        )?;
        writeln!(f, "| {} | {} |\n|---|---|", KEY_HEAD.0, KEY_HEAD.1)?;
        for (name, value) in &self.key.0 {
            writeln!(f, "| {name} | {value} |")?;
        }
        writeln!(f, "\n| {} | {} |\n|---|---:|", COUNTS_HEAD.0, COUNTS_HEAD.1)?;
        for (name, count) in &self.counts {
            writeln!(f, "| {name} | {count} |")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Table;
    use crate::{key::Key, row::Row, stop::Stop};

    fn key(rustc: &str) -> Key {
        Key(vec![
            (String::from("rustc"), rustc.to_owned()),
            (String::from("processor features"), String::from("sse4.2 avx2")),
        ])
    }

    fn table() -> Table {
        let counts = Row::all().iter().zip(1000..).map(|(row, count)| (row.to_string(), count)).collect();
        Table { key: key("1.95.0"), counts }
    }

    #[track_caller]
    fn assert_unusable(text: &str, why: &str) {
        match Table::parse(text) {
            Err(Stop::Failed(message)) => assert!(message.contains(why) && message.contains("-- renew"), "{message}"),
            parsed => panic!("{parsed:?}"),
        }
    }

    #[test]
    fn a_written_table_is_read_back() {
        assert_eq!(Table::parse(&table().to_string()), Ok(table()));
    }

    #[test]
    fn the_committed_table_has_the_rows_that_are_counted() {
        let table = Table::read().unwrap();
        assert_eq!(table.counts_of(&Row::all()).unwrap().len(), Row::all().len());
        assert_eq!(table.to_string(), include_str!("../table.md"));
    }

    #[test]
    fn a_damaged_table_is_unusable() {
        let text = table().to_string();
        assert_unusable("", "no counts");
        assert_unusable(&text.replace("| key | value |\n", ""), "no key");
        assert_unusable(&text.replace("| 1003 |", "| 1O03 |"), "\"1O03\"");
        assert_unusable(&text.replace("| 1003 |", "| 0 |"), "\"0\"");
    }

    #[test]
    fn counts_belong_to_their_rows() {
        let counts: Vec<u64> = (1000..).take(Row::all().len()).collect();
        assert_eq!(table().counts_of(&Row::all()), Ok(counts));

        let mut renamed = table();
        renamed.counts[3].0.push('0');
        assert!(matches!(renamed.counts_of(&Row::all()), Err(Stop::Failed(_))));
        let mut one_less = table();
        one_less.counts.pop();
        assert!(matches!(one_less.counts_of(&Row::all()), Err(Stop::Failed(_))));
        let mut one_more = table();
        one_more.counts.push((String::from("decode tiny/1"), 7));
        assert!(matches!(one_more.counts_of(&Row::all()), Err(Stop::Failed(_))));
    }

    #[test]
    fn another_key_is_not_compared() {
        assert_eq!(table().require_key(&key("1.95.0")), Ok(()));
        let Err(Stop::NotRun(why)) = table().require_key(&key("1.96.0")) else { panic!("the counts were compared") };
        let names_both = why.contains("made with rustc 1.95.0, this machine has rustc 1.96.0;");
        assert!(names_both && why.ends_with("-- renew`") && !why.contains('\n'), "{why}");
    }
}
