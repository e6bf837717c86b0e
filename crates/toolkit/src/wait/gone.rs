//! Waiting until something is gone: what is not seen in one look may only be late or on its way, so absence takes proof.

use std::time::{Duration, Instant};

use uixt_call::mask;
use uixt_driver::Screen;
use uixt_locate::finder::{self, Purpose};
use uixt_locate::motion::MotionDetector;
use uixt_locate::refs::{self, Refs};
use uixt_locate::target::Target;
use uixt_locate::wording::{self, describe};
use uixt_locate::{Error, Kind, screen_power};

use super::pace::{Means, Pace};
use crate::traces::last_acts::LastActs;
use crate::traces::last_touch;
use crate::{Context, hidden};

/// For how long nothing but a small place may move, such as a carousel, so that what is not there is certainly absent.
const CALM: Duration = Duration::from_secs(1);
/// For how long what came back once has to stay away.
const RETURN: Duration = Duration::from_secs(3);
/// The same of what was seen and went, where nobody watches what happens between two looks: as long as it was there, within these.
const AWAY: (Duration, Duration) = (Duration::from_millis(700), Duration::from_millis(1600));

/// Waits until two looks at a screen that stands still both lack the target, or all looks for a while at one that does not rest
/// in some small place. Returns what makes that less certain than it is on a page that has loaded; empty where nothing does.
pub async fn gone(cx: &Context, target: &Target, timeout: Duration) -> Result<String, Error> {
    let refs = cx.refs();
    let mut pace = Pace::new(cx, timeout);
    let mut lacking = MotionDetector::new(CALM, None);
    let mut sighting = Sighting::begin(cx);
    loop {
        let screen = pace.look(cx, lacking.has_begun(), Means::Eyes).await?;
        let found = match finder::pick(target, Purpose::See, &screen, refs.as_ref()) {
            Ok(Some(found)) => Some(describe(found)),
            Ok(None) => covered(target, &screen, refs.as_ref()),
            Err(error) if error.details.contains_key(refs::GONE) => None,
            // A spinner goes together with the dialog that it was seen in.
            Err(error) if error.details.contains_key(finder::NO_CONTAINER) => match sighting.last.is_some() {
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
                return Err(last_touch::explain(cx, still_there(target, &what, &pace.span), &screen));
            }
            Some(_) => {
                sighting.see();
                lacking.forget();
            }
            None => {
                // One look more than the time allows, so that a timeout of 0 can still see a screen stand still.
                if !finder::tells_all(target, &screen) {
                    return Err(too_much(target, cx.driver()?.untold(&screen).await?));
                }
                sighting.lack();
                let is_last = pace.is_over() && lacking.has_begun();
                match lacking.look(screen) {
                    // Its elements may be on their way.
                    Some(still) if screen_power::is_bare_page(&still.screen) && !pace.is_over() => {}
                    // More may be on its way, or what is not there now may be there in a moment.
                    Some(still) if pace.bears(&still.screen) => {}
                    Some(still) if pace.may_return(target, &still.screen) => {}
                    Some(still) if !pace.is_over() && sighting.may_return(target, &still.screen) => {}
                    Some(still) if let Some(what) = sighting.comes_and_goes(target, &still.screen) => {
                        return Err(still_there(target, &what, &pace.span));
                    }
                    Some(still) => {
                        if still.notes.flickers
                            && let Some(what) = hidden::flickers(cx, target).await
                        {
                            if pace.is_over() {
                                return Err(last_touch::explain(cx, still_there(target, &what, &pace.span), &still));
                            }
                            lacking.forget();
                            continue;
                        }
                        screen_power::require_readable(&target.to_string(), &still.screen)?;
                        literally_gone(target, &still.screen, refs.as_ref())?;
                        // Neither an element nor drawn.
                        if cx.turn_to_pixels() {
                            lacking.forget();
                            pace.last = None;
                            continue;
                        }
                        if let Some(why) = cx.ocr_unmet().filter(|_| cx.options.asked.is_auto()) {
                            let message =
                                format!("{target}: no element, and whether it is drawn cannot be told: {why}");
                            return Err(Error::new(Kind::Unsupported, message));
                        }
                        // What stands over an app for a while, such as a toast, goes by itself.
                        match cx.driver()?.untold(&still.screen).await? {
                            "" => return Ok(while_loading(&still.screen)),
                            untold if pace.is_over() => return Err(may_be_there(target, untold)),
                            _ => lacking.forget(),
                        }
                    }
                    None if is_last => return Err(restless(target, &pace.span)),
                    None => {}
                }
            }
        }
    }
}

/// When a target was seen in the course of a call.
pub struct Sighting {
    /// When the last act ended.
    acted: Option<Instant>,
    last: Option<Instant>,
    /// Whether it has been away since it was seen.
    is_away: bool,
    /// Whether it has been there, gone, and there again.
    has_returned: bool,
}

impl Sighting {
    /// Begins with a target that was not seen yet.
    pub fn begin(cx: &Context) -> Self {
        let acted = cx.session.state::<LastActs>().last_ended();
        Self { acted, last: None, is_away: false, has_returned: false }
    }

    /// Takes in that it is there.
    pub fn see(&mut self) {
        self.has_returned |= self.last.is_some() && self.is_away;
        self.last = Some(Instant::now());
        self.is_away = false;
    }

    /// Takes in that it is not there.
    pub fn lack(&mut self) {
        self.is_away = true;
    }

    /// Tells whether what is not there may be there again in a moment: what went has to stay away for as long as it was there.
    pub fn may_return(&self, target: &Target, screen: &Screen) -> bool {
        let (shortest, longest) = AWAY;
        let Some(last) = self.last else { return false };
        let hold = match self.acted {
            _ if self.has_returned => RETURN,
            // A page's own watch has told of its texts.
            _ if !screen.page.is_empty() && target.text.is_some() => return false,
            Some(acted) => last.saturating_duration_since(acted).mul_f64(1.3).clamp(shortest, longest),
            None => longest,
        };
        last.elapsed() < hold
    }

    /// Describes what comes and goes by itself and has not stayed away for long enough.
    pub fn comes_and_goes(&self, target: &Target, screen: &Screen) -> Option<String> {
        let ago = self.last.map_or(Duration::ZERO, |last| last.elapsed()).as_secs_f64();
        if self.has_returned && ago < RETURN.as_secs_f64() {
            return Some(format!("it comes and goes, and was there {ago:.1} s ago"));
        }
        let gone = finder::just_gone(target, screen).filter(|gone| gone.is_sudden && target.text.is_some())?;
        let text = wording::clip(&gone.text);
        Some(format!("\"{text}\" came and went by itself less than 3 s ago, and may be back"))
    }
}

/// Says that a verdict was given on a page that may not be complete; empty of any other.
pub fn while_loading(screen: &Screen) -> String {
    match (screen.notes.loading.as_str(), screen.notes.untold) {
        ("", "") => String::new(),
        ("", untold) => format!("; {untold}"),
        (why, _) => format!("; the page may not be complete: {}", mask::addresses(why)),
    }
}

/// Describes what lies under something: it may be seen through that, or come back.
fn covered(target: &Target, screen: &Screen, refs: Option<&Refs>) -> Option<String> {
    let (element, why) = finder::hidden(target, screen, refs).into_iter().find(|(_, why)| !why.is_certain())?;
    Some(format!("{}, but {why}", describe(element)))
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

/// Builds the error of an absence on a screen that holds more than is told of it, for the reason that the device gives.
pub fn too_much(target: &Target, untold: &str) -> Error {
    if !untold.is_empty() {
        return may_be_there(target, untold);
    }
    let way = match target.selector {
        Some(_) => "a selector alone, of fewer elements, tells for certain",
        None => "name it by `selector` alone",
    };
    let message = format!(
        "{target}: not among what was told of the page, which holds more than that: it may be there all the same; {way}"
    );
    Error::new(Kind::WaitTimeout, message)
}

/// Builds the error of an absence beside what no tree tells of.
fn may_be_there(target: &Target, untold: &str) -> Error {
    Error::new(Kind::WaitTimeout, format!("{target}: not there, but it may be all the same: {untold}"))
}

fn restless(target: &Target, span: &str) -> Error {
    let message =
        format!("{target}: not there, but the screen did not stand still {span}, so that its absence is not certain");
    Error::new(Kind::WaitTimeout, message)
}
