//! Multipart streams (`multipart/x-mixed-replace`, `multipart/mixed`): several kinds of content in one response, part after part.

mod boundary;
mod boundary_in_part;
mod collected;
mod collector;
mod decode_error;
mod error;
mod headers;
mod headers_ref;
mod invalid_boundary;
mod invalid_header;
mod latest;
mod length_policy;
mod media_type;
mod outgoing;
mod part;
#[cfg(feature = "http-body")]
mod part_body;
mod part_decoder;
mod part_encoder;
mod part_end;
mod parts;
mod piece;
mod piece_ref;
mod pieces;
mod subtype;
mod sync_part;
mod sync_parts;
mod whole_part;

#[cfg(feature = "http-body")]
pub use self::part_body::{PartBody, PartBodyError};
pub use self::{
    boundary::Boundary,
    boundary_in_part::BoundaryInPart,
    collected::Collected,
    decode_error::{DecodeError, DecodeErrorKind},
    error::Error,
    headers::Headers,
    headers_ref::HeadersRef,
    invalid_boundary::InvalidBoundary,
    invalid_header::InvalidHeader,
    latest::Latest,
    length_policy::LengthPolicy,
    media_type::MediaType,
    outgoing::{IntoOutgoing, Outgoing},
    part::Part,
    part_decoder::PartDecoder,
    part_encoder::PartEncoder,
    part_end::PartEnd,
    parts::Parts,
    piece::Piece,
    piece_ref::PieceRef,
    pieces::Pieces,
    subtype::Subtype,
    sync_part::SyncPart,
    sync_parts::SyncParts,
    whole_part::WholePart,
};
