//! Commands that run commands: `sh` and `exec`.

use std::io;

use super::call::Call;
use crate::shell::NAME;

/// Shells within each other.
const DEEPEST: usize = 4;

/// `sh -c SCRIPT [NAME ARGUMENT…]`, `sh FILE [ARGUMENT…]`, or `sh` for the script on standard input.
pub(super) async fn sh(call: &mut Call<'_>) -> io::Result<u8> {
    if call.shell.depth == DEEPEST {
        return call.fail(1, &format!("{NAME}: nested too deeply")).await;
    }
    let mut inner = call.shell.clone();
    inner.depth += 1;
    match call.arguments.as_slice() {
        [] => Ok(inner.interact(&call.io, false).await),
        [option, script, positional @ ..] if option == "-c" => {
            if !positional.is_empty() {
                inner.positional = positional.to_vec();
            }
            Ok(inner.run(script, &call.io).await)
        }
        [option, ..] if option.starts_with('-') => call.fail(1, &format!("sh: {option}: unknown option")).await,
        [file, ..] => match call.content(file).await {
            Ok(script) => {
                inner.positional.clone_from(&call.arguments);
                Ok(inner.run(&String::from_utf8_lossy(&script), &call.io).await)
            }
            Err(error) => call.fail(127, &format!("sh: {file}: {error}")).await,
        },
    }
}

/// `exec COMMAND…`: the command takes the shell's place. Without a command, nothing happens.
pub(super) async fn exec(call: &mut Call<'_>) -> io::Result<u8> {
    if call.arguments.is_empty() {
        return Ok(0);
    }
    let name = call.arguments.remove(0);
    let status = match call.commands.find(&name) {
        Some(command) if name != "exec" => (command.run)(call).await?,
        _ => call.fail(127, &format!("{NAME}: {name}: inaccessible or not found")).await?,
    };
    call.shell.leaving.get_or_insert(status);
    Ok(status)
}
