//! The table: every action that a testcase or an agent can take, one row each.
//!
//! A tool's argument struct *is* the tool: its doc comment is the description, its fields are the schema, its
//! [`Tool::call`] is what happens. Groups of rows lie in a file each; [`find`] looks a row up by any accepted spelling.
//! Turns [`MobileAction`](crate::action::MobileAction)s into `CallToolRequest`s ([`request`](ActionTool::request)) and runs
//! them against device words. Must not know YAML, the runner or any particular driver.

use uixt_core::action;
use uixt_core::compare;
use uixt_core::functions;
use uixt_core::host;
use uixt_core::http;
use uixt_core::secrets;
use uixt_driver as driver;
use uixt_locate::{
    absence, close_words, dialog, finder, hit, listed, motion, moving_target, naming, occlusion, pattern,
    pixel_elements, refs, scope, screen_power, screen_texts, selector, snapshot, stability, suggest, target,
    visibility, wording,
};

mod addresses;
pub mod ai;
mod app;
mod app_trouble;
pub mod arguments;
pub mod arrival;
mod assert_screenshot;
mod assertion;
pub mod baseline;
mod batch;
mod browser_use;
mod button;
mod by_ref;
mod call_trace;
pub mod caller;
mod capture;
mod clipboard;
mod context;
mod controls;
mod device;
mod device_state;
mod download;
mod draw;
mod drawn;
mod drawn_motion;
mod drawn_popups;
mod drawn_text;
mod element;
mod element_state;
mod evidence;
mod examine;
mod fail_on;
mod failure_cause;
mod fetch;
mod file;
mod find;
mod function;
mod guard;
mod hidden;
mod image_tools;
mod images;
mod input;
mod installed;
mod keyboard;
mod kind;
mod last_acts;
mod last_touch;
mod link;
mod listing;
mod log;
mod log_clock;
mod mask;
mod native_selectors;
mod ocr;
pub mod ocr_engines;
mod options;
pub mod output;
mod package;
mod page_faults;
mod path;
mod place;
mod popups;
mod press_key;
mod progress;
mod record;
mod relay;
mod request;
mod scale;
mod schema;
mod screen;
mod scroll;
mod scroll_search;
mod seen_apps;
mod servers;
mod session;
mod shell;
mod simulated;
mod swipe;
mod swipe_to_tap;
mod tap_text;
mod tapping;
mod target_place;
pub mod token_budget;
mod touch;
mod touch_info;
mod touchpoint;
mod typed_text;
mod ui;
mod unsupported;
mod utility;
mod value;
mod wait;
mod way;
mod web;
mod websocket;

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{LazyLock, OnceLock};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::call_trace::Swiped;
use crate::drawn::Drawn;
use crate::last_acts::LastActs;
use crate::last_touch::LastTouch;
use crate::seen_apps::SeenApps;
use crate::typed_text::TypedText;

use finder::Purpose;

pub use absence::CONSIDERED;
pub use addresses::Addresses;
pub use call_trace::{CallRecord, CallTrace, Observation};
pub use context::{Context, Invoke, Picture, Reply, failure_result};
pub use evidence::EVIDENCE;
pub use examine::examine;
pub use fail_on::fails_by;
pub use failure_cause::CAUSE;
pub use finder::NO_CONTAINER;
pub use kind::{Aim, Bound, ToolKind};
pub use last_acts::LastAct;
pub use listing::{CORE, Listing, Toolset};
pub use mask::{MASK, hide_typed, masked, secrets, texts, without_user};
pub use naming::short_target;
pub use options::{CallOptions, Wanted};
pub use page_faults::{PAGE_ERRORS, page_faults};
pub use progress::{Advance, Progress};
pub use schema::Schema;
pub use screen_texts::ScreenText;
pub use selector::looks_like_selector;
pub use servers::{OtherServers, Servers};
pub use session::{Session, SessionState};
pub use suggest::SUGGESTIONS;
pub use target_place::{TargetPlace, is_target_key, target_place};
pub use touch_info::SERVER as TOUCH_SERVER;
pub use ui::DataFile;
pub use uixt_locate::{Error, Kind, Object, stable_text};
pub use unsupported::known;

/// Asks for what a call does, and takes it out of the answer.
pub mod call_records {
    pub use super::call_trace::{ask, of_other, take, tell, unask};
}

/// The field of an answer that says of which of its fields a part was left out: `{stdout: {printed, kept}}`, in bytes.
pub const TRUNCATED: &str = "truncated";

/// What a tool's name begins with in MCP, so that it cannot be mistaken for another server's.
pub const PREFIX: &str = "uixt__";

/// How `params` of a testcase fill a tool's arguments. A map is always taken as it is.
#[derive(Clone, Copy)]
pub enum Shape {
    /// The tool takes nothing; what stands there is ignored, as `HttpRunner` does.
    Nothing,
    /// A list fills these fields in order, a scalar the first.
    Fields(&'static [&'static str]),
    /// Whatever it is fills this field, lists included.
    Whole(&'static str),
    /// Whatever it is fills this field as a text: what is no text or number, as JSON.
    Text(&'static str),
    /// A string fills the first field, a list of numbers the others.
    TextOrNumbers(&'static str, &'static [&'static str]),
}

/// Whom a tool is offered to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exposure {
    Everyone,
    /// It reaches the host, so agents are not offered it.
    Testcase,
}

/// How long a call may take that is not asked to last.
const LIMIT: Duration = Duration::from_mins(1);

/// A tool: the arguments that it is called with.
pub trait Tool: DeserializeOwned + JsonSchema + Send + Sync + 'static {
    const NAME: &'static str;
    /// The set that it is listed with; none for what agents are not offered.
    const SET: Option<Toolset>;
    const KIND: ToolKind;
    const ALIASES: &'static [&'static str] = &[];
    const PARAMS: Shape = Shape::Nothing;
    /// The fields of its answer beside those of every answer.
    const ANSWER: &'static [&'static str] = &[];
    /// Where its arguments say what it is for.
    const AIM: Aim = Aim::Target;
    /// What it wants of an element that a ref names, where its kind does not say that.
    const PURPOSE: Option<Purpose> = None;
    /// The tool that does the same, by which a testcase says it.
    const PLAIN: Option<&'static str> = None;
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

    /// Returns how long a call may take before it is given up as hung: what it is asked to last, and [`LIMIT`].
    fn limit(&self) -> Duration {
        LIMIT
    }

    /// Does it.
    fn call(self, cx: &Context) -> impl Future<Output = Result<Reply, Error>> + Send;
}

type Called<'a> = Pin<Box<dyn Future<Output = Result<Reply, Error>> + Send + 'a>>;

/// Reads the arguments and begins the call; also tells how long it may take.
type Call = for<'a> fn(Object, &'a Context) -> Result<(Duration, Called<'a>), Error>;

/// A row of the table: the tool's type forgotten, its facts and functions kept.
pub struct ActionTool {
    pub name: &'static str,
    pub set: Option<Toolset>,
    pub kind: ToolKind,
    pub aliases: &'static [&'static str],
    pub params: Shape,
    pub answer: &'static [&'static str],
    pub aim: Aim,
    purpose: Option<Purpose>,
    pub plain: Option<&'static str>,
    pub secrets: &'static [&'static str],
    pub names_files: bool,
    pub bound: Option<Bound>,
    pub in_goals: bool,
    pub verb: Option<&'static str>,
    pub in_browser_core: bool,
    pub exposure: Exposure,
    pub read_only: bool,
    pub destructive: bool,
    pub idempotent: bool,
    pub needs_device: bool,
    pub uses_devices: bool,
    pub target_may_be_absent: bool,
    pub main: Option<&'static str>,
    pub view: Option<&'static str>,
    values: &'static [&'static str],
    unchecked: &'static [&'static str],
    argument_aliases: &'static [(&'static str, &'static str)],
    schema: fn() -> schemars::Schema,
    check: fn(Object) -> Result<(), String>,
    call: Call,
}

impl ActionTool {
    const fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            set: T::SET,
            kind: T::KIND,
            aliases: T::ALIASES,
            params: T::PARAMS,
            answer: T::ANSWER,
            aim: T::AIM,
            purpose: T::PURPOSE,
            plain: T::PLAIN,
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
            schema: schema::generate::<T>,
            check: check::<T>,
            call: call::<T>,
        }
    }

    /// Returns other spellings of the tool's arguments: those in camelCase, and those of their own;
    /// each with the argument's name.
    pub fn other_spellings(&'static self) -> impl Iterator<Item = (String, &'static str)> {
        let camel = self.schema().properties().map(|(name, _)| (arguments::camel_case(name), name));
        let own = self.argument_aliases.iter().map(|(alias, name)| ((*alias).to_owned(), *name));
        camel.chain(own).filter(|(spelling, _)| self.schema().property(spelling).is_none())
    }

    /// Returns the tool's schema and description, made at the first call.
    pub fn schema(&'static self) -> &'static Schema {
        ROWS[INDEX[self.name]].schema.get_or_init(|| Schema::new(self))
    }

    /// Reads arguments as a call does, without making it: what a schema cannot say is said here.
    pub fn checks(&self, arguments: Object) -> Result<(), String> {
        (self.check)(arguments)
    }

    /// Returns what the tool wants of an element that a ref names.
    fn purpose(&self) -> Purpose {
        self.purpose.unwrap_or(match self.kind {
            ToolKind::Typing => Purpose::Type,
            ToolKind::Gesture | ToolKind::Move => Purpose::Touch,
            ToolKind::Search | ToolKind::Wait | ToolKind::Assert => Purpose::Look,
            _ => Purpose::Read,
        })
    }

    /// Runs a call whose arguments were checked. Dropping the future ends what is under way on the device.
    pub(crate) async fn run(&'static self, mut arguments: Object, cx: &Context) -> Result<Reply, Error> {
        // What an earlier call set going may have come a little later.
        last_acts::check_downloads(cx.device.as_ref()).await?;
        popups::answer_unasked(self, cx).await?;
        typed_text::look(self, cx).await?;
        let serial = cx.device.as_deref().map(|device| device.info().serial.as_str());
        let place = cx.options.trace.begin(self, &arguments, serial, &cx.session.state::<Swiped>());
        cx.witness_front().await;
        cx.note_app(&arguments);
        cx.options.asked.note(&arguments, &|reference| cx.session.refs().is_drawn(reference));
        cx.options.narrow(self, &mut arguments);
        let (began, expects_status) = (Instant::now(), arguments.contains_key("status"));
        let again = (self.read_only && !cx.options.dialogs.is_fail()).then(|| arguments.clone());
        let (limit, called) = (self.call)(arguments, cx)?;
        let limit = limit + cx.options.added_time();
        cx.session.state::<LastActs>().note(self, cx.device.as_ref());
        let done = tokio::time::timeout(limit, called).await.unwrap_or_else(|_| {
            Err(Error::new(Kind::Device, format!("no end within {} s: given up", limit.as_secs())))
        });
        let done = match (done, again) {
            // A dialog that came meanwhile kept the page from being read.
            (Err(error), Some(arguments)) if popups::is_of_page(&error) => {
                popups::answer_unasked(self, cx).await?;
                let (limit, called) = (self.call)(arguments, cx)?;
                tokio::time::timeout(limit, called).await.unwrap_or(Err(error))
            }
            (done, _) => done,
        };
        let refused = last_acts::check_downloads(cx.device.as_ref()).await;
        let done = done.and_then(|reply| refused.map(|()| reply));
        let done = match done {
            Ok(reply) => fail_on::check(self, cx, (began, expects_status)).await.map(|()| reply),
            Err(error) => Err(error),
        };
        let done = done.map_err(|error| cx.session.state::<TypedText>().blamed(error));
        cx.options.trace.end(place, self, done.as_ref().ok());
        if !self.read_only && self.needs_device {
            cx.session.state::<Drawn>().forget();
        }
        cx.session.state::<LastActs>().note(self, cx.device.as_ref());
        cx.session.state::<LastActs>().end(self);
        cx.session.state::<SeenApps>().end_call(began, done.is_ok(), self.kind == ToolKind::Launch);
        if done.is_ok() && !self.read_only && self.needs_device {
            cx.session.state::<LastTouch>().end_call();
            cx.session.state::<LastActs>().done(began);
        }
        done
    }
}

fn read<T: Tool>(arguments: Object) -> Result<T, String> {
    let tool: T = serde_json::from_value(Value::Object(arguments)).map_err(|error| error.to_string())?;
    tool.check().map(|()| tool)
}

fn check<T: Tool>(arguments: Object) -> Result<(), String> {
    read::<T>(arguments).map(|_| ())
}

fn call<T: Tool>(arguments: Object, cx: &Context) -> Result<(Duration, Called<'_>), Error> {
    let tool =
        read::<T>(arguments).map_err(|message| Error::new(Kind::BadArgument, format!("{}: {message}", T::NAME)))?;
    Ok((tool.limit(), Box::pin(tool.call(cx))))
}

static GROUPS: &[&[ActionTool]] = &[
    device::TOOLS,
    touch::TOOLS,
    swipe::TOOLS,
    draw::TOOLS,
    scroll::TOOLS,
    swipe_to_tap::TOOLS,
    simulated::TOOLS,
    input::TOOLS,
    keyboard::TOOLS,
    clipboard::TOOLS,
    button::TOOLS,
    app::TOOLS,
    link::TOOLS,
    device_state::TOOLS,
    package::TOOLS,
    file::TOOLS,
    download::TOOLS,
    log::TOOLS,
    record::TOOLS,
    screen::TOOLS,
    element::TOOLS,
    find::TOOLS,
    ocr::TOOLS,
    image_tools::TOOLS,
    assert_screenshot::TOOLS,
    popups::TOOLS,
    assertion::TOOLS,
    element_state::TOOLS,
    web::navigation::TOOLS,
    web::tabs::TOOLS,
    web::mouse::TOOLS,
    web::form::TOOLS,
    web::dialogs::TOOLS,
    press_key::TOOLS,
    web::script::TOOLS,
    web::cookies::TOOLS,
    web::login::TOOLS,
    web::attribute::TOOLS,
    web::place::TOOLS,
    by_ref::TOOLS,
    browser_use::GROUPS[0],
    browser_use::GROUPS[1],
    browser_use::GROUPS[2],
    browser_use::GROUPS[3],
    browser_use::GROUPS[4],
    browser_use::GROUPS[5],
    browser_use::GROUPS[6],
    utility::TOOLS,
    ui::TOOLS,
    value::TOOLS,
    batch::TOOLS,
    ai::TOOLS,
    shell::TOOLS,
    request::TOOLS,
    websocket::TOOLS,
    function::TOOLS,
    servers::TOOLS,
];

/// A row with its schema, made at its first use.
struct Row {
    tool: &'static ActionTool,
    schema: OnceLock<Schema>,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| all().map(|tool| Row { tool, schema: OnceLock::new() }).collect());

/// Where the rows stand, by their names and aliases.
static INDEX: LazyLock<HashMap<&'static str, usize>> = LazyLock::new(|| {
    let spellings = |tool: &ActionTool| std::iter::once(tool.name).chain(tool.aliases.iter().copied());
    all().enumerate().flat_map(|(place, tool)| spellings(tool).map(move |name| (name, place))).collect()
});

/// Returns every row, in the table's order.
pub fn all() -> impl Iterator<Item = &'static ActionTool> {
    GROUPS.iter().flat_map(|group| group.iter())
}

/// Finds a row by its name or an alias, with or without `uixt__`, in any case of letters.
pub fn find(name: &str) -> Option<&'static ActionTool> {
    let bare = name.strip_prefix(PREFIX).unwrap_or(name);
    let place = INDEX.get(bare).or_else(|| INDEX.get(arguments::snake_case(bare).as_str()))?;
    Some(ROWS[*place].tool)
}

/// Gives a failure of a tool that has codes of its own the code and the details that programs expect of it.
pub fn coded(tool: &'static ActionTool, error: Error, given: &Object) -> Error {
    by_ref::coded(tool, target_place::finish(tool, error, given), given)
}

/// Returns every name and alias, for suggestions.
pub fn names() -> Vec<&'static str> {
    all().flat_map(|tool| std::iter::once(tool.name).chain(tool.aliases.iter().copied())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_aliases_are_unique_and_in_snake_case() {
        let mut seen = std::collections::HashSet::new();
        for name in names() {
            assert!(seen.insert(name), "{name} stands twice in the table");
            assert_eq!(name, arguments::snake_case(name), "{name} is not in snake_case");
        }
    }

    #[test]
    fn every_tool_and_every_argument_is_documented() {
        for tool in all() {
            let schema = tool.schema();
            assert!(schema.description.ends_with('.'), "{}: its description is no sentence", tool.name);
            assert_eq!(schema.full.get("type"), Some(&Value::from("object")), "{}", tool.name);
            for (name, property) in schema.properties() {
                let text = property.get("description").and_then(Value::as_str);
                assert!(text.is_some_and(|text| !text.is_empty()), "{}.{name} has no description", tool.name);
            }
        }
    }

    #[test]
    fn what_params_fill_exists() {
        for tool in all() {
            let fields: Vec<&str> = match tool.params {
                Shape::Nothing => Vec::new(),
                Shape::Fields(names) => names.to_vec(),
                Shape::TextOrNumbers(text, names) => names.iter().copied().chain([text]).collect(),
                Shape::Whole(name) | Shape::Text(name) => vec![name],
            };
            for name in fields.into_iter().chain(tool.argument_aliases.iter().map(|(_, name)| *name)) {
                assert!(
                    tool.schema().properties().any(|(known, _)| known == name),
                    "{}: no argument {name}",
                    tool.name
                );
            }
        }
    }

    #[test]
    fn what_a_row_says_of_its_tool_goes_together() {
        for tool in all() {
            let (name, kind) = (tool.name, tool.kind);
            let is_offered = tool.exposure == Exposure::Everyone;
            assert_eq!(
                tool.set.is_some(),
                is_offered,
                "{name}: SET is for what agents are offered, and for nothing else"
            );
            assert!(is_offered || !tool.in_browser_core, "{name}: agents are not offered it");
            assert!(!kind.only_looks() || tool.read_only, "{name}: READ_ONLY, as its kind is");
            assert!(!kind.acts() || tool.needs_device && !tool.read_only, "{name}: does something, as its kind does");
            let takes = |name: &str| tool.schema().property(name).is_some();
            let is_there = match tool.aim {
                Aim::Target => true,
                Aim::Argument(argument) | Aim::Goal(argument) => takes(argument),
                Aim::Point(element) => {
                    let is_for_elements = |tool: &'static ActionTool| tool.schema().property("regex").is_some();
                    (takes("x") || takes("from_x"))
                        && element.ok().is_none_or(|tool| find(tool).is_some_and(is_for_elements))
                }
                Aim::Text => takes("text"),
                Aim::Picture => takes("image") || takes("element_type"),
                Aim::Address => takes("url") || takes("package_name"),
            };
            assert!(is_there, "{name}: no argument for {:?}", tool.aim);
            assert!(tool.secrets.iter().all(|secret| takes(secret)), "{name}: no argument for {:?}", tool.secrets);
            assert!(tool.plain.is_none_or(|plain| find(plain).is_some_and(|it| it.kind == kind)), "{name}: PLAIN");
            if let Some(Bound::Field { name: field, .. }) = tool.bound {
                assert!(tool.answer.contains(&field), "{name}: {field} is no field of its answer");
            }
            let others = || all().filter(|other| other.name != name);
            let is_own =
                |verb| find(verb).is_none_or(|tool| tool.name == name) && others().all(|it| it.verb != Some(verb));
            assert!(tool.verb.is_none_or(is_own), "{name}: its VERB means something else");
        }
    }

    #[test]
    fn a_tool_is_found_by_every_spelling() {
        for spelling in ["tap_xy", "uixt__tap_xy", "TapXy", "tap", "TAP_XY"] {
            assert_eq!(find(spelling).map(|tool| tool.name), Some("tap_xy"), "{spelling}");
        }
        assert!(find("tap_nothing").is_none());
    }
}
