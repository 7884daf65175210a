//! The text of an owned event: its data, type and ID.

use super::{Data, IntoText, Label, short::Short};
use alloc::sync::Arc;
use bytestring::ByteString;
use core::{
    fmt,
    hash::{Hash, Hasher},
    ops::Deref,
};

/// Text that is stored in place if it is short, and in an `S` if it is longer. Constant text is a `C`.
#[derive(Clone)]
pub(crate) struct Text<S, C>(Repr<S, C>);

#[derive(Clone)]
enum Repr<S, C> {
    /// Up to 23 bytes. To copy so little takes less time than to slice a chunk or to allocate.
    Short(Short),
    Shared(S),
    Constant(C),
}

impl Deref for Data {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        match &self.0 {
            Repr::Short(text) => text.as_str(),
            Repr::Shared(text) => text,
            Repr::Constant(never) => match *never {},
        }
    }
}

impl Deref for Label {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        match &self.0 {
            Repr::Short(text) => text.as_str(),
            Repr::Shared(text) => text,
            Repr::Constant(text) => text,
        }
    }
}

impl Data {
    #[inline(always)]
    pub(crate) fn from_text(text: impl IntoText) -> Data {
        Data::try_from(text.as_ref()).unwrap_or_else(|()| Text::from(text.into_byte_string()))
    }
}

impl Label {
    #[inline(always)]
    pub(crate) fn from_text(text: impl IntoText) -> Label {
        Label::try_from(text.as_ref()).unwrap_or_else(|()| Text::from(text.into_shared()))
    }

    pub(super) const fn constant(text: &'static str) -> Label {
        Text(Repr::Constant(text))
    }
}

impl<S, C> Text<S, C>
where
    Self: Deref<Target = str>,
{
    #[inline]
    pub(super) fn as_str(&self) -> &str {
        self
    }
}

impl<S, C> Default for Text<S, C> {
    fn default() -> Text<S, C> {
        Text(Repr::Short(Short::EMPTY))
    }
}

/// Text that is short enough to be stored in place.
impl<S, C> TryFrom<&str> for Text<S, C> {
    type Error = ();

    #[inline(always)]
    fn try_from(text: &str) -> Result<Text<S, C>, ()> {
        Short::new(text).map(|short| Text(Repr::Short(short))).ok_or(())
    }
}

impl From<ByteString> for Data {
    #[inline]
    fn from(text: ByteString) -> Data {
        Text(Repr::Shared(text))
    }
}

impl From<Arc<str>> for Label {
    #[inline]
    fn from(text: Arc<str>) -> Label {
        Text(Repr::Shared(text))
    }
}

impl From<Data> for ByteString {
    fn from(data: Data) -> ByteString {
        match data.0 {
            Repr::Short(text) => text.as_str().into(),
            Repr::Shared(text) => text,
            Repr::Constant(none) => match none {},
        }
    }
}

impl<S, C> PartialEq for Text<S, C>
where
    Self: Deref<Target = str>,
{
    fn eq(&self, other: &Text<S, C>) -> bool {
        self.as_str() == other.as_str()
    }
}

impl<S, C> Eq for Text<S, C> where Self: Deref<Target = str> {}

impl<S, C> Hash for Text<S, C>
where
    Self: Deref<Target = str>,
{
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl<S, C> fmt::Debug for Text<S, C>
where
    Self: Deref<Target = str>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}
