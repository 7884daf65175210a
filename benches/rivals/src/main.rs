//! Measures eventwire against the other crates that decode Server-Sent Events, on the same bytes, in interleaved
//! rounds, and prints the figures as Markdown.

#[path = "../../consume.rs"]
mod consume;
#[path = "../../corpora.rs"]
mod corpora;
#[path = "../../entries.rs"]
mod entries;

mod contender;
mod head;
mod limit;
mod options;
mod race;
mod rivals;
mod section;
mod turns;

use std::{env, process::ExitCode};

use crate::{
    contender::Contender,
    corpora::{Corpus, Cut},
    options::{Options, Profile},
    race::Row,
    section::Section,
};

fn main() -> ExitCode {
    let done = Options::parse(env::args().skip(1)).and_then(|options| match &options.profile {
        Some(profile) => run_alone(profile, options.rounds),
        None => run_all(&options),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(what_to_do) => {
            eprintln!("{what_to_do}\n\n{}", options::USAGE);
            ExitCode::from(2)
        }
    }
}

fn run_all(options: &Options) -> Result<(), String> {
    let contenders = contender::all();
    let mut rows = Vec::new();
    // A rival's panic is a result that the tables report, so nothing is printed for it.
    std::panic::set_hook(Box::new(|_| {}));
    for corpus in corpora::all() {
        for cut in Cut::ALL {
            if options.wants(&corpus.name, &cut.name()) {
                eprintln!("{} / {}", corpus.name, cut.name());
                rows.push(Row::run(&contenders, &corpus, cut, options.rounds));
            }
        }
    }
    let _ = std::panic::take_hook();
    if rows.is_empty() {
        return Err(format!("expected a corpus and a cut: {}", names()));
    }

    println!("{}\n", head::line());
    for section in [Section::Decode, Section::Stream] {
        println!("{}", section.report(&contenders, &rows));
    }
    for row in &rows {
        row.assert_right(&contenders, contender::OURS);
    }
    Ok(())
}

/// Runs a single contender, for a profiler.
fn run_alone(profile: &Profile, passes: usize) -> Result<(), String> {
    let (corpus, cut) =
        find(&profile.corpus, &profile.cut).ok_or_else(|| format!("expected a corpus and a cut: {}", names()))?;
    let contenders = contender::all();
    let contender = contenders.iter().find(|contender| contender.name() == profile.contender).ok_or_else(|| {
        let names: Vec<String> = contenders.iter().map(Contender::name).collect();
        format!("expected a contender: {}", names.join(", "))
    })?;
    let chunks = corpora::cut(&corpus, cut);
    for _ in 0..passes {
        let came_out = (contender.run)(&chunks);
        assert_eq!(came_out, Ok(corpus.events), "events of {}", contender.name());
    }
    Ok(())
}

fn find(corpus: &str, cut: &str) -> Option<(Corpus, Cut)> {
    let cut = Cut::ALL.into_iter().find(|one| one.name() == cut)?;
    Some((corpora::named(corpus)?, cut))
}

fn names() -> String {
    format!("{}; {}", corpora::NAMES.join(", "), Cut::ALL.map(Cut::name).join(", "))
}
