//! The servers of a file, each a [`Remote`]: what one of them does is no matter of the others.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;
use tokio::task::JoinSet;
use uixt_call::{Boxed, Call, CallToolResult, Progress};
use uixt_locate::{Error, Kind, Object};

use super::config::{Config, RESERVED};
use super::remote::{self, Remote};
use super::settings::Settings;
use super::tool_list_cache::ToolListCache;
use super::{aggregate, schema_check};
use crate::uniform::{self, Definitions};

/// Servers by their names, none of which runs before it is needed.
#[derive(Default)]
pub struct Servers {
    config: Config,
    definitions: Arc<Definitions>,
    remotes: BTreeMap<String, Arc<Remote>>,
    tool_lists: BTreeMap<String, Arc<ToolListCache>>,
    changes: Arc<watch::Sender<u64>>,
}

impl Servers {
    /// Takes the servers of a file, whose calls are checked against the definitions that are shipped.
    pub fn new(config: Config) -> Self {
        Self::defined_by(config, Arc::new(Definitions::shipped().clone()))
    }

    /// Takes the servers of a file, and the definitions that calls are checked against.
    pub fn defined_by(config: Config, definitions: Arc<Definitions>) -> Self {
        let on = config.servers.iter().filter_map(|(name, settings)| Some((name, settings.as_ref().ok()?)));
        let on = on.filter(|(_, settings)| !settings.is_disabled);
        let remotes: BTreeMap<String, Arc<Remote>> =
            on.map(|(name, settings)| (name.clone(), remote(name, settings, &definitions))).collect();
        let changes: Arc<watch::Sender<u64>> = Arc::default();
        let tool_list = |remote: &Arc<Remote>| Arc::new(ToolListCache::new(Arc::clone(remote), Arc::clone(&changes)));
        let tool_lists = remotes.iter().map(|(name, remote)| (name.clone(), tool_list(remote))).collect();
        Self { config, definitions, remotes, tool_lists, changes }
    }

    /// Returns the definitions that calls are checked against.
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns a server; the error says why there is none.
    pub fn get(&self, name: &str) -> Result<&Arc<Remote>, String> {
        self.config.check(name)?;
        self.remotes.get(name).ok_or_else(|| self.config.unknown(name))
    }

    /// Returns the name by which a tool of a server stands beside our own; the server may be named as its file names it, or as it
    /// stands before its tools' names. The error says why the tool cannot be called.
    pub async fn listed_as(&self, server: &str, tool: &str) -> Result<String, Error> {
        let prefixed = || self.remotes.keys().find(|name| aggregate::plain(name) == server);
        let name =
            if self.config.servers.contains_key(server) { server } else { prefixed().map_or(server, String::as_str) };
        let names = self.config.names();
        let unknown = |message: String| match names.is_empty() {
            true => format!("there is no MCP server `{server}`: no other is served here; valid: {RESERVED}"),
            false => format!("{message}, {RESERVED}"),
        };
        let is_there = self.config.servers.contains_key(name);
        let remote = self.get(name).map_err(|message| match is_there {
            true => Error::new(Kind::Service, message),
            false => Error::new(Kind::BadArgument, unknown(message)),
        })?;
        let request = remote::request(tool, Object::new());
        schema_check::find(&remote.tools().await?, &request.name).map_err(|error| remote.named(error))?;
        Ok(aggregate::name(&aggregate::plain(name), tool))
    }

    /// Returns all servers that can be started.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Arc<Remote>)> {
        self.remotes.iter().map(|(name, remote)| (name.as_str(), remote))
    }

    /// Returns what must be shown nowhere of all servers' settings.
    pub fn secrets(&self) -> Vec<String> {
        self.remotes.values().flat_map(|remote| remote.secrets().map(str::to_owned)).collect()
    }

    /// Returns what is known of the tools of all servers that can be started.
    pub(super) fn tool_lists(&self) -> impl Iterator<Item = (&str, &Arc<ToolListCache>)> {
        self.tool_lists.iter().map(|(name, tool_list)| (name.as_str(), tool_list))
    }

    /// Returns what grows whenever a server has other tools than were listed; none where there is no server.
    pub fn changes(&self) -> Option<watch::Receiver<u64>> {
        (!self.tool_lists.is_empty()).then(|| self.changes.subscribe())
    }

    /// Ends all that run, at the same time.
    pub async fn close(&self) {
        self.tool_lists.values().for_each(|tool_list| tool_list.end());
        let mut ending = JoinSet::new();
        for remote in self.remotes.values() {
            let remote = Arc::clone(remote);
            ending.spawn(async move { remote.close().await });
        }
        while ending.join_next().await.is_some() {}
    }
}

fn remote(name: &str, settings: &Settings, definitions: &Arc<Definitions>) -> Arc<Remote> {
    Arc::new(Remote::new(name, settings.clone()).defined_by(Arc::clone(definitions)))
}

impl uixt_call::Servers for Servers {
    fn call<'a>(
        &'a self,
        server: &'a str,
        tool: &'a str,
        arguments: Object,
        limit: Option<Duration>,
        progress: Progress,
    ) -> Boxed<'a, Result<CallToolResult, Error>> {
        Box::pin(async move {
            let remote = self.get(server).map_err(|message| Error::new(Kind::BadArgument, message))?;
            let call = Call { progress, ..Call::default() };
            remote.call_tool(remote::request(tool, arguments), limit, &call).await
        })
    }

    fn check<'a>(
        &'a self,
        server: &'a str,
        tool: &'a str,
        arguments: Value,
        limit: Option<Duration>,
    ) -> Boxed<'a, Result<Object, Error>> {
        Box::pin(async move {
            let wrong = |message: String| Error::new(Kind::BadArgument, format!("{tool}: {message}"));
            let arguments = uniform::read_arguments(server, tool, arguments).map_err(wrong)?;
            let remote = self.get(server).map_err(|message| Error::new(Kind::BadArgument, message))?;
            let request = remote.checked(remote::request(tool, arguments), limit).await?;
            Ok(request.arguments.unwrap_or_default())
        })
    }

    fn names(&self, server: &str) -> bool {
        self.config.names().contains(&server)
    }

    fn has(&self, server: &str) -> bool {
        self.get(server).is_ok()
    }
}
