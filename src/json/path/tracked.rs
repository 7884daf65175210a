//! Wrappers that implement serde's traits. They forward each call to the value inside and keep the path up to date.

use super::{Path, Step};
use alloc::{string::String, vec::Vec};
use core::fmt;
use serde_core::de::{DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor};

/// A deserializer, a visitor or a seed.
pub(super) struct Tracked<'p, X> {
    pub(super) inner: X,
    pub(super) path: &'p mut Path,
}

/// The members of a sequence, a map or an enum.
struct Members<'p, A> {
    inner: A,
    path: &'p mut Path,
    /// The depth of the sequence, the map or the enum.
    depth: usize,
    count: usize,
}

impl<'p, A> Members<'p, A> {
    fn new(inner: A, path: &'p mut Path) -> Members<'p, A> {
        Members { inner, depth: path.depth(), path, count: 0 }
    }

    /// Reads the value at this step.
    fn enter<R, E>(self, step: Step, read: impl FnOnce(A, &mut Path) -> Result<R, E>) -> Result<R, E> {
        self.path.enter(self.depth, step);
        let value = read(self.inner, self.path)?;
        self.path.leave(self.depth);
        Ok(value)
    }
}

macro_rules! deserialize {
    ($($method:ident($($name:ident: $type:ty),*);)*) => {$(
        fn $method<V: Visitor<'de>>(self, $($name: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method($($name,)* Tracked { inner: visitor, path: self.path })
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Tracked<'_, D> {
    type Error = D::Error;

    deserialize! {
        deserialize_any();
        deserialize_bool();
        deserialize_i8();
        deserialize_i16();
        deserialize_i32();
        deserialize_i64();
        deserialize_i128();
        deserialize_u8();
        deserialize_u16();
        deserialize_u32();
        deserialize_u64();
        deserialize_u128();
        deserialize_f32();
        deserialize_f64();
        deserialize_char();
        deserialize_str();
        deserialize_string();
        deserialize_bytes();
        deserialize_byte_buf();
        deserialize_option();
        deserialize_unit();
        deserialize_unit_struct(name: &'static str);
        deserialize_newtype_struct(name: &'static str);
        deserialize_seq();
        deserialize_tuple(len: usize);
        deserialize_tuple_struct(name: &'static str, len: usize);
        deserialize_map();
        deserialize_struct(name: &'static str, fields: &'static [&'static str]);
        deserialize_enum(name: &'static str, variants: &'static [&'static str]);
        deserialize_identifier();
        deserialize_ignored_any();
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

macro_rules! visit_scalar {
    ($($method:ident($type:ty);)*) => {$(
        fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.path.store_scalar(&value);
            self.inner.$method(value)
        }
    )*};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Tracked<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    visit_scalar! {
        visit_bool(bool);
        visit_i8(i8);
        visit_i16(i16);
        visit_i32(i32);
        visit_i64(i64);
        visit_i128(i128);
        visit_u8(u8);
        visit_u16(u16);
        visit_u32(u32);
        visit_u64(u64);
        visit_u128(u128);
        visit_char(char);
        visit_str(&str);
        visit_borrowed_str(&'de str);
        visit_string(String);
    }

    // serde_json never calls it.
    fn visit_f32<E: Error>(self, value: f32) -> Result<V::Value, E> {
        self.inner.visit_f32(value)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<V::Value, E> {
        // serde_json prints the number, because its code for that is already in every program. The standard
        // library's code would add 7.5 KB to each page, gzipped.
        if let Some(number) = serde_json::Number::from_f64(value) {
            self.path.store_scalar(&number);
        }
        self.inner.visit_f64(value)
    }

    fn visit_bytes<E: Error>(self, value: &[u8]) -> Result<V::Value, E> {
        self.inner.visit_bytes(value)
    }

    fn visit_borrowed_bytes<E: Error>(self, value: &'de [u8]) -> Result<V::Value, E> {
        self.inner.visit_borrowed_bytes(value)
    }

    fn visit_byte_buf<E: Error>(self, value: Vec<u8>) -> Result<V::Value, E> {
        self.inner.visit_byte_buf(value)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(Tracked { inner: deserializer, path: self.path })
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(Tracked { inner: deserializer, path: self.path })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<V::Value, A::Error> {
        self.inner.visit_seq(Members::new(seq, self.path))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Members::new(map, self.path))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<V::Value, A::Error> {
        self.inner.visit_enum(Members::new(data, self.path))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Tracked<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(Tracked { inner: deserializer, path: self.path })
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Members<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.path.enter(self.depth, Step::Index(self.count));
        let element = self.inner.next_element_seed(Tracked { inner: seed, path: &mut *self.path })?;
        self.path.leave(self.depth);
        self.count += 1;
        Ok(element)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Members<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        // The caller may have ignored the error of the value before. Its path ends here.
        self.path.leave(self.depth);
        self.inner.next_key_seed(Tracked { inner: seed, path: &mut *self.path })
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let key = self.path.take_key();
        self.path.enter(self.depth, key);
        let value = self.inner.next_value_seed(Tracked { inner: seed, path: &mut *self.path })?;
        self.path.leave(self.depth);
        Ok(value)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, 'p, A: EnumAccess<'de>> EnumAccess<'de> for Members<'p, A> {
    type Error = A::Error;
    type Variant = Members<'p, A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), A::Error> {
        let (name, variant) = self.inner.variant_seed(Tracked { inner: seed, path: &mut *self.path })?;
        Ok((name, Members { inner: variant, path: self.path, depth: self.depth, count: 0 }))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Members<'_, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        let name = self.path.take_key();
        self.enter(name, |variant, _| variant.unit_variant())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        let name = self.path.take_key();
        self.enter(name, |variant, path| variant.newtype_variant_seed(Tracked { inner: seed, path }))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        let name = self.path.take_key();
        self.enter(name, |variant, path| variant.tuple_variant(len, Tracked { inner: visitor, path }))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        let name = self.path.take_key();
        self.enter(name, |variant, path| variant.struct_variant(fields, Tracked { inner: visitor, path }))
    }
}
