//! The types of text that the builders accept.

use alloc::{borrow::Cow, boxed::Box, string::String, sync::Arc};
use bytestring::ByteString;

/// The types of text that [`Event`](super::Event) and its parts are created from, such as `&str` and `String`.
///
/// Text of up to 23 bytes is copied into the event. Longer text is moved where possible: as data, a `String`, a
/// `Box<str>`, an owned `Cow` and a [`ByteString`]; as a type or an ID, an `Arc<str>`. Other text is copied. To use
/// a number as an ID, call [`Event::with_numeric_id`](super::Event::with_numeric_id).
///
/// This trait is sealed.
///
/// ```
/// use eventwire::Event;
/// use std::{borrow::Cow, sync::Arc};
///
/// let room: Arc<str> = "room-7".into();
/// let event = Event::new(format!("{} joined", "Ada"))
///     .with_event_type(room)?
///     .with_id(Cow::Borrowed("42"))?;
/// assert_eq!(event.to_bytes(), "event: room-7\nid: 42\ndata: Ada joined\n\n");
///
/// let words: Vec<Event> = ["Hello", "world"].iter().map(Event::new).collect();
/// assert_eq!(words[1].data(), "world");
/// # Ok::<(), eventwire::InvalidField>(())
/// ```
// Not `Into<ByteString>`: it would allocate for short text (33 to 61 % more instructions for a small event), an
// `Arc<str>` is a type or an ID without a copy, and a trait of this crate can get
// implementations without breaking type inference.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not text that an event can be created from",
    note = "pass a `&str`, `String`, `Box<str>`, `Arc<str>`, `Cow<str>` or `ByteString`, or a reference to one"
)]
pub trait IntoText: sealed::Sealed + AsRef<str> + Sized {
    /// Converts the text to data.
    #[doc(hidden)]
    #[inline(always)]
    fn into_byte_string(self) -> ByteString {
        Box::<str>::from(self.as_ref()).into()
    }

    /// Converts the text to a type or an ID, which many events share.
    #[doc(hidden)]
    fn into_shared(self) -> Arc<str> {
        Arc::from(self.as_ref())
    }
}

mod sealed {
    pub trait Sealed {}
}

impl sealed::Sealed for &str {}
impl IntoText for &str {}

impl sealed::Sealed for &&str {}
impl IntoText for &&str {}

impl sealed::Sealed for &String {}
impl IntoText for &String {}

impl sealed::Sealed for String {}
impl IntoText for String {
    fn into_byte_string(self) -> ByteString {
        self.into()
    }
}

impl sealed::Sealed for Box<str> {}
impl IntoText for Box<str> {
    fn into_byte_string(self) -> ByteString {
        String::from(self).into()
    }
}

impl sealed::Sealed for &Arc<str> {}
impl IntoText for &Arc<str> {
    fn into_shared(self) -> Arc<str> {
        Arc::clone(self)
    }
}

impl sealed::Sealed for Arc<str> {}
impl IntoText for Arc<str> {
    fn into_shared(self) -> Arc<str> {
        self
    }
}

impl sealed::Sealed for &Cow<'_, str> {}
impl IntoText for &Cow<'_, str> {}

impl sealed::Sealed for Cow<'_, str> {}
impl IntoText for Cow<'_, str> {
    fn into_byte_string(self) -> ByteString {
        match self {
            Cow::Borrowed(text) => text.into(),
            Cow::Owned(text) => text.into(),
        }
    }
}

impl sealed::Sealed for &ByteString {}
impl IntoText for &ByteString {
    fn into_byte_string(self) -> ByteString {
        self.clone()
    }
}

impl sealed::Sealed for ByteString {}
impl IntoText for ByteString {
    fn into_byte_string(self) -> ByteString {
        self
    }
}
