//! Multipart streams (`multipart/x-mixed-replace`, `multipart/mixed`): several kinds of content in one response, part after part.

mod boundary;
mod decode_error;
mod headers;
mod headers_ref;
mod invalid_boundary;
mod invalid_header;
mod length_policy;
mod media_type;
mod part_decoder;
mod part_end;
mod piece;
mod piece_ref;

pub use self::{
    boundary::Boundary,
    decode_error::{DecodeError, DecodeErrorKind},
    headers::Headers,
    headers_ref::HeadersRef,
    invalid_boundary::InvalidBoundary,
    invalid_header::InvalidHeader,
    length_policy::LengthPolicy,
    media_type::MediaType,
    part_decoder::PartDecoder,
    part_end::PartEnd,
    piece::Piece,
    piece_ref::PieceRef,
};
