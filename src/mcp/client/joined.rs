//! A caller, and the tools of other servers beside its own, as `server__tool`.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::model::{CallToolRequestParams, CallToolResult, Tool};
use tokio::task::JoinSet;

use super::remote::Remote;
use super::servers::Servers;
use crate::caller::{Boxed, Call, Caller};

/// What stands between a server's name and its tool's.
const BETWEEN: &str = "__";

/// Offers its own tools and those of others.
pub struct Joined {
    own: Arc<dyn Caller>,
    /// By their names as they stand before their tools'.
    others: BTreeMap<String, Arc<Remote>>,
}

impl Joined {
    /// Joins a caller and servers; where there are none, it is the caller itself.
    pub fn of(own: Arc<dyn Caller>, servers: &Servers) -> Arc<dyn Caller> {
        let mut others = BTreeMap::new();
        for (name, remote) in servers.all() {
            let prefix = plain(name);
            if others.contains_key(&prefix) {
                tracing::warn!("server `{name}`: its tools are left out, since another's begin with `{prefix}` too");
            } else {
                others.insert(prefix, Arc::clone(remote));
            }
        }
        if others.is_empty() { own } else { Arc::new(Self { own, others }) }
    }

    /// Returns the server that a tool's name begins with, and the tool's own name.
    fn meant(&self, name: &str) -> Option<(&Arc<Remote>, String)> {
        let (prefix, tool) = name.split_once(BETWEEN)?;
        Some((self.others.get(prefix)?, tool.to_owned()))
    }

    async fn all(&self) -> Vec<Tool> {
        let mut asking = JoinSet::new();
        for (prefix, remote) in &self.others {
            let (prefix, remote) = (prefix.clone(), Arc::clone(remote));
            asking.spawn(async move { (prefix, remote.tools().await) });
        }
        let mut tools = self.own.list().await;
        let mut others = asking.join_all().await;
        others.sort_by(|a, b| a.0.cmp(&b.0));
        for (prefix, listed) in others {
            match listed {
                Ok(listed) => tools.extend(listed.into_iter().map(|tool| named(&prefix, tool))),
                Err(error) => tracing::warn!("{error}: its tools are left out"),
            }
        }
        tools
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
            Some((remote, tool)) => {
                request.name = tool.into();
                remote.call(request, call)
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
