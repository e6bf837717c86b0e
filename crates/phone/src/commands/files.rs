//! Commands that change files: `cat`, `cp`, `mv`, `rm`, `rmdir`, `mkdir`, `touch`. Messages as toybox prints them.

use std::io;

use super::call::Call;
use crate::files::{Errno, Files};

pub(super) async fn cat(call: &mut Call<'_>) -> io::Result<u8> {
    if call.arguments.is_empty() {
        call.arguments.push("-".to_owned());
    }
    let mut status = 0;
    for name in &call.arguments {
        if name == "-" {
            while let Some(chunk) = call.io.input.chunk().await {
                call.out(chunk).await?;
            }
            continue;
        }
        match call.content(name).await {
            Ok(content) => call.out(content).await?,
            Err(error) => status = call.fail(1, &format!("cat: {name}: {error}")).await?,
        }
    }
    Ok(status)
}

pub(super) async fn mkdir(call: &mut Call<'_>) -> io::Result<u8> {
    let switches = match call.switches("pv") {
        Ok(switches) => switches,
        Err(unknown) => return unknown_option(call, "mkdir", unknown).await,
    };
    let make = |files: &mut Files, path: &str| {
        if switches.contains('p') { files.make_folders(path) } else { files.make_folder(path) }
    };
    each(call, "mkdir", make).await
}

/// `chmod [-R] MODE FILE…`, MODE in octal, or as `+x`.
pub(super) async fn chmod(call: &mut Call<'_>) -> io::Result<u8> {
    call.arguments.retain(|argument| argument != "-R");
    if call.arguments.len() < 2 {
        return call.fail(1, "chmod: Needs 2 arguments").await;
    }
    let mode = call.arguments.remove(0);
    let octal = u32::from_str_radix(&mode, 8).ok().filter(|mode| *mode <= 0o7777);
    let bits = mode.split_once(['+', '-', '=']).map(|(_, letters)| {
        letters.chars().map(|letter| match letter {
            'r' => 0o444,
            'w' => 0o200,
            'x' => 0o111,
            _ => 0,
        })
    });
    let (Some(given), adds) =
        (octal.or_else(|| bits.map(|bits| bits.fold(0, |all, bit| all | bit))), mode.contains('+'))
    else {
        return call.fail(1, &format!("chmod: bad mode '{mode}'")).await;
    };
    let takes = mode.contains('-');
    let change = |files: &mut Files, path: &str| {
        let before = files.get(path)?.mode;
        files.set_mode(
            path,
            if adds {
                before | given
            } else if takes {
                before & !given
            } else {
                given
            },
        )
    };
    each(call, "chmod", change).await
}

pub(super) async fn rmdir(call: &mut Call<'_>) -> io::Result<u8> {
    let remove = |files: &mut Files, path: &str| {
        if files.get(path)?.is_folder() { files.remove(path) } else { Err(Errno::NotFolder) }
    };
    each(call, "rmdir", remove).await
}

pub(super) async fn touch(call: &mut Call<'_>) -> io::Result<u8> {
    let switches = match call.switches("c") {
        Ok(switches) => switches,
        Err(unknown) => return unknown_option(call, "touch", unknown).await,
    };
    let touch = |files: &mut Files, path: &str| match files.get(path) {
        Ok(node) if node.is_folder() => Ok(()),
        Err(Errno::NotFound) if switches.contains('c') => Ok(()),
        _ => files.append(path, b""),
    };
    each(call, "touch", touch).await
}

/// Does one thing to every path; goes on after one that fails.
async fn each(call: &Call<'_>, name: &str, act: impl Fn(&mut Files, &str) -> Result<(), Errno>) -> io::Result<u8> {
    if call.arguments.is_empty() {
        return call.fail(1, &format!("{name}: Needs 1 argument")).await;
    }
    let mut status = 0;
    for argument in &call.arguments {
        let acted = act(&mut call.handset().files.lock(), &call.shell.path(argument));
        if let Err(errno) = acted {
            status = call.fail(1, &format!("{name}: '{argument}': {errno}")).await?;
        }
    }
    Ok(status)
}

pub(super) async fn rm(call: &mut Call<'_>) -> io::Result<u8> {
    let switches = match call.switches("frRiv") {
        Ok(switches) => switches,
        Err(unknown) => return unknown_option(call, "rm", unknown).await,
    };
    let (force, deep) = (switches.contains('f'), switches.contains(['r', 'R']));
    if call.arguments.is_empty() && !force {
        return call.fail(1, "rm: Needs 1 argument").await;
    }
    let mut status = 0;
    for argument in &call.arguments {
        let outcome = removed(&mut call.handset().files.lock(), &call.shell.path(argument), deep);
        match outcome {
            Err(Errno::NotFound) if force => {}
            Err(errno) => status = call.fail(1, &format!("rm: {argument}: {errno}")).await?,
            Ok(()) => {}
        }
    }
    call.handset().forget_missing_media().await;
    Ok(status)
}

fn removed(files: &mut Files, path: &str, deep: bool) -> Result<(), Errno> {
    if deep {
        files.remove_all(path)
    } else if files.get(path)?.is_folder() {
        Err(Errno::IsFolder)
    } else {
        files.remove(path)
    }
}

pub(super) async fn cp(call: &mut Call<'_>) -> io::Result<u8> {
    let switches = match call.switches("rRfapv") {
        Ok(switches) => switches,
        Err(unknown) => return unknown_option(call, "cp", unknown).await,
    };
    let deep = switches.contains(['r', 'R', 'a']);
    into(call, "cp", |files, from, to| copied(files, from, to, deep)).await
}

pub(super) async fn mv(call: &mut Call<'_>) -> io::Result<u8> {
    if let Err(unknown) = call.switches("fv") {
        return unknown_option(call, "mv", unknown).await;
    }
    let status = into(call, "mv", Files::rename).await;
    call.handset().forget_missing_media().await;
    status
}

/// Brings every argument but the last one to the last one.
async fn into(
    call: &Call<'_>,
    name: &str,
    act: impl Fn(&mut Files, &str, &str) -> Result<(), Errno>,
) -> io::Result<u8> {
    let Some((last, sources)) = call.arguments.split_last().filter(|(_, sources)| !sources.is_empty()) else {
        return call.fail(1, &format!("{name}: Needs 2 arguments")).await;
    };
    let target = call.shell.path(last);
    let is_folder = call.handset().files.lock().get(&target).is_ok_and(super::super::files::Node::is_folder);
    if sources.len() > 1 && !is_folder {
        return call.fail(1, &format!("{name}: '{last}' not directory")).await;
    }
    let mut status = 0;
    for source in sources {
        let from = call.shell.path(source);
        let name_of = from.rsplit('/').next().unwrap_or_default();
        let to = if is_folder { crate::files::clean(&target, name_of) } else { target.clone() };
        let acted = act(&mut call.handset().files.lock(), &from, &to);
        if let Err(errno) = acted {
            status = call.fail(1, &format!("{name}: bad '{source}': {errno}")).await?;
        }
    }
    Ok(status)
}

fn copied(files: &mut Files, from: &str, to: &str, deep: bool) -> Result<(), Errno> {
    let node = files.get(from)?.clone();
    if to == from || to.starts_with(&format!("{from}/")) {
        return Err(Errno::Invalid);
    }
    let Some(content) = node.content else {
        if !deep {
            return Err(Errno::IsFolder);
        }
        files.make_folders(to)?;
        let names: Vec<String> = files.list(from)?.into_iter().map(|(name, _)| name.to_owned()).collect();
        return names
            .iter()
            .try_for_each(|name| copied(files, &format!("{from}/{name}"), &format!("{to}/{name}"), true));
    };
    files.create(to, node.mode)?;
    files.append(to, &content)
}

pub(super) async fn unknown_option(call: &Call<'_>, name: &str, option: char) -> io::Result<u8> {
    call.fail(1, &format!("{name}: Unknown option '{option}' (see \"{name} --help\")")).await
}
