//! How long a call waits, and when it looks again.

use std::time::{Duration, Instant};

use uixt_call::Waiting;
use uixt_driver::{Look, Screen};
use uixt_locate::stability::SAMPLE;
use uixt_locate::target::Target;
use uixt_locate::{Error, finder};

use crate::traces::last_acts::LastActs;
use crate::{Context, LIMIT};

/// For how long a page that is not complete is waited for, so that absence on it proves more.
const LOADING: Duration = Duration::from_secs(3);
/// For how long an act may show first what it leads to: an answer to a tap that takes longer has asked for something.
const AFTERMATH: Duration = Duration::from_millis(600);
/// For how long what has no text is waited for because something went away just now: it may be something else.
const NAMELESS: Duration = Duration::from_millis(1600);
/// The longest pause between two looks while there is nothing to see.
const PAUSE: Duration = Duration::from_millis(250);
/// How long a target is waited for where nothing else is said.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The same where its absence is ignored.
const TIMEOUT_IGNORED: Duration = Duration::from_secs(2);
/// Returns how long to wait: what the caller said, else the usual.
pub fn timeout(cx: &Context, asked: Option<f64>) -> Duration {
    match asked {
        Some(seconds) => Duration::from_secs_f64(seconds.clamp(0.0, 3600.0)),
        // The number of looks says when to end.
        None if cx.options.max_retry_times.is_some() => cx.options.added_time(),
        None if cx.options.ignore_not_found => TIMEOUT_IGNORED,
        None => TIMEOUT,
    }
}

/// Returns the limit of a call that waits: its waiting and a slow device's last look.
pub fn limit(asked: Option<f64>) -> Duration {
    Duration::from_secs_f64(asked.unwrap_or(TIMEOUT.as_secs_f64()).clamp(0.0, 3600.0)) + LIMIT
}

/// Says how long a call waits, for its error: `within 10 s`, `in 3 looks`.
pub fn span(cx: &Context, timeout: Duration) -> String {
    let seconds = seconds(timeout);
    match cx.options.looks() {
        Some((0, _)) => "in one look".to_owned(),
        // Without a timeout of its own, only the number of looks ends the wait.
        Some((more, _)) if timeout >= cx.options.added_time() => format!("in {} looks", more + 1),
        Some((more, _)) => format!("in {} looks or {seconds} s", more + 1),
        None => format!("within {seconds} s"),
    }
}

/// The time that a call was given, and its end, which several waits of one call share: each tells the whole of it.
#[derive(Clone, Copy)]
pub struct TimeLimit {
    /// All of it.
    pub asked: Duration,
    /// When it is over.
    pub end: Instant,
}

impl From<Duration> for TimeLimit {
    fn from(asked: Duration) -> Self {
        Self { asked, end: Instant::now() + asked }
    }
}

/// Returns seconds as they are told, to the millisecond.
fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1000.0).round() / 1000.0
}

/// What decides whether something counts as absent, few or off that may only not be there yet: all such verdicts wait for the same.
#[derive(Clone, Copy)]
pub struct Settling {
    started: Instant,
    timeout: Duration,
    /// When the last act ended.
    acted: Option<Instant>,
}

impl Settling {
    /// Begins with a wait.
    pub fn begin(cx: &Context, timeout: Duration) -> Self {
        Self { started: Instant::now(), timeout, acted: cx.session.state::<LastActs>().last_ended() }
    }

    /// Tells whether what was done last may still show on a screen, or more of a page is on its way, so that it is to be looked at again;
    /// never for longer than the call waits.
    pub fn bears(&self, screen: &Screen) -> bool {
        let elapsed = self.started.elapsed();
        let is_fresh = self.acted.is_some_and(|acted| acted.elapsed() < AFTERMATH);
        let is_new = screen.notes.is_new && elapsed < LOADING;
        let is_incomplete = !screen.notes.loading.is_empty() && elapsed < LOADING;
        (is_fresh || is_new || is_incomplete) && self.has_time()
    }

    /// Tells whether there is time for another look.
    pub fn has_time(&self) -> bool {
        self.started.elapsed() < self.timeout.saturating_sub(PAUSE)
    }

    /// Tells whether what a target means may be back in a moment; never for longer than the call waits.
    pub fn may_return(&self, target: &Target, screen: &Screen) -> bool {
        let limit = if target.text.is_some() { self.timeout.saturating_sub(PAUSE) } else { NAMELESS };
        self.started.elapsed() < limit && finder::just_gone(target, screen).is_some()
    }
}

/// Paces looks: the first at once, then at [`SAMPLE`] or, where nothing is to be seen, slower and slower, or as the call's
/// options say.
pub(super) struct Pace {
    started: Instant,
    timeout: Duration,
    pub(super) last: Option<Instant>,
    /// How long the last look took.
    pub(super) took: Duration,
    pause: Duration,
    /// The pause that was asked for.
    interval: Option<Duration>,
    /// How many looks are left, where they are counted; a second look at what was just seen is none.
    left: Option<u32>,
    settling: Settling,
    waiting: Waiting,
    pub(super) span: String,
}

impl Pace {
    pub(super) fn new(cx: &Context, limit: impl Into<TimeLimit>) -> Self {
        let TimeLimit { asked, end } = limit.into();
        let (looks, started) = (cx.options.looks(), Instant::now());
        Self {
            started,
            timeout: end.saturating_duration_since(started),
            last: None,
            took: Duration::ZERO,
            pause: SAMPLE,
            interval: looks.map(|(_, apart)| apart).or_else(|| cx.options.pause()),
            left: looks.map(|(more, _)| more.saturating_add(1)),
            settling: Settling::begin(cx, end.saturating_duration_since(started)),
            waiting: cx.waiting(),
            span: span(cx, asked),
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.left == Some(0) || self.started.elapsed() >= self.timeout
    }

    /// Tells whether a page that is not complete yet, or that was watched for too short a time, is to be looked at again before
    /// something counts as absent.
    pub(crate) fn bears(&self, screen: &Screen) -> bool {
        !self.is_over() && self.settling.bears(screen)
    }

    /// Tells whether what went away just now may be back, and there is time to see it.
    pub(super) fn may_return(&self, target: &Target, screen: &Screen) -> bool {
        !self.is_over() && self.settling.may_return(target, screen)
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
    pub(super) async fn look(&mut self, cx: &Context, eager: bool, means: Means) -> Result<Screen, Error> {
        if let Some(last) = self.last {
            self.pause = self.next_pause(eager);
            let next = last + self.pause;
            let end = self.started + self.timeout;
            self.waiting.until(next.min(end.max(last + SAMPLE))).await;
        }
        let began = Instant::now();
        self.last = Some(began);
        cx.progress.say(self.started.elapsed().as_secs_f64(), self.timeout.as_secs_f64(), || "looking".to_owned());
        // A look at what is drawn, after one at the elements, is the second half of the same look.
        if !eager && !cx.options.asked.has_turned() {
            self.left = self.left.map(|left| left.saturating_sub(1));
        }
        // A screen that gives no tree is not tried again for longer than the call waits.
        let timeout = Some(self.timeout.saturating_sub(self.started.elapsed()));
        let (steady, reach) = (means == Means::Touch, means == Means::Focus);
        let screen = cx.look_with(Look { timeout, steady, reach, ..Look::default() }).await?;
        self.took = began.elapsed();
        Ok(screen)
    }
}

/// What is to be done with what is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// It is only looked at.
    Eyes,
    /// It gets the focus where it is: it may move, but nothing may lie over it.
    Focus,
    /// A finger goes there.
    Touch,
}
