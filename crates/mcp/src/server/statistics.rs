//! What the calls of each tool add up to since the server began, as a resource.

use rmcp::model::{ReadResourceResponse, ReadResourceResult, Resource, ResourceContents};
use serde_json::json;
use uixt_call::Boxed;
use uixt_core::tool_times::SharedToolTimes;

use super::listed;
use super::provider::{Answer, Asked, Provider};

pub(super) const URI: &str = "uixt://tools/stats";

/// Tells what calls add up to.
pub(super) struct Statistics(pub SharedToolTimes);

impl Provider for Statistics {
    fn resources(&self, _: &Asked) -> Boxed<'_, Vec<Resource>> {
        let title = "Calls of each tool since the server began: how many succeeded, how long they took and waited";
        listed(vec![Resource::new(URI, "tool_stats").with_title(title).with_mime_type("application/json")])
    }

    fn read<'a>(&'a self, uri: &'a str, _: &'a Asked) -> Answer<'a, ReadResourceResponse> {
        self.knows(uri).then(|| {
            let figures = self.0.lock().figures();
            let text = serde_json::to_string_pretty(&json!({"tools": figures})).unwrap_or_default();
            let contents = ResourceContents::text(text, uri).with_mime_type("application/json");
            Box::pin(std::future::ready(Ok(ReadResourceResult::new(vec![contents]).into()))) as Boxed<'_, _>
        })
    }

    fn knows(&self, uri: &str) -> bool {
        uri == URI
    }
}
