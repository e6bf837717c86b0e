//! The `uixt` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Where it is to be confined, before there is anything else of it.
    uixt_sandbox::enter().unwrap_or_else(uixt::cli::main)
}
