//! The steps of a project's tools, and the calls of such a tool in a step.

use std::sync::Arc;

use super::case::{Body, Config, Step, TestCase};
use super::case_settings::CaseSettings;
use super::error::Error;
use super::expression::holds_variables;
use super::known::Known;
use super::library::{Loaded, Setting, Trail};
use super::node::{Data, Entry, Node};
use super::own_tool::OwnTool;
use super::places::Written;
use super::reader::Reader;
use super::texts::Kept;
use super::{load, model, python_file, references, step};
use crate::action::{Diagnostic, MobileAction, Span};

/// Longest chain of tools that call each other.
const DEEPEST: usize = 8;

/// Reads the call of a tool in a step.
pub(super) fn call(reader: &mut Reader<'_>, entry: &Entry, tool: &Arc<OwnTool>, into: &mut Step) {
    let Some(setting) = reader.setting else { return };
    let (key, arguments) = (entry.place.span, entry.value.to_written());
    let written = Written::Short { key, value: &entry.value };
    for Diagnostic { path, at_key, message, hint, help } in tool.check(&arguments, &holds_variables) {
        let error = Error::at(reader.source, written.locate(&path, at_key), message);
        reader.report(error.with_hint(hint).with_help(help));
    }
    if !into.export.is_empty() {
        let help = "write `save: NAME`, which keeps what the tool returns";
        reader.refuse_with_help(key, "`export` is for `testcase`: a tool returns a value", help);
    }
    into.arguments = Some(Box::new(arguments));
    if let Some(chain) = setting.trail.cycle(&tool.path) {
        return reader.refuse(key, format!("tools call each other: {chain}"));
    }
    let above = setting.trail.files().filter(|trail| trail.is_tool).count();
    let kept = (above < DEEPEST).then(|| read_kept(&setting, tool));
    match kept.as_deref() {
        Some(Ok(loaded)) if above + loaded.depth <= DEEPEST => {
            reader.depth = reader.depth.max(loaded.depth + 1);
            reader.texts.extend(loaded.texts.iter().map(|(path, tree)| (path.clone(), Arc::clone(tree))));
            into.body = Body::Case(Arc::clone(&loaded.case));
        }
        Some(Err(errors)) => references::pass_on(reader, key, errors.iter().cloned()),
        _ => reader.refuse(key, format!("more than {DEEPEST} tools call each other in a chain")),
    }
}

/// Reads all tools of a project, whoever calls them.
pub(super) fn read_every(setting: &Setting<'_>) -> (Vec<Arc<TestCase>>, Vec<Error>) {
    let (mut cases, mut errors) = (Vec::new(), setting.tools.errors.clone());
    for tool in &setting.tools.tools {
        match read_kept(setting, tool).as_ref() {
            Ok(loaded) => cases.push(Arc::clone(&loaded.case)),
            Err(more) => errors.extend(more.iter().cloned()),
        }
    }
    (cases, errors)
}

fn read_kept(setting: &Setting<'_>, tool: &Arc<OwnTool>) -> Kept<Loaded> {
    let trail = Trail { path: &tool.path, shown: &tool.file, above: Some(&setting.trail), is_tool: true };
    let inner = Setting { trail, project: &setting.tools.project, ..*setting };
    setting.library.case(&tool.path, || read(&inner, tool))
}

fn read(setting: &Setting<'_>, tool: &Arc<OwnTool>) -> Result<Loaded, Vec<Error>> {
    let kept = setting.library.tree(&tool.path, &tool.file);
    let tree = kept.as_ref().as_ref().map_err(Clone::clone)?;
    let mut reader = Reader::new(&tree.source, setting.vocabulary);
    reader.setting = Some(*setting);
    reader.about = CaseSettings { files: load::files(&tool.path, setting.project), ..CaseSettings::default() };
    let functions = python_file::read(&mut reader, &[], setting);
    let names = functions.as_ref().map(|python| Arc::clone(&python.names));
    reader.about.functions.clone_from(&names);
    let config = Config { name: tool.name.clone(), ..Config::default() };
    let known = load::variables(&config, setting, &Known::default()).with_functions(names);
    let known = known.with(tool.names().into_iter().map(str::to_owned));
    let nodes: &[Node] = tree.root.entry("steps").map_or(&[], |entry| reader.list(&entry.value, "`steps`"));
    let steps = step::read_all(&mut reader, nodes, &known);
    if let Some(entry) = tree.root.entry("return") {
        check_return(&mut reader, &entry.value, &known.with(steps.iter().flat_map(model::set_by)));
    }
    let (path, file, project) = (tool.path.clone(), tool.file.clone(), Arc::clone(setting.project));
    let comment_cuts = Vec::new();
    let case = TestCase { path, file, config, steps, project, functions, tool: Some(Arc::clone(tool)), comment_cuts };
    if tool.for_agents {
        check_offered(&mut reader, &case, tool);
    }
    let depth = reader.depth;
    let mut texts = std::mem::take(&mut reader.texts);
    texts.insert(tool.path.clone(), Arc::clone(&kept));
    let (case, _) = load::finish(reader, Some(case))?;
    Ok(Loaded { case: Arc::new(case), parameters: None, wanted: Vec::new(), depth, texts })
}

/// Reports what is wrong with `return`; a variable's name alone is hardly meant as a text.
fn check_return(reader: &mut Reader<'_>, node: &Node, known: &Known) {
    reader.expressions(node, known);
    if let Data::Str(text) = &node.data
        && known.contains(text)
    {
        let error = Error::at(reader.source, node.place.span, format!("`{text}` is a text here, not the variable"));
        reader.report(error.with_hint(Some(format!("did you mean `${text}`?"))));
    }
}

/// Reports steps of a tool that agents are offered which call what agents may not, by themselves or by what they refer to.
fn check_offered(reader: &mut Reader<'_>, case: &TestCase, tool: &OwnTool) {
    // What a step refers to is shown before the step.
    let (mut errors, mut referred) = (Vec::new(), Vec::new());
    case.each_step_with_case(&mut |of, step| {
        let actions = step.actions().iter().chain(step.validate.iter().map(|check| &check.action));
        let refused = actions.filter_map(|action| Some((refused(reader, of, action)?, action.span)));
        if !std::ptr::eq(of, case) {
            return referred.extend(refused.map(|(name, at)| (name, of, at)));
        }
        for (name, at) in refused {
            let help = format!("write `allow: [{name}]` where agents may do it by this tool, else `agents: false`");
            errors.push(not_offered(reader, at, name, tool, help));
        }
        for (name, of, at) in referred.drain(..) {
            let allow = match &of.tool {
                Some(_) => format!("`allow: [{name}]` there where agents may do it, else "),
                None => String::new(),
            };
            let help = format!("{}:{}:{} calls it; write {allow}`agents: false` here", of.file, at.line, at.column);
            errors.push(not_offered(reader, step.place, name, tool, help));
        }
    });
    errors.into_iter().for_each(|error| reader.report(error));
}

/// Names the tool of an action that agents may not call, nor the file that the action stands in.
fn refused(reader: &Reader<'_>, of: &TestCase, action: &MobileAction) -> Option<&'static str> {
    let is_refused = (reader.vocabulary.facts)(&action.method).is_some_and(|facts| !facts.for_agents);
    let name = (reader.vocabulary.find)(&action.method).unwrap_or_default();
    (is_refused && !of.tool.as_ref().is_some_and(|tool| tool.allows(name))).then_some(name)
}

fn not_offered(reader: &Reader<'_>, at: Span, name: &str, tool: &OwnTool, help: String) -> Error {
    let message = format!("`{name}` is for testcases only, and agents are offered `{}`", tool.name);
    Error::at(reader.source, at, message).with_help(Some(help))
}
