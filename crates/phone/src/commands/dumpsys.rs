//! `dumpsys`: what Android's services tell of themselves, cut to the lines that people look for. Source: the `dump` methods
//! of AOSP 14 (`WindowManagerService`, `ActivityTaskManagerService`, `InputMethodManagerService`, `BatteryService`,
//! `DisplayViewport`, …).

use std::io;

use super::call::Call;
use super::package_dump;
use super::packages::{short_class, whole_class};
use super::records::{identity, record};
use super::screencap::SCREEN_ID;
use crate::settings::current_ime;
use crate::system::System;
use uixt_canvas::geometry::Area;

pub(super) async fn dumpsys(call: &mut Call<'_>) -> io::Result<u8> {
    let words: Vec<&str> = call.arguments.iter().map(String::as_str).collect();
    let text = {
        let system = call.handset().system.lock().await;
        match words.as_slice() {
            ["window", "policy" | "p", ..] => Some(policy(&system)),
            ["window", "displays" | "d" | "windows" | "w", ..] => Some(window(&system)),
            ["window", ..] => Some(policy(&system) + &window(&system)),
            ["activity", rest @ ..] => Some(activity(&system, rest)),
            ["input", ..] => Some(input(&system)),
            ["input_method", ..] => Some(input_method(&system)),
            ["display", ..] => Some(display(&system)),
            ["battery", ..] => Some(BATTERY.to_owned()),
            ["power", ..] => Some(power(&system)),
            ["package", name, ..] => Some(package_dump::package(&system, name)),
            ["SurfaceFlinger", "--display-id"] => Some(display_id()),
            ["-l"] => Some(LIST.to_owned()),
            _ => None,
        }
    };
    match (text, words.first()) {
        (Some(text), _) => call.done(text).await,
        (None, Some(&"SurfaceFlinger")) => {
            call.fail(1, "dumpsys: of SurfaceFlinger the virtual phone dumps `--display-id` only").await
        }
        (None, Some(service)) => call.fail(1, &format!("Can't find service: {service}")).await,
        (None, None) => {
            call.fail(1, "dumpsys: name a service: the virtual phone does not dump all of them at once").await
        }
    }
}

const LIST: &str = "Currently running services:\n  SurfaceFlinger\n  activity\n  battery\n  display\n  input\n  input_method\n  package\n  power\n  window\n";

const BATTERY: &str = "Current Battery Service state:\n  AC powered: false\n  USB powered: true\n  Wireless powered: false\n  \
    Dock powered: false\n  Max charging current: 500000\n  Max charging voltage: 5000000\n  Charge counter: 4000000\n  \
    status: 5\n  health: 2\n  present: true\n  level: 100\n  scale: 100\n  voltage: 4300\n  temperature: 250\n  \
    technology: Li-ion\n";

fn power(system: &System) -> String {
    let (wakefulness, state) = if system.is_screen_on() { ("Awake", "ON") } else { ("Asleep", "OFF") };
    let is_on = system.is_screen_on();
    format!(
        "POWER MANAGER (dumpsys power)\n\nPower Manager State:\n  mWakefulness={wakefulness}\n  mIsPowered=true\n  \
         mBatteryLevel=100\n  mHoldingWakeLockSuspendBlocker=false\n  mHoldingDisplaySuspendBlocker={is_on}\n\n\
         Display Power: state={state}\n"
    )
}

fn window(system: &System) -> String {
    let (package, class) = system.foreground();
    let class = whole_class(&package, &class);
    let record = record(&package, &class);
    let window = match system.alert_window() {
        _ if system.is_locked() => "Window{3d0c1a7 u0 NotificationShade}".to_owned(),
        Some(alert) => format!("Window{{{} u0 {alert}}}", identity(&alert)),
        None => format!("Window{{{} u0 {package}/{class}}}", identity(&class)),
    };
    let floating = system.floating_kinds();
    let named = |title: &str| format!("Window{{{} u0 {title}}}", identity(title));
    let above = floating.iter().rev().zip(0..).map(|(over, number)| {
        format!("  Window #{number} {}:\n    mDisplayId=0 rootTaskId=10 mSession=Session{{0 u0}}\n    isOnScreen=true\n    isVisible=true\n", named(over.title()))
    });
    let (above, own) = (above.collect::<String>(), floating.len());
    let focus = floating
        .iter()
        .find(|over| over.is_modal() && !system.has_dialog())
        .map_or_else(|| window.clone(), |over| named(over.title()));
    let is_locked = system.is_locked();
    let ((width, height), rotation) = (system.size(), system.rotation());
    let degrees = u32::from(rotation) * 90;
    let own_density = system.options().density;
    let density = system.density_override().unwrap_or(own_density);
    let (own_width, own_height) = system.options().size;
    let (base, is_on) = (base(system), system.is_screen_on());
    let ime = if system.keyboard_shown() { "Window{5a1fe03 u0 InputMethod}" } else { "null" };
    let (keyboard, navigation) = (insets_of_keyboard(system), insets_of_navigation(system));
    format!(
        "WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)\n  Display: mDisplayId=0 (organized)\n    \
         init={own_width}x{own_height} {own_density}dpi{base} cur={width}x{height} app={width}x{height} rng={width}x{width}-{height}x{height}\n    \
         deferred=false mLayoutNeeded=false\n\n  DisplayPolicy\n    \
         mAwake={is_on} mScreenOnEarly={is_on} mScreenOnFully={is_on}\n\n  WindowInsetsStateController\n    \
         InsetsState\n      mDisplayFrame=Rect(0, 0 - {width}, {height})\n        {keyboard}\n        {navigation}\n\n  \
         mCurrentFocus={focus}\n  mFocusedApp={record}\n  mInputMethodWindow={ime}\n  mCurrentRotation=ROTATION_{degrees}\n  mRotation=ROTATION_{degrees}\n\n\
         WINDOW MANAGER WINDOWS (dumpsys window windows)\n{above}  Window #{own} {window}:\n    mDisplayId=0 rootTaskId=10 mSession=Session{{0 u0}}\n    \
         isOnScreen=true\n    isVisible=true\n\n  mCurrentFocus={focus}\n  mFocusedApp={record}\n  mGlobalConfiguration={{1.0 {density}dpi}}\n  \
         mDisplayFrozen=false windows=0 client=false apps=0\n  mShowingDream=false mDreamingLockscreen=false\n  \
         isKeyguardShowing={is_locked}\n"
    )
}

/// What the keyboard takes of the screen, as `InsetsSource` writes it (AOSP 14).
fn insets_of_keyboard(system: &System) -> String {
    let is_shown = system.keyboard_frame().is_some();
    let Area { left, top, right, bottom } = system.keyboard_frame().unwrap_or_default();
    format!(
        "InsetsSource id=3 type=ime frame=[{left},{top}][{right},{bottom}] visible={is_shown} flags= sideHint=BOTTOM"
    )
}

/// What the bar with the three keys takes of the screen.
fn insets_of_navigation(system: &System) -> String {
    let Area { left, top, right, bottom } = system.navigation_frame();
    format!(
        "InsetsSource id=9d0001 type=navigationBars frame=[{left},{top}][{right},{bottom}] visible=true flags= sideHint=BOTTOM"
    )
}

/// What stands behind `init=` where `wm` has given the screen another size or density.
fn base(system: &System) -> String {
    let own = (system.options().size, system.options().density);
    let (size, density) = (system.size_override().unwrap_or(own.0), system.density_override().unwrap_or(own.1));
    if (size, density) == own { String::new() } else { format!(" base={}x{} {density}dpi", size.0, size.1) }
}

fn policy(system: &System) -> String {
    let (is_locked, is_on) = (system.is_locked(), system.is_screen_on());
    let (screen, interactive) = if is_on { ("ON", "AWAKE") } else { ("OFF", "SLEEP") };
    format!(
        "WINDOW MANAGER POLICY STATE (dumpsys window policy)\n    mSafeMode=false mSystemReady=true mSystemBooted=true\n    \
         mAwake={is_on} mScreenOnEarly={is_on} mScreenOnFully={is_on}\n    mDreamingLockscreen=false\n    KeyguardServiceDelegate\n      \
         showing={is_locked}\n      showingAndNotOccluded={is_locked}\n      inputRestricted=false\n      occluded=false\n      \
         secure=false\n      dreaming=false\n      systemIsReady=true\n      deviceHasKeyguard=true\n      enabled=true\n      \
         screenState=SCREEN_STATE_{screen}\n      interactiveState=INTERACTIVE_STATE_{interactive}\n      KeyguardStateMonitor\n        \
         mIsShowing={is_locked}\n        mSimSecure=false\n        mInputRestricted=false\n        mTrusted=false\n        mCurrentUserId=0\n"
    )
}

fn activity(system: &System, words: &[&str]) -> String {
    let (package, class) = system.foreground();
    let component = format!("{package}/{}", short_class(&package, &class));
    if words.first() == Some(&"top") {
        let pid = system.pid(&package).unwrap_or(1000);
        return format!(
            "TASK {package} id=10 userId=0\n  ACTIVITY {component} {} pid={pid} userId=0\n    Local Activity {} State:\n      mResumed=true mStopped=false mFinished=false\n",
            identity(&component),
            identity(&class),
        );
    }
    let record = record(&package, &class);
    format!(
        "ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)\nDisplay #0 (activities from top to bottom):\n  \
         * Task{{{} #10 type=standard A=10100:{package} U=0 visible=true}}\n    mResumedActivity: {record}\n    \
         * Hist  #0: {record}\n      packageName={package} processName={package}\n\n  topResumedActivity={record}\n  \
         ResumedActivity: {record}\n  mFocusedApp={record}\n",
        identity(&package),
    )
}

fn input(system: &System) -> String {
    let ((width, height), rotation) = (system.size(), system.rotation());
    let (own_width, own_height) = system.size_override().unwrap_or(system.options().size);
    format!(
        "INPUT MANAGER (dumpsys input)\n\nInput Reader State (Nums of device: 1):\n  Device 1: touchscreen\n    \
         Viewport INTERNAL: displayId=0, uniqueId=local:0, port=0, orientation={rotation}, logicalFrame=[0, 0, {width}, {height}], \
         physicalFrame=[0, 0, {own_width}, {own_height}], deviceSize=[{own_width}, {own_height}], isActive=[1]\n    \
         SurfaceWidth: {width}px\n    SurfaceHeight: {height}px\n    SurfaceOrientation: {rotation}\n    InputDeviceOrientation: {rotation}\n"
    )
}

fn input_method(system: &System) -> String {
    let id = current_ime(&system.settings);
    let shown = system.keyboard_shown();
    format!(
        "Current Input Method Manager state:\n  Client #0:\n  mCurMethodId={id}\n  mCurId={id} mHaveConnection=true mBoundToMethod=true mVisibleBound={shown}\n  \
         mShowRequested={shown} mShowExplicitlyRequested=false mShowForced=false mInputShown={shown}\n  mSystemReady=true mInteractive=true\n\n\
         Input method client state for ClientState:\n  mActive=true mServedConnecting=false\n  mInputStarted={shown}\n"
    )
}

fn display_id() -> String {
    format!("Display {SCREEN_ID} (HWC display 0): port=0 pnpId=UXT displayName=\"uixt_display_0\"\n")
}

fn display(system: &System) -> String {
    let state = if system.is_screen_on() { "ON" } else { "OFF" };
    let ((width, height), rotation) = (system.size(), system.rotation());
    let (own_width, own_height) = system.size_override().unwrap_or(system.options().size);
    let density = system.density_override().unwrap_or(system.options().density);
    format!(
        "DISPLAY MANAGER (dumpsys display)\n  mViewports=[DisplayViewport{{type=INTERNAL, valid=true, isActive=true, displayId=0, uniqueId='local:0', \
         physicalPort=0, orientation={rotation}, logicalFrame=Rect(0, 0 - {width}, {height}), physicalFrame=Rect(0, 0 - {own_width}, {own_height}), \
         deviceWidth={own_width}, deviceHeight={own_height}}}]\n  mScreenState={state}\n\nLogical Displays: size=1\n  Display 0:\n    mDisplayId=0\n    \
         mBaseDisplayInfo=DisplayInfo{{\"Built-in Screen\", displayId 0, real {width} x {height}, rotation {rotation}, density {density} ({density}.0 x {density}.0) dpi, state {state}}}\n"
    )
}
