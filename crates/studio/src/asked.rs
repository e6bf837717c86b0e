//! What pages ask of a testcase and of what is on a screen.

use std::path::PathBuf;

use serde_json::{Value, json};
use uixt_driver::{Look, Screen, Size};
use uixt_locate::{Error, Kind};
use uixt_pictures::{Picture, Place as Part};
use uixt_testcase::TestCase;

use crate::act::{asked, call};
use crate::run::Decision;
use crate::said::Place;
use crate::stage::Stage;
use crate::studio::Studio;
use crate::{complete, drawn, point, results};

impl Studio {
    pub(crate) fn open(&self, path: &str) -> Result<Value, String> {
        let draft = self.drafts.open(path)?;
        self.show_file(path);
        let mut opened = self.checked(path, &draft.text);
        opened["path"] = path.into();
        opened["saved"] = draft.is_saved.into();
        opened["version"] = draft.version.into();
        opened["on_disk"] = if draft.is_saved { Value::Null } else { self.drafts.saved(path).ok().into() };
        opened["text"] = draft.text.into();
        Ok(opened)
    }

    /// Tells what is wrong with a testcase, and where its steps stand.
    pub(crate) fn checked(&self, path: &str, text: &str) -> Value {
        let problem = |error: &uixt_testcase::Error| {
            json!({
                "line": error.span.map_or(1, |span| span.line), "column": error.span.map_or(1, |span| span.column),
                "length": error.span.map_or(1, |span| span.length), "message": error.message, "hint": error.hint,
                "help": error.help, "file": error.file,
            })
        };
        let place = self.root.join(path);
        match self.workshop.read(&place, text) {
            Ok(case) => {
                let warnings: Vec<Value> = self
                    .workshop
                    .warnings(&case)
                    .into_iter()
                    .map(|text| json!({"line": 1, "column": 1, "length": 1, "message": text}))
                    .collect();
                json!({"errors": [], "warnings": warnings, "steps": steps(&case, text)})
            }
            Err(errors) => {
                json!({"errors": errors.iter().map(problem).collect::<Vec<_>>(), "warnings": [], "steps": null})
            }
        }
    }

    pub(crate) fn complete(&self, text: &str, place: (usize, usize)) -> Value {
        complete::at(self.table, self.stages.first().map(AsRef::as_ref), text, place)
    }

    pub(crate) fn explain(&self, word: &str) -> Value {
        complete::explained(self.table, word).unwrap_or(Value::Null)
    }

    /// Tells of an element; what was read last is read again where it knows of none.
    pub(crate) async fn point(&self, stage: &Stage, place: &Place) -> Result<Value, Error> {
        let mut seen = stage.seen();
        if point::element(&seen.screen, place).is_none() {
            seen = stage.look().await;
        }
        if !seen.trouble.is_empty() {
            return Err(Error::new(Kind::Device, seen.trouble.clone()));
        }
        let element = point::element(&seen.screen, place);
        let told = element.map(|element| point::told(&seen.screen, element, self.table));
        let line = drawn::read(stage, &seen.screen, place).await;
        let told = match (told, line) {
            (Some(told), Some(line)) => Some(line.told_on(told, self.table)),
            (told, line) => told.or_else(|| line.map(|line| line.told(self.table))),
        };
        told.ok_or_else(|| Error::new(Kind::NotFound, "no element is there"))
    }

    /// Finds what answers to a target; selectors of pages are evaluated by their browser.
    pub(crate) async fn try_target(&self, stage: &Stage, written: &str) -> Result<Value, Error> {
        let mut selectors = Vec::new();
        if let Ok(value) = uixt_testcase::read_text("target", written) {
            point::selectors(&value, &mut selectors);
        }
        let screen: Screen = match selectors.is_empty() {
            true => stage.look().await.screen.clone(),
            false => stage.driver.look(&Look { present: true, selectors: &selectors, ..Look::default() }).await?,
        };
        point::tried(&screen, written).map_err(Error::bad_argument)
    }

    /// Keeps a part of the screen as a picture beside the testcase that is shown, which may be a target then.
    pub(crate) async fn picture(&self, stage: &Stage, rect: [f64; 4], file: &str) -> Result<Value, Error> {
        let is_name = !file.is_empty() && !file.contains(['/', '\\']) && !file.starts_with('.');
        if !is_name {
            return Err(Error::bad_argument(format!("{file:?}: name a file without folders, such as cart.png")));
        }
        let is_named = std::path::Path::new(file).extension().is_some_and(|ending| ending == "png");
        let name = if is_named { file.to_owned() } else { format!("{file}.png") };
        let answer = asked(stage, call("screenshot", json!({}))).await?;
        let broken = |error: uixt_pictures::Error| Error::new(Kind::Device, error.0);
        let png = answer.png.ok_or_else(|| Error::new(Kind::Device, "the device gave no picture"))?;
        let whole = Picture::decode(&png).map_err(broken)?;
        stage.measure().await?;
        let size = stage.size();
        let part = part_of(rect, size, (whole.width(), whole.height()));
        let png = whole.part(part).and_then(|part| part.encode()).map_err(broken)?;
        let folder =
            self.shown_file().and_then(|file| PathBuf::from(file).parent().map(ToOwned::to_owned)).unwrap_or_default();
        let path = folder.join(&name);
        let place = self.root.join(&path);
        if place.exists() {
            return Err(Error::bad_argument(format!("{}: there is such a file already", path.display())));
        }
        std::fs::write(&place, png)
            .map_err(|error| Error::new(Kind::Service, format!("{}: {error}", path.display())))?;
        Ok(json!({"path": path, "text": format!("{{image: {}}}", uixt_core::yaml::inline(&json!(name)))}))
    }
}

impl Studio {
    /// Leaves a part of the screen, in fractions of it, out of the comparison that a step makes.
    pub(crate) fn mask(&self, path: &str, line: u32, rect: [f64; 4]) -> Result<Value, String> {
        let text = self.drafts.open(path)?.text;
        let text = self.workshop.mask(&text, line, rect).map_err(|why| format!("{path}:{line}: {why}"))?;
        let version = self.save(path, &text)?;
        Ok(json!({"path": path, "text": text, "version": version}))
    }

    /// Does what somebody decided about a run.
    pub(crate) async fn decide(&self, folder: &str, decision: Decision) -> Result<Value, String> {
        let folder = results::folder(&self.root, folder)?;
        self.workshop.decide(folder, decision).await
    }
}

/// Returns a rectangle of a screen as the part of a picture of it.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is held within the picture's sides")]
fn part_of([left, top, right, bottom]: [f64; 4], size: Size, (width, height): (u32, u32)) -> Part {
    let scaled = |value: f64, of: u32, to: u32| ((value / f64::from(of.max(1))).clamp(0.0, 1.0) * f64::from(to)) as u32;
    Part {
        left: scaled(left, size.width, width),
        top: scaled(top, size.height, height),
        right: scaled(right, size.width, width),
        bottom: scaled(bottom, size.height, height),
    }
}

/// Returns the lines of a testcase's own steps.
fn steps(case: &TestCase, text: &str) -> Value {
    let begins: Vec<u32> = case.steps.iter().map(|step| step.place.line).collect();
    let last = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
    let one = |(at, step): (usize, &uixt_testcase::Step)| {
        let end = begins.get(at + 1).map_or(last, |next| next.saturating_sub(1));
        json!({"line": step.place.line, "last_line": end, "name": step.name})
    };
    case.steps.iter().enumerate().map(one).collect()
}
