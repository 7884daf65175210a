//! Multipart streams: several kinds of content in one response, part after part.
//!
//! A language model's text, speech and tool calls in one `multipart/x-mixed-replace` response; a camera's frames; GraphQL's incremental
//! delivery over `multipart/mixed`. Requires feature `multipart` (`cargo add eventwire --features multipart`); works without `std`.
//!
//! # The first part
//!
//! With any HTTP client that returns the body as a stream of chunks, here reqwest with its feature `stream`:
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/multipart-read.md"))]
//!
//! If the body is an `http_body::Body`, as in hyper, `Parts::from_response(response)` does the first three steps (feature `http-body`).
//! Without `async`, [`SyncParts`] reads from an iterator of chunks or from a [`Read`](std::io::Read).
//!
//! [`Parts`] and [`SyncParts`] lend one part at a time, so they have a method instead of being a `Stream` or an `Iterator`. The other
//! adapters own what they return, and each is both: a `Stream` over a stream of chunks, an `Iterator` over an iterator of chunks.
//! A [`Piece`] is the smallest unit: a part's headers, some bytes of its body, its end, or the end of the stream.
//!
//! # Where to go from here
//!
//! | you want | use |
//! |---|---|
//! | each part, and its body as it arrives | [`Parts`], or [`SyncParts`] without `async` |
//! | each part as a whole | [`Collected`]: `Parts::collected` or `SyncParts::collected` |
//! | only the newest frame of a camera | [`Collected::latest`] (async only) |
//! | JSON parts as values of your type | [`Collected::json`](crate::JsonParts) with feature `json` |
//! | every piece as soon as it arrives, for example in a proxy | [`Pieces`] |
//! | to decode bytes in your own loop | [`PartDecoder`]: [`decode`](PartDecoder::decode) returns borrowed pieces, [`decode_bytes`](PartDecoder::decode_bytes) owned ones |
//! | to detect a dead peer | [`IdleTimeout`](crate::IdleTimeout) around the chunks |
//! | to send parts | `PartBody` for HTTP (feature `http-body`), from a stream of [`WholePart`]s or [`Piece`]s; [`PartEncoder`] into a buffer |
//!
//! Reading fails with an [`Error`]: the source's own error, a [`DecodeError`], or a part that is too large or cut off. After an error in a single
//! part, the next call returns the next part. After an error in the stream itself, the next call returns `None`.
//! [`DecodeErrorKind`] says which is which.
//!
//! A server that sends parts, here with axum and feature `http-body`:
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/multipart-axum.md"))]
//!
//! The example `talk` in the repository is a server that sends a model's text, spoken sentences and tool calls in one response, and
//! a client that reads them.
//!
//! # What it promises
//!
//! 1. **Any cut, the same parts.** However the bytes are cut into chunks, the headers, bodies, ends and errors are the same, in the
//!    same order. Only where a body is divided into `Data` differs.
//! 2. **Any bytes.** No input causes a panic or an endless loop. Errors are typed, name the part, and come after everything before them.
//! 3. **No waiting.** Headers are returned with their blank line, and body bytes as soon as they cannot begin a delimiter. A part ends with
//!    the last byte of its `Content-Length`, or with the line end after its delimiter. The stream ends at the close delimiter. (One exception:
//!    if the last bytes of a complete length look like the start of a delimiter, the next byte decides.)
//! 4. **Linear.** Each byte is looked at a bounded number of times, however small the chunks are.
//! 5. **Bounded.** A decoder holds less than 512 bytes, and the headers of one part if they straddle chunks. It does not store bodies: bytes that
//!    may begin a delimiter are a known constant, and only up to 68 bytes after a boundary are kept. Default limits: headers 16 KiB and
//!    64 lines, preamble 64 KiB, collected body 16 MiB. The limit on the boundary, 200 bytes, is fixed.
//! 6. **Nothing copied, nothing allocated in the steady state** by [`PartDecoder::decode`]. Headers that straddle chunks are copied, into
//!    a buffer that is kept.
//! 7. **What is written is read.** Decoding the output of a [`PartEncoder`] returns the same parts. It refuses a part that contains its
//!    boundary; [`Headers::with`] refuses line ends. Writing a part cannot fail for any other reason.
//! 8. **A reader need not lag.** The encoder writes the delimiter at the end of each part and not before the next, and the length wherever
//!    it is known.
//!
//! # The rules
//!
//! They are those of [RFC 2046, section 5.1.1], relaxed where real senders deviate. Every row is a test. The last column is what Chromium 156
//! does with an `<img>`; our tests run it to see when it shows an image. Browsers read `multipart/x-mixed-replace` only.
//!
//! | | here | in Chromium |
//! |---|---|---|
//! | a boundary within a line | data | a delimiter, as in Firefox |
//! | a boundary at the start of a line | a delimiter only if up to 64 blanks and a line end, the stream's end, or `--` follow; otherwise data | a delimiter |
//! | the line end before a delimiter | part of the delimiter, not of the body | the same |
//! | line ends | LF and CRLF, also mixed; a lone CR is none | LF and CRLF |
//! | `boundary=--x` | the delimiter is `----x` or `--x`, whichever comes first; the other one is data from then on | both work |
//! | no `boundary` | an error; choose [`PartDecoder::sniffing`] or `Boundary::new("-")` instead | an error |
//! | text before the first delimiter | ignored, up to the limit | ignored |
//! | two delimiters in a row, or one at the end | no part between or after them | the same |
//! | headers without a blank line | a part without a body | |
//! | `Content-Length` | the part ends with the last byte of its length, or at an earlier delimiter ([`LengthPolicy`]) | ignored |
//! | bytes between that length and the delimiter | ignored and [counted](PartDecoder::junk); an error with [`with_strict_lengths`](PartDecoder::with_strict_lengths) | part of the image |
//! | a `Content-Length` that is not a number, or two that differ | ignored | ignored |
//! | when a part is complete | with its length, or with its delimiter | with the headers of the next part, or the end of the response |
//! | `--` after the boundary | the stream is over at once; if the boundary is all dashes, only with the whole line | the last image stays |
//! | after the close delimiter | ignored; the source is not polled again | ignored |
//! | the end without a close delimiter | `multipart/x-mixed-replace`: the last part is returned, marked [cut off](WholePart::is_cut_off); any other type: an error | the last image stays |
//!
//! So an `<img>` in Chromium is one part behind. To show each image at once, send it as [`Piece`]s, and the [`PartBegin`](Piece::PartBegin)
//! of the next image directly after the [`PartEnd`](Piece::PartEnd) of each. Such a stream ends with a part without a body, which other readers
//! see and Chromium ignores.
//!
//! GraphQL's servers send `boundary="-"`, CRLF before the first delimiter, and `{}` to keep the connection open:
//! [`PartEncoder::with_leading_line_end`] writes that CRLF, and [`JsonParts`](crate::JsonParts) skips the `{}`.
//!
//! [RFC 2046, section 5.1.1]: https://www.rfc-editor.org/rfc/rfc2046#section-5.1.1

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

/// The most blanks after a boundary that are accepted as padding.
const MAX_PADDING: usize = 64;

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
