//! A browser's own window, in which a person acts, or a phone: each deed is done by the tool that a testcase has for it, or noted where the browser or
//! the phone did it by itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use uixt_call::CallRecord;
use uixt_locate::Object;
use uixt_studio::Stage;

use super::phone::Phone;
use crate::cli::exit::{Failure, print};
use crate::driver::{Deed, Driver, Error};
use crate::recorder::Recorder;

/// A window, and what was done there that is not recorded yet.
pub(super) struct Window {
    stage: Stage,
    /// What is seen where a phone does by itself what is done on it.
    phone: Option<Phone>,
    /// What was done, and when that was told.
    deeds: mpsc::UnboundedReceiver<(Deed, Instant)>,
    /// The next, which was read too early.
    ahead: Option<(Deed, Instant)>,
    following: JoinHandle<Result<(), Error>>,
    /// The project's folder, below which files are named.
    folder: PathBuf,
    /// Where the last deed touched, if it did.
    touched: Option<Value>,
    /// The steps that were printed.
    printed: Vec<String>,
}

impl Window {
    /// Follows who acts in the window of a browser.
    pub(super) fn open(driver: &Arc<dyn Driver>, recorder: &Arc<Recorder>, folder: &Path) -> Self {
        recorder.join_typing();
        let (told, deeds) = mpsc::unbounded_channel();
        let follower = Arc::clone(driver);
        let following = tokio::spawn(async move {
            let tell = move |deed| _ = told.send((deed, Instant::now()));
            follower.follow_person(&tell).await
        });
        let phone = (driver.info().platform != "browser").then(|| Phone::watch(driver, recorder));
        let stage = Stage::new(Arc::clone(driver), Arc::clone(recorder) as Arc<dyn uixt_call::Caller>);
        let folder = folder.to_owned();
        Self { stage, phone, deeds, ahead: None, following, folder, touched: None, printed: Vec::new() }
    }

    /// Waits for the next deed: letters that were typed meanwhile are one. None once the window is closed, an error where none can be told.
    pub(super) async fn next(window: &mut Option<Self>) -> Result<Option<(Deed, Instant)>, Failure> {
        let Some(window) = window else { return std::future::pending().await };
        let first = match window.ahead.take() {
            Some(deed) => Some(deed),
            None => window.deeds.recv().await,
        };
        let Some((mut deed, at)) = first else {
            return match (&mut window.following).await {
                Ok(Ok(())) | Err(_) => Ok(None),
                Ok(Err(error)) => Err(Failure::errored(error)),
            };
        };
        while let Some(text) = typed(&mut deed)
            && let Ok(mut next) = window.deeds.try_recv()
        {
            match typed(&mut next.0) {
                Some(more) => text.push_str(more),
                None => window.ahead = Some(next),
            }
            if window.ahead.is_some() {
                break;
            }
        }
        Ok(Some((deed, at)))
    }

    /// Says that something else is recorded than what is done in it; the error says what the last step may lack.
    pub(super) fn rest(&mut self) -> Result<(), String> {
        self.phone.as_mut().map_or(Ok(()), Phone::rest)
    }

    /// Returns what the last steps lack, once.
    pub(super) fn take_lack(&mut self) -> Option<String> {
        self.phone.as_mut()?.take_lack()
    }

    /// Tells whether it is the screen of a phone.
    pub(super) fn is_phone(&self) -> bool {
        self.phone.is_some()
    }

    pub(super) fn is_closed(&self) -> bool {
        self.following.is_finished()
    }

    /// Tells whether something was done that is not recorded yet.
    pub(super) fn has_more(&self) -> bool {
        self.ahead.is_some() || !self.deeds.is_empty()
    }

    /// Does or notes a deed; the error says why it could not be done.
    pub(super) async fn record(&mut self, (deed, at): (Deed, Instant), recorder: &Recorder) -> Result<(), String> {
        let (tool, arguments, value) = match deed {
            Deed::Followed => return self.greet().await,
            Deed::Touched { ways, began, lifted } => {
                return self.phone.as_mut().map_or(Ok(()), |phone| phone.touch(&ways, began, lifted));
            }
            Deed::Pressed(key) => return self.phone.as_mut().map_or(Ok(()), |phone| phone.press(key, at)),
            Deed::Kept(mut kept) => {
                if let Some(Value::Array(files)) = kept.get_mut("files") {
                    files.iter_mut().try_for_each(|file| self.name_below(file))?;
                    // What opened the chooser is touched by the step that chooses.
                    if self.touched.is_some() && self.touched.as_ref() == kept.get("at") {
                        recorder.undo();
                    }
                }
                self.touched = kept.get("tap").cloned();
                return self.stage.act_for_person(&kept).await.map_err(|error| error.message);
            }
            Deed::Opened { url, in_new_tab: false } => ("open_url", json!({"url": url}), None),
            Deed::Opened { url, in_new_tab: true } => ("open_tab", json!({"url": url}), None),
            Deed::Went(0) => ("reload", json!({}), None),
            Deed::Went(way) => (if way < 0 { "back" } else { "forward" }, json!({}), None),
            Deed::TabClosed(index) => ("close_tab", json!({"tab_index": index}), None),
            Deed::Answered { dialog, accepted: false, .. } => ("dismiss_dialog", json!({}), Some(dialog.message)),
            Deed::Answered { dialog, text, .. } if dialog.kind == "prompt" && text != dialog.initial => {
                ("accept_dialog", json!({"text": text}), Some(dialog.message))
            }
            Deed::Answered { dialog, .. } => ("accept_dialog", json!({}), Some(dialog.message)),
        };
        let arguments: Object = arguments.as_object().cloned().unwrap_or_default();
        let info = self.stage.device();
        let record = CallRecord { value: value.map(Value::from), ..CallRecord::new(tool, arguments) };
        recorder.note(record, (info.platform, &info.serial));
        Ok(())
    }

    /// Says that the person may act on the phone, once its screen is known.
    async fn greet(&mut self) -> Result<(), String> {
        let Some(phone) = &mut self.phone else { return Ok(()) };
        phone.seen().await?;
        let name = &self.stage.device().name;
        let text = format!(
            "follows {name}: act on it, and go on once the step is printed. What a field hides is read from the environment by the testcase, too"
        );
        print(&text).map(drop).map_err(|_| "nobody reads what is printed".to_owned())
    }

    /// Waits until the screen of a phone stands still after what was done last; tells whether nothing more was done meanwhile. None of a browser.
    pub(super) async fn settle(&mut self) -> Option<bool> {
        let Self { phone: Some(phone), ahead, deeds, .. } = self else { return None };
        Some(phone.settle(|| ahead.is_some() || !deeds.is_empty()).await)
    }

    /// Names a file from the project's folder; the error says that it lies elsewhere.
    fn name_below(&self, file: &mut Value) -> Result<(), String> {
        let path = PathBuf::from(file.as_str().unwrap_or_default());
        let Ok(below) = path.strip_prefix(&self.folder) else {
            let (path, folder) = (path.display(), self.folder.display());
            return Err(format!(
                "{path} lies outside of {folder}, where a testcase finds its files: copy it there and choose it again"
            ));
        };
        *file = below.to_string_lossy().replace('\\', "/").into();
        Ok(())
    }

    /// Prints the steps that are new or others than before; the one that is being typed once it is, or once a phone has shown it.
    pub(super) fn print_new(&mut self, recorder: &Recorder) -> Result<(), Failure> {
        let text = recorder.text().unwrap_or_default();
        let steps = text.split_once("teststeps:\n").map_or("", |(_, steps)| steps);
        let mut steps: Vec<String> =
            steps.split("\n- ").map(|step| step.trim_start_matches("- ").trim().to_owned()).collect();
        if recorder.is_typing() && !self.is_phone() {
            steps.pop();
        }
        let known = steps.iter().zip(&self.printed).take_while(|(new, old)| new == old).count();
        for step in steps.iter().skip(known).filter(|step| !step.is_empty()) {
            print(&format!("- {step}"))?;
        }
        self.printed = steps;
        Ok(())
    }
}

/// Returns the letters that a deed typed; none where it did something else.
fn typed(deed: &mut Deed) -> Option<&mut String> {
    match deed {
        Deed::Kept(kept) => match kept.get_mut("type") {
            Some(Value::String(text)) => Some(text),
            _ => None,
        },
        _ => None,
    }
}
