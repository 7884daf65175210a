//! What plays the sound.

use std::cell::RefCell;

use futures_channel::{mpsc, oneshot};
use futures_util::StreamExt;
use futures_util::future::{AbortHandle, abortable};
use js_sys::ArrayBuffer;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AudioBuffer, AudioBufferSourceNode, AudioContext, AudioScheduledSourceNode, Element};

use crate::sentences::Sound;

/// How long before its beginning a sound is handed over, in seconds, so that it begins exactly when it is to.
const LEAD: f64 = 0.05;

/// The page's loudspeaker.
#[derive(Default)]
pub(crate) struct Player {
    context: RefCell<Option<AudioContext>>,
    playing: RefCell<Option<AbortHandle>>,
}

/// The sound of a sentence: a file.
pub(crate) struct SoundFile {
    pub(crate) sentence: Element,
    pub(crate) bytes: ArrayBuffer,
}

impl Player {
    /// Switches it on. A browser allows that only after a click or a key, so call it while one is handled.
    pub(crate) fn switch_on(&self) -> Result<AudioContext, JsValue> {
        let mut context = self.context.borrow_mut();
        let context = match &*context {
            Some(context) => context.clone(),
            None => context.insert(AudioContext::new()?).clone(),
        };
        // The sounds wait until it is on.
        let _ = context.resume()?;
        Ok(context)
    }

    /// Plays these sounds, each exactly at the end of the one before. Dropping the future stops them, and so does `silence`.
    pub(crate) async fn play(&self, context: &AudioContext, sounds: mpsc::Receiver<SoundFile>) {
        let (playing, handle) = abortable(play(context, sounds));
        self.playing.replace(Some(handle));
        // What has been stopped has said all.
        let _ = playing.await;
    }

    /// Stops the sounds.
    pub(crate) fn silence(&self) {
        if let Some(playing) = self.playing.take() {
            playing.abort();
        }
    }
}

/// At most two sounds are decoded at a time, because a decoded sound takes many times the memory of its file.
async fn play(context: &AudioContext, mut sounds: mpsc::Receiver<SoundFile>) {
    let mut end = 0.0;
    let mut playing: Option<Playing> = None;
    while let Some(SoundFile { sentence, bytes }) = sounds.next().await {
        let now = || context.current_time();
        let next = async {
            let buffer = decode(context, &bytes).await?;
            let begin = if end > now() { end } else { now() + LEAD };
            end = begin + buffer.duration();
            Playing::begin(context, &buffer, begin, sentence.clone())
        };
        let Ok(next) = next.await else {
            Sound::Failed.show(&sentence);
            continue;
        };
        if let Some(last) = playing.take() {
            last.finish().await;
        }
        Sound::Playing.show(&sentence);
        playing = Some(next);
    }
    if let Some(last) = playing {
        last.finish().await;
    }
}

async fn decode(context: &AudioContext, bytes: &ArrayBuffer) -> Result<AudioBuffer, JsValue> {
    JsFuture::from(context.decode_audio_data(bytes)?).await?.dyn_into()
}

/// A sound that is being played, or is about to be. Dropping it stops the sound.
struct Playing {
    node: AudioBufferSourceNode,
    sentence: Element,
    ended: oneshot::Receiver<()>,
    /// It is called at the end.
    _on_ended: Closure<dyn FnMut()>,
}

impl Playing {
    fn begin(context: &AudioContext, buffer: &AudioBuffer, begin: f64, sentence: Element) -> Result<Playing, JsValue> {
        let (sender, ended) = oneshot::channel();
        let on_ended = Closure::once(move || {
            // Nobody waits for it any more if this fails.
            let _ = sender.send(());
        });
        let node = context.create_buffer_source()?;
        node.set_buffer(Some(buffer));
        node.connect_with_audio_node(&context.destination())?;
        AudioScheduledSourceNode::set_onended(&node, Some(on_ended.as_ref().unchecked_ref()));
        node.start_with_when(begin)?;
        Ok(Playing { node, sentence, ended, _on_ended: on_ended })
    }

    async fn finish(mut self) {
        let _ = (&mut self.ended).await;
        Sound::Played.show(&self.sentence);
    }
}

impl Drop for Playing {
    fn drop(&mut self) {
        AudioScheduledSourceNode::set_onended(&self.node, None);
        let _ = AudioScheduledSourceNode::stop(&self.node);
        let _ = self.node.disconnect();
    }
}
