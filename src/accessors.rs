//! The methods that give access to an adapter's source.

/// Writes `get_ref` and `into_inner` for the source in the field `$field`. `$source` names it in the documentation. The
/// methods have no `#[must_use]`, because some of the types that they return have it.
macro_rules! accessors {
    (
        $field:ident: $type:ty, $source:literal;
        $(#[doc = $inner_note:literal])* into_inner;
    ) => {
        #[doc = concat!("Returns a reference to ", $source, ".")]
        pub fn get_ref(&self) -> &$type {
            &self.$field
        }

        #[doc = concat!("Returns ", $source, ".")]
        ///
        $(#[doc = $inner_note])*
        pub fn into_inner(self) -> $type {
            self.$field
        }
    };
}
