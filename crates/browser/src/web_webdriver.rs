//! Tabs, a mouse, cookies, files and pictures of parts, by W3C WebDriver.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use super::PLATFORM;
use super::backend::{Backend as _, World};
use super::cdp::decoded;
use super::engine::Engine;
use super::keyboard::{MODIFIERS, modifiers};
use super::web::{EXTENT, Found, LARGEST_SIDE, Web, no_file_field, no_tab, too_large};
use super::webdriver::{WebDriver, moved};
use crate::driver::pages::{Answered, Download, Mouse, Part, Tab, Traffic};
use crate::driver::{Error, Point};

const TIMEOUT: Duration = Duration::from_secs(30);

/// The key of an element's id (section 12.2).
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

fn unsupported(operation: &str) -> Error {
    Error::Unsupported { driver: PLATFORM, operation: operation.to_owned() }
}

impl WebDriver {
    async fn handles(&self) -> Result<Vec<String>, Error> {
        let handles = self.session.get("window/handles").await?;
        let now: Vec<&str> = handles.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut seen = self.seen.lock();
        seen.retain(|handle| now.contains(&handle.as_str()));
        let new: Vec<String> =
            now.into_iter().filter(|handle| seen.iter().all(|it| it != handle)).map(Into::into).collect();
        seen.extend(new);
        Ok(seen.clone())
    }

    async fn switch(&self, handle: &str) -> Result<(), Error> {
        self.session.post("window", &json!({"handle": handle})).await?;
        // A bar of tabs takes its part of each.
        if self.engine == Engine::WebKit { self.fit(&self.view).await } else { Ok(()) }
    }

    async fn handle_at(&self, index: usize) -> Result<(String, Vec<String>), Error> {
        let handles = self.handles().await?;
        let handle = handles.get(index).cloned().ok_or_else(|| no_tab(index, handles.len()))?;
        Ok((handle, handles))
    }

    async fn front(&self) -> Option<String> {
        self.session.get("window").await.ok()?.as_str().map(str::to_owned)
    }

    /// Returns the id of an element in the page or the frame that was entered.
    async fn element(&self, found: Found<'_>) -> Result<Option<String>, Error> {
        let script = format!("return ({}).apply(null, arguments)", found.function);
        let answer = self.run_here(&script, found.arguments, TIMEOUT).await?;
        Ok(answer[ELEMENT].as_str().map(str::to_owned))
    }
}

#[async_trait]
impl Web for WebDriver {
    async fn tabs(&self) -> Result<Vec<Tab>, Error> {
        let front = self.front().await;
        let mut tabs = Vec::new();
        for handle in self.handles().await? {
            self.switch(&handle).await?;
            let text = |value: Value| value.as_str().unwrap_or_default().to_owned();
            let (url, title) = (self.session.get("url").await?, self.session.get("title").await?);
            tabs.push(Tab { url: text(url), title: text(title), is_front: front.as_ref() == Some(&handle) });
        }
        if let Some(front) = front {
            self.switch(&front).await?;
        }
        Ok(tabs)
    }

    async fn open_tab(&self) -> Result<(), Error> {
        self.handles().await?;
        // WebKit draws no tab that it has opened behind another.
        let kind = if self.engine == Engine::WebKit { "window" } else { "tab" };
        let made = self.session.post("window/new", &json!({"type": kind})).await?;
        self.switch(made["handle"].as_str().unwrap_or_default()).await
    }

    async fn show_tab(&self, index: usize) -> Result<(), Error> {
        let (handle, _) = self.handle_at(index).await?;
        self.switch(&handle).await
    }

    async fn close_tab_at(&self, index: usize) -> Result<(), Error> {
        let (handle, handles) = self.handle_at(index).await?;
        if handles.len() == 1 {
            // Its session would end with it.
            return Err(unsupported("close its only tab by WebDriver"));
        }
        let front = self.front().await.filter(|front| *front != handle);
        self.switch(&handle).await?;
        self.session.delete("window").await?;
        let next = front.or_else(|| handles.into_iter().rfind(|other| *other != handle));
        match next {
            Some(next) => self.switch(&next).await,
            None => Ok(()),
        }
    }

    async fn mouse(&self, act: Mouse) -> Result<(), Error> {
        let click = |at: Point, button: u8| {
            vec![
                moved(at),
                json!({"type": "pointerDown", "button": button}),
                json!({"type": "pointerUp", "button": button}),
            ]
        };
        let (acts, held) = match act {
            Mouse::Hover(at) => (vec![moved(at)], Vec::new()),
            Mouse::SecondaryClick(at) => (click(at, 2), Vec::new()),
            Mouse::ClickHolding(at, held) => (click(at, 0), modifiers(&held)),
        };
        // Each source has an act at a time: the mouse waits for the keys, and they for it.
        let pause = || json!({"type": "pause"});
        let mouse: Vec<Value> = held.iter().map(|_| pause()).chain(acts.iter().cloned()).collect();
        let key = |kind: &str, at: &usize| json!({"type": kind, "value": MODIFIERS[*at].sign.to_string()});
        let down = held.iter().map(|at| key("keyDown", at)).chain(acts.iter().map(|_| pause()));
        let keys: Vec<Value> = down.chain(held.iter().rev().map(|at| key("keyUp", at))).collect();
        let mut sources =
            vec![json!({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": mouse})];
        if !held.is_empty() {
            sources.push(json!({"type": "key", "id": "keyboard", "actions": keys}));
        }
        self.perform_all(sources).await
    }

    async fn choose_files(&self, frames: &[u64], found: Found<'_>, files: &[PathBuf]) -> Result<(), Error> {
        let _inside = self.enter(frames).await?;
        let element = self.element(found).await?.ok_or_else(no_file_field)?;
        let files: Vec<String> = files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
        self.session.post(&format!("element/{element}/value"), &json!({"text": files.join("\n")})).await.map(drop)
    }

    async fn forget_choosers(&self) -> Result<(), Error> {
        let operation =
            "choose files by touching what opens a chooser, with WebDriver alone: name the `input` of type file";
        Err(unsupported(operation))
    }

    async fn fill_chooser(&self, _: &[PathBuf], _: Duration) -> Result<(), Error> {
        self.forget_choosers().await
    }

    async fn cookies(&self) -> Result<Vec<Value>, Error> {
        let _top = self.at_top().await?;
        match self.session.get("cookie").await? {
            Value::Array(cookies) => Ok(cookies),
            other => Err(Error::Device { message: format!("the browser tells no cookies: {other}") }),
        }
    }

    async fn set_cookie(&self, cookie: Map<String, Value>) -> Result<(), Error> {
        self.session.post("cookie", &json!({"cookie": cookie})).await.map(drop)
    }

    async fn remove_cookie(&self, cookie: &Value) -> Result<(), Error> {
        // A cookie's name may hold what an address may not.
        let name = percent(cookie["name"].as_str().unwrap_or_default());
        self.session.delete(&format!("cookie/{name}")).await
    }

    async fn picture_of(&self, part: Part, frames: &[u64], found: Found<'_>) -> Result<Vec<u8>, Error> {
        if let Part::Element(..) = part {
            let _inside = self.enter(frames).await?;
            let element = self.element(found).await?;
            let element = element.ok_or_else(|| Error::NotFound { what: "the element".to_owned() })?;
            return decoded(&self.session.get(&format!("element/{element}/screenshot")).await?);
        }
        let extent = self.call(World::Own, EXTENT, &[], TIMEOUT).await?;
        let (width, height) = (extent[2].as_f64().unwrap_or_default(), extent[3].as_f64().unwrap_or_default());
        if width > LARGEST_SIDE || height > LARGEST_SIDE {
            return Err(too_large(width, height));
        }
        match self.engine {
            Engine::Chrome => {
                let clip = json!({"x": 0, "y": 0, "width": width, "height": height, "scale": 1});
                let params = json!({"format": "png", "captureBeyondViewport": true, "clip": clip});
                let command = json!({"cmd": "Page.captureScreenshot", "params": params});
                decoded(&self.session.post("goog/cdp/execute", &command).await?["data"])
            }
            Engine::Firefox => decoded(&self.session.get("moz/screenshot/full").await?),
            Engine::WebKit => Err(unsupported("take a picture of a whole page in WebKit by WebDriver")),
        }
    }

    async fn pdf(&self) -> Result<Vec<u8>, Error> {
        decoded(&self.session.post("print", &json!({"background": true})).await?)
    }

    async fn take_answered(&self, _: &str, _: Option<Instant>) -> Result<Option<Answered>, Error> {
        Err(unsupported("tell a page's requests by WebDriver"))
    }

    fn downloads(&self) -> Result<Vec<Download>, Error> {
        Err(unsupported("tell a page's downloads by WebDriver"))
    }

    async fn traffic(&self) -> Result<Traffic, Error> {
        Err(unsupported("tell a page's requests by WebDriver"))
    }

    async fn faults(&self, _: Duration) -> Result<Vec<String>, Error> {
        self.told_faults(None).await
    }

    async fn new_faults(&self, within: Duration) -> Result<Vec<String>, Error> {
        let mut faults = self.told_faults(Some(within)).await.unwrap_or_default();
        // The console does not tell of a page that nobody answers for, and few browsers tell the console.
        let shown = self.call(World::Own, "() => document.documentURI", &[], TIMEOUT).await?;
        if shown
            .as_str()
            .is_some_and(|shown| ["chrome-error:", "about:neterror"].iter().any(|page| shown.starts_with(page)))
        {
            let url = self.session.get("url").await?;
            faults.push(format!("navigation: {} cannot be loaded", url.as_str().unwrap_or_default()));
        }
        Ok(faults)
    }
}

/// Writes a text as a part of an address.
fn percent(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
    let written = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(written).collect()
}
