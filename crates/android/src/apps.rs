//! Commands about apps, and what they print: installed, running, in front.

use super::answer::{checked, complaint, failed, not_understood, own_lines};
use super::displays;
use crate::adb::{Device, quote};
use crate::driver::{Error, Foreground};

/// Whose the lock screen is.
const SYSTEM_UI: &str = "com.android.systemui";
/// Whose the dialogs are that tell of an app that hangs or crashed.
const SYSTEM: &str = "android";
/// The beginnings of their titles.
const TROUBLE: [&str; 2] = ["Application Not Responding: ", "Application Error: "];
/// Lists what is installed.
const LIST: &str = "pm list packages";
/// Lists what is installed for the user in front, where the shell may not see all users: Samsung's Secure Folder is one, and
/// makes [`LIST`] fail.
const LIST_OF_USER: &str = "pm list packages --user current";
/// What the device says of a user that the shell may not see.
const HIDDEN_USER: &str = "permission to access user";
/// Tells the app in front, on Android 10 and later, and on most before.
pub(super) const FRONT: &str = "dumpsys window | grep -E 'WINDOW MANAGER|Display: mDisplayId=|mCurrentFocus=|mFocusedApp=|\
                                mIsShowing=|mShowingLockscreen='";
/// Tells the app in front where [`FRONT`] did not.
pub(super) const FRONT_ACTIVITY: &str = "dumpsys activity activities | grep -E 'Display #|ResumedActivity[:=]'";

/// Returns the app of which the system's dialog tells that it crashed or hangs, by the dialog's title.
pub(super) fn troubled(title: &str) -> Option<&str> {
    TROUBLE.iter().find_map(|beginning| title.strip_prefix(beginning))
}

/// Lists the packages that are installed.
pub(super) async fn packages(device: &Device) -> Result<Vec<String>, Error> {
    let said = match checked(LIST, &device.shell(LIST).await?) {
        Err(Error::Device { message }) if message.contains(HIDDEN_USER) => {
            checked(LIST, &device.shell(LIST_OF_USER).await?)?
        }
        said => said?,
    };
    parse_packages(&said)
}

/// Tells whether an app is installed, and what its icon in the launcher starts.
pub(super) fn resolve_command(package: &str) -> String {
    let package = quote(package);
    format!(
        "pm path {package}; cmd package resolve-activity --brief -a android.intent.action.MAIN \
         -c android.intent.category.LAUNCHER {package}"
    )
}

/// Starts an app as its icon does: a running one comes to the front as it is. Ends when it has drawn itself.
pub(super) fn start_command(component: &str) -> String {
    let component = quote(component);
    format!(
        "am start -W -a android.intent.action.MAIN -c android.intent.category.LAUNCHER -f 0x10200000 -n {component}"
    )
}

/// Starts an app where the device cannot resolve its activity (before Android 7).
pub(super) fn monkey_command(package: &str) -> String {
    format!("monkey -p {} -c android.intent.category.LAUNCHER 1", quote(package))
}

/// Stands between an app's processes before it was ended and those after.
const ENDED: &str = "uixt-ended";

/// Tells whether an app is installed and what of it runs, ends it, and tells what still runs.
pub(super) fn stop_command(package: &str) -> String {
    let package = quote(package);
    format!("pm path {package}; pidof {package}; am force-stop {package}; echo {ENDED}; pidof {package}")
}

/// Lists an app's processes; before Android 6, where there is no `pidof`, all of them.
pub(super) fn running_command(package: &str) -> String {
    format!("pidof {}; [ $? = 127 ] && ps", quote(package))
}

/// Reads the answer to [`running_command`].
pub(super) fn parse_running(package: &str, text: &str) -> Result<bool, Error> {
    let mut lines = own_lines(text);
    if lines.clone().any(|line| line.split_whitespace().last() == Some(package)) {
        return Ok(true);
    }
    let is_old = lines.clone().any(|line| line.starts_with("USER "));
    match lines.clone().find(|line| !is_old && !line.split_whitespace().all(|pid| pid.parse::<u32>().is_ok())) {
        Some(line) => Err(failed("pidof", line)),
        None => Ok(!is_old && lines.next().is_some()),
    }
}

/// What an app's icon starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Launcher {
    Component(String),
    /// The device is too old to tell, or there are several.
    Untold,
}

/// Reads the answer to [`resolve_command`].
pub(super) fn parse_resolved(package: &str, text: &str) -> Result<Launcher, Error> {
    check_installed(package, text)?;
    let rest = || own_lines(text).filter(|line| !line.starts_with("package:"));
    // Of an app with several icons, the device names its own chooser (`android/com.android.internal.app.ResolverActivity`, makers
    // have their own) and not the app.
    let own = |line: &&str| line.strip_prefix(package).is_some_and(|rest| rest.len() > 1 && rest.starts_with('/'));
    let component = rest().filter(|line| !line.contains(char::is_whitespace)).find(own);
    match component {
        Some(component) => Ok(Launcher::Component(component.to_owned())),
        None if rest().any(|line| line.starts_with("No activity found")) => {
            Err(Error::Device { message: format!("app `{package}` has no icon in the launcher to start it by") })
        }
        None => Ok(Launcher::Untold),
    }
}

/// What came of [`stop_command`].
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stopped {
    pub was_running: bool,
    /// Processes from before that were there yet: they take a moment to go.
    pub left: Vec<u32>,
}

/// Reads the answer to [`stop_command`].
pub(super) fn parse_stopped(package: &str, text: &str) -> Result<Stopped, Error> {
    check_installed(package, text)?;
    let (before, after) = text.split_once(ENDED).unwrap_or((text, ""));
    let said = || own_lines(before).chain(own_lines(after)).filter(|line| !line.starts_with("package:"));
    if let Some(line) = complaint(&said().collect::<Vec<_>>().join("\n")) {
        return Err(failed("am force-stop", line));
    }
    let before = processes(before);
    let left = processes(after).into_iter().filter(|pid| before.contains(pid)).collect();
    Ok(Stopped { was_running: !before.is_empty(), left })
}

/// Reads what `pidof` says among other lines.
pub(super) fn processes(text: &str) -> Vec<u32> {
    let pids = |line: &str| line.split_whitespace().map(|pid| pid.parse().ok()).collect::<Option<Vec<u32>>>();
    own_lines(text).filter_map(pids).flatten().collect()
}

fn check_installed(package: &str, text: &str) -> Result<(), Error> {
    if text.lines().any(|line| line.trim().starts_with("package:")) {
        return Ok(());
    }
    match complaint(text) {
        Some(line) => Err(failed("pm path", line)),
        None => Err(Error::NotFound { what: format!("app `{package}`") }),
    }
}

/// Reads the answer to [`LIST`]; there is no device without a package.
pub(super) fn parse_packages(text: &str) -> Result<Vec<String>, Error> {
    let listed = own_lines(text).filter_map(|line| line.strip_prefix("package:"));
    let mut packages: Vec<String> = listed.map(|line| name_in(line).to_owned()).collect();
    if let Some(name) = packages.iter().find(|name| !is_package(name)) {
        return Err(not_understood("pm list packages", "it lists something that is not a package name", name));
    }
    if packages.is_empty() {
        return Err(not_understood("pm list packages", "it lists no package", text));
    }
    packages.sort_unstable();
    packages.dedup();
    Ok(packages)
}

/// Takes the name out of a line that some devices write as with `-f -U --show-versioncode`:
/// `/data/app/~~x==/com.uixt.shop-y==/base.apk=com.uixt.shop versionCode:12 uid:10123`.
fn name_in(line: &str) -> &str {
    let rests = [" versionCode:", " uid:", " installer="];
    let end = rests.iter().filter_map(|rest| line.find(rest)).min().unwrap_or(line.len());
    let line = &line[..end];
    let line = line.trim_end();
    if line.starts_with('/') { line.rsplit_once('=').map_or(line, |(_, name)| name) } else { line }
}

fn is_package(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._".contains(&byte))
}

/// Reads the answer to [`FRONT`] or [`FRONT_ACTIVITY`]; `None` where no app is named.
///
/// The focused window comes first, because a dialog of another app may lie over the focused one; windows that belong to no
/// activity (the notification shade, a popup) are passed over, except for the system's dialog about an app that hangs, and for
/// the lock screen, under which no app is in front.
pub(super) fn parse_front(text: &str) -> Option<Foreground> {
    let lines: Vec<&str> = displays::first(text).collect();
    let named = |label: &str| lines.iter().filter_map(|line| line.strip_prefix(label)).find_map(component);
    let in_trouble = || lines.iter().filter_map(|line| line.strip_prefix("mCurrentFocus=Window{")).find_map(trouble);
    let is_locked = ["mIsShowing=true", "mShowingLockscreen=true"].iter().any(|word| text.contains(word));
    let lock_screen = || is_locked.then(|| Foreground { package: SYSTEM_UI.to_owned(), ..Foreground::default() });
    named("mCurrentFocus=")
        .or_else(in_trouble)
        .or_else(lock_screen)
        .or_else(|| named("mFocusedApp="))
        .or_else(|| named("topResumedActivity="))
        .or_else(|| named("mResumedActivity:"))
        .or_else(|| named("ResumedActivity:"))
}

/// Reads `… u0 com.uixt.shop/.MainActivity …}`; one that was cut off is none.
fn component(line: &str) -> Option<Foreground> {
    let is_end = |c: char| c.is_whitespace() || c == '}';
    let mut words = line.split_inclusive(is_end);
    words.find(|word| word.strip_suffix(' ').is_some_and(is_user))?;
    let (package, activity) = words.next()?.strip_suffix(is_end)?.split_once('/')?;
    if !is_package(package) || activity.is_empty() || activity.contains(|c: char| c.is_control() || c == '\u{fffd}') {
        return None;
    }
    let activity = if activity.starts_with('.') { format!("{package}{activity}") } else { activity.to_owned() };
    Some(Foreground { package: package.to_owned(), activity, name: String::new() })
}

/// `u0`, `u10` for the users of a device.
fn is_user(word: &str) -> bool {
    word.strip_prefix('u').is_some_and(|user| user.parse::<u32>().is_ok())
}

/// Reads `397fff u0 Application Not Responding: com.uixt.shop}`.
fn trouble(window: &str) -> Option<Foreground> {
    let title = window.splitn(3, ' ').nth(2)?.split('}').next()?.trim();
    let known = TROUBLE.iter().any(|start| title.starts_with(start));
    known.then(|| Foreground { package: SYSTEM.to_owned(), activity: String::new(), name: title.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOP: &str = "com.uixt.shop";

    #[test]
    fn activities_are_resolved() {
        let path = "package:/data/app/~~x==/com.uixt.shop-1==/base.apk\n";
        let found =
            "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false\ncom.uixt.shop/.Main\n";
        let component = Launcher::Component("com.uixt.shop/.Main".to_owned());
        assert_eq!(parse_resolved(SHOP, &format!("{path}{found}")), Ok(component));
        assert_eq!(parse_resolved(SHOP, &format!("{path}Unknown command: resolve-activity")), Ok(Launcher::Untold));
        for chooser in
            ["android/com.android.internal.app.ResolverActivity", "com.uixt.shopping/.Main", "com.uixt.shop/"]
        {
            assert_eq!(
                parse_resolved(SHOP, &format!("{path}priority=0\n{chooser}\n")),
                Ok(Launcher::Untold),
                "{chooser}"
            );
        }
        assert!(parse_resolved(SHOP, &format!("{path}No activity found\n")).is_err());
        let missing = Err(Error::NotFound { what: "app `com.uixt.shop`".to_owned() });
        assert_eq!(parse_resolved(SHOP, "No activity found\n"), missing);
        assert!(matches!(
            parse_resolved(SHOP, "Error: Could not access the Package Manager."),
            Err(Error::Device { .. })
        ));
    }

    #[test]
    fn running_apps_are_told_from_others() {
        let of = |text: &str| parse_stopped(SHOP, &format!("package:/data/app/base.apk\n{text}"));
        let ended = |left: &[u32]| Ok(Stopped { was_running: true, left: left.to_vec() });
        assert_eq!(of("4321 4399\nuixt-ended\n"), ended(&[]));
        assert_eq!(of("4321 4399\nuixt-ended\n4399 5000\n"), ended(&[4399]), "5000 was started anew");
        let idle = Ok(Stopped { was_running: false, left: Vec::new() });
        assert_eq!(of("package:/data/app/split.apk\nuixt-ended\n"), idle);
        assert!(matches!(parse_stopped(SHOP, ""), Err(Error::NotFound { .. })));
        let denied = "package:/data/app/base.apk\n4321\nSecurity exception: Permission Denial\n";
        assert!(matches!(parse_stopped(SHOP, denied), Err(Error::Device { .. })));
    }

    #[test]
    fn processes_are_found_with_and_without_pidof() {
        assert_eq!(parse_running(SHOP, "4321 4399\n\n"), Ok(true));
        assert_eq!(parse_running(SHOP, "\n\n"), Ok(false));
        let old = "USER     PID   NAME\nu0_a1    12    com.uixt.settings\n/system/bin/sh: pidof: not found\n";
        assert_eq!(parse_running(SHOP, old), Ok(false));
        assert_eq!(parse_running("com.uixt.settings", old), Ok(true));
        assert!(parse_running(SHOP, "/system/bin/sh: pidof: not found\n").is_err());
    }

    #[test]
    fn the_app_in_front_is_found_on_every_version() {
        let main = "com.uixt.shop.MainActivity";
        for text in [
            "  mCurrentFocus=Window{f96644 u0 com.uixt.shop/com.uixt.shop.MainActivity}\n  mFocusedApp=null",
            "  mCurrentFocus=Window{f96644 u0 NotificationShade}\n  mFocusedApp=ActivityRecord{e9 u0 com.uixt.shop/.MainActivity} t12}",
            "  mCurrentFocus=null\n  mFocusedApp=AppWindowToken{1 token=Token{2 ActivityRecord{3 u10 com.uixt.shop/.MainActivity t56}}}",
            "  mCurrentFocus=Window{1 u0 PopupWindow:8f1}\n mFocusedApp=ActivityRecord{2 u0 com.uixt.shop/.MainActivity t9}",
            "    mResumedActivity: ActivityRecord{3 u0 com.uixt.shop/.MainActivity t7}",
            "    topResumedActivity=ActivityRecord{3 u0 com.uixt.shop/.MainActivity t7}",
        ] {
            let front = parse_front(text).unwrap();
            assert_eq!((front.package.as_str(), front.activity.as_str()), (SHOP, main), "{text}");
        }
        assert_eq!(parse_front("mCurrentFocus=null\nmFocusedApp=null"), None);
        assert_eq!(parse_front("  mCurrentFocus=Window{f9 u0 com.uixt.shop/com.uixt.sh"), None, "cut off");
        let hung = "mCurrentFocus=Window{f9 u0 Application Not Responding: com.uixt.shop}\nmFocusedApp=ActivityRecord{2 u0 com.uixt.shop/.Main t9}";
        let front = parse_front(hung).unwrap();
        assert_eq!(
            (front.package.as_str(), front.name.as_str()),
            ("android", "Application Not Responding: com.uixt.shop")
        );
        let app = "mFocusedApp=ActivityRecord{e9 u0 com.uixt.shop/.MainActivity} t12}";
        let locked = format!("  mCurrentFocus=Window{{f9 u0 NotificationShade}}\n  {app}\n  mIsShowing=true\n");
        assert_eq!(parse_front(&locked).unwrap().package, "com.android.systemui");
        let over_the_lock = format!("  mCurrentFocus=Window{{f9 u0 com.x/com.x.Call}}\n  {app}\n  mIsShowing=true\n");
        assert_eq!(parse_front(&over_the_lock).unwrap().package, "com.x");
    }

    #[test]
    fn packages_are_names() {
        let listed = "WARNING: linker: libx.so: unused DT entry\npackage:com.b\r\npackage:android\r\npackage:com.b\r\n";
        assert_eq!(parse_packages(listed).unwrap(), ["android", "com.b"]);
        assert_eq!(
            parse_packages("package:/data/app/x==/base.apk=com.x versionCode:1 uid:10001\n").unwrap(),
            ["com.x"]
        );
        for text in ["", "Can't find service: package\n", "package:/data/app/base.apk\n", "package:\n"] {
            assert!(parse_packages(text).is_err(), "{text}");
        }
    }

    #[test]
    fn names_of_apps_are_quoted() {
        let command =
            "pm path 'a;reboot'; pidof 'a;reboot'; am force-stop 'a;reboot'; echo uixt-ended; pidof 'a;reboot'";
        assert_eq!(stop_command("a;reboot"), command);
    }
}
