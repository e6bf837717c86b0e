//! Commands that tell about files: `ls`, `stat`, `df`, in toybox's formats.

use std::fmt::Write as _;
use std::io;

use chrono::DateTime;

use super::call::Call;
use super::files::unknown_option;
use crate::files::{Files, Node};

/// A name and what it stands for.
type Entry = (String, Node);

pub(super) async fn ls(call: &mut Call<'_>) -> io::Result<u8> {
    let switches = match call.switches("1aAlRdhF") {
        Ok(switches) => switches,
        Err(unknown) => return unknown_option(call, "ls", unknown).await,
    };
    if call.arguments.is_empty() {
        call.arguments.push(".".to_owned());
    }
    let (mut singles, mut folders, mut status) = (Vec::new(), Vec::new(), 0);
    for name in &call.arguments {
        let path = call.shell.path(name);
        let found = call.handset().files.lock().get(&path).cloned();
        match found {
            Ok(node) if node.is_folder() && !switches.contains('d') => folders.push((name.clone(), path)),
            Ok(node) => singles.push((name.clone(), node)),
            Err(errno) => status = call.fail(1, &format!("ls: {name}: {errno}")).await?,
        }
    }
    let mut text = listed(&singles, &switches);
    let titled = call.arguments.len() > 1 || switches.contains('R');
    {
        let files = call.handset().files.lock();
        for (name, path) in folders {
            add_folder(&mut text, &files, (&name, &path), &switches, titled);
        }
    }
    call.out(text).await?;
    Ok(status)
}

fn add_folder(text: &mut String, files: &Files, (name, path): (&str, &str), switches: &str, titled: bool) {
    let mut entries: Vec<Entry> =
        files.list(path).unwrap_or_default().into_iter().map(|(name, node)| (name.to_owned(), node.clone())).collect();
    let hidden = switches.contains(['a', 'A']);
    entries.retain(|(name, _)| hidden || !name.starts_with('.'));
    if titled {
        let gap = if text.is_empty() { "" } else { "\n" };
        text.extend([gap, name, ":\n"]);
    }
    if switches.contains('l') {
        let blocks: usize = entries.iter().map(|(_, node)| node.size().div_ceil(1024)).sum();
        text.extend(["total ", &blocks.to_string(), "\n"]);
    }
    text.push_str(&listed(&entries, switches));
    if switches.contains('R') {
        for (child, _) in entries.iter().filter(|(_, node)| node.is_folder()) {
            let (name, path) = (format!("{name}/{child}"), format!("{}/{child}", path.trim_end_matches('/')));
            add_folder(text, files, (&name, &path), switches, true);
        }
    }
}

fn listed(entries: &[Entry], switches: &str) -> String {
    let mut text = String::new();
    let width = entries.iter().map(|(_, node)| node.size().to_string().len()).max().unwrap_or(0);
    for (name, node) in entries {
        if switches.contains('l') {
            let links = if node.is_folder() { 2 } else { 1 };
            let time = time(node.modified, "%Y-%m-%d %H:%M");
            let size = node.size();
            let row = format!("{} {links} shell sdcard_rw {size:>width$} {time} ", permissions(node));
            text.push_str(&row);
        }
        text.push_str(name);
        text.push_str(if switches.contains('F') && node.is_folder() { "/\n" } else { "\n" });
    }
    text
}

/// `drwxrwx--x`.
fn permissions(node: &Node) -> String {
    let mut text = String::from(if node.is_folder() { "d" } else { "-" });
    for (bit, letter) in (0..9).rev().zip("rwxrwxrwx".chars()) {
        text.push(if node.mode >> bit & 1 == 1 { letter } else { '-' });
    }
    text
}

fn time(seconds: i64, format: &str) -> String {
    let mut text = String::new();
    if let Some(time) = DateTime::from_timestamp(seconds, 0) {
        // Fails only on a wrong format; the formats here are constants.
        let _ = write!(text, "{}", time.format(format));
    }
    text
}

pub(super) async fn stat(call: &mut Call<'_>) -> io::Result<u8> {
    let mut format = None;
    while let Some(first) = call.arguments.first().filter(|first| first.starts_with('-')).cloned() {
        call.arguments.remove(0);
        match first.as_str() {
            "-c" if !call.arguments.is_empty() => format = Some(call.arguments.remove(0)),
            "-L" => {}
            _ => return call.fail(1, &format!("stat: Unknown option '{first}'")).await,
        }
    }
    if call.arguments.is_empty() {
        return call.fail(1, "stat: Needs 1 argument").await;
    }
    let mut status = 0;
    for name in &call.arguments {
        let found = call.handset().files.lock().get(&call.shell.path(name)).cloned();
        match found {
            Ok(node) => call.out(described(name, &node, format.as_deref().unwrap_or(LONG))).await?,
            Err(errno) => status = call.fail(1, &format!("stat: '{name}': {errno}")).await?,
        }
    }
    Ok(status)
}

/// What toybox's `stat` prints without `-c`.
const LONG: &str = "  File: %n\n  Size: %s\t Blocks: %b\t IO Blocks: 4096\t%F\nAccess: (0%a/%A)\tUid: (%u/%U)\tGid: (%g/%G)\n\
                    Access: %y\nModify: %y\nChange: %y";

fn described(name: &str, node: &Node, format: &str) -> String {
    let mut text = String::new();
    let mut parts = format.split('%');
    text.push_str(parts.next().unwrap_or_default());
    while let Some(part) = parts.next() {
        let mut rest = part.chars();
        match rest.next() {
            Some(letter) => text.push_str(&property(letter, name, node)),
            // Two of them stand for one; what follows is plain.
            None => text.extend(["%", parts.next().unwrap_or_default()]),
        }
        text.push_str(rest.as_str());
    }
    text.push('\n');
    text
}

/// What a letter behind `%` stands for.
fn property(letter: char, name: &str, node: &Node) -> String {
    let folder = node.is_folder();
    match letter {
        'n' => name.to_owned(),
        's' => node.size().to_string(),
        'b' => node.size().div_ceil(512).to_string(),
        'a' => format!("{:o}", node.mode),
        'A' => permissions(node),
        'f' => format!("{:x}", node.st_mode()),
        'F' => (if folder { "directory" } else { "regular file" }).to_owned(),
        'u' => "2000".to_owned(),
        'g' => "1015".to_owned(),
        'U' => "shell".to_owned(),
        'G' => "sdcard_rw".to_owned(),
        'X' | 'Y' | 'Z' => node.modified.to_string(),
        'x' | 'y' | 'z' => time(node.modified, "%Y-%m-%d %H:%M:%S.000000000 +0000"),
        other => format!("%{other}"),
    }
}

pub(super) async fn df(call: &mut Call<'_>) -> io::Result<u8> {
    let switches = match call.switches("hk") {
        Ok(switches) => switches,
        Err(unknown) => return unknown_option(call, "df", unknown).await,
    };
    let (total, used) = (Files::capacity(), call.handset().files.lock().used());
    let human = switches.contains('h');
    let shown = |bytes: usize| if human { format!("{}M", bytes >> 20) } else { (bytes >> 10).to_string() };
    let (size, percent) = (if human { "Size" } else { "1K-blocks" }, used * 100 / total);
    call.done(format!(
        "Filesystem       {size:>9} {:>9} {:>9} Use% Mounted on\n/dev/fuse        {:>9} {:>9} {:>9} {percent:>3}% /storage/emulated\n",
        "Used",
        if human { "Avail" } else { "Available" },
        shown(total),
        shown(used),
        shown(total - used),
    ))
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_of_stat_are_filled() {
        let node = Node { content: None, mode: 0o771, modified: 0 };
        assert_eq!(described("a", &node, "%n %%n %a|%A %F %q%"), "a %n 771|drwxrwx--x directory %q%\n");
    }
}
