//! Which file of MCP servers holds: `--mcp-config`, a testcase's `mcp_config_path`, or the user's own.

use std::collections::{BTreeSet, HashMap};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use serde_json::Value;

use super::exit::Failure;
use crate::action::MobileAction;
use crate::mcp::client::{Config, ConfigError, Owner, Servers};
use crate::testcase::{self, TestCase};
use crate::tools;

/// The option that names a file of servers.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct ServersArgs {
    /// File of MCP servers (`mcpServers`) that `mcp` steps call.
    #[arg(long, value_name = "FILE")]
    mcp_config: Option<PathBuf>,
}

/// The user's own files, the first of which counts that is there.
fn own_files() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let config = config.or_else(|| Some(home.as_ref()?.join(".config")));
    let ours = config.map(|folder| folder.join("uixt/mcp.json"));
    ours.into_iter().chain(home.map(|home| home.join(".hrp/mcp.json"))).collect()
}

impl ServersArgs {
    /// Tells whether a file is named on the command line.
    pub(super) fn is_named(&self) -> bool {
        self.mcp_config.is_some()
    }

    /// Reads the file that is named, or the user's own; none where there is neither.
    pub(super) fn config(&self) -> Result<Config, Failure> {
        match &self.mcp_config {
            Some(path) => read(path, Owner::Project).map_err(Failure::usage),
            None => of_user().map_err(Failure::usage),
        }
    }

    /// Returns the file that a case's servers are named in, and where in the testcase that is said.
    fn file<'a>(&self, case: &'a TestCase) -> Result<Option<PathBuf>, (&'a TestCase, String)> {
        if let Some(path) = &self.mcp_config {
            return Ok(Some(path.clone()));
        }
        let mut found: Option<PathBuf> = None;
        for part in case.cases() {
            let Some(named) = &part.config.mcp_config_path else { continue };
            let path = located(&named.path, part).map_err(|message| (part, message))?;
            match &found {
                Some(first) if *first != path => {
                    let message = "this testcase and the one that refers to it name different files of servers";
                    return Err((part, format!("{message}; name one for all with --mcp-config FILE")));
                }
                _ => found = Some(path),
            }
        }
        Ok(found)
    }

    fn config_of(&self, case: &TestCase) -> Result<Config, testcase::Error> {
        let at = |part: &TestCase, message: String| {
            let place = part.config.mcp_config_path.as_ref().map(|named| named.place).unwrap_or_default();
            testcase::Error::in_case(part, place, message)
        };
        match self.file(case).map_err(|(part, message)| at(part, message))? {
            Some(path) => {
                let naming =
                    case.cases().into_iter().find(|part| part.config.mcp_config_path.is_some()).unwrap_or(case);
                read(&path, Owner::Project).map_err(|error| at(naming, error.to_string()))
            }
            None => of_user().map_err(|error| at(case, error.to_string())),
        }
    }

    /// Checks that the servers are known that cases call; nothing is started.
    pub(super) fn check(&self, cases: &[TestCase]) -> Vec<testcase::Error> {
        cases.iter().flat_map(|case| self.check_case(case)).collect()
    }

    fn check_case(&self, case: &TestCase) -> Vec<testcase::Error> {
        let names = case.cases().iter().any(|part| part.config.mcp_config_path.is_some());
        if !names && !calls_servers(case) {
            return Vec::new();
        }
        let config = match self.config_of(case) {
            Ok(config) => config,
            Err(error) => return vec![error],
        };
        let mut errors = Vec::new();
        case.each_step_with_case(&mut |part, step| {
            for action in step.actions() {
                if let Some(server) = server_of(action)
                    && let Err(message) = config.check(server)
                {
                    errors.push(testcase::Error::in_case(part, action.span, message));
                }
            }
        });
        errors
    }
}

/// Reads a file, and warns of what is passed over in it, once.
fn read(path: &Path, owner: Owner) -> Result<Config, ConfigError> {
    static WARNED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let config = Config::read(path, owner)?;
    let mut warned = WARNED.lock().unwrap_or_else(PoisonError::into_inner);
    for warning in &config.warnings {
        if warned.insert(warning.clone()) {
            eprintln!("warning: {warning}");
        }
    }
    Ok(config)
}

fn of_user() -> Result<Config, ConfigError> {
    match own_files().into_iter().find(|path| path.is_file()) {
        Some(path) => read(&path, Owner::User),
        None => Ok(Config::default()),
    }
}

/// Reads the servers whose tools are served beside our own; none where no file is named.
pub(super) fn others(path: Option<&Path>) -> Result<Arc<Servers>, Failure> {
    let config = path.map_or_else(|| Ok(Config::default()), |path| read(path, Owner::Project));
    let config = config.map_err(Failure::usage)?;
    if let Some(none) = config.names_none().filter(|_| path.is_some()) {
        tracing::warn!("{none}");
    }
    for (_, why) in config.not_started() {
        if let Some(why) = why {
            tracing::warn!("{why}: its tools are left out");
        }
    }
    Ok(Arc::new(Servers::new(config)))
}

/// Returns where the file lies that a testcase names: below the project's folder, or beside it; or, where it says so, in the
/// user's home. What leads elsewhere is not read, since a testcase is not trusted with the host's files.
fn located(path: &str, case: &TestCase) -> Result<PathBuf, String> {
    let home = std::env::var("HOME").unwrap_or_default();
    let of_home = ["$HOME/", "${HOME}/", "~/"].iter().find_map(|start| path.strip_prefix(start));
    let relative = of_home.map_or_else(|| PathBuf::from(path), |rest| Path::new(&home).join(rest));
    let in_project = case.project.root.join(&relative);
    let folder = case.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = folder.join(&relative);
    let found = if !in_project.is_file() && beside.is_file() { beside } else { in_project };
    let is_allowed = match of_home {
        Some(rest) => !leads_up(Path::new(rest)),
        None => [case.project.root.as_path(), folder].iter().any(|folder| is_below(&found, folder)),
    };
    if is_allowed {
        return Ok(found);
    }
    let message = format!("`mcp_config_path` leads out of the project's folder: {path}");
    Err(format!("{message}; put the file there, or name it with --mcp-config FILE"))
}

/// Tells whether a file is below a folder, wherever links lead; one that is not there, by its path.
fn is_below(file: &Path, folder: &Path) -> bool {
    let whole = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_default();
    let (file, folder) = (whole(file), whole(folder));
    file.starts_with(&folder) && !leads_up(&file)
}

fn leads_up(path: &Path) -> bool {
    path.components().any(|part| part == Component::ParentDir)
}

fn is_mcp(action: &MobileAction) -> bool {
    tools::find(&action.method).is_some_and(|tool| tool.name == "mcp")
}

/// Returns the server that an action names, where that is known before it runs.
fn server_of(action: &MobileAction) -> Option<&str> {
    let named = match &action.params {
        Value::Array(items) => items.first(),
        Value::Object(map) => map.get("server"),
        Value::Null => action.options.get("server"),
        other => Some(other),
    };
    named?.as_str().filter(|server| is_mcp(action) && !server.contains('$'))
}

/// Tells whether a case may call servers.
fn calls_servers(case: &TestCase) -> bool {
    let mut found = false;
    case.each_action(&mut |action| found |= is_mcp(action));
    found
}

/// Tells whether touches of a case are told to a server.
fn tells_touches(case: &TestCase) -> bool {
    let mut found = case.cases().iter().any(|part| part.config.anti_risk);
    case.each_step(&mut |step| {
        found |= step.anti_risk || step.actions().iter().any(|action| action.options.contains_key("anti_risk"));
    });
    found
}

/// Warns where a case wants its touches told and there is nobody to tell.
pub(super) fn warnings(case: &TestCase, servers: Option<&Servers>) -> Option<String> {
    let is_told = servers.is_some_and(|servers| servers.get(tools::TOUCH_SERVER).is_ok());
    let message = format!(
        "{}: `anti_risk` tells nobody of touches: no file of MCP servers names `{}`",
        case.file,
        tools::TOUCH_SERVER
    );
    (tells_touches(case) && !is_told).then_some(message)
}

/// The servers of a run's cases: those of one file are shared.
#[derive(Default)]
pub(super) struct Known(HashMap<Vec<PathBuf>, Arc<Servers>>);

impl Known {
    /// Returns the servers of a case; none where it needs none.
    pub(super) fn of(&mut self, args: &ServersArgs, case: &TestCase) -> Result<Option<Arc<Servers>>, Failure> {
        if !calls_servers(case) && !tells_touches(case) {
            return Ok(None);
        }
        let config = args.config_of(case).map_err(|error| Failure::usage(error.to_string()))?;
        let servers = self.0.entry(config.files.clone()).or_insert_with(|| Arc::new(Servers::new(config)));
        Ok(Some(Arc::clone(servers)))
    }

    /// Ends all that run.
    pub(super) async fn close(&self) {
        for servers in self.0.values() {
            servers.close().await;
        }
    }
}
