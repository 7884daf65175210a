//! Asks a server, and prints or saves the answer.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::CONTENT_TYPE;
use serde_json::json;

use super::Failure;
use super::folder::Folder;
use crate::http_client::client;
use crate::listen::{Heard, ListenError, listen};
use crate::printable::{Lines, OneLine};
use crate::sound::Sound;

/// The idle timeout for the server. It is longer than the server's own timeout for the model.
const SILENCE: Duration = Duration::from_secs(330);

pub(super) async fn ask(url: &str, words: &str, folder: Option<&Path>, out: &mut impl Write) -> Result<(), Failure> {
    let url = match Url::parse(url) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => url,
        _ => return Err(Failure::Url(url.into())),
    };
    let mut keeper = match folder {
        None => Keeper::Notes(Vec::new()),
        Some(path) => {
            let unusable = |error| Failure::Folder { path: path.into(), error };
            Keeper::Folder(Folder::new(path).map_err(unusable)?)
        }
    };
    let client = client(&url, Some(SILENCE)).map_err(Failure::Client)?;
    let body = json!({ "messages": [{ "role": "user", "content": words }] }).to_string();
    let request = client.post(url).header(CONTENT_TYPE, "application/json").body(body);
    let mut has_printed = false;
    let mut unwritten = None;
    let result = async {
        let response = request.send().await.map_err(ListenError::from)?;
        listen(response, |heard| {
            let written = match &heard {
                Heard::Text { text, .. } => {
                    has_printed = true;
                    // Flushed at once, because the next word may arrive a minute later.
                    write!(out, "{}", Lines(text)).and_then(|()| out.flush()).map_err(Failure::Output)
                }
                heard => keeper.keep(heard),
            };
            written.map_err(|failure| {
                unwritten = Some(failure);
                io::ErrorKind::Other.into()
            })
        })
        .await
    }
    .await;
    if let Some(failure) = unwritten {
        return Err(failure);
    }
    // This is done for an incomplete answer too, so that an error message starts on a new line.
    if has_printed {
        writeln!(out).map_err(Failure::Output)?;
    }
    if let Keeper::Notes(notes) = keeper {
        for note in notes {
            writeln!(out, "{note}").map_err(Failure::Output)?;
        }
    }
    out.flush().map_err(Failure::Output)?;
    Ok(result?)
}

/// The handling of parts that are not text.
enum Keeper {
    Folder(Folder),
    /// Prints one line for each part at the end.
    Notes(Vec<String>),
}

impl Keeper {
    fn keep(&mut self, heard: &Heard<'_>) -> Result<(), Failure> {
        match self {
            Keeper::Folder(folder) => folder.save(heard).map_err(Failure::Save),
            Keeper::Notes(notes) => {
                notes.extend(note(heard));
                Ok(())
            }
        }
    }
}

fn note(heard: &Heard<'_>) -> Option<String> {
    match heard {
        Heard::Text { .. } => None,
        Heard::Sound { sentence, wav } => Some(match Sound::from_wav(wav) {
            Ok(sound) => format!("[sentence {sentence}: {:.1} s of sound]", sound.duration().as_secs_f64()),
            Err(error) => format!("[sentence {sentence}: {error}]"),
        }),
        Heard::ToolCalls(json) => Some(format!("[{}]", OneLine(&String::from_utf8_lossy(json)))),
        Heard::Drawing(svg) => Some(format!("[a drawing of {} bytes]", svg.len())),
    }
}
