//! What the builders take for text.

use self::sealed::Sealed;
use alloc::{borrow::Cow, boxed::Box, string::String, sync::Arc};
use bytestring::ByteString;

/// Text that a builder takes: `&str`, `&String`, `String`, `Box<str>`, `Arc<str>`, `Cow<str>` or [`ByteString`].
///
/// As data, a `String`, a `Box<str>`, an owned `Cow` and a [`ByteString`] are moved, and the others are copied. As a type or an ID, an
/// `Arc<str>` is moved, and the others are copied. This trait is sealed: it has no other implementations.
///
/// ```
/// use eventwire::Event;
/// use std::{borrow::Cow, sync::Arc};
///
/// let room: Arc<str> = "room-7".into();
/// let event = Event::new(format!("{} joined", "Ada")).with_event_type(room)?.with_id(Cow::Borrowed("42"))?;
/// assert_eq!(event.to_bytes(), "event: room-7\nid: 42\ndata: Ada joined\n\n");
/// # Ok::<(), eventwire::InvalidField>(())
/// ```
pub trait IntoText: Sealed {}

impl<T: Sealed> IntoText for T {}

mod sealed {
    use alloc::sync::Arc;
    use bytestring::ByteString;

    pub trait Sealed: Sized + AsRef<str> {
        /// For data.
        fn into_byte_string(self) -> ByteString;

        /// For what many events share.
        fn into_shared(self) -> Arc<str> {
            Arc::from(self.as_ref())
        }
    }
}

impl Sealed for &str {
    fn into_byte_string(self) -> ByteString {
        self.into()
    }
}

impl Sealed for &String {
    fn into_byte_string(self) -> ByteString {
        self.as_str().into()
    }
}

impl Sealed for String {
    fn into_byte_string(self) -> ByteString {
        self.into()
    }
}

impl Sealed for Box<str> {
    fn into_byte_string(self) -> ByteString {
        String::from(self).into()
    }
}

impl Sealed for Arc<str> {
    fn into_byte_string(self) -> ByteString {
        (&*self).into()
    }

    fn into_shared(self) -> Arc<str> {
        self
    }
}

impl Sealed for Cow<'_, str> {
    fn into_byte_string(self) -> ByteString {
        match self {
            Cow::Borrowed(text) => text.into(),
            Cow::Owned(text) => text.into(),
        }
    }
}

impl Sealed for ByteString {
    fn into_byte_string(self) -> ByteString {
        self
    }
}
