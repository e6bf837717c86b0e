//! Commands that are nothing but an exit code: `true`, `false`, `exit`, `test`, `[`.

use std::io;

use super::call::Call;
use crate::shell::NAME;

pub(super) async fn succeed(_call: &mut Call<'_>) -> io::Result<u8> {
    Ok(0)
}

pub(super) async fn fail(_call: &mut Call<'_>) -> io::Result<u8> {
    Ok(1)
}

/// `exit [CODE]`: without a code, that of the last command.
pub(super) async fn exit(call: &mut Call<'_>) -> io::Result<u8> {
    let status = match call.arguments.first() {
        None => call.shell.status(),
        Some(code) => {
            let Ok(number) = code.parse::<i64>() else {
                return call.fail(1, &format!("{NAME}: exit: {code}: bad number")).await;
            };
            number.rem_euclid(256).try_into().unwrap_or(0)
        }
    };
    call.shell.leaving = Some(status);
    Ok(status)
}

pub(super) async fn bracket(call: &mut Call<'_>) -> io::Result<u8> {
    if call.arguments.pop().as_deref() != Some("]") {
        return call.fail(2, &format!("{NAME}: [: missing ]")).await;
    }
    test(call).await
}

/// `test`: files (-e, -f, -d, -s, -r, -w, -x), texts (-n, -z, =, !=), numbers (-eq, -ne, -lt, -le, -gt, -ge), `!`, -a, -o.
pub(super) async fn test(call: &mut Call<'_>) -> io::Result<u8> {
    let arguments: Vec<&str> = call.arguments.iter().map(String::as_str).collect();
    match any(call, &arguments) {
        Ok(true) => Ok(0),
        Ok(false) => Ok(1),
        Err(message) => call.fail(2, &format!("{NAME}: test: {message}")).await,
    }
}

fn any(call: &Call<'_>, arguments: &[&str]) -> Result<bool, String> {
    let mut found = false;
    for part in arguments.split(|argument| *argument == "-o") {
        let mut all = true;
        for part in part.split(|argument| *argument == "-a") {
            all &= one(call, part)?;
        }
        found |= all;
    }
    Ok(found)
}

fn one(call: &Call<'_>, arguments: &[&str]) -> Result<bool, String> {
    let turned = arguments.iter().take_while(|argument| **argument == "!").count();
    let turned = turned.min(arguments.len().saturating_sub(1));
    Ok(plain(call, &arguments[turned..])? != (turned % 2 == 1))
}

fn plain(call: &Call<'_>, arguments: &[&str]) -> Result<bool, String> {
    match arguments {
        [] => Ok(false),
        [text] | ["-n", text] => Ok(!text.is_empty()),
        ["-z", text] => Ok(text.is_empty()),
        ["-t", number] => Ok(call.is_terminal(number)),
        [operator, path] => file(call, operator, path),
        [left, "=" | "==", right] => Ok(left == right),
        [left, "!=", right] => Ok(left != right),
        [left, operator, right] => compared(number(left)?, operator, number(right)?),
        _ => Err("unexpected operator/operand".to_owned()),
    }
}

fn file(call: &Call<'_>, operator: &str, path: &str) -> Result<bool, String> {
    let files = call.handset().files.lock();
    let node = files.get(&call.shell.path(path)).ok();
    Ok(match operator {
        "-e" | "-r" => node.is_some(),
        "-f" => node.is_some_and(|node| !node.is_folder()),
        "-d" => node.is_some_and(super::super::files::Node::is_folder),
        "-s" => node.is_some_and(|node| node.size() > 0),
        "-w" => node.is_some_and(|node| node.mode & 0o200 != 0),
        "-x" => node.is_some_and(|node| node.mode & 0o100 != 0),
        _ => return Err(format!("{operator}: unexpected operator/operand")),
    })
}

fn number(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| format!("{text}: bad number"))
}

fn compared(left: i64, operator: &str, right: i64) -> Result<bool, String> {
    Ok(match operator {
        "-eq" => left == right,
        "-ne" => left != right,
        "-lt" => left < right,
        "-le" => left <= right,
        "-gt" => left > right,
        "-ge" => left >= right,
        _ => return Err(format!("{operator}: unexpected operator/operand")),
    })
}
