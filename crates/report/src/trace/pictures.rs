//! Pictures of a case → what the viewer shows of each action, before and after it, and the strip at its top.

use std::io;

use serde_json::{Value, json};

use super::super::evidence;
use super::super::picture::Picture;
use super::{PAGE, Trace, elements};
use crate::result::{ActionResult, Mark};

impl Trace<'_> {
    /// Adds an action's picture: of the screen as it was touched where the gesture is known, else of what came of it.
    pub(super) fn pictures(&mut self, id: &str, action: &ActionResult, (begin, end): (i64, i64)) -> io::Result<()> {
        if let Some(path) = &action.screenshot {
            let phases: &[&str] = if action.mark.is_some() { &["before", "action"] } else { &["after"] };
            let time = if action.mark.is_some() { begin } else { end };
            let size = self.picture(id, path, (phases, time))?;
            if let (Some(mark), Some(size)) = (action.mark, size) {
                self.push(&json!({"type": "input", "callId": id, "point": point(mark, size)}));
            }
        }
        if let Some((path, _)) = action.error.as_deref().and_then(evidence::before) {
            self.picture(id, path, (&["before"], begin))?;
        }
        self.elements(id, action, (begin, end))
    }

    /// Adds a picture, and shows it in phases of an action; returns its size.
    fn picture(&mut self, id: &str, path: &str, (phases, time): (&[&str], i64)) -> io::Result<Option<(u32, u32)>> {
        let Some(picture) = Picture::find(self.dir, path) else { return Ok(None) };
        if !self.archive.file(self.dir, path)? {
            return Ok(None);
        }
        for phase in phases {
            self.push(&json!({
                "type": "screenshot", "callId": id, "phase": phase, "pageId": PAGE, "timestamp": time, "file": path,
            }));
        }
        // A film has more of them.
        if let (Some((width, height)), None) = (picture.size, &self.video) {
            self.push(&json!({
                "type": "screencast-frame", "pageId": PAGE, "file": path, "width": width, "height": height,
                "timestamp": time,
            }));
        }
        Ok(picture.size)
    }

    /// Adds the elements that were kept of a failure, as the viewer's tree beside the picture.
    fn elements(&mut self, id: &str, action: &ActionResult, (begin, end): (i64, i64)) -> io::Result<()> {
        for (key, phase, time) in [("before", "before", begin), ("tree", "after", end)] {
            let path = evidence::of_action(action).and_then(|kept| kept.get(key)?.as_str());
            let Some(text) = path.and_then(|path| self.kept(path)) else { continue };
            let Ok(tree) = serde_json::from_str::<Value>(&text) else { continue };
            let file = format!("aria/{id}-{phase}.json");
            self.archive.text(&file, &elements::tree(&tree).to_string())?;
            self.push(&json!({
                "type": "aria-snapshot", "callId": id, "phase": phase, "pageId": PAGE, "timestamp": time, "file": file,
            }));
        }
        Ok(())
    }

    /// Reads a text that was kept of a failure.
    pub(super) fn kept(&self, path: &str) -> Option<String> {
        let path = super::super::picture::inside(path).filter(|path| path.starts_with("evidence"))?;
        std::fs::read_to_string(self.dir.join(path)).ok()
    }
}

/// Returns where a gesture began, in pixels of the picture.
fn point(mark: Mark, (width, height): (u32, u32)) -> Value {
    let (x, y) = match mark {
        Mark::Tap { x, y } => (x, y),
        Mark::Swipe { from_x, from_y, .. } => (from_x, from_y),
    };
    json!({"x": (x * f64::from(width)).round(), "y": (y * f64::from(height)).round()})
}
