//! The commands of the virtual phone: tables of names. `call` is what a command is handed.
//!
//! A command reads its arguments and standard input, asks the handset, and writes what the same command writes on Android 14. Those of
//! HarmonyOS are in `harmony/commands`.

mod am;
mod app_process;
mod broadcast;
mod call;
mod content;
mod digest;
mod dumpsys;
mod echo;
mod environment;
mod event;
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
pub(crate) mod logcat;
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
pub(crate) mod screenrecord;
mod service;
mod settings;
mod sleep;
mod svc;
mod terminal;
mod test;
mod uiautomator;
mod wm;

use super::options::Face;
use crate::harmony::commands::{aa, bm, device, hidumper, hilog, recorder, screen, uitest};
pub(super) use call::Call;
pub(crate) use call::{Command, Commands, Table};

macro_rules! table {
    ($($name:literal => $run:path,)*) => {
        &[$(Command { name: $name, run: |call| Box::pin($run(call)) }),*]
    };
}

/// The same of commands that return what they say; their exit code is 0, whatever it is.
macro_rules! saying {
    ($($name:literal => $run:path,)*) => {
        &[$(Command { name: $name, run: |call| Box::pin(async move {
            let said = $run(call).await?;
            call.done(said).await
        }) }),*]
    };
}

/// What every phone's shell has.
static SHARED: Table = table![
    ":" => test::succeed,
    "[" => test::bracket,
    "base64" => digest::base64,
    "cat" => files::cat,
    "cd" => environment::cd,
    "chmod" => files::chmod,
    "command" => environment::command,
    "cp" => files::cp,
    "cut" => lines::cut,
    "date" => identity::date,
    "df" => file_lists::df,
    "echo" => echo::echo,
    "env" => environment::env,
    "exec" => nested::exec,
    "exit" => test::exit,
    "export" => environment::export,
    "false" => test::fail,
    "grep" => grep::grep,
    "head" => lines::head,
    "id" => identity::id,
    "kill" => processes::kill,
    "ls" => file_lists::ls,
    "md5sum" => digest::md5sum,
    "mkdir" => files::mkdir,
    "mv" => files::mv,
    "pidof" => processes::pidof,
    "pkill" => processes::pkill,
    "printf" => echo::printf,
    "ps" => processes::ps,
    "pwd" => environment::pwd,
    "read" => read::read,
    "reboot" => reboot::reboot,
    "rm" => files::rm,
    "rmdir" => files::rmdir,
    "sh" => nested::sh,
    "sha256sum" => digest::sha256sum,
    "sleep" => sleep::sleep,
    "sort" => lines::sort,
    "stat" => file_lists::stat,
    "stty" => terminal::stty,
    "tail" => lines::tail,
    "test" => test::test,
    "touch" => files::touch,
    "true" => test::succeed,
    "tty" => terminal::tty,
    "uname" => identity::uname,
    "wc" => lines::wc,
    "which" => environment::which,
    "whoami" => identity::whoami,
];

/// Android's commands, with the shell's.
static ANDROID: Commands = Commands::new(
    table![
        "am" => am::am,
        "app_process" => app_process::app_process,
        "cmd" => service::cmd,
        "content" => content::content,
        "dumpsys" => dumpsys::dumpsys,
        "getevent" => event::getevent,
        "getprop" => environment::getprop,
        "ime" => ime::ime,
        "input" => input::input,
        "logcat" => logcat::logcat,
        "monkey" => monkey::monkey,
        "pm" => pm::pm,
        "screencap" => screencap::screencap,
        "screenrecord" => screenrecord::screenrecord,
        "sendevent" => event::sendevent,
        "service" => service::service,
        "setprop" => environment::setprop,
        "settings" => settings::settings,
        "svc" => svc::svc,
        "uiautomator" => uiautomator::uiautomator,
        "wm" => wm::wm,
    ],
    SHARED,
);

/// HarmonyOS's commands, with the shell's.
static HARMONY: Commands = Commands::new(
    saying![
        "aa" => aa::aa,
        "bm" => bm::bm,
        "hidumper" => hidumper::hidumper,
        "hilog" => hilog::hilog,
        "mediatool" => recorder::mediatool,
        "param" => device::param,
        "power-shell" => device::power_shell,
        "snapshot_display" => screen::snapshot_display,
        "uitest" => uitest::uitest,
        "uixt" => device::uixt,
    ],
    SHARED,
);

/// Returns the commands of a phone's shell.
pub(super) fn of(face: Face) -> &'static Commands {
    match face {
        Face::Harmony => &HARMONY,
        Face::Android | Face::Iphone => &ANDROID,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_and_found_by_path() {
        for table in [SHARED, ANDROID.own(), HARMONY.own()] {
            assert!(table.is_sorted_by_key(|command| command.name));
        }
        assert!(ANDROID.find("/system/bin/input").is_some() && HARMONY.find("/bin/uitest").is_some());
        assert!(ANDROID.find("cat").is_some() && HARMONY.find("cat").is_some());
        assert!(ANDROID.find("su").is_none() && HARMONY.find("input").is_none() && ANDROID.find("aa").is_none());
    }
}
