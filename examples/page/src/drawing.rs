//! The drawing of the sound.

use crate::sound::Sound;

/// The maximum number of bars in a drawing. In a drawing of a longer sound, each bar stands for more of the sound.
const BARS: usize = 240;
const WIDTH: usize = 3;
const HEIGHT: u32 = 80;
/// The number of peaks that are stored for each second.
const PEAKS: u32 = 20;

/// Draws the waveform of all the sound so far, and a line of figures.
#[derive(Default)]
pub(crate) struct Drawing {
    /// The loudest sample of each stretch of sound.
    peaks: Vec<u16>,
    sentences: usize,
    seconds: f64,
}

impl Drawing {
    pub(crate) fn add(&mut self, sound: &Sound) {
        let stretch = (sound.rate / PEAKS).max(1) as usize;
        let peak = |samples: &[i16]| samples.iter().map(|sample| sample.unsigned_abs()).max().unwrap_or_default();
        self.peaks.extend(sound.samples.chunks(stretch).map(peak));
        self.sentences += 1;
        self.seconds += sound.samples.len() as f64 / f64::from(sound.rate.max(1));
    }

    /// Returns the drawing as SVG, with this text at its end. It contains no text from the model, so nothing needs to
    /// be escaped.
    pub(crate) fn svg(&self, end: &str) -> String {
        let stretch = self.peaks.len().div_ceil(BARS).max(1);
        let bars: String = self
            .peaks
            .chunks(stretch)
            .enumerate()
            .map(|(place, peaks)| {
                let peak = u32::from(peaks.iter().copied().max().unwrap_or_default());
                let height = (peak * HEIGHT / u32::from(i16::MIN.unsigned_abs())).max(1);
                let (x, y) = (place * WIDTH, (HEIGHT - height) / 2);
                format!(r#"<rect x="{x}" y="{y}" width="2" height="{height}"/>"#)
            })
            .collect();
        let (width, bottom) = (BARS * WIDTH, HEIGHT + 40);
        let Drawing { sentences, seconds, .. } = self;
        format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom}"><g fill="#36c">{bars}</g><text fill="#767676" y="{}" font-size="30" font-family="sans-serif">sentences: {sentences}, {seconds:.1} s of sound{end}</text></svg>"##,
            bottom - 8
        )
    }
}
