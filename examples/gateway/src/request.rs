//! What a request contains: a key, a body, parameters.

mod authorized;
mod options;
mod param;
mod payload;

pub(crate) use self::{
    authorized::{Authorized, bearer_key, check_key},
    options::{Delivery, Options, UsageChunk},
    param::Param,
    payload::{Payload, read_body_first},
};
