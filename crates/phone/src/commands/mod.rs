//! The commands of the virtual phone: a table of names. `call` is what a command is handed.
//!
//! A command reads its arguments and standard input, asks the handset, and writes what the same command writes on Android 14.

mod am;
mod app_process;
mod broadcast;
mod call;
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
mod records;
mod screencap;
mod screenrecord;
mod service;
mod settings;
mod sleep;
mod svc;
mod terminal;
mod test;
mod uiautomator;
mod wm;

pub(super) use call::Call;
use call::{Command, Commands};

macro_rules! table {
    ($($name:literal => $run:path,)*) => {
        Commands::new(&[$(Command { name: $name, run: |call| Box::pin($run(call)) }),*])
    };
}

/// Every command, by its name.
pub(super) static COMMANDS: Commands = table![
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_found_by_path() {
        assert!(COMMANDS.names().is_sorted());
        assert!(COMMANDS.find("/system/bin/input").is_some());
        assert!(COMMANDS.find("su").is_none());
    }
}
