//! Sound and the WAV format.

use std::time::Duration;

use bytes::Bytes;

/// Sound with one channel and samples of 16 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sound {
    /// Samples per second.
    pub rate: u32,
    /// The samples.
    pub samples: Vec<i16>,
}

/// The sample rate of the tones.
pub(crate) const RATE: u32 = 22_050;
/// `PCM`: uncompressed samples.
const FORMAT: u16 = 1;
const CHANNELS: u16 = 1;
const BITS: u16 = 16;
/// The size of a sample in bytes.
const BLOCK: u16 = BITS / 8;
/// The bytes of the header that count in the file's size field: all but `RIFF` and the field itself.
const HEADER: u32 = 36;

impl Sound {
    /// Returns the time that it takes to play.
    #[must_use]
    pub fn duration(&self) -> Duration {
        let samples = u64::try_from(self.samples.len()).unwrap_or(u64::MAX);
        Duration::from_millis(samples.saturating_mul(1000) / u64::from(self.rate.max(1)))
    }

    /// Returns the sound as a WAV file.
    #[must_use]
    pub fn to_wav(&self) -> Bytes {
        // The format has no larger size. At the rate of the tones, this is 27 hours.
        let size = u32::try_from(self.samples.len() * usize::from(BLOCK)).unwrap_or(u32::MAX);
        let mut wav = Vec::with_capacity(8 + 36 + self.samples.len() * usize::from(BLOCK));
        wav.extend(b"RIFF");
        wav.extend(HEADER.saturating_add(size).to_le_bytes());
        wav.extend(b"WAVEfmt ");
        wav.extend(16_u32.to_le_bytes());
        wav.extend(FORMAT.to_le_bytes());
        wav.extend(CHANNELS.to_le_bytes());
        wav.extend(self.rate.to_le_bytes());
        wav.extend(self.rate.saturating_mul(u32::from(BLOCK)).to_le_bytes());
        wav.extend(BLOCK.to_le_bytes());
        wav.extend(BITS.to_le_bytes());
        wav.extend(b"data");
        wav.extend(size.to_le_bytes());
        wav.extend(self.samples.iter().flat_map(|sample| sample.to_le_bytes()));
        wav.into()
    }

    /// Parses a WAV file with one channel and samples of 16 bits.
    ///
    /// A program that writes to a pipe does not know the size in advance. So a file with fewer samples than its
    /// header announces counts as complete.
    ///
    /// # Errors
    ///
    /// [`InvalidWav`] if it is not a WAV file, or a WAV file in another format.
    pub fn from_wav(wav: &[u8]) -> Result<Sound, InvalidWav> {
        let mut rest = wav.strip_prefix(b"RIFF").and_then(|rest| rest.get(4..)?.strip_prefix(b"WAVE"));
        let mut rate = None;
        while let Some((name, size, body)) = rest.and_then(chunk) {
            match (name, rate) {
                (b"fmt ", _) => rate = Some(format(body)?),
                (b"data", Some(rate)) => {
                    let samples = &body[..size.min(body.len())];
                    let samples = samples.chunks_exact(2).map(|sample| i16::from_le_bytes([sample[0], sample[1]]));
                    return Ok(Sound { rate, samples: samples.collect() });
                }
                (b"data", None) => return Err(InvalidWav("it has samples before its format")),
                _ => {}
            }
            // A chunk of an odd size is followed by one byte of padding.
            rest = body.get(size.saturating_add(size % 2)..);
        }
        Err(InvalidWav(if rest.is_none() { "its header is invalid or truncated" } else { "it has no samples" }))
    }
}

/// Returns the name and the size of the first chunk, and the bytes after these two.
fn chunk(bytes: &[u8]) -> Option<(&[u8; 4], usize, &[u8])> {
    let (name, rest) = bytes.split_first_chunk()?;
    let (size, body) = rest.split_first_chunk()?;
    Some((name, usize::try_from(u32::from_le_bytes(*size)).ok()?, body))
}

/// Returns the samples per second.
fn format(body: &[u8]) -> Result<u32, InvalidWav> {
    let number = |at: usize| Some(u16::from_le_bytes(*body.get(at..)?.first_chunk()?));
    let rate = body.get(4..).and_then(|rest| rest.first_chunk());
    match (number(0), number(2), rate.map(|rate| u32::from_le_bytes(*rate)), number(14)) {
        (Some(FORMAT), Some(CHANNELS), Some(rate @ 1..), Some(BITS)) => Ok(rate),
        _ => Err(InvalidWav("it does not have one channel with samples of 16 bits")),
    }
}

/// The error of [`Sound::from_wav`]: the bytes are not a WAV file, or its format is not supported.
#[derive(Debug, thiserror::Error)]
#[error("the WAV file cannot be read: {0}")]
pub struct InvalidWav(&'static str);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wav_byte_by_byte() {
        let wav = Sound { rate: RATE, samples: vec![1, -2] }.to_wav();
        let expected = b"RIFF\x28\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x22\x56\0\0\x44\xac\0\0\x02\0\x10\0data\x04\0\0\0\x01\0\xFE\xFF";
        assert_eq!(&wav[..], expected);
    }

    #[test]
    fn what_is_written_is_read() {
        for (rate, samples) in [(8000, vec![]), (1, vec![i16::MIN]), (u32::MAX, vec![0, 7, i16::MAX])] {
            let sound = Sound { rate, samples };
            assert_eq!(Sound::from_wav(&sound.to_wav()).unwrap(), sound);
        }
    }

    #[test]
    fn a_wav_from_a_pipe() {
        let sound = Sound { rate: RATE, samples: vec![3, 4] };
        let mut wav = sound.to_wav().to_vec();
        // The sizes that espeak-ng writes.
        wav[4..8].copy_from_slice(&0x7FFF_F024_u32.to_le_bytes());
        wav[40..44].copy_from_slice(&0x7FFF_F000_u32.to_le_bytes());
        assert_eq!(Sound::from_wav(&wav).unwrap(), sound);
        wav.push(5);
        assert_eq!(Sound::from_wav(&wav).unwrap(), sound, "half a sample");
    }

    #[test]
    fn other_chunks_are_skipped() {
        let sound = Sound { rate: RATE, samples: vec![3, 4] };
        let mut wav = sound.to_wav().to_vec();
        wav.splice(36..36, *b"LIST\x03\0\0\0abc\0");
        assert_eq!(Sound::from_wav(&wav).unwrap(), sound);
    }

    #[test]
    fn invalid_wav_files() {
        let wav = Sound { rate: RATE, samples: vec![3] }.to_wav();
        for length in 0..44 {
            Sound::from_wav(&wav[..length]).unwrap_err();
        }
        // `RIFF`, `WAVE`, the format, the channels, and the bits.
        for at in [0, 8, 20, 22, 34] {
            let mut other = wav.to_vec();
            other[at] = 9;
            Sound::from_wav(&other).unwrap_err();
        }
        let mut other = wav.to_vec();
        other[24..28].fill(0);
        Sound::from_wav(&other).unwrap_err();
    }

    #[test]
    fn the_duration() {
        assert_eq!(Sound { rate: RATE, samples: vec![0; 33_075] }.duration(), Duration::from_millis(1500));
    }
}
