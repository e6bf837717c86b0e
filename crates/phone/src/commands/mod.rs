//! The commands of the virtual phone: a table of names, and what a command is handed.
//!
//! A command reads its arguments and standard input, asks the handset, and writes what the same command writes on Android 14.

mod am;
mod app_process;
mod broadcast;
mod content;
mod digest;
mod dumpsys;
mod echo;
mod environment;
mod file_lists;
mod files;
mod grep;
mod identity;
mod ime;
mod input;
mod install;
mod instrument;
mod intent;
mod lines;
mod logcat;
mod monkey;
mod nested;
mod package_dump;
mod packages;
mod pm;
mod processes;
mod read;
mod reboot;
pub(super) mod screencap;
mod screenrecord;
mod service;
mod settings;
mod sleep;
mod svc;
mod terminal;
mod test;
mod uiautomator;
mod wm;

use std::io;
use std::pin::Pin;

use super::handset::Handset;
use super::shell::{Io, Shell};

/// Bytes that a command keeps of its input at most.
const LARGEST_INPUT: usize = 64 << 20;

type Outcome<'a> = Pin<Box<dyn Future<Output = io::Result<u8>> + Send + 'a>>;

/// A command of the table.
pub(super) struct Command {
    name: &'static str,
    pub(super) run: for<'a, 'b> fn(&'a mut Call<'b>) -> Outcome<'a>,
}

/// One call of a command.
pub(super) struct Call<'b> {
    pub(super) shell: &'b mut Shell,
    /// What stands behind the command's name.
    pub(super) arguments: Vec<String>,
    pub(super) io: Io,
}

impl Call<'_> {
    async fn out(&self, text: impl Into<Vec<u8>>) -> io::Result<()> {
        self.io.out.write(text).await
    }

    async fn err(&self, text: impl Into<Vec<u8>>) -> io::Result<()> {
        self.io.err.write(text).await
    }

    /// Writes a text and succeeds.
    async fn done(&self, text: impl Into<Vec<u8>>) -> io::Result<u8> {
        self.out(text).await.map(|()| 0)
    }

    /// Writes a line to standard error and fails with this exit code.
    async fn fail(&self, status: u8, message: &str) -> io::Result<u8> {
        self.err(format!("{message}\n")).await.map(|()| status)
    }

    fn handset(&self) -> &Handset {
        &self.shell.handset
    }

    /// Takes one-letter switches off the front of the arguments; fails with the first that is not in `known`.
    fn switches(&mut self, known: &str) -> Result<String, char> {
        let mut found = String::new();
        while let Some(first) = self.arguments.first().filter(|first| first.len() > 1 && first.starts_with('-')) {
            let first = first.clone();
            self.arguments.remove(0);
            if first == "--" {
                break;
            }
            if let Some(unknown) = first[1..].chars().find(|c| !known.contains(*c)) {
                return Err(unknown);
            }
            found.push_str(&first[1..]);
        }
        Ok(found)
    }

    /// Reads a file, or standard input for `-`.
    async fn content(&self, name: &str) -> Result<Vec<u8>, String> {
        if name == "-" || name == "/dev/stdin" {
            return self.io.input.all(LARGEST_INPUT).await.map_err(|error| error.to_string());
        }
        let content = self.handset().files.lock().read(&self.shell.path(name));
        content.map(|content| content.to_vec()).map_err(|errno| errno.to_string())
    }
}

macro_rules! table {
    ($($name:literal => $run:path,)*) => {
        &[$(Command { name: $name, run: |call| Box::pin($run(call)) }),*]
    };
}

const COMMANDS: &[Command] = table![
    ":" => test::succeed,
    "[" => test::bracket,
    "am" => am::am,
    "app_process" => app_process::app_process,
    "base64" => digest::base64,
    "cat" => files::cat,
    "cd" => environment::cd,
    "cmd" => service::cmd,
    "command" => environment::command,
    "content" => content::content,
    "cp" => files::cp,
    "cut" => lines::cut,
    "date" => identity::date,
    "df" => file_lists::df,
    "dumpsys" => dumpsys::dumpsys,
    "echo" => echo::echo,
    "env" => environment::env,
    "exec" => nested::exec,
    "exit" => test::exit,
    "export" => environment::export,
    "false" => test::fail,
    "getprop" => environment::getprop,
    "grep" => grep::grep,
    "head" => lines::head,
    "id" => identity::id,
    "ime" => ime::ime,
    "input" => input::input,
    "kill" => processes::kill,
    "logcat" => logcat::logcat,
    "ls" => file_lists::ls,
    "md5sum" => digest::md5sum,
    "mkdir" => files::mkdir,
    "monkey" => monkey::monkey,
    "mv" => files::mv,
    "pidof" => processes::pidof,
    "pkill" => processes::pkill,
    "pm" => pm::pm,
    "printf" => echo::printf,
    "ps" => processes::ps,
    "pwd" => environment::pwd,
    "read" => read::read,
    "reboot" => reboot::reboot,
    "rm" => files::rm,
    "rmdir" => files::rmdir,
    "screencap" => screencap::screencap,
    "screenrecord" => screenrecord::screenrecord,
    "service" => service::service,
    "setprop" => environment::setprop,
    "settings" => settings::settings,
    "sh" => nested::sh,
    "sha256sum" => digest::sha256sum,
    "sleep" => sleep::sleep,
    "sort" => lines::sort,
    "stat" => file_lists::stat,
    "stty" => terminal::stty,
    "svc" => svc::svc,
    "tail" => lines::tail,
    "test" => test::test,
    "touch" => files::touch,
    "true" => test::succeed,
    "tty" => terminal::tty,
    "uiautomator" => uiautomator::uiautomator,
    "uname" => identity::uname,
    "wc" => lines::wc,
    "which" => environment::which,
    "whoami" => identity::whoami,
    "wm" => wm::wm,
];

/// Where commands seem to lie.
const FOLDERS: [&str; 2] = ["/system/bin/", "/bin/"];

/// Finds a command by its name or its path.
pub(super) fn find(name: &str) -> Option<&'static Command> {
    let bare = FOLDERS.iter().find_map(|folder| name.strip_prefix(folder)).unwrap_or(name);
    COMMANDS.iter().find(|command| command.name == bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_found_by_path() {
        assert!(COMMANDS.is_sorted_by_key(|command| command.name));
        assert!(find("/system/bin/input").is_some());
        assert!(find("su").is_none());
    }
}
