//! Devices that nothing drives yet: refused once per case, where it first names one, unless the case `requires` them and is
//! skipped without them. Knows no drivers: the vocabulary says what is driven.

use super::case::{Config, Project};
use super::case_settings::Excused;
use super::keys;
use super::node::{Entry, Node};
use super::reader::Reader;

/// Looks at the devices that a `config` lists; one that is driven, beside others, is the case's device.
pub(super) fn of_config(reader: &mut Reader<'_>, node: Option<&Node>, config: &Config, project: &Project) {
    let required = project.requires.iter().chain(&config.requires).cloned().collect();
    reader.about.excused = Excused { required, told: false };
    if config.devices.iter().any(|device| reader.vocabulary.drives(&device.platform)) {
        return;
    }
    let listed = config.devices.first().and_then(|device| node?.entry(&device.platform));
    if let Some(entry) = listed {
        look(reader, entry);
    }
}

/// Looks at the key of a step, or of a `config`, that names a platform.
pub(super) fn look(reader: &mut Reader<'_>, entry: &Entry) {
    let (platform, excused) = (&entry.key, &reader.about.excused);
    if excused.told || excused.required.contains(platform) || reader.vocabulary.drives(platform) {
        return;
    }
    reader.about.excused.told = true;
    let driven = keys::PLATFORMS.into_iter().filter(|name| reader.vocabulary.drives(name));
    let message = format!("`{platform}` devices are not supported yet");
    let help = format!(
        "write {} where the same steps do there; with `requires: [{platform}]` in `config` the case is skipped",
        driven.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
    );
    reader.refuse_with_help(entry.place.span, message, help);
}
