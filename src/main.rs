//! The `uixt` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    uixt::cli::main()
}
