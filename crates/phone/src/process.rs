//! An installed app and its running process: pages, the stack of pages that are open, the dialog and the field in use.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde_json::Value;

use crate::instance::{Instance, Patch};

use super::app::{App, Release};
use super::apps::live::{LivePage, Memory};
use super::apps::{AppDefinition, BackendKind};
use super::dialog::{Dialog, Kind};
use super::edit::{Edit, text_to_edit};
use super::keeper::Keeper;
use super::place::Place;
use super::sidecar::Sidecar;

/// An app as it was read from its files.
#[derive(Clone)]
pub(super) struct Installed {
    pub(super) app: App,
    pub(super) first: String,
    /// The pages as they are in the files.
    pub(super) pages: BTreeMap<String, Instance>,
    pub(super) live: &'static [LivePage],
    pub(super) sidecar: Sidecar,
    pub(super) permissions: Vec<String>,
    pub(super) backend: Option<BackendKind>,
}

/// What an app is made of.
pub(super) struct Source<'a> {
    pub(super) app: App,
    pub(super) first: &'a str,
    /// Texts of its pages.
    pub(super) pages: Vec<&'a str>,
    pub(super) live: &'static [LivePage],
    /// Text of its sidecar.
    pub(super) late: Option<&'a str>,
    pub(super) permissions: Vec<String>,
    pub(super) backend: Option<BackendKind>,
}

/// A running app.
pub(super) struct Process {
    pub(super) pid: u32,
    pub(super) pages: BTreeMap<String, Instance>,
    /// Whoever keeps its pages, and the versions of those that are here.
    pub(super) keeper: Option<Arc<dyn Keeper>>,
    pub(super) versions: BTreeMap<String, u64>,
    pub(super) stack: Vec<Opened>,
    pub(super) dialog: Option<Dialog>,
    /// Permissions that are still to be asked for.
    pub(super) questions: VecDeque<String>,
    pub(super) edit: Option<Edit>,
    /// How far the lists within pages were scrolled, in pixels, by page and path.
    pub(super) scrolls: BTreeMap<(String, String), i32>,
    /// What its pages that live remember, by their ids.
    pub(super) memories: BTreeMap<&'static str, Memory>,
    pub(super) hang: Option<Hang>,
    /// Whether it has the upper half of the screen only.
    pub(super) is_split: bool,
}

/// A time in which a process does nothing; in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hang {
    pub(super) since: u64,
    pub(super) until: u64,
    /// When the system asks what to do.
    pub(super) asks_at: u64,
}

/// A page that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Opened {
    pub(super) instance: String,
    /// When, by the phone's clock, in milliseconds since 1970.
    pub(super) at_ms: u64,
    /// How far it was scrolled, in pixels.
    pub(super) scroll: i32,
}

impl Installed {
    /// Reads an app's files. Errors: a page or the sidecar is not as it must be; the message names the app.
    pub(super) fn read(definition: &AppDefinition) -> Result<Self, String> {
        let app = App {
            package: definition.package.to_owned(),
            activity: definition.activity.to_owned(),
            label: definition.label.to_owned(),
            third_party: definition.third_party,
            release: Release::built_in(),
        };
        Self::assemble(Source {
            app,
            first: definition.first_instance,
            pages: definition.instances.clone(),
            live: definition.live,
            late: definition.late,
            permissions: definition.permissions.iter().map(|&name| name.to_owned()).collect(),
            backend: definition.backend,
        })
    }

    /// Makes an app of its texts, and checks that they go together.
    pub(super) fn assemble(source: Source) -> Result<Self, String> {
        let Source { app, first, pages: texts, live, late, permissions, backend } = source;
        let refuse = |reason: String| format!("app {}: {reason}", app.package);
        let mut pages = BTreeMap::new();
        for text in texts {
            let page = Instance::from_json(text).map_err(|error| refuse(error.to_string()))?;
            if let Some(twice) = pages.insert(page.id().to_owned(), page) {
                return Err(refuse(format!("two pages `{}`", twice.id())));
            }
        }
        if !live.iter().any(|page| page.id == first) {
            check_targets(&pages, first).map_err(refuse)?;
        }
        let sidecar = Sidecar::read(late).map_err(|error| refuse(format!("sidecar: {error}")))?;
        sidecar.check(&pages).map_err(|reason| refuse(format!("sidecar: {reason}")))?;
        Ok(Self { first: first.to_owned(), app, pages, live, sidecar, permissions, backend })
    }
}

/// Checks that the first page and every page that is shown in another one are there.
fn check_targets(pages: &BTreeMap<String, Instance>, first: &str) -> Result<(), String> {
    if !pages.contains_key(first) {
        return Err(format!("no page `{first}` to begin with"));
    }
    for page in pages.values() {
        let shown = page.fields().filter_map(|(_, field)| field.target_instance.as_ref());
        if let Some(missing) = shown.into_iter().find(|target| !pages.contains_key(*target)) {
            return Err(format!("page `{}` shows `{missing}`, which is not there", page.id()));
        }
    }
    Ok(())
}

impl Process {
    pub(super) fn new(pid: u32, pages: BTreeMap<String, Instance>) -> Self {
        Self {
            pid,
            pages,
            keeper: None,
            versions: BTreeMap::new(),
            stack: Vec::new(),
            dialog: None,
            questions: VecDeque::new(),
            edit: None,
            scrolls: BTreeMap::new(),
            memories: BTreeMap::new(),
            hang: None,
            is_split: false,
        }
    }

    /// Returns the page on top with what is in its files.
    pub(super) fn page(&self) -> Option<(&Opened, Option<&Instance>)> {
        self.stack.last().map(|opened| (opened, self.pages.get(&opened.instance)))
    }

    /// Puts a page on top; one that is open already comes back, without those above it.
    pub(super) fn push(&mut self, instance: &str, at_ms: u64) {
        if let Some(known) = self.stack.iter().position(|opened| opened.instance == instance) {
            self.stack.truncate(known);
        }
        self.stack.push(Opened { instance: instance.to_owned(), at_ms, scroll: 0 });
        self.edit = None;
        self.dialog = None;
    }

    /// Goes back one page; false where there is none to go back to.
    pub(super) fn pop(&mut self) -> bool {
        let more = self.stack.len() > 1;
        if more {
            self.stack.pop();
            self.edit = None;
        }
        more
    }

    /// Writes a value into a page's state.
    pub(super) fn put(&mut self, place: &Place, value: Value) {
        if let Some(keeper) = self.keeper.clone() {
            self.set_kept(keeper.as_ref(), &place.instance, &place.path, value);
        } else if let Some(page) = self.pages.get_mut(&place.instance) {
            page.apply(&[Patch::set(place.path.as_str(), value)]);
        }
    }

    /// Returns the value at a place, as a field there shows it.
    pub(super) fn value(&self, place: &Place) -> Option<Value> {
        let page = self.pages.get(&place.instance)?;
        let (block, field) = page.fields().find(|(block, field)| block.path_of(field) == place.path)?;
        Some(page.value_of(block, field))
    }

    /// Begins to edit the text of a field.
    pub(super) fn focus(&mut self, place: Place) {
        let text = self.value(&place).map(|value| text_to_edit(place.kind, &value)).unwrap_or_default();
        self.edit = Some(Edit::new(place, text));
    }

    /// Changes the text in use and writes it into the page's state.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Edit)) {
        let Some(edit) = &mut self.edit else { return };
        let before = edit.value();
        change(edit);
        let (place, value) = (edit.place.clone(), edit.value());
        // What cannot be typed there changes nothing; a keeper gets JSON once it is some.
        let is_whole = self.keeper.is_none() || edit.is_whole();
        if value != before && is_whole {
            self.put(&place, value);
        }
    }

    /// Takes over what an action made of the text in use.
    pub(super) fn refresh_edit(&mut self) {
        let Some(edit) = &self.edit else { return };
        let place = edit.place.clone();
        match self.value(&place) {
            Some(value) if value != edit.value() => self.focus(place),
            Some(_) => {}
            None => self.edit = None,
        }
    }

    /// Asks for the next permission, where one is left to ask for.
    pub(super) fn ask(&mut self, app: &App) {
        if let Some(permission) = self.questions.pop_front() {
            let title = format!("Allow {} to {}?", app.label, meaning(&permission));
            let kind = Kind::Permission { package: app.package.clone(), permission };
            self.dialog = Some(Dialog::new(title, kind));
        }
    }
}

/// Returns what a permission lets an app do.
fn meaning(permission: &str) -> String {
    let name = permission.rsplit('.').next().unwrap_or(permission);
    match name {
        "POST_NOTIFICATIONS" => "send you notifications".to_owned(),
        "CAMERA" => "take pictures and record video".to_owned(),
        "RECORD_AUDIO" => "record audio".to_owned(),
        "ACCESS_FINE_LOCATION" | "ACCESS_COARSE_LOCATION" => "access this device’s location".to_owned(),
        "READ_CONTACTS" => "access your contacts".to_owned(),
        _ => format!("use {}", name.to_lowercase().replace('_', " ")),
    }
}
