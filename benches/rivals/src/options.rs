//! The options of the command line.

pub(crate) const USAGE: &str = "\
usage: cargo run --release -- [--rounds N] [--only CORPUS] [--cut CUT]
       cargo run --release -- --profile CORPUS CUT CONTENDER [--rounds N]";

pub(crate) struct Options {
    /// The number of rounds, in which each contender gets one turn; with `profile`, the number of passes.
    pub(crate) rounds: usize,
    pub(crate) profile: Option<Profile>,
    only: Option<String>,
    cut: Option<String>,
}

pub(crate) struct Profile {
    pub(crate) corpus: String,
    pub(crate) cut: String,
    pub(crate) contender: String,
}

impl Options {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options { rounds: 7, profile: None, only: None, cut: None };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--rounds" => {
                    options.rounds =
                        value()?.parse().ok().filter(|&rounds| rounds > 0).ok_or("--rounds needs a number above 0")?;
                }
                "--only" => options.only = Some(value()?),
                "--cut" => options.cut = Some(value()?),
                "--profile" => {
                    options.profile = Some(Profile { corpus: value()?, cut: value()?, contender: value()? });
                }
                _ => return Err(format!("leave out {word}")),
            }
        }
        Ok(options)
    }

    pub(crate) fn wants(&self, corpus: &str, cut: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only == corpus) && self.cut.as_deref().is_none_or(|only| only == cut)
    }
}
