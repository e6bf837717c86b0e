//! Requests → versions of instances. Whatever changes an instance goes through here.

use std::fmt::Display;
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::Duration;

use chrono::Utc;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use tokio::sync::watch;
use uixt_instance::{ActOutcome, Instance, Patch, PatchReport, Services, Skipped};
use uixt_store::{Entry, Store, Stored, Written};

use super::{Error, edit};

/// The environment variable that names the hosts that actions may ask, by commas.
pub(crate) const HOSTS: &str = "UIXT_UI_HOSTS";
/// How soon the change of another process is noticed.
const LOOK: Duration = Duration::from_millis(25);

/// All the instances of a store.
pub struct Ui {
    store: Store,
    services: Services,
    /// Counts what this process changed.
    changed: watch::Sender<u64>,
}

/// An instance and its version.
#[derive(Clone, Debug, PartialEq)]
pub struct Versioned {
    pub version: u64,
    pub instance: Instance,
}

/// One of all instances.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    pub now: Versioned,
    /// When it was changed last, in milliseconds since 1970.
    pub changed: i64,
    /// Whether it is the one that somebody turned to last.
    pub is_active: bool,
}

/// What is to be changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PatchRequest {
    pub patches: Vec<Value>,
    /// All or nothing.
    pub atomic: bool,
    /// The key of a field that is changed beside the patches, before them.
    pub field_key: Option<String>,
    /// Its new properties; null takes one away.
    pub updates: Option<Map<String, Value>>,
    pub remove_field: bool,
    /// The block of the field.
    pub block_index: usize,
}

/// What was changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Patched {
    pub now: Versioned,
    pub report: PatchReport,
}

/// What an action did.
#[derive(Clone, Debug, PartialEq)]
pub struct Acted {
    pub now: Versioned,
    pub outcome: ActOutcome,
}

/// What was taken back.
#[derive(Clone, Debug, PartialEq)]
pub struct Undone {
    pub now: Versioned,
    /// The version that was taken back, whose it was, and its patches.
    pub version: u64,
    pub author: String,
    pub patches: Value,
}

impl Ui {
    /// Opens a store; makes it where there is none.
    pub fn open(path: &Path, services: Services) -> Result<Arc<Self>, Error> {
        Ok(Arc::new(Self { store: Store::open(path)?, services, changed: watch::Sender::new(0) }))
    }

    /// Returns the store of a file that this process has open already, or opens it: those who share it hear of each other's changes
    /// at once.
    pub fn shared(path: &Path) -> Result<Arc<Self>, Error> {
        static OPEN: Mutex<Vec<Weak<Ui>>> = Mutex::new(Vec::new());
        let mut open = OPEN.lock();
        open.retain(|ui| ui.strong_count() > 0);
        if let Some(ui) = open.iter().filter_map(Weak::upgrade).find(|ui| ui.path() == path) {
            return Ok(ui);
        }
        let ui = Self::open(path, services()?)?;
        open.push(Arc::downgrade(&ui));
        Ok(ui)
    }

    /// Does what waits for the disk beside what else goes on.
    pub async fn apart<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let ui = Arc::clone(self);
        apart(move || work(&ui)).await
    }

    /// Returns where the store lies.
    pub fn path(&self) -> &Path {
        self.store.path()
    }

    /// Returns all instances, in the order of their ids.
    pub fn list(&self) -> Result<Vec<Summary>, Error> {
        let entries = self.store.instances().list()?;
        let used = entries.iter().map(|entry| entry.used).max();
        let summary = |entry: Entry| {
            let is_active = Some(entry.used) == used;
            Ok(Summary { now: read(&entry.stored)?, changed: entry.changed, is_active })
        };
        entries.into_iter().map(summary).collect()
    }

    pub fn get(&self, id: &str) -> Result<Versioned, Error> {
        self.store.instances().get(id)?.as_ref().map_or_else(|| Err(unknown(id)), read)
    }

    /// Returns only an instance's version; none where there is no such instance.
    pub fn version(&self, id: &str) -> Result<Option<u64>, Error> {
        Ok(self.store.instances().version(id)?)
    }

    /// Makes an instance of nothing, and changes it; where `replace` says so, in the place of one of its id. Where nothing of what was
    /// asked could be applied, there is none.
    pub fn create(&self, id: &str, request: &PatchRequest, replace: bool, author: &str) -> Result<Patched, Error> {
        let mut instance = Instance::from_value(&json!({"instance_id": id}))?;
        let report = applied(&mut instance, request)?;
        if replace { self.put(instance, report, author) } else { self.add(instance, report) }
    }

    /// Adds a whole instance.
    pub fn import(&self, value: &Value) -> Result<Patched, Error> {
        self.add(Instance::from_value(value)?, PatchReport::default())
    }

    /// Adds a whole instance, or puts it in the place of the one of its id.
    pub fn replace(&self, value: &Value, author: &str) -> Result<Patched, Error> {
        self.put(Instance::from_value(value)?, PatchReport::default(), author)
    }

    fn put(&self, new: Instance, report: PatchReport, author: &str) -> Result<Patched, Error> {
        let id = new.id().to_owned();
        if self.version(&id)?.is_none() {
            return self.add(new, report);
        }
        let (now, ()) = self.change(&id, author, |instance| {
            *instance = new;
            Ok((vec![Patch::set("(instance)", "replaced")], ()))
        })?;
        Ok(Patched { now, report })
    }

    fn add(&self, instance: Instance, report: PatchReport) -> Result<Patched, Error> {
        let schema = instance.to_json().to_string();
        if !self.store.instances().create(instance.id(), &schema, now())? {
            return Err(uixt_instance::Error::InstanceExists { id: instance.id().to_owned() }.into());
        }
        self.tell();
        Ok(Patched { now: Versioned { version: 1, instance }, report })
    }

    pub fn delete(&self, id: &str) -> Result<(), Error> {
        let is_gone = self.store.instances().delete(id)?;
        self.tell();
        if is_gone { Ok(()) } else { Err(unknown(id)) }
    }

    /// Notes that somebody turned to an instance.
    pub fn access(&self, id: &str) -> Result<Versioned, Error> {
        self.store.instances().use_now(id, now())?;
        self.get(id)
    }

    /// Changes an instance. Where nothing of what was asked could be applied, that is an error.
    pub fn patch(&self, id: &str, request: &PatchRequest, author: &str) -> Result<Patched, Error> {
        let (now, report) = self.change(id, author, |instance| {
            let report = applied(instance, request)?;
            Ok((report.applied.clone(), report))
        })?;
        Ok(Patched { now, report })
    }

    /// Changes a field's value as a person may: to what the field can have, where it can be edited.
    pub fn edit(&self, id: &str, path: &str, value: Value, author: &str) -> Result<Versioned, Error> {
        let (now, ()) = self.change(id, author, |instance| {
            let patch = edit::patch(instance, path, value)?;
            let report = instance.apply(&[patch]);
            match report.skipped.is_empty() {
                true => Ok((report.applied, ())),
                false => Err(Error::Refused(report.skipped)),
            }
        })?;
        Ok(now)
    }

    /// Runs an action; `row` is the table's row that was chosen for it. What only this instance is needed for happens at once, so that
    /// two who count at the same time both count.
    pub async fn act(
        self: &Arc<Self>,
        id: &str,
        action: &str,
        row: Option<Value>,
        author: &str,
    ) -> Result<Acted, Error> {
        let (this, at) = (Arc::clone(self), (id.to_owned(), action.to_owned(), author.to_owned()));
        let chosen = row.clone();
        let prepared = apart(move || {
            let (id, action, author) = &at;
            let mut waiting = None;
            let (now, outcome) = this.change(id, author, |instance| {
                choose(instance, chosen);
                match instance.prepare(action, &this.services)?.resolve_now() {
                    Ok(resolved) => {
                        let outcome = instance.finish(resolved);
                        Ok((outcome.report.applied.clone(), outcome))
                    }
                    Err(prepared) => {
                        waiting = Some(prepared);
                        Ok((Vec::new(), ActOutcome::default()))
                    }
                }
            })?;
            Ok((Acted { now, outcome }, waiting))
        });
        let (done, waiting) = prepared.await?;
        let Some(prepared) = waiting else { return Ok(done) };
        let resolved = prepared.resolve(&self.services).await;
        let (this, id, author) = (Arc::clone(self), id.to_owned(), author.to_owned());
        apart(move || {
            let (now, outcome) = this.change(&id, &author, |instance| {
                choose(instance, row);
                let outcome = instance.finish(resolved);
                Ok((outcome.report.applied.clone(), outcome))
            })?;
            Ok(Acted { now, outcome })
        })
        .await
    }

    /// Takes back the last version that was not taken back yet.
    pub fn undo(&self, id: &str, author: &str) -> Result<Undone, Error> {
        let known = self.version(id)?.ok_or_else(|| unknown(id))?;
        let last = self.store.instances().last(id)?.ok_or_else(|| Error::NothingToUndo(id.to_owned()))?;
        let back: json_patch::Patch = serde_json::from_str(&last.back).map_err(broken)?;
        let mut after = None;
        let version = self.store.instances().update::<Error>(id, |stored| {
            // Whoever was faster is not taken back unseen.
            let Some(stored) = stored.filter(|stored| stored.version == known) else { return Ok(None) };
            let before: Value = serde_json::from_str(&stored.schema).map_err(broken)?;
            let mut value = before.clone();
            json_patch::patch(&mut value, &back).map_err(broken)?;
            let instance = Instance::from_value(&value)?;
            after = Some(instance.clone());
            Ok(Some(written(&before, &instance.to_json(), author, &[], Some(last.version))))
        })?;
        let (Some(version), Some(instance)) = (version, after) else { return self.undo(id, author) };
        self.tell();
        let patches = serde_json::from_str(&last.patches).unwrap_or_default();
        let now = Versioned { version, instance };
        Ok(Undone { now, version: last.version, author: last.author, patches })
    }

    /// Keeps a file for an instance; returns its id.
    pub fn add_file(&self, instance: &str, name: &str, kind: &str, content: &[u8]) -> Result<String, Error> {
        let id: String = std::iter::repeat_with(fastrand::alphanumeric).take(24).collect();
        match self.store.instances().add_file(instance, &id, name, kind, content)? {
            true => Ok(id),
            false if self.version(instance)?.is_some() => {
                Err(Error::TooLarge("an instance keeps at most 50 files".to_owned()))
            }
            false => Err(unknown(instance)),
        }
    }

    /// Removes a file that nothing shows any more.
    pub fn remove_file(&self, instance: &str, id: &str) -> Result<(), Error> {
        Ok(self.store.instances().remove_file(instance, id)?)
    }

    /// Returns the name, type and content of a file.
    pub fn file(&self, instance: &str, id: &str) -> Result<Option<(String, String, Vec<u8>)>, Error> {
        Ok(self.store.instances().file(instance, id)?)
    }

    /// Changes an instance as `work` says, which returns what it applied and what it has to tell. Nothing applied is no version.
    fn change<T>(
        &self,
        id: &str,
        author: &str,
        work: impl FnOnce(&mut Instance) -> Result<(Vec<Patch>, T), Error>,
    ) -> Result<(Versioned, T), Error> {
        let mut told = None;
        let version = self.store.instances().update::<Error>(id, |stored| {
            let stored = stored.ok_or_else(|| unknown(id))?;
            let before: Value = serde_json::from_str(&stored.schema).map_err(broken)?;
            let mut instance = Instance::from_value(&before)?;
            let (applied, tell) = work(&mut instance)?;
            let after = instance.to_json();
            let is_new = !applied.is_empty() && after != before;
            let written = is_new.then(|| written(&before, &after, author, &applied, None));
            told = Some((instance, tell));
            Ok(written)
        })?;
        self.tell();
        let (Some(version), Some((instance, tell))) = (version, told) else { return Err(unknown(id)) };
        Ok((Versioned { version, instance }, tell))
    }

    fn tell(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    /// Begins to watch for changes.
    pub fn changes(self: &Arc<Self>) -> Changes {
        Changes { changed: self.changed.subscribe(), ui: Arc::clone(self), others: self.store.changes_of_others().ok() }
    }
}

/// Tells of changes, those of other processes too.
pub struct Changes {
    ui: Arc<Ui>,
    changed: watch::Receiver<u64>,
    others: Option<u64>,
}

impl Changes {
    /// Returns once something was changed since this was last called, or since it began.
    pub async fn next(&mut self) {
        loop {
            if let Ok(Ok(())) = tokio::time::timeout(LOOK, self.changed.changed()).await {
                return;
            }
            let ui = Arc::clone(&self.ui);
            let others = tokio::task::spawn_blocking(move || ui.store.changes_of_others().ok()).await.ok().flatten();
            if std::mem::replace(&mut self.others, others) != others {
                return;
            }
        }
    }
}

/// Does what waits for the disk beside what else goes on.
pub(crate) async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(broken(error)))
}

/// Makes the services of actions: they reach the hosts that the user allowed, and no others.
fn services() -> Result<Services, Error> {
    let named = std::env::var(HOSTS).unwrap_or_default();
    let hosts: Vec<String> =
        named.split(',').map(str::trim).filter(|host| !host.is_empty()).map(str::to_owned).collect();
    Services::reaching(&hosts).map_err(broken)
}

fn choose(instance: &mut Instance, row: Option<Value>) {
    if let Some(row) = row {
        instance.apply(&[Patch::set("state.runtime.row", row)]);
    }
}

fn broken(error: impl Display) -> Error {
    Error::Broken(error.to_string())
}

fn unknown(id: &str) -> Error {
    uixt_instance::Error::InvalidInstance { id: id.to_owned() }.into()
}

fn now() -> i64 {
    Utc::now().timestamp_millis()
}

fn read(stored: &Stored) -> Result<Versioned, Error> {
    let instance = Instance::from_json(&stored.schema).map_err(broken)?;
    Ok(Versioned { version: stored.version, instance })
}

fn written(before: &Value, after: &Value, author: &str, applied: &[Patch], undoes: Option<u64>) -> Written {
    Written {
        back: json!(json_patch::diff(after, before)).to_string(),
        schema: after.to_string(),
        author: author.to_owned(),
        patches: json!(applied).to_string(),
        undoes,
        changed: now(),
    }
}

/// Applies what is asked, to an instance of which the caller forgets what became of it after an error.
fn applied(instance: &mut Instance, request: &PatchRequest) -> Result<PatchReport, Error> {
    let mut report = PatchReport::default();
    if let Some(key) = &request.field_key {
        let updates = request.updates.as_ref().filter(|_| !request.remove_field);
        match instance.field_patch(request.block_index, key, updates) {
            Ok(patch) => report = instance.apply(&[patch]),
            Err(error) => {
                let patch = json!({"field_key": key, "block_index": request.block_index});
                report.skipped.push(Skipped { patch, error });
            }
        }
    }
    let more = instance.apply_values(&request.patches);
    report.applied.extend(more.applied);
    report.skipped.extend(more.skipped);
    match !report.skipped.is_empty() && (request.atomic || report.applied.is_empty()) {
        true => Err(Error::Refused(report.skipped)),
        false => Ok(report),
    }
}

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;
