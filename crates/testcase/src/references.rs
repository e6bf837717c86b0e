//! `testcase` and `api` of a step: other files, found in the project, read and checked with the one that refers to them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::case::{Body, Check, DeviceEntry, Step};
use super::error::Error;
use super::known::Known;
use super::library::{DEEPEST, Loaded, Setting, Trail};
use super::load;
use super::node::{Data, Entry, Node};
use super::reader::Reader;
use super::texts::Kept;
use super::{extract, keys, step};
use crate::action::Span;

/// Reads `testcase`: a path, or a case that stands in the step.
pub(super) fn testcase(reader: &mut Reader<'_>, entry: &Entry, known: &Known, into: &mut Step) {
    let Some(setting) = reader.setting else { return };
    if let Data::Map(_) = &entry.value.data {
        let Some(loaded) = load::read_inline(reader, &entry.value, &setting, known) else { return };
        return take(reader, entry, known, into, &loaded);
    }
    let Some(found) = find(reader, entry, "a testcase") else { return };
    let Some(loaded) = load_case(reader, entry, &setting, &found) else { return };
    match loaded.as_ref() {
        Ok(loaded) => take(reader, entry, known, into, loaded),
        Err(errors) => pass_on(reader, entry.value.place.span, errors.iter().cloned()),
    }
}

/// A file that a step names.
struct Found {
    path: PathBuf,
    shown: String,
}

fn load_case(reader: &mut Reader<'_>, entry: &Entry, setting: &Setting<'_>, found: &Found) -> Option<Kept<Loaded>> {
    if let Some(chain) = setting.trail.cycle(&found.path) {
        let message = format!("testcases refer to each other: {chain}");
        reader.refuse(entry.value.place.span, message);
        return None;
    }
    let above = setting.trail.files().count();
    let too_deep = |reader: &mut Reader<'_>| {
        let message = format!("more than {DEEPEST} testcases refer to each other in a chain");
        reader.refuse(entry.value.place.span, message);
        None
    };
    if above >= DEEPEST {
        return too_deep(reader);
    }
    let trail = Trail { path: &found.path, shown: &found.shown, above: Some(&setting.trail), is_tool: false };
    let inner = Setting { trail, ..*setting };
    let kept = setting.library.case(&found.path, || load::read_referred(&inner));
    match kept.as_ref() {
        Ok(loaded) if above + loaded.depth > DEEPEST => too_deep(reader),
        _ => Some(kept),
    }
}

/// Makes a loaded case the body of a step.
fn take(reader: &mut Reader<'_>, entry: &Entry, known: &Known, into: &mut Step, loaded: &Loaded) {
    let missing: Vec<_> = loaded.wanted.iter().filter(|(name, _)| !known.may_have(name)).cloned().collect();
    let place = entry.value.place.span;
    for (name, error) in missing {
        let error = referred(reader, place, error);
        match &mut reader.wanted {
            Some(wanted) => wanted.push((name, error)),
            None => reader.report(error),
        }
    }
    match (&loaded.parameters, &into.parameters) {
        (Some(_), Some(_)) => {
            let help = "leave them out of one of the two";
            reader.refuse_with_help(place, "this testcase has `parameters`, and so has the step", help);
        }
        (Some(parameters), None) => into.parameters = Some(Box::new(parameters.clone())),
        _ => {}
    }
    let unknown = |device: &&DeviceEntry| device.name.as_ref().is_some_and(|name| !reader.about.devices.contains(name));
    if let Some(name) = loaded.case.config.devices.iter().find(unknown).and_then(|device| device.name.clone()) {
        let help = format!("its steps run on the devices of this case: name `{name}` in this config as well");
        reader.refuse_with_help(
            place,
            format!("this testcase names a device `{name}`, and this config does not"),
            help,
        );
    }
    reader.depth = reader.depth.max(loaded.depth + 1);
    reader.texts.extend(loaded.texts.iter().map(|(path, tree)| (path.clone(), Arc::clone(tree))));
    into.body = Body::Case(Arc::clone(&loaded.case));
}

/// Reports the errors of another file, with who refers to it.
pub(super) fn pass_on(reader: &mut Reader<'_>, place: Span, errors: impl Iterator<Item = Error>) {
    for error in errors {
        let error = referred(reader, place, error);
        reader.report(error);
    }
}

fn referred(reader: &Reader<'_>, place: Span, mut error: Error) -> Error {
    if error.file != reader.source.file {
        error.referred.push(format!("{}:{}:{}", reader.source.file, place.line, place.column));
    }
    error
}

/// Finds the file that a step names: below the project's folder, or below that of the file itself.
fn find(reader: &mut Reader<'_>, entry: &Entry, what: &str) -> Option<Found> {
    let node = &entry.value;
    let place = entry.shown_place();
    let Data::Str(written) = &node.data else {
        let message = format!("`{}` is the path of {what}, or a map, not {}", entry.key, node.kind());
        reader.refuse(place, message);
        return None;
    };
    if written.contains('$') {
        let help = "files are read before anything runs: name it, and choose with `if`";
        reader.refuse_with_help(place, "a path cannot hold an expression", help);
        return None;
    }
    let path = written.trim();
    let extension = Path::new(path).extension().map(|extension| extension.to_string_lossy().to_lowercase());
    if !matches!(extension.as_deref(), Some("yaml" | "yml" | "json")) {
        let help = match extension.as_deref() {
            Some("py" | "go") => "call a program with `shell`, or a function of a Python file",
            _ => "name a file that ends in .yaml, .yml or .json",
        };
        reader.refuse_with_help(place, format!("{path} is not {what}"), help);
        return None;
    }
    match reader.about.files.referred(path).map_err(String::from) {
        Ok(found) => Some(Found { shown: shown(&found), path: found }),
        Err(message) => {
            let help = format!(
                "a path is relative to the project's folder ({}), or to that of this file; an empty uixt.yaml makes a folder a project's",
                shown(reader.about.files.root())
            );
            reader.refuse_with_help(place, message, help);
            None
        }
    }
}

/// Shows a path below the working directory without it.
fn shown(file: &Path) -> String {
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
    let shown = file.strip_prefix(here).unwrap_or(file).to_string_lossy().replace('\\', "/");
    if shown.is_empty() { ".".to_owned() } else { shown }
}

/// Reads `api`: the path of an api file, or what would stand in it; what the step itself says comes on top.
pub(super) fn api(reader: &mut Reader<'_>, entry: &Entry, known: &Known, into: &mut Step) {
    let Some(setting) = reader.setting else { return };
    if let Data::Map(_) = &entry.value.data {
        let under = read_api(reader, &entry.value, known);
        merge(into, under);
        return;
    }
    let Some(found) = find(reader, entry, "an api file") else { return };
    let kept = setting.library.tree(&found.path, &found.shown);
    reader.texts.insert(found.path.clone(), Arc::clone(&kept));
    let tree = match kept.as_ref() {
        Ok(tree) => tree,
        Err(errors) => return pass_on(reader, entry.value.place.span, errors.iter().cloned()),
    };
    let mut inner = Reader::new(&tree.source, setting.vocabulary);
    inner.about = reader.about.clone();
    inner.setting = Some(setting);
    inner.wanted = reader.wanted.as_ref().map(|_| Vec::new());
    let under = read_api(&mut inner, &tree.root, known);
    let place = entry.value.place.span;
    let (errors, wanted) = (inner.errors, inner.wanted.unwrap_or_default());
    pass_on(reader, place, errors.into_iter());
    for (name, error) in wanted {
        let error = referred(reader, place, error);
        reader.wanted.get_or_insert_default().push((name, error));
    }
    merge(into, under);
}

fn read_api(reader: &mut Reader<'_>, root: &Node, known: &Known) -> Option<Step> {
    let entries = reader.map(root, "an api file");
    for entry in entries.iter().filter(|entry| !keys::API.contains(&entry.key.as_str())) {
        reader.unknown_key(entry, "an api file", &keys::API);
    }
    if let Some(variables) = root.entry("variables").filter(|entry| matches!(entry.value.data, Data::Str(_))) {
        let help = "name them here, and write the expression in the step's `variables` or the config's";
        reader.refuse_with_help(variables.value.place.span, "an api file names its variables", help);
        return None;
    }
    if root.entry("request").is_none() {
        reader.refuse(root.place.span, "an api file has a `request`");
        return None;
    }
    step::read(reader, root, known)
}

fn merge(into: &mut Step, under: Option<Step>) {
    let Some(under) = under else { return };
    into.body = under.body;
    extract::modernize(into);
    into.name = into.name.take().or(under.name);
    into.export.extend(under.export);
    let own = std::mem::replace(&mut into.variables, under.variables);
    into.variables.extend(own);
    into.variables_from = into.variables_from.take().or(under.variables_from);
    prepend(&mut into.setup, under.setup);
    prepend(&mut into.teardown, under.teardown);
    let own = |variable: &str| into.extracts.iter().any(|extract| extract.variable == variable);
    let extracts: Vec<_> = under.extracts.into_iter().filter(|extract| !own(&extract.variable)).collect();
    prepend(&mut into.extracts, extracts);
    let own = |check: &Check| into.validate.iter().any(|other| is_same(other, check));
    let checks: Vec<_> = under.validate.into_iter().filter(|check| !own(check)).collect();
    prepend(&mut into.validate, checks);
}

/// Says whether two checks look at the same value in the same way, so that the step's takes the place of the file's.
fn is_same(a: &Check, b: &Check) -> bool {
    a.actual.is_some() && a.actual == b.actual && a.action.params.get("assert") == b.action.params.get("assert")
}

fn prepend<T>(to: &mut Vec<T>, mut first: Vec<T>) {
    first.append(to);
    *to = first;
}
