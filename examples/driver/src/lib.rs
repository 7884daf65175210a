//! An example: a driver of a language model. It asks a server with OpenAI's Responses API, passes the answer on as it arrives, and
//! continues an answer that was cut off, without paying for it twice.
//!
//! The driver is [`Driver`], and runs in browsers as well. `cargo run -p driver` shows it at work: it asks a server in
//! its own process, which cuts the answer off once. `cargo run -p driver -- --help` lists its options.

mod driver;
mod driver_error;
#[cfg(feature = "program")]
mod program;
mod response;
mod safe_text;

#[cfg(feature = "program")]
pub use self::program::{Failure, run};
pub use self::{
    driver::Driver,
    driver_error::DriverError,
    response::{Answer, Usage},
};
