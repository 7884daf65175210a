//! The rules for lines, and what is told to whoever broke one.

use crate::Severity;

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

/// What a rule says about each line that breaks it.
pub(crate) struct Texts {
    pub(crate) severity: Severity,
    pub(crate) code: &'static str,
    /// Follows the line, which is quoted.
    pub(crate) what: &'static str,
    pub(crate) effect: &'static str,
    pub(crate) cure: &'static str,
}

impl Rule {
    pub(crate) const ALL: [Rule; 13] = [
        Rule::MissingPrefix,
        Rule::FieldCase,
        Rule::FieldSpace,
        Rule::UnknownField,
        Rule::ByteOrderMark,
        Rule::NotUtf8,
        Rule::IdWithNul,
        Rule::RetryNotDigits,
        Rule::RepeatedField,
        Rule::NoData,
        Rule::LiteralLineBreak,
        Rule::DefaultType,
        Rule::Unfinished,
    ];

    pub(crate) const fn texts(self) -> Texts {
        use Severity::{Fail, Note, Warn};
        let (severity, code, what, effect, cure) = match self {
            Rule::MissingPrefix => (
                Fail,
                "missing-prefix",
                "does not begin with `data:` or another field",
                "Every client drops such a line",
                "Write `data: ` before each line of the text: a text with line breaks needs one `data: ` per line",
            ),
            Rule::FieldCase => (
                Fail,
                "field-case",
                "has a field name with capitals",
                "Names are compared exactly, so every client drops the line",
                "Write `data`, `event`, `id` and `retry` in lower case",
            ),
            Rule::FieldSpace => (
                Fail,
                "field-space",
                "has a space before the colon or at its start",
                "The space becomes a part of the name, so every client drops the line",
                "Write the name at the start of the line, and the colon right after it, as in `data: text`",
            ),
            Rule::UnknownField => (
                Warn,
                "unknown-field",
                "has a name that the standard does not define",
                "Every client drops the line",
                "Send it as `data:` or as a comment, which begins with a colon, or leave it out",
            ),
            Rule::ByteOrderMark => (
                Fail,
                "byte-order-mark",
                "begins with a byte order mark inside the stream",
                "Only the very first one is removed. Here it is a part of the field's name, so every client drops the line",
                "Remove the mark (the bytes EF BB BF) from the texts or files that the stream is made of",
            ),
            Rule::NotUtf8 => (
                Fail,
                "not-utf-8",
                "has bytes that are not UTF-8",
                "Clients read each of them as the replacement character U+FFFD, whatever the charset in the header",
                "Encode the stream in UTF-8, and do not cut a text inside a character",
            ),
            Rule::IdWithNul => (
                Fail,
                "id-with-nul",
                "is an ID that contains U+0000",
                "Every client ignores the ID, and resumes at an older one after a reconnect",
                "Remove the character from the ID",
            ),
            Rule::RetryNotDigits => (
                Fail,
                "retry-not-digits",
                "is a reconnection time that does not consist of digits",
                "Every client ignores the line",
                "Send milliseconds in ASCII digits, without sign, point or unit: `retry: 3000`",
            ),
            Rule::RepeatedField => (
                Warn,
                "repeated-field",
                "sets a field that the same event has set before",
                "The last value counts, and the one before it is lost",
                "Send `event`, `id` and `retry` at most once per event. Is the blank line between two events missing?",
            ),
            Rule::NoData => (
                Fail,
                "no-data",
                "sets the type of an event that has no `data:` line",
                "No client dispatches an event without data, so no listener runs",
                "Add a `data:` line. Its value may be empty",
            ),
            Rule::LiteralLineBreak => (
                Fail,
                "literal-line-break",
                "contains a backslash and an `n` instead of a line break",
                "Clients read the two characters as text, and find no end of the line or the event",
                "Write real line breaks: in PHP and in a shell, `\\n` is one only in double quotes or `$'...'`",
            ),
            Rule::DefaultType => (
                Note,
                "default-type",
                "names the default type",
                "Clients read the event as if the line were not there",
                "Leave the line out",
            ),
            Rule::Unfinished => (
                Fail,
                "unfinished",
                "belongs to an event that is not finished when the stream ends",
                "Every client drops the event",
                "End each event, the last one too, with a blank line: two line breaks after its last line",
            ),
        };
        Texts { severity, code, what, effect, cure }
    }
}
