//! What a page says, in JSON: `{"id": 7, "do": "open", …}`. It is answered by `{"re": 7, "ok": {…}}` or `{"re": 7, "error": {"kind", "message"}}`.

use serde::Deserialize;

use crate::act::Act;

#[derive(Deserialize)]
pub(crate) struct Said {
    /// Repeated in the answer; nothing is answered where there is none.
    #[serde(default)]
    pub(crate) id: Option<u64>,
    #[serde(flatten)]
    pub(crate) what: What,
}

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(crate) enum What {
    /// A frame was drawn, so that the next may come.
    Shown {
        #[serde(default)]
        device: usize,
        sequence: u32,
    },
    Act {
        device: usize,
        act: Box<Act>,
    },
    Assert {
        device: usize,
        kind: String,
        /// What was offered.
        text: String,
        #[serde(flatten)]
        place: Place,
    },
    Record {
        on: bool,
    },
    /// Takes the device over from an agent, or gives it back.
    Take {
        on: bool,
    },
    /// Forgets the last step that was recorded.
    Undo {},
    Look {
        device: usize,
    },
    /// Says whether the elements matter to the page, however long the device takes to tell them.
    Want {
        device: usize,
        on: bool,
    },
    Point {
        device: usize,
        #[serde(flatten)]
        place: Place,
    },
    Try {
        device: usize,
        target: String,
    },
    Picture {
        device: usize,
        rect: [f64; 4],
        file: String,
    },
    Open {
        path: String,
    },
    Text {
        path: String,
        text: String,
        /// What the file held that it was written from.
        #[serde(default)]
        version: String,
    },
    /// Writes a file, which must hold what the text was written from where that is said.
    Save {
        path: String,
        text: String,
        #[serde(default)]
        version: Option<String>,
    },
    Discard {
        path: String,
    },
    Create {
        path: String,
    },
    Complete {
        text: String,
        line: usize,
        column: usize,
    },
    Explain {
        word: String,
    },
    Run {
        #[serde(default)]
        device: usize,
        path: String,
        /// What is saved first, as by `save`.
        #[serde(default)]
        text: Option<String>,
        #[serde(default)]
        version: Option<String>,
        #[serde(default)]
        from: Option<u32>,
        #[serde(default)]
        only: Option<u32>,
    },
    RunCases {
        #[serde(default)]
        device: usize,
        paths: Vec<String>,
    },
    Stop {},
    /// Has a model reach a goal in words.
    Goal {
        device: usize,
        goal: String,
    },
    /// Takes what a run saw as what a picture is compared with from now on.
    Accept {
        folder: String,
        baseline: String,
    },
    /// Leaves a part of the screen, in fractions of it, out of the comparison of a step.
    Mask {
        path: String,
        line: u32,
        rect: [f64; 4],
    },
    /// Asks what of a run could be mended.
    Repairs {
        folder: String,
    },
    Repair {
        folder: String,
        place: String,
        choice: usize,
    },
    Cases {},
    Results {},
    Result {
        folder: String,
    },
}

/// An element, by its number and its sides, or by a point.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Place {
    pub(crate) n: Option<usize>,
    /// Where it was when the page was told its number: on another screen another element has that.
    pub(crate) rect: Option<[i32; 4]>,
    pub(crate) x: Option<f64>,
    pub(crate) y: Option<f64>,
}

impl Place {
    /// Returns a point.
    pub(crate) fn at([x, y]: [f64; 2]) -> Self {
        Self { x: Some(x), y: Some(y), ..Self::default() }
    }

    pub(crate) fn point(&self) -> Option<[f64; 2]> {
        Some([self.x?, self.y?])
    }
}
