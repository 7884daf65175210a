//! The type [`ResponseUrl`].

/// The URL of a response after redirects.
///
/// It is one of the response's [extensions](http::Response::extensions).
///
/// ```no_run
/// # async fn example() -> Result<(), eventwire_web::FetchError> {
/// use eventwire_web::{Request, ResponseUrl};
///
/// let response = Request::get("/old").send().await?;
/// let url = response.extensions().get::<ResponseUrl>().map_or("", ResponseUrl::as_str);
/// # let _ = url;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseUrl {
    pub(crate) url: String,
    pub(crate) is_redirected: bool,
}

impl ResponseUrl {
    /// Returns the URL, without a fragment. It is empty if the browser hides it, for example in the mode `no-cors`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.url
    }

    /// Returns whether there were redirects.
    #[must_use]
    pub fn is_redirected(&self) -> bool {
        self.is_redirected
    }
}
