//! What a testcase's config says of its browser → settings of the driver; a wrong value is told with its place.

use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};

use super::spec::DeviceArgs;
use crate::cli::exit::Failure;
use crate::driver::browser::{Engine, Settings, Viewport};
use crate::testcase::{DeviceEntry, DeviceOption, Overrides, TestCase};

/// An option as the config has it, evaluated.
pub(super) struct Written {
    pub key: String,
    pub value: Value,
    /// `file:line:column`.
    pub place: String,
}

/// Smallest and largest side of a viewport, in CSS pixels.
const SIDES: (u64, u64) = (50, 10_000);

/// Largest number of pixels in one CSS pixel.
const LARGEST_SCALE: f64 = 10.0;

/// What is said of the browser beside the config.
#[derive(Clone, Debug, Default)]
pub(in crate::cli) struct Given {
    pub headed: bool,
    /// A WebDriver that runs already.
    pub webdriver_url: Option<String>,
    /// The one that the command line names, and the project where the config names none.
    pub engine: Option<Engine>,
    pub project: Option<Engine>,
}

impl Given {
    /// Takes what the command line says.
    pub(in crate::cli) fn of(devices: &DeviceArgs) -> Self {
        let engine = devices.device.as_ref().and_then(super::spec::Spec::engine);
        Self { headed: devices.ways.headed, webdriver_url: devices.ways.webdriver_url.clone(), engine, project: None }
    }
}

/// Reads what a case's config says of its browser, the first that it names.
pub(in crate::cli) fn of_case(case: &TestCase, overrides: &Overrides, given: &Given) -> Result<Settings, Failure> {
    of_entry(case, entries(case).next(), overrides, given)
}

/// Reads what a case's config says of one of its browsers.
pub(in crate::cli) fn of_entry(
    case: &TestCase,
    entry: Option<&DeviceEntry>,
    overrides: &Overrides,
    given: &Given,
) -> Result<Settings, Failure> {
    let mut written = Vec::new();
    for (option, place) in options(case, entry) {
        let value = case.scope(overrides).evaluate(&option.value);
        let value = value.map_err(|error| Failure::usage(format!("{place}: {error}")))?;
        if !value.is_null() {
            written.push(Written { key: option.key.clone(), value, place });
        }
    }
    // A wrong one of the project is told where it is used.
    let project = case.project.device.as_deref().and_then(|spec| spec.parse().ok());
    let project = project.and_then(|spec: super::spec::Spec| spec.engine());
    settings(written, &Given { project, ..given.clone() }, folder_of(case))
}

/// Says what is wrong with a case's browser as far as that is written down: what takes variables is seen when it runs.
pub(in crate::cli) fn check(case: &TestCase) -> Result<(), Failure> {
    let is_plain = |(option, place): (&DeviceOption, String)| {
        let value = option.value.clone();
        (!value.to_string().contains('$')).then(|| Written { key: option.key.clone(), value, place })
    };
    for entry in entries(case).take(1).chain(entries(case).skip(1).filter(|entry| entry.name.is_some())) {
        let given = options(case, Some(entry)).filter_map(is_plain).filter(|option| !option.value.is_null());
        settings(given.collect(), &Given::default(), folder_of(case))?;
    }
    Ok(())
}

fn entries(case: &TestCase) -> impl Iterator<Item = &DeviceEntry> {
    case.config.devices.iter().filter(|entry| entry.platform == "browser")
}

/// Returns the options of one of a case's browsers, and where they stand.
fn options<'a>(case: &'a TestCase, entry: Option<&'a DeviceEntry>) -> impl Iterator<Item = (&'a DeviceOption, String)> {
    let place = |option: &DeviceOption| format!("{}:{}:{}", case.file, option.place.line, option.place.column);
    entry.into_iter().flat_map(|entry| &entry.options).map(move |option| (option, place(option)))
}

/// Returns the folder that a testcase lies in.
pub(in crate::cli) fn folder_of(case: &TestCase) -> &Path {
    case.path.parent().unwrap_or(Path::new("."))
}

/// Reads the options; files are named from `folder`, the testcase's.
pub(super) fn settings(options: Vec<Written>, given: &Given, folder: &Path) -> Result<Settings, Failure> {
    let mut settings = Settings::default();
    settings.launch.headed = given.headed;
    // What the options say of programs tells which browser they mean, where nothing else does.
    let mut named = None;
    // A phone's page is as large as a phone where nobody says otherwise.
    let is_mobile = options.iter().any(|option| option.key == "mobile" && option.value == true);
    if is_mobile {
        settings.viewport = Viewport { width: 412, height: 915, mobile: true, ..Viewport::default() };
    }
    let for_webdriver = options.iter().find(|option| is_for_webdriver(option));
    let for_webdriver = for_webdriver.map(|option| format!("{}: `{}`", option.place, option.key));
    for option in options {
        let wrong = |wanted: String| Failure::usage(format!("{}: `{}` {wanted}", option.place, option.key));
        if option.key == "engine" {
            named = Some(engine(&option.value).map_err(wrong)?);
        }
        take(&mut settings, &option, given.headed, folder).map_err(wrong)?;
    }
    let launch = &mut settings.launch;
    let of_programs =
        || [&launch.driver, &launch.binary].into_iter().flatten().find_map(|path| Engine::of_program(path));
    launch.engine = given.engine.or(named).or_else(of_programs).or(given.project).unwrap_or_default();
    if let Some(url) = &given.webdriver_url {
        (launch.webdriver_url, launch.driver) = (Some(url.clone()), None);
    }
    if launch.webdriver_url.is_some() && launch.driver.is_some() {
        return Err(Failure::usage("`webdriver_url` and `driver` of the config's `browser` exclude each other"));
    }
    let has_webdriver = launch.webdriver_url.is_some() || launch.driver.is_some() || launch.engine != Engine::Chrome;
    if let Some(option) = for_webdriver.filter(|_| !has_webdriver) {
        return Err(Failure::usage(format!("{option} is for a WebDriver: write `webdriver_url` or `driver` as well")));
    }
    Ok(settings)
}

/// Takes one option; the error says what it must be.
fn take(settings: &mut Settings, option: &Written, headed: bool, folder: &Path) -> Result<(), String> {
    let (value, launch, view) = (&option.value, &mut settings.launch, &mut settings.viewport);
    let file = |value: &Value| text(value).map(|path| located(&path, folder));
    match option.key.as_str() {
        // The command line's word is the last.
        "headed" => launch.headed = headed || flag(value)?,
        "binary" => launch.binary = Some(file(value)?),
        "driver" => launch.driver = Some(file(value)?),
        "args" => launch.args = texts(value)?,
        "webdriver_url" => launch.webdriver_url = Some(text(value)?),
        "capabilities" => launch.capabilities = map(value)?,
        "protocol" => launch.plain_webdriver = protocol(value)?,
        "width" => view.width = side(value)?,
        "height" => view.height = side(value)?,
        "scale" => view.scale = scale(value)?,
        "mobile" => view.mobile = flag(value)?,
        "user_agent" => view.user_agent = Some(text(value)?),
        "locale" => settings.locale = Some(locale(value)?),
        "timezone" => settings.timezone = Some(text(value)?),
        "proxy" => settings.proxy = Some(proxy(value)?),
        "permissions" => settings.permissions = texts(value)?,
        "downloads" => settings.downloads = Some(inside(value, folder)?),
        "storage_state" => settings.storage_state = Some(beside(&text(value)?, folder)),
        "http_credentials" => settings.http_credentials = Some(credentials(value)?),
        "ignore_https_errors" => settings.insecure = flag(value)?,
        // Read elsewhere, or without an effect here, which is warned of.
        _ => {}
    }
    Ok(())
}

/// Returns a file beside the testcase, or below its project's folder, where `save_storage_state` writes, if it is there alone.
fn beside(path: &str, folder: &Path) -> PathBuf {
    let beside = folder.join(path);
    let of_project = || {
        let root = crate::testcase::marked_root(&std::path::absolute(folder).ok()?)?;
        Some(root.join(path)).filter(|file| file.exists())
    };
    if beside.exists() { beside } else { of_project().unwrap_or(beside) }
}

/// Reads a language tag. Source: RFC 5646.
fn locale(value: &Value) -> Result<String, String> {
    let tag = text(value)?;
    let mut parts = tag.split('-');
    let is_language = |part: &str| (2..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_part = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    match parts.next().is_some_and(is_language) && parts.all(is_part) {
        true => Ok(tag),
        false => Err(format!("is a language tag, such as zh-CN or en, not {tag}")),
    }
}

/// Tells whether only a WebDriver hears of an option.
fn is_for_webdriver(option: &Written) -> bool {
    option.key == "capabilities" || (option.key == "protocol" && option.value == "webdriver")
}

/// Schemes of proxies that browsers know.
const PROXIES: [&str; 5] = ["http", "https", "socks4", "socks5", "direct"];

fn proxy(value: &Value) -> Result<String, String> {
    let wrong = || "is http://HOST:PORT, https://…, socks4://…, socks5://HOST:PORT or direct://".to_owned();
    let text = text(value)?;
    let (scheme, host) = text.split_once("://").ok_or_else(wrong)?;
    match host {
        _ if !PROXIES.contains(&scheme) || (host.is_empty() && scheme != "direct") => Err(wrong()),
        _ if host.contains('@') => Err("holds no password: `http_credentials` answers a proxy that asks".to_owned()),
        _ if host.contains(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '=')) => Err(wrong()),
        _ => Ok(text),
    }
}

/// A bare name is looked for on the PATH.
fn located(path: &str, folder: &Path) -> PathBuf {
    if path.contains(['/', '\\']) { folder.join(path) } else { path.into() }
}

/// Returns a folder below the testcase's: what a page sends is written nowhere else.
fn inside(value: &Value, folder: &Path) -> Result<PathBuf, String> {
    let path = PathBuf::from(text(value)?);
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if is_inside { Ok(folder.join(path)) } else { Err("is a folder below the testcase's own".to_owned()) }
}

fn engine(value: &Value) -> Result<Engine, String> {
    let name = value.as_str().ok_or_else(|| format!("is chrome, firefox or webkit, not {value}"))?;
    name.parse().map_err(|_| format!("is chrome, firefox or webkit, not {name}"))
}

fn flag(value: &Value) -> Result<bool, String> {
    match value {
        Value::Bool(flag) => Ok(*flag),
        Value::String(text) if text == "true" || text == "false" => Ok(text == "true"),
        other => Err(format!("is true or false, not {other}")),
    }
}

fn text(value: &Value) -> Result<String, String> {
    value.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned).ok_or_else(|| "is a text".to_owned())
}

fn texts(value: &Value) -> Result<Vec<String>, String> {
    let wrong = || "is a list of texts".to_owned();
    let list = value.as_array().ok_or_else(wrong)?;
    list.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
}

fn map(value: &Value) -> Result<Map<String, Value>, String> {
    value.as_object().cloned().ok_or_else(|| "is a map".to_owned())
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn side(value: &Value) -> Result<u32, String> {
    let side = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
    let side = side.filter(|side| (SIDES.0..=SIDES.1).contains(side)).and_then(|side| u32::try_from(side).ok());
    side.ok_or_else(|| format!("is a number of CSS pixels, {} to {}, not {value}", SIDES.0, SIDES.1))
}

fn scale(value: &Value) -> Result<f64, String> {
    let scale = number(value).filter(|scale| *scale > 0.0 && *scale <= LARGEST_SCALE);
    scale.ok_or_else(|| format!("is a number above 0 and at most {LARGEST_SCALE}, not {value}"))
}

fn protocol(value: &Value) -> Result<bool, String> {
    match value.as_str() {
        Some("webdriver") => Ok(true),
        Some("devtools") => Ok(false),
        _ => Err(format!("is `devtools` or `webdriver`, not {value}")),
    }
}

fn credentials(value: &Value) -> Result<(String, String), String> {
    let part = |name: &str| value[name].as_str().map(str::to_owned);
    let both = part("username").zip(part("password"));
    both.ok_or_else(|| "is a map of `username` and `password`".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(options: &[(&str, Value)]) -> Result<Settings, String> {
        let written = |(key, value): &(&str, Value)| Written {
            key: (*key).to_owned(),
            value: value.clone(),
            place: "a.yaml:3:5".to_owned(),
        };
        let options = options.iter().map(written).collect();
        settings(options, &Given::default(), Path::new("/cases")).map_err(|failure| failure.to_string())
    }

    #[test]
    fn options_are_read_and_wrong_ones_told_with_their_place() {
        let read_well = read(&[
            ("width", json!(800)),
            ("height", json!("600")),
            ("binary", json!("bin/chrome")),
            ("driver", json!("chromedriver")),
            ("http_credentials", json!({"username": "a", "password": "b"})),
        ])
        .expect("settings");
        assert_eq!((read_well.viewport.width, read_well.viewport.height), (800, 600));
        assert_eq!(read_well.launch.binary, Some("/cases/bin/chrome".into()));
        assert_eq!(read_well.launch.driver, Some("chromedriver".into()));
        let remote =
            [("webdriver_url", json!("http://h")), ("protocol", json!("webdriver")), ("capabilities", json!({}))];
        assert!(read(&remote).is_ok_and(|settings| settings.launch.plain_webdriver));
        let phone = read(&[("mobile", json!(true)), ("width", json!(360))]).expect("settings");
        assert_eq!((phone.viewport.width, phone.viewport.height, phone.viewport.mobile), (360, 915, true));
        let engine = |options: &[(&str, Value)]| read(options).expect("settings").launch.engine;
        assert_eq!(engine(&[("engine", json!("webkit"))]), Engine::WebKit);
        assert_eq!(engine(&[("driver", json!("/opt/geckodriver"))]), Engine::Firefox);
        assert_eq!(engine(&[("binary", json!("firefox")), ("engine", json!("chrome"))]), Engine::Chrome);
        for (key, value) in [
            ("engine", json!("lynx")),
            ("width", json!(0)),
            ("headed", json!("yes")),
            ("args", json!("--x")),
            ("scale", json!(0)),
            ("protocol", json!("bidi")),
            ("http_credentials", json!("a:b")),
            ("proxy", json!("p:1")),
            ("proxy", json!("ftp://p:1")),
            ("proxy", json!("http://a:b@p:1")),
            ("proxy", json!("http://p:1;https=q")),
            ("protocol", json!("webdriver")),
            ("capabilities", json!({"a": 1})),
        ] {
            let told = read(&[(key, value)]).expect_err(key);
            assert!(told.contains("a.yaml:3:5") && told.contains(key), "{told}");
        }
    }
}
