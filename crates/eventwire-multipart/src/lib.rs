//! Multipart streams: several kinds of content in one response, as a sequence of parts.
//!
//! Such a response carries, for example, a language model's text, speech and tool calls (`multipart/x-mixed-replace`),
//! the frames of a camera, or GraphQL's incremental delivery (`multipart/mixed`). It works without `std`.
//!
//! # The first part
//!
//! ```sh
//! cargo add anyhow eventwire-multipart
//! cargo add reqwest --features stream
//! cargo add tokio --features full
//! ```
//!
//! This works with any HTTP client that returns the body as a stream of chunks. Here it is reqwest with its feature
//! `stream`. (`.open_parts()` of the crate `eventwire-reqwest` does the same in one call, and checks the response.)
//!
//! ```rust,no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use eventwire_multipart::{PartDecoder, Parts};
//! use std::io::{self, Write};
//!
//! let response = reqwest::get("https://example.com/talk").await?.error_for_status()?;
//! let content_type = response.headers().get("content-type").ok_or("no content type")?;
//! let decoder = PartDecoder::from_content_type(content_type.as_bytes())?;
//!
//! let mut parts = Parts::new(response.bytes_stream(), decoder);
//! while let Some(part) = parts.next().await {
//!     let mut part = part?;
//!     if part.media_type().is_some_and(|media_type| media_type.is("text/plain")) {
//!         while let Some(text) = part.text().await {
//!             print!("{}", text?); // as it arrives, in whole characters
//!             io::stdout().flush()?;
//!         }
//!     } else {
//!         let body = part.bytes().await?; // all of it, up to 16 MiB
//!         println!("{} bytes", body.len());
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! If the body is an `http_body::Body`, as in hyper, `Parts::from_response(response)` reads the `Content-Type` and
//! creates the decoder for you (feature `http-body`).
//!
//! A part borrows from its [`Parts`], so `Parts` has a method for the next part and is not a `Stream`. The items of
//! the other adapters are owned. Each of those adapters is a `Stream` over a stream of chunks, and an `Iterator` over
//! an iterator of chunks. So they need no `async` to read from a file, a socket or standard input:
//!
//! ```rust
//! # #[cfg(feature = "std")] {
//! use eventwire::ReadChunks;
//! use eventwire_multipart::{Boundary, Collected, PartDecoder};
//!
//! let reader = &b"--b\r\nX-Note: 1\r\n\r\nHello\r\n--b--"[..]; // any `Read`
//! for part in
//!     Collected::new(ReadChunks::new(reader), PartDecoder::new(Boundary::new("b")?))
//! {
//!     let part = part?;
//!     assert_eq!(
//!         (part.headers().get("x-note"), part.text()),
//!         (Some(&b"1"[..]), Ok("Hello"))
//!     );
//! }
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to go from here
//!
//! | you want | use |
//! |---|---|
//! | each part, and its body as it arrives | [`Parts`], or [`Pieces`] without `async` |
//! | each part with its complete body | [`Collected`] |
//! | text, also from chunks that end inside a character | [`Part::text`], or [`TextDecoder`] for your own bytes |
//! | JSON parts as values of your type | [`Collected::json`] with feature `json` |
//! | every piece as soon as it arrives, for example in a proxy | [`Pieces`] |
//! | to decode bytes in your own loop | [`PartDecoder`]: [`decode`](PartDecoder::decode) returns borrowed pieces, [`decode_bytes`](PartDecoder::decode_bytes) owned ones |
//! | to detect a dead peer | [`Timeout`] around the chunks |
//! | to send parts | `PartBody` for HTTP (feature `http-body`), from a stream of [`WholePart`]s, [`Piece`]s or both; [`PartEncoder`] into a buffer |
//!
//! # Errors
//!
//! Reading fails with an [`Error`]: the source's own error, a [`PartDecodeError`], or a part that is too large or
//! truncated. If the error concerns a single part, the next call returns the next part. If it concerns the stream,
//! the next call returns `None`. [`PartDecodeErrorKind`] lists which errors end the stream. After an error of the
//! source, the next call reads from the source again.
//!
//! A part is truncated if its `Content-Length` was not reached, or if the stream ended before its delimiter. Reading it
//! fails with [`Truncated`](Error::Truncated), by chunks or as a whole. [`Pieces`] and [`PartDecoder`] return its
//! [`PartEnd`] instead.
//!
//! # Memory
//!
//! A [`Piece`] and the bytes that a [`Part`] returns are slices of the chunk that they arrived in, and keep it in
//! memory. Copy them before you store them for long. [`Collected`] copies a part if it is much smaller than its chunk.
//!
//! # Sending parts
//!
//! With feature `http-body`, `PartBody` sends parts as the body of an HTTP response. Here with axum:
//!
//! ```rust
//! # #[cfg(feature = "http-body")] {
//! use axum::{Router, http::StatusCode, response::IntoResponse, routing::get};
//! use eventwire_multipart::{PartBody, PartEncoder, WholePart};
//! use futures_util::{StreamExt, stream};
//!
//! async fn camera() -> Result<impl IntoResponse, StatusCode> {
//!     let frames = stream::iter([&b"a frame"[..], b"another"])
//!         .map(|frame| WholePart::new("image/jpeg", frame));
//!     let response = PartBody::new(PartEncoder::random(), frames)
//!         .response("multipart/x-mixed-replace");
//!     response.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)
//! }
//!
//! let app: Router = Router::new().route("/camera", get(camera));
//! # }
//! ```
//!
//! The example `page` in the repository has a server that sends a model's text, spoken sentences and tool calls in one
//! response, and a page that reads them.
//!
//! # Guarantees
//!
//! These correspond to the [guarantees of `eventwire`][guarantees], but have their own numbers.
//!
//! 1. **Any split, the same parts.** However the bytes are split into chunks, the headers, bodies, ends and errors are
//!    the same, in the same order. Only the division of a body into `Data` pieces depends on the chunks.
//! 2. **Any input is safe.** No input causes a panic or an endless loop. Errors are typed, contain the number of the
//!    part, and are returned after everything before them.
//! 3. **No waiting.** Headers are returned when their blank line arrives, and body bytes as soon as they cannot be the
//!    start of a delimiter. A part ends with the last byte of its `Content-Length`, or with the line end after its
//!    delimiter. The stream ends at the close delimiter. There is one exception: if a part has a `Content-Length` and
//!    the last bytes of its body look like the start of a delimiter, the decoder needs one more byte to end the part.
//! 4. **Linear time.** Each byte is examined a bounded number of times, for any chunk sizes.
//! 5. **Bounded memory.** A decoder uses at most 512 bytes, and a buffer for the headers of one part if they cross
//!    a chunk boundary or contain a line that continues a header. It does not store bodies. Bytes that may be the
//!    start of a delimiter need no buffer, because they equal the delimiter; only up to 68 bytes after a boundary are
//!    stored. The default limits are 16 KiB and 64 lines for headers, 64 KiB for the preamble, and 16 MiB for a
//!    collected body. The limit on the boundary, 200 bytes, cannot be changed.
//! 6. **No copies and no allocation in the steady state** in [`PartDecoder::decode`]. The headers that guarantee 5
//!    names are copied into a buffer, which is reused.
//! 7. **What is written is read back**, and what is read can be written. Decoding the output of a [`PartEncoder`]
//!    returns the same parts, even if their headers and bodies were decoded from any bytes. The encoder refuses a part
//!    that contains its boundary, and writes no line that is not a [header](HeadersRef). Writing a part cannot fail for
//!    any other reason. (A reader's limits may be smaller. Headers just below a limit can exceed it when they are sent
//!    on: see [`PartDecoder::with_max_headers_size`].)
//! 8. **Readers see each part at once.** The encoder writes the delimiter at the end of each part, not before the next
//!    one, and writes the length wherever it is known.
//!
//! # Parsing rules
//!
//! The rules are those of [RFC 2046, section 5.1.1], relaxed where real senders deviate. Each row is tested. The last
//! column describes how Chromium 156 shows such a stream in an `<img>`; a test runs Chromium to see when it shows an
//! image. Browsers read only `multipart/x-mixed-replace`.
//!
//! | | here | in Chromium |
//! |---|---|---|
//! | a boundary within a line | data | a delimiter, as in Firefox |
//! | a boundary at the start of a line | a delimiter only if up to 64 blanks and a line end, the stream's end, or `--` follow; otherwise data | a delimiter |
//! | the line end before a delimiter | part of the delimiter, not of the body | the same |
//! | line ends | LF and CRLF, also mixed; a lone CR is not a line end | LF and CRLF |
//! | `boundary=--x` | the delimiter is `----x` or `--x`, whichever comes first; from then on the other one is data | both work |
//! | no `boundary` | an error; if you know it, use [`Boundary::new`] | an error |
//! | text before the first delimiter | ignored, up to the limit | ignored |
//! | a stream of nothing but line ends | empty | |
//! | two delimiters in a row, or one at the end | no part between or after them | the same |
//! | headers without a blank line | a part without a body | |
//! | a header line without a colon, with a name that is not a token, or with a CR or NUL | ignored, and not sent on | |
//! | a header line that begins with a blank | continues the header before it; otherwise ignored | |
//! | a header line that is truncated by the end of the stream | ignored | |
//! | `Content-Length` | the part ends with the last byte of its length, or truncated at an earlier delimiter | ignored |
//! | bytes between that length and the delimiter | ignored | part of the image |
//! | a `Content-Length` that is not a number, or two that differ | ignored | ignored |
//! | when a part is complete | with its length, or with its delimiter | with the headers of the next part, or the end of the response |
//! | `--` after the boundary | ends the stream at once; if the boundary is all dashes, only with the complete line | the last image stays |
//! | after the close delimiter | ignored; the source is not polled again | ignored |
//! | the end without a close delimiter | `multipart/x-mixed-replace`: an unfinished last part is [truncated](PartEnd::EndOfStream); any other type: an error | the last image stays |
//!
//! Because Chromium shows an image only when the headers of the next part arrive, an `<img>` is one part behind. To
//! show each image at once, send it as [`Piece`]s, and send the [`PartBegin`](Piece::PartBegin) of the next image
//! directly after each [`PartEnd`](Piece::PartEnd). Such a stream ends with a part without a body, which Chromium
//! ignores and other readers return.
//!
//! GraphQL servers send `boundary="-"`, CRLF before the first delimiter, and `{}` as a keep-alive.
//! [`PartEncoder::with_leading_line_end`] writes that CRLF, and [`JsonParts`] skips the `{}`.
//!
//! [`Timeout`]: https://docs.rs/eventwire/latest/eventwire/struct.Timeout.html
//! [guarantees]: https://docs.rs/eventwire/latest/eventwire/#guarantees
//! [RFC 2046, section 5.1.1]: https://www.rfc-editor.org/rfc/rfc2046#section-5.1.1
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `std` (default) | [`PartEncoder::random`] |
//! | `json` | [`JsonParts`], with serde_json |
//! | `http-body` | `Parts::from_response`, `PartBody` |

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
// Items that need a feature are mentioned on pages that exist without it, and cannot be linked to there.
#![cfg_attr(not(all(feature = "std", feature = "json", feature = "http-body")), allow(rustdoc::broken_intra_doc_links))]

extern crate alloc;
#[cfg(any(feature = "std", test, doc))]
extern crate std;

mod boundary;
mod collected;
mod collector;
mod error;
mod feed;
mod headers;
mod headers_ref;
#[cfg(feature = "json")]
mod json_part_error;
#[cfg(feature = "json")]
mod json_parts;
mod media_type;
mod part;
#[cfg(feature = "http-body")]
mod part_body;
mod part_decode_error;
mod part_decoder;
mod part_encoder;
mod parts;
mod piece;
mod pieces;
mod text_decoder;
mod whole_part;

#[cfg(feature = "http-body")]
pub use self::part_body::{OutgoingPart, PartBody, PartBodyError};
pub use self::{
    boundary::{Boundary, InvalidBoundary},
    collected::Collected,
    error::Error,
    headers::{Headers, InvalidHeader},
    headers_ref::HeadersRef,
    media_type::MediaType,
    part::Part,
    part_decode_error::{PartDecodeError, PartDecodeErrorKind},
    part_decoder::PartDecoder,
    part_encoder::{BoundaryInPart, PartEncoder},
    parts::Parts,
    piece::{PartEnd, Piece, PieceRef},
    pieces::Pieces,
    text_decoder::TextDecoder,
    whole_part::WholePart,
};
#[cfg(feature = "json")]
pub use self::{json_part_error::JsonPartError, json_parts::JsonParts};
