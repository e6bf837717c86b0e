//! Tabs, a mouse, cookies, files and pictures of parts, by the Chrome DevTools Protocol.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use super::backend::{Backend as _, World};
use super::cdp::{CallEnd, Cdp, decoded};
use super::cdp_errors::{crashed, failed, in_the_way, not_taken};
use super::connection::Reply;
use super::keyboard::modifiers;
use super::tabs::Tab as Followed;
use super::web::{EXTENT, Found, LARGEST_SIDE, Web, no_chooser, no_file_field, no_tab, too_large};
use crate::driver::pages::{Answered, Download, Mouse, Part, Tab, Traffic};
use crate::driver::{Error, Point};

/// How long the browser may take to do what depends on no page's script.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A tab as the browser knows it.
struct Known {
    target: String,
    session: String,
    tab: Tab,
}

impl Cdp {
    /// Returns the tabs of the profile, in the order in which they came.
    async fn known(&self) -> Result<Vec<Known>, Error> {
        let told = self.ask("Target.getTargets", &json!({})).await?;
        let context = self.context.as_deref();
        let followed: Vec<Followed> = self.tabs.look(|state| state.of(context).cloned().collect());
        let front = self.tabs.look(|state| state.front(context).map(|tab| tab.session.clone()));
        let text = |info: &Value, key: &str| info[key].as_str().unwrap_or_default().to_owned();
        let known = |tab: Followed| {
            let info = told["targetInfos"].as_array()?.iter().find(|info| info["targetId"] == tab.target.as_str())?;
            let is_front = front.as_ref() == Some(&tab.session);
            let shown = Tab { url: text(info, "url"), title: text(info, "title"), is_front };
            Some(Known { target: tab.target, session: tab.session, tab: shown })
        };
        Ok(followed.into_iter().filter_map(known).collect())
    }

    async fn known_at(&self, index: usize) -> Result<Known, Error> {
        let mut known = self.known().await?;
        if index >= known.len() {
            return Err(no_tab(index, known.len()));
        }
        Ok(known.swap_remove(index))
    }

    /// Moves the mouse to a point, and presses and releases a button there, by its name and its bit, while keys are held.
    fn click(&self, tab: &Followed, at: Point, (button, bit): (&str, u32), held: u32) -> Vec<Reply> {
        let act = |kind: &str, buttons: u32| {
            let params = json!({
                "type": kind, "x": at.x, "y": at.y, "button": button, "buttons": buttons, "clickCount": 1, "pointerType": "mouse",
                "modifiers": held,
            });
            self.send(tab, "Input.dispatchMouseEvent", &params)
        };
        vec![self.hover(tab, at, held), act("mousePressed", bit), act("mouseReleased", 0)]
    }

    fn hover(&self, tab: &Followed, at: Point, held: u32) -> Reply {
        let params = json!({
            "type": "mouseMoved", "x": at.x, "y": at.y, "button": "none", "buttons": 0, "clickCount": 0, "pointerType": "mouse",
            "modifiers": held,
        });
        self.send(tab, "Input.dispatchMouseEvent", &params)
    }

    /// Takes a picture of a part of the page, in CSS pixels from its beginning.
    async fn clipped(&self, [x, y, width, height]: [f64; 4]) -> Result<Vec<u8>, Error> {
        let (width, height) = (width.max(1.0), height.max(1.0));
        if width > LARGEST_SIDE || height > LARGEST_SIDE {
            return Err(too_large(width, height));
        }
        let tab = self.usable()?;
        let clip = json!({"x": x, "y": y, "width": width, "height": height, "scale": 1.0 / self.scale});
        let params = json!({"format": "png", "captureBeyondViewport": true, "clip": clip});
        self.captured(&tab, &params).await
    }
}

fn paths(files: &[PathBuf]) -> Vec<String> {
    files.iter().map(|file| file.to_string_lossy().into_owned()).collect()
}

#[async_trait]
impl Web for Cdp {
    async fn tabs(&self) -> Result<Vec<Tab>, Error> {
        Ok(self.known().await?.into_iter().map(|known| known.tab).collect())
    }

    async fn open_tab(&self) -> Result<(), Error> {
        let _ours = self.tabs.person.ours();
        self.new_tab().await
    }

    async fn show_tab(&self, index: usize) -> Result<(), Error> {
        let known = self.known_at(index).await?;
        self.tabs.choose(&known.session);
        self.ask("Target.activateTarget", &json!({"targetId": known.target})).await.map(drop)
    }

    async fn close_tab_at(&self, index: usize) -> Result<(), Error> {
        let (known, _ours) = (self.known_at(index).await?, self.tabs.person.ours());
        self.ask("Target.closeTarget", &json!({"targetId": known.target})).await?;
        let is_gone = self.tabs.until(|state| state.tab(&known.session).is_none_or(|tab| tab.dialog.is_some()));
        if tokio::time::timeout(TIMEOUT, is_gone).await.is_err() {
            let message = format!("tab {index} did not close within {} s", TIMEOUT.as_secs());
            return Err(Error::Device { message });
        }
        // It may ask whether it may be left.
        match self.tabs.look(|state| state.tab(&known.session).and_then(|tab| tab.dialog.clone())) {
            Some(dialog) => Err(in_the_way(&dialog)),
            None => Ok(()),
        }
    }

    async fn mouse(&self, act: Mouse) -> Result<(), Error> {
        let (tab, _gate) = (self.usable()?, self.let_through("mouse").await);
        let began = Instant::now();
        let sent = match &act {
            Mouse::Hover(at) => vec![self.hover(&tab, *at, 0)],
            Mouse::SecondaryClick(at) => self.click(&tab, *at, ("right", 2), 0),
            Mouse::ClickHolding(at, held) => {
                let held = modifiers(held);
                let (mut sent, bits) = self.hold(&tab, &held);
                sent.extend(self.click(&tab, *at, ("left", 1), bits));
                sent.extend(self.let_go(&tab, &held, bits));
                sent
            }
        };
        self.arrive(&tab, began, sent).await?;
        match act {
            // What shows while the mouse is there is drawn with the next frame.
            Mouse::Hover(_) => match self.call(World::Own, super::cdp::TWO_FRAMES, &[], TIMEOUT).await {
                Ok(_) | Err(Error::Rejected { .. }) => Ok(()),
                Err(error) => Err(error),
            },
            Mouse::SecondaryClick(_) | Mouse::ClickHolding(..) => Ok(()),
        }
    }

    async fn choose_files(&self, frames: &[u64], found: Found<'_>, files: &[PathBuf]) -> Result<(), Error> {
        let tab = self.usable()?;
        let (session, object) = self.object(&tab, frames, found).await?;
        let object = object.ok_or_else(no_file_field)?;
        let params = json!({"files": paths(files), "objectId": object});
        let _gate = self.let_through("text").await;
        self.command_to(&session, "DOM.setFileInputFiles", &params).await.map(drop)
    }

    async fn forget_choosers(&self) -> Result<(), Error> {
        self.tabs.forget_choosers();
        self.show_choosers(false);
        Ok(())
    }

    async fn fill_chooser(&self, files: &[PathBuf], timeout: Duration) -> Result<(), Error> {
        let is_open = self.tabs.until(|state| state.chooser.is_some());
        let _ = tokio::time::timeout(timeout, is_open).await;
        self.show_choosers(true);
        let Some(chooser) = self.tabs.look(|state| state.chooser.clone()) else {
            return Err(no_chooser(timeout));
        };
        if files.len() > 1 && !chooser.takes_several {
            let message = format!("the chooser that it opened takes one file, not {}", files.len());
            return Err(not_taken(message));
        }
        let field = chooser.field.ok_or_else(|| Error::Device {
            message: "the page opened a chooser without a field for files, which takes none from here".to_owned(),
        })?;
        let params = json!({"files": paths(files), "backendNodeId": field});
        let _gate = self.let_through("text").await;
        self.command_to(&chooser.session, "DOM.setFileInputFiles", &params).await?;
        self.tabs.forget_choosers();
        Ok(())
    }

    async fn cookies(&self) -> Result<Vec<Value>, Error> {
        let tab = self.usable()?;
        let mut answer = self.command(&tab, "Network.getCookies", &json!({})).await?;
        match answer["cookies"].take() {
            Value::Array(cookies) => Ok(cookies),
            other => Err(Error::Device { message: format!("the browser tells no cookies: {other}") }),
        }
    }

    async fn set_cookie(&self, cookie: Map<String, Value>) -> Result<(), Error> {
        let tab = self.usable()?;
        let mut params = Map::new();
        for (key, value) in cookie {
            let key = if key == "expiry" { "expires".to_owned() } else { key };
            params.insert(key, value);
        }
        if !params.contains_key("domain") {
            let url = self.call(World::Own, "() => location.href", &[], TIMEOUT).await?;
            params.insert("url".to_owned(), url);
        }
        let answer = self.command(&tab, "Network.setCookie", &params.into()).await?;
        match answer["success"].as_bool() {
            Some(false) => Err(Error::Device { message: "the browser does not take this cookie".to_owned() }),
            _ => Ok(()),
        }
    }

    async fn remove_cookie(&self, cookie: &Value) -> Result<(), Error> {
        let tab = self.usable()?;
        let mut params = json!({"name": cookie["name"], "domain": cookie["domain"], "path": cookie["path"]});
        if cookie["partitionKey"].is_object() {
            params["partitionKey"] = cookie["partitionKey"].clone();
        }
        self.command(&tab, "Network.deleteCookies", &params).await.map(drop)
    }

    async fn picture_of(&self, part: Part, _: &[u64], _: Found<'_>) -> Result<Vec<u8>, Error> {
        let extent = self.call(World::Own, EXTENT, &[], TIMEOUT).await?;
        let side = |index: usize| extent[index].as_f64().unwrap_or_default();
        self.clipped(match part {
            Part::Whole => [0.0, 0.0, side(2), side(3)],
            Part::Element(_, rect) => [
                side(0) + f64::from(rect.left),
                side(1) + f64::from(rect.top),
                f64::from(rect.right - rect.left),
                f64::from(rect.bottom - rect.top),
            ],
        })
        .await
    }

    async fn pdf(&self) -> Result<Vec<u8>, Error> {
        const COMMAND: &str = "Page.printToPDF";
        let tab = self.usable()?;
        let sent = self.send(&tab, COMMAND, &json!({"printBackground": true}));
        match self.came(&tab.session, sent.within(TIMEOUT)).await {
            CallEnd::Answer(answer) => decoded(&answer.map_err(|refusal| failed(COMMAND, &refusal))?["data"]),
            CallEnd::Crashed => Err(crashed()),
            CallEnd::Dialog => self.usable().and(Err(crashed())),
        }
    }

    async fn take_answered(&self, text: &str, since: Option<Instant>) -> Result<Option<Answered>, Error> {
        let tab = self.usable()?;
        Ok(self.tabs.requests.take_answered(&tab.session, text, since))
    }

    fn downloads(&self) -> Result<Vec<Download>, Error> {
        Ok(self.tabs.downloads.of(self.context.as_deref()))
    }

    async fn traffic(&self) -> Result<Traffic, Error> {
        let tab = self.usable()?;
        let (pending, quiet) = self.tabs.requests.pending(&tab.session);
        Ok(Traffic { pending, quiet, is_loaded: tab.is_loaded && !tab.is_leaving })
    }

    async fn faults(&self, within: Duration) -> Result<Vec<String>, Error> {
        let front = self.tabs.look(|state| state.front(self.context.as_deref()).map(|tab| tab.session.clone()));
        let now = Instant::now();
        Ok(self.tabs.faults.since(now.checked_sub(within).unwrap_or(now), front.as_deref()))
    }

    fn take_failed_downloads(&self) -> Vec<Download> {
        self.tabs.downloads.take_failed(self.context.as_deref())
    }

    async fn new_faults(&self, within: Duration) -> Result<Vec<String>, Error> {
        let now = Instant::now();
        Ok(self.tabs.faults.since(now.checked_sub(within).unwrap_or(now), None))
    }
}
