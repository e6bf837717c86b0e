//! A caller around another one that hears what each call did: for the testcase, and what an answer holds beside its message.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use uixt_call::{Boxed, Call, CallRecord, CallToolRequest, CallToolResult, Caller, ToolDefinition};

/// The fields of answers that are worth reading beside the message.
const TEXTS: [&str; 2] = ["snapshot", "source"];

/// What was heard since the last time.
#[derive(Default)]
pub(super) struct Heard {
    pub(super) records: Vec<CallRecord>,
    pub(super) texts: Vec<String>,
}

pub(super) struct Listener {
    inner: Arc<dyn Caller>,
    heard: Mutex<Heard>,
}

impl Listener {
    pub(super) fn new(inner: Arc<dyn Caller>) -> Self {
        Self { inner, heard: Mutex::default() }
    }

    /// Returns the caller that nobody listens to.
    pub(super) fn inner(&self) -> &dyn Caller {
        &*self.inner
    }

    pub(super) fn forget(&self) {
        drop(self.take());
    }

    pub(super) fn take(&self) -> Heard {
        std::mem::take(&mut *self.heard.lock())
    }
}

impl Caller for Listener {
    fn list(&self) -> Boxed<'_, Vec<ToolDefinition>> {
        self.inner.list()
    }

    fn call(&self, mut request: CallToolRequest, call: Call) -> Boxed<'_, CallToolResult> {
        Box::pin(async move {
            request.options.records = true;
            let mut result = self.inner.call(request, call).await;
            let records = CallRecord::take(&mut result);
            let mut heard = self.heard.lock();
            heard.records.extend(
                records.into_iter().filter(|record| record.succeeded && !record.is_compound && !record.is_part),
            );
            let field = |name: &str| result.structured_content.as_ref()?.get(name).and_then(Value::as_str);
            heard.texts.extend(TEXTS.into_iter().filter_map(field).map(str::to_owned));
            drop(heard);
            result
        })
    }

    fn inner(&self) -> Option<&dyn Caller> {
        Some(&*self.inner)
    }
}
