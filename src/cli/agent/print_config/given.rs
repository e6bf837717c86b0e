//! The options of a command line → the same options for a command line that is run in another folder, by another program.

use std::any::TypeId;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::super::hosting::is_url;
use crate::cli::exit::Failure;
use crate::driver::quote;
use crate::mcp::http::PATH;

const COMMAND: &str = "mcp-server";
/// Options that say where and how to serve over HTTP.
const OF_HTTP: [&str; 6] = ["http", "allow_host", "allow_origin", "token_file", "max_sessions", "session_idle"];
const NO_PREFIX: &str = "--no-prefix";

/// What was given beside `--print-config`.
pub(super) struct Given {
    /// The options of a server that the host starts.
    arguments: Vec<String>,
    /// Those of one that listens.
    of_http: Vec<String>,
    http: Option<String>,
    has_token: bool,
}

impl Given {
    /// Reads what was given to the command of the whole program.
    pub(super) fn read(matches: &ArgMatches, program: &Command) -> Result<Self, Failure> {
        let command = program.find_subcommand(COMMAND).ok_or_else(|| Failure::usage("no such command"))?;
        let mut given = Self { arguments: Vec::new(), of_http: Vec::new(), http: None, has_token: false };
        for arg in command.get_arguments().filter(|arg| arg.get_id() != "print_config" && is_given(arg, matches)) {
            let id = arg.get_id().as_str();
            let words = words(arg, matches)?;
            match OF_HTTP.contains(&id) {
                true => given.of_http.extend(words),
                false => given.arguments.extend(words),
            }
        }
        given.http = matches.get_one::<String>("http").cloned();
        given.has_token = is_there(matches, "token_file");
        Ok(given)
    }

    pub(super) fn arguments(&self) -> Vec<String> {
        std::iter::once(COMMAND.to_owned()).chain(self.arguments.iter().cloned()).collect()
    }

    pub(super) fn leave_prefix_out(&mut self) {
        if !self.arguments.iter().any(|word| word == NO_PREFIX) {
            self.arguments.push(NO_PREFIX.to_owned());
        }
    }

    /// Tells whether the server that is meant is not started here.
    pub(super) fn is_elsewhere(&self) -> bool {
        self.http.as_deref().is_some_and(is_url)
    }

    /// Returns the URL of a server that listens, and whether it asks for a token.
    pub(super) fn url(&self) -> Result<Option<(String, bool)>, Failure> {
        let Some(http) = &self.http else { return Ok(None) };
        if is_url(http) {
            return Ok(Some((http.clone(), self.has_token)));
        }
        let address = match http.parse::<u16>() {
            Ok(port) => SocketAddr::from(([127, 0, 0, 1], port)),
            Err(_) => http.parse().map_err(|_| {
                Failure::usage(format!(
                    "--http: `{http}` is neither an address with a port, such as 127.0.0.1:8000, nor a URL"
                ))
            })?,
        };
        if address.port() == 0 {
            return Err(Failure::usage(
                "--http: name the port, since a free one is not known before the server listens",
            ));
        }
        let ip = if address.ip().is_unspecified() { IpAddr::from([127, 0, 0, 1]) } else { address.ip() };
        let url = format!("http://{}{PATH}", SocketAddr::new(ip, address.port()));
        Ok(Some((url, self.has_token || !address.ip().is_loopback())))
    }

    /// Returns the command line that starts the server, for a shell.
    pub(super) fn command(&self, program: &str) -> String {
        let words = [program, COMMAND].into_iter().map(str::to_owned);
        let words = words.chain(self.of_http.iter().cloned()).chain(self.arguments.iter().cloned());
        words.map(|word| quote(&word)).collect::<Vec<_>>().join(" ")
    }
}

fn is_there(matches: &ArgMatches, id: &str) -> bool {
    matches!(matches.try_contains_id(id), Ok(true)) && matches.value_source(id) == Some(ValueSource::CommandLine)
}

fn is_given(arg: &Arg, matches: &ArgMatches) -> bool {
    arg.get_long().is_some() && is_there(matches, arg.get_id().as_str())
}

/// Names the environment's variables that stand in for options here.
pub(super) fn only_here(matches: &ArgMatches, program: &Command) -> Vec<String> {
    let arguments = program.find_subcommand(COMMAND).into_iter().flat_map(Command::get_arguments);
    let set = arguments.filter(|arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::EnvVariable));
    set.filter_map(|arg| Some(arg.get_env()?.to_string_lossy().into_owned())).collect()
}

/// Writes an option out: a path is made absolute, since the host runs in a folder of its own.
fn words(arg: &Arg, matches: &ArgMatches) -> Result<Vec<String>, Failure> {
    let long = format!("--{}", arg.get_long().unwrap_or_default());
    if matches!(arg.get_action(), ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Count) {
        return Ok(vec![long]);
    }
    let is_path = arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
    let mut words = Vec::new();
    for value in matches.get_raw(arg.get_id().as_str()).into_iter().flatten() {
        let value = match is_path {
            true => std::path::absolute(Path::new(value)).map_err(Failure::errored)?.into_os_string(),
            false => value.to_owned(),
        };
        let value = value.into_string().map_err(|_| Failure::usage(format!("{long}: the file takes UTF-8 only")))?;
        match arg.is_require_equals_set() || value.starts_with('-') {
            true => words.push(format!("{long}={value}")),
            false => words.extend([long.clone(), value]),
        }
    }
    Ok(words)
}
