//! `param`, `hidumper` → what a phone says of itself.

use crate::answer::failed;
use crate::driver::{Details, Error};
use crate::shell::Shell;

/// Tells what is not the screen's size; each value stands behind a name of ours.
const LOOK: &str = "echo manufacturer=$(param get const.product.manufacturer); echo brand=$(param get const.product.brand); \
                    echo model=$(param get const.product.model); echo version=$(param get const.product.software.version); \
                    echo api=$(param get const.ohos.apiversion); hidumper -s BatteryService -a -i";
/// The same for a list of phones: what a person calls it.
pub(crate) const NAME: &str = "echo name=$(param get const.product.name); echo model=$(param get const.product.model); \
                               echo version=$(param get const.product.software.version)";

/// Asks for all but the size of the screen.
pub(crate) async fn of(shell: &Shell) -> Result<Details, Error> {
    let said = shell.look("param get", LOOK).await?;
    let details = parse(&said);
    if details.model.is_empty() && details.version.is_empty() {
        return Err(failed("param get", &format!("it tells neither model nor version: {said}")));
    }
    Ok(details)
}

/// Returns what stands behind a name; a parameter that is not there fails.
fn value<'a>(said: &'a str, name: &str) -> Option<&'a str> {
    let value = said.lines().find_map(|line| line.trim().strip_prefix(name))?.trim();
    Some(value).filter(|value| !value.is_empty() && !value.to_lowercase().contains("fail"))
}

fn parse(said: &str) -> Details {
    let own = |name: &str| value(said, name).unwrap_or_default().to_owned();
    let number = |name: &str| value(said, name)?.split(|sign: char| !sign.is_ascii_digit()).next()?.parse::<u32>().ok();
    Details {
        manufacturer: value(said, "manufacturer=").or_else(|| value(said, "brand=")).unwrap_or_default().to_owned(),
        model: own("model="),
        version: own("version="),
        api_level: number("api="),
        battery: number("capacity:").filter(|percent| *percent <= 100),
        powered: number("pluggedType:").map(|kind| kind > 0),
        ..Details::default()
    }
}

/// Returns what a person calls a phone.
pub(crate) fn name(said: &str) -> Option<String> {
    let name = value(said, "name=").or_else(|| value(said, "model="))?;
    let version = value(said, "version=").map(|version| version.rsplit(' ').next().unwrap_or(version));
    Some(version.map_or_else(|| name.to_owned(), |version| format!("{name}, {version}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_told_is_absent() {
        let told = "manufacturer=Get parameter \"const.product.manufacturer\" fail! errNum is:106!\nbrand=HUAWEI\nmodel=ALN-AL00\n\
                    version=ALN-AL00 5.0.0.102(SP7C00E102R4P11)\napi=12\ncapacity: 81\npluggedType: 2\n";
        let details = parse(told);
        assert_eq!(
            (details.manufacturer.as_str(), details.model.as_str(), details.api_level),
            ("HUAWEI", "ALN-AL00", Some(12))
        );
        assert_eq!((details.battery, details.powered), (Some(81), Some(true)));
        assert_eq!(name("name=Mate 60 Pro\nversion=ALN-AL00 5.0.0.102").as_deref(), Some("Mate 60 Pro, 5.0.0.102"));
        assert_eq!((name("name=\n"), parse("").battery), (None, None));
    }
}
