//! A testcase as the runner gets it: plain data, expressions unevaluated, every step with its place.

use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use uixt_core::ai::AiOptions;
use uixt_core::dialogs::Dialogs;
use uixt_core::fail_on::FailOn;

use super::comment_cuts::CommentCut;
use super::error::Error;
use super::formula;
use super::own_tool::OwnTool;
use super::parameters::Parameters;
use super::python::Python;
use crate::action::{MobileAction, Span};

/// One testcase file.
#[derive(Clone, Debug)]
pub struct TestCase {
    /// The file.
    pub path: PathBuf,
    /// The file as it was given, with `/`, for people.
    pub file: String,
    pub config: Config,
    /// At least one.
    pub steps: Vec<Step>,
    /// What `uixt.yaml` beside the file or above it says.
    pub project: Arc<Project>,
    /// The Python functions that its expressions may call; cases of one project share a process.
    pub functions: Option<Python>,
    /// The project's tool whose steps these are, where they are one's.
    pub tool: Option<Arc<OwnTool>>,
    /// Texts of the file that a comment cuts.
    pub comment_cuts: Vec<CommentCut>,
}

impl TestCase {
    /// Returns what that goes wrong beside the steps fails the case.
    pub fn fail_on(&self) -> &[FailOn] {
        self.config.fail_on.as_ref().or(self.project.fail_on.as_ref()).map_or(&[], Vec::as_slice)
    }
}

impl Error {
    /// Returns an error about a place of a testcase that was loaded.
    pub fn in_case(case: &TestCase, span: Span, message: impl Into<String>) -> Self {
        let text = std::fs::read_to_string(&case.path).unwrap_or_default();
        let line = text.lines().nth((span.line as usize).saturating_sub(1)).map(str::to_owned);
        Error { line, span: Some(span), ..Error::of_whole(&case.file, message) }
    }
}

/// The `config` of a testcase.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// May hold expressions; the file's name where none is given.
    pub name: String,
    pub variables: Map<String, Value>,
    /// The expression that the variables come from, where the file names none itself.
    pub variables_from: Option<Box<str>>,
    /// Variables that win over `variables`, and what `${ENV(…)}` looks at before the environment.
    pub environs: Map<String, Value>,
    /// The device of the case as the command line takes one: `phone`, `browser`, `android:SERIAL`, ….
    pub device: Option<DeviceOption>,
    /// The devices that `android`, `ios`, `harmony` and `browser` name, in this order.
    pub devices: Vec<DeviceEntry>,
    pub tags: Vec<String>,
    /// Devices or programs without which the case is skipped.
    pub requires: Vec<String>,
    /// What no two cases use at the same time, such as an account; may hold expressions.
    pub locks: Vec<String>,
    /// Until when it may fail without failing the run.
    pub quarantine: Option<Quarantine>,
    /// Seconds that the case may take, above 0.
    pub case_timeout: Option<f64>,
    /// What is done to a phone before the case; the project's where it does not say.
    pub reset: Option<Reset>,
    /// What that goes wrong beside the steps fails the case; the project's where it does not say.
    pub fail_on: Option<Vec<FailOn>>,
    /// What becomes of the dialogs that pages open and that no step answers.
    pub dialogs: Dialogs,
    /// The rows that the case runs with, each a case of its own in the results.
    pub parameters: Option<Parameters>,
    /// Run before the steps; where one does not pass, the steps are not run.
    pub setup: Vec<Hook>,
    /// Run after the steps, however these ended.
    pub teardown: Vec<Hook>,
    /// Run before `teardown` where the case did not pass.
    pub on_failure: Vec<Hook>,
    /// Variables that a step which refers to this case gets, and that summaries show.
    pub export: Vec<String>,
    /// The file of MCP servers that `mcp` steps call.
    pub mcp_config_path: Option<NamedFile>,
    /// The models that steps in words are for.
    pub ai_options: AiOptions,
    /// Whether touches are told to the server that `HttpRunner` calls `evalpkgs`.
    pub anti_risk: bool,
    /// What stands before addresses that are paths; may hold expressions.
    pub base_url: Option<Value>,
}

/// Until when a case may fail without failing the run, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantine {
    /// The last day, by the local clock.
    pub until: chrono::NaiveDate,
    pub reason: String,
}

/// A file that a testcase names, and where it does.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedFile {
    pub path: String,
    pub place: Span,
}

impl Config {
    /// Returns the option that names the case's device; none where any will do.
    pub fn serial(&self) -> Option<&DeviceOption> {
        let first = self.devices.iter().find(|device| device.platform == "android")?;
        first.options.iter().find(|option| option.key == "serial")
    }
}

/// One device of a `config`.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceEntry {
    /// What steps call it, where they run on several.
    pub name: Option<String>,
    /// `android`, `ios`, `harmony` or `browser`.
    pub platform: String,
    /// `serial`, `adb_server_host`, …; may hold expressions.
    pub options: Vec<DeviceOption>,
    pub place: Span,
}

/// One option of a [`DeviceEntry`].
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceOption {
    pub key: String,
    pub value: Value,
    /// Where the value stands.
    pub place: Span,
}

/// One step.
///
/// A file may have tens of thousands of them, so that what few have and is large stands in a box.
///
/// It runs, in this order: `parameters` and `repeat` say how often; for each time `when` says whether; then `setup`, the `body`, `saves`
/// and `extracts`, `validate`, and in any case `teardown`. `retry` repeats all from `setup` on.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// May hold expressions.
    pub name: Option<String>,
    pub place: Span,
    /// `android`, `ios`, `harmony` or `browser` where the step says so.
    pub platform: Option<String>,
    /// The device that the step is for; may hold expressions.
    pub serial: Option<String>,
    /// The same by its name in the config.
    pub device: Option<Box<str>>,
    /// With these, the step runs only where the run's `--tags` hold for them and the case's together.
    pub tags: Vec<String>,
    pub variables: Map<String, Value>,
    /// The expression that the variables come from, where the file names none itself.
    pub variables_from: Option<Box<str>>,
    /// The rows that the step runs with, one after the other.
    pub parameters: Option<Box<Parameters>>,
    pub repeat: Option<Box<Repeat>>,
    /// The step is skipped where it does not hold.
    pub when: Option<Box<Condition>>,
    pub retry: Option<Retry>,
    /// Its failure does not end the case, which fails all the same; an error does end it.
    pub optional: bool,
    /// Takes a picture after the step.
    pub screenshot: bool,
    /// Closes pop-ups after the actions.
    pub closes_popups: bool,
    /// Whether its touches are told to the server that `HttpRunner` calls `evalpkgs`.
    pub anti_risk: bool,
    pub setup: Vec<Hook>,
    pub teardown: Vec<Hook>,
    pub body: Body,
    /// The arguments of the project's tool that the body is; may hold expressions.
    pub arguments: Option<Box<Value>>,
    /// What of the last action's result is kept for later steps.
    pub saves: Vec<Save>,
    /// The same by JMESPath.
    pub extracts: Vec<Extract>,
    /// Variables that are kept for later steps: those of the case that the step refers to, else the step's own.
    pub export: Vec<String>,
    /// What must hold after the actions.
    pub validate: Vec<Check>,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum Body {
    /// Calls, in order; none where the step only checks.
    Actions(Vec<MobileAction>),
    /// `steps`: steps under a common name, condition or repetition.
    Group(Vec<Step>),
    /// `if`, `then`, `else`.
    Choice { condition: Condition, then: Vec<Step>, otherwise: Vec<Step> },
    /// `testcase`: the steps of another file, with variables of their own; the step's variables win over its config's. Or those of a tool
    /// of the project, which see its arguments.
    Case(Arc<TestCase>),
    /// What is accepted and changes nothing, with the reason.
    Nothing {
        reason: String,
        /// Whether it does so because the testcase says so.
        is_wished: bool,
    },
}

impl Default for Body {
    fn default() -> Self {
        Body::Actions(Vec::new())
    }
}

impl Step {
    /// Returns the calls that the step itself makes.
    pub fn actions(&self) -> &[MobileAction] {
        match &self.body {
            Body::Actions(actions) => actions,
            _ => &[],
        }
    }

    /// Returns the project's tool that the step calls.
    pub fn own_tool(&self) -> Option<&Arc<OwnTool>> {
        match &self.body {
            Body::Case(case) => case.tool.as_ref(),
            _ => None,
        }
    }

    /// Tells whether the step makes calls whose answer it may look into.
    pub(super) fn has_result(&self) -> bool {
        !self.actions().is_empty() || self.own_tool().is_some()
    }

    /// Shows the step and every step that it may run, those of its hooks and cases included, in the order in which they act, each
    /// with the case that it stands in.
    fn each_step<'a>(&'a self, case: &'a TestCase, see: &mut dyn FnMut(&'a TestCase, &'a Step)) {
        each_of(case, self.setup.iter(), see);
        match &self.body {
            Body::Actions(_) | Body::Nothing { .. } => {}
            Body::Group(steps) => steps.iter().for_each(|step| step.each_step(case, see)),
            Body::Choice { then, otherwise, .. } => {
                then.iter().chain(otherwise).for_each(|step| step.each_step(case, see));
            }
            Body::Case(case) => case.each_step_with_case(see),
        }
        see(case, self);
        each_of(case, self.teardown.iter(), see);
    }
}

fn each_of<'a>(case: &'a TestCase, hooks: impl Iterator<Item = &'a Hook>, see: &mut dyn FnMut(&'a TestCase, &'a Step)) {
    for hook in hooks {
        if let Hook::Step(step) = hook {
            step.each_step(case, see);
        }
    }
}

impl TestCase {
    /// Shows every step that the case may run.
    pub fn each_step<'a>(&'a self, see: &mut dyn FnMut(&'a Step)) {
        self.each_step_with_case(&mut |_, step| see(step));
    }

    /// Shows every step that the case may run, and the case that it stands in: this one, or one that it refers to.
    pub fn each_step_with_case<'a>(&'a self, see: &mut dyn FnMut(&'a TestCase, &'a Step)) {
        each_of(self, self.config.setup.iter().chain(&self.config.teardown).chain(&self.config.on_failure), see);
        self.steps.iter().for_each(|step| step.each_step(self, see));
    }

    /// Returns the case and those that it refers to, each as often as that is done.
    pub fn cases(&self) -> Vec<&TestCase> {
        let mut cases = vec![self];
        self.each_step(&mut |step| {
            if let Body::Case(case) = &step.body {
                cases.push(case);
            }
        });
        cases
    }

    /// Returns what the case requires: its own, its project's, and those of the cases that it refers to.
    pub fn required(&self) -> Vec<&str> {
        let cases = self.cases();
        let required = cases.iter().flat_map(|case| case.project.requires.iter().chain(&case.config.requires));
        required.map(String::as_str).collect()
    }

    /// Returns the groups of devices, each of which the case's device must be one of: their names, and who is in them.
    pub fn groups(&self) -> Vec<(&str, &[String])> {
        let groups = &self.project.devices;
        let required = self.required().into_iter();
        required
            .filter_map(|word| groups.get_key_value(word))
            .map(|(name, of)| (name.as_str(), of.as_slice()))
            .collect()
    }

    /// Shows every action that the case may run.
    pub fn each_action<'a>(&'a self, see: &mut dyn FnMut(&'a MobileAction)) {
        self.each_step(&mut |step| {
            step.actions().iter().chain(step.validate.iter().map(|check| &check.action)).for_each(&mut *see);
        });
    }
}

/// One item of `setup_hooks`, `teardown_hooks` or `on_failure`.
#[derive(Clone, Debug)]
pub enum Hook {
    /// `${function()}`: evaluated for what it does.
    Evaluate { expression: Value, place: Span },
    /// `{name: ${function()}}`: sets a variable.
    Assign { variable: String, value: Value, place: Span },
    /// A step in the short form.
    Step(Box<Step>),
}

/// An expression that holds or not: `n > 3 and user == '小明'`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// As it is written, without `${` and `}` around it.
    pub expression: String,
    /// Where it stands.
    pub place: Span,
}

impl Condition {
    /// Returns the variables that the expression names, each once.
    pub fn variables(&self) -> Vec<String> {
        let mut names = formula::variables(&self.expression);
        let mut seen = BTreeSet::new();
        names.retain(|name| seen.insert(name.clone()));
        names
    }
}

/// How often a step runs. At least one of the first three is given; all that are given count.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeat {
    /// How many times: a number, or an expression that is one.
    pub times: Option<Value>,
    /// Looked at before each time.
    pub while_holds: Option<Condition>,
    /// Looked at after each time; where it still does not hold after `max` times, the step fails.
    pub until: Option<Condition>,
    /// The most times; reaching it with `while_holds` still true fails the step.
    pub max: u32,
    /// Seconds between two times.
    pub interval: f64,
}

/// How often a step that does not pass is tried again. What passes then is flaky.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retry {
    /// Tries after the first one.
    pub times: u32,
    /// Seconds between two tries.
    pub interval: f64,
}

/// One variable that a step's `extract` sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extract {
    pub variable: String,
    /// JMESPath into the tool's result, or a regular expression for the text of its `body`; may hold expressions.
    pub query: String,
    pub place: Span,
}

/// One variable that a step's `save` sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Save {
    pub variable: String,
    /// Dotted path into the tool's result; none means the tool's main field.
    pub field: Option<String>,
}

/// One item of a step's `validate`.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// A call of an assertion tool.
    pub action: MobileAction,
    /// What to say when it does not hold; may hold expressions.
    pub message: Option<Value>,
    /// Where the argument `value` of `assert_value` comes from; none for the other assertions.
    pub actual: Option<Actual>,
}

/// Where a value that is asserted comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Actual {
    /// An expression: `$token`, `${len($items)}`.
    Expression(Value),
    /// JMESPath into the result of the step's last action: `status_code`, `body.items[0].name`.
    Query(String),
}

/// What `uixt.yaml` says for the testcases of its folder and below.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Project {
    /// The folder that testcases name files in: that of `uixt.yaml`, `proj.json` or `debugtalk.*`, else the testcase's own.
    pub root: PathBuf,
    /// `uixt.yaml` as it is shown; none where there is none.
    pub file: Option<String>,
    /// What `.env` in `root` defines: secret, wins over `environs` of a config.
    pub environs: BTreeMap<String, String>,
    /// A device SPEC: `phone`, `android:SERIAL`, ….
    pub device: Option<String>,
    /// Groups of devices by their names, each with serials or SPECs of those in it: cases require them by their names.
    pub devices: BTreeMap<String, Vec<String>>,
    pub variables: Map<String, Value>,
    pub requires: Vec<String>,
    /// What is done to phones before each case.
    pub reset: Option<Reset>,
    /// What that goes wrong beside the steps fails a case.
    pub fail_on: Option<Vec<FailOn>>,
    /// The folder that is served to browsers on loopback, from the project file's folder.
    pub serve: Option<String>,
    /// Whether the page of UI instances is served beside it.
    pub serve_ui: bool,
    /// The command that starts `WebDriverAgent` on an iPhone where none answers.
    pub wda_start: Option<String>,
    /// Files and folders of definitions of other servers' tools, from the project file's folder.
    pub definitions: Vec<NamedFile>,
    /// The saved list of a registry of MCP servers, from the project file's folder.
    pub registry: Option<NamedFile>,
    /// Where research looks beside the project's files.
    pub research: Research,
    /// Files of tools that the project makes of steps, from the project file's folder; `*` in a name is any part of it.
    pub tools: Vec<NamedFile>,
    /// Testcases that run before and after the others, from the project file's folder.
    pub around: Around,
}

/// Where research looks beside a project's files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Research {
    /// The address of a `SearXNG`.
    pub searxng: Option<String>,
    /// An MCP server and its tool that searches.
    pub server: Option<(String, String)>,
    /// Hosts outside of the public internet whose pages are read.
    pub hosts: Vec<String>,
}

/// What is done to a phone before a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reset {
    None,
    App,
    Data,
    All,
}

impl Reset {
    pub(crate) fn read(word: &str) -> Option<Self> {
        Some(match word {
            "none" => Self::None,
            "app" => Self::App,
            "data" => Self::Data,
            "all" => Self::All,
            _ => return None,
        })
    }
}

/// Testcases that run before and after all others of a run, or of each device of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Around {
    pub before_run: Vec<NamedFile>,
    pub after_run: Vec<NamedFile>,
    pub before_device: Vec<NamedFile>,
    pub after_device: Vec<NamedFile>,
}

impl Project {
    /// Returns the folder of the project file; the project's own where there is none.
    pub fn folder(&self) -> &Path {
        let file = self.file.as_deref().map(Path::new);
        file.and_then(Path::parent).map_or(self.root.as_path(), |folder| match folder.as_os_str().is_empty() {
            true => Path::new("."),
            false => folder,
        })
    }
}
