//! The command line: its commands, in folders by what they are about, and the one place that prints an error and picks an exit code.
//!
//! A folder's `command.rs` is the command of its name. What all take stands beside the folders.

mod agent;
mod data;
mod device;
mod doctor;
mod exit;
mod format;
mod help;
mod logging;
mod mcp;
mod ocr;
mod packages;
mod project_tools;
mod report;
mod run;
mod shell;
mod signals;
mod studio;
mod surroundings;
mod testcases;
mod ui;

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

pub use self::testcases::vocabulary;

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
    Check(testcases::Check),
    /// Call one tool.
    Call(shell::Call),
    /// Keep a device open between calls, for `uixt call`.
    Session(shell::SessionCommand),
    /// Print the skill for agents; also `uixt session skill`.
    #[command(hide = true)]
    Skill,
    /// List the tools that testcases and agents have.
    Tools(help::Tools),
    /// List the devices that are connected.
    Devices(device::ListDevices),
    /// Tell what is here for phones, browsers and models, and what mends what is missing.
    Doctor(doctor::Doctor),
    /// Serve the tools to AI agents over MCP, on standard input and output or over HTTP.
    McpServer(agent::McpServer),
    /// Write what is done in a browser's window, on a phone or at a prompt as a testcase.
    Record(shell::Record),
    /// Try steps one by one at a prompt, and save what passed as a testcase.
    Repl(shell::Repl),
    /// Start, list and call the MCP servers of a file.
    Mcp(mcp::Mcp),
    /// Read the texts on a picture, or install what reads them.
    Ocr(ocr::Ocr),
    /// Tell which models read texts, or install them; also `uixt ocr`.
    #[command(hide = true)]
    Models(ocr::Models),
    /// List, accept and prune the pictures that screens are compared with.
    Snapshots(testcases::Snapshots),
    /// See a device in the browser, point at it, record, try and run.
    Studio(studio::StudioCommand),
    /// Serve the page of UI instances, or write and read them as files.
    Ui(ui::UiCommand),
    /// Serve the virtual phone to any adb client, or the virtual iPhone to any client of WDA.
    Phone(device::Phone),
    /// Rebuild reports from a journal, merge those of several runs, or write a run's traces.
    Report(report::Report),
    /// Write the traces of a run; also `uixt report --trace`.
    #[command(hide = true)]
    Trace(report::Trace),
    /// Tell how far a queue is that several machines share, or gather its results.
    Queue(run::QueueCommand),
    /// Tell which cases of a project are flaky, slow, or do not pass any more.
    History(report::History),
    /// Mend steps whose targets are gone, by what their run suggests.
    Fix(testcases::Fix),
    /// Make a project to start from.
    Init(testcases::Init),
    /// Print the JSON Schema of testcases, for editors.
    Schema(testcases::Schema),
    /// Have a model reach a goal in an app, and write how as a testcase.
    Explore(agent::Explore),
    /// Write a testcase of HttpRunner's form in the short form.
    Convert(testcases::Convert),
    /// Print a completion script for a shell.
    Completions(help::Completions),
    /// Print a page of the manual, or a command's options.
    Help(help::Help),
}

/// Parses the arguments, does it, prints an error if there is one.
pub fn main() -> ExitCode {
    help::complete(Cli::command);
    let matches = Cli::command().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut Cli::command()).exit());
    let done = match cli.command {
        Command::Run(command) => command.run(),
        Command::Check(command) => command.run(),
        Command::Call(command) => command.run(matches.subcommand().map_or(&matches, |(_, matches)| matches)),
        Command::Session(command) => command.run(),
        Command::Skill => agent::print_skill(),
        Command::Tools(command) => command.run(),
        Command::Devices(command) => command.run(),
        Command::Doctor(command) => command.run(),
        Command::McpServer(command) => command.run(&Cli::command()),
        Command::Record(command) => command.run(),
        Command::Repl(command) => command.run(),
        Command::Mcp(command) => command.run(),
        Command::Ocr(command) => command.run(),
        Command::Snapshots(command) => command.run(),
        Command::Models(command) => command.run(),
        Command::Studio(command) => command.run(),
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
        Command::Help(command) => command.run(&Cli::command()),
    };
    match done {
        Ok(exit) => exit.into(),
        Err(failure) => {
            eprintln!("{failure}");
            failure.exit.into()
        }
    }
}
