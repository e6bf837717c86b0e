//! A testcase → the files that it is made of, and a digest of each of its steps: two of them tell from where on a case is another one.
//!
//! What changes nothing that runs, such as a comment, changes no digest. A step's digest holds what it refers to: other testcases,
//! pictures, tables, and the functions that it calls.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::testcase::{self, Body, GOALS, Hook, Step, TestCase};

/// What tells one content from another.
type Sum = [u8; 32];

/// What stands in a file; nothing where it is not there.
pub(super) type Digest = Option<Sum>;

/// What parts the names of files in a text, such as `${P(users.csv)}`.
const AROUND: [char; 10] = [' ', '\'', '"', '(', ')', '{', '}', ',', '=', '\n'];

/// What a case is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    config: Sum,
    steps: Vec<Sum>,
    /// The files, by their whole paths.
    pub(super) files: BTreeSet<PathBuf>,
}

/// Where two shapes of a case differ first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Difference {
    Nothing,
    /// In what all steps depend on.
    Config,
    /// In this step, from 0.
    Step(usize),
}

/// Returns a digest of what stands in a file.
pub(super) fn digest(file: &Path) -> Digest {
    std::fs::read(file).ok().map(|bytes| Sha256::digest(bytes).into())
}

/// Returns the path by which a file is known.
pub(super) fn whole(file: &Path) -> PathBuf {
    file.canonicalize().or_else(|_| std::path::absolute(file)).unwrap_or_else(|_| file.to_path_buf())
}

impl Shape {
    pub(super) fn of(case: &TestCase) -> Self {
        let mut value = testcase::read_value(&case.path).unwrap_or_default();
        let steps = value.get_mut("teststeps").map(Value::take);
        let steps = steps.as_ref().and_then(Value::as_array).filter(|steps| steps.len() == case.steps.len());
        let mut files = BTreeSet::from([whole(&case.path)]);
        let mut parts = steps.into_iter().flatten().zip(&case.steps);
        let steps: Vec<Sum> = parts.by_ref().map(|(written, step)| of_step(case, written, step, &mut files)).collect();
        // What is laid out in another way is taken as a whole.
        let written =
            if steps.is_empty() { std::fs::read_to_string(&case.path).unwrap_or_default() } else { String::new() };
        let mut used = of_project(case);
        used.extend(named(&value, case));
        used.extend(functions(case, &value));
        let config = of_parts(&format!("{value}{written}"), &used);
        files.extend(used);
        Self { config, steps, files }
    }

    pub(super) fn difference(&self, later: &Self) -> Difference {
        if self.config != later.config {
            return Difference::Config;
        }
        let first = self.steps.iter().zip(&later.steps).position(|(one, other)| one != other);
        match first {
            Some(step) => Difference::Step(step),
            None if self.steps.len() == later.steps.len() => Difference::Nothing,
            None => Difference::Step(self.steps.len().min(later.steps.len())),
        }
    }
}

fn of_step(case: &TestCase, written: &Value, step: &Step, files: &mut BTreeSet<PathBuf>) -> Sum {
    let mut used = named(written, case);
    used.extend(functions(case, written));
    for referred in referred(step) {
        used.insert(whole(&referred.path));
        used.extend(of_project(referred));
        let written = testcase::read_value(&referred.path).unwrap_or_default();
        used.extend(named(&written, referred));
        used.extend(functions(referred, &written));
    }
    files.extend(used.iter().cloned());
    of_parts(&written.to_string(), &used)
}

fn of_parts(written: &str, files: &BTreeSet<PathBuf>) -> Sum {
    let mut hasher = Sha256::new_with_prefix(written);
    for file in files {
        hasher.update(file.as_os_str().as_encoded_bytes());
        hasher.update(digest(file).unwrap_or_default());
    }
    hasher.finalize().into()
}

/// Returns the testcases that a step refers to, and those that these do.
fn referred(step: &Step) -> Vec<&TestCase> {
    let hooks = step.setup.iter().chain(&step.teardown);
    let hooks = hooks.filter_map(|hook| if let Hook::Step(step) = hook { Some(&**step) } else { None });
    let mut found: Vec<&TestCase> = hooks.flat_map(referred).collect();
    match &step.body {
        Body::Actions(_) | Body::Nothing { .. } => {}
        Body::Group(steps) => found.extend(steps.iter().flat_map(referred)),
        Body::Choice { then, otherwise, .. } => found.extend(then.iter().chain(otherwise).flat_map(referred)),
        Body::Case(case) => found.extend(case.cases()),
    }
    found
}

/// Returns the files that say something for all testcases of a project.
fn of_project(case: &TestCase) -> BTreeSet<PathBuf> {
    let own = case.project.file.as_ref().map(PathBuf::from);
    let all = own.into_iter().chain([case.project.root.join(".env")]);
    all.map(|file| whole(&file)).collect()
}

/// Returns the file of functions of which a value calls one.
fn functions(case: &TestCase, value: &Value) -> Option<PathBuf> {
    let python = case.functions.as_ref()?;
    let written = value.to_string();
    let calls = |name: &String| written.contains(&format!("{name}("));
    python.names.names.iter().any(calls).then(|| whole(python.functions.path()))
}

/// Returns the files that the texts in a value name, beside the testcase or below its project's folder.
fn named(value: &Value, case: &TestCase) -> BTreeSet<PathBuf> {
    let (mut texts, mut found) = (Vec::new(), BTreeSet::new());
    texts_of(value, &mut texts);
    let folders = [case.path.parent().unwrap_or(Path::new("")), &case.project.root];
    for name in texts.into_iter().flat_map(|text| text.split(AROUND)) {
        let is_name = name.contains('.') && name.len() < 256 && !name.ends_with(GOALS);
        let paths = folders.iter().filter(|_| is_name).map(|folder| folder.join(name));
        found.extend(paths.filter(|path| path.is_file()).map(|path| whole(&path)));
    }
    found
}

fn texts_of<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| texts_of(item, texts)),
        Value::Object(map) => map.values().for_each(|item| texts_of(item, texts)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::cli::testcases::vocabulary;
    use crate::testcase::Overrides;

    fn shape(file: &Path) -> Shape {
        let cases = testcase::load(&[file.to_path_buf()], &vocabulary(), &Overrides::default());
        Shape::of(&cases.expect("a testcase")[0])
    }

    #[test]
    fn the_first_step_that_is_another_one_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
        let own =
            "config: {name: A}\nteststeps:\n- home: \n- testcase: b.yaml\n- log: ${greet()}\n- log: ${P(users.csv)}\n";
        write("uixt.yaml", "");
        write("a.yaml", own);
        write("b.yaml", "teststeps:\n- log: b\n");
        write("debugtalk.py", "def greet():\n    return 'hi'\n");
        write("users.csv", "user\nann\n");
        let before = shape(&folder.path().join("a.yaml"));
        let names: Vec<_> = before.files.iter().filter_map(|file| file.file_name()?.to_str()).collect();
        assert_eq!(names, [".env", "a.yaml", "b.yaml", "debugtalk.py", "uixt.yaml", "users.csv"]);
        for (name, text, expected) in [
            ("a.yaml", format!("# A comment.\n{own}"), Difference::Nothing),
            ("a.yaml", own.replace("home: ", "back: "), Difference::Step(0)),
            ("a.yaml", format!("{own}- home: \n"), Difference::Step(4)),
            ("a.yaml", own.replace("name: A", "name: B"), Difference::Config),
            ("b.yaml", "teststeps:\n- log: c\n".to_owned(), Difference::Step(1)),
            ("debugtalk.py", "def greet():\n    return 'ho'\n".to_owned(), Difference::Step(2)),
            ("users.csv", "user\nbob\n".to_owned(), Difference::Step(3)),
            (".env", "PASSWORD=secret123\n".to_owned(), Difference::Config),
        ] {
            let kept = fs::read(folder.path().join(name)).ok();
            write(name, &text);
            assert_eq!(before.difference(&shape(&folder.path().join("a.yaml"))), expected, "{name}: {text}");
            match kept {
                Some(kept) => fs::write(folder.path().join(name), kept).expect("a file"),
                None => fs::remove_file(folder.path().join(name)).expect("a file"),
            }
        }
    }
}
