//! The seam of the server: a part of what it offers. The table is one part, resources another; each answers for its own.

use std::future::ready;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompletionInfo, GetPromptRequestParams,
    GetPromptResponse, Prompt, ReadResourceResponse, Resource, ResourceTemplate, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use uixt_call::Boxed;

/// The request that is answered: its peer, its token of cancellation, what stands in its `_meta`.
pub type Asked = RequestContext<RoleServer>;

/// An answer; none where the request is another provider's.
pub type Answer<'a, T> = Option<Boxed<'a, Result<T, ErrorData>>>;

/// A part of what a server offers. Whoever is asked first and knows the name answers.
pub trait Provider: Send + Sync {
    fn tools(&self, _asked: &Asked) -> Boxed<'_, Vec<Tool>> {
        Box::pin(ready(Vec::new()))
    }

    fn call<'a>(&'a self, _request: &'a CallToolRequestParams, _asked: &'a Asked) -> Answer<'a, CallToolResponse> {
        None
    }

    fn resources(&self, _asked: &Asked) -> Boxed<'_, Vec<Resource>> {
        Box::pin(ready(Vec::new()))
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        Vec::new()
    }

    fn read<'a>(&'a self, _uri: &'a str, _asked: &'a Asked) -> Answer<'a, ReadResourceResponse> {
        None
    }

    /// Tells whether a resource of this URI is this provider's, so that it can be subscribed to.
    fn knows(&self, _uri: &str) -> bool {
        false
    }

    fn prompts(&self) -> Vec<Prompt> {
        Vec::new()
    }

    fn prompt<'a>(&'a self, _request: &'a GetPromptRequestParams, _asked: &'a Asked) -> Answer<'a, GetPromptResponse> {
        None
    }

    fn complete<'a>(&'a self, _request: &'a CompleteRequestParams, _asked: &'a Asked) -> Answer<'a, CompletionInfo> {
        None
    }
}
