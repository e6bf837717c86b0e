//! `uixt mcp-server --print-config HOST`: the options that were given → what the host's file of MCP servers needs, so that it starts
//! or finds this server. Knows the hosts' files; serves nothing.

mod given;
mod host;

use self::given::Given;
pub(super) use self::host::Host;
use crate::cli::exit::{Done, Failure, print};

/// How to reach the server.
enum Way {
    /// The host starts it: the program and its arguments.
    Start(String, Vec<String>),
    /// It runs at a URL; whether it asks for a token.
    Url { url: String, token: bool },
}

/// Prints the snippet, and where it belongs.
pub(super) fn print_config(host: Host, whole: &clap::Command) -> Done {
    // It was parsed once, so it is good; here it matters what was written, and what by default.
    let matches = whole.clone().get_matches();
    let matches = matches.subcommand().map_or(&matches, |(_, matches)| matches);
    let program =
        std::env::current_exe().map_err(|error| Failure::errored(format!("cannot find this program: {error}")))?;
    let program = program.to_str().ok_or_else(|| Failure::usage("the path of this program is not UTF-8"))?.to_owned();
    let mut given = Given::read(matches, whole)?;
    let way = if let Some((url, token)) = given.url()? {
        if !host.takes_urls() {
            let message = "takes no URL in its file: leave --http out, and it starts the server itself";
            return Err(Failure::usage(format!("{} {message}", host.title())));
        }
        if !given.is_elsewhere() {
            eprintln!("start the server with: {}", given.command(&program));
        }
        Way::Url { url, token }
    } else {
        if host.names_servers() {
            given.leave_prefix_out();
        }
        Way::Start(program, given.arguments())
    };
    for name in given::only_here(matches, whole) {
        eprintln!("{name} is set here; {} may not have it: give the option instead", host.title());
    }
    if let Way::Url { token: true, .. } = way {
        eprintln!("{}", host.about_token());
    }
    eprintln!("{}", host.place());
    print(&host.snippet(&way))
}
