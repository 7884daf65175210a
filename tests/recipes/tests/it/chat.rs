//! An answer of an OpenAI-compatible server, in pieces, and an output that pauses the clock.

use std::io::{self, Write};

pub(crate) const HI: &str = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"Hi\"}}]}\n\n";
/// Chunks without `choices` or `delta`, as Azure and gateways send them.
pub(crate) const ODD: &str = "data: {\"choices\":[],\"prompt_filter_results\":[{\"prompt_index\":0}]}\n\n\
    data: {\"choices\":[{\"index\":0,\"content_filter_results\":{}}]}\n\n\
    data: {\"choices\":[{\"index\":0,\"delta\":null}]}\n\n\
    data: {\"choices\":null}\n\ndata: {\"usage\":null}\n\n";
/// A chunk without text, a chunk without choices, and the end.
pub(crate) const END: &str = concat!(
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
    "data: {\"choices\":[],\"usage\":{\"completion_tokens\":2}}\n\n",
    "data: [DONE]\n\n",
);

/// Pauses the clock when a token is written. Then tokio advances it as soon as nothing else is left to do.
pub(crate) struct Pausing(pub(crate) Vec<u8>);

impl Write for Pausing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        tokio::time::pause();
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
