//! The methods that give access to an adapter's source.

/// Writes `get_ref`, `get_mut` and `into_inner` for the source in the field `$field`, and `get_pin_mut` if the field is
/// `pinned`. `$source` names it in the documentation. The methods have no `#[must_use]`, because some of the types that
/// they return have it.
macro_rules! accessors {
    (
        pinned $field:ident: $type:ty, $source:literal;
        $(#[doc = $mut_note:literal])* get_mut;
        $(#[doc = $inner_note:literal])* into_inner;
    ) => {
        $crate::accessors::accessors! {
            $field: $type, $source;
            $(#[doc = $mut_note])* get_mut;
            $(#[doc = $inner_note])* into_inner;
        }

        #[doc = concat!("Returns a pinned mutable reference to ", $source, ".")]
        pub fn get_pin_mut(self: core::pin::Pin<&mut Self>) -> core::pin::Pin<&mut $type> {
            self.project().$field
        }
    };
    (
        $field:ident: $type:ty, $source:literal;
        $(#[doc = $mut_note:literal])* get_mut;
        $(#[doc = $inner_note:literal])* into_inner;
    ) => {
        #[doc = concat!("Returns a reference to ", $source, ".")]
        pub fn get_ref(&self) -> &$type {
            &self.$field
        }

        #[doc = concat!("Returns a mutable reference to ", $source, ".")]
        ///
        $(#[doc = $mut_note])*
        pub fn get_mut(&mut self) -> &mut $type {
            &mut self.$field
        }

        #[doc = concat!("Returns ", $source, ".")]
        ///
        $(#[doc = $inner_note])*
        pub fn into_inner(self) -> $type {
            self.$field
        }
    };
}

pub(crate) use accessors;
