//! A tool and its row: the arguments that it is called with *are* the tool, and a row is what is left when its type is forgotten.

use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use uixt_call::{Aim, Bound, Exposure, Lacking, Shape, Table, ToolKind, ToolRow, Toolset, schema};
use uixt_locate::finder::Purpose;
use uixt_locate::{Error, Kind, Object};

use crate::{Context, Reply};

/// How long a call may take that is not asked to last.
pub const LIMIT: Duration = Duration::from_mins(1);

/// A tool: the arguments that it is called with.
pub trait Tool: DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// What testcases and agents call it.
    const NAME: &'static str;
    /// The set that it is listed with; none for what agents are not offered.
    const SET: Option<Toolset>;
    /// What it does, for whoever treats tools differently.
    const KIND: ToolKind;
    /// Other names that it is found by.
    const ALIASES: &'static [&'static str] = &[];
    /// How the `params` of a testcase fill its arguments.
    const PARAMS: Shape = Shape::Nothing;
    /// The fields of its answer beside those of every answer.
    const ANSWER: &'static [&'static str] = &[];
    /// Where its arguments say what it is for.
    const AIM: Aim = Aim::Target;
    /// What it wants of an element that a ref names, where its kind does not say that.
    const PURPOSE: Option<Purpose> = None;
    /// The tool that does the same, of which this is another name: with arguments and an answer of its own.
    const ALIAS_OF: Option<&'static str> = None;
    /// Arguments that hold a secret.
    const SECRETS: &'static [&'static str] = &[];
    /// Whether it may name files beside the testcase, other than pictures of targets.
    const NAMES_FILES: bool = false;
    /// How a long answer is told to an agent; by its kind where nothing is said.
    const BOUND: Option<Bound> = None;
    /// Whether it may be a step of a stored goal: what a planner does, as a testcase writes it. Whether it may be done is for `ai/policy.rs`.
    const IN_GOALS: bool = false;
    /// The word for it that a person would rather type.
    const VERB: Option<&'static str> = None;
    /// Whether the core has it where the device shows pages.
    const IN_BROWSER_CORE: bool = false;
    /// Other spellings of arguments; camelCase is understood without being named here.
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[];
    /// What platforms lack of it, so that a testcase that needs it there is refused before it runs.
    const LACKING: &'static [Lacking] = &[];
    /// Whom it is offered to.
    const EXPOSURE: Exposure = Exposure::Everyone;
    /// Whether it changes nothing.
    const READ_ONLY: bool = false;
    /// Whether it may destroy something; a touch does whatever the app has for it.
    const DESTRUCTIVE: bool = true;
    /// Whether calling it again with the same arguments changes nothing more.
    const IDEMPOTENT: bool = false;
    /// Whether it needs a device, and so takes `platform` and `serial`.
    const NEEDS_DEVICE: bool = true;
    /// Whether it has to do with devices at all: what lists or selects them needs none, and means nothing where none can be reached.
    const USES_DEVICES: bool = Self::NEEDS_DEVICE;
    /// Whether `ignore_NotFoundError` may let it pass without its target. Never for what would then be unable to fail.
    const TARGET_MAY_BE_ABSENT: bool = false;
    /// The field of the result that `save: name` keeps; the whole result where there is none.
    const MAIN: Option<&'static str> = None;
    /// The URI of the resource that shows the result, for programs that show one (MCP Apps).
    const VIEW: Option<&'static str> = None;

    /// Arguments that are handed on as the values they are: numbers in them are numbers, however a testcase spells them.
    const VALUES: &'static [&'static str] = &[];

    /// Arguments that [`check`](Self::check) does not look at, so that it can be made before they are known.
    const UNCHECKED: &'static [&'static str] = &[];

    /// Checks what a schema cannot say. The error names what is wrong and what is valid.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// Checks what a schema cannot say and other rows of the table decide.
    fn check_in(&self, _: &Table) -> Result<(), String> {
        self.check()
    }

    /// Returns how long a call may take before it is given up as hung: what it is asked to last, and [`LIMIT`].
    fn limit(&self) -> Duration {
        LIMIT
    }

    /// Does it.
    fn call(self, cx: &Context) -> impl Future<Output = Result<Reply, Error>> + Send;
}

pub(super) type Called<'a> = Pin<Box<dyn Future<Output = Result<Reply, Error>> + Send + 'a>>;

/// Reads the arguments and begins the call; also tells how long it may take.
pub(super) type Call = for<'a> fn(Object, &'a Context) -> Result<(Duration, Called<'a>), String>;

/// A row that can be run: what is known of a tool, and how it is called.
pub struct ActionTool {
    facts: ToolRow,
    call: Call,
}

impl Deref for ActionTool {
    type Target = ToolRow;

    fn deref(&self) -> &ToolRow {
        &self.facts
    }
}

impl ActionTool {
    /// Makes the row of a tool.
    pub const fn of<T: Tool>() -> Self {
        let facts = ToolRow {
            name: T::NAME,
            set: T::SET,
            kind: T::KIND,
            aliases: T::ALIASES,
            params: T::PARAMS,
            answer: T::ANSWER,
            aim: T::AIM,
            purpose: T::PURPOSE,
            alias_of: T::ALIAS_OF,
            is_same: false,
            secrets: T::SECRETS,
            names_files: T::NAMES_FILES,
            bound: T::BOUND,
            in_goals: T::IN_GOALS,
            verb: T::VERB,
            in_browser_core: T::IN_BROWSER_CORE,
            exposure: T::EXPOSURE,
            read_only: T::READ_ONLY,
            destructive: T::DESTRUCTIVE,
            idempotent: T::IDEMPOTENT,
            needs_device: T::NEEDS_DEVICE,
            uses_devices: T::USES_DEVICES,
            target_may_be_absent: T::TARGET_MAY_BE_ABSENT,
            main: T::MAIN,
            view: T::VIEW,
            values: T::VALUES,
            unchecked: T::UNCHECKED,
            argument_aliases: T::ARGUMENT_ALIASES,
            lacking: T::LACKING,
            schema: schema::generate::<T>,
            check: check::<T>,
        };
        Self { facts, call: call::<T> }
    }

    /// Makes another name of a tool, with the same arguments and the same answer.
    pub const fn also_called(self, name: &'static str) -> Self {
        let facts = ToolRow {
            name,
            set: Some(Toolset::Aliases),
            alias_of: Some(self.facts.name),
            is_same: true,
            aliases: &[],
            verb: None,
            in_browser_core: false,
            ..self.facts
        };
        Self { facts, ..self }
    }

    /// Reads the arguments and begins the call.
    pub(super) fn begin<'a>(&self, arguments: Object, cx: &'a Context) -> Result<(Duration, Called<'a>), Error> {
        (self.call)(arguments, cx).map_err(|message| Error::new(Kind::BadArgument, format!("{}: {message}", self.name)))
    }
}

fn read<T: Tool>(arguments: Object, table: &Table) -> Result<T, String> {
    let tool: T = serde_json::from_value(Value::Object(arguments)).map_err(|error| error.to_string())?;
    tool.check_in(table).map(|()| tool)
}

fn check<T: Tool>(arguments: Object, table: &Table) -> Result<(), String> {
    read::<T>(arguments, table).map(|_| ())
}

fn call<T: Tool>(arguments: Object, cx: &Context) -> Result<(Duration, Called<'_>), String> {
    let tool = read::<T>(arguments, cx.table)?;
    Ok((tool.limit(), Box::pin(tool.call(cx))))
}
