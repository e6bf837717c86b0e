//! Apps by `bm` and `aa`: how they are found, started and ended, and what those say of it.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::answer::failed;
use crate::driver::{AppInfo, Driver as _, Error, Install, quote};
use crate::phone::Phone;
use crate::shell::{Line, Shell};
use crate::{answer, files, unsupported};

/// How long an app may take to come to the front, or its processes to go.
const COMING: Duration = Duration::from_secs(10);
const DYING: Duration = Duration::from_secs(10);
/// How long a link may take to bring another app to the front.
const LINK: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(100);
/// How long an app may take to be installed.
const INSTALLING: Duration = Duration::from_mins(3);
/// What marks the ability that an icon on the home screen starts.
const HOME_ACTIONS: [&str; 2] = ["action.system.home", "ohos.want.action.home"];
const HOME_ENTITY: &str = "entity.system.home";

/// Asks what is known of an app; what is not installed is an error.
async fn bundle(shell: &Shell, package: &str) -> Result<Value, Error> {
    let said = shell.look("bm dump", &format!("bm dump -n {}", quote(package))).await?;
    of_bundle(package, &said)
}

/// Reads `NAME:` and JSON behind it.
fn of_bundle(package: &str, said: &str) -> Result<Value, Error> {
    let json = said.find('{').zip(said.rfind('}')).filter(|(from, to)| from < to).map(|(from, to)| &said[from..=to]);
    match json.map(serde_json::from_str) {
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) => Err(failed("bm dump", &format!("it tells no JSON: {error}"))),
        None if said.contains("failed to get information") => {
            Err(Error::NotFound { what: format!("the app {package}") })
        }
        None => Err(failed("bm dump", said)),
    }
}

/// Returns the ability that starts an app, and its module.
fn launcher(bundle: &Value) -> Option<(&str, &str)> {
    let has = |list: &Value, words: &[&str]| {
        list.as_array().is_some_and(|all| all.iter().any(|one| one.as_str().is_some_and(|one| words.contains(&one))))
    };
    let modules = || bundle["hapModuleInfos"].as_array().map(Vec::as_slice).unwrap_or_default().iter();
    for module in modules() {
        for ability in module["abilityInfos"].as_array().map(Vec::as_slice).unwrap_or_default() {
            let is_home =
                |skill: &Value| has(&skill["actions"], &HOME_ACTIONS) && has(&skill["entities"], &[HOME_ENTITY]);
            if ability["skills"].as_array().is_some_and(|skills| skills.iter().any(is_home)) {
                let of = ability["moduleName"].as_str().or_else(|| module["moduleName"].as_str());
                return Some((ability["name"].as_str()?, of.unwrap_or_default()));
            }
        }
    }
    let entry = bundle["entryModuleName"].as_str().or_else(|| bundle["mainEntry"].as_str()).unwrap_or_default();
    let is_entry = |module: &&Value| module["moduleName"] == entry || module["moduleType"] == 1;
    let module = modules().find(is_entry)?;
    let mut named = ["mainElementName", "mainAbility"].into_iter().filter_map(|key| module[key].as_str());
    let ability = named.find(|name| !name.is_empty())?;
    Some((ability, module["moduleName"].as_str().unwrap_or_default()))
}

/// Starts an app or brings it to the front, and waits until it is there.
pub(crate) async fn launch(phone: &Phone, package: &str) -> Result<(), Error> {
    let shell = &phone.shell;
    let bundle = bundle(shell, package).await?;
    let none = || failed("bm dump", &format!("{package} has no ability that starts it: it is no app with an icon"));
    let (ability, module) = launcher(&bundle).ok_or_else(none)?;
    let module = if module.is_empty() { String::new() } else { format!(" -m {}", quote(module)) };
    let line = format!("aa start -a {} -b {}{module}", quote(ability), quote(package));
    started(&shell.act("aa start", &line).await?)?;
    let fronts = wait_for_front(phone, COMING, &|front| front == package).await?;
    if fronts.iter().any(|front| front == package) {
        return Ok(());
    }
    let why = match is_running(shell, package).await? {
        true => format!(
            "{} is in front, {} s after {package} was started: does that ask something?",
            fronts.join(", "),
            COMING.as_secs()
        ),
        false => format!("{package} was started and does not run any more: it crashed, or ended by itself"),
    };
    Err(failed("aa start", &why))
}

/// Judges the answer of `aa start`.
pub(crate) fn started(said: &str) -> Result<(), Error> {
    let lower = said.to_lowercase();
    match () {
        () if lower.contains("start ability successfully") => Ok(()),
        () if lower.contains("locked") || lower.contains("10106102") => Err(Error::Device {
            message: format!("the phone is locked, and starts no app: `unlock` before ({})", answer::beginning(said)),
        }),
        () => Err(failed("aa start", said)),
    }
}

/// Returns the apps in front, once a test holds for one or the time is over.
async fn wait_for_front(
    phone: &Phone,
    limit: Duration,
    test: &(dyn Fn(&str) -> bool + Sync),
) -> Result<Vec<String>, Error> {
    let began = Instant::now();
    loop {
        let fronts = fronts(phone).await?;
        if fronts.iter().any(|front| test(front)) || began.elapsed() > limit {
            return Ok(fronts);
        }
        sleep(PAUSE).await;
    }
}

/// Returns the apps in front as the mission list tells them; where it tells of none, as the screen does.
async fn fronts(phone: &Phone) -> Result<Vec<String>, Error> {
    let told = in_front(&phone.shell.look("aa dump", "aa dump -l").await?);
    if told.is_empty() { Ok(vec![phone.foreground().await?.package]) } else { Ok(told) }
}

/// Reads the bundles of the blocks whose state is `#FOREGROUND`: on a screen that is split, there are several.
fn in_front(said: &str) -> Vec<String> {
    let (mut fronts, mut bundle) = (Vec::new(), None);
    for line in said.lines().map(str::trim_start) {
        if line.starts_with("Mission ID") {
            bundle = None;
        } else if let Some(rest) = line.strip_prefix("bundle name [") {
            bundle = rest.split(']').next();
        } else if line.starts_with("state #FOREGROUND") {
            fronts.extend(bundle.map(str::to_owned));
        }
    }
    fronts
}

/// Ends an app; tells whether it was running.
pub(crate) async fn terminate(shell: &Shell, package: &str) -> Result<bool, Error> {
    let name = quote(package);
    let line = format!("echo before=$(pidof {name}); aa force-stop {name}");
    let said = shell.act("aa force-stop", &line).await?;
    let was_running =
        said.lines().any(|line| line.trim().strip_prefix("before=").is_some_and(|pids| !pids.trim().is_empty()));
    if !was_running {
        // What is not installed was misspelt.
        return bundle(shell, package).await.map(|_| false);
    }
    let began = Instant::now();
    while has_process(shell, package).await? {
        if began.elapsed() > DYING {
            return Err(failed("aa force-stop", &format!("{package} still runs after {} s: {said}", DYING.as_secs())));
        }
        sleep(PAUSE).await;
    }
    Ok(true)
}

async fn has_process(shell: &Shell, package: &str) -> Result<bool, Error> {
    let said = shell.look("pidof", &format!("pidof {}", quote(package))).await?;
    Ok(said.split_whitespace().any(|word| word.bytes().all(|byte| byte.is_ascii_digit())))
}

pub(crate) async fn is_running(shell: &Shell, package: &str) -> Result<bool, Error> {
    has_process(shell, package).await
}

/// Opens a link; returns the app that is in front then.
pub(crate) async fn open_url(phone: &Phone, url: &str, package: Option<&str>) -> Result<Option<String>, Error> {
    let before = fronts(phone).await?;
    let app = package.map(|package| format!(" -b {}", quote(package))).unwrap_or_default();
    let line = format!("aa start -U {}{app}", quote(url));
    started(&phone.shell.act("aa start", &line).await?)?;
    let test = |front: &str| match package {
        Some(package) => front == package,
        None => before.iter().all(|before| before != front),
    };
    let mut fronts = wait_for_front(phone, LINK, &test).await?;
    let at = fronts.iter().position(|front| test(front)).unwrap_or_default();
    Ok((at < fronts.len()).then(|| fronts.swap_remove(at)))
}

pub(crate) async fn packages(shell: &Shell) -> Result<Vec<String>, Error> {
    let said = shell.look("bm dump", "bm dump -a").await?;
    let is_name = |word: &&str| word.contains('.') && !word.contains(char::is_whitespace) && !word.ends_with(':');
    let mut names: Vec<String> = said.lines().map(str::trim).filter(is_name).map(str::to_owned).collect();
    if names.is_empty() {
        return Err(failed("bm dump", &said));
    }
    names.sort();
    names.dedup();
    Ok(names)
}

pub(crate) async fn info(shell: &Shell, package: &str) -> Result<AppInfo, Error> {
    let bundle = bundle(shell, package).await?;
    let app = &bundle["applicationInfo"];
    let number =
        |key: &str| app[key].as_u64().and_then(|number| u32::try_from(number).ok()).map(|number| number % 1000);
    Ok(AppInfo {
        version_name: app["versionName"]
            .as_str()
            .or_else(|| bundle["versionName"].as_str())
            .unwrap_or_default()
            .to_owned(),
        version_code: app["versionCode"].as_u64().or_else(|| bundle["versionCode"].as_u64()),
        min_sdk: number("apiCompatibleVersion"),
        target_sdk: number("apiTargetVersion"),
        path: app["codePath"].as_str().unwrap_or_default().to_owned(),
        system: app["isSystemApp"] == true || app["removable"] == false,
        ..AppInfo::default()
    })
}

/// Installs a HAP of the host.
pub(crate) async fn install(shell: &Shell, file: &Path, how: Install) -> Result<(), Error> {
    match how {
        Install { downgrade: true, .. } => return Err(unsupported::error(unsupported::DOWNGRADE)),
        Install { grant: true, .. } => return Err(unsupported::error(unsupported::GRANT)),
        _ => {}
    }
    let remote = files::temporary(".hap");
    let pushed = files::push(shell, file, &remote).await;
    let line = format!("bm install -p {remote}{}", if how.replace { " -r" } else { "" });
    let said = match pushed {
        Ok(_) => shell.run(Line::act("bm install", &line).within(INSTALLING)).await,
        Err(error) => Err(error),
    };
    files::remove(shell, &remote).await;
    judged("bm install", "install bundle successfully", &answer::text(&said?))
}

pub(crate) async fn uninstall(shell: &Shell, package: &str) -> Result<(), Error> {
    let said = shell.act("bm uninstall", &format!("bm uninstall -n {}", quote(package))).await?;
    let done = judged("bm uninstall", "uninstall bundle successfully", &said);
    if done.is_err() {
        // What is not there is told as such.
        bundle(shell, package).await?;
    }
    done
}

pub(crate) async fn clear(shell: &Shell, package: &str) -> Result<(), Error> {
    terminate(shell, package).await?;
    let name = quote(package);
    let said = shell.act("bm clean", &format!("bm clean -n {name} -c; bm clean -n {name} -d")).await?;
    judged("bm clean", "clean bundle data files successfully", &said)
}

fn judged(what: &str, done: &str, said: &str) -> Result<(), Error> {
    if said.contains(done) { Ok(()) } else { Err(failed(what, said)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUNDLE: &str = r#"com.x.shop:
{"mainEntry":"entry","entryModuleName":"entry","applicationInfo":{"versionName":"1.2","versionCode":7},"hapModuleInfos":[
 {"moduleName":"feature","moduleType":2,"mainElementName":"Wrong","abilityInfos":[]},
 {"moduleName":"entry","moduleType":1,"mainElementName":"Main","abilityInfos":[{"name":"Other","skills":[{"actions":["a"],"entities":["entity.system.home"]}]},
  {"name":"EntryAbility","moduleName":"entry","skills":[{"actions":["ohos.want.action.home"],"entities":["entity.system.home"]}]}]}]}
"#;

    #[test]
    fn the_ability_with_an_icon_starts_an_app_or_else_the_main_one() {
        let bundle = of_bundle("com.x.shop", BUNDLE).unwrap();
        assert_eq!(launcher(&bundle), Some(("EntryAbility", "entry")));
        let plain = of_bundle("com.x.shop", &BUNDLE.replace("ohos.want.action.home", "b")).unwrap();
        assert_eq!(launcher(&plain), Some(("Main", "entry")));
        let absent = of_bundle("com.y", "error: failed to get information and the parameters may be wrong.\n");
        assert!(matches!(absent, Err(Error::NotFound { .. })), "{absent:?}");
        for other in ["error: permission denied", ""] {
            assert!(matches!(of_bundle("com.y", other), Err(Error::Device { .. })), "{other}");
        }
        assert!(matches!(of_bundle("com.y", "com.y:\n{\"a\": \n}"), Err(Error::Device { .. })));
    }

    #[test]
    fn a_start_is_judged_by_its_words() {
        assert_eq!(started("start ability successfully.\n"), Ok(()));
        let locked =
            started("error: failed to start ability.\nError Code:10106102  Error Message:The device screen is locked")
                .unwrap_err();
        assert!(locked.to_string().starts_with("the phone is locked"), "{locked}");
        let error = started(
            "error: failed to start ability.\nError Code:10104001  Error Message:The specified ability does not exist\n",
        );
        assert!(error.unwrap_err().to_string().contains("does not exist"));
    }

    #[test]
    fn the_apps_in_front_are_those_of_the_missions_in_front() {
        let mission = |bundle: &str, state: &str| {
            format!(
                "    Mission ID #3  mission name #[#x:entry:A]\n      AbilityRecord ID #5\n        app name [x]\n        main name [A]\n        bundle name [{bundle}]\n        ability type [PAGE]\n        {state}\n"
            )
        };
        // An app may live on while none of its windows is seen.
        let behind = mission("com.a", "state #BACKGROUND  start time [1]\n        app state #FOREGROUND");
        let front = mission("com.b", "state #FOREGROUND  start time [2]\n        app state #FOREGROUND");
        let beside = mission("com.c", "state #FOREGROUND  start time [3]");
        assert_eq!(in_front(&format!("User ID #100\n{behind}{front}{beside}")), ["com.b", "com.c"]);
        assert!(in_front(&behind).is_empty() && in_front("nothing").is_empty());
    }
}
