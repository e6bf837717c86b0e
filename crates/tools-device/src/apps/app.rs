//! Apps: start, end, list, which is in front.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::{Shape, ToolKind, Toolset};
use uixt_driver::{AppStart, Foreground};
use uixt_locate::stability::Stability;
use uixt_locate::{Error, Kind, screen_power};
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

use super::installed::found;

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[
    ActionTool::of::<AppLaunch>(),
    ActionTool::of::<AppTerminate>(),
    ActionTool::of::<ColdLaunch>(),
    ActionTool::of::<ListPackages>(),
    ActionTool::of::<GetForegroundApp>(),
];

/// How long a started app may take to come to the front.
const LAUNCH: Duration = Duration::from_secs(20);

/// How long before it is asked whether the screen is off.
const SOON: Duration = Duration::from_secs(2);

/// How long an app that was ended may take to be gone.
const GONE: Duration = Duration::from_secs(10);

/// The pause between two looks at which app is in front.
const PAUSE: Duration = Duration::from_millis(100);

/// How many looks at the app in front must agree.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Looks {
    One,
    /// Two equal ones: between two apps a third may be in front for a moment.
    Two,
}

/// Waits until the app in front passes `test`; returns what is in front, and whether that passed or the time is over.
pub(crate) async fn foreground_until(
    cx: &Context,
    timeout: Duration,
    looks: Looks,
    test: impl Fn(&Foreground) -> bool + Send,
) -> Result<(Foreground, bool), Error> {
    let end = Instant::now() + timeout;
    let (mut stability, mut waiting) = (Stability::strict(), cx.waiting());
    loop {
        let front = cx.driver()?.foreground().await?;
        let passes = test(&front);
        // One look more than the time allows, so that a timeout of 0 can see two that are equal.
        let is_last = Instant::now() >= end && (!passes || stability.has_begun());
        if !passes {
            stability.forget();
        } else if looks == Looks::One || stability.look(front.clone()).is_some() {
            return Ok((front, true));
        }
        if is_last {
            return Ok((front, false));
        }
        waiting.pause(PAUSE).await;
    }
}

/// Start an app, or bring it to the front, and wait until it is there.
#[derive(Deserialize, JsonSchema)]
struct AppLaunch {
    /// Package of the app: com.android.settings.
    #[schemars(length(min = 1))]
    package_name: String,
}

impl Tool for AppLaunch {
    const NAME: &'static str = "app_launch";
    const SET: Option<Toolset> = Some(Toolset::Core);
    const KIND: ToolKind = ToolKind::Launch;
    const IN_GOALS: bool = true;
    const VERB: Option<&'static str> = Some("launch");
    const DESTRUCTIVE: bool = false;
    const IDEMPOTENT: bool = true;
    const ALIASES: &'static [&'static str] = &["open_app", "app_start"];
    const PARAMS: Shape = Shape::Fields(&["package_name"]);
    const ANSWER: &'static [&'static str] = &["package_name"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        launch(cx, &self.package_name, &AppStart::default()).await?;
        Ok(Reply::new(format!("Launched {}", self.package_name)).with("package_name", self.package_name))
    }
}

/// Starts an app and waits until it is in front.
async fn launch(cx: &Context, package: &str, start: &AppStart) -> Result<(), Error> {
    if package.contains("://") {
        // Whoever may not open it is told that first.
        cx.check_address(package).await?;
        let message = format!("`{package}` is an address, and no app's package: `open_url` opens it");
        return Err(Error::new(Kind::BadArgument, message));
    }
    // A browser takes an address for an app.
    if package.contains(':') {
        cx.check_address(package).await?;
    }
    let driver = cx.driver()?;
    let launched = match *start == AppStart::default() {
        true => driver.launch(package).await,
        false => driver.launch_with(package, start).await,
    };
    found(cx, package, launched).await?;
    let (mut front, mut passed) = foreground_until(cx, SOON, Looks::One, |front| is_up(front, package)).await?;
    if !passed {
        // Behind a screen that is off, no app comes to the front.
        screen_power::require_shown(
            &format!("{package} was started and did not come to the front"),
            cx.driver()?.display().await?,
        )?;
        (front, passed) =
            foreground_until(cx, LAUNCH.saturating_sub(SOON), Looks::One, |front| is_up(front, package)).await?;
    }
    if passed {
        return Ok(());
    }
    let message = format!(
        "{package} was started and did not come to the front within {} s; in front: {}",
        LAUNCH.as_secs(),
        front.package
    );
    Err(Error::new(Kind::WaitTimeout, message).with("foreground", front.package))
}

/// An app is up when it is in front, or when the system asks for a permission on its behalf.
fn is_up(front: &Foreground, package: &str) -> bool {
    front.package == package || front.package.ends_with(".permissioncontroller")
}

/// End an app.
#[derive(Deserialize, JsonSchema)]
struct AppTerminate {
    /// App's package.
    #[schemars(length(min = 1))]
    package_name: String,
}

impl Tool for AppTerminate {
    const NAME: &'static str = "app_terminate";
    const SET: Option<Toolset> = Some(Toolset::Core);
    const KIND: ToolKind = ToolKind::Setup;
    const VERB: Option<&'static str> = Some("stop");
    const IDEMPOTENT: bool = true;
    const ALIASES: &'static [&'static str] = &["terminal_app", "app_stop"];
    const PARAMS: Shape = Shape::Fields(&["package_name"]);
    const ANSWER: &'static [&'static str] = &["package_name", "was_running"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let package = &self.package_name;
        let was_running = found(cx, package, cx.driver()?.terminate(package).await).await?;
        let message = match was_running {
            true => format!("Terminated {}", self.package_name),
            false => format!("{} was not running", self.package_name),
        };
        Ok(Reply::new(message).with("package_name", self.package_name).with("was_running", was_running))
    }
}

/// End an app, wait until it is gone, and start it afresh.
#[derive(Deserialize, JsonSchema)]
struct ColdLaunch {
    /// App's package.
    #[schemars(length(min = 1))]
    package_name: String,
    /// Arguments that it is started with; iPhones alone.
    #[serde(default)]
    arguments: Vec<String>,
    /// Variables of its environment, likewise.
    #[serde(default)]
    environment: BTreeMap<String, String>,
}

impl Tool for ColdLaunch {
    const NAME: &'static str = "cold_launch";
    const SET: Option<Toolset> = Some(Toolset::Apps);
    const KIND: ToolKind = ToolKind::Launch;
    const PARAMS: Shape = Shape::Fields(&["package_name"]);
    const ANSWER: &'static [&'static str] = &["package_name", "was_running"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let driver = cx.driver()?;
        let was_running = found(cx, &self.package_name, driver.terminate(&self.package_name).await).await?;
        let (end, mut waiting) = (Instant::now() + GONE, cx.waiting());
        while driver.is_running(&self.package_name).await? {
            if Instant::now() >= end {
                let message =
                    format!("{} is still running {} s after it was terminated", self.package_name, GONE.as_secs());
                return Err(Error::new(Kind::WaitTimeout, message));
            }
            waiting.pause(PAUSE).await;
        }
        drop(waiting);
        let start = AppStart { arguments: self.arguments, environment: self.environment.into_iter().collect() };
        launch(cx, &self.package_name, &start).await?;
        Ok(Reply::new(format!("Launched {} afresh", self.package_name))
            .with("package_name", self.package_name)
            .with("was_running", was_running))
    }
}

/// List the packages of all installed apps.
#[derive(Deserialize, JsonSchema)]
struct ListPackages {}

impl Tool for ListPackages {
    const NAME: &'static str = "list_packages";
    const SET: Option<Toolset> = Some(Toolset::Core);
    const KIND: ToolKind = ToolKind::Read;
    const MAIN: Option<&'static str> = Some("packages");
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["packages", "count"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let packages = cx.driver()?.packages().await?;
        let count = packages.len();
        Ok(Reply::new(format!("Found {count} packages")).with("packages", packages).with("count", count))
    }
}

/// Tell which app is in front.
#[derive(Deserialize, JsonSchema)]
struct GetForegroundApp {}

impl Tool for GetForegroundApp {
    const NAME: &'static str = "get_foreground_app";
    const SET: Option<Toolset> = Some(Toolset::Apps);
    const KIND: ToolKind = ToolKind::Read;
    const MAIN: Option<&'static str> = Some("package_name");
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["package_name", "app_name", "activity"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let front = cx.driver()?.foreground().await?;
        Ok(Reply::new(format!("{} is in front", front.package))
            .with("package_name", front.package)
            .with("app_name", front.name)
            .with("activity", front.activity))
    }
}
