//! The data of an owned event.

use super::{IntoText, short::Short};
use bytestring::ByteString;
use core::{
    fmt,
    hash::{Hash, Hasher},
};

/// Text of any length.
#[derive(Clone)]
pub(crate) struct Data(Repr);

#[derive(Clone)]
enum Repr {
    /// Up to 23 bytes, in place: to slice a chunk takes more time than to copy so little.
    Short(Short),
    /// A slice of a chunk, or memory of its own.
    Shared(ByteString),
}

impl Data {
    pub(super) fn new(text: impl IntoText) -> Data {
        Data::try_from(text.as_ref()).unwrap_or_else(|()| Data(Repr::Shared(text.into_byte_string())))
    }

    #[inline]
    pub(super) fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Short(text) => text.as_str(),
            Repr::Shared(text) => text,
        }
    }
}

impl Default for Data {
    fn default() -> Data {
        Data(Repr::Short(Short::EMPTY))
    }
}

/// Text that is short enough to be held in place.
impl TryFrom<&str> for Data {
    type Error = ();

    #[inline(always)]
    fn try_from(text: &str) -> Result<Data, ()> {
        Short::new(text).map(|short| Data(Repr::Short(short))).ok_or(())
    }
}

impl From<ByteString> for Data {
    #[inline]
    fn from(text: ByteString) -> Data {
        Data(Repr::Shared(text))
    }
}

impl From<Data> for ByteString {
    fn from(data: Data) -> ByteString {
        match data.0 {
            Repr::Short(text) => text.as_str().into(),
            Repr::Shared(text) => text,
        }
    }
}

impl PartialEq for Data {
    fn eq(&self, other: &Data) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Data {}

impl Hash for Data {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}
