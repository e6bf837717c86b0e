//! `uixt studio`: the page where people see a device, point at it, record, try and run.

mod beside;
mod command;
mod goals;
mod history;
mod review;
mod serving;
mod workshop;

pub(super) use self::beside::BesideArgs;
pub(super) use self::command::StudioCommand;

/// Returns the language of the page: the one that is named, or else that of the environment.
fn language(named: Option<&str>) -> &'static str {
    let of_environment = || {
        ["LC_ALL", "LC_MESSAGES", "LANG"]
            .iter()
            .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    };
    let named = named.map(str::to_owned).or_else(of_environment).unwrap_or_default();
    if named.starts_with("zh") { "zh" } else { "en" }
}
