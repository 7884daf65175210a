//! An example: a driver of a language model. It asks a server with OpenAI's Responses API and passes the answer on
//! as it arrives. After a lost connection it continues the answer, without paying for it twice.
//!
//! The driver is [`Driver`]. It also runs in browsers. `cargo run -p driver` shows it at work: it asks a server in
//! its own process, which drops the connection once. `cargo run -p driver -- --help` lists its options.

mod driver;
mod driver_error;
mod response;

pub use self::{
    driver::Driver,
    driver_error::DriverError,
    response::{Answer, Usage},
};
