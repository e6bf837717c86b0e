//! Waiting by itself: until an element is there, enabled and still; until something holds; until something is gone.
//!
//! It looks at the screen again and again, at least [`SAMPLE`] apart, and never longer than it was told.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;

use super::aim::Aim;
use super::finder::{self, Purpose, clip, describe};
use super::refs::Refs;
use super::stillness::{SAMPLE, Stillness};
use super::stir::Stir;
use super::target::Target;
use super::{Context, Error, Kind, absence, aftermath, lit, snapshot};
use crate::driver::{Element, Look, Reach, Screen};

/// The longest pause between two looks while there is nothing to see.
const PAUSE: Duration = Duration::from_millis(250);
/// How long a target may move before it is acted on where it is.
const MOTION: Duration = Duration::from_secs(1);
/// How often a target is brought into view that leaves it again.
const MOST_REVEALED: u32 = 5;
/// For how long nothing but a small place may move, such as a carousel, so that what is not there is certainly absent.
const CALM: Duration = Duration::from_secs(1);
/// How long a target is waited for where nothing else is said.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The same where its absence is ignored.
const TIMEOUT_IGNORED: Duration = Duration::from_secs(2);

/// An element that can be acted on.
pub(super) struct Ready {
    pub element: Element,
    pub screen: Screen,
    /// Whether it was still moving.
    pub moving: bool,
}

/// A target and how long to wait for it: the arguments of every tool that waits for one element.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Waited {
    #[serde(flatten)]
    pub target: Target,
    /// Seconds to wait; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    pub timeout: Option<f64>,
}

impl Waited {
    /// Checks what a schema cannot say.
    pub(super) fn check(&self) -> Result<(), String> {
        self.target.check()
    }

    /// Checks the same where the target's absence is what is wanted: a description that fits nothing may only be a poor one.
    pub(super) fn check_absence(&self) -> Result<(), String> {
        self.check()?;
        if self.target.description.is_some() {
            return Err("nothing can be told absent by `description`: give its text, id or selector".to_owned());
        }
        if self.target.index.is_some() {
            // The second one is absent wherever there is one.
            return Err("`index` picks one of several, whose absence says nothing: leave it out, or say how many there are with `assert_count`".to_owned());
        }
        Ok(())
    }

    /// Checks the same where the target's presence is what is asserted.
    pub(super) fn check_presence(&self) -> Result<(), String> {
        self.check()?;
        match self.target.text.as_deref().filter(|_| self.target.regex) {
            Some(pattern) => finder::telling_pattern(pattern).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Returns the limit of a call that waits.
    pub(super) fn limit(&self) -> Duration {
        limit(self.timeout)
    }

    /// Returns how long to wait.
    pub(super) fn timeout(&self, cx: &Context) -> Duration {
        timeout(cx, self.timeout)
    }
}

/// Returns how long to wait: what the caller said, else the usual.
pub(super) fn timeout(cx: &Context, asked: Option<f64>) -> Duration {
    match asked {
        Some(seconds) => Duration::from_secs_f64(seconds.clamp(0.0, 3600.0)),
        // The number of looks says when to end.
        None if cx.options.max_retry_times.is_some() => cx.options.added_time(),
        None if cx.options.ignore_not_found => TIMEOUT_IGNORED,
        None => TIMEOUT,
    }
}

/// Returns the limit of a call that waits: its waiting and a slow device's last look.
pub(super) fn limit(asked: Option<f64>) -> Duration {
    Duration::from_secs_f64(asked.unwrap_or(TIMEOUT.as_secs_f64()).clamp(0.0, 3600.0)) + super::LIMIT
}

/// Says how long a call waits, for its error: `within 10 s`, `in 3 looks`.
pub(super) fn span(cx: &Context, timeout: Duration) -> String {
    match cx.options.looks() {
        Some((0, _)) => "in one look".to_owned(),
        // Without a timeout of its own, only the number of looks ends the wait.
        Some((more, _)) if timeout >= cx.options.added_time() => format!("in {} looks", more + 1),
        Some((more, _)) => format!("in {} looks or {} s", more + 1, timeout.as_secs_f64()),
        None => format!("within {} s", timeout.as_secs_f64()),
    }
}

/// Paces looks: the first at once, then at [`SAMPLE`] or, where nothing is to be seen, slower and slower, or as the call's
/// options say.
struct Pace {
    started: Instant,
    timeout: Duration,
    last: Option<Instant>,
    /// How long the last look took.
    took: Duration,
    pause: Duration,
    /// The pause that was asked for.
    interval: Option<Duration>,
    /// How many looks are left, where they are counted; a second look at what was just seen is none.
    left: Option<u32>,
    span: String,
}

impl Pace {
    fn new(cx: &Context, timeout: Duration) -> Self {
        let looks = cx.options.looks();
        Self {
            started: Instant::now(),
            timeout,
            last: None,
            took: Duration::ZERO,
            pause: SAMPLE,
            interval: looks.map(|(_, apart)| apart).or_else(|| cx.options.pause()),
            left: looks.map(|(more, _)| more.saturating_add(1)),
            span: span(cx, timeout),
        }
    }

    fn is_over(&self) -> bool {
        self.left == Some(0) || self.started.elapsed() >= self.timeout
    }

    /// Returns the pause before the next look.
    fn next_pause(&self, eager: bool) -> Duration {
        match self.interval {
            _ if eager => SAMPLE,
            Some(interval) => interval.max(SAMPLE),
            None => (self.pause * 3 / 2).min(PAUSE),
        }
    }

    /// Looks at the screen when it is time to.
    async fn look(&mut self, cx: &Context, eager: bool, means: Means) -> Result<Screen, Error> {
        if let Some(last) = self.last {
            self.pause = self.next_pause(eager);
            let next = last + self.pause;
            let end = self.started + self.timeout;
            tokio::time::sleep_until(next.min(end.max(last + SAMPLE)).into()).await;
        }
        let began = Instant::now();
        self.last = Some(began);
        cx.progress.say(self.started.elapsed().as_secs_f64(), self.timeout.as_secs_f64(), || "looking".to_owned());
        if !eager {
            self.left = self.left.map(|left| left.saturating_sub(1));
        }
        // A screen that gives no tree is not tried again for longer than the call waits.
        let patience = Some(self.timeout.saturating_sub(self.started.elapsed()));
        let (steady, reach) = (means == Means::Touch, means == Means::Focus);
        let screen = cx.look_with(Look { patience, steady, reach, ..Look::default() }).await?;
        self.took = began.elapsed();
        Ok(screen)
    }
}

/// What is to be done with what is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Means {
    /// It is only looked at.
    Eyes,
    /// It gets the focus where it is: it may move, but nothing may lie over it.
    Focus,
    Touch,
}

/// Waits until the target is there, enabled and still, or so slow that a finger hits it.
pub(super) async fn ready(cx: &Context, target: &Target, purpose: Purpose, timeout: Duration) -> Result<Ready, Error> {
    let means = if purpose.touches() { Means::Touch } else { Means::Eyes };
    ready_for(cx, target, purpose, means, timeout).await
}

/// Waits until the target can be acted on by these means.
pub(super) async fn ready_for(
    cx: &Context,
    target: &Target,
    purpose: Purpose,
    means: Means,
    timeout: Duration,
) -> Result<Ready, Error> {
    let refs = cx.refs();
    let mut pace = Pace::new(cx, timeout);
    let (mut stillness, mut aim) = (Stillness::bearing(MOTION), Aim::default());
    let mut revealed = 0;
    loop {
        let screen = pace.look(cx, stillness.has_begun(), means).await?;
        let miss = match finder::pick(target, purpose, &screen, refs.as_ref()) {
            Ok(Some(element)) if purpose.touches() && is_out_of_reach(element, &screen) => {
                let may_help = revealed == 0 || !snapshot::is_on(&screen, element);
                if may_help && revealed < MOST_REVEALED && reveal_one(cx, element).await? {
                    revealed += 1;
                    pace.last = None;
                    continue;
                }
                Miss::Other(unreached(target, element, &pace.span))
            }
            Ok(Some(element)) if element.enabled => {
                let is_slow = pace.last.is_some_and(|began| aim.look(element.rect, began, pace.took));
                let is_told_still = told_still(element, means);
                let still = stillness.look(element.rect);
                // What a page says to move is not touched at random: it would be missed without a word.
                let is_borne = !is_told_moving(element, purpose);
                if is_told_still || (is_borne && (is_slow || still.is_some())) {
                    let moving = !is_told_still && still.is_none_or(|still| still.moving);
                    cx.options.witness.see(element, &screen, purpose);
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
            Ok(None) => Miss::Absent(target),
            Err(error) if is_final(&error) => return Err(error),
            Err(error) => Miss::Other(error),
        };
        stillness.forget();
        aim.forget();
        if pace.is_over() {
            return Err(aftermath::explain(cx, miss.into_error(&pace.span, &screen), &screen));
        }
    }
}

/// Tells whether touches do not reach an element, as far as the platform tells: it lies off the screen, or under something.
fn is_out_of_reach(element: &Element, screen: &Screen) -> bool {
    element.told.is_some() && (!snapshot::is_on(screen, element) || cover(element).is_some())
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
        Reach::Middle | Reach::At(_) => None,
    }
}

fn unreached(target: &Target, element: &Element, span: &str) -> Error {
    let what = describe(element);
    let Some(by) = cover(element).map(clip) else {
        let message = format!("{target}: {what} lies out of sight and could not be brought there {span}");
        return Error::new(Kind::NotFound, message);
    };
    let message = format!("{target}: there, but {by} lies over it and takes its touches ({what}); not free {span}");
    Error::new(Kind::WaitTimeout, message).with("covered_by", by)
}

/// Brings a target into view that a platform tells of and that lies out of sight; leaves the screen alone where it is not there.
pub(super) async fn reveal(cx: &Context, target: &Target) -> Result<(), Error> {
    let screen = cx.look(None, false).await?;
    let refs = cx.refs();
    let Ok(Some(element)) = finder::pick(target, Purpose::Look, &screen, refs.as_ref()) else { return Ok(()) };
    if let Some(key) = element.key().filter(|_| !snapshot::is_on(&screen, element)) {
        cx.driver()?.reveal(key).await?;
    }
    Ok(())
}

/// A wrong call stays wrong, and a ref that means nothing too; an ambiguous target may become clear while a page is built.
fn is_final(error: &Error) -> bool {
    let stale = error.details.get("code").is_some_and(|code| code == "STALE_REF");
    error.kind != Kind::NotFound || stale
}

/// Why a look at the screen did not show what was wanted.
pub(super) enum Miss<'a> {
    /// The target is not there. What is nearest to it is looked for only once the wait is over.
    Absent(&'a Target),
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

    fn into_error(self, span: &str, screen: &Screen) -> Error {
        match self {
            Self::Absent(target) => absence::error(target, span, screen),
            Self::Other(error) => error,
        }
    }
}

fn disabled(target: &Target, element: &Element, span: &str) -> Error {
    let what = describe(element);
    let message = format!("{target}: there, but disabled ({what}); not enabled {span}");
    Error::new(Kind::WaitTimeout, message)
}

/// Waits until `test` accepts a look at the screen; returns what it accepted, or makes an error of what it saw last.
pub(super) async fn until<'a, T>(
    cx: &Context,
    timeout: Duration,
    mut test: impl FnMut(&Screen) -> Result<T, Miss<'a>> + Send,
) -> Result<T, Error> {
    let mut pace = Pace::new(cx, timeout);
    loop {
        let screen = pace.look(cx, false, Means::Eyes).await?;
        match test(&screen) {
            Ok(value) => return Ok(value),
            Err(miss) if !miss.may_change() || pace.is_over() => {
                return Err(aftermath::explain(cx, miss.into_error(&pace.span, &screen), &screen));
            }
            Err(_) => {}
        }
    }
}

/// Waits until the target is visible; several are as good as one.
pub(super) async fn visible(cx: &Context, target: &Target, timeout: Duration) -> Result<Element, Error> {
    let refs = cx.refs();
    until(cx, timeout, |screen| match finder::pick(target, Purpose::Look, screen, refs.as_ref())? {
        Some(element) => {
            cx.options.witness.see(element, screen, Purpose::Look);
            Ok(element.clone())
        }
        None => Err(Miss::Absent(target)),
    })
    .await
}

/// Waits until two looks at a screen that stands still both lack the target, or all looks for a while at one that does not rest
/// in some small place.
pub(super) async fn gone(cx: &Context, target: &Target, timeout: Duration) -> Result<(), Error> {
    let refs = cx.refs();
    let mut pace = Pace::new(cx, timeout);
    let mut lacking = Stir::new(CALM, None);
    let mut sighted = false;
    loop {
        let screen = pace.look(cx, lacking.has_begun(), Means::Eyes).await?;
        let found = match finder::pick(target, Purpose::Look, &screen, refs.as_ref()) {
            Ok(found) => found.map(describe),
            Err(error) if error.details.contains_key(finder::GONE) => None,
            // A spinner goes together with the dialog that it was seen in.
            Err(error) if error.details.contains_key(finder::NO_CONTAINER) => match sighted {
                true => None,
                false if pace.is_over() => return Err(error),
                false => {
                    lacking.forget();
                    continue;
                }
            },
            Err(error) => return Err(error),
        };
        match found {
            Some(what) if pace.is_over() => {
                return Err(aftermath::explain(cx, still_there(target, &what, &pace.span), &screen));
            }
            Some(_) => {
                sighted = true;
                lacking.forget();
            }
            None => {
                // One look more than the time allows, so that a timeout of 0 can still see a screen stand still.
                if screen.cut {
                    return Err(too_much(target));
                }
                let is_last = pace.is_over() && lacking.has_begun();
                match lacking.look(screen) {
                    Some(still) => {
                        lit::proves_absence(&target.to_string(), &still.screen)?;
                        return literally_gone(target, &still.screen, refs.as_ref());
                    }
                    None if is_last => return Err(restless(target, &pace.span)),
                    None => {}
                }
            }
        }
    }
}

/// Refuses to call a pattern absent that stands on the screen letter by letter: it was meant as a text.
fn literally_gone(target: &Target, screen: &Screen, refs: Option<&Refs>) -> Result<(), Error> {
    match finder::literally(target, screen, refs) {
        Some(what) => Err(Error::new(Kind::Assertion, format!("{target}: not gone: {what}"))),
        None => Ok(()),
    }
}

fn still_there(target: &Target, what: &str, span: &str) -> Error {
    Error::new(Kind::Assertion, format!("{target}: still there, not gone {span}: {what}"))
}

/// Builds the error of an absence on a screen that holds more than is told of it.
pub(super) fn too_much(target: &Target) -> Error {
    let message = format!(
        "{target}: not among what was told of the page, which holds more than that: it may be there all the same; look in a part of \
         it with `selector`"
    );
    Error::new(Kind::WaitTimeout, message)
}

fn restless(target: &Target, span: &str) -> Error {
    let message =
        format!("{target}: not there, but the screen did not stand still {span}, so that its absence is not certain");
    Error::new(Kind::WaitTimeout, message)
}
