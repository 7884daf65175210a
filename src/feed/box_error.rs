//! A boxed error that is an error.

use alloc::boxed::Box;
use core::error::Error;

/// A `Box<dyn Error + Send + Sync>` as an [`Error`], which the box itself is not.
///
/// If the error of your transport is such a box, the errors of this crate do not implement [`Error`] either, so they
/// cannot be printed, and `?` does not convert them. Convert them by `map_transport`:
///
/// ```
/// use eventwire::{BoxError, Events};
///
/// type Failure = Box<dyn std::error::Error + Send + Sync>;
///
/// fn read(chunks: impl Iterator<Item = Result<String, Failure>>) -> Result<usize, Failure> {
///     let mut count = 0;
///     for event in Events::new(chunks) {
///         let event = event.map_err(|error| error.map_transport(BoxError::from))?;
///         count += event.data().len();
///     }
///     Ok(count)
/// }
///
/// assert_eq!(read([Ok("data: abc\n\n".to_owned())].into_iter()).unwrap(), 3);
/// assert_eq!(
///     read([Err("connection reset".into())].into_iter()).unwrap_err().to_string(),
///     "connection reset"
/// );
///
/// let error = BoxError::from(Failure::from(std::io::Error::other("reset")));
/// assert!(error.0.is::<std::io::Error>());
/// ```
///
/// Its message and its [`source`](Error::source) are those of the error in the box.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct BoxError(
    /// The error, for example to downcast it.
    #[from]
    pub Box<dyn Error + Send + Sync>,
);
