//! `uixt call`: tool calls from the shell, one or those of a model's text.

pub(in crate::cli) mod checked;
mod chinese;
pub(in crate::cli) mod ending;
pub(in crate::cli) mod language;
mod output;
mod progress;
pub(in crate::cli) mod request;
pub(in crate::cli) mod text;
mod words;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{ArgMatches, Args};
use clap_complete::engine::ArgValueCandidates;
use serde_json::Value;
use uixt_call::Caller;

use self::ending::{exit, say_left};
use self::language::Language;
use self::request::Request;
use super::session::{Address, Answer, SessionArgs};
use crate::cli::data;
use crate::cli::device::devices::Devices;
use crate::cli::device::spec::DeviceArgs;
use crate::cli::device::uia2::Uia2Args;
use crate::cli::exit::{Done, Exit, Failure, print, runtime};
use crate::cli::help::completions;
use crate::cli::mcp::definitions::DefinitionsArgs;
use crate::cli::mcp::servers::ShellArgs;
use crate::cli::packages::PackagesArgs;
use crate::cli::project_tools;
use crate::cli::surroundings::{self, AllowDirArgs};
use crate::driver::tidy;
use crate::functions::Functions;
use crate::mcp::client::Servers;
use crate::runner::ProjectTools;
use crate::tools::{Audience, Local};
use crate::uniform;
use uixt_tools_ui::DataFile;

#[derive(Args)]
pub(in crate::cli) struct Call {
    /// Tool to call: `uixt tools` lists them. Or a model's text with calls in it, `<uixt><home>{}</home></uixt>`; `-` reads it
    /// from standard input.
    #[arg(add = ArgValueCandidates::new(completions::tool_names))]
    tool: String,
    /// Its arguments: a JSON object, a JSON string that holds one, or as in a testcase: `tap 0.5 0.5`, `tap Sign timeout=5`.
    #[arg(value_name = "ARGUMENT", allow_negative_numbers = true)]
    arguments: Vec<String>,
    #[command(flatten)]
    devices: DeviceArgs,
    #[command(flatten)]
    uia2: Uia2Args,
    /// Writes the picture of `screenshot` to this file, or the text of `snapshot`, `get_source` and their like.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    servers: ShellArgs,
    #[command(flatten)]
    definitions: DefinitionsArgs,
    #[command(flatten)]
    packages: PackagesArgs,
    #[command(flatten)]
    allow_dir: AllowDirArgs,
    #[command(flatten)]
    lang: Language,
}

/// Who answers calls of the own table.
#[derive(Clone, Copy)]
enum Own<'a> {
    /// This process.
    Here(&'a ProjectTools),
    Session(&'a Address, Audience),
}

impl Call {
    pub(in crate::cli) fn run(self, matches: &ArgMatches) -> Done {
        if !text::is_one(&self.tool) {
            if self.servers.is_named() || self.definitions.is_named() {
                return Err(Failure::usage(
                    "--mcp-config, --env-file and --definitions are for texts with calls in them; \
                     `uixt mcp call SERVER TOOL` calls one tool of a server",
                ));
            }
            let request = words::request(&self.tool, &self.arguments)?;
            // Whoever types a call means it, also one that reaches this computer.
            let audience = Audience::Testcase;
            if let Some(session) = self.session.find(matches)? {
                return self.tell(&session.call(request, audience, self.output.is_some())?);
            }
            let servers = Servers::default();
            return runtime()?.block_on(self.make(vec![Request::Own(request)], &servers, audience));
        }
        if !self.arguments.is_empty() {
            return Err(Failure::usage("a text with calls in it holds their arguments; write nothing behind it"));
        }
        let servers = self.servers.servers(&self.definitions)?;
        let calls = text::read(&self.tool, &servers)?;
        if calls.len() > 1 && self.output.is_some() {
            return Err(Failure::usage("--output takes the answer of one call"));
        }
        let session = self.session.find(matches)?;
        runtime()?.block_on(async {
            let done = self.check_and_make(&calls, &servers, session.as_ref()).await;
            servers.close().await;
            done
        })
    }

    /// Makes the calls of a text, none where one is wrong: that is said as its answer.
    async fn check_and_make(&self, calls: &[uniform::Call], servers: &Servers, session: Option<&Address>) -> Done {
        let (mut good, mut wrong) = (Vec::new(), None);
        for call in calls {
            match Box::pin(checked::checked(call, servers)).await {
                Ok(request) => good.push(request),
                Err(error) => {
                    let object = error.object(&call.tool);
                    self.answer(&object)?;
                    wrong.get_or_insert(exit(&object));
                }
            }
        }
        match (wrong, session) {
            (None, None) => self.make(good, servers, Audience::Text).await,
            (None, Some(session)) => self.make_each(good, Some(Own::Session(session, Audience::Text)), servers).await,
            (Some(exit), _) => {
                if calls.len() > 1 {
                    eprintln!("{} of {} calls cannot be made; none was", calls.len() - good.len(), calls.len());
                }
                Ok(exit)
            }
        }
    }

    /// Makes calls in their order, up to the first that does not succeed, on a device that is opened for them.
    async fn make(&self, requests: Vec<Request>, servers: &Servers, audience: Audience) -> Done {
        if requests.iter().all(|request| matches!(request, Request::Remote(..))) {
            return self.make_each(requests, None, servers).await;
        }
        let folder = self.allow_dir.folder()?;
        let mut devices = Devices::default();
        let named = if requests.iter().any(Request::needs_device) {
            self.devices.or_of_project()?
        } else {
            self.devices.clone()
        };
        let (registry, session) = devices.session(&named, &self.uia2).await?;
        let session = surroundings::here(None)
            .tell(session)
            .with_functions(Functions::of_project(Path::new(".")))
            .with(DataFile(data::file(Path::new("."))))
            .with(self.packages.setting());
        let session = Arc::new(session);
        let local = |audience| {
            let local = Local::new(Arc::clone(&registry), Arc::clone(&session), audience);
            Arc::new(local.offering(folder.clone()))
        };
        let caller = project_tools::around(local(audience));
        let caller = match audience {
            Audience::Testcase => caller,
            _ => caller.for_agents(local(Audience::Testcase), true),
        };
        let done = self.make_each(requests, Some(Own::Here(&caller)), servers).await;
        devices.close().await;
        tidy::finish().await;
        done
    }

    async fn make_each(&self, requests: Vec<Request>, own: Option<Own<'_>>, servers: &Servers) -> Done {
        let mut left = requests.len();
        for request in requests {
            left -= 1;
            let answer = match (request, own) {
                (Request::Own(request), Some(Own::Here(own))) => {
                    let call = uixt_call::Call { progress: progress::shown(), ..uixt_call::Call::default() };
                    let answer = own.call(request, call).await;
                    progress::clear();
                    Answer::from(answer)
                }
                (Request::Own(request), Some(Own::Session(session, audience))) => {
                    session.call(request, audience, self.output.is_some())?
                }
                (Request::Remote(server, request), _) => {
                    Answer { object: Box::pin(checked::answer(&server, request, servers)).await, picture: None }
                }
                (Request::Own(_), None) => continue,
            };
            let exit = self.tell(&answer)?;
            if exit != Exit::Passed {
                say_left(left);
                return Ok(exit);
            }
        }
        Ok(Exit::Passed)
    }

    /// Prints an answer, or what is left of it where the rest went into a file.
    fn tell(&self, answer: &Answer) -> Done {
        let exit = exit(&answer.object);
        match self.output.as_deref().map(|path| output::keep(path, answer)).transpose()?.flatten() {
            Some(line) => print(&line)?,
            None => self.answer(&answer.object)?,
        };
        Ok(exit)
    }

    fn answer(&self, object: &Value) -> Done {
        print(&serde_json::to_string_pretty(&self.lang.told(object)).unwrap_or_default())
    }
}
