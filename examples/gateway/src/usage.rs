//! How many tokens were read and said.

use serde::Serialize;

use super::echo::Echo;

#[derive(Clone, Copy, Serialize)]
pub(super) struct Usage {
    prompt_tokens: usize,
    completion_tokens: usize,
    total_tokens: usize,
}

impl Usage {
    pub(super) fn new(prompt_tokens: usize, echoes: &[Echo]) -> Usage {
        let completion_tokens = echoes.iter().map(Echo::tokens).sum();
        Usage { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
    }
}
