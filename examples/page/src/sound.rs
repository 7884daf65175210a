//! Sound and the WAV format.

use bytes::Bytes;

/// Sound with one channel and samples of 16 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sound {
    /// Samples per second.
    pub(crate) rate: u32,
    pub(crate) samples: Vec<i16>,
}

/// The size of the header.
const HEADER: u32 = 44;

impl Sound {
    /// Returns a tone in place of this text. It takes about as long as speech.
    pub(crate) fn tone(text: &str) -> Sound {
        const RATE: i32 = 22_050;
        const PITCH: i32 = 330;
        const LOUDNESS: i32 = 8_000;
        /// The number of samples in which the tone fades in and out. Without fading it would crackle.
        const FADE: i32 = 500;
        let length = i32::try_from(text.chars().count()).unwrap_or(i32::MAX).clamp(10, 800) * RATE / 30;
        // A triangle wave, from a quarter of the rate down to minus a quarter, and back.
        let wave = |at: i32| {
            (RATE / 2 - i32::try_from(i64::from(at) * i64::from(PITCH) % i64::from(RATE)).unwrap_or(0)).abs() - RATE / 4
        };
        let sample = |at: i32| wave(at) * LOUDNESS / (RATE / 4) * at.min(length - at).min(FADE) / FADE;
        let samples = (0..length).map(|at| i16::try_from(sample(at)).unwrap_or_default());
        Sound { rate: RATE.unsigned_abs(), samples: samples.collect() }
    }

    /// Returns the sound as a WAV file.
    pub(crate) fn to_wav(&self) -> Bytes {
        // The format has no larger size. It is 27 hours.
        let size = u32::try_from(2 * self.samples.len()).unwrap_or(u32::MAX - HEADER);
        let mut wav = b"RIFF".to_vec();
        wav.extend((HEADER - 8 + size).to_le_bytes());
        // The size of the format; uncompressed samples (1) of one channel.
        wav.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
        wav.extend(self.rate.to_le_bytes());
        wav.extend((2 * self.rate).to_le_bytes());
        // The bytes of a sample, and its bits.
        wav.extend(b"\x02\0\x10\0data");
        wav.extend(size.to_le_bytes());
        wav.extend(self.samples.iter().flat_map(|sample| sample.to_le_bytes()));
        wav.into()
    }

    /// Reads a WAV file as espeak-ng writes it, with the header of [`to_wav`](Sound::to_wav). Its sizes do not count,
    /// because a program that writes to a pipe does not know them in advance.
    pub(crate) fn from_wav(wav: &[u8]) -> Option<Sound> {
        let (header, samples) = wav.split_at_checked(HEADER as usize)?;
        let rate = u32::from_le_bytes(header[24..28].try_into().ok()?);
        let like = Sound { rate, samples: Vec::new() }.to_wav();
        let is_like = header[8..40] == like[8..40] && header.starts_with(b"RIFF");
        let samples = samples.chunks_exact(2).map(|sample| i16::from_le_bytes([sample[0], sample[1]]));
        is_like.then(|| Sound { rate, samples: samples.collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wav_byte_by_byte() {
        let sound = Sound { rate: 22_050, samples: vec![1, -2] };
        let expected = b"RIFF\x28\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x22\x56\0\0\x44\xac\0\0\x02\0\x10\0data\x04\0\0\0\x01\0\xFE\xFF";
        assert_eq!(&sound.to_wav()[..], expected);
        assert_eq!(Sound::from_wav(expected), Some(sound));
        for length in 0..44 {
            assert_eq!(Sound::from_wav(&expected[..length]), None);
        }
    }
}
