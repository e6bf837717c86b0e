//! Settings → what a session of a WebDriver is asked for, each kind of browser in its own words.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::engine::Engine;
use super::settings::{Launch, Settings};
use super::webdriver::LOADING;
use super::{find, flags, proxy};
use crate::driver::Error;

/// Whose computer the browser is started on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Where<'a> {
    /// This one, with a private folder.
    Here(&'a Path),
    Elsewhere,
}

/// Writes what a session is asked for; what the user asks for wins.
pub(super) fn capabilities(settings: &Settings, place: Where) -> Result<Value, Error> {
    let own = &settings.launch.capabilities;
    let engine = Engine::of_session(&Value::Object(own.clone())).unwrap_or(settings.launch.engine);
    let loading = u64::try_from(LOADING.as_millis()).unwrap_or(u64::MAX);
    let mut asked = Map::new();
    if let Some(name) = engine.browser_name() {
        asked.insert("browserName".to_owned(), name.into());
    }
    asked.insert("acceptInsecureCerts".to_owned(), settings.insecure.into());
    asked.insert("unhandledPromptBehavior".to_owned(), "ignore".into());
    asked.insert("timeouts".to_owned(), json!({"pageLoad": loading, "script": loading, "implicit": 0}));
    if let Some(proxy) = &settings.proxy {
        asked.insert("proxy".to_owned(), proxy::capability(proxy, engine)?);
    }
    let options = match engine {
        Engine::Chrome => chrome(settings, place)?,
        Engine::Firefox => firefox(settings, place)?,
        Engine::WebKit => webkit(&settings.launch),
    };
    if options.as_object().is_some_and(|options| !options.is_empty()) {
        asked.insert(engine.options().to_owned(), options);
    }
    for (key, value) in own {
        merge(asked.entry(key.clone()).or_insert(Value::Null), value);
    }
    Ok(asked.into())
}

/// Puts what the user asks for over ours: maps key by key, and behind our arguments more of them.
fn merge(ours: &mut Value, given: &Value) {
    match (ours, given) {
        (Value::Object(ours), Value::Object(given)) => {
            for (key, value) in given {
                merge(ours.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (Value::Array(ours), Value::Array(given)) => ours.extend(given.iter().cloned()),
        (ours, given) => *ours = given.clone(),
    }
}

fn chrome(settings: &Settings, place: Where) -> Result<Value, Error> {
    let (launch, view) = (&settings.launch, &settings.viewport);
    let mut options = json!({});
    let mut args = match place {
        Where::Here(folder) => {
            let program = find::browser(launch.binary.as_deref())?;
            options["binary"] = program.to_string_lossy().into();
            let flags = flags::of(launch, folder, flags::is_root());
            let flags = flags.into_iter().map(|flag| flag.to_string_lossy().into_owned());
            // A shell that is given a profile opens no page, for which chromedriver waits a minute; it makes one in the same folder.
            flags.filter(|flag| !find::is_shell(&program) || !flag.starts_with("--user-data-dir=")).collect()
        }
        Where::Elsewhere => {
            set_binary(&mut options, launch);
            elsewhere(launch, "--headless=new")
        }
    };
    if view.mobile {
        let metrics = json!({"width": view.width, "height": view.height, "pixelRatio": view.scale, "touch": true});
        options["mobileEmulation"] = json!({"deviceMetrics": metrics});
    } else if is_scaled(settings) {
        args.push(format!("--force-device-scale-factor={}", view.scale));
    }
    options["args"] = args.into();
    Ok(options)
}

/// Tells whether a pixel is asked to be something else than what it usually is.
pub(super) fn is_scaled(settings: &Settings) -> bool {
    (settings.viewport.scale - 1.0).abs() > f64::EPSILON
}

/// What keeps Firefox to the pages it is told to show.
const QUIET: &[(&str, bool)] = &[
    ("app.normandy.enabled", false),
    ("browser.aboutwelcome.enabled", false),
    ("browser.shell.checkDefaultBrowser", false),
    ("datareporting.policy.dataSubmissionEnabled", false),
    ("datareporting.healthreport.uploadEnabled", false),
    ("network.captive-portal-service.enabled", false),
    ("network.connectivity-service.enabled", false),
    ("signon.rememberSignons", false),
    // What is on this computer would go around a proxy.
    ("network.proxy.allow_hijacking_localhost", true),
    ("general.smoothScroll", false),
];

fn firefox(settings: &Settings, place: Where) -> Result<Value, Error> {
    let (launch, view) = (&settings.launch, &settings.viewport);
    let mut options = json!({"args": elsewhere(launch, "-headless")});
    let mut prefs: Map<String, Value> =
        QUIET.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
    let mut prefer = |name: &str, value: Value| prefs.insert(name.to_owned(), value);
    match place {
        Where::Here(folder) => {
            options["binary"] = find::firefox(launch.binary.as_deref())?.to_string_lossy().into();
            // Where nobody asks for downloads they go with the profile.
            let downloads = settings.downloads.clone().unwrap_or_else(|| folder.join("downloads"));
            prefer("browser.download.folderList", 2.into());
            prefer("browser.download.dir", downloads.to_string_lossy().into());
        }
        Where::Elsewhere => set_binary(&mut options, launch),
    }
    if let Some(locale) = &settings.locale {
        prefer("intl.accept_languages", locale.as_str().into());
    }
    if let Some(agent) = &view.user_agent {
        prefer("general.useragent.override", agent.as_str().into());
    }
    if is_scaled(settings) {
        prefer("layout.css.devPixelsPerPx", view.scale.to_string().into());
    }
    options["prefs"] = prefs.into();
    Ok(options)
}

fn webkit(launch: &Launch) -> Value {
    let mut options = json!({});
    set_binary(&mut options, launch);
    if !launch.args.is_empty() || launch.binary.is_some() {
        // Its drivers know no browser but by both.
        options["args"] = elsewhere(launch, "--automation").into();
    }
    options
}

/// Names a program as the other computer knows it.
fn set_binary(options: &mut Value, launch: &Launch) {
    if let Some(binary) = &launch.binary {
        options["binary"] = binary.to_string_lossy().into();
    }
}

/// Returns the arguments of a browser of which nothing else is known; `unseen` is what it takes to have no window.
fn elsewhere(launch: &Launch, hidden: &str) -> Vec<String> {
    let is_unseen = !launch.headed || launch.engine == Engine::WebKit;
    is_unseen.then(|| hidden.to_owned()).into_iter().chain(launch.args.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(settings: &Settings) -> Value {
        capabilities(settings, Where::Elsewhere).expect("capabilities")
    }

    #[test]
    fn what_the_user_asks_for_wins() {
        let mut settings = Settings { proxy: Some("socks5://p:1".into()), ..Settings::default() };
        let asked = of(&settings);
        assert_eq!((&asked["browserName"], &asked["proxy"]["socksProxy"]), (&json!("chrome"), &json!("p:1")));
        let given =
            json!({"timeouts": {"pageLoad": 5}, "goog:chromeOptions": {"args": ["--mute-audio"]}, "se:name": "x"});
        settings.launch.capabilities = given.as_object().expect("a map").clone();
        let asked = of(&settings);
        assert_eq!(asked["goog:chromeOptions"]["args"], json!(["--headless=new", "--mute-audio"]));
        assert_eq!((&asked["timeouts"]["pageLoad"], &asked["timeouts"]["implicit"]), (&json!(5), &json!(0)));
        assert_eq!(asked["se:name"], "x");
        settings.launch.capabilities = Map::from_iter([("browserName".to_owned(), "firefox".into())]);
        let asked = of(&settings);
        assert_eq!(asked["browserName"], "firefox");
        assert!(asked["goog:chromeOptions"].is_null(), "{asked}");
        assert_eq!(asked["moz:firefoxOptions"]["args"], json!(["-headless"]));
    }

    #[test]
    fn each_browser_is_asked_in_its_own_words() {
        let mut settings = Settings { locale: Some("de".into()), ..Settings::default() };
        settings.viewport.scale = 2.0;
        settings.launch.engine = Engine::Firefox;
        let prefs = of(&settings)["moz:firefoxOptions"]["prefs"].take();
        assert_eq!((&prefs["intl.accept_languages"], &prefs["layout.css.devPixelsPerPx"]), (&json!("de"), &json!("2")));
        settings.launch.engine = Engine::WebKit;
        let asked = of(&settings);
        assert!(asked["browserName"].is_null() && asked["webkitgtk:browserOptions"].is_null(), "{asked}");
        settings.launch = Launch { headed: true, ..Launch::default() };
        assert_eq!(of(&settings)["goog:chromeOptions"]["args"], json!(["--force-device-scale-factor=2"]));
    }
}
