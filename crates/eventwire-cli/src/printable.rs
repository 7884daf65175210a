//! Makes text from elsewhere safe to print. A stream must not move the cursor, change the window's title, or show its
//! text in another order than it has.
//!
//! These characters are escaped:
//!
//! * control characters, except tabs,
//! * format characters (Unicode's category Cf), most of which are invisible or reorder the text around them. Two of
//!   them are not escaped, because emoji and some scripts need them: ZWJ and ZWNJ, which join or separate letters,
//! * U+2028 and U+2029, which end a line in some programs.

use std::fmt::{self, Write};
use std::iter;

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// A text that is printed on one line, so that line ends are escaped as well.
pub(crate) struct OneLine<'t>(pub(crate) &'t str);

/// A text, or a piece of one, that is printed on as many lines as it has. A CR before an LF is left out, and also one
/// at the end, because the next piece may start with the LF. Any other is escaped: it would move the cursor back, and
/// what follows would hide the line.
pub(crate) struct Lines<'t>(pub(crate) &'t str);

/// A part of a text.
pub(crate) enum Piece<'t> {
    /// Has no character that needs to be escaped.
    Plain(&'t str),
    Escaped(char),
}

/// Splits the text at the characters that need to be escaped.
pub(crate) fn pieces(mut text: &str) -> impl Iterator<Item = Piece<'_>> {
    iter::from_fn(move || {
        let first = text.chars().next()?;
        if is_escaped(first) {
            text = &text[first.len_utf8()..];
            return Some(Piece::Escaped(first));
        }
        let (plain, rest) = text.split_at(text.find(is_escaped).unwrap_or(text.len()));
        text = rest;
        Some(Piece::Plain(plain))
    })
}

pub(crate) fn is_escaped(char: char) -> bool {
    match char {
        '\t' | ' '..='~' | '\u{200C}' | '\u{200D}' => false,
        '\u{2028}' | '\u{2029}' => true,
        char => matches!(char.general_category(), GeneralCategory::Control | GeneralCategory::Format),
    }
}

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        pieces(self.0).try_for_each(|piece| match piece {
            Piece::Plain(text) => f.write_str(text),
            Piece::Escaped(char) => char.escape_default().try_for_each(|char| f.write_char(char)),
        })
    }
}

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.split('\n').enumerate().try_for_each(|(number, line)| {
            let end = if number == 0 { "" } else { "\n" };
            write!(f, "{end}{}", OneLine(line.strip_suffix('\r').unwrap_or(line)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_may_obey_is_escaped() {
        for char in
            "\0\x07\x1B\r\n\x7F\u{80}\u{9B}\u{AD}\u{61C}\u{200B}\u{200E}\u{200F}\u{202A}\u{202E}\u{2028}\u{2029}\
            \u{2060}\u{2066}\u{2069}\u{206F}\u{FEFF}\u{FFF9}\u{1D173}\u{E0001}\u{E0041}\u{E007F}"
                .chars()
        {
            assert_eq!(OneLine(&format!("a{char}b")).to_string(), format!("a{}b", char.escape_default()));
        }
    }

    #[test]
    fn text_is_not() {
        // Two letters that do not join, a family that is joined, a flag, an accent, spaces, a private character.
        for text in
            ["", "a\tb", "\u{645}\u{200C}\u{647}", "👩\u{200D}👧", "🇫🇷", "e\u{301}", "\u{A0}\u{3000}", "\u{E000}"]
        {
            assert_eq!(OneLine(text).to_string(), text);
            assert_eq!(Lines(text).to_string(), text);
        }
    }

    #[test]
    fn a_cr_is_never_printed() {
        for (text, printed) in [
            ("a\r\nb\nc\r\n", "a\nb\nc\n"),
            ("secret\rpublic", "secret\\rpublic"),
            ("a\r\r\n\r", "a\\r\n"),
            ("\x1B\n\u{202E}", "\\u{1b}\n\\u{202e}"),
        ] {
            assert_eq!(Lines(text).to_string(), printed);
        }
        // Between the pieces of a text, a CRLF may be cut.
        assert_eq!(format!("{}{}", Lines("a\r"), Lines("\nb")), Lines("a\r\nb").to_string());
        assert_eq!(OneLine("a\r\nb\tc").to_string(), "a\\r\\nb\tc");
    }
}
