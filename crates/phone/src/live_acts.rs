//! What happens on pages that live, by a touch or by itself: pop-ups, questions, hangs and crashes.

use super::apps::live::{Effect, LivePage, Memory, Popup};
use super::dialog::{Button, Dialog, Kind, Outcome, SYSTEM_PACKAGE};
use super::process::{Hang, Installed, Opened, Process};
use super::system::{Alert, System};

/// How long the system bears an app that does nothing, in milliseconds. Android bears it for 5 s, which teaches nobody more.
const BORNE: u64 = 800;

/// What an app dies of, and where it was then, the innermost call first.
const EXCEPTION: &str = "java.lang.IllegalStateException";
const WHY: &str = "the Crash button was touched";
const CALLED: [&str; 2] = ["CrashPage.touch(CrashPage.kt:31)", "Main.onTouch(Main.kt:84)"];

static NOTHING: Memory = Memory::new();

impl Installed {
    /// Returns a page that lives.
    pub(super) fn live(&self, id: &str) -> Option<&'static LivePage> {
        self.live.iter().find(|page| page.id == id)
    }
}

impl Process {
    pub(super) fn memory(&self, page: &str) -> &Memory {
        self.memories.get(page).unwrap_or(&NOTHING)
    }
}

impl System {
    /// Returns for how long a page has been open; a process that hangs stands still.
    pub(super) fn shown_ms(&self, process: &Process, opened: &Opened) -> u64 {
        let now = process.hang.map_or_else(|| self.now_ms(), |hang| hang.since);
        now.saturating_sub(opened.at_ms)
    }

    /// Whether the window in front takes no touches and tells nothing of itself, because its app hangs.
    pub fn is_hung(&self) -> bool {
        self.alert.is_none() && !self.locked && self.front().is_some_and(|(_, process)| process.hang.is_some())
    }

    /// Whether the system itself asks something.
    pub fn has_alert(&self) -> bool {
        self.alert.is_some()
    }

    /// Returns the name of the alert's window, as `dumpsys window` has it.
    pub fn alert_window(&self) -> Option<String> {
        self.alert.as_ref().map(|alert| alert.window.clone())
    }

    /// Does what has come by itself since the last time.
    pub fn catch_up(&mut self) {
        let now = self.now_ms();
        self.ask_about_hang(now);
        self.recover(now);
        self.refresh_kept();
        let Some((_, process)) = self.front() else { return };
        if process.dialog.is_none() && process.hang.is_none() && self.alert.is_none() && !self.locked {
            self.on_front(|page, memory, ms| (page.due)(memory, ms));
        }
    }

    /// Asks what to do with an app in front that has hung for too long, even if it goes on before anybody looks.
    fn ask_about_hang(&mut self, now: u64) {
        let Some((installed, process)) = self.front() else { return };
        let is_too_long = process.hang.is_some_and(|hang| hang.asks_at <= now.min(hang.until));
        if self.alert.is_none() && !self.locked && is_too_long {
            let (package, label) = (installed.app.package.clone(), installed.app.label.clone());
            let pid = process.pid;
            self.note_hang(&package, pid);
            self.alert = Some(not_responding(package, &label));
        }
    }

    /// Lets the apps go on whose hang is over.
    fn recover(&mut self, now: u64) {
        let over = |process: &Process| process.hang.is_some_and(|hang| now >= hang.until);
        let names = self.running.iter().filter(|(_, process)| over(process)).map(|(name, _)| name.clone());
        for package in names.collect::<Vec<_>>() {
            if let Some(process) = self.running.get_mut(&package) {
                process.hang = None;
            }
            self.on_top_of(&package, |page, memory, ms| (page.touch)(memory, "recovered", ms));
        }
    }

    /// Takes in a touch on the page that lives in front; nothing where none does.
    pub(super) fn touch_live(&mut self, what: &str) {
        self.on_front(|page, memory, ms| (page.touch)(memory, what, ms));
    }

    fn on_front(&mut self, act: impl FnOnce(&LivePage, &mut Memory, u64) -> Effect) {
        if let Some(front) = self.front.clone() {
            self.on_top_of(&front, act);
        }
    }

    /// Lets the page on top of an app act, where it is one that lives.
    fn on_top_of(&mut self, package: &str, act: impl FnOnce(&LivePage, &mut Memory, u64) -> Effect) {
        let now = self.now_ms();
        let (Some(installed), Some(process)) = (self.installed.get(package), self.running.get_mut(package)) else {
            return;
        };
        let Some(opened) = process.stack.last() else { return };
        let Some(page) = installed.live(&opened.instance) else { return };
        let memory = process.memories.entry(page.id).or_default();
        let effect = act(page, memory, now.saturating_sub(opened.at_ms));
        self.take_effect(effect);
    }

    fn take_effect(&mut self, effect: Effect) {
        match effect {
            Effect::None => {}
            // Pages lead to pages of their own app only.
            Effect::Open(page) => drop(self.open_live(page)),
            Effect::Popup(popup) => {
                if let Some(process) = self.front_process() {
                    process.dialog = Some(dialog_of(popup));
                }
            }
            Effect::Permission(name) => self.ask_for(name),
            Effect::Hang(ms) => self.hang(ms),
            Effect::ToTheEnd => {
                if let Some(opened) = self.front_process().and_then(|process| process.stack.last_mut()) {
                    opened.scroll = i32::MAX;
                }
            }
            Effect::Split(is_split) => {
                if let Some(process) = self.front_process() {
                    process.is_split = is_split;
                }
            }
            Effect::Crash => self.crash(),
        }
    }

    /// Opens a page that lives, of the app in front. Errors: there is none of this name.
    pub(super) fn open_live(&mut self, id: &str) -> Result<(), String> {
        let now = self.now_ms();
        let missing = || format!("no page `{id}`");
        let front = self.front.clone().ok_or_else(missing)?;
        let page = self.installed.get(&front).and_then(|installed| installed.live(id)).ok_or_else(missing)?;
        let process = self.running.get_mut(&front).ok_or_else(missing)?;
        process.push(page.id, now);
        process.memories.insert(page.id, Memory::new());
        self.note("ActivityTaskManager", format!("Displayed {front}/{id}"));
        Ok(())
    }

    fn ask_for(&mut self, permission: &'static str) {
        let Some(package) = self.front.clone() else { return };
        match self.permission(&package, permission) {
            Some(true) => self.touch_live("granted"),
            Some(false) => self.touch_live("denied"),
            None => {
                if let Some(process) = self.front_process() {
                    process.questions.push_back(permission.to_owned());
                }
                self.ask_next();
            }
        }
    }

    fn hang(&mut self, ms: u64) {
        let now = self.now_ms();
        if let Some(process) = self.front_process() {
            process.hang = Some(Hang { since: now, until: now.saturating_add(ms), asks_at: now + BORNE });
        }
    }

    /// Goes on waiting for an app that hangs.
    pub(super) fn wait_on(&mut self) {
        let now = self.now_ms();
        if let Some(hang) = self.front_process().and_then(|process| process.hang.as_mut()) {
            hang.asks_at = now + BORNE;
        }
    }

    /// Writes into the log what Android writes of an app that does not respond (AOSP, `ProcessErrorStateRecord`).
    fn note_hang(&mut self, package: &str, pid: u32) {
        let reason = "Input dispatching timed out (it does not take the touch that came to it)";
        self.note("am_anr", format!("[0,{pid},{package},0,{reason}]"));
        for line in [format!("ANR in {package} ({package}/.Main)"), format!("PID: {pid}"), format!("Reason: {reason}")]
        {
            self.note("ActivityManager", line);
        }
    }

    /// Ends the app in front, as an exception that nobody catches does.
    fn crash(&mut self) {
        let Some(package) = self.front.clone() else { return };
        let (Some(process), Some(installed)) = (self.running.remove(&package), self.installed.get(&package)) else {
            return;
        };
        let label = installed.app.label.clone();
        self.note("AndroidRuntime", "FATAL EXCEPTION: main".to_owned());
        self.note("AndroidRuntime", format!("Process: {package}, PID: {}", process.pid));
        self.note("AndroidRuntime", format!("{EXCEPTION}: {WHY}"));
        for place in CALLED {
            self.note("AndroidRuntime", format!("\tat {package}.{place}"));
        }
        let event = format!("[{},0,{package},0,{EXCEPTION},{WHY},CrashPage.kt,31]", process.pid);
        self.note("am_crash", event);
        self.go_home();
        // An iPhone says nothing of it.
        if !self.is_iphone() {
            self.alert = Some(stopped(package, &label));
        }
    }
}

fn dialog_of(popup: Popup) -> Dialog {
    const IDS: [&str; 2] = ["android:id/button2", "android:id/button1"];
    let buttons = popup.buttons.iter().zip(IDS);
    let buttons = buttons.map(|((text, told), id)| Button { text, id, leads_to: Outcome::Tell(told) });
    let (text, beside) = (popup.text.to_owned(), Outcome::Tell("dismissed"));
    Dialog::new(popup.title, Kind::Ask { text, buttons: buttons.collect(), beside })
}

/// Makes one of the system's alerts (AOSP, `AppNotRespondingDialog` and `AppErrorDialog`), which only its buttons close.
fn alert(package: String, title: String, buttons: Vec<Button>) -> Alert {
    let kind = Kind::Ask { text: String::new(), buttons, beside: Outcome::Stay };
    let window = format!("Application Error: {package}");
    Alert { package, owner: SYSTEM_PACKAGE, window, dialog: Dialog::new(title, kind), asked: None }
}

fn not_responding(package: String, label: &str) -> Alert {
    let close = Button { text: "Close app", id: "android:id/aerr_close", leads_to: Outcome::End(package.clone()) };
    let wait = Button { text: "Wait", id: "android:id/aerr_wait", leads_to: Outcome::Wait };
    let window = format!("Application Not Responding: {package}");
    Alert { window, ..alert(package, format!("{label} isn't responding"), vec![close, wait]) }
}

fn stopped(package: String, label: &str) -> Alert {
    let again =
        Button { text: "Open app again", id: "android:id/aerr_restart", leads_to: Outcome::Reopen(package.clone()) };
    let close = Button { text: "Close app", id: "android:id/aerr_close", leads_to: Outcome::Close };
    alert(package, format!("{label} has stopped"), vec![again, close])
}
