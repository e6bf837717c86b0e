//! Cookies of the page in front, and all that its profile has stored.

use std::time::{SystemTime, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use uixt_call::{Exposure, Lacking, Shape, ToolKind, Toolset, for_pages};
use uixt_locate::{Error, Kind};
use uixt_toolkit::pages::pages;
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[
    ActionTool::of::<GetCookies>(),
    ActionTool::of::<SetCookie>(),
    ActionTool::of::<ClearCookies>(),
    ActionTool::of::<SaveStorageState>(),
];

/// What a phone says to it.
const NONE: &str = "do anything with cookies: it shows no pages";

/// Return the cookies that the page would send.
#[derive(Deserialize, JsonSchema)]
struct GetCookies {
    /// Only this one.
    #[serde(default)]
    #[schemars(length(min = 1))]
    name: Option<String>,
}

impl Tool for GetCookies {
    const NAME: &'static str = "get_cookies";
    const SET: Option<Toolset> = None;
    const KIND: ToolKind = ToolKind::Read;
    const LACKING: &'static [Lacking] = &for_pages("it shows no pages, and has no cookies");
    const PARAMS: Shape = Shape::Fields(&["name"]);
    const EXPOSURE: Exposure = Exposure::Testcase;
    const MAIN: Option<&'static str> = Some("cookies");
    const READ_ONLY: bool = true;

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let cookies = pages(cx, NONE)?.cookies().await?;
        let is_asked = |cookie: &Value| self.name.as_deref().is_none_or(|name| cookie["name"] == name);
        let cookies: Vec<Value> = cookies.into_iter().filter(is_asked).collect();
        let value = match (&self.name, cookies.first()) {
            (Some(name), None) => {
                return Err(Error::new(Kind::NotFound, format!("the page has no cookie `{name}`")));
            }
            (Some(_), Some(cookie)) => cookie["value"].clone(),
            (None, _) => Value::Null,
        };
        let count = cookies.len();
        let reply = Reply::new(format!("{count} {}", noun(count))).with("count", count).with("cookies", cookies);
        Ok(if self.name.is_some() { reply.with("value", value) } else { reply })
    }
}

fn noun(count: usize) -> &'static str {
    if count == 1 { "cookie" } else { "cookies" }
}

/// Set a cookie, of the page's host by default.
#[derive(Deserialize, JsonSchema)]
struct SetCookie {
    /// Its name.
    #[schemars(length(min = 1, max = 4000))]
    name: String,
    /// What it holds.
    #[schemars(length(max = 4096))]
    value: String,
    /// Host that it is for.
    #[serde(default)]
    domain: Option<String>,
    /// Path that it is for; / by default.
    #[serde(default)]
    path: Option<String>,
    /// When it ends, in seconds since 1970; with the session by default.
    #[serde(default)]
    expires: Option<f64>,
    /// Hides it from scripts.
    #[serde(default)]
    http_only: bool,
    /// Only over https.
    #[serde(default)]
    secure: bool,
    /// Whether other sites may send it.
    #[serde(default)]
    same_site: Option<SameSite>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
enum SameSite {
    Strict,
    Lax,
    None,
}

impl SetCookie {
    /// Writes it as WebDriver does.
    fn written(&self) -> Map<String, Value> {
        let mut cookie = Map::new();
        cookie.insert("name".to_owned(), self.name.as_str().into());
        cookie.insert("value".to_owned(), self.value.as_str().into());
        cookie.insert("path".to_owned(), self.path.as_deref().unwrap_or("/").into());
        cookie.insert("httpOnly".to_owned(), self.http_only.into());
        cookie.insert("secure".to_owned(), self.secure.into());
        if let Some(domain) = &self.domain {
            cookie.insert("domain".to_owned(), domain.as_str().into());
        }
        if let Some(expires) = self.expires {
            cookie.insert("expiry".to_owned(), whole(expires).into());
        }
        if let Some(same_site) = self.same_site {
            let word = match same_site {
                SameSite::Strict => "Strict",
                SameSite::Lax => "Lax",
                SameSite::None => "None",
            };
            cookie.insert("sameSite".to_owned(), word.into());
        }
        cookie
    }
}

#[expect(clippy::cast_possible_truncation, reason = "seconds of any year that matters are small numbers")]
fn whole(seconds: f64) -> i64 {
    seconds as i64
}

impl Tool for SetCookie {
    const NAME: &'static str = "set_cookie";
    const SET: Option<Toolset> = None;
    const KIND: ToolKind = ToolKind::Setup;
    const LACKING: &'static [Lacking] = &for_pages("it shows no pages, and has no cookies");
    const SECRETS: &'static [&'static str] = &["value"];
    const PARAMS: Shape = Shape::Fields(&["name", "value"]);
    const EXPOSURE: Exposure = Exposure::Testcase;
    const IDEMPOTENT: bool = true;

    fn check(&self) -> Result<(), String> {
        let path = self.path.as_deref().unwrap_or("/");
        if !path.starts_with('/') {
            return Err(format!("`path` begins with /: /{path}"));
        }
        let is_ending = |sign: char| sign == ';' || sign.is_control();
        if self.name.contains(|sign| sign == '=' || is_ending(sign)) {
            return Err("`name` holds neither =, ; nor control characters".to_owned());
        }
        if self.value.contains(is_ending) {
            return Err("`value` holds neither ; nor control characters: encode them, such as %3B for ;".to_owned());
        }
        let begins =
            |prefix: &str| self.name.get(..prefix.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(prefix));
        if begins("__Host-") && (!self.secure || path != "/" || self.domain.is_some()) {
            return Err(
                "a cookie whose name begins with __Host- has `secure: true`, the path / and no `domain`".to_owned()
            );
        }
        match begins("__Secure-") && !self.secure {
            true => Err("a cookie whose name begins with __Secure- has `secure: true`".to_owned()),
            false => Ok(()),
        }
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        if let Some(past) = self.expires.filter(|expires| *expires <= now) {
            let message = format!(
                "`expires` has passed ({past}; now it is {now:.0}): the cookie would end at once. `clear_cookies` removes one"
            );
            return Err(Error::new(Kind::BadArgument, message));
        }
        pages(cx, NONE)?.set_cookie(self.written()).await?;
        Ok(Reply::new(format!("Set the cookie {}", self.name)).with("name", self.name))
    }
}

/// Remove the cookies that the page would send, or only one.
#[derive(Deserialize, JsonSchema)]
struct ClearCookies {
    /// Only this one.
    #[serde(default)]
    #[schemars(length(min = 1))]
    name: Option<String>,
}

impl Tool for ClearCookies {
    const NAME: &'static str = "clear_cookies";
    const SET: Option<Toolset> = Some(Toolset::Web);
    const KIND: ToolKind = ToolKind::Setup;
    const LACKING: &'static [Lacking] = &for_pages("it shows no pages, and has no cookies");
    const PARAMS: Shape = Shape::Fields(&["name"]);
    const IDEMPOTENT: bool = true;
    const MAIN: Option<&'static str> = Some("count");
    const ANSWER: &'static [&'static str] = &["count"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let count = pages(cx, NONE)?.remove_cookies(self.name.as_deref()).await?;
        Ok(Reply::new(format!("Removed {count} {}", noun(count))).with("count", count))
    }
}

/// Write cookies and local storage to a file, which a config's `storage_state` begins with.
#[derive(Deserialize, JsonSchema)]
struct SaveStorageState {
    /// Path below the project's folder; default: the report's folder.
    #[serde(default)]
    path: Option<String>,
}

impl Tool for SaveStorageState {
    const NAME: &'static str = "save_storage_state";
    const SET: Option<Toolset> = None;
    const KIND: ToolKind = ToolKind::Setup;
    const LACKING: &'static [Lacking] = &for_pages("it shows no pages, and has no cookies");
    const PARAMS: Shape = Shape::Fields(&["path"]);
    const EXPOSURE: Exposure = Exposure::Testcase;
    const MAIN: Option<&'static str> = Some("path");

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let state = cx.driver()?.storage_state().await?;
        let path =
            cx.session.files().output(self.path.as_deref(), "storage_state.json").map_err(Error::bad_argument)?;
        let text = serde_json::to_string_pretty(&state).unwrap_or_default();
        tokio::fs::write(&path, text)
            .await
            .map_err(|error| Error::new(Kind::BadArgument, format!("cannot write {}: {error}", path.display())))?;
        let count = |key: &str| state[key].as_array().map_or(0, Vec::len);
        let cookies = count("cookies");
        Ok(Reply::new(format!("Wrote {cookies} {} to {}", noun(cookies), path.display()))
            .with("path", path.display().to_string())
            .with("count", cookies)
            .with("origins", json!(count("origins"))))
    }
}
