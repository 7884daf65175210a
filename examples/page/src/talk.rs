//! `POST /talk`: the text of an answer as it arrives, and the sound as soon as it is ready.
//!
//! The response is `multipart/x-mixed-replace`:
//!
//! | `Content-Type` | content |
//! |---|---|
//! | `text/plain; charset=utf-8` | text, as the model sends it; all text parts together are the answer |
//! | `audio/wav` | a spoken sentence |
//! | `application/json` | the model's tool calls: an object with `tool_calls`, after the text |
//! | `image/svg+xml` | a drawing of the sound, which replaces the previous one |
//!
//! Parts with text or sound have a header `Sentence`, a number from 1, which connects the text and the sound of a
//! sentence. Parts cannot overlap: if a sound is ready while a text part is open, that part ends, and the text
//! continues in another part after the sound.
//!
//! If the model fails before its first word, the response is an error with a status. If it fails later, the response
//! ends without a close delimiter.

use std::collections::VecDeque;
use std::sync::Arc;

use axum::BoxError;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use bytes::Bytes;
use eventwire::{Dialect, EventsExt};
use eventwire_multipart::{Headers, OutgoingPart, PartBody, PartEncoder, Piece, WholePart};
use futures_util::future::BoxFuture;
use futures_util::stream::{BoxStream, FuturesOrdered};
use futures_util::{FutureExt, Stream, StreamExt, TryStreamExt, stream};
use tokio::task::yield_now;

use crate::api_error::ApiError;
use crate::chunk::Chunk;
use crate::conversation::Conversation;
use crate::drawing::Drawing;
use crate::log;
use crate::sentences::{Sentences, Step};
use crate::server::Settings;
use crate::sound::Sound;
use crate::speaker::Speaker;
use crate::tool_calls::ToolCalls;

/// The answer of a model. Dropping it cancels the request.
type Answer = BoxStream<'static, Result<Chunk, BoxError>>;

pub(crate) async fn answer(
    State(settings): State<Arc<Settings>>,
    conversation: Conversation,
) -> Result<Response, ApiError> {
    let answer = settings.model.ask(conversation).await?;
    if !answer.status().is_success() {
        return Ok(answer);
    }
    if !is_event_stream(&answer) {
        return Err(ApiError::failed("its server does not send an event stream"));
    }
    let chunks = answer.into_body().into_data_stream().events().json_with::<Chunk>(Dialect::OPENAI);
    let mut chunks: Answer = chunks.map_err(BoxError::from).boxed();
    // An error before the first chunk becomes an error response. A later error breaks the stream.
    let first = chunks.try_next().await.map_err(ApiError::failed)?;
    let parts = parts(stream::iter(first.map(Ok)).chain(chunks).boxed(), settings.speaker.clone());

    let body = PartBody::new(PartEncoder::random(), parts);
    Ok(body.response("multipart/x-mixed-replace").map_err(ApiError::failed)?.map(Body::new))
}

fn is_event_stream(response: &Response) -> bool {
    let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    content_type.split(';').next().is_some_and(|essence| essence.trim().eq_ignore_ascii_case("text/event-stream"))
}

/// Returns the parts of this answer, spoken by this speaker. Nothing runs in the background: when the stream is
/// dropped, so are the request to the model and the sounds that are not ready.
fn parts(answer: Answer, speaker: Speaker) -> impl Stream<Item = Result<OutgoingPart, axum::Error>> + Send {
    let talk = Talk {
        phase: Phase::Answering(answer),
        sentences: Sentences::new(),
        speaker,
        sounds: FuturesOrdered::new(),
        calls: ToolCalls::default(),
        drawing: Drawing::default(),
        open_text: None,
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
                Err(axum::Error::new(error))
            }
        }
    })
}

struct Talk {
    phase: Phase,
    sentences: Sentences,
    speaker: Speaker,
    /// The sounds of the sentences, in their order.
    sounds: FuturesOrdered<BoxFuture<'static, (u64, Sound)>>,
    calls: ToolCalls,
    drawing: Drawing,
    /// The sentence whose text part is open. The next part ends it.
    open_text: Option<u64>,
    /// Items that are ready to be sent.
    outgoing: VecDeque<OutgoingPart>,
}

enum Phase {
    /// The model is still answering.
    Answering(Answer),
    /// The text is complete, but some of it has not been spoken yet.
    Speaking,
    Finished,
}

impl Talk {
    async fn next(&mut self) -> Result<Option<OutgoingPart>, BoxError> {
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
                    Some((sentence, sound)) = self.sounds.next() => self.add_sound(sentence, &sound)?,
                },
                Phase::Speaking => match self.sounds.next().await {
                    Some((sentence, sound)) => self.add_sound(sentence, &sound)?,
                    None => {
                        self.draw("")?;
                        self.phase = Phase::Finished;
                    }
                },
                Phase::Finished => return Ok(None),
            }
        }
    }

    fn add_chunk(&mut self, chunk: Chunk) -> Result<(), BoxError> {
        for delta in chunk.into_deltas() {
            for step in self.sentences.push(&delta.content.unwrap_or_default()) {
                match step {
                    Step::Text(sentence, text) => self.add_text(sentence, text)?,
                    Step::End(sentence, text) => self.speak(sentence, text),
                }
            }
            delta.tool_calls.into_iter().flatten().for_each(|call| self.calls.add(call));
        }
        Ok(())
    }

    fn add_text(&mut self, sentence: u64, text: String) -> Result<(), BoxError> {
        if self.open_text != Some(sentence) {
            let headers = Headers::new().with("Content-Type", "text/plain; charset=utf-8")?;
            self.outgoing.push_back(Piece::PartBegin(headers.with("Sentence", sentence.to_string())?).into());
            self.open_text = Some(sentence);
        }
        self.outgoing.push_back(Piece::Data(Bytes::from(text)).into());
        Ok(())
    }

    fn speak(&mut self, sentence: u64, text: String) {
        // Anything else cannot be spoken.
        if text.contains(char::is_alphanumeric) {
            self.sounds.push_back(self.speaker.speak(text).map(move |sound| (sentence, sound)).boxed());
        }
    }

    fn finish_text(&mut self) -> Result<(), BoxError> {
        if let Some(Step::End(sentence, text)) = self.sentences.finish() {
            self.speak(sentence, text);
        }
        // The calls are sent before the rest of the sound, so that the tools can run during it.
        if !self.calls.is_empty() {
            let calls = serde_json::to_string(&self.calls)?;
            self.add_part(WholePart::new("application/json", calls)?);
        }
        self.phase = Phase::Speaking;
        Ok(())
    }

    fn add_sound(&mut self, sentence: u64, sound: &Sound) -> Result<(), BoxError> {
        self.add_part(WholePart::new("audio/wav", sound.to_wav())?.with_header("Sentence", sentence.to_string())?);
        self.drawing.add(sound);
        self.draw(" …")
    }

    /// Sends a drawing, which replaces the previous one.
    fn draw(&mut self, end: &str) -> Result<(), BoxError> {
        self.add_part(WholePart::new("image/svg+xml", self.drawing.svg(end))?);
        Ok(())
    }

    fn add_part(&mut self, part: WholePart) {
        self.open_text = None;
        self.outgoing.push_back(part.into());
    }
}
