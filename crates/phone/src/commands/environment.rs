//! Commands about names and values: `cd`, `pwd`, `env`, `export`, `which`, `getprop`, `setprop`.

use std::io;

use super::call::Call;
use crate::shell::NAME;

/// Properties that may be there at the same time, and bytes of a value (Android: 91).
const MOST_PROPERTIES: usize = 1000;
const LONGEST_VALUE: usize = 91;

pub(super) async fn cd(call: &mut Call<'_>) -> io::Result<u8> {
    let target = call.arguments.first().map_or("/", String::as_str);
    let path = call.shell.path(target);
    let is_folder = call.handset().files.lock().get(&path).map(super::super::files::Node::is_folder);
    match is_folder {
        Ok(true) => {
            call.shell.folder = path;
            Ok(0)
        }
        Ok(false) => call.fail(2, &format!("{NAME}: cd: {target}: Not a directory")).await,
        Err(errno) => call.fail(2, &format!("{NAME}: cd: {target}: {errno}")).await,
    }
}

pub(super) async fn pwd(call: &mut Call<'_>) -> io::Result<u8> {
    call.done(format!("{}\n", call.shell.folder)).await
}

pub(super) async fn env(call: &mut Call<'_>) -> io::Result<u8> {
    let lines: Vec<String> = call.shell.variables.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
    call.done(lines.concat()).await
}

pub(super) async fn export(call: &mut Call<'_>) -> io::Result<u8> {
    for argument in &call.arguments {
        if let Some((name, value)) = argument.split_once('=') {
            call.shell.variables.insert(name.to_owned(), value.to_owned());
        }
    }
    Ok(0)
}

/// `command -v NAME`: tells whether there is such a command.
pub(super) async fn command(call: &mut Call<'_>) -> io::Result<u8> {
    match call.arguments.as_slice() {
        [option, _] if option == "-v" => {
            call.arguments.remove(0);
            which(call).await
        }
        _ => call.fail(1, &format!("{NAME}: command: only `command -v NAME` is supported by the virtual phone")).await,
    }
}

pub(super) async fn which(call: &mut Call<'_>) -> io::Result<u8> {
    let mut status = 0;
    for name in &call.arguments {
        match call.commands.find(name) {
            Some(command) => call.out(format!("/system/bin/{}\n", command.name)).await?,
            None => status = 1,
        }
    }
    Ok(status)
}

/// `getprop`: all as `[name]: [value]`; `getprop NAME [DEFAULT]`: the value, empty where there is none.
pub(super) async fn getprop(call: &mut Call<'_>) -> io::Result<u8> {
    let text = {
        let properties = call.handset().properties.lock();
        match call.arguments.first() {
            None => {
                let lines = properties.iter().map(|(name, value)| format!("[{name}]: [{value}]\n"));
                lines.collect::<Vec<_>>().concat()
            }
            Some(name) => {
                let value = properties.get(name).filter(|value| !value.is_empty());
                format!("{}\n", value.or(call.arguments.get(1)).map_or("", String::as_str))
            }
        }
    };
    call.done(text).await
}

pub(super) async fn setprop(call: &mut Call<'_>) -> io::Result<u8> {
    let [name, value] = call.arguments.as_slice() else {
        return call.fail(1, "setprop: Needs 2 arguments").await;
    };
    let set = {
        let mut properties = call.handset().properties.lock();
        let refused = name.starts_with("ro.")
            || value.len() > LONGEST_VALUE
            || (properties.len() >= MOST_PROPERTIES && !properties.contains_key(name));
        if !refused {
            properties.insert(name.clone(), value.clone());
        }
        !refused
    };
    if set { Ok(0) } else { call.fail(1, &format!("Failed to set property '{name}' to '{value}'.")).await }
}
