//! What chat completions and completions may be asked for alike.

use super::error::ApiError;
use super::model::MODEL;
use super::payload::Payload;

pub(super) struct Options {
    pub(super) delivery: Delivery,
    /// How many tokens a choice may have.
    pub(super) limit: usize,
}

#[derive(Clone, Copy)]
pub(super) enum Delivery {
    Whole,
    Stream(UsageChunk),
}

/// Whether a stream says at its end how many tokens there were.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum UsageChunk {
    Included,
    LeftOut,
}

impl Options {
    /// Also sees to it that the model is the one that there is.
    pub(super) fn read(payload: &Payload) -> Result<Options, ApiError> {
        let model = payload.param("model").text()?;
        if model != MODEL {
            return Err(ApiError::unknown_model(model));
        }
        let n = payload.param("n");
        if n.count()?.is_some_and(|n| n != 1) {
            return Err(n.must("be 1: there is one answer only"));
        }
        // Where both are given, both hold.
        let limits = [payload.param("max_tokens").count()?, payload.param("max_completion_tokens").count()?];
        let limit = limits.into_iter().flatten().min().unwrap_or(usize::MAX);
        Ok(Options { delivery: Delivery::read(payload)?, limit })
    }
}

impl Delivery {
    fn read(payload: &Payload) -> Result<Delivery, ApiError> {
        let is_stream = payload.param("stream").flag()?;
        let options = payload.param("stream_options");
        let usage = match options.value() {
            Some(_) if options.member("include_usage")?.flag()? => UsageChunk::Included,
            _ => UsageChunk::LeftOut,
        };
        Ok(if is_stream { Delivery::Stream(usage) } else { Delivery::Whole })
    }
}
