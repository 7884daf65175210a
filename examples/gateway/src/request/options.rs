//! The parameters that chat completions and completions share.

use super::payload::Payload;
use crate::api_error::ApiError;
use crate::echo::MODEL;

pub(crate) struct Options {
    pub(crate) delivery: Delivery,
    /// The maximum number of tokens of a choice.
    pub(crate) limit: u64,
}

#[derive(Clone, Copy)]
pub(crate) enum Delivery {
    Whole,
    Stream(UsageChunk),
}

/// Whether a stream ends with a chunk of token counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum UsageChunk {
    Included,
    LeftOut,
}

impl Options {
    /// Reads the options, and checks the name of the model.
    pub(crate) fn read(payload: &Payload) -> Result<Options, ApiError> {
        let model = payload.param("model").text()?;
        if model != MODEL {
            return Err(ApiError::unknown_model(model));
        }
        let n = payload.param("n");
        if n.count()?.is_some_and(|n| n != 1) {
            return Err(n.must("be 1, because this model returns one answer"));
        }
        // If both are given, both apply.
        let limits = [payload.param("max_tokens").count()?, payload.param("max_completion_tokens").count()?];
        let limit = limits.into_iter().flatten().min().unwrap_or(u64::MAX);
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
