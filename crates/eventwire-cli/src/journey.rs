//! The path of a request through redirects: what is sent to which URL, and which redirects are followed. It is the rule
//! of both commands.
//!
//! What the user gave is for the origin of the user's URL: the headers, the body, the user and the password in the URL,
//! and an ID to start after. An ID that a server has sent is for the origin that has sent it. So each request is made
//! anew for its URL. Nothing is left over from the request before, and what another origin did not get is sent again
//! when a redirect leads back.
//!
//! A request with headers or a body stays at its origin, because without them it would be another request.

use std::fmt;
use std::rc::Rc;

use bytes::Bytes;
use eventwire::BodyChunks;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_TYPE, EXPECT, HeaderName, HeaderValue, LOCATION, TRAILER,
    TRANSFER_ENCODING,
};
use http::{HeaderMap, Method, Response, StatusCode};
use reqwest::{Client, Url};

use crate::failure::public;

const MOST_REDIRECTS: usize = 10;
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Makes the requests of the user's command.
pub(crate) struct Sender {
    pub(crate) client: Client,
    /// The URL that the user gave.
    pub(crate) home: Url,
    pub(crate) method: Method,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Bytes>,
}

/// What a request says apart from what the user gave.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ask {
    /// Headers that any server may see. They replace the user's.
    pub(crate) headers: HeaderMap,
    pub(crate) last_id: Option<LastId>,
}

/// The ID after which a stream continues.
#[derive(Clone, Debug)]
pub(crate) struct LastId {
    pub(crate) value: HeaderValue,
    /// A URL of the origin that it is for.
    pub(crate) of: Url,
}

/// A request and the redirects that it follows.
pub(crate) struct Journey {
    sender: Rc<Sender>,
    ask: Ask,
    url: Url,
    form: Form,
    redirects: usize,
}

/// How much of the user's request is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    AsGiven,
    /// A GET for the result of a request that a server has carried out.
    Result,
    /// A HEAD, to see whether the server answers at all.
    Probe,
}

/// What a server has answered.
pub(crate) enum Step {
    /// The response, which is no redirect. Its extensions contain its URL, and what was [`Sent`].
    Arrived(Response<Chunks>),
    /// A redirect with this status. The next request goes to the URL that it names.
    Moved(StatusCode),
    Refused(Refused),
}

/// The request that was answered, which is in the extensions of its response.
#[derive(Clone)]
pub(crate) struct Sent {
    pub(crate) method: Method,
    pub(crate) headers: HeaderMap,
}

/// The body of a response.
pub(crate) type Chunks = BodyChunks<reqwest::Body>;

/// A redirect that is not followed.
#[derive(Debug)]
pub(crate) struct Refused {
    /// The URL that redirects.
    from: Url,
    status: StatusCode,
    why: Why,
}

#[derive(Debug)]
enum Why {
    /// The `Location` is not one, in these words.
    Invalid(String),
    Leads {
        to: Url,
        because: Because,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Because {
    Credentials,
    NotEncrypted,
    OneServer,
    TooMany,
}

impl Sender {
    /// Returns the path of a request that begins at the user's URL.
    pub(crate) fn journey(self: &Rc<Sender>, ask: Ask) -> Journey {
        Journey { sender: Rc::clone(self), ask, url: bare(&self.home), form: Form::AsGiven, redirects: 0 }
    }

    /// Returns whether a URL has the origin of the user's.
    pub(crate) fn is_home(&self, url: &Url) -> bool {
        url.origin() == self.home.origin()
    }

    fn method(&self, form: Form) -> Method {
        match form {
            Form::AsGiven => self.method.clone(),
            Form::Result => Method::GET,
            Form::Probe => Method::HEAD,
        }
    }

    /// Returns the request for this URL.
    fn request(&self, url: &Url, form: Form, ask: &Ask) -> reqwest::RequestBuilder {
        let mut url = url.clone();
        let mut headers = HeaderMap::new();
        if self.is_home(&url) {
            // The HTTP client makes a header of them. They cannot fail: HTTP URLs have a host.
            let _ = url.set_username(self.home.username());
            let _ = url.set_password(self.home.password());
            headers = self.headers.clone();
        }
        let is_whole = form == Form::AsGiven;
        if !is_whole {
            without_body(&mut headers);
        }
        let mut defaults =
            vec![(ACCEPT, "text/event-stream"), (CACHE_CONTROL, "no-cache"), (ACCEPT_ENCODING, "identity")];
        if is_whole && self.body.is_some() {
            defaults.push((CONTENT_TYPE, "application/json"));
        }
        for (name, value) in defaults {
            headers.entry(name).or_insert(HeaderValue::from_static(value));
        }
        for (name, value) in &ask.headers {
            headers.insert(name, value.clone());
        }
        if let Some(id) = ask.last_id.as_ref().filter(|id| id.of.origin() == url.origin()) {
            headers.insert(LAST_EVENT_ID, id.value.clone());
        }
        let request = self.client.request(self.method(form), url).headers(headers);
        match &self.body {
            Some(body) if is_whole => request.body(body.clone()),
            _ => request,
        }
    }

    /// Sends a HEAD to this URL, which the request has reached.
    pub(crate) async fn probe(&self, url: &Url) -> reqwest::Result<Response<()>> {
        let response = self.request(url, Form::Probe, &Ask::default()).send().await?;
        Ok(Response::from(response).map(drop))
    }

    /// Sends a CORS preflight request with these headers to the user's URL. Browsers send it without credentials.
    pub(crate) async fn preflight(&self, headers: HeaderMap) -> reqwest::Result<Response<()>> {
        let response = self.client.request(Method::OPTIONS, bare(&self.home)).headers(headers).send().await?;
        Ok(Response::from(response).map(drop))
    }
}

impl Journey {
    /// Returns the URL to which the next request goes, or the last one went.
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// Returns the method of the next request.
    pub(crate) fn method(&self) -> Method {
        self.sender.method(self.form)
    }

    /// Returns how much of the user's request is sent to it.
    pub(crate) fn form(&self) -> Form {
        self.form
    }

    /// Sends the next request.
    pub(crate) async fn step(&mut self) -> reqwest::Result<Step> {
        let request = self.sender.request(&self.url, self.form, &self.ask).build().map_err(without_secrets)?;
        let sent = Sent { method: request.method().clone(), headers: request.headers().clone() };
        let response = self.sender.client.execute(request).await.map_err(without_secrets)?;
        let status = response.status();
        let is_redirect = matches!(status.as_u16(), 301..=303 | 307 | 308) && response.headers().contains_key(LOCATION);
        if !is_redirect {
            let mut response = Response::from(response).map(BodyChunks::new);
            response.extensions_mut().insert(self.url.clone());
            response.extensions_mut().insert(sent);
            return Ok(Step::Arrived(response));
        }
        Ok(match self.next(response.headers()) {
            Ok(url) => {
                self.url = url;
                self.redirects += 1;
                if self.form == Form::AsGiven && becomes_get(status, &self.sender.method) {
                    self.form = Form::Result;
                }
                Step::Moved(status)
            }
            Err(why) => Step::Refused(Refused { from: public(&self.url), status, why }),
        })
    }

    /// Returns the URL of the next request.
    fn next(&self, headers: &HeaderMap) -> Result<Url, Why> {
        let invalid = |what: &str| Err(Why::Invalid(what.to_owned()));
        let mut locations = headers.get_all(LOCATION).iter();
        let location = locations.next().map(HeaderValue::as_bytes).unwrap_or_default();
        if locations.next().is_some() {
            return invalid("several `Location` headers");
        }
        if location.is_empty() {
            return invalid("an empty `Location`");
        }
        let Ok(location) = str::from_utf8(location) else { return invalid("a `Location` that is not UTF-8") };
        let to = match self.url.join(location) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => url,
            Ok(url) => return invalid(&format!("a `Location` that begins with `{}:`", url.scheme())),
            Err(error) => return invalid(&format!("a `Location` that is not a URL: {error}")),
        };
        let is_same = to.origin() == self.url.origin();
        let has_credentials = !to.username().is_empty() || to.password().is_some();
        let is_for_one_server = self.sender.body.is_some() || !self.sender.headers.is_empty();
        let because = if has_credentials && !is_same {
            Because::Credentials
        } else if self.url.scheme() == "https" && to.scheme() == "http" {
            Because::NotEncrypted
        } else if is_for_one_server && !self.sender.is_home(&to) {
            Because::OneServer
        } else if self.redirects == MOST_REDIRECTS {
            Because::TooMany
        } else {
            return Ok(bare(&to));
        };
        Err(Why::Leads { to: public(&to), because })
    }
}

impl Refused {
    /// Returns the URL that redirects, without what may be secret.
    pub(crate) fn from(&self) -> &Url {
        &self.from
    }

    /// Returns whether the settings of the request are the reason, so that another attempt fails as well.
    pub(crate) fn is_permanent(&self) -> bool {
        matches!(self.why, Why::Leads { because: Because::NotEncrypted | Because::OneServer, .. })
    }

    pub(crate) fn advice(&self) -> &'static str {
        match self.why {
            Why::Invalid(_) => "the server has to name a URL that starts with http:// or https://",
            Why::Leads { because: Because::TooMany, .. } => "check the URL",
            Why::Leads { .. } => "check the URL, or use the one that it redirects to",
        }
    }
}

/// Says what happened, without what may be secret.
impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refused { status, why, .. } = self;
        match why {
            Why::Invalid(what) => write!(f, "the server answered {status} with {what}"),
            Why::Leads { to, because } => {
                write!(
                    f,
                    "the server answered {status} and redirects to {to}, where the request is not sent, because "
                )?;
                match because {
                    Because::Credentials => f.write_str("the URL contains a user or a password"),
                    Because::NotEncrypted => f.write_str("it is not encrypted"),
                    Because::OneServer => f.write_str("its headers and its body are for the first origin"),
                    Because::TooMany => write!(f, "there were {MOST_REDIRECTS} redirects before"),
                }
            }
        }
    }
}

impl std::error::Error for Refused {}

/// Returns the URL without user and password, which are sent as a header.
fn bare(url: &Url) -> Url {
    let mut url = url.clone();
    // Neither can fail: HTTP URLs have a host.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

/// Returns whether the next request is a GET without a body, as in browsers: the server has carried out the request,
/// and the GET is for its result.
fn becomes_get(status: StatusCode, method: &Method) -> bool {
    match status.as_u16() {
        301 | 302 => method == Method::POST,
        303 => method != Method::GET && method != Method::HEAD,
        _ => false,
    }
}

/// Removes the headers that describe a body.
fn without_body(headers: &mut HeaderMap) {
    let describes_body = |name: &&HeaderName| {
        name.as_str().starts_with("content-") || [TRANSFER_ENCODING, TRAILER, EXPECT].contains(*name)
    };
    for name in headers.keys().filter(describes_body).cloned().collect::<Vec<_>>() {
        headers.remove(name);
    }
}

/// Returns the error with the public part of its URL, because errors end up in logs.
fn without_secrets(mut error: reqwest::Error) -> reqwest::Error {
    if let Some(url) = error.url_mut() {
        *url = public(url);
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns where a redirect leads that is answered to a request for `from`, or why it is not followed. The user
    /// gave `home` and these headers.
    fn next(home: &str, headers: HeaderMap, from: &str, location: &str) -> Result<String, String> {
        let sender =
            Sender { client: Client::new(), home: Url::parse(home).unwrap(), method: Method::GET, headers, body: None };
        let mut journey = Rc::new(sender).journey(Ask::default());
        journey.url = Url::parse(from).unwrap();
        let headers = HeaderMap::from_iter([(LOCATION, HeaderValue::from_str(location).unwrap())]);
        match journey.next(&headers) {
            Ok(url) => Ok(url.into()),
            Err(why) => Err(Refused { from: public(&journey.url), status: StatusCode::FOUND, why }.to_string()),
        }
    }

    #[test]
    fn where_a_redirect_leads() {
        for (from, location, expected) in [
            ("https://a/b/c?d", "e", "https://a/b/e"),
            ("https://a/b/c?d", "//a:443/e?f", "https://a/e?f"),
            ("http://a/b", "http://user:password@a/c", "http://a/c"),
            ("http://a/", "https://a/", "https://a/"),
            ("http://a/", "http://a:81/", "http://a:81/"),
        ] {
            assert_eq!(next(from, HeaderMap::new(), from, location), Ok(expected.to_owned()));
        }
    }

    #[test]
    fn what_was_encrypted_stays_encrypted() {
        for headers in [HeaderMap::new(), HeaderMap::from_iter([(EXPECT, HeaderValue::from_static("x"))])] {
            for home in ["https://a/", "http://b/"] {
                let refused = next(home, headers.clone(), "https://a/", "http://b/?key").unwrap_err();
                assert!(
                    refused.ends_with(
                        "redirects to http://b/, where the request is not sent, because it is not encrypted"
                    ),
                    "{refused}"
                );
            }
        }
    }

    #[test]
    fn headers_stay_at_the_origin_of_the_user() {
        let headers = HeaderMap::from_iter([(EXPECT, HeaderValue::from_static("x"))]);
        for to in ["https://a/", "http://a:81/", "http://a.b/"] {
            let refused = next("http://a/", headers.clone(), "http://a/", to).unwrap_err();
            assert!(refused.ends_with("for the first origin"), "{refused}");
        }
        assert!(next("http://a/", headers, "http://a/", "http://a:80/b").is_ok());
    }
}
