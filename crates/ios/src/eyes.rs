//! Looks at a phone's screen: its tree, which app it is of, how large a point is, what has the focus, and what lies over it.
//!
//! A tree is asked for each time; what is asked beside it is remembered until something was done, or the tree tells otherwise.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::Value;
use uixt_lane::Bytes;

use crate::alert::{self, Alerts};
use crate::driver::{Element, Error, Point, Rect, Screen};
use crate::fault::{Fault, Miss};
use crate::focus::{self, Focus};
use crate::scale::{Scale, Scales, window};
use crate::source::{Format, Source, Tree, document, text_value};
use crate::tree_depth::Depth;
use crate::wda::{Ask, GLANCE, LONG, Wda};

/// The app that shows the home screen, the lock screen, and questions of the system.
pub(crate) const SPRINGBOARD: &str = "com.apple.springboard";
/// What is left out of a tree: the first two are told twice, and the others cost time on the phone.
const JSON: &str =
    "/source?format=json&excluded_attributes=frame,nativeFrame,nativeAccessibilityElement,minValue,maxValue";
const XML: &str = "/source?format=xml";
/// The ways to the tree, and whether each is one within the session: others than stock `WebDriverAgent` may know only one.
const WAYS: [(&str, bool); 4] = [(JSON, true), (JSON, false), (XML, true), (XML, false)];
/// The pause before a tree is asked for again that could not be told.
const PAUSE: Duration = Duration::from_millis(100);

/// What looks at one phone.
#[derive(Debug)]
pub(crate) struct Eyes {
    wda: Arc<Wda>,
    pub(crate) scales: Scales,
    pub(crate) alerts: Mutex<Alerts>,
    depth: Depth,
    seen: Mutex<Seen>,
}

/// What the last look saw.
#[derive(Debug, Default)]
struct Seen {
    /// Which of the [ways](WAYS) to the tree is known to be one.
    way: usize,
    /// A fingerprint of the tree.
    print: u64,
    /// What the app calls itself, and its bundle.
    app: Option<(String, String)>,
    /// Where text fields lie, and which of them has the focus.
    fields: Vec<Rect>,
    focus: Option<Focus>,
    /// In how many looks a field that was touched may still get the focus.
    looks_for_focus: u8,
}

/// In how many looks a field that was touched may get the focus: the keyboard takes a moment to come.
const FOCUS: u8 = 12;
/// The same where another app may be in front, which may give one of its fields the focus.
const FOCUS_OF_OTHERS: u8 = 2;

impl Eyes {
    pub(crate) fn new(wda: Arc<Wda>) -> Self {
        let depth = Depth::default();
        Self { wda, scales: Scales::default(), alerts: Mutex::default(), depth, seen: Mutex::default() }
    }

    /// Takes in that something was done, at a point where that is known.
    pub(crate) fn acted(&self, at: Option<Point>) {
        self.alerts.lock().expect();
        let mut seen = self.seen.lock();
        let is_on_field = at.is_none_or(|at| seen.fields.iter().any(|field| field.contains(at)));
        // What had it may have it all the same.
        let had_focus = seen.focus.take().is_some();
        seen.looks_for_focus = if is_on_field { FOCUS } else { u8::from(had_focus) };
    }

    /// Takes in that another app may be in front.
    pub(crate) fn moved(&self) {
        self.alerts.lock().forget();
        let mut seen = self.seen.lock();
        (seen.app, seen.focus, seen.looks_for_focus) = (None, None, FOCUS_OF_OTHERS);
    }

    /// Returns the field that had the focus in the last look, unless something was done since that may have moved it.
    pub(crate) fn focus(&self) -> Option<Focus> {
        self.seen.lock().focus.clone()
    }

    /// Looks until a tree can be told, or for longer than `patience`.
    pub(crate) async fn look(&self, patience: Duration) -> Result<Screen, Error> {
        let (began, mut is_again) = (Instant::now(), false);
        loop {
            match self.look_once().await {
                Ok(screen) => return Ok(screen),
                // An answer that cannot be read may have been cut off on its way.
                Err(Miss::Broken(Error::Device { message })) if !is_again => {
                    tracing::debug!(message, "the tree could not be read");
                    is_again = true;
                }
                Err(Miss::Refused(fault)) if is_passing(&fault) && began.elapsed() < patience => {
                    tracing::debug!(fault.message, "the tree could not be told");
                }
                Err(miss) => return Err(miss.into()),
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn look_once(&self) -> Result<Screen, Miss> {
        let body = self.body().await?;
        let text = std::str::from_utf8(&body).map_err(|_| unreadable("it is no UTF-8"))?;
        let (print, is_unchanged) = self.print(text);
        // A document lives as long as what is read from it.
        let told;
        let parsed;
        let source = match Source::of_json(text) {
            Ok(source) => Ok(source),
            Err(how) => match written(text) {
                None => Err(how),
                Some((Format::Json, json)) => {
                    told = json;
                    Source::of_json(&told)
                }
                Some((Format::Xml, xml)) => {
                    told = xml;
                    parsed = document(&told).map_err(|how| unreadable(&how))?;
                    Source::of_xml(&parsed)
                }
            },
        };
        let source = source.map_err(|how| unreadable(&how))?;
        let window = match source.window() {
            Some(window) => window,
            None => window(&self.wda).await?,
        };
        let scale = self.scales.of(&self.wda, window).await?;
        let (bundle, app) = source.app();
        let package = if bundle.is_empty() { self.package(app).await? } else { bundle.to_owned() };
        let tree = source.tree(window, scale.ratio, &package);
        let is_deeper = self.depth.is_reached(&self.wda, tree.levels).await?;
        self.seen.lock().print = print;
        self.screen(tree, package, &scale, is_unchanged, is_deeper).await
    }

    /// Makes a screen of a tree, with what the tree does not tell.
    async fn screen(
        &self,
        tree: Tree,
        package: String,
        scale: &Scale,
        is_unchanged: bool,
        is_deeper: bool,
    ) -> Result<Screen, Miss> {
        let Tree { mut roots, keyboard, has_cut_text, has_alert, .. } = tree;
        let lit = package != SPRINGBOARD || !self.is_told_as_locked().await?;
        if !lit {
            roots.clear();
        }
        self.see_focus(&mut roots, keyboard.is_some(), scale, is_unchanged).await?;
        // What lies behind a question of the system takes no touches.
        if has_alert || !lit {
            self.alerts.lock().see(None);
        } else if let Some(alert) = self.alert(&roots, scale, is_unchanged).await? {
            roots = vec![alert];
        }
        let cut = is_deeper || has_cut_text;
        Ok(Screen { package, size: scale.size, lit, roots, keyboard, cut, ..Screen::default() })
    }

    /// Asks for the tree, as JSON where that is known, and less deep where the phone cannot tell that much.
    async fn body(&self) -> Result<Bytes, Miss> {
        loop {
            let way = self.seen.lock().way;
            let (path, in_session) = WAYS[way];
            let ask = Ask::look("tell the screen's elements", path).within(LONG);
            let answer = self.wda.answer(&if in_session { ask } else { ask.bare() }).await;
            match answer {
                Ok(answer) => return Ok(answer.body),
                Err(Miss::Refused(fault)) if is_of_format(&fault) && way + 1 < WAYS.len() => {
                    self.seen.lock().way = way + 1;
                }
                Err(Miss::Refused(fault)) if fault.is_of_depth() && self.depth.step_down(&self.wda).await? => {}
                Err(miss) => {
                    if matches!(&miss, Miss::Refused(fault) if is_of_format(fault)) {
                        self.seen.lock().way = 0;
                    }
                    return Err(miss);
                }
            }
        }
    }

    /// Returns the tree's fingerprint, and whether it is that of the last look.
    fn print(&self, text: &str) -> (u64, bool) {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let print = hasher.finish();
        (print, self.seen.lock().print == print)
    }

    /// Returns the bundle of the app in front that calls itself so.
    async fn package(&self, app: &str) -> Result<String, Miss> {
        let known = self.seen.lock().app.clone();
        if let Some((_, bundle)) = known.filter(|(name, _)| name == app) {
            return Ok(bundle);
        }
        let bundle = match front(&self.wda).await {
            Ok(told) => told["bundleId"].as_str().unwrap_or_default().to_owned(),
            // A look does not fail for that.
            Err(Miss::Refused(_)) => String::new(),
            Err(miss) => return Err(miss),
        };
        self.seen.lock().app = Some((app.to_owned(), bundle.clone()));
        Ok(bundle)
    }

    /// Tells whether the phone is locked.
    pub(crate) async fn is_locked(&self) -> Result<bool, Miss> {
        let ask = Ask::look("tell whether it is locked", "/wda/locked").within(GLANCE);
        Ok(self.wda.ask(ask).await? == true)
    }

    /// Tells the same of one that may not know it.
    async fn is_told_as_locked(&self) -> Result<bool, Miss> {
        match self.is_locked().await {
            Err(Miss::Refused(_)) => Ok(false),
            told => told,
        }
    }

    async fn alert(&self, roots: &[Element], scale: &Scale, is_unchanged: bool) -> Result<Option<Element>, Miss> {
        if self.alerts.lock().is_due(is_unchanged) {
            let shown = alert::over(&self.wda, roots).await?;
            self.alerts.lock().see(shown);
        }
        Ok(self.alerts.lock().drawn(scale.size, scale.ratio))
    }

    /// Marks the field that has the focus: JSON tells of a focus that is not the keyboard's.
    async fn see_focus(
        &self,
        roots: &mut [Element],
        has_keyboard: bool,
        scale: &Scale,
        is_unchanged: bool,
    ) -> Result<(), Miss> {
        let fields = focus::fields(roots);
        let is_told = focus::told(roots);
        let (known, is_due) = {
            let mut seen = self.seen.lock();
            let may_come = seen.looks_for_focus > 0;
            seen.looks_for_focus = seen.looks_for_focus.saturating_sub(1);
            let is_due = may_come || (has_keyboard && (!is_unchanged || seen.focus.is_none()));
            seen.fields.clone_from(&fields);
            (seen.focus.clone(), is_due)
        };
        let found = match is_told {
            Some(told) => Some(told),
            None if fields.is_empty() => None,
            None if is_due => focus::ask(&self.wda, roots, scale.ratio).await?,
            None if is_unchanged || has_keyboard => known,
            None => None,
        };
        if let Some(found) = &found {
            focus::mark(roots, found);
        }
        let mut seen = self.seen.lock();
        if found.is_some() {
            seen.looks_for_focus = 0;
        }
        seen.focus = found;
        Ok(())
    }

    /// Says what the tree of a screen does not tell of: an alert that has come, which the next look shows, or what lies too deep.
    pub(crate) async fn untold(&self, screen: &Screen) -> Result<&'static str, Miss> {
        if screen.roots.iter().any(|root| root.role == "alert" && root.package == SPRINGBOARD) {
            return Ok(BEHIND);
        }
        let shows_alert = screen.roots.iter().any(|root| root.role == "alert");
        if !shows_alert && screen.lit {
            let shown = alert::over(&self.wda, &screen.roots).await?;
            let is_there = shown.is_some();
            self.alerts.lock().see(shown);
            if is_there {
                return Ok("an alert of the system has come over the app meanwhile: `close_popups` closes it");
            }
        }
        Ok(if screen.cut { DEEPER } else { "" })
    }
}

/// Says what is done about a question of the system, which is told as a dialog already.
const BEHIND: &str = "`close_popups` closes it";
/// Says that a tree was cut.
const DEEPER: &str = "the app's elements lie deeper in each other than the phone tells, or their texts are longer: what is not found \
                      there may be found by `source: pixels`";

/// Asks which app is in front; whoever does not know lists those that are active, of which the first is.
pub(crate) async fn front(wda: &Wda) -> Result<Value, Miss> {
    let refused = match wda.ask(Ask::look("tell the app in front", "/wda/activeAppInfo")).await {
        Err(Miss::Refused(fault)) if fault.is_unknown() => fault,
        told => return told,
    };
    let list = wda.ask(Ask::look("list the active apps", "/wda/apps/list")).await;
    list.ok().and_then(|list| list.get(0).cloned()).ok_or(Miss::Refused(refused))
}

/// Tells whether a tree that was refused may be told a moment later.
fn is_passing(fault: &Fault) -> bool {
    let is_over = fault.message.contains("possibly crashed") || fault.is_unknown();
    !is_over && !fault.is_of_session()
}

/// Tells whether it does not know the tree as JSON.
fn is_of_format(fault: &Fault) -> bool {
    fault.is_unknown() || fault.message.contains("source format")
}

/// Returns the tree that stands in an answer as a text, and what it is written in: some write XML whatever is asked for.
fn written(answer: &str) -> Option<(Format, String)> {
    let text = text_value(answer).unwrap_or(answer.into());
    let format = match text.trim_start().chars().next()? {
        '<' => Format::Xml,
        '{' if text != answer => Format::Json,
        _ => return None,
    };
    Some((format, text.trim_start().to_owned()))
}

fn unreadable(how: &str) -> Miss {
    Miss::Broken(Error::Device { message: format!("the screen's element tree cannot be read: {how}") })
}
