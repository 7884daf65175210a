//! Multipart streams: several kinds of content in one response, part after part.
//!
//! A language model's text, speech and tool calls in one `multipart/x-mixed-replace` response; a camera's frames; GraphQL's incremental
//! delivery over `multipart/mixed`. Needs feature `multipart`, and no `std`.
//!
//! # The first part
//!
//! With any HTTP client that gives its body as a stream of chunks, here reqwest with its feature `stream`:
//!
#![cfg_attr(not(doctest), doc = include_str!("../docs/multipart-read.md"))]
//!
//! A response whose body is an `http_body::Body`, as hyper's, is one call: `Parts::from_response(response)`. Without `async`,
//! [`SyncParts`] reads from an iterator of chunks or from a [`Read`](std::io::Read).
//!
//! # Where to go from here
//!
//! | you want | use |
//! |---|---|
//! | each part, and its body as it arrives | [`Parts`], or [`SyncParts`] without `async` |
//! | each part as a whole | [`Collected`], by `.collected()` on these: a `Stream` and an `Iterator` |
//! | the newest frame of a camera, and none that is stale | [`Collected::latest`] |
//! | parts that are JSON, as values | [`Collected::json`](crate::JsonParts) with feature `json` |
//! | every piece the moment it arrives, for example in a proxy | [`Pieces`]: a `Stream` and an `Iterator` |
//! | bytes, and a loop of your own | [`PartDecoder`]: [`decode`](PartDecoder::decode) lends pieces, [`decode_bytes`](PartDecoder::decode_bytes) gives owned ones |
//! | a peer that may die without closing the connection | [`IdleTimeout`](crate::IdleTimeout) around the chunks |
//! | parts to send | `PartBody` for HTTP with feature `http-body`, over [`WholePart`]s or [`Piece`]s; [`PartEncoder`] into a buffer |
//!
//! What may go wrong is in [`Error`]: the source's own error, a [`DecodeError`], or a part that is too large.
//!
//! A server, here with axum:
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
//! 2. **Any bytes.** Nothing panics or loops. Errors are typed, name the part, and come after everything before them.
//! 3. **No waiting.** Headers are out with their blank line, a body with each byte that cannot begin a delimiter, and a part with the
//!    last byte of its `Content-Length` or the line end after its delimiter. The stream is over at the close delimiter. (If a part's last bytes are
//!    a line end and one or more bytes of a delimiter, the byte after them decides, even if its length says that it is complete.)
//! 4. **Linear.** Each byte is looked at a bounded number of times, whatever the chunks.
//! 5. **Bounded.** A decoder holds less than 512 bytes, and the headers of one part if they straddle chunks. Nothing of a body is
//!    stored: what may begin a delimiter is known, so it is not kept. Headers have limits of 16 KiB and 64 lines, the preamble
//!    one of 64 KiB, a boundary one of 200 bytes, a collected body one of 16 MiB. All but that of the boundary can be set.
//! 6. **Nothing copied, nothing allocated in the steady state** by [`PartDecoder::decode`]. Headers that straddle chunks are copied, into
//!    a buffer that is kept.
//! 7. **What is written is read.** Decoding what a [`PartEncoder`] has written gives the same parts. It refuses a part in which its
//!    boundary occurs, and [headers](Headers::with) with line ends; it cannot fail otherwise.
//! 8. **A reader need not lag.** The encoder writes the delimiter at the end of each part and not before the next, and the length wherever
//!    it is known.
//!
//! # The rules
//!
//! They are those of [RFC 2046, section 5.1.1], read so that what real senders write is understood. The last column is Chromium 156 with an
//! `<img>`, in our tests. Browsers read `multipart/x-mixed-replace` only.
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
//! | `Content-Length` | the part is complete with its last byte; a delimiter that begins before ends it ([`LengthPolicy`]) | ignored |
//! | bytes between that and the delimiter | ignored and [counted](PartDecoder::junk); an error with [`with_strict_lengths`](PartDecoder::with_strict_lengths) | part of the image |
//! | a `Content-Length` that is not a number, or two that differ | ignored | ignored |
//! | when a part is complete | with its length, or with its delimiter | with the headers of the next part, or the end of the response |
//! | `--` after the boundary | the stream is over at once; if the boundary is all dashes, only with the whole line | the last image stays |
//! | after the close delimiter | ignored, and not asked for | ignored |
//! | the end without a close delimiter | `multipart/x-mixed-replace`: the part is given, [flagged](WholePart::is_cut_off); any other type: an error | the last image stays |
//!
//! So an `<img>` in Chromium is one part behind. To show each image at once, send it as [`Piece`]s, and the [`PartBegin`](Piece::PartBegin)
//! of the next image directly after the [`PartEnd`](Piece::PartEnd) of each.
//!
//! GraphQL's servers send `boundary="-"`, CRLF before the first delimiter, and `{}` to keep the connection open:
//! [`PartEncoder::with_leading_line_end`] writes that, and [`JsonParts`](crate::JsonParts) skips the `{}`.
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
