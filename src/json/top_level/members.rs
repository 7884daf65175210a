//! The members of an object, and the elements of an array, as unparsed text.
//!
//! serde_json cannot be used for this: it fails for the whole value if it cannot represent a part of it, such as
//! `1e999`.

/// The keys and values at the top level of valid JSON. If the JSON is not an object, it has no members.
#[derive(Debug)]
pub(super) struct Members<'j> {
    /// The rest of the text, from the next key on. A comma and white space may come before the key.
    rest: &'j [u8],
}

impl<'j> Members<'j> {
    pub(super) fn new(json: &'j [u8]) -> Members<'j> {
        Members { rest: json.trim_ascii_start().strip_prefix(b"{").unwrap_or_default() }
    }
}

impl<'j> Iterator for Members<'j> {
    type Item = (&'j [u8], &'j [u8]);

    fn next(&mut self) -> Option<(&'j [u8], &'j [u8])> {
        let rest = after_comma(self.rest);
        let (key, rest) = rest.split_at(string_len(rest)?);
        let rest = rest.trim_ascii_start().strip_prefix(b":")?;
        let (value, rest) = rest.split_at(value_len(rest)?);
        self.rest = rest;
        Some((key, value.trim_ascii()))
    }
}

/// The elements of valid JSON. If the JSON is not an array, it has none.
#[derive(Debug)]
pub(super) struct Elements<'j> {
    /// The rest of the text, from the next element on, like that of `Members`.
    rest: &'j [u8],
}

impl<'j> Elements<'j> {
    pub(super) fn new(json: &'j [u8]) -> Elements<'j> {
        Elements::without_brackets(json.trim_ascii_start().strip_prefix(b"[").unwrap_or_default())
    }

    /// The elements of a text without brackets around it. No comma is needed after an object or array.
    pub(super) fn without_brackets(rest: &'j [u8]) -> Elements<'j> {
        Elements { rest }
    }
}

impl<'j> Iterator for Elements<'j> {
    type Item = &'j [u8];

    fn next(&mut self) -> Option<&'j [u8]> {
        let rest = after_comma(self.rest);
        let (element, rest) = rest.split_at(value_len(rest).filter(|&len| len > 0)?);
        self.rest = rest;
        Some(element.trim_ascii())
    }
}

fn after_comma(rest: &[u8]) -> &[u8] {
    let rest = rest.trim_ascii_start();
    rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start()
}

/// Returns the length of the string at the start of the JSON, including its quotes.
fn string_len(json: &[u8]) -> Option<usize> {
    let mut len = json.starts_with(b"\"").then_some(1)?;
    loop {
        len += memchr::memchr2(b'"', b'\\', json.get(len..)?)?;
        if json[len] == b'"' {
            return Some(len + 1);
        }
        len += 2;
    }
}

/// Returns the length of the value at the start of the JSON, including white space before it: up to its last bracket,
/// or else to the comma after it or the end of the object or array around it.
fn value_len(json: &[u8]) -> Option<usize> {
    let (mut len, mut depth) = (0, 0_usize);
    loop {
        match *json.get(len)? {
            b',' | b'}' | b']' if depth == 0 => return Some(len),
            b'}' | b']' if depth == 1 => return Some(len + 1),
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            b'"' => {
                len += string_len(&json[len..])?;
                continue;
            }
            _ => {}
        }
        len += 1;
    }
}
