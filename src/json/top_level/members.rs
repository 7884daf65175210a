//! The members of an object, as they are written.

/// The keys and values at the top level of valid JSON, as they are written; none if that is not an object.
///
/// serde_json's own reader fails as a whole for one value that it cannot hold, such as `1e999`.
#[derive(Debug)]
pub(super) struct Members<'j> {
    /// What begins with the next key, but for a comma and white space.
    rest: &'j [u8],
}

impl<'j> Members<'j> {
    pub(super) fn of(json: &'j str) -> Members<'j> {
        Members { rest: json.trim_ascii_start().strip_prefix('{').unwrap_or_default().as_bytes() }
    }
}

impl<'j> Iterator for Members<'j> {
    type Item = (&'j [u8], &'j [u8]);

    fn next(&mut self) -> Option<(&'j [u8], &'j [u8])> {
        let rest = self.rest.trim_ascii_start();
        let rest = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start();
        let (key, rest) = rest.split_at(string_len(rest)?);
        let rest = rest.trim_ascii_start().strip_prefix(b":")?;
        let (value, rest) = rest.split_at(value_len(rest)?);
        self.rest = rest;
        Some((key, value.trim_ascii()))
    }
}

/// How long the string is that the JSON begins with, quotes included.
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

/// How long the value is that the JSON begins with, white space included: up to the comma or the end of what it is in.
fn value_len(json: &[u8]) -> Option<usize> {
    let (mut len, mut depth) = (0, 0_usize);
    loop {
        match *json.get(len)? {
            b',' | b'}' | b']' if depth == 0 => return Some(len),
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
