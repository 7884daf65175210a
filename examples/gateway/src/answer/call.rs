//! A call of a tool, complete or in chunks.

use serde::Serialize;

use super::id::Id;
use crate::echo::Echo;
use crate::script::ToolCall;

pub(crate) struct Call {
    id: Id,
    name: String,
    arguments: Echo,
}

/// A call, or a chunk of one.
#[derive(Serialize)]
pub(super) struct CallDelta<'a> {
    /// The index of the call to which a chunk belongs. Only chunks have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Id>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    arguments: &'a str,
}

const KIND: &str = "function";

impl Call {
    pub(crate) fn new(call: ToolCall) -> Call {
        let ToolCall { name, arguments } = call;
        Call { id: Id::new("call"), name, arguments: Echo::new(arguments, u64::MAX) }
    }

    pub(super) fn whole(&self) -> CallDelta<'_> {
        let function = Function { name: Some(&self.name), arguments: self.arguments.text() };
        CallDelta { index: None, id: Some(self.id), kind: Some(KIND), function }
    }

    /// Returns the first chunk, which contains everything except the arguments.
    pub(super) fn start(&self, index: usize) -> CallDelta<'_> {
        let function = Function { name: Some(&self.name), arguments: "" };
        CallDelta { index: Some(index), id: Some(self.id), kind: Some(KIND), function }
    }

    /// Returns the next piece of the arguments.
    pub(super) fn more(&mut self, index: usize) -> Option<CallDelta<'_>> {
        let function = Function { name: None, arguments: self.arguments.next_token()? };
        Some(CallDelta { index: Some(index), id: None, kind: None, function })
    }
}
