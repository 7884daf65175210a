//! The rules for lines.

/// A rule that a line or a block breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    MissingPrefix,
    FieldCase,
    FieldSpace,
    UnknownField,
    ByteOrderMark,
    NotUtf8,
    IdWithNul,
    RetryNotDigits,
    RepeatedField,
    NoData,
    LiteralLineBreak,
    DefaultType,
    Unfinished,
}

impl Rule {
    /// Returns the code of a finding, and what it says about a line, which it quotes before if it is still known.
    pub(crate) const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Rule::MissingPrefix => ("missing-prefix", "does not begin with `data:` or another field"),
            Rule::FieldCase => ("field-case", "has capital letters in its field name"),
            Rule::FieldSpace => ("field-space", "has a space before the colon, or begins with one"),
            Rule::UnknownField => ("unknown-field", "has a field name that the standard does not define"),
            Rule::ByteOrderMark => ("byte-order-mark", "begins with a byte order mark inside the stream"),
            Rule::NotUtf8 => ("not-utf-8", "has bytes that are not UTF-8"),
            Rule::IdWithNul => ("id-with-nul", "contains the character U+0000"),
            Rule::RetryNotDigits => ("retry-not-digits", "does not consist of digits"),
            Rule::RepeatedField => ("repeated-field", "sets a field that the same event has set before"),
            Rule::NoData => ("no-data", "the event has a type, but no `data:` line"),
            Rule::LiteralLineBreak => {
                ("literal-line-break", "ends with the characters `\\` and `n` where a line break was meant")
            }
            Rule::DefaultType => ("default-type", "names the default type"),
            Rule::Unfinished => ("unfinished", "no blank line follows the event that begins here"),
        }
    }
}
