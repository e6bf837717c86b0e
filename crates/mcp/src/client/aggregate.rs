//! A caller, and the tools of other servers beside its own, as `server__tool`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use tokio::task::JoinSet;
use uixt_call::{Boxed, Call, CallRecord, CallToolRequest, CallToolResult, Caller, PREFIX, ToolDefinition};

use super::servers::Servers;
use super::tool_list_cache::ToolListCache;

/// What stands between a server's name and its tool's.
const BETWEEN: &str = "__";

/// Longest name of a tool that all hosts take.
const MAX_LEN: usize = 64;

/// Offers its own tools and those of others.
pub struct Aggregate {
    own: Arc<dyn Caller>,
    /// By their names as they stand before their tools'.
    others: BTreeMap<String, Other>,
}

/// A server beside the own table.
struct Other {
    /// As the file names it.
    name: String,
    tool_list: Arc<ToolListCache>,
}

impl Aggregate {
    /// Joins a caller and servers; where there are none, it is the caller itself.
    pub fn of(own: Arc<dyn Caller>, servers: &Servers) -> Arc<dyn Caller> {
        let mut others = BTreeMap::new();
        for (name, tool_list) in servers.tool_lists() {
            let prefix = plain(name);
            match others.entry(prefix) {
                Entry::Vacant(place) => {
                    place.insert(Other { name: name.to_owned(), tool_list: Arc::clone(tool_list) });
                }
                Entry::Occupied(other) => {
                    let prefix = other.key();
                    tracing::warn!(
                        "server `{name}`: its tools are left out, since another's begin with `{prefix}` too"
                    );
                }
            }
        }
        if others.is_empty() { own } else { Arc::new(Self { own, others }) }
    }

    /// Returns the server that a tool's name begins with, and the tool's own name.
    fn meant(&self, name: &str) -> Option<(&Other, String)> {
        let meant = |name: &str| {
            let (prefix, tool) = name.split_once(BETWEEN)?;
            Some((self.others.get(prefix)?, tool.to_owned()))
        };
        // Our own tools are called with and without our name before theirs; so are those beside them.
        meant(name).or_else(|| meant(name.strip_prefix(PREFIX)?))
    }

    async fn all(&self) -> Vec<ToolDefinition> {
        let mut asking = JoinSet::new();
        for (prefix, other) in &self.others {
            let (prefix, tool_list) = (prefix.clone(), Arc::clone(&other.tool_list));
            asking.spawn(async move { (prefix, tool_list.tools().await) });
        }
        let mut tools = self.own.list().await;
        let mut others = asking.join_all().await;
        others.sort_by(|a, b| a.0.cmp(&b.0));
        for (prefix, listed) in others {
            let listed: Vec<ToolDefinition> = listed.into_iter().map(|tool| named(&prefix, tool)).collect();
            if let Some(other) = self.others.get(&prefix)
                && let Some(warning) = too_long(&other.name, &listed)
            {
                other.tool_list.warn_once(&warning);
            }
            tools.extend(listed);
        }
        tools
    }
}

impl Other {
    /// Calls a tool; whoever looks on is told of it as of a call of `mcp`.
    async fn call(&self, mut request: CallToolRequest, call: Call) -> CallToolResult {
        // That is for nobody else.
        let is_watched = std::mem::take(&mut request.options.records);
        call.times.name_other(&self.name, &request.name);
        let record = is_watched.then(|| CallRecord::of_other(&self.name, &request));
        let mut result = self.tool_list.remote().call(request, call).await;
        if !result.is_failure() {
            self.tool_list.answered();
        }
        if let Some(record) = record {
            record.tell(&mut result);
        }
        result
    }
}

/// Returns a name of the characters that every host takes.
pub(super) fn plain(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    let parts: Vec<&str> = plain.split('_').filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { "server".to_owned() } else { parts.join("_") }
}

/// Returns the name of a server's tool beside our own.
pub(super) fn name(prefix: &str, tool: &str) -> String {
    format!("{prefix}{BETWEEN}{tool}")
}

fn named(prefix: &str, mut tool: ToolDefinition) -> ToolDefinition {
    tool.name = name(prefix, &tool.name).into();
    tool
}

/// Says which of the names are longer than some hosts take.
fn too_long(server: &str, tools: &[ToolDefinition]) -> Option<String> {
    let first = tools.iter().find(|tool| tool.name.len() > MAX_LEN)?;
    let count = tools.iter().filter(|tool| tool.name.len() > MAX_LEN).count();
    let (name, length) = (first.name.escape_debug(), first.name.len());
    Some(format!(
        "server `{server}`: {count} of its tools have names of more than {MAX_LEN} characters, which some hosts refuse \
         (`{name}`: {length}); give it a shorter name in the file of servers"
    ))
}

impl Caller for Aggregate {
    fn list(&self) -> Boxed<'_, Vec<ToolDefinition>> {
        Box::pin(self.all())
    }

    fn call(&self, mut request: CallToolRequest, call: Call) -> Boxed<'_, CallToolResult> {
        match self.meant(&request.name) {
            Some((other, tool)) => {
                request.name = tool.into();
                // Another server has its own queue.
                call.arrival.pass();
                Box::pin(other.call(request, call))
            }
            None => self.own.call(request, call),
        }
    }

    fn inner(&self) -> Option<&dyn Caller> {
        Some(&*self.own)
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::Config;
    use super::super::settings::Settings;
    use super::*;

    #[test]
    fn a_name_that_some_hosts_refuse_is_told() {
        let tools = |length: usize| [ToolDefinition::new("x".repeat(length), "", Arc::default())];
        assert_eq!(too_long("a", &tools(MAX_LEN)), None);
        assert!(
            too_long("a", &tools(MAX_LEN + 4))
                .is_some_and(|told| told.contains("1 of its tools") && told.contains(": 68)"))
        );
    }

    #[tokio::test]
    async fn a_tool_of_another_is_meant_with_our_name_before_it_too() {
        let config = Config::of_one("ok", Settings::at_url("http://127.0.0.1/"));
        let servers = Servers::new(config);
        let others = servers
            .tool_lists()
            .map(|(name, tool_list)| (plain(name), Other { name: name.to_owned(), tool_list: Arc::clone(tool_list) }));
        let aggregate = Aggregate { own: Arc::new(Nobody), others: others.collect() };
        let meant = |name: &str| aggregate.meant(name).map(|(other, tool)| format!("{} {tool}", other.name));
        assert_eq!(meant("ok__add").as_deref(), Some("ok add"));
        assert_eq!(meant("uixt__ok__add").as_deref(), Some("ok add"));
        assert_eq!((meant("uixt__home"), meant("ko__add"), meant("uixt__uixt__ok__add")), (None, None, None));
    }

    struct Nobody;

    impl Caller for Nobody {
        fn list(&self) -> Boxed<'_, Vec<ToolDefinition>> {
            Box::pin(async { Vec::new() })
        }

        fn call(&self, _: CallToolRequest, _: Call) -> Boxed<'_, CallToolResult> {
            Box::pin(async { CallToolResult::success(Vec::new()) })
        }
    }

    #[test]
    fn names_are_plain() {
        assert_eq!(plain("My Server.2"), "My_Server_2");
        assert_eq!(plain("chrome-devtools"), "chrome-devtools");
        assert_eq!(plain("浏览器"), "server");
    }
}
