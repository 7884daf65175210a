//! eventwire's ways to read a multipart stream. Each starts with a new decoder, and reads the headers of each part
//! and each chunk of its body.

use crate::{
    consume::{debug, poll_each, stream},
    part_corpora::{BOUNDARY, Seen},
};
use bytes::Bytes;
use eventwire_multipart::{Boundary, Collected, PartDecoder, Parts, Piece, PieceRef};

pub(crate) fn decode(chunks: &[Bytes]) -> Result<Seen, String> {
    decode_by(decoder(), chunks)
}

/// Separate, because the loop takes up to 2 % more instructions in the function that makes the decoder.
fn decode_by(mut decoder: PartDecoder, chunks: &[Bytes]) -> Result<Seen, String> {
    let mut seen = Seen::default();
    for chunk in chunks {
        let mut input = &chunk[..];
        while let Some(piece) = decoder.decode(&mut input).map_err(debug)? {
            match piece {
                PieceRef::PartBegin(headers) => seen.part(headers),
                PieceRef::Data(data) => seen.chunk(data),
                _ => {}
            }
        }
    }
    Ok(seen)
}

pub(crate) fn decode_bytes(chunks: &[Bytes]) -> Result<Seen, String> {
    let (mut decoder, mut seen) = (decoder(), Seen::default());
    for chunk in chunks {
        let mut input = chunk.clone();
        while let Some(piece) = decoder.decode_bytes(&mut input).map_err(debug)? {
            match piece {
                Piece::PartBegin(headers) => seen.part(headers),
                Piece::Data(data) => seen.chunk(&data),
                _ => {}
            }
        }
    }
    Ok(seen)
}

fn decoder() -> PartDecoder {
    PartDecoder::new(Boundary::new(BOUNDARY).expect("a valid boundary"))
}

/// Part by part, and each body chunk by chunk.
pub(crate) async fn parts(chunks: &[Bytes]) -> Result<Seen, String> {
    let mut seen = Seen::default();
    let mut parts = Parts::new(stream(chunks), decoder());
    while let Some(part) = parts.next().await {
        let mut part = part.map_err(debug)?;
        seen.part(part.headers());
        while let Some(chunk) = part.chunk().await {
            seen.chunk(&chunk.map_err(debug)?);
        }
    }
    Ok(seen)
}

/// Complete parts.
pub(crate) fn collected(chunks: &[Bytes]) -> Result<Seen, String> {
    let mut seen = Seen::default();
    poll_each(Collected::new(stream(chunks), decoder()), |part| {
        let part = part.map_err(debug)?;
        seen.part(part.headers());
        seen.chunk(part.body());
        Ok(())
    })?;
    Ok(seen)
}
