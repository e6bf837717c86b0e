//! The page of UI instances, for the frame of a chat.

use std::sync::Arc;

use serde_json::Value;
use uixt_call::Boxed;
use uixt_ui::page::{self, Pages};

use crate::mcp::server::View;

pub(in crate::cli) struct InstancePage(pub(in crate::cli) Arc<Pages>);

impl View for InstancePage {
    fn uri(&self) -> &'static str {
        page::URI
    }

    fn document(&self) -> String {
        page::document()
    }

    fn answer(&self, said: Value) -> Boxed<'_, Result<Value, Value>> {
        Box::pin(async { self.0.answer(said).await.map_err(|error| error.to_json()) })
    }
}
