//! Waiting by itself: until an element is there, enabled and still; until something holds; until something is gone.
//!
//! It looks at the screen again and again, at least [`SAMPLE`](uixt_locate::stability::SAMPLE) apart, and never longer than it was told.

mod gone;
mod pace;

use std::time::Duration;

use pace::Pace;
use schemars::JsonSchema;
use serde::Deserialize;

pub use gone::{Sighting, gone, too_much, while_loading};
pub use pace::{Means, Settling, TimeLimit, limit, span, timeout};

use crate::Context;
use crate::hidden;
use crate::pixels::controls;
use crate::pixels::drawn;
use crate::pixels::drawn::Picture;
use crate::pixels::images;
use crate::traces::last_touch;
use uixt_driver::{Element, Reach, Screen};
use uixt_locate::finder;
use uixt_locate::finder::Purpose;
use uixt_locate::moving_target::MovingTarget;
use uixt_locate::pattern;
use uixt_locate::stability::Stability;
use uixt_locate::target::Target;
use uixt_locate::wording::{clip, describe};
use uixt_locate::{Error, Kind, absence, listed, screen_power, suggest};

/// How long a target may move before it is acted on where it is.
const MOTION: Duration = Duration::from_secs(1);
/// How often a target is brought into view that leaves it again.
const MOST_REVEALED: u32 = 5;
/// Places that a target is brought to where something lies over it.
const PLACES: u32 = 3;
/// An element that can be acted on.
pub struct Ready {
    /// The element.
    pub element: Element,
    /// The look that showed it.
    pub screen: Screen,
    /// Whether it was still moving.
    pub moving: bool,
}

/// A target and how long to wait for it: the arguments of every tool that waits for one element.
#[derive(Deserialize, JsonSchema)]
pub struct Waited {
    #[serde(flatten)]
    pub target: Target,
    /// Seconds to wait; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    pub timeout: Option<f64>,
}

impl Waited {
    /// Checks what a schema cannot say.
    pub fn check(&self) -> Result<(), String> {
        self.target.check()
    }

    /// Checks the same where the target's absence is what is wanted: a description that fits nothing may only be a poor one.
    pub fn check_absence(&self) -> Result<(), String> {
        self.check()?;
        if self.target.description.is_some() {
            return Err("`description` cannot assert absence: give a text, id or selector".to_owned());
        }
        if self.target.index.is_some() {
            // The second one is absent wherever there is one.
            return Err("`index` picks one of several, whose absence says nothing: leave it out, or say how many there are with `assert_count`".to_owned());
        }
        Ok(())
    }

    /// Checks the same where the target's presence is what is asserted.
    pub fn check_presence(&self) -> Result<(), String> {
        self.check()?;
        match self.target.text.as_deref().filter(|_| self.target.regex) {
            Some(pattern) => pattern::telling_pattern(pattern).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Returns the limit of a call that waits.
    pub fn limit(&self) -> Duration {
        limit(self.timeout)
    }

    /// Returns how long to wait.
    pub fn timeout(&self, cx: &Context) -> Duration {
        timeout(cx, self.timeout)
    }
}

/// Waits until the target is there, enabled and still, or so slow that a finger hits it.
pub async fn ready(
    cx: &Context,
    target: &Target,
    purpose: Purpose,
    limit: impl Into<TimeLimit>,
) -> Result<Ready, Error> {
    let means = if purpose.touches() { Means::Touch } else { Means::Eyes };
    ready_for(cx, target, purpose, means, limit).await
}

/// Waits until the target can be acted on by these means.
pub async fn ready_for(
    cx: &Context,
    target: &Target,
    purpose: Purpose,
    means: Means,
    limit: impl Into<TimeLimit>,
) -> Result<Ready, Error> {
    let refs = cx.refs();
    let mut pace = Pace::new(cx, limit);
    let (mut stability, mut moving_target) = (Stability::bearing(MOTION), MovingTarget::default());
    let mut revealed = 0;
    loop {
        let screen = pace.look(cx, stability.has_begun(), means).await?;
        let miss = match finder::pick(target, purpose, &screen, refs.as_ref()) {
            Ok(Some(element)) if purpose.touches() && is_out_of_reach(element, &screen) => {
                // What lies under a bar is brought to another place.
                let may_help = revealed < PLACES || !listed::is_on(&screen, element);
                if may_help && revealed < MOST_REVEALED && reveal_one(cx, element).await? {
                    revealed += 1;
                    pace.last = None;
                    continue;
                }
                Miss::Other(unreached(target, element, &pace.span))
            }
            Ok(Some(element)) if element.enabled => {
                let is_slow = pace.last.is_some_and(|began| moving_target.look(element.rect, began, pace.took));
                let is_told_still = told_still(element, means);
                let still = stability.look(element.rect);
                // What a page says to move is not touched at random: it would be missed without a word.
                let is_borne = !is_told_moving(element, purpose);
                if is_told_still || (is_borne && (is_slow || still.is_some())) {
                    let moving = !is_told_still && still.is_none_or(|still| still.moving);
                    cx.found(element, &screen, purpose);
                    let element = element.clone();
                    return Ok(Ready { element, screen, moving });
                }
                // A target that is in sight gets the second look that proves it still.
                if is_borne || !pace.is_over() {
                    continue;
                }
                Miss::Other(restless_target(target, element, &pace.span))
            }
            Ok(Some(element)) => Miss::Other(disabled(target, element, &pace.span)),
            Ok(None) if may_be_drawn(cx, target, &screen) => {
                pace.last = None;
                continue;
            }
            Ok(None) => Miss::Absent(target),
            Err(error) if is_final(&error, target) => return Err(error),
            Err(error) => Miss::Other(error),
        };
        stability.forget();
        moving_target.forget();
        if pace.is_over() {
            return Err(last_touch::explain(cx, miss.into_error(cx, purpose, &pace.span, &screen).await, &screen));
        }
    }
}

/// Tells whether touches do not reach an element, as far as the platform tells: it lies off the screen, or under something.
fn is_out_of_reach(element: &Element, screen: &Screen) -> bool {
    element.told.is_some() && (!listed::is_on(screen, element) || cover(element).or(missed(element)).is_some())
}

/// Has the platform bring an element to the middle of the screen, where no bar lies over it.
async fn reveal_one(cx: &Context, element: &Element) -> Result<bool, Error> {
    match element.key() {
        Some(key) => Ok(cx.driver()?.reveal(key).await?),
        None => Ok(false),
    }
}

/// Tells whether the platform says that an element stands still; unless it is to be touched, it need not.
fn told_still(element: &Element, means: Means) -> bool {
    element.told.as_ref().is_some_and(|told| told.still == Some(true) || means != Means::Touch)
}

/// Tells whether the platform says that an element to be touched does not stand still.
fn is_told_moving(element: &Element, purpose: Purpose) -> bool {
    purpose.touches() && element.told.as_ref().is_some_and(|told| told.still == Some(false))
}

fn restless_target(target: &Target, element: &Element, span: &str) -> Error {
    let message = format!("{target}: there, but it moves ({}); did not stand still {span}", describe(element));
    Error::new(Kind::WaitTimeout, message)
}

/// Returns what takes the touches that are meant for an element, where the platform says so.
fn cover(element: &Element) -> Option<&str> {
    match &element.told.as_ref()?.reach {
        Reach::Covered(by) => Some(by),
        _ => None,
    }
}

/// Says why touches do not reach an element over which nothing lies, where the platform says so.
fn missed(element: &Element) -> Option<&str> {
    match &element.told.as_ref()?.reach {
        Reach::Missed(why) => Some(why),
        _ => None,
    }
}

fn unreached(target: &Target, element: &Element, span: &str) -> Error {
    let what = describe(element);
    if let Some(why) = missed(element) {
        return Error::new(Kind::WaitTimeout, format!("{target}: there, but {why} ({what}); not free {span}"));
    }
    let Some(by) = cover(element).map(clip) else {
        let message = format!("{target}: {what} is out of view and could not be scrolled to {span}");
        return Error::new(Kind::NotFound, message);
    };
    let message = format!("{target}: there, but {by} lies over it and takes its touches ({what}); not free {span}");
    Error::new(Kind::WaitTimeout, message).with("covered_by", by)
}

/// Brings a target into view that a platform tells of and that lies out of sight; leaves the screen alone where it is not there.
pub async fn reveal(cx: &Context, target: &Target) -> Result<(), Error> {
    let screen = cx.look(None, false).await?;
    let refs = cx.refs();
    let Ok(Some(element)) = finder::pick(target, Purpose::Look, &screen, refs.as_ref()) else { return Ok(()) };
    if let Some(key) = element.key().filter(|_| !listed::is_on(&screen, element)) {
        cx.driver()?.reveal(key).await?;
    }
    Ok(())
}

/// A wrong call stays wrong, and a ref that means nothing or takes no text too; an ambiguous target may become clear while a page is built.
fn is_final(error: &Error, target: &Target) -> bool {
    let is = |wanted: &str| error.details.get("code").is_some_and(|code| code == wanted);
    error.kind != Kind::NotFound || is("STALE_REF") || (is("NO_FIELD") && target.reference.is_some())
}

/// Why a look at the screen did not show what was wanted.
pub enum Miss<'a> {
    /// The target is not there. What is nearest to it is looked for only once the wait is over.
    Absent(&'a Target),
    /// Something else is wrong.
    Other(Error),
}

impl From<Error> for Miss<'_> {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

impl Miss<'_> {
    /// Tells whether another look may show something else.
    fn may_change(&self) -> bool {
        match self {
            Self::Absent(_) => true,
            Self::Other(error) => error.kind.is_failure(),
        }
    }

    /// Returns why the wait failed; of what is not there also what may be meant to whoever wants this of it.
    async fn into_error(self, cx: &Context, purpose: Purpose, span: &str, screen: &Screen) -> Error {
        let mut error = match self {
            Self::Absent(target) => match hidden::error(cx, target, span).await {
                Some(error) => error,
                None => match (&target.image, &target.control) {
                    _ if screen_power::is_blank(screen) => absence::error(target, span, screen),
                    (Some(image), _) => images::absent(cx, target, image, span),
                    (None, Some(_)) => controls::absent(target, span, screen),
                    (None, None) if cx.options.ignore_not_found => absence::error(target, span, screen),
                    (None, None) => suggest::add(absence::error(target, span, screen), target, purpose, screen),
                },
            },
            Self::Other(error) => return error,
        };
        // What is looked for may stand in what no tree tells of.
        if let Ok(driver) = cx.driver()
            && let Ok(untold) = driver.untold(screen).await
            && !untold.is_empty()
        {
            error.message.push_str(&format!("; {untold}"));
            error = error.with(last_touch::UNTOLD, untold);
        }
        error
    }
}

fn disabled(target: &Target, element: &Element, span: &str) -> Error {
    let what = describe(element);
    let message = format!("{target}: there, but disabled ({what}); not enabled {span}");
    Error::new(Kind::WaitTimeout, message)
}

/// Waits until `test` accepts a look at the screen; returns what it accepted, or makes an error of what it saw last.
pub async fn until<'a, T: Send>(
    cx: &Context,
    timeout: Duration,
    mut test: impl FnMut(&Screen) -> Result<T, Miss<'a>> + Send,
) -> Result<T, Error> {
    until_drawn(cx, timeout, |screen| test(screen).map(|value| (value, Proof::None))).await
}

/// The elements for which a look is accepted.
pub enum Proof {
    /// It is accepted as it is.
    None,
    /// One of them is enough.
    Any(Vec<Element>),
    /// Each of them is to be seen.
    Every(Vec<Element>),
    /// The same, and there may be no more of them.
    All(Vec<Element>),
}

impl Proof {
    /// Returns the miss of elements at whose place a picture shows nothing, for the target that they were found by; of a screen that
    /// changes meanwhile, the last look counts.
    async fn miss(&self, cx: &Context, screen: &Screen, is_last: bool) -> Option<Undrawn> {
        let (Self::Any(elements) | Self::Every(elements) | Self::All(elements)) = self else { return None };
        if matches!(self, Self::All(_))
            && let Some(untold) = cx.driver().ok()?.untold(screen).await.ok().filter(|untold| !untold.is_empty())
        {
            return Some(Undrawn::Untold(untold));
        }
        let blank = match drawn::look(cx, screen, elements).await {
            Picture::Blank(blank) => blank,
            Picture::Late => return (!is_last).then_some(Undrawn::Late),
        };
        let is_enough = matches!(self, Self::Any(_)) && blank.contains(&false);
        let first = elements.iter().zip(&blank).find(|(_, blank)| **blank && !is_enough)?;
        Some(Undrawn::Blank(describe(first.0)))
    }
}

/// Why what was found does not count as seen.
enum Undrawn {
    Late,
    /// What the element is of which nothing is drawn.
    Blank(String),
    /// What more is shown that no tree tells of.
    Untold(&'static str),
}

/// The same where a picture must show something at the place of what was found, as far as pictures tell.
pub async fn until_drawn<'a, T: Send>(
    cx: &Context,
    timeout: Duration,
    mut test: impl FnMut(&Screen) -> Result<(T, Proof), Miss<'a>> + Send,
) -> Result<T, Error> {
    let mut pace = Pace::new(cx, timeout);
    loop {
        let screen = pace.look(cx, false, Means::Eyes).await?;
        let miss = match test(&screen) {
            Ok((value, proof)) => match proof.miss(cx, &screen, pace.is_over()).await {
                None => return Ok(value),
                Some(Undrawn::Late) => continue,
                Some(Undrawn::Blank(what)) => Miss::Other(undrawn(&what, &pace.span)),
                Some(Undrawn::Untold(untold)) => {
                    let error = Error::new(Kind::WaitTimeout, format!("there may be more of them: {untold}"));
                    Miss::Other(error.with(last_touch::UNTOLD, untold))
                }
            },
            Err(Miss::Absent(target)) if may_be_drawn(cx, target, &screen) => {
                pace.last = None;
                continue;
            }
            Err(miss) => miss,
        };
        if !miss.may_change() || pace.is_over() {
            return Err(last_touch::explain(
                cx,
                miss.into_error(cx, Purpose::Look, &pace.span, &screen).await,
                &screen,
            ));
        }
    }
}

fn undrawn(what: &str, span: &str) -> Error {
    let message = format!(
        "{what}: is there, but nothing is drawn where it stands (its rectangle is blank on the screen); not seen {span}"
    );
    Error::new(Kind::NotFound, message).with("hidden", "blank")
}

/// Tells whether what a look at the elements lacks may be drawn all the same, so that the next look is at the pixels.
fn may_be_drawn(cx: &Context, target: &Target, screen: &Screen) -> bool {
    screen_power::require_readable(&target.to_string(), screen).is_ok() && cx.turn_to_pixels()
}

/// Waits until the one element that is meant is there, be it enabled or not.
pub async fn there(cx: &Context, target: &Target, timeout: Duration) -> Result<Element, Error> {
    let refs = cx.refs();
    until(cx, timeout, |screen| match finder::pick(target, Purpose::Read, screen, refs.as_ref())? {
        Some(element) => {
            cx.found(element, screen, Purpose::Read);
            Ok(element.clone())
        }
        None => Err(Miss::Absent(target)),
    })
    .await
}

/// Waits until there is what the target names, and returns all of it.
pub async fn all(cx: &Context, target: &Target, timeout: Duration) -> Result<Vec<Element>, Error> {
    let refs = cx.refs();
    until(cx, timeout, |screen| match finder::find_all(target, screen, refs.as_ref())?[..] {
        [] => Err(Miss::Absent(target)),
        ref found => Ok(found.iter().map(|element| (*element).clone()).collect()),
    })
    .await
}

/// Waits until the target is visible; several are as good as one.
pub async fn visible(cx: &Context, target: &Target, timeout: Duration) -> Result<Element, Error> {
    let refs = cx.refs();
    until_drawn(cx, timeout, |screen| {
        let found = match target.index {
            None => finder::find_seen(target, screen, refs.as_ref())?,
            Some(_) => finder::pick(target, Purpose::See, screen, refs.as_ref())?.into_iter().collect(),
        };
        let Some(first) = found.first().copied() else { return Err(Miss::Absent(target)) };
        cx.found(first, screen, Purpose::Look);
        Ok((first.clone(), Proof::Any(found.into_iter().cloned().collect())))
    })
    .await
}
