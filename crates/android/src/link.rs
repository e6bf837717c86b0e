//! Links → `am start`, and what it says of them.

use super::answer::failed;
use super::started;
use crate::adb::{Output, quote};
use crate::driver::Error;

/// Opens a link as a tap on it does, and ends when the app that takes it has drawn itself.
pub(super) fn command(url: &str, package: Option<&str>) -> String {
    let package = package.map(|package| format!(" -p {}", quote(package))).unwrap_or_default();
    format!("am start -W -a android.intent.action.VIEW -d {}{package}", quote(url))
}

/// Reads what [`command`] printed: the package that took the link, where it is told.
pub(super) fn parse(url: &str, output: &Output) -> Result<Option<String>, Error> {
    let said = format!("{}\n{}", super::answer::text(&output.stderr), super::answer::text(&output.stdout));
    if said.contains("unable to resolve Intent") {
        return Err(Error::NotFound { what: format!("an app that opens `{url}`") });
    }
    started::by_am(&said)?;
    match output.exit {
        0 => Ok(started::package(&said)),
        exit => Err(failed("am start", &format!("exit code {exit}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(stdout: &str, stderr: &str, exit: u8) -> Result<Option<String>, Error> {
        parse("x://y", &Output { stdout: stdout.into(), stderr: stderr.into(), exit })
    }

    #[test]
    fn links_are_quoted() {
        assert_eq!(
            command("https://a.b/?q=1&r='$(reboot)'", Some("com.x;y")),
            r"am start -W -a android.intent.action.VIEW -d 'https://a.b/?q=1&r='\''$(reboot)'\''' -p 'com.x;y'"
        );
    }

    #[test]
    fn a_link_that_no_app_takes_is_an_error() {
        let starting = "Starting: Intent { act=android.intent.action.VIEW dat=x://y }\n";
        let unresolved = "Error: Activity not started, unable to resolve Intent { act=android.intent.action.VIEW }\n";
        assert!(matches!(of(starting, unresolved, 1), Err(Error::NotFound { .. })));
        assert!(matches!(of(&format!("{starting}{unresolved}"), "", 0), Err(Error::NotFound { .. })));
        let denied = "java.lang.SecurityException: Permission Denial: starting Intent\n";
        assert!(matches!(of(starting, denied, 255), Err(Error::Device { .. })));
        let opened = "Warning: Activity not started, its current task has been brought to the front\nStatus: ok\n\
                      LaunchState: HOT\nActivity: com.b/.Main\nTotalTime: 9\nComplete\n";
        assert_eq!(of(&format!("{starting}{opened}"), "", 0), Ok(Some("com.b".to_owned())));
        assert!(of(starting, "", 1).is_err());
    }
}
