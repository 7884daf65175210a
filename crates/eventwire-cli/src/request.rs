//! The request for a URL, from the options.

use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, RequestBuilder, Url};

/// The header, which reqwest has no name for.
const LAST_EVENT_ID: &str = "last-event-id";

#[derive(Default)]
pub(crate) struct Request {
    pub(crate) follow: bool,
    last_event_id: Option<String>,
    pub(crate) post: Option<Body>,
    headers: HeaderMap,
}

/// The body of a POST.
pub(crate) enum Body {
    Text(String),
    File(PathBuf),
    Stdin,
}

impl Request {
    /// Adds a header. An error does not quote the value, which may be a key, because standard error may be a log.
    pub(crate) fn add_header(&mut self, line: &str) -> Result<(), String> {
        let (name, value) = line.split_once(':').ok_or("a --header has no colon; write it as 'Name: value'")?;
        let value = HeaderValue::from_bytes(value.trim().as_bytes())
            .map_err(|_| format!("the value of the --header {name:?} contains a control character; remove it"))?;
        let name = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| format!("{name:?} cannot be the name of a --header; write it as 'Name: value'"))?;
        self.headers.append(name, value);
        Ok(())
    }

    /// Returns the first option that was given. All of them are for URLs only.
    pub(crate) fn first_option(&self) -> Option<&'static str> {
        let options = [
            ("--follow", self.follow),
            ("--last-event-id", self.last_event_id.is_some()),
            ("--post", self.post.is_some()),
            ("--header", !self.headers.is_empty()),
        ];
        options.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
    }

    /// Whether it contains headers or a body, such as a key, that only the server of its URL should receive.
    pub(crate) fn is_for_one_server(&self) -> bool {
        self.post.is_some() || !self.headers.is_empty()
    }

    pub(crate) fn set_last_event_id(&mut self, id: String) {
        self.last_event_id = Some(id);
    }

    /// Returns the ID to start after: from `--last-event-id`, or else from a `--header`.
    pub(crate) fn last_event_id(&self) -> Option<String> {
        let of_header = || Some(str::from_utf8(self.headers.get(LAST_EVENT_ID)?.as_bytes()).ok()?.to_owned());
        self.last_event_id.clone().or_else(of_header)
    }

    /// Returns the request for reqwest. The event source adds its own headers.
    pub(crate) fn build(&self, client: &Client, url: Url) -> Result<RequestBuilder, String> {
        let mut headers = self.headers.clone();
        // The event source sends it, with the ID of the last event.
        headers.remove(LAST_EVENT_ID);
        let Some(body) = &self.post else { return Ok(client.get(url).headers(headers)) };
        headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
        Ok(client.post(url).headers(headers).body(body.read()?))
    }
}

impl Body {
    pub(crate) fn named(text: String) -> Body {
        match text.strip_prefix('@') {
            None => Body::Text(text),
            Some("-") => Body::Stdin,
            Some(path) => Body::File(path.into()),
        }
    }

    fn read(&self) -> Result<Vec<u8>, String> {
        let mut body = Vec::new();
        match self {
            Body::Text(text) => Ok(text.as_bytes().to_vec()),
            Body::File(path) => fs::read(path).map_err(|error| format!("{path:?}: {error}")),
            Body::Stdin => match io::stdin().lock().read_to_end(&mut body) {
                Ok(_) => Ok(body),
                Err(error) => Err(format!("standard input: {error}")),
            },
        }
    }
}
