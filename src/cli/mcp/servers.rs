//! Which file of MCP servers holds: `--mcp-config`, a testcase's `mcp_config_path`, or the user's own.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::definitions::DefinitionsArgs;
use super::step_check;
use crate::cli::exit::Failure;
use crate::cli::testcases::messages;
use crate::mcp::client::{Config, ConfigError, Owner, Servers, Variables};
use crate::testcase::{self, Overrides, Project, TestCase};
use crate::uniform::{Definitions, Unusable};
use clap::Args;
use parking_lot::Mutex;
use uixt_call::TOUCH_SERVER;
use uixt_tools_code::KnownServer;

/// The option that names a file of servers.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct ServersArgs {
    /// File of MCP servers (`mcpServers`) that `mcp` steps call.
    #[arg(long, value_name = "FILE")]
    mcp_config: Option<PathBuf>,
}

/// What testcases call of other servers.
#[derive(Args, Clone, Debug, Default)]
pub(in crate::cli) struct CalledArgs {
    #[command(flatten)]
    servers: ServersArgs,
    #[command(flatten)]
    definitions: DefinitionsArgs,
}

impl CalledArgs {
    /// Names its files whole, for a program that changes its folder.
    pub(in crate::cli) fn whole(self) -> std::io::Result<Self> {
        let mcp_config = self.servers.mcp_config.map(std::path::absolute).transpose()?;
        Ok(Self { servers: ServersArgs { mcp_config }, definitions: self.definitions.whole()? })
    }
}

/// What the shell calls of other servers.
#[derive(Args, Clone, Debug, Default)]
pub(in crate::cli) struct ShellArgs {
    #[command(flatten)]
    servers: ServersArgs,
    /// File of NAME=VALUE lines, for `${NAME}` in the file of servers; masked wherever they would be shown.
    #[arg(long, value_name = "FILE")]
    env_file: Option<PathBuf>,
}

/// The user's own files, the first of which counts that is there.
fn own_files() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let config = config.or_else(|| Some(home.as_ref()?.join(".config")));
    let ours = config.map(|folder| folder.join("uixt/mcp.json"));
    ours.into_iter().chain(home.map(|home| home.join(".hrp/mcp.json"))).collect()
}

impl ShellArgs {
    /// Tells whether anything is said on the command line.
    pub(in crate::cli) fn is_named(&self) -> bool {
        self.servers.mcp_config.is_some() || self.env_file.is_some()
    }

    /// Reads the file that is named, or the user's own; none where there is neither. Calls are checked against the definitions.
    pub(in crate::cli) fn servers(&self, definitions: &DefinitionsArgs) -> Result<Servers, Failure> {
        let project = here()?;
        let given = match &self.env_file {
            Some(path) => testcase::read_environs(path).map_err(|errors| messages::failure(&errors))?,
            None => BTreeMap::new(),
        };
        let variables = Variables { given, project: project.environs.clone() };
        let config = match &self.servers.mcp_config {
            Some(path) => read(path, Owner::Project, &variables).map_err(Failure::usage),
            None => of_user(&variables).map_err(Failure::usage),
        };
        Ok(Servers::defined_by(config?, definitions.read(&project).map_err(Failure::usage)?))
    }
}

/// Returns the project of the working directory.
fn here() -> Result<Arc<Project>, Failure> {
    testcase::project(Path::new(".")).map_err(|errors| messages::failure(&errors))
}

/// Returns the variables that a case's file of servers may name.
fn variables(case: &TestCase, overrides: &Overrides) -> Variables {
    Variables { given: overrides.environs.clone(), project: case.project.environs.clone() }
}

impl CalledArgs {
    /// Returns the file that a case's servers are named in, and where in the testcase that is said.
    fn file<'a>(&self, case: &'a TestCase) -> Result<Option<PathBuf>, (&'a TestCase, String)> {
        if let Some(path) = &self.servers.mcp_config {
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

    fn config_of(&self, case: &TestCase, overrides: &Overrides) -> Result<Config, testcase::Error> {
        let at = |part: &TestCase, message: String| {
            let place = part.config.mcp_config_path.as_ref().map(|named| named.place).unwrap_or_default();
            testcase::Error::in_case(part, place, message)
        };
        let variables = variables(case, overrides);
        match self.file(case).map_err(|(part, message)| at(part, message))? {
            Some(path) => {
                let naming =
                    case.cases().into_iter().find(|part| part.config.mcp_config_path.is_some()).unwrap_or(case);
                read(&path, Owner::Project, &variables).map_err(|error| at(naming, error.to_string()))
            }
            None => of_user(&variables).map_err(|error| at(case, error.to_string())),
        }
    }

    /// Checks that the servers are known that cases call, and the calls by what is known of their tools; nothing is started.
    pub(in crate::cli) fn check(&self, cases: &[TestCase], overrides: &Overrides) -> Vec<testcase::Error> {
        cases.iter().flat_map(|case| self.check_case(case, overrides)).collect()
    }

    fn check_case(&self, case: &TestCase, overrides: &Overrides) -> Vec<testcase::Error> {
        let names = case.cases().iter().any(|part| part.config.mcp_config_path.is_some());
        // What is named on the command line or by the project is read even where nothing needs it: it may be broken.
        let definitions = match self.definitions_of(case) {
            Ok(definitions) => definitions,
            Err(error) => return vec![error],
        };
        if !names && !calls_servers(case) {
            return Vec::new();
        }
        let config = match self.config_of(case, overrides) {
            Ok(config) => config,
            Err(error) => return vec![error],
        };
        let mut errors = Vec::new();
        case.each_step_with_case(&mut |part, step| {
            for action in step.actions() {
                if let Some(server) = step_check::server_of(action)
                    && (config.names().contains(&server) || !step_check::is_served(action))
                    && let Err(message) = config.check(server)
                {
                    errors.push(testcase::Error::in_case(part, action.span, message));
                }
                let complaint = step_check::complaint(action, &definitions);
                errors.extend(complaint.map(|complaint| testcase::complained(part, action, complaint)));
            }
        });
        errors
    }

    fn definitions_of(&self, case: &TestCase) -> Result<Arc<Definitions>, testcase::Error> {
        let read = self.definitions.read(&case.project);
        read.map_err(|Unusable { path, place, message }| {
            testcase::Error::of_another(&path.to_string_lossy(), place, &message)
        })
    }
}

/// Reads a file, and warns of what is passed over in it, once.
fn read(path: &Path, owner: Owner, variables: &Variables) -> Result<Config, ConfigError> {
    static WARNED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let config = Config::read_with(path, owner, variables)?;
    let mut warned = WARNED.lock();
    for warning in &config.warnings {
        if warned.insert(warning.clone()) {
            eprintln!("warning: {warning}");
        }
    }
    Ok(config)
}

fn of_user(variables: &Variables) -> Result<Config, ConfigError> {
    match own_files().into_iter().find(|path| path.is_file()) {
        Some(path) => read(&path, Owner::User, variables),
        None => Ok(Config::default()),
    }
}

/// Reads the servers whose tools are served beside our own; none where no file is named.
pub(in crate::cli) fn others(path: Option<&Path>) -> Result<Arc<Servers>, Failure> {
    let config = match path {
        Some(path) => {
            let variables = Variables { project: here()?.environs.clone(), ..Variables::default() };
            read(path, Owner::Project, &variables).map_err(Failure::usage)?
        }
        None => Config::default(),
    };
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

/// Returns the servers that a file names whose tools are shown, and those of the user's own file; none of one that cannot be read.
pub(in crate::cli) fn known(shown: Option<&Path>) -> Vec<KnownServer> {
    let of = |path: &Path, owner: Owner, is_shown: bool| {
        let config = Config::read_with(path, owner, &Variables::default()).ok();
        let names = config.iter().flat_map(|config| config.names().into_iter().map(str::to_owned).collect::<Vec<_>>());
        names.map(|name| KnownServer { name, file: path.to_owned(), is_shown }).collect::<Vec<_>>()
    };
    let own = own_files().into_iter().find(|path| path.is_file());
    let shown = shown.into_iter().flat_map(|path| of(path, Owner::Project, true));
    shown.chain(own.iter().flat_map(|path| of(path, Owner::User, false))).collect()
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

/// Tells whether a case may call servers.
fn calls_servers(case: &TestCase) -> bool {
    let mut found = false;
    case.each_action(&mut |action| found |= step_check::is_mcp(action));
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
pub(in crate::cli) fn warnings(case: &TestCase, servers: Option<&Servers>) -> Option<String> {
    let is_told = servers.is_some_and(|servers| servers.get(TOUCH_SERVER).is_ok());
    let message = format!("{}: `anti_risk` has no effect: no MCP servers file names `{}`", case.file, TOUCH_SERVER);
    (tells_touches(case) && !is_told).then_some(message)
}

/// What decides on the servers of a case: its files of servers, their variables, and the definitions of tools.
type Key = (Vec<PathBuf>, Variables, Vec<PathBuf>);

/// The servers of a run's cases: those of one file are shared.
#[derive(Default)]
pub(in crate::cli) struct Known(HashMap<Key, Arc<Servers>>);

impl Known {
    /// Returns the servers of a case; none where it needs none.
    pub(in crate::cli) fn of(
        &mut self,
        args: &CalledArgs,
        case: &TestCase,
        overrides: &Overrides,
    ) -> Result<Option<Arc<Servers>>, Failure> {
        if !calls_servers(case) && !tells_touches(case) && case.project.research.server.is_none() {
            return Ok(None);
        }
        let wrong = |error: testcase::Error| Failure::usage(error.to_string());
        let config = args.config_of(case, overrides).map_err(wrong)?;
        let definitions = args.definitions_of(case).map_err(wrong)?;
        let key = (config.files.clone(), variables(case, overrides), args.definitions.paths(&case.project));
        let servers = self.0.entry(key).or_insert_with(|| Arc::new(Servers::defined_by(config, definitions)));
        Ok(Some(Arc::clone(servers)))
    }

    /// Ends all that run.
    pub(in crate::cli) async fn close(&self) {
        for servers in self.0.values() {
            servers.close().await;
        }
    }
}
