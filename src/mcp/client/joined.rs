//! A caller, and the tools of other servers beside its own, as `server__tool`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use rmcp::model::{CallToolRequestParams, CallToolResult, Tool};
use tokio::task::JoinSet;

use super::roster::Roster;
use super::servers::Servers;
use crate::caller::{Boxed, Call, Caller};
use crate::tools::deeds;

/// What stands between a server's name and its tool's.
const BETWEEN: &str = "__";

/// Offers its own tools and those of others.
pub struct Joined {
    own: Arc<dyn Caller>,
    /// By their names as they stand before their tools'.
    others: BTreeMap<String, Other>,
}

/// A server beside the own table.
struct Other {
    /// As the file names it.
    name: String,
    roster: Arc<Roster>,
}

impl Joined {
    /// Joins a caller and servers; where there are none, it is the caller itself.
    pub fn of(own: Arc<dyn Caller>, servers: &Servers) -> Arc<dyn Caller> {
        let mut others = BTreeMap::new();
        for (name, roster) in servers.rosters() {
            let prefix = plain(name);
            match others.entry(prefix) {
                Entry::Vacant(place) => {
                    place.insert(Other { name: name.to_owned(), roster: Arc::clone(roster) });
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
        let (prefix, tool) = name.split_once(BETWEEN)?;
        Some((self.others.get(prefix)?, tool.to_owned()))
    }

    async fn all(&self) -> Vec<Tool> {
        let mut asking = JoinSet::new();
        for (prefix, other) in &self.others {
            let (prefix, roster) = (prefix.clone(), Arc::clone(&other.roster));
            asking.spawn(async move { (prefix, roster.tools().await) });
        }
        let mut tools = self.own.list().await;
        let mut others = asking.join_all().await;
        others.sort_by(|a, b| a.0.cmp(&b.0));
        for (prefix, listed) in others {
            tools.extend(listed.into_iter().map(|tool| named(&prefix, tool)));
        }
        tools
    }
}

impl Other {
    /// Calls a tool; whoever looks on is told of it as of a call of `mcp`.
    async fn call(&self, mut request: CallToolRequestParams, call: Call) -> CallToolResult {
        let is_watched = deeds::unask(&mut request);
        let deed = is_watched.then(|| deeds::of_other(&self.name, &request));
        let mut result = self.roster.remote().call(request, call).await;
        if result.is_error != Some(true) {
            self.roster.answered();
        }
        if let Some(deed) = deed {
            deeds::tell(deed, &mut result);
        }
        result
    }
}

/// Returns a name of the characters that every host takes.
fn plain(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    let parts: Vec<&str> = plain.split('_').filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { "server".to_owned() } else { parts.join("_") }
}

fn named(prefix: &str, mut tool: Tool) -> Tool {
    tool.name = format!("{prefix}{BETWEEN}{}", tool.name).into();
    tool
}

impl Caller for Joined {
    fn list(&self) -> Boxed<'_, Vec<Tool>> {
        Box::pin(self.all())
    }

    fn call(&self, mut request: CallToolRequestParams, call: Call) -> Boxed<'_, CallToolResult> {
        match self.meant(&request.name) {
            Some((other, tool)) => {
                request.name = tool.into();
                Box::pin(other.call(request, call))
            }
            None => self.own.call(request, call),
        }
    }

    fn end(&self) {
        self.own.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        assert_eq!(plain("My Server.2"), "My_Server_2");
        assert_eq!(plain("chrome-devtools"), "chrome-devtools");
        assert_eq!(plain("浏览器"), "server");
    }
}
