//! Settings → the commands of the DevTools protocol that make a fresh profile, and each of its pages, as they ask.

use serde_json::{Value, json};

use super::connection::Refusal;
use super::settings::{Settings, Viewport};
use super::tabs::WORLD;

type Command = (&'static str, Value);

/// Returns what a new profile is made with.
pub(super) fn context(settings: &Settings) -> Value {
    let mut params = json!({"disposeOnDetach": true});
    if let Some(proxy) = &settings.proxy {
        params["proxyServer"] = proxy.as_str().into();
        // Else what is on this computer would go around it.
        params["proxyBypassList"] = "<-loopback>".into();
    }
    params
}

/// Returns what a new profile is told before its first page.
pub(super) fn profile(settings: &Settings, context: Option<&str>) -> Vec<Command> {
    let mut downloads = match &settings.downloads {
        Some(folder) => {
            json!({"behavior": "allowAndName", "downloadPath": folder.to_string_lossy(), "eventsEnabled": true})
        }
        None => json!({"behavior": "deny"}),
    };
    let mut permissions = json!({"permissions": permissions(&settings.permissions)});
    if let Some(context) = context {
        downloads["browserContextId"] = context.into();
        permissions["browserContextId"] = context.into();
    }
    let mut commands = vec![("Browser.setDownloadBehavior", downloads)];
    if !settings.permissions.is_empty() {
        commands.push(("Browser.grantPermissions", permissions));
    }
    commands
}

/// Names of the Permissions API, and those of the DevTools protocol.
const PERMISSIONS: &[(&str, &str)] = &[
    ("clipboard-read", "clipboardReadWrite"),
    ("clipboard-write", "clipboardSanitizedWrite"),
    ("camera", "videoCapture"),
    ("microphone", "audioCapture"),
    ("background-sync", "backgroundSync"),
    ("midi-sysex", "midiSysex"),
    ("payment-handler", "paymentHandler"),
    ("storage-access", "storageAccess"),
    ("local-fonts", "localFonts"),
    ("accelerometer", "sensors"),
    ("gyroscope", "sensors"),
    ("magnetometer", "sensors"),
];

fn permissions(names: &[String]) -> Vec<String> {
    let known = |name: &String| PERMISSIONS.iter().find(|(known, _)| known == name).map(|(_, own)| (*own).to_owned());
    names.iter().map(|name| known(name).unwrap_or_else(|| name.clone())).collect()
}

/// Permissions that an error lists.
const USUAL: &str = "geolocation, notifications, camera, microphone, clipboard-read, clipboard-write, midi, storage-access, local-fonts";

/// Says that the browser does not take a setting: which key of the config it is, where one is meant.
pub(super) fn refused(method: &str, refusal: &Refusal) -> String {
    let (key, valid) = match method {
        "Target.createBrowserContext" => ("proxy", ""),
        "Browser.setDownloadBehavior" => ("downloads", ""),
        "Browser.grantPermissions" => ("permissions", USUAL),
        "Emulation.setTimezoneOverride" => ("timezone", "names of the IANA database, such as Europe/Berlin"),
        "Emulation.setLocaleOverride" => ("locale", "language tags, such as zh-CN"),
        "Emulation.setUserAgentOverride" => ("user_agent", ""),
        _ => return format!("the browser refused {method}: {refusal}"),
    };
    let valid = if valid.is_empty() { String::new() } else { format!("; it takes {valid}") };
    format!("the browser does not take `{key}` of the config's `browser`: {refusal}{valid}")
}

/// Returns how large a page is told that it and its screen are.
pub(super) fn metrics(view: &Viewport) -> Value {
    let mut metrics = json!({
        "width": view.width, "height": view.height, "deviceScaleFactor": view.scale, "mobile": view.mobile,
        "screenWidth": view.width, "screenHeight": view.height,
    });
    if view.mobile {
        metrics["screenOrientation"] = match view.width > view.height {
            true => json!({"type": "landscapePrimary", "angle": 90}),
            false => json!({"type": "portraitPrimary", "angle": 0}),
        };
    }
    metrics
}

/// Returns what has a browser attach to each of its pages, and those that come wait until they are prepared.
pub(super) fn attachment() -> Value {
    json!({"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true, "filter": [{"type": "page"}]})
}

/// Returns what each page is told before it begins; `version` is the browser's own, such as `Chrome/156.0.1.2`.
pub(super) fn page(settings: &Settings, version: &str, user_agent: &str) -> Vec<Command> {
    let view = &settings.viewport;
    let mut commands = vec![
        ("Page.enable", json!({})),
        ("Runtime.enable", json!({})),
        ("Log.enable", json!({})),
        // What requests bring is not kept: only that they came is told.
        ("Network.enable", json!({"maxTotalBufferSize": 0, "maxResourceBufferSize": 0})),
        // A chooser for files would stand there until somebody closes it.
        ("Page.setInterceptFileChooserDialog", json!({"enabled": true})),
        ("Emulation.setDeviceMetricsOverride", metrics(view)),
        ("Emulation.setFocusEmulationEnabled", json!({"enabled": true})),
        ("Page.addScriptToEvaluateOnNewDocument", json!({"source": "", "worldName": WORLD})),
    ];
    if view.mobile {
        commands.push(("Emulation.setTouchEmulationEnabled", json!({"enabled": true, "maxTouchPoints": 5})));
    }
    if view.mobile || view.user_agent.is_some() || settings.locale.is_some() {
        commands.push(("Emulation.setUserAgentOverride", agent(settings, version, user_agent)));
    }
    if let Some(locale) = &settings.locale {
        commands.push(("Emulation.setLocaleOverride", json!({"locale": locale})));
    }
    if let Some(timezone) = &settings.timezone {
        commands.push(("Emulation.setTimezoneOverride", json!({"timezoneId": timezone})));
    }
    if settings.insecure {
        commands.push(("Security.setIgnoreCertificateErrors", json!({"ignore": true})));
    }
    if settings.http_credentials.is_some() {
        commands.push(("Fetch.enable", json!({"handleAuthRequests": true, "patterns": [{"urlPattern": "*"}]})));
    }
    commands
}

fn agent(settings: &Settings, version: &str, user_agent: &str) -> Value {
    let view = &settings.viewport;
    let number = version.rsplit('/').next().unwrap_or_default();
    let major = number.split('.').next().unwrap_or_default();
    let own = match (&view.user_agent, view.mobile) {
        (Some(given), _) => given.clone(),
        (None, true) => format!(
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{major}.0.0.0 Mobile Safari/537.36"
        ),
        (None, false) => user_agent.to_owned(),
    };
    let mut params = json!({"userAgent": own});
    if let Some(locale) = &settings.locale {
        params["acceptLanguage"] = locale.as_str().into();
    }
    if view.mobile {
        params["userAgentMetadata"] = json!({
            "brands": [{"brand": "Chromium", "version": major}], "platform": "Android", "platformVersion": "10.0.0",
            "architecture": "", "model": "K", "mobile": true,
        });
    }
    params
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phone_says_that_it_is_one_and_an_ordinary_page_is_left_alone() {
        let told = |settings: &Settings| page(settings, "Chrome/156.0.1.2", "UA/1");
        let names = |settings: &Settings| told(settings).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert!(!names(&Settings::default()).contains(&"Emulation.setUserAgentOverride"));
        let phone = Settings {
            viewport: Viewport { mobile: true, ..Viewport::default() },
            locale: Some("zh-CN".into()),
            ..Settings::default()
        };
        let commands = told(&phone);
        let (_, agent) = commands.iter().find(|(name, _)| *name == "Emulation.setUserAgentOverride").expect("told");
        assert!(agent["userAgent"].as_str().is_some_and(|agent| agent.contains("Chrome/156.0.0.0 Mobile")));
        assert_eq!(agent["acceptLanguage"], "zh-CN");
        assert_eq!(permissions(&["geolocation".into(), "camera".into()]), ["geolocation", "videoCapture"]);
    }
}
