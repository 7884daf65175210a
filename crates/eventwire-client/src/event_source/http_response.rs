//! Heads of responses from the crate `http`.

use crate::{Headers, ResponseHead};
use http::{HeaderMap, Response};

impl<'a, B> From<&'a Response<B>> for ResponseHead<'a> {
    fn from(response: &'a Response<B>) -> ResponseHead<'a> {
        ResponseHead::with_headers(response.status().as_u16(), response.headers())
    }
}

impl Headers for HeaderMap {
    fn each_value<'a>(&'a self, name: &str, take: &mut dyn FnMut(&'a [u8])) {
        self.get_all(name).iter().for_each(|value| take(value.as_bytes()));
    }
}
