//! The token counts of an answer.

use serde::Serialize;

use crate::echo::Echo;

#[derive(Clone, Copy, Serialize)]
pub(super) struct Usage {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
}

impl Usage {
    pub(super) fn new(prompt_tokens: u64, echoes: &[Echo]) -> Usage {
        let completion_tokens = echoes.iter().map(Echo::tokens).sum();
        Usage { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
    }
}
