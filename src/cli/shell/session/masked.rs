//! A caller of one session → the same, whose answers show no secret that a call of the session made known.

use std::sync::Arc;

use parking_lot::Mutex;
use uixt_call::{Boxed, Call, CallToolRequest, CallToolResult, Caller, Redaction, ToolDefinition};

use crate::tools;

/// Masks in what is read off the screen what calls typed as a secret.
pub(super) struct Masked {
    caller: Arc<dyn Caller>,
    redaction: Mutex<Redaction>,
}

impl Masked {
    pub(super) fn around(caller: impl Caller + 'static) -> Self {
        Self { caller: Arc::new(caller), redaction: Mutex::default() }
    }
}

impl Caller for Masked {
    fn list(&self) -> Boxed<'_, Vec<ToolDefinition>> {
        self.caller.list()
    }

    fn call(&self, request: CallToolRequest, call: Call) -> Boxed<'_, CallToolResult> {
        Box::pin(async move {
            let mut result = self.caller.call(request.clone(), call).await;
            let mut redaction = self.redaction.lock();
            redaction.learn(&request, &result);
            redaction.mask_what_is_seen(tools::table(), &request, &mut result);
            result
        })
    }

    fn inner(&self) -> Option<&dyn Caller> {
        Some(&*self.caller)
    }
}
