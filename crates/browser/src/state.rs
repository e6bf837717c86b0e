//! A file of cookies and local storage → a fresh profile that begins with them, and a profile's → such a file's text.
//!
//! The format is Playwright's `storageState`: `{cookies: […], origins: [{origin, localStorage: [{name, value}]}]}`.

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::backend::{Backend as _, World};
use super::cdp::Cdp;
use super::web::Web as _;
use crate::driver::Error;

/// Largest file that is read, in bytes.
const LARGEST: u64 = 32 << 20;

/// Most sites of a file whose local storage is filled.
const MAX: usize = 200;

const TIMEOUT: Duration = Duration::from_secs(10);

/// Fills the local storage of the site that a page is of.
const FILL: &str =
    "(items) => { for (const { name, value } of items) localStorage.setItem(name, value); return true; }";

/// Reads the local storage of the site that the page in front is of; none where it has none, as `about:blank`.
const READ: &str = "() => { try { return { origin: location.origin, localStorage: Object.keys(localStorage).map((name) => \
                    ({ name, value: localStorage.getItem(name) })) }; } catch { return null; } }";

/// What a profile begins with.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct State {
    #[serde(default)]
    cookies: Vec<Map<String, Value>>,
    #[serde(default)]
    origins: Vec<Site>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Site {
    origin: String,
    #[serde(default, rename = "localStorage")]
    items: Vec<Value>,
    /// Databases, which are not filled.
    #[serde(default, rename = "indexedDB")]
    databases: Vec<Value>,
}

impl State {
    /// Reads a file.
    pub(super) async fn read(path: &Path) -> Result<Self, Error> {
        let failed = |why: &str| Error::Device { message: format!("storage_state: {}: {why}", path.display()) };
        let size = tokio::fs::metadata(path).await.map_err(|error| failed(&unread(&error)))?.len();
        if size > LARGEST {
            return Err(failed(&format!("{size} bytes are too many")));
        }
        let text = tokio::fs::read_to_string(path).await.map_err(|error| failed(&error.to_string()))?;
        let state: Self = serde_json::from_str(&text).map_err(|error| failed(&error.to_string()))?;
        if let Some(origin) = state.origins.iter().find(|origin| !origin.databases.is_empty()) {
            return Err(failed(&format!("{}: `indexedDB` is not filled: take it out", origin.origin)));
        }
        if state.origins.len() > MAX {
            return Err(failed(&format!("it holds {} sites; at most {MAX} are filled", state.origins.len())));
        }
        Ok(state)
    }

    /// Puts it into a profile.
    pub(super) async fn fill(&self, cdp: &Cdp) -> Result<(), Error> {
        let cookies: Vec<Value> = self.cookies.iter().cloned().map(cookie).collect();
        if !cookies.is_empty() {
            cdp.ask("Storage.setCookies", &of_profile(cdp, json!({"cookies": cookies}))).await?;
        }
        let origins: Vec<&Site> = self.origins.iter().filter(|origin| !origin.items.is_empty()).collect();
        if origins.is_empty() {
            return Ok(());
        }
        let sites: Vec<&str> = origins.iter().map(|origin| origin.origin.trim_end_matches('/')).collect();
        begin_aside(cdp, &sites).await?;
        let filled = fill_each(cdp, &origins).await;
        cdp.close_tab().await?;
        filled
    }
}

/// Says why a file was not read, and where it is looked for.
fn unread(error: &std::io::Error) -> String {
    let hint = match error.kind() {
        std::io::ErrorKind::NotFound => {
            "; a relative path is one from the testcase's folder, or from the project's, where `save_storage_state` writes"
        }
        _ => "",
    };
    format!("{error}{hint}")
}

async fn fill_each(cdp: &Cdp, origins: &[&Site]) -> Result<(), Error> {
    for origin in origins {
        cdp.open(&format!("{}/", origin.origin.trim_end_matches('/'))).await?;
        cdp.call(World::Own, FILL, &[origin.items.clone().into()], TIMEOUT).await?;
    }
    Ok(())
}

/// Opens a tab in front in which the pages of these sites are empty ones: no request is sent, and none of their scripts runs.
async fn begin_aside(cdp: &Cdp, sites: &[&str]) -> Result<(), Error> {
    cdp.open_tab().await?;
    let tab = cdp.tab()?;
    cdp.tabs.change(&tab.session, |tab| tab.is_alone = true);
    cdp.tell("Network.setBypassServiceWorker", &json!({"bypass": true})).await?;
    let patterns: Vec<Value> = sites.iter().map(|site| json!({"urlPattern": format!("{site}/*")})).collect();
    cdp.tell("Fetch.enable", &json!({"patterns": patterns})).await.map(drop)
}

/// Says which profile a command is for, where the browser has several.
fn of_profile(cdp: &Cdp, mut params: Value) -> Value {
    if let Some(context) = &cdp.context {
        params["browserContextId"] = context.as_str().into();
    }
    params
}

/// What the protocol knows of a cookie that is set.
const KNOWN: &[&str] = &["name", "value", "url", "domain", "path", "expires", "httpOnly", "secure", "sameSite"];

/// Returns a cookie as the DevTools protocol takes it.
fn cookie(mut cookie: Map<String, Value>) -> Value {
    // It has no other word for a cookie that ends with the session.
    if cookie.get("expires").and_then(Value::as_f64).is_none_or(|expires| expires < 0.0) {
        cookie.remove("expires");
    }
    cookie.retain(|key, value| KNOWN.contains(&key.as_str()) && !value.is_null());
    cookie.into()
}

/// Returns a cookie as Playwright writes it.
fn written(cookie: &Value) -> Value {
    let mut kept = Map::new();
    for key in KNOWN.iter().filter(|key| **key != "url") {
        if let Some(value) = cookie.get(key) {
            kept.insert((*key).to_owned(), value.clone());
        }
    }
    kept.entry("sameSite").or_insert_with(|| "Lax".into());
    kept.into()
}

/// Returns a profile's cookies, and the local storage of each site that was visited and has any.
pub(super) async fn of(cdp: &Cdp) -> Result<Value, Error> {
    let told = cdp.ask("Storage.getCookies", &of_profile(cdp, json!({}))).await?;
    let cookies: Vec<Value> = told["cookies"].as_array().into_iter().flatten().map(written).collect();
    // What the page in front has written last is known to itself first.
    let front = cdp.call(World::Own, READ, &[], TIMEOUT).await?;
    let here = front["origin"].as_str().unwrap_or_default().to_owned();
    let others: Vec<String> = cdp.tabs.visited().iter().filter(|site| **site != here).cloned().collect();
    let mut origins = vec![front];
    if !others.is_empty() {
        begin_aside(cdp, &others.iter().map(String::as_str).collect::<Vec<_>>()).await?;
        let read = read_each(cdp, &others).await;
        cdp.close_tab().await?;
        origins.extend(read?);
    }
    origins.retain(|origin| origin["localStorage"].as_array().is_some_and(|items| !items.is_empty()));
    Ok(json!({"cookies": cookies, "origins": origins}))
}

async fn read_each(cdp: &Cdp, sites: &[String]) -> Result<Vec<Value>, Error> {
    let mut read = Vec::with_capacity(sites.len());
    for site in sites {
        cdp.open(&format!("{site}/")).await?;
        read.push(cdp.call(World::Own, READ, &[], TIMEOUT).await?);
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_written_as_the_browser_takes_it() {
        let given = json!({"name": "a", "value": "b", "domain": "x", "expires": -1, "partitionKey": null, "size": 3});
        let Value::Object(given) = given else { panic!("no map") };
        let written_down = written(&given.clone().into());
        assert_eq!(written_down, json!({"name": "a", "value": "b", "domain": "x", "expires": -1, "sameSite": "Lax"}));
        assert_eq!(cookie(given), json!({"name": "a", "value": "b", "domain": "x"}));
    }
}
