//! `uixt completions`: a script for a shell, and what it asks while somebody types: commands, options, tools, devices.
//!
//! The script calls `uixt` at every Tab, so that tools and devices are those of the moment.

use std::time::Duration;

use clap::Args;
use clap_complete::engine::CompletionCandidate;
use clap_complete::env::{CompleteEnv, Shells};
use uixt_call::ToolRow;

use crate::adb;
use crate::cli::exit::{Done, Failure, print, runtime};
use crate::cli::project_tools;
use crate::driver::{Registry, android};
use crate::tools;

/// Set by the script when it asks.
const VARIABLE: &str = "UIXT_COMPLETE";

/// The longest that somebody who types waits for devices.
const TIMEOUT: Duration = Duration::from_millis(500);

#[derive(Args)]
pub(in crate::cli) struct Completions {
    /// Shell to complete in.
    shell: clap_complete::Shell,
}

impl Completions {
    pub(in crate::cli) fn run(self) -> Done {
        let shells = Shells::builtins();
        let name = self.shell.to_string();
        let shell = shells.completer(&name).ok_or_else(|| Failure::usage(format!("{name} cannot be completed in")))?;
        let mut script = Vec::new();
        let written = shell.write_registration(VARIABLE, "uixt", "uixt", "uixt", &mut script);
        written.map_err(Failure::errored)?;
        print(&String::from_utf8_lossy(&script))
    }
}

/// Answers the script where it is the one that started this process, which then ends.
pub(in crate::cli) fn complete(program: fn() -> clap::Command) {
    if std::env::var_os(VARIABLE).is_some() {
        CompleteEnv::with_factory(program).var(VARIABLE).complete();
    }
}

/// Returns the tools with what they do.
pub(in crate::cli) fn tool_names() -> Vec<CompletionCandidate> {
    let described = |tool: &'static ToolRow| {
        CompletionCandidate::new(tool.name).help(Some(tool.schema().description.as_str().into()))
    };
    let own = project_tools::tools().unwrap_or_default();
    let own = own.iter().map(|tool| CompletionCandidate::new(&tool.name).help(Some(tool.description.clone().into())));
    tools::all().map(described).chain(own).collect()
}

/// Returns every SPEC of a device that could be named now; where no adb server answers soon, those that need none.
pub(in crate::cli) fn device_specs() -> Vec<CompletionCandidate> {
    let mut specs = vec![
        CompletionCandidate::new("phone").help(Some("the embedded virtual phone".into())),
        CompletionCandidate::new("iphone").help(Some("the embedded virtual iPhone".into())),
        CompletionCandidate::new("harmony-phone").help(Some("the embedded virtual HarmonyOS phone".into())),
        CompletionCandidate::new("android").help(Some("the only Android device".into())),
        CompletionCandidate::new("harmony").help(Some("the only HarmonyOS phone".into())),
        CompletionCandidate::new("browser").help(Some("Chromium or Chrome".into())),
        CompletionCandidate::new("browser:firefox").help(Some("Firefox, by geckodriver".into())),
        CompletionCandidate::new("browser:webkit").help(Some("WebKit, by WebKitWebDriver".into())),
    ];
    // Completion knows no other option of the line, so that only the usual server can be asked.
    let server = std::env::var("UIXT_ADB_SERVER").unwrap_or_else(|_| adb::DEFAULT_ADDRESS.to_owned());
    // No phone is asked directly: it might ask its owner.
    let platform = android::Platform::new(adb::Server::new(server), None);
    let registry = Registry::new(vec![Box::new(platform)]);
    let Ok(runtime) = runtime() else { return specs };
    let listed = runtime.block_on(async { tokio::time::timeout(TIMEOUT, registry.list()).await });
    for device in listed.into_iter().flatten().flatten() {
        let spec = CompletionCandidate::new(format!("{}:{}", device.platform, device.serial));
        specs.push(spec.help(Some(format!("{} {}", device.name, device.status).trim().to_owned().into())));
    }
    runtime.shutdown_background();
    specs
}
