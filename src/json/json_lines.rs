//! The methods that read lines of JSON.

use super::{dialect::Dialect, json_stream::JsonStream, payload::Payload};
use crate::{
    feed::{Events, LineEvents},
    timer::Timer,
};

impl<S, C: Timer> Events<S, C> {
    /// Reads each line as JSON, into a `T`, instead of events: `application/x-ndjson`, as Docker, Kubernetes and Ollama
    /// send it.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use eventwire::{Events, JsonError};
    ///
    /// let body = &b"{\"n\":1}\n\n{\"n\":\"two\"}\n{\"n\":3"[..]; // or a file, or a socket
    /// #[derive(Debug, serde::Deserialize)]
    /// struct Count { n: u32 }
    ///
    /// let mut counts = Events::from_reader(body).json_lines::<Count>();
    /// assert_eq!(counts.next().unwrap()?.n, 1);
    /// let error = counts.next().unwrap().unwrap_err();
    /// assert!(error.to_string().starts_with("cannot read line 3, column 10, as JSON: n: "));
    /// let Some(Err(JsonError::Truncated { line: Some(4), .. })) = counts.next() else { panic!() };
    /// # }
    /// # Ok::<(), eventwire::JsonError<std::io::Error>>(())
    /// ```
    ///
    /// Call it before you read the first event. The rules are those of [`Lines`](crate::line::Lines) and of events:
    ///
    /// * A line ends with CR LF, LF or CR. Blank lines are skipped. How the bytes are split into chunks makes no
    ///   difference, and a byte order mark is dropped.
    /// * If the last line has no end, it is a value if it is valid JSON, and otherwise
    ///   [`Truncated`](crate::JsonError::Truncated). After an error of the source, nobody knows whether it was
    ///   complete, and it is dropped. A number that is cut off is still valid JSON. If lines are bare numbers, only a
    ///   dialect with an end detects that.
    /// * A line that does not fit the type is a [`Payload`](crate::JsonError::Payload) error, and one that is longer
    ///   than the [decoder's limit](crate::Decoder::with_max_event_size) is [`Error::Line`](crate::Error::Line). Both
    ///   have the number of the line, counted from 1 with blank lines, and the next line follows.
    /// * Invalid UTF-8 becomes U+FFFD, unless the decoder has another [policy](crate::Utf8Policy): it is then an
    ///   [`Error::Line`](crate::Error::Line), with which the stream ends. Other settings of the decoder have no effect.
    ///
    /// With [`WithEvent<T>`](crate::WithEvent) as the type, the data of each event is the line.
    pub fn json_lines<T: Payload>(self) -> JsonStream<LineEvents<S, C>, T> {
        self.json_lines_with(Dialect::new())
    }

    /// Reads each line as JSON, in the [dialect](Dialect) of a service: which line is the last, and which ones report
    /// an error. Otherwise it does the same as [`json_lines`](Events::json_lines).
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use eventwire::{Dialect, Events};
    ///
    /// let docker = Dialect::new().with_error_reports();
    /// let body = &b"{\"status\":\"Pulling\"}\r\n{\"error\":\"no such image\"}\r\n"[..];
    /// let mut pull =
    ///     Events::from_reader(body).json_lines_with::<serde_json::Value>(docker);
    /// assert_eq!(pull.next().unwrap()?["status"], "Pulling");
    /// let error = pull.next().unwrap().unwrap_err();
    /// assert_eq!(error.to_string(), "the server reported an error in line 2: no such image");
    /// # }
    /// # Ok::<(), eventwire::JsonError<std::io::Error>>(())
    /// ```
    pub fn json_lines_with<T: Payload>(self, dialect: Dialect) -> JsonStream<LineEvents<S, C>, T> {
        JsonStream::new(LineEvents::new(self), dialect).with_rest(LineEvents::rest)
    }
}
