//! A caller whose answers to wrong calls are told in the language that is asked for.

use std::sync::Arc;

use uixt_call::{Boxed, Call, CallToolRequest, CallToolResult, Caller, ToolDefinition};

use crate::cli::shell::call::language::Language;

struct Translated {
    caller: Arc<dyn Caller>,
    language: Language,
}

/// Has a caller answer in a language; one that is its own changes nothing.
pub(super) fn around(caller: Arc<dyn Caller>, language: Language) -> Arc<dyn Caller> {
    if language.is_own() { caller } else { Arc::new(Translated { caller, language }) }
}

impl Translated {
    fn told(&self, result: CallToolResult) -> CallToolResult {
        let answer = result.structured_content.as_ref().filter(|_| result.is_failure());
        let Some(answer) = answer else { return result };
        let mut told = CallToolResult::structured_error(self.language.told(answer).into_owned());
        told.content.extend(result.content.into_iter().skip(1));
        CallToolResult { meta: result.meta, ..told }
    }
}

impl Caller for Translated {
    fn list(&self) -> Boxed<'_, Vec<ToolDefinition>> {
        self.caller.list()
    }

    fn call(&self, request: CallToolRequest, call: Call) -> Boxed<'_, CallToolResult> {
        Box::pin(async move { self.told(self.caller.call(request, call).await) })
    }

    fn inner(&self) -> Option<&dyn Caller> {
        Some(&*self.caller)
    }
}
