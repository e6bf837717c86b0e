//! The waist: whoever wants something done sends a `CallToolRequest` to a [`Caller`] and gets a `CallToolResult`.
//!
//! [`Local`] answers from the table and the devices of this process. Whatever goes wrong comes back as a result with
//! `isError`, its [`Kind`] and details in the structured content, so that a remote caller's failures look the same.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::{CallToolRequestParams, CallToolResult, Tool};
use tokio_util::sync::CancellationToken;

use crate::driver::{Driver, Registry};
use crate::tools::{self, ActionTool, CallOptions, Context, Error, Exposure, Kind, Object, Reply, Session, arguments};

/// A future in a box.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A call that takes longer is logged as slow.
pub const SLOW: Duration = Duration::from_secs(5);

/// Whoever can list tools and call them.
pub trait Caller: Send + Sync {
    fn list(&self) -> Boxed<'_, Vec<Tool>>;

    /// Makes a call. `cancel` ends it, and what is under way on the device with it.
    fn call(&self, request: CallToolRequestParams, cancel: CancellationToken) -> Boxed<'_, CallToolResult>;
}

/// Whom a [`Local`] serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Testcases, which may use every row.
    Testcase,
    /// Agents, to whom rows that reach the host are not offered.
    Agent,
}

/// The table over the devices of this process, for one session.
pub struct Local {
    registry: Arc<Registry>,
    session: Arc<Session>,
    audience: Audience,
}

impl Local {
    pub fn new(registry: Arc<Registry>, session: Arc<Session>, audience: Audience) -> Self {
        Self { registry, session, audience }
    }

    fn offers(&self, tool: &ActionTool) -> bool {
        self.audience == Audience::Testcase || tool.exposure == Exposure::Everyone
    }

    async fn answer(&self, request: CallToolRequestParams, cancel: CancellationToken) -> CallToolResult {
        let Some(tool) = tools::find(&request.name).filter(|tool| self.offers(tool)) else {
            return arguments::unknown_tool_error(&request.name).into_result(&request.name);
        };
        let started = Instant::now();
        let options = CallOptions::from_meta(request.meta.as_ref());
        let done = self.perform(tool, request.arguments.unwrap_or_default(), options, cancel).await;
        let elapsed = started.elapsed();
        if elapsed > SLOW {
            tracing::warn!(tool = tool.name, "slow: {} took {:.1} s", tool.name, elapsed.as_secs_f64());
        }
        match done {
            Ok(reply) => reply.into_result(tool.name),
            Err(error) => error.into_result(tool.name),
        }
    }

    async fn perform(
        &self,
        tool: &'static ActionTool,
        arguments: Object,
        options: CallOptions,
        cancel: CancellationToken,
    ) -> Result<Reply, Error> {
        let mut arguments = arguments::prepare(tool, arguments)?;
        let device = if tool.needs_device { Some(self.device(&mut arguments).await?) } else { None };
        let turn = device.as_ref().map(|device| self.registry.turn(device.as_ref()));
        // Calls for one device never interleave.
        let _turn = match &turn {
            Some(turn) => Some(turn.lock().await),
            None => None,
        };
        let ignore = options.ignore_not_found;
        let cx = Context {
            session: Arc::clone(&self.session),
            registry: Arc::clone(&self.registry),
            device,
            options,
            cancel,
        };
        match tool.run(arguments, &cx).await {
            Err(error) if ignore && is_absence(&error) => Ok(ignored(&error)),
            done => done,
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
        if self.session.selected().is_none() {
            self.session.select(Arc::clone(&device));
        }
        Ok(device)
    }
}

/// Tells whether a target simply was not there: several targets or a ref that means nothing are no absence.
fn is_absence(error: &Error) -> bool {
    error.kind == Kind::NotFound && !error.details.contains_key("code")
}

/// Says that a target was not there and that this was allowed.
fn ignored(error: &Error) -> Reply {
    let mut reply = Reply { message: format!("ignored: {}", error.message), ..Reply::default() };
    reply.fields.insert("ignored".to_owned(), true.into());
    reply
}

impl Caller for Local {
    fn list(&self) -> Boxed<'_, Vec<Tool>> {
        Box::pin(async { tools::all().filter(|tool| self.offers(tool)).map(ActionTool::listed).collect() })
    }

    fn call(&self, request: CallToolRequestParams, cancel: CancellationToken) -> Boxed<'_, CallToolResult> {
        Box::pin(self.answer(request, cancel))
    }
}
