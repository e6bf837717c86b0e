//! The command line: clap structs, one file per subcommand, and the one place that prints an error and picks an exit code.

mod around;
mod browser;
mod call;
mod check;
mod completions;
mod convert;
mod dashboard;
mod data;
mod definitions;
mod device;
mod devices;
mod early;
mod exercise;
mod exit;
mod explore;
mod failed;
mod farm;
mod fix;
mod goals;
mod help;
mod history;
mod hosting;
mod init;
mod keeper;
mod lints;
mod loading;
mod logging;
mod mcp;
mod mcp_server;
mod merging;
mod models;
mod ocr;
mod outcomes;
mod phone;
mod plan;
mod pool;
mod print_config;
mod queue;
mod record;
mod recording;
mod repl;
mod replaced;
mod report;
mod requires;
mod run;
mod schema;
mod selection;
mod servers;
mod session;
mod session_factory;
mod shard;
mod shared;
mod signals;
mod sites;
mod skill;
mod snapshots;
mod tools;
mod trace;
mod ui;
mod uia2;
mod views;
mod watch;

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

pub use self::loading::vocabulary;

/// UI tests in YAML on phones and in browsers; the same actions for AI agents over MCP.
#[derive(Parser)]
#[command(name = "uixt", version, propagate_version = true, max_term_width = 100, disable_help_subcommand = true, after_help = help::pages())]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run testcases and write reports.
    Run(run::Run),
    /// Load and check testcases without a device.
    Check(check::Check),
    /// Call one tool.
    Call(call::Call),
    /// Keep a device open between calls, for `uixt call`.
    Session(session::SessionCommand),
    /// Print what teaches a coding agent to use sessions, as a SKILL.md.
    Skill,
    /// List the tools that testcases and agents have.
    Tools(tools::Tools),
    /// List the devices that are connected.
    Devices(devices::Devices),
    /// Serve the tools to AI agents over MCP, on standard input and output or over HTTP.
    McpServer(mcp_server::McpServer),
    /// Write down what you do on a device as a testcase.
    Record(record::Record),
    /// Try steps one by one at a prompt, and save what passed as a testcase.
    Repl(repl::Repl),
    /// Start, list and call the MCP servers of a file.
    Mcp(mcp::Mcp),
    /// Read the texts on a picture.
    Ocr(ocr::Ocr),
    /// Fetch the models that read texts, or tell whether they are there.
    Models(models::Models),
    /// List, accept and prune the pictures that screens are compared with.
    Snapshots(snapshots::Snapshots),
    /// Serve the page of UI instances, or write and read them as files.
    Ui(ui::UiCommand),
    /// Serve the virtual phone to any adb client.
    Phone(phone::Phone),
    /// Rebuild reports from a journal, or merge those of several runs.
    Report(report::Report),
    /// Write the cases of a run as traces for Playwright's trace viewer.
    Trace(trace::Trace),
    /// Tell how far a queue is that several machines share, or gather its results.
    Queue(queue::QueueCommand),
    /// Tell which cases of a project are flaky, slow, or do not pass any more.
    History(history::History),
    /// Mend steps whose targets are gone, by what their run suggests.
    Fix(fix::Fix),
    /// Make a project to start from.
    Init(init::Init),
    /// Print the JSON Schema of testcases, for editors.
    Schema(schema::Schema),
    /// Have a model reach a goal in an app, and write how as a testcase.
    Explore(explore::Explore),
    /// Write a testcase of HttpRunner's form in the short form.
    Convert(convert::Convert),
    /// Print a completion script for a shell.
    Completions(completions::Completions),
    /// Print a page of the manual, or a command's options.
    Help(help::Help),
}

/// Parses the arguments, does it, prints an error if there is one.
pub fn main() -> ExitCode {
    completions::answer();
    let matches = Cli::command().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut Cli::command()).exit());
    let done = match cli.command {
        Command::Run(command) => command.run(),
        Command::Check(command) => command.run(),
        Command::Call(command) => command.run(matches.subcommand().map_or(&matches, |(_, matches)| matches)),
        Command::Session(command) => command.run(),
        Command::Skill => skill::run(),
        Command::Tools(command) => command.run(),
        Command::Devices(command) => command.run(),
        Command::McpServer(command) => command.run(),
        Command::Record(command) => command.run(),
        Command::Repl(command) => command.run(),
        Command::Mcp(command) => command.run(),
        Command::Ocr(command) => command.run(),
        Command::Snapshots(command) => command.run(),
        Command::Models(command) => command.run(),
        Command::Ui(command) => command.run(),
        Command::Phone(command) => command.run(),
        Command::Report(command) => command.run(),
        Command::Trace(command) => command.run(),
        Command::Queue(command) => command.run(),
        Command::History(command) => command.run(),
        Command::Fix(command) => command.run(),
        Command::Init(command) => command.run(),
        Command::Schema(command) => command.run(),
        Command::Explore(command) => command.run(),
        Command::Convert(command) => command.run(),
        Command::Completions(command) => command.run(),
        Command::Help(command) => command.run(),
    };
    match done {
        Ok(exit) => exit.into(),
        Err(failure) => {
            eprintln!("{failure}");
            failure.exit.into()
        }
    }
}
