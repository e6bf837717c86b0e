//! A file of cookies and local storage → a fresh profile that begins with them, and a profile's → such a file's text.
//!
//! The format is Playwright's `storageState`: `{cookies: […], origins: [{origin, localStorage: [{name, value}]}]}`.

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::cdp::Cdp;
use super::way::{Way as _, World};
use crate::driver::Error;

/// Largest file that is read, in bytes.
const LARGEST: u64 = 32 << 20;

/// Most sites of a file whose local storage is filled.
const MOST: usize = 200;

const PATIENCE: Duration = Duration::from_secs(10);

/// Fills the local storage of the site that a page is of.
const FILL: &str =
    "(items) => { for (const { name, value } of items) localStorage.setItem(name, value); return true; }";

/// Reads the local storage of the site that the page in front is of.
const READ: &str = "() => { try { return { origin: location.origin, localStorage: Object.keys(localStorage).map((name) => \
                    ({ name, value: localStorage.getItem(name) })) }; } catch { return null; } }";

/// What a profile begins with.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct State {
    #[serde(default)]
    cookies: Vec<Map<String, Value>>,
    #[serde(default)]
    origins: Vec<Origin>,
}

#[derive(Clone, Debug, Deserialize)]
struct Origin {
    origin: String,
    #[serde(default, rename = "localStorage")]
    items: Vec<Value>,
}

impl State {
    /// Reads a file.
    pub(super) async fn read(path: &Path) -> Result<Self, Error> {
        let failed = |why: &str| Error::Device { message: format!("storage_state: {}: {why}", path.display()) };
        let size = tokio::fs::metadata(path).await.map_err(|error| failed(&error.to_string()))?.len();
        if size > LARGEST {
            return Err(failed(&format!("{size} bytes are too many")));
        }
        let text = tokio::fs::read_to_string(path).await.map_err(|error| failed(&error.to_string()))?;
        let state: Self = serde_json::from_str(&text).map_err(|error| failed(&error.to_string()))?;
        if state.origins.len() > MOST {
            return Err(failed(&format!("it holds {} sites; at most {MOST} are filled", state.origins.len())));
        }
        Ok(state)
    }

    /// Returns the sites that have to be visited, whose pages nobody is to be asked for meanwhile.
    pub(super) fn sites(&self) -> impl Iterator<Item = &str> {
        self.origins.iter().filter(|origin| !origin.items.is_empty()).map(|origin| origin.origin.trim_end_matches('/'))
    }

    /// Puts it into a profile whose page in front is empty and whose requests are all answered with an empty page.
    pub(super) async fn fill(&self, cdp: &Cdp) -> Result<(), Error> {
        let cookies: Vec<Value> = self.cookies.iter().cloned().map(cookie).collect();
        if !cookies.is_empty() {
            let mut params = json!({"cookies": cookies});
            params["browserContextId"] = cdp.context.clone().into();
            cdp.ask("Storage.setCookies", &params).await?;
        }
        for origin in self.origins.iter().filter(|origin| !origin.items.is_empty()) {
            cdp.open(&format!("{}/", origin.origin.trim_end_matches('/'))).await?;
            cdp.call(World::Own, FILL, &[origin.items.clone().into()], PATIENCE).await?;
        }
        Ok(())
    }
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

/// Returns a profile's cookies, and the local storage of the site in front.
pub(super) async fn of(cdp: &Cdp) -> Result<Value, Error> {
    let mut params = json!({});
    if let Some(context) = &cdp.context {
        params["browserContextId"] = context.as_str().into();
    }
    let mut cookies = cdp.ask("Storage.getCookies", &params).await?;
    let stored = cdp.call(World::Own, READ, &[], PATIENCE).await?;
    let origins: Vec<Value> = Some(stored).filter(Value::is_object).into_iter().collect();
    Ok(json!({"cookies": cookies["cookies"].take(), "origins": origins}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_written_as_the_browser_takes_it() {
        let given = json!({"name": "a", "value": "b", "domain": "x", "expires": -1, "partitionKey": null, "size": 3});
        let Value::Object(given) = given else { panic!("no map") };
        assert_eq!(cookie(given), json!({"name": "a", "value": "b", "domain": "x"}));
    }
}
