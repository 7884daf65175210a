//! `POST /talk`: the text of an answer as it arrives, and the speech as soon as it is ready.

use std::collections::VecDeque;
use std::sync::Arc;

use axum::body::Body;
use axum::extract;
use axum::response::Response;
use bytes::Bytes;
use eventwire_multipart::{
    Headers, InvalidHeader, Outgoing, PartBody, PartEncoder, PartEnd, Piece, Subtype, WholePart,
};
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use tokio::task::yield_now;

use crate::api_error::ApiError;
use crate::chunk::Chunk;
use crate::conversation::Conversation;
use crate::drawing::{Drawing, State};
use crate::log::log;
use crate::model::Answer;
use crate::model_error::ModelError;
use crate::passages::{Passage, Passages, Step};
use crate::server::Settings;
use crate::sound::Sound;
use crate::speaker::Speaker;
use crate::speech::Speech;
use crate::tones::is_speakable;
use crate::tool_calls::ToolCalls;

/// The header with the number of the sentence to which a part with text or sound belongs. A passage of several
/// short sentences has one number.
pub(crate) const SENTENCE: &str = "Sentence";

/// Answers `POST /talk`.
pub(crate) async fn answer(
    extract::State(settings): extract::State<Arc<Settings>>,
    body: Body,
) -> Result<Response, ApiError> {
    let conversation = Conversation::read(body).await?;
    let mut answer = settings.model.ask(conversation)?;
    // An error before the first chunk becomes an error response. A later error breaks the stream.
    let first = answer.try_next().await?;
    let answer = stream::iter(first.map(Ok)).chain(answer).boxed();
    let parts = parts(answer, settings.speaker.clone());
    Ok(PartBody::new(PartEncoder::random(), parts).response(Subtype::MixedReplace).map(Body::new))
}

/// Returns the parts of this answer, spoken by this speaker.
///
/// Parts cannot overlap. If a sound is ready while a text part is open, that part ends, and the text continues in
/// another part after the sound. Nothing runs in the background. When the stream is dropped, so are the request to
/// the model and the speaker's futures.
fn parts(answer: Answer, speaker: Speaker) -> impl Stream<Item = Result<Outgoing, TalkError>> + Send {
    let talk = Talk {
        phase: Phase::Answering(answer),
        passages: Passages::new(),
        speech: Speech::new(speaker),
        calls: ToolCalls::default(),
        drawing: Drawing::default(),
        is_text_open: false,
        outgoing: VecDeque::new(),
    };
    stream::try_unfold(talk, |mut talk| async move {
        match talk.next().await {
            Ok(next) => Ok(next.map(|next| (next, talk))),
            Err(error) => {
                log(format_args!("an answer is incomplete: {error}"));
                // The HTTP server sends its data when the body is pending. Without this pause, the last words
                // before the error would be lost.
                yield_now().await;
                Err(error)
            }
        }
    })
}

struct Talk {
    phase: Phase,
    passages: Passages,
    speech: Speech,
    calls: ToolCalls,
    drawing: Drawing,
    is_text_open: bool,
    /// Items that are ready to be sent.
    outgoing: VecDeque<Outgoing>,
}

enum Phase {
    /// The model is still answering.
    Answering(Answer),
    /// The text is complete, but some of it has not been spoken yet.
    Speaking,
    Finished,
}

impl Talk {
    async fn next(&mut self) -> Result<Option<Outgoing>, TalkError> {
        loop {
            if let Some(next) = self.outgoing.pop_front() {
                return Ok(Some(next));
            }
            match &mut self.phase {
                Phase::Answering(answer) => tokio::select! {
                    chunk = answer.next() => match chunk {
                        Some(chunk) => self.add_chunk(chunk?)?,
                        None => self.finish_text()?,
                    },
                    Some((sentence, sound)) = self.speech.next() => self.add_sound(sentence, &sound)?,
                },
                Phase::Speaking => match self.speech.next().await {
                    Some((sentence, sound)) => self.add_sound(sentence, &sound)?,
                    None => {
                        self.draw(State::Finished)?;
                        self.phase = Phase::Finished;
                    }
                },
                Phase::Finished => return Ok(None),
            }
        }
    }

    fn add_chunk(&mut self, chunk: Chunk) -> Result<(), InvalidHeader> {
        for delta in chunk.into_deltas() {
            for step in self.passages.push(&delta.content.unwrap_or_default()) {
                match step {
                    Step::Text(sentence, text) => self.add_text(sentence, text)?,
                    Step::End(passage) => self.speak(passage),
                }
            }
            delta.tool_calls.into_iter().flatten().for_each(|call| self.calls.add(call));
        }
        Ok(())
    }

    fn add_text(&mut self, sentence: u64, text: String) -> Result<(), InvalidHeader> {
        if !self.is_text_open {
            let headers = Headers::new().with("Content-Type", "text/plain; charset=utf-8")?;
            let headers = headers.with(SENTENCE, sentence.to_string())?;
            self.outgoing.push_back(Piece::PartBegin(headers).into());
            self.is_text_open = true;
        }
        self.drawing.add_text(&text);
        self.outgoing.push_back(Piece::Data(Bytes::from(text)).into());
        Ok(())
    }

    /// Ends the text part, so that the client knows that it is complete.
    fn end_text(&mut self) {
        if std::mem::take(&mut self.is_text_open) {
            self.outgoing.push_back(Piece::PartEnd(PartEnd::Delimiter).into());
        }
    }

    fn speak(&mut self, passage: Passage) {
        self.end_text();
        if is_speakable(&passage.text) {
            self.speech.push(passage);
        }
    }

    fn finish_text(&mut self) -> Result<(), TalkError> {
        if let Some(passage) = self.passages.finish() {
            self.speak(passage);
        }
        // The calls are sent before the rest of the speech, so that the tools can run during it.
        if !self.calls.is_empty() {
            self.outgoing.push_back(WholePart::new("application/json", self.calls.to_json()?)?.into());
        }
        self.phase = Phase::Speaking;
        Ok(())
    }

    fn add_sound(&mut self, sentence: u64, sound: &Sound) -> Result<(), InvalidHeader> {
        self.end_text();
        let part = WholePart::new("audio/wav", sound.to_wav())?.with_header(SENTENCE, sentence.to_string())?;
        self.outgoing.push_back(part.into());
        self.drawing.add_sound(sound);
        self.draw(State::Talking)
    }

    /// Sends a drawing, which replaces the previous one.
    fn draw(&mut self, state: State) -> Result<(), InvalidHeader> {
        self.end_text();
        self.outgoing.push_back(WholePart::new("image/svg+xml", self.drawing.svg(state))?.into());
        Ok(())
    }
}

/// The error that ends the parts early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TalkError {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("cannot write the tool calls: {0}")]
    Json(#[from] serde_json::Error),
    #[error("cannot write a part: {0}")]
    Header(#[from] InvalidHeader),
}
