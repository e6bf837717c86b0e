//! Where tools may come from that a task needs: sets that are off, servers that the user has, the saved list of a registry. They are
//! proposed; nothing is installed.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uixt_call::{Exposure, Shape, ToolKind, Toolset};
use uixt_locate::Error;
use uixt_toolkit::{Context, Reply, Tool};

use crate::known::{KnownServer, Surroundings};
use crate::needs::Needs;
use crate::place::{self, is_for_model};
use crate::ranking::{Described, Ranking, is_chinese};
use crate::registry::{self, Listed};
use crate::search::named;

/// Most proposals of one source.
const MOST: usize = 3;

/// How much of a task a server's description must know.
const LEAST_SHARE: f64 = 0.25;

/// Propose tools for a task from sets that are off, servers that you have, and a registry's list that you saved; installs nothing.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct SearchAndInstallTools {
    /// Task, in English or Chinese.
    #[schemars(length(min = 1, max = 10_000))]
    task_description: String,
    /// Why the tools there are will not do.
    #[serde(default)]
    #[schemars(length(max = 10_000))]
    reason: Option<String>,
    /// Saved list of a registry: what <https://registry.modelcontextprotocol.io/v0/servers> returns.
    #[serde(default)]
    #[schemars(length(min = 1))]
    registry: Option<String>,
}

impl SearchAndInstallTools {
    /// Returns all that says what is needed.
    fn words(&self) -> String {
        format!("{} {}", self.task_description, self.reason.as_deref().unwrap_or_default())
    }

    /// Proposes sets whose tools fit and are not listed.
    fn toolsets(&self, cx: &Context, around: &Surroundings) -> Vec<Value> {
        let needs = Needs::of(cx.table, around.own(is_for_model(cx)), &self.task_description);
        if !needs.is_enough {
            return Vec::new();
        }
        let rows = needs.recommended.iter().filter_map(|one| one.tool.row());
        let off = rows.filter(|row| row.exposure == Exposure::Everyone && !around.is_on(row.name));
        let told = off.map(|row| {
            let set = row.set.map_or("all", Toolset::name);
            let command = format!("uixt mcp-server --toolsets core,{set}");
            let why = format!("{} It can be called by its name already.", row.schema().brief());
            json!({"name": row.name, "source": "toolset", "why": why, "command": command, "lines": null})
        });
        told.take(MOST).collect()
    }

    /// Proposes servers that the user's file names, and whose names have to do with the task.
    fn servers(&self, servers: Vec<KnownServer>, is_agent: bool) -> Vec<Value> {
        let servers: Vec<_> = servers.into_iter().filter(|server| !server.is_shown).collect();
        let named = |server: &KnownServer| Described {
            name: server.name.clone(),
            description: String::new(),
            details: String::new(),
        };
        let fitting = Ranking::new(servers.iter().map(named)).fitting(&self.words());
        let told = |server: &KnownServer| {
            let file = server.file.display();
            let command = match is_agent {
                true => format!("uixt mcp-server --with {file}"),
                false => format!("uixt mcp tools {} --mcp-config {file}", server.name),
            };
            let why = format!("{file} names this server; its tools are not shown here");
            json!({"name": server.name, "source": "servers file", "why": why, "command": command, "lines": null})
        };
        fitting.iter().filter_map(|one| servers.get(one.at)).take(MOST).map(told).collect()
    }

    /// Proposes servers of the saved list.
    fn of_registry(&self, listed: &[Listed]) -> Vec<Value> {
        let described = |server: &Listed| Described {
            name: server.name.clone(),
            description: server.description.clone(),
            details: String::new(),
        };
        let fitting = Ranking::new(listed.iter().map(described)).fitting(&self.words());
        let fitting = fitting.iter().filter(|one| one.share >= LEAST_SHARE);
        fitting.filter_map(|one| listed.get(one.at)).take(MOST).map(told).collect()
    }

    fn message(&self, count: usize, has_list: bool) -> String {
        match (is_chinese(&self.task_description), count, has_list) {
            (false, 0, true) => "nothing fits this task; nothing was installed".to_owned(),
            (false, 0, false) => "nothing that is here fits this task; save https://registry.modelcontextprotocol.io/v0/servers to a file and \
                 name it as `registry`"
                .to_owned(),
            (false, count, _) => format!("{count} proposals; nothing was installed"),
            (true, 0, true) => "没有适合这项任务的工具; 没有安装任何东西".to_owned(),
            (true, 0, false) => "这里没有适合这项任务的工具; 可把 https://registry.modelcontextprotocol.io/v0/servers 存成文件, 用参数 `registry` 给出"
                .to_owned(),
            (true, count, _) => format!("{count} 个建议; 没有安装任何东西"),
        }
    }
}

/// Returns the part of a name that a file of servers may use.
fn short(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or(name);
    last.chars().map(|sign| if sign.is_ascii_alphanumeric() { sign } else { '_' }).collect()
}

fn told(server: &Listed) -> Value {
    let lines = json!({"mcpServers": {short(&server.name): server.lines}});
    let mut why = server.description.clone();
    if !server.variables.is_empty() {
        why.push_str(&format!(" It needs {}.", server.variables.join(", ")));
    }
    let command = format!("uixt mcp tools {} --mcp-config mcp.json", short(&server.name));
    json!({"name": server.name, "source": "registry", "why": why, "command": command, "lines": lines})
}

impl Tool for SearchAndInstallTools {
    const NAME: &'static str = "search_and_install_tools";
    const SET: Option<Toolset> = Some(Toolset::SearchTool);
    const KIND: ToolKind = ToolKind::Read;
    const NAMES_FILES: bool = true;
    const PARAMS: Shape = Shape::Fields(&["task_description", "reason"]);
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;
    const MAIN: Option<&'static str> = Some("proposals");
    const ANSWER: &'static [&'static str] = &["installed_tools", "proposals"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let around = cx.session.setting::<Surroundings>();
        let registry = match &self.registry {
            Some(path) => Some(place::file(cx, path).map_err(|error| named(Self::NAME, error))?),
            None => around.registry().cloned(),
        };
        let has_list = registry.is_some();
        let read = tokio::task::spawn_blocking(move || registry.map(|file| registry::read(&file)).transpose());
        let listed = read.await.map_err(|error| Error::bad_argument(error.to_string()))?;
        let listed = listed.map_err(|error| named(Self::NAME, error))?.unwrap_or_default();
        let mut proposals = self.toolsets(cx, &around);
        proposals.extend(self.servers(around.servers(), is_for_model(cx)));
        proposals.extend(self.of_registry(&listed));
        let reply = Reply::new(self.message(proposals.len(), has_list));
        Ok(reply.with("installed_tools", Vec::<Value>::new()).with("proposals", proposals))
    }
}
