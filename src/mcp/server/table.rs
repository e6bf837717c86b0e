//! The tools of a [`Caller`], as a part of the server.

use std::sync::Arc;

use rmcp::model::{CallToolRequestParams, CallToolResponse, Tool};

use super::provider::{Answer, Asked, Provider};
use crate::caller::{Boxed, Call, Caller};

/// Lists and calls what a caller has; whatever the name, a call is answered, if only by saying what is right.
pub(super) struct Table {
    caller: Arc<dyn Caller>,
}

impl Table {
    pub(super) fn new(caller: Arc<dyn Caller>) -> Self {
        Self { caller }
    }
}

impl Provider for Table {
    fn tools(&self) -> Boxed<'_, Vec<Tool>> {
        self.caller.list()
    }

    fn call<'a>(&'a self, request: &'a CallToolRequestParams, asked: &'a Asked) -> Answer<'a, CallToolResponse> {
        let call = Call::until(asked.ct.clone());
        Some(Box::pin(async move { Ok(self.caller.call(request.clone(), call).await.into()) }))
    }
}
