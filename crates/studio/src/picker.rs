//! What a browser opens beside its page, where no picture shows it: the list of a `<select>`, and the chooser for files. The studio's own page asks
//! instead.

use std::path::Path;

use serde_json::{Value, json};
use uixt_locate::finder::Purpose;
use uixt_locate::naming;
use uixt_locate::{Error, Object};

use crate::act::{Answer, asked, call};
use crate::said::Place;
use crate::stage::Stage;
use crate::{elements, point};

/// Tells of an element what a touch of it would open.
const OPENS: &str = "(element) => {
    if (element instanceof HTMLSelectElement && !element.multiple && element.size < 2 && !element.disabled)
        return { options: Array.from(element.options, (option) => option.label).slice(0, 500) };
    if (element instanceof HTMLInputElement && element.type === 'file' && !element.disabled)
        return { files: true };
    return null;
}";

/// Files that are proposed, at most, and how deep their folders lie.
const MOST: usize = 200;
const DEEPEST: usize = 4;

/// Returns what is asked where a touch of a point would open a list or a chooser; none where it opens nothing.
pub(crate) async fn opened(stage: &Stage, at: [f64; 2], root: &Path) -> Option<Value> {
    let pages = stage.driver.pages("tell what opens").ok()?;
    let seen = stage.seen();
    let (_, element) = point::element(&seen.screen, &Place::at(at))?;
    let asks = matches!(element.role, "combobox" | "button" | "list" | "textfield" | "option");
    let key = element.key().filter(|_| asks)?;
    let told = pages.ask_element(key, OPENS, &[]).await.ok()?;
    let rect = elements::sides(element.rect);
    let name = if element.label.is_empty() { element.name() } else { &element.label };
    if told["options"].is_array() {
        return Some(json!({"event": "choose", "at": at, "rect": rect, "name": name, "options": told["options"]}));
    }
    let files = told["files"].as_bool().map(|_| below(root))?;
    Some(json!({"event": "choose_files", "at": at, "rect": rect, "name": name, "files": files}))
}

/// Chooses an option of the list at a point, files for the field there, or what it holds.
pub(crate) async fn chosen(stage: &Stage, at: [f64; 2], what: (&'static str, Value)) -> Result<Answer, Error> {
    let seen = stage.seen();
    let element = point::element(&seen.screen, &Place::at(at)).map(|(_, element)| element);
    let target = element.and_then(|element| naming::target(element, &seen.screen, Purpose::Read));
    let target: Object = target.ok_or_else(|| Error::bad_argument("what was to be chosen from is gone"))?;
    let place = naming::short_target(&target);
    match what {
        ("option", option) => asked(stage, call("select_option", json!({"option": option, "from": place}))).await,
        ("value", value) => asked(stage, call("input", json!({"text": value, "into": place}))).await,
        (_, files) => asked(stage, call("upload", json!({"files": files, "into": place}))).await,
    }
}

/// Returns files of a project that somebody may mean, from its folder.
fn below(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![(root.to_path_buf(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let mut entries: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type().ok();
            let is_left_out = name.starts_with('.') || matches!(name.as_str(), "results" | "node_modules" | "target");
            match kind {
                Some(kind) if kind.is_dir() && depth < DEEPEST && !is_left_out => {
                    folders.push((entry.path(), depth + 1));
                }
                Some(kind) if kind.is_file() && !is_left_out => {
                    found.extend(entry.path().strip_prefix(root).map(|path| path.to_string_lossy().into_owned()));
                }
                _ => {}
            }
            if found.len() == MOST {
                return found;
            }
        }
    }
    found
}
