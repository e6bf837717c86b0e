//! Frames by the Chrome DevTools Protocol: the element that holds a frame → the frame's session and our own world in it.
//!
//! A frame of another site has a process and a session of its own (`Target.setAutoAttach`); one of another origin of the same site
//! shares the session of the page around it, and differs from it by its world. Pages without such frames cost nothing.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::backend::AccessibilityNode;
use super::cdp::{CallEnd, Cdp};
use super::cdp_errors::{crashed, failed, in_the_way, is_about_leaving, thrown};
use super::connection::Refusal;
use super::page;
use super::tabs::{Tab, WORLD};
use super::web::Found;
use crate::driver::Error;

/// How long the browser may take to do what depends on no page's script.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How often a frame is looked for again that was left meanwhile.
const TRIES: u32 = 3;

/// The group of the objects that the browser keeps for us while it is asked about elements.
const ASKED_ABOUT: &str = "uixt asked about";

/// How deep the focus may lie in frames.
const DEEPEST: usize = 5;

/// Returns what has the focus in a document, down to a frame of another site.
const ACTIVE: &str = concat!("() => { ", deepest_active!(), "return e; }");

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    session: String,
    frame: String,
}

/// What is known of the frames of a profile.
#[derive(Default)]
pub(super) struct Known {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// Sessions that tell of the frames in them.
    followed: HashSet<String>,
    /// Ids of frames, by the keys of the elements that hold them.
    ids: HashMap<u64, String>,
    worlds: HashMap<Place, i64>,
}

impl Known {
    /// Forgets what may not hold any more.
    fn forget(&self) {
        let mut inner = self.inner.lock();
        inner.ids.clear();
        inner.worlds.clear();
    }
}

type Asked<T> = Result<T, Refusal>;

/// Says that a frame is not there any more, in words that mean that it may be looked for again.
fn left() -> Refusal {
    Refusal::Said("No frame for given id found".to_owned())
}

impl Cdp {
    /// Calls a function in our own world of a frame.
    pub(super) async fn ask_frame(&self, frames: &[u64], asked: Found<'_>, timeout: Duration) -> Result<Value, Error> {
        let end = Instant::now() + timeout;
        let mut tries = 0;
        loop {
            let tab = self.usable()?;
            let rest = end.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
            let work = self.evaluate_in(&tab, frames, asked, json!({"returnByValue": true}), rest);
            tries += 1;
            match self.came(&tab.session, async { work.await.map(|(_, answer)| answer) }).await {
                CallEnd::Crashed => return Err(crashed()),
                CallEnd::Dialog => return Err(self.dialog_of(&tab)),
                CallEnd::Answer(Ok(answer)) if answer["exceptionDetails"].is_object() => {
                    return Err(thrown(&answer["exceptionDetails"]));
                }
                CallEnd::Answer(Ok(mut answer)) => return Ok(answer["result"]["value"].take()),
                CallEnd::Answer(Err(Refusal::Said(said))) if is_about_leaving(&said) && tries < TRIES => {
                    self.frames.forget();
                }
                CallEnd::Answer(Err(Refusal::Late(_))) => {
                    let message = format!("a frame did not answer a script within {:.0} s", timeout.as_secs_f32());
                    return Err(Error::Device { message });
                }
                CallEnd::Answer(Err(refusal)) => return Err(failed("a script in a frame", &refusal)),
            }
        }
    }

    /// Returns the session of a frame, and the id that the browser has for the element that a function returns there; none where it
    /// returns none.
    pub(super) async fn object(
        &self,
        tab: &Tab,
        frames: &[u64],
        found: Found<'_>,
    ) -> Result<(String, Option<String>), Error> {
        let work = async {
            let (place, answer) = self.evaluate_in(tab, frames, found, json!({}), TIMEOUT).await?;
            Ok(json!([place.session, answer]))
        };
        let answer = match self.came(&tab.session, work).await {
            CallEnd::Answer(answer) => answer.map_err(|refusal| failed("a script", &refusal))?,
            CallEnd::Crashed => return Err(crashed()),
            CallEnd::Dialog => return Err(self.dialog_of(tab)),
        };
        match answer[1]["exceptionDetails"].is_object() {
            true => Err(thrown(&answer[1]["exceptionDetails"])),
            false => Ok((
                answer[0].as_str().unwrap_or_default().to_owned(),
                answer[1]["result"]["objectId"].as_str().map(str::to_owned),
            )),
        }
    }

    /// Finds the closed shadow roots of the elements of which a look could not tell, and has later looks see into them.
    pub(super) async fn closed_roots(&self, frames: &[u64]) -> Result<usize, Error> {
        let tab = self.usable()?;
        let work = async {
            let asked = Found { function: page::HOSTS, arguments: &[] };
            let group = json!({"objectGroup": ASKED_ABOUT});
            let (place, list) = self.evaluate_in(&tab, frames, asked, group, TIMEOUT).await?;
            let done = self.follow_hosts(&tab, &place, &list).await;
            self.release(&place);
            done.map(Value::from)
        };
        match self.came(&tab.session, work).await {
            CallEnd::Answer(answer) => answer
                .map(|found| usize::try_from(found.as_u64().unwrap_or_default()).unwrap_or_default())
                .map_err(|refusal| failed("closed shadow roots", &refusal)),
            CallEnd::Crashed => Err(crashed()),
            CallEnd::Dialog => Err(self.dialog_of(&tab)),
        }
    }

    /// Asks what the browser tells screen readers of elements.
    pub(super) async fn accessibility_nodes(
        &self,
        frames: &[u64],
        keys: &[u64],
    ) -> Result<Vec<AccessibilityNode>, Error> {
        let tab = self.usable()?;
        let numbers: Vec<u32> = keys.iter().map(|key| page::number(*key).0).collect();
        let work = async {
            let asked = Found { function: page::ELEMENTS, arguments: &[json!(numbers)] };
            let (place, list) =
                self.evaluate_in(&tab, frames, asked, json!({"objectGroup": ASKED_ABOUT}), TIMEOUT).await?;
            let elements = self.listed(&place, &list).await?;
            // What it works out for that is kept until all are asked.
            drop(self.connection.send(Some(&place.session), "Accessibility.enable", &json!({})));
            let asked = elements.iter().map(|element| {
                let params = json!({"objectId": element, "fetchRelatives": false});
                let place = &place;
                async move { self.say(&place.session, "Accessibility.getPartialAXTree", &params).await }
            });
            let told: Vec<Asked<Value>> = join_all(asked).await;
            drop(self.connection.send(Some(&place.session), "Accessibility.disable", &json!({})));
            self.release(&place);
            told.into_iter().collect::<Asked<Vec<Value>>>().map(Value::from)
        };
        match self.came(&tab.session, work).await {
            CallEnd::Answer(answer) => {
                let answer = answer.map_err(|refusal| failed("roles of elements", &refusal))?;
                Ok(answer.as_array().into_iter().flatten().map(|tree| told(&tree["nodes"][0])).collect())
            }
            CallEnd::Crashed => Err(crashed()),
            CallEnd::Dialog => Err(self.dialog_of(&tab)),
        }
    }

    /// Returns the ids that the browser has for the elements of a list which a script returned.
    async fn listed(&self, place: &Place, list: &Value) -> Asked<Vec<Value>> {
        let own = json!({"objectId": list["result"]["objectId"], "ownProperties": true});
        let told = self.say(&place.session, "Runtime.getProperties", &own).await?;
        let ids = told["result"].as_array().into_iter().flatten().map(|one| one["value"]["objectId"].clone());
        Ok(ids.filter(Value::is_string).collect())
    }

    /// Lets the browser forget what was asked about.
    fn release(&self, place: &Place) {
        let group = json!({"objectGroup": ASKED_ABOUT});
        drop(self.connection.send(Some(&place.session), "Runtime.releaseObjectGroup", &group));
    }

    async fn follow_hosts(&self, tab: &Tab, place: &Place, list: &Value) -> Asked<usize> {
        let world = self.world_in(tab, place).await?;
        let hosts = self.listed(place, list).await?;
        // All are asked at once.
        let asked = hosts.iter().map(|host| async move {
            let told = self.say(&place.session, "DOM.describeNode", &json!({"objectId": host})).await?;
            let mut roots = told["node"]["shadowRoots"].as_array().into_iter().flatten();
            let Some(root) = roots.find(|root| root["shadowRootType"] == "closed") else { return Ok(0) };
            let mut node = json!({"backendNodeId": root["backendNodeId"], "objectGroup": ASKED_ABOUT});
            if let Some(world) = world {
                node["executionContextId"] = world.into();
            }
            let root = self.say(&place.session, "DOM.resolveNode", &node).await?;
            let call = json!({
                "objectId": host, "functionDeclaration": format!("function (root) {{ ({})(this, root); }}", page::CLOSED_ROOT),
                "arguments": [{"objectId": root["object"]["objectId"]}],
            });
            self.say(&place.session, "Runtime.callFunctionOn", &call).await.map(|_| 1)
        });
        let found: Vec<Asked<usize>> = join_all(asked).await;
        found.into_iter().sum()
    }

    /// Asks the innermost frame that has the focus.
    pub(super) async fn focused_in_frame(&self, function: &str, timeout: Duration) -> Result<Value, Error> {
        let tab = self.usable()?;
        let work = async {
            let mut place = top(&tab);
            let mut answer = Value::Null;
            for _ in 0..DEEPEST {
                let active = Found { function: ACTIVE, arguments: &[] };
                let frame = self.frame_at(&tab, &place, active).await?;
                place = self.place_of(&place, frame);
                let asked = Found { function, arguments: &[] };
                answer = self.evaluate(&tab, &place, asked, json!({"returnByValue": true}), timeout).await?;
                answer = answer["result"]["value"].take();
                if answer != "frame" {
                    break;
                }
            }
            Ok(answer)
        };
        match self.came(&tab.session, work).await {
            CallEnd::Answer(answer) => answer.map_err(|refusal| failed("a script in a frame", &refusal)),
            CallEnd::Crashed => Err(crashed()),
            CallEnd::Dialog => Err(self.dialog_of(&tab)),
        }
    }

    fn dialog_of(&self, tab: &Tab) -> Error {
        let dialog = self.tabs.look(|state| state.tab(&tab.session).and_then(|tab| tab.dialog.clone()));
        dialog.map_or_else(crashed, |dialog| in_the_way(&dialog))
    }

    async fn evaluate_in(
        &self,
        tab: &Tab,
        frames: &[u64],
        asked: Found<'_>,
        how: Value,
        timeout: Duration,
    ) -> Asked<(Place, Value)> {
        let mut place = top(tab);
        for key in frames {
            let frame = self.frame_of(tab, &place, *key).await?;
            self.follow_frames(&place.session).await?;
            place = self.place_of(&place, frame);
        }
        let answer = self.evaluate(tab, &place, asked, how, timeout).await?;
        Ok((place, answer))
    }

    /// Returns the id of the frame that an element holds, by the element's key.
    async fn frame_of(&self, tab: &Tab, place: &Place, key: u64) -> Asked<String> {
        let known = self.frames.inner.lock().ids.get(&key).cloned();
        if let Some(frame) = known {
            return Ok(frame);
        }
        let holder = page::found("(element) => element");
        let found = Found { function: &holder, arguments: &[page::wanted_node(key)] };
        let frame = self.frame_at(tab, place, found).await?;
        self.frames.inner.lock().ids.insert(key, frame.clone());
        Ok(frame)
    }

    fn place_of(&self, outer: &Place, frame: String) -> Place {
        let own = self.tabs.look(|state| state.session_of(&frame).map(str::to_owned));
        Place { session: own.unwrap_or_else(|| outer.session.clone()), frame }
    }

    /// Returns the id of the frame that an element holds.
    async fn frame_at(&self, tab: &Tab, place: &Place, holder: Found<'_>) -> Asked<String> {
        self.follow_frames(&place.session).await?;
        let answer = self.evaluate(tab, place, holder, json!({}), TIMEOUT).await?;
        let object = answer["result"]["objectId"].as_str().ok_or_else(left)?;
        let told = self.say(&place.session, "DOM.describeNode", &json!({"objectId": object})).await;
        drop(self.connection.send(Some(&place.session), "Runtime.releaseObject", &json!({"objectId": object})));
        told?["node"]["frameId"].as_str().map(str::to_owned).ok_or_else(left)
    }

    /// Has a session tell of frames in it that have a process of their own, and keeps choosers for files from opening there.
    async fn follow_frames(&self, session: &str) -> Asked<()> {
        if self.frames.inner.lock().followed.contains(session) {
            return Ok(());
        }
        self.say(session, "Target.setAutoAttach", &attachment()).await?;
        drop(self.connection.send(Some(session), "Page.enable", &json!({})));
        // A person who is followed sees the browser's own.
        let intercepts = json!({"enabled": !self.tabs.person.is_followed()});
        drop(self.connection.send(Some(session), "Page.setInterceptFileChooserDialog", &intercepts));
        self.frames.inner.lock().followed.insert(session.to_owned());
        Ok(())
    }

    async fn evaluate(
        &self,
        tab: &Tab,
        place: &Place,
        asked: Found<'_>,
        how: Value,
        timeout: Duration,
    ) -> Asked<Value> {
        let arguments = asked.arguments.iter().map(Value::to_string).collect::<Vec<_>>().join(", ");
        let mut params = how;
        params["expression"] = format!("({})({arguments})", asked.function).into();
        params["awaitPromise"] = true.into();
        params["userGesture"] = true.into();
        if let Some(world) = self.world_in(tab, place).await? {
            params["contextId"] = world.into();
        }
        self.connection.send(Some(&place.session), "Runtime.evaluate", &params).within(timeout).await
    }

    async fn world_in(&self, tab: &Tab, place: &Place) -> Asked<Option<i64>> {
        if *place == top(tab) {
            return self.world(tab).await;
        }
        if let Some(world) = self.frames.inner.lock().worlds.get(place) {
            return Ok(Some(*world));
        }
        // The first call of a session that is new.
        self.follow_frames(&place.session).await?;
        let params = json!({"frameId": place.frame, "worldName": WORLD});
        let made = self.say(&place.session, "Page.createIsolatedWorld", &params).await?;
        let world = made["executionContextId"].as_i64().ok_or_else(left)?;
        self.frames.inner.lock().worlds.insert(place.clone(), world);
        Ok(Some(world))
    }

    async fn say(&self, session: &str, method: &str, params: &Value) -> Asked<Value> {
        self.connection.send(Some(session), method, params).within(TIMEOUT).await
    }
}

/// Returns what has a session tell of frames in it that have a process of their own.
pub(super) fn attachment() -> Value {
    json!({"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true, "filter": [{"type": "iframe"}]})
}

/// Reads a node of the accessibility tree.
fn told(node: &Value) -> AccessibilityNode {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let property = |name: &str| {
        let mut all = node["properties"].as_array().into_iter().flatten();
        all.find(|property| property["name"] == name).map(|property| &property["value"]["value"])
    };
    let is = |name: &str| property(name).is_some_and(|value| value == true || value == "true");
    let checked = property("checked")
        .or_else(|| property("pressed"))
        .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    AccessibilityNode {
        role: text(&node["role"]["value"]),
        name: text(&node["name"]["value"]),
        checked,
        is_disabled: is("disabled"),
        is_selected: is("selected"),
    }
}

fn top(tab: &Tab) -> Place {
    Place { session: tab.session.clone(), frame: tab.target.clone() }
}
