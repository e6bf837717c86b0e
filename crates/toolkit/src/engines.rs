//! What recognizes things on a screen by models: handed in by whoever makes the table, since it takes long to build and not every
//! program has it.

use async_trait::async_trait;
use uixt_call::Boxed;
use uixt_locate::{Error, Object};
use uixt_pictures::{Line, Picture};

use crate::{Context, Reply};

/// The engines that a program has.
#[derive(Clone, Copy, Default)]
pub struct Engines {
    /// The models that read texts in pictures.
    pub text_models: Option<&'static dyn TextModels>,
    /// What finds an element that is told in words.
    pub locator: Option<&'static dyn Locator>,
    /// What chooses among tools that fit a task.
    pub chooser: Option<&'static dyn Chooser>,
}

/// Models that read texts in pictures.
pub trait TextModels: Sync {
    /// Says why they cannot be used, and what to do; none where they can.
    fn unmet(&self) -> Option<String>;

    /// Begins to read pictures of one screen.
    fn reader(&self) -> Box<dyn TextRecognizer>;
}

/// Reads pictures of one screen, one after the other.
#[async_trait]
pub trait TextRecognizer: Send + Sync {
    /// Returns the lines of text, in the order in which they are read. Whatever breaks is an error: it says nothing of what is there.
    async fn lines(&self, picture: Picture) -> Result<Vec<Line>, Error>;
}

/// Finds an element that is told in words.
pub trait Locator: Sync {
    /// Finds an element that is to be touched. Fails where none is meant, and where the session's policy forbids the touch.
    fn locate<'a>(&'a self, cx: &'a Context, description: &'a str) -> Boxed<'a, Result<Located, Error>>;
}

/// Chooses among tools that fit a task by their words.
pub trait Chooser: Sync {
    /// Returns those that the task needs; none where there is nobody to ask.
    fn choose<'a>(
        &'a self,
        cx: &'a Context,
        task: &'a str,
        tools: &'a [String],
    ) -> Boxed<'a, Result<Option<Chosen>, Error>>;
}

/// Tools that a task needs.
pub struct Chosen {
    /// Their places, the best first.
    pub places: Vec<usize>,
    /// What is told of the choice beside it, such as what it cost.
    pub told: Object,
}

/// An element that was found by its description.
pub struct Located {
    /// What is told of it.
    pub reply: Reply,
    /// Its ref.
    pub reference: String,
}
