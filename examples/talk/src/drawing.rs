//! The drawing of the sound.

use std::fmt::Write;

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
    words: usize,
    /// The duration of the sound so far, in milliseconds.
    milliseconds: u128,
    is_in_word: bool,
}

impl Drawing {
    /// Counts the words in a piece of the text, which may begin and end inside a word.
    pub(crate) fn add_text(&mut self, text: &str) {
        for char in text.chars() {
            let is_in_word = !char.is_whitespace();
            self.words += usize::from(is_in_word && !self.is_in_word);
            self.is_in_word = is_in_word;
        }
    }

    pub(crate) fn add_sound(&mut self, sound: &Sound) {
        let stretch = usize::try_from(sound.rate / PEAKS).unwrap_or(usize::MAX).max(1);
        let peak = |samples: &[i16]| samples.iter().map(|sample| sample.unsigned_abs()).max().unwrap_or_default();
        self.peaks.extend(sound.samples.chunks(stretch).map(peak));
        self.milliseconds += sound.duration().as_millis();
    }

    /// Returns the drawing as SVG, in colours for light and dark pages. It contains no text from the model, so
    /// nothing needs to be escaped.
    pub(crate) fn svg(&self, state: State) -> String {
        let (width, bottom) = (BARS * WIDTH, HEIGHT + 48);
        let (words, milliseconds) = (self.words, self.milliseconds);
        let (seconds, tenths) = (milliseconds / 1000, milliseconds % 1000 / 100);
        let figures = format!("{words} words, {seconds}.{tenths} s of sound{}", state.suffix());
        let mut svg = format!(r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom}">"#);
        svg += r##"<g fill="#36c">"##;
        for (place, peaks) in self.peaks.chunks(self.peaks.len().div_ceil(BARS).max(1)).enumerate() {
            let peak = peaks.iter().copied().max().unwrap_or_default();
            let height = (u32::from(peak) * HEIGHT / u32::from(i16::MIN.unsigned_abs())).max(1);
            let (x, y) = (place * WIDTH, (HEIGHT - height) / 2);
            // Writing to a string cannot fail.
            let _ = write!(svg, r#"<rect x="{x}" y="{y}" width="2" height="{height}"/>"#);
        }
        let _ = write!(svg, r##"</g><text fill="#7a7a7a" y="{}" font-size="34">{figures}</text></svg>"##, bottom - 10);
        svg
    }
}

/// Whether the answer continues.
#[derive(Clone, Copy)]
pub(crate) enum State {
    Talking,
    Finished,
}

impl State {
    fn suffix(self) -> &'static str {
        match self {
            State::Talking => " …",
            State::Finished => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the heights of the bars, and the figures.
    fn read(svg: &str) -> (Vec<u32>, &str) {
        let heights =
            svg.split("width=\"2\" height=\"").skip(1).map(|bar| bar.split('"').next().unwrap().parse().unwrap());
        let figures = svg.split("font-size=\"34\">").nth(1).unwrap().strip_suffix("</text></svg>").unwrap();
        (heights.collect(), figures)
    }

    #[test]
    fn the_loudest_sample_is_the_height() {
        let mut drawing = Drawing::default();
        assert_eq!(read(&drawing.svg(State::Talking)), (vec![], "0 words, 0.0 s of sound …"));
        drawing.add_text("on");
        drawing.add_text("e two ");
        drawing.add_text("\nthree");
        // Each pair of samples lasts a twentieth of a second.
        drawing.add_sound(&Sound { rate: 40, samples: vec![0, i16::MIN, -16_384, 5, 0] });
        assert_eq!(read(&drawing.svg(State::Finished)), (vec![80, 40, 1], "3 words, 0.1 s of sound"));
    }

    #[test]
    fn a_long_sound_has_no_more_bars() {
        let mut drawing = Drawing::default();
        drawing.add_sound(&Sound { rate: 20, samples: vec![1; BARS] });
        assert_eq!(read(&drawing.svg(State::Talking)).0.len(), BARS);
        drawing.add_sound(&Sound { rate: 20, samples: vec![i16::MAX; 1] });
        let bars = read(&drawing.svg(State::Talking)).0;
        assert_eq!((bars.len(), bars[0], bars[BARS / 2]), (BARS / 2 + 1, 1, 79));
    }
}
