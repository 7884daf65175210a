//! Prints the text of a model's answer, from a stream that was saved to a file.
//!
//! Run it with `cargo run --example transcript --features json -- anthropic answer.sse`. The first argument is the
//! service's format: `anthropic`, `openai` or `responses`.

#[path = "types/anthropic.rs"]
mod anthropic;
#[path = "types/openai.rs"]
mod openai;
#[path = "types/responses.rs"]
mod responses;

use std::fs::File;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use eventwire::{Dialect, Events, ReadChunks};

use anthropic::{Delta, MessageEvent};
use openai::Chunk;
use responses::ResponseEvent;

fn main() -> ExitCode {
    let Err(error) = run() else { return ExitCode::SUCCESS };
    eprintln!("transcript: {}", without_controls(&format!("{error:#}")));
    ExitCode::FAILURE
}

fn run() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [service, path] = &words[..] else {
        bail!("usage: transcript openai|responses|anthropic FILE");
    };
    let print = match service.as_str() {
        "openai" => openai,
        "responses" => responses,
        "anthropic" => anthropic,
        other => bail!("unknown format {other:?}; use openai, responses or anthropic"),
    };
    let file = File::open(path).with_context(|| format!("cannot open {path:?}"))?;
    print(Events::from_reader(file))?;
    println!();
    Ok(())
}

type Saved = Events<ReadChunks<File>>;

/// The dialect requires the end of the stream, so that part of an answer is not taken for all of it.
fn openai(events: Saved) -> Result<()> {
    for chunk in events.json_with::<Chunk>(Dialect::OPENAI) {
        let Chunk { choices, usage } = chunk?;
        for choice in choices.into_iter().flatten() {
            print!("{}", without_controls(choice.token()));
            if let Some(reason) = choice.finish_reason.filter(|reason| reason != "stop") {
                print!("\n[{}]", without_controls(&reason));
            }
        }
        if let Some(usage) = usage {
            print!("\n[{} tokens in, {} out]", usage.prompt_tokens, usage.completion_tokens);
        }
    }
    Ok(())
}

fn responses(events: Saved) -> Result<()> {
    for event in events.json_with(Dialect::OPENAI_RESPONSES) {
        let response = match event? {
            ResponseEvent::TextDelta { delta } => {
                print!("{}", without_controls(&delta.unwrap_or_default()));
                continue;
            }
            ResponseEvent::Last { response } => response,
            ResponseEvent::Other => continue,
        };
        print!("\n[{}]", without_controls(&response.status.unwrap_or_default()));
        if let Some(usage) = response.usage {
            print!(" [{} tokens in, {} out]", usage.input_tokens, usage.output_tokens);
        }
    }
    Ok(())
}

fn anthropic(events: Saved) -> Result<()> {
    for event in events.json_with(Dialect::ANTHROPIC) {
        match event? {
            MessageEvent::ContentBlockDelta { delta: Some(Delta::TextDelta { text }) } => {
                print!("{}", without_controls(&text));
            }
            MessageEvent::MessageDelta { usage } => print!("\n[{} tokens out]", usage.output_tokens),
            MessageEvent::ContentBlockDelta { .. } | MessageEvent::Other => {}
        }
    }
    Ok(())
}

/// A recording must not be able to control the terminal.
fn without_controls(text: &str) -> String {
    text.replace(|char: char| char.is_control() && char != '\n', "\u{FFFD}")
}
