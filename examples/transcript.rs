//! Prints the text of a model's answer, from a stream that was saved to a file.
//!
//! Run it with `cargo run --example transcript --features json -- anthropic answer.sse`. The first argument is the
//! service's format: `anthropic`, `openai` or `responses`.

#[path = "types/anthropic.rs"]
mod anthropic;
#[path = "types/openai.rs"]
mod openai;
/// Shared with the program `eventwire`.
#[path = "../crates/eventwire-cli/src/printable.rs"]
mod printable;
#[path = "types/responses.rs"]
mod responses;

use std::error::Error;
use std::fs::File;
use std::io::{self, StdoutLock, Write};
use std::process::ExitCode;

use eventwire::{Events, JsonError, ReadChunks};

use anthropic::{Delta, MessageEvent};
use openai::Chunk;
use printable::{Lines, OneLine};
use responses::ResponseEvent;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // `eprintln!` would panic if standard error is closed.
            let _ = writeln!(io::stderr(), "transcript: {}", OneLine(&error.to_string()));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [service, path] = &words[..] else {
        return Err("usage: transcript openai|responses|anthropic FILE".into());
    };
    let print = match service.as_str() {
        "openai" => openai,
        "responses" => responses,
        "anthropic" => anthropic,
        other => return Err(format!("unknown format {other:?}; use openai, responses or anthropic").into()),
    };
    let file = File::open(path).map_err(|error| format!("cannot open {path:?}: {error}"))?;
    let mut out = io::stdout().lock();
    print(Events::from_reader(file), &mut out)?;
    writeln!(out)?;
    Ok(())
}

type Saved = Events<ReadChunks<File>>;

fn openai(events: Saved, out: &mut StdoutLock<'_>) -> Result<(), Box<dyn Error>> {
    for chunk in events.json::<Chunk>().require_end_marker() {
        let Chunk { choices, usage } = chunk.map_err(explain)?;
        for choice in choices {
            write!(out, "{}", Lines(choice.token()))?;
            if let Some(reason) = choice.finish_reason.filter(|reason| reason != "stop") {
                write!(out, "\n[{}]", OneLine(&reason))?;
            }
        }
        if let Some(usage) = usage {
            write!(out, "\n[{} tokens in, {} out]", usage.prompt_tokens, usage.completion_tokens)?;
        }
    }
    Ok(())
}

fn responses(events: Saved, out: &mut StdoutLock<'_>) -> Result<(), Box<dyn Error>> {
    for event in events.json().with_last_event_types(responses::LAST).require_end_marker() {
        let (response, end) = match event.map_err(explain)? {
            ResponseEvent::TextDelta { delta } => {
                write!(out, "{}", Lines(&delta))?;
                continue;
            }
            ResponseEvent::Completed { response } => (response, "complete"),
            ResponseEvent::Incomplete { response } => (response, "incomplete"),
            ResponseEvent::Failed { response } => (response, "failed"),
            ResponseEvent::Other => continue,
        };
        write!(out, "\n[{end}]")?;
        if let Some(usage) = response.usage {
            write!(out, " [{} tokens in, {} out]", usage.input_tokens, usage.output_tokens)?;
        }
    }
    Ok(())
}

fn anthropic(events: Saved, out: &mut StdoutLock<'_>) -> Result<(), Box<dyn Error>> {
    for event in events.json().with_end_event_type(anthropic::END).require_end_marker() {
        match event.map_err(explain)? {
            MessageEvent::ContentBlockDelta { delta: Delta::TextDelta { text } } => write!(out, "{}", Lines(&text))?,
            MessageEvent::MessageDelta { usage } => write!(out, "\n[{} tokens out]", usage.output_tokens)?,
            MessageEvent::ContentBlockDelta { delta: Delta::Other } | MessageEvent::Other => {}
        }
    }
    Ok(())
}

/// Describes the error, and what to do about it, in one line.
fn explain(error: JsonError<io::Error>) -> String {
    match error {
        JsonError::Truncated => "the stream ended early; the answer is incomplete".to_owned(),
        error @ JsonError::Payload { .. } => format!("{error}; is it another format?"),
        error => format!("{error}; record the stream again"),
    }
}
