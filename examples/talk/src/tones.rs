//! Tones in place of speech, for machines without espeak-ng.

use crate::sound::{RATE, Sound};

/// The number of samples in a tone: an eighth of a second.
const TONE: u32 = RATE / 8;
/// The number of samples in the silence after a word.
const PAUSE: usize = 1_500;
/// The number of samples in which a tone fades in and out. Without fading it would crackle.
const FADE: u32 = TONE / 8;
const LOUDNESS: i64 = 8_000;

/// Returns a tone for each syllable of this text. The vowel determines the pitch.
pub(crate) fn sing(text: &str) -> Sound {
    let mut samples = Vec::new();
    for word in text.split_whitespace() {
        let pitches = syllables(word);
        if !pitches.is_empty() {
            samples.extend(pitches.into_iter().flat_map(tone));
            samples.resize(samples.len() + PAUSE, 0);
        }
    }
    Sound { rate: RATE, samples }
}

/// Whether this text contains anything to speak.
pub(crate) fn is_speakable(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

/// Returns the pitch of each syllable of a word, in hertz. Adjacent vowels are one syllable. A word without vowels
/// is one syllable, and so is each character of a script without an alphabet.
fn syllables(word: &str) -> Vec<u32> {
    const LOW: u32 = 196;
    let mut pitches = Vec::new();
    let mut was_vowel = false;
    for char in word.chars().flat_map(char::to_lowercase) {
        let vowel = pitch(char);
        match vowel {
            Some(pitch) if !was_vowel => pitches.push(pitch),
            None if is_syllable(char) => pitches.push(LOW),
            _ => {}
        }
        was_vowel = vowel.is_some();
    }
    if pitches.is_empty() && is_speakable(word) {
        pitches.push(LOW);
    }
    pitches
}

fn pitch(char: char) -> Option<u32> {
    match char {
        'u' | 'ù'..='ü' | 'ū' | 'ů' | 'ű' => Some(262),
        'o' | 'ò'..='ö' | 'ø' | 'ō' | 'ő' | 'œ' => Some(294),
        'a' | 'à'..='æ' | 'ā' | 'ă' | 'ą' => Some(330),
        'e' | 'è'..='ë' | 'ē' | 'ė' | 'ę' | 'ě' => Some(392),
        'i' | 'y' | 'ì'..='ï' | 'ī' | 'ı' | 'ý' | 'ÿ' => Some(440),
        _ => None,
    }
}

/// Whether this is a Chinese, Japanese or Korean character.
fn is_syllable(char: char) -> bool {
    matches!(char, '\u{3041}'..='\u{D7A3}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
        && char.is_alphabetic()
}

/// Returns a triangle wave of this pitch.
fn tone(pitch: u32) -> impl Iterator<Item = i16> {
    let (rate, fade) = (i64::from(RATE), i64::from(FADE));
    (0..TONE).map(move |at| {
        let phase = i64::from(at * pitch % RATE);
        // The wave goes from a quarter of the rate down to minus a quarter, and back.
        let wave = (rate / 2 - phase).abs() - rate / 4;
        let volume = i64::from(at.min(TONE - at)).min(fade);
        i16::try_from(wave * LOUDNESS / (rate / 4) * volume / fade).unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syllables_are_counted() {
        for (word, count) in [
            ("", 0),
            ("—", 0),
            ("!?", 0),
            ("cat", 1),
            ("I", 1),
            ("7", 1),
            ("hmm,", 1),
            ("sentence", 3),
            ("voilà!", 2),
            ("ÜBER", 2),
            ("日本語", 3),
            ("queue", 1),
        ] {
            assert_eq!(syllables(word).len(), count, "{word:?}");
        }
    }

    #[test]
    fn a_tone_for_each_syllable() {
        let tone = usize::try_from(TONE).unwrap();
        assert_eq!(sing(" one  – two\n").samples.len(), 3 * tone + 2 * PAUSE);
        assert!(sing("…").samples.is_empty());
    }

    #[test]
    fn a_tone_has_its_pitch_and_fades() {
        let samples: Vec<i16> = tone(440).collect();
        let crossings = samples.windows(2).filter(|pair| pair[0] < 0 && pair[1] >= 0).count();
        // A tone of 440 Hz has 55 periods in an eighth of a second.
        assert!((54..=56).contains(&crossings), "{crossings}");
        assert!(samples.iter().max().is_some_and(|max| (7_900..=8_100).contains(max)), "{samples:?}");
        assert_eq!(samples[0], 0);
        assert!(samples.iter().rev().take(20).all(|sample| sample.abs() < 500), "{samples:?}");
    }
}
