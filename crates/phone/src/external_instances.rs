//! Pages that are UI instances kept outside of the phone: what is typed and tapped on them goes to whoever keeps them, who says
//! what is there then; what others change there is on the screen at the next look.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::apps::instances::LIST;
use super::keeper::Keeper;
use super::process::Process;
use super::refused::Refused;
use super::system::System;
use crate::instance::{Instance, Patch};

impl System {
    /// Opens a kept page, or the list of them.
    pub(super) async fn open_kept(&mut self, id: &str) -> Result<(), Refused> {
        if let Some(process) = self.front_process() {
            match (id, process.keeper.clone()) {
                ("", Some(keeper)) => keeper.list().map(drop).map_err(Refused)?,
                _ => process.fetch(id).map_err(Refused)?,
            }
        }
        self.open(if id.is_empty() { LIST } else { id }).await;
        Ok(())
    }

    /// Shows what others made of the kept page in front.
    pub(super) fn refresh_kept(&mut self) {
        if let Some(process) = self.front_process() {
            process.refresh();
        }
    }
}

/// Returns a page that says why there is none of this id.
fn gone(id: &str, why: &str) -> Option<Instance> {
    let page = json!({"instance_id": id, "title": id, "state": {"runtime": {"message": why, "status": "error"}}});
    Instance::from_value(&page).ok()
}

/// Returns a page whose files cannot be chosen: its keeper takes them in a browser, and the phone has others.
fn without_files(page: Instance) -> Instance {
    let mut changed = page.to_json();
    let blocks = changed["blocks"].as_array_mut().into_iter().flatten();
    for field in blocks.filter_map(|block| block.pointer_mut("/props/fields")?.as_array_mut()).flatten() {
        if field["type"] == "file" {
            field["editable"] = json!(false);
            field["description"] = json!("Files are handed over in the browser.");
        }
    }
    Instance::from_value(&changed).unwrap_or(page)
}

impl Process {
    /// Takes over a kept page as it is now, and those that are shown in it.
    pub(super) fn fetch(&mut self, id: &str) -> Result<(), String> {
        let Some(keeper) = self.keeper.clone() else { return Ok(()) };
        let (mut wanted, mut seen) = (vec![id.to_owned()], BTreeSet::new());
        while let Some(id) = wanted.pop().filter(|id| id != LIST) {
            if !seen.insert(id.clone()) {
                continue;
            }
            match keeper.get(&id) {
                Ok((version, page)) => {
                    wanted.extend(page.fields().filter_map(|(_, field)| field.target_instance.clone()));
                    self.versions.insert(id.clone(), version);
                    self.pages.insert(id, without_files(page));
                }
                Err(why) if seen.len() == 1 => return Err(why),
                // The page that it is shown in says that it is missing.
                Err(_) => drop(self.pages.remove(&id)),
            }
        }
        Ok(())
    }

    fn refresh(&mut self) {
        let (Some(keeper), Some(opened)) = (self.keeper.clone(), self.stack.last()) else { return };
        let id = opened.instance.clone();
        if id == LIST {
            return self.refresh_list(&keeper.list());
        }
        let is_old = |id: &String| keeper.version(id).ok().flatten().as_ref() != self.versions.get(id);
        let shown = self.pages.get(&id).into_iter().flat_map(Instance::fields);
        let inner: BTreeSet<String> = shown.filter_map(|(_, field)| field.target_instance.clone()).collect();
        if inner.iter().chain([&id]).any(is_old) {
            if let Err(why) = self.fetch(&id) {
                // Nothing of it is shown any more, nor can be touched.
                self.versions.remove(&id);
                self.edit = None;
                self.pages.extend(gone(&id, &why).map(|page| (id, page)));
            }
            self.refresh_edit();
        }
    }

    fn refresh_list(&mut self, list: &Result<Vec<(String, String)>, String>) {
        let Some(page) = self.pages.get_mut(LIST) else { return };
        let (rows, message) = match list {
            Ok(list) => (list.iter().map(|(id, title)| json!({"id": id, "title": title})).collect(), ""),
            Err(why) => (Vec::new(), why.as_str()),
        };
        page.apply(&[Patch::set("state.params.instances", rows), Patch::set("state.runtime.message", message)]);
    }

    /// Changes a field's value where it is kept; what is there then is shown.
    pub(super) fn set_kept(&mut self, keeper: &dyn Keeper, id: &str, path: &str, value: Value) {
        // An empty number is an empty text, as in a browser.
        let value = if value.is_null() { json!("") } else { value };
        let done = keeper.set(id, path, value).and_then(|()| self.fetch(id));
        if let Err(why) = done {
            self.say(id, &why);
        }
    }

    /// Says something on a page of the phone, as its own actions do; who keeps the page does not hear it.
    pub(super) fn say(&mut self, id: &str, what: &str) {
        if let Some(page) = self.pages.get_mut(id) {
            page.apply(&[Patch::set("state.runtime.message", what)]);
        }
    }
}
