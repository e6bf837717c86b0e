//! A [`Caller`] that answers from the table and the devices of this process.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serde_json::Value;
use uixt_call::arrival::Arrival;
use uixt_call::{
    Boxed, Call, CallToolRequest, CallToolResult, Caller, Carried, Content, EVIDENCE, Progress, SLOW, ScreenshotStore,
    ToolDefinition, ToolKind, ToolRow, Wanted,
};
use uixt_core::dialogs::Dialogs;
use uixt_core::fail_on::FailOn;
use uixt_driver::{DeviceInfo, Driver, Reel, Registry};
use uixt_locate::finder::NO_CONTAINER;
use uixt_locate::{Error, Kind, Object};
use uixt_toolkit::failures::{evidence, failure_cause};
use uixt_toolkit::pages::addresses::Addresses;
use uixt_toolkit::traces::last_acts::{LastAct, LastActs};
use uixt_toolkit::traces::typed_text;
use uixt_toolkit::{ActionTool, ActiveOptions, Context, Invoke, Reply, Session};
use uixt_tools_ai::{Goals, Guard, StoredGoals};

use crate::audience::Audience;
use crate::listing::Listing;
use crate::token_budget;
use crate::tools::Tools;

/// How long a device may take to be found and opened.
const OPENING: Duration = Duration::from_mins(1);

/// How long the picture after an operation may take.
const PICTURE: Duration = Duration::from_mins(1);

/// How long a call may queue behind others for its device: a little more than the longest call.
const QUEUEING: Duration = Duration::from_mins(70);

/// What a call waits for that others came before.
const QUEUED: &str = "waiting for other calls to the device";

/// Most characters of a tool's name that is not known.
const LONGEST_NAME: usize = 80;

/// Calls tools for a tool: the device's turn is the outer call's, and nobody is offered more than directly.
struct Inner {
    tools: &'static Tools,
    audience: Audience,
}

impl Invoke for Inner {
    fn invoke<'a>(&'a self, tool: &'a str, arguments: Object, cx: &'a Context) -> Boxed<'a, Result<Reply, Error>> {
        Box::pin(async move {
            let known = self.tools.find(tool).filter(|known| self.audience.is_offered(known));
            let known = known.ok_or_else(|| cx.table.unknown_tool_error(tool))?;
            let (began, times) = (Instant::now(), &cx.options.times);
            let waited = times.waited();
            let done = match cx.table.prepare(known, arguments) {
                Ok(arguments) => known.run(arguments, cx).await,
                Err(error) => Err(error),
            };
            times.add_part(known.name, done.is_ok(), began.elapsed(), times.waited().saturating_sub(waited));
            done
        })
    }
}

/// The table over the devices of this process, for one session.
pub struct Local {
    tools: &'static Tools,
    registry: Arc<Registry>,
    session: Arc<Session>,
    audience: Audience,
    listing: Listing,
    /// The folder of files that agents may open as pages and write.
    folder: Option<PathBuf>,
    /// The hosts of private networks that agents may open; `*` is all.
    hosts: Vec<String>,
    /// Whether calls that act tell what they changed though they do not ask for it.
    tells_changes: bool,
}

impl Local {
    pub fn new(registry: Arc<Registry>, session: Arc<Session>, audience: Audience) -> Self {
        Self {
            tools: crate::tools(),
            registry,
            session,
            audience,
            listing: Listing::default(),
            folder: None,
            hosts: Vec::new(),
            tells_changes: false,
        }
    }

    /// Lists other tools than the core, or with other names; what can be called stays the same.
    #[must_use]
    pub fn listing(self, listing: Listing) -> Self {
        Self { listing, ..self }
    }

    /// Lets agents open the files below a folder as pages, and write there.
    #[must_use]
    pub fn offering(self, folder: Option<PathBuf>) -> Self {
        Self { folder, ..self }
    }

    /// Lets agents open these hosts of private networks; `*` is all.
    #[must_use]
    pub fn opening(self, hosts: Vec<String>) -> Self {
        Self { hosts, ..self }
    }

    /// Lets every call that acts tell what it changed, as with `then: diff`.
    #[must_use]
    pub fn telling_changes(self, tells_changes: bool) -> Self {
        Self { tells_changes, ..self }
    }

    /// Names the tools that are not listed and can be called all the same.
    pub fn unlisted(&self) -> Vec<&'static str> {
        self.listing.rest(|tool| self.audience.is_offered(tool))
    }

    async fn answer(&self, request: CallToolRequest, call: Call) -> CallToolResult {
        let Some(tool) = self.tools.find(&request.name).filter(|tool| self.audience.is_offered(tool)) else {
            let action = request.name.chars().take(LONGEST_NAME).collect::<String>();
            return CallToolResult::failure(&self.tools.table().unknown_tool_error(&request.name), &action);
        };
        let started = Instant::now();
        let mut options = ActiveOptions::from(request.options);
        options.times = call.times.clone();
        let device = OnceLock::new();
        let (trace, used) = (options.trace.clone(), options.used.clone());
        let (screenshots, is_whole, arrival) = (call.screenshots.clone(), call.is_whole, call.arrival.clone());
        let room = request.arguments.as_ref().and_then(|arguments| arguments.get("max_tokens")?.as_u64());
        let given = request.arguments.clone().unwrap_or_default();
        let done = self.perform(tool, request.arguments.unwrap_or_default(), options, call, &device).await;
        // For what came before it a tool can do nothing.
        let elapsed = started.elapsed().saturating_sub(arrival.waited());
        if elapsed > SLOW {
            tracing::warn!(tool = tool.name, "slow: {} took {:.1} s", tool.name, elapsed.as_secs_f64());
        }
        let mut result = match done {
            Ok(reply) => {
                let (mut reply, links) = self.fitted(reply, screenshots).await;
                if self.audience == Audience::Agent && !is_whole {
                    reply = token_budget::reply(reply, tool, room);
                }
                let mut result = reply.into_result(tool.name);
                result.content.extend(links);
                result
            }
            Err(error) => {
                let error = crate::groups::coded(tool, error, &given);
                let warnings = used.warnings();
                warnings.iter().for_each(|warning| tracing::warn!(tool = tool.name, "{warning}"));
                let mut object = self.audience.brief(error, tool).object(tool.name);
                if !warnings.is_empty() {
                    object["warnings"] = warnings.into();
                }
                CallToolResult::structured_error(object)
            }
        };
        if let Some(device) = device.get() {
            name_device(&mut result, device);
        }
        if self.audience == Audience::Testcase {
            name_seen(&mut result, used.seen());
        }
        trace.tell(&mut result);
        result
    }

    /// Makes the pictures as small as they are wanted, and links to the whole ones.
    async fn fitted(&self, mut reply: Reply, screenshots: Option<Arc<dyn ScreenshotStore>>) -> (Reply, Vec<Content>) {
        let usually = self.audience.usual_picture();
        let mut links = Vec::new();
        for picture in &mut reply.pictures {
            let whole = picture.clone();
            // A large picture takes tens of milliseconds, which other calls need not wait for.
            let small = tokio::task::spawn_blocking(move || whole.scaled(usually)).await.ok().flatten();
            // One that is whole already needs no link to itself.
            let Some(small) = small else { continue };
            let whole = std::mem::replace(&mut picture.png, small);
            links.extend(screenshots.as_ref().map(|screenshots| Content::ResourceLink(screenshots.keep(whole))));
        }
        (reply, links)
    }

    async fn perform(
        &self,
        tool: &'static ActionTool,
        arguments: Object,
        mut options: ActiveOptions,
        call: Call,
        used: &OnceLock<DeviceInfo>,
    ) -> Result<Reply, Error> {
        options.keep_absence(tool);
        let (arguments, named) = self.without_device(tool, arguments);
        let mut arguments = self.tools.table().prepare(tool, arguments)?;
        arguments.extend(named);
        if self.tells_changes {
            tool.ask_then(&mut arguments);
        }
        tokio::select! {
            biased;
            () = call.cancel.cancelled() => Err(Error::new(Kind::Interrupted, "interrupted")),
            done = self.run(tool, arguments, options, (call.progress, call.arrival), used) => done,
        }
    }

    /// Tells whether a tool is a pause for a device where it names one, whose turn it then holds: what is sent after it waits. A
    /// testcase's steps wait for each other anyway.
    fn may_pause(&self, tool: &ToolRow) -> bool {
        self.audience == Audience::Agent && tool.kind == ToolKind::Pause
    }

    /// Takes out what names the device that a pause is for, which is no argument of the tool itself.
    fn without_device(&self, tool: &ToolRow, mut arguments: Object) -> (Object, Object) {
        let mut named = Object::new();
        if self.may_pause(tool) && arguments.get("serial").is_some_and(Value::is_string) {
            for name in ["serial", "platform"] {
                named.extend(arguments.shift_remove(name).map(|value| (name.to_owned(), value)));
            }
        }
        (arguments, named)
    }

    /// Opens the device, waits for its turn and makes the call; each of these has an end.
    async fn run(
        &self,
        tool: &'static ActionTool,
        mut arguments: Object,
        options: ActiveOptions,
        (progress, arrival): (Progress, Arrival),
        used: &OnceLock<DeviceInfo>,
    ) -> Result<Reply, Error> {
        let arrived = Instant::now();
        within(QUEUEING, QUEUED, arrival.reached()).await?;
        let pauses = !tool.needs_device && arguments.get("serial").is_some() && self.may_pause(tool);
        let device = match tool.needs_device || pauses {
            true => Some(within(OPENING, "opening the device", self.device(&mut arguments)).await??),
            false => None,
        };
        if let Some(device) = &device {
            let _ = used.set(device.info().clone());
        }
        // Calls for one device never interleave.
        let _turn = match &device {
            Some(device) => {
                let mut turn = Box::pin(self.registry.turn(device.as_ref()).lock_owned());
                // Once it is asked for, it stands in the queue, and the next call may go there.
                let turn = std::future::poll_fn(|cx| {
                    let turn = turn.as_mut().poll(cx);
                    arrival.pass();
                    turn
                });
                Some(within(QUEUEING, QUEUED, turn).await?)
            }
            None => None,
        };
        // What chooses the device of later calls goes before them; for anything else nobody waits.
        if !tool.uses_devices {
            arrival.pass();
        }
        arrival.note(arrived.elapsed());
        let device = device.filter(|_| tool.needs_device);
        let (began, before) = (Instant::now(), Duration::from_millis(options.step_ms.unwrap_or_default()));
        let (session, registry) = (Arc::clone(&self.session), Arc::clone(&self.registry));
        let (tools, audience) = (self.tools, self.audience);
        let invoke: Option<Arc<dyn Invoke>> = Some(Arc::new(Inner { tools, audience }));
        let addresses = match self.audience {
            Audience::Testcase => Addresses::Any,
            Audience::Agent => Addresses::Web { folder: self.folder.clone(), hosts: self.hosts.clone() },
            Audience::Text => {
                let hosts = self.session.setting::<Guard>().policy.allow_hosts.clone();
                Addresses::Web { folder: self.folder.clone(), hosts }
            }
        };
        let cx = Context {
            table: self.tools.table(),
            session,
            registry,
            device,
            options,
            invoke,
            progress,
            addresses,
            engines: crate::engines(),
        };
        match tool.run(arguments, &cx).await {
            Err(error) if cx.options.ignore_not_found && is_absence(&error) => {
                let warnings = [cx.options.used.warnings(), cx.options.warnings.clone()].concat();
                Ok(warned(tool, ignored(&error), warnings))
            }
            // Agents have a tool for the log, and pay for each word.
            Err(error) if self.audience == Audience::Agent => Err(failure_cause::of_app(&cx, error).await),
            Err(error) => Err(explained(&cx, error, before + began.elapsed()).await),
            Ok(reply) => finish(tool, &cx, reply).await,
        }
    }

    /// Returns the device that a call is for, and takes the arguments that say so.
    async fn device(&self, arguments: &mut Object) -> Result<Arc<dyn Driver>, Error> {
        let mut take = |name: &str| arguments.shift_remove(name).and_then(|value| value.as_str().map(str::to_owned));
        let (platform, serial) = (take("platform"), take("serial"));
        let selected = self.session.selected().filter(|device| {
            let info = device.info();
            platform.as_deref().is_none_or(|name| name == info.platform)
                && serial.as_deref().is_none_or(|serial| serial == info.serial)
        });
        if let Some(device) = selected {
            return Ok(device);
        }
        let device = self.registry.open(platform.as_deref(), serial.as_deref()).await?;
        // Whoever names a device means it for this call only.
        if serial.is_none() && self.session.selected().is_none() {
            self.session.select(Arc::clone(&device));
        }
        Ok(device)
    }
}

/// Puts the cause before what a failed call says, and adds what the device tells of it, where that is asked for.
async fn explained(cx: &Context, error: Error, within: Duration) -> Error {
    if matches!(error.kind, Kind::Transport | Kind::BadArgument | Kind::Unsupported | Kind::Interrupted) {
        return error;
    }
    let is_stuck = !error.kind.is_failure();
    let log = evidence::Log::of(cx, is_stuck).await;
    let error = failure_cause::explain(cx, error, &log, within).await;
    match cx.options.evidence {
        Wanted::Never => error,
        Wanted::Failed | Wanted::All => error.with(EVIDENCE, evidence::gather(cx, &log, is_stuck).await),
    }
}

/// Takes the picture that was asked for after the operation, and says which options were given in vain.
async fn finish(tool: &ToolRow, cx: &Context, mut reply: Reply) -> Result<Reply, Error> {
    if let Some(device) = &cx.device
        && cx.options.wants_picture_after()
    {
        let picture = within(PICTURE, "the picture after the operation", device.screenshot()).await??;
        reply.pictures.push(picture.png.into());
    }
    if cx.options.evidence == Wanted::All && cx.device.is_some() {
        let log = evidence::Log::of(cx, false).await;
        reply.fields.insert(EVIDENCE.to_owned(), evidence::gather(cx, &log, false).await);
    }
    Ok(warned(tool, reply, cx.options.in_vain(tool.name)))
}

/// Adds what the call was asked in vain to its answer and to the log.
fn warned(tool: &ToolRow, mut reply: Reply, warnings: Vec<String>) -> Reply {
    for warning in &warnings {
        tracing::warn!(tool = tool.name, "{warning}");
    }
    if !warnings.is_empty() {
        reply.fields.insert("warnings".to_owned(), warnings.into());
    }
    reply
}

/// Says which device a call went to: beside the answer, so that who reads answers by the token does not pay for it.
fn name_device(result: &mut CallToolResult, device: &DeviceInfo) {
    result.put_beside("platform", device.platform.into());
    result.put_beside("serial", device.serial.as_str().into());
}

/// Says what a call saw that looked at the screen's pixels.
fn name_seen(result: &mut CallToolResult, seen: Vec<Value>) {
    if !seen.is_empty() {
        result.put_beside("seen", seen.into());
    }
}

/// Waits for what must have an end.
async fn within<T>(limit: Duration, what: &str, future: impl Future<Output = T>) -> Result<T, Error> {
    let late = |_| Error::new(Kind::Device, format!("{what}: timed out after {} s", limit.as_secs()));
    tokio::time::timeout(limit, future).await.map_err(late)
}

/// Tells whether a target simply was not there: several targets or a ref that means nothing are no absence.
fn is_absence(error: &Error) -> bool {
    let is_of_target = !error.details.contains_key("code") && !error.details.contains_key(NO_CONTAINER);
    error.kind == Kind::NotFound && is_of_target
}

/// Says that a target was not there and that this was allowed.
fn ignored(error: &Error) -> Reply {
    let mut reply = Reply { message: format!("ignored: {}", error.message), ..Reply::default() };
    reply.fields.insert("ignored".to_owned(), true.into());
    reply
}

impl Caller for Local {
    fn list(&self) -> Boxed<'_, Vec<ToolDefinition>> {
        Box::pin(async { self.listing.of(|tool| self.audience.is_offered(tool)) })
    }

    fn call(&self, request: CallToolRequest, call: Call) -> Boxed<'_, CallToolResult> {
        Box::pin(self.answer(request, call))
    }

    fn after_last_act<'a>(
        &'a self,
        since: Instant,
        dialogs: Dialogs,
        fail_on: &'a [FailOn],
    ) -> Boxed<'a, Result<Vec<String>, Error>> {
        Box::pin(async move {
            let mut told = Vec::new();
            let is_asked = |act: &LastAct| fail_on.contains(&FailOn::Crash) || act.device.pages("be acted on").is_ok();
            let acts = self.session.state::<LastActs>().take();
            if acts.is_empty() {
                typed_text::end(&self.session).await?;
            }
            for act in acts.into_iter().filter(is_asked) {
                let turn = self.registry.turn(act.device.as_ref());
                let _turn = self::within(QUEUEING, QUEUED, turn.lock_owned()).await?;
                told.extend(act.after_last_act(&self.session, since, dialogs, fail_on).await?);
            }
            Ok(told)
        })
    }

    fn film(&self, reel: Arc<dyn Reel>) -> Boxed<'_, Result<(), Error>> {
        Box::pin(async move {
            match self.session.selected() {
                Some(device) => Ok(device.film(reel.as_ref()).await?),
                None => Ok(()),
            }
        })
    }

    fn state(&self) -> Option<Arc<Carried>> {
        Some(self.session.carried())
    }

    fn passed(&self) -> Result<(), String> {
        self.session.setting::<StoredGoals>().0.as_deref().map_or(Ok(()), Goals::passed)
    }

    fn end(&self) {
        self.session.end();
    }
}

#[cfg(test)]
mod tests;
