//! Waiting until something is gone: what is not seen in one look may only be late or on its way, so absence takes proof.

use std::time::Duration;

use super::pace::{Means, Pace};
use crate::driver::Screen;
use crate::finder::{self, Purpose, describe};
use crate::motion::MotionDetector;
use crate::refs::Refs;
use crate::target::Target;
use crate::{Context, Error, Kind, hidden, last_touch, mask, screen_power};

/// For how long nothing but a small place may move, such as a carousel, so that what is not there is certainly absent.
const CALM: Duration = Duration::from_secs(1);

/// Waits until two looks at a screen that stands still both lack the target, or all looks for a while at one that does not rest
/// in some small place. Returns what makes that less certain than it is on a page that has loaded; empty where nothing does.
pub(crate) async fn gone(cx: &Context, target: &Target, timeout: Duration) -> Result<String, Error> {
    let refs = cx.refs();
    let mut pace = Pace::new(cx, timeout);
    let mut lacking = MotionDetector::new(CALM, None);
    let mut sighted = false;
    loop {
        let screen = pace.look(cx, lacking.has_begun(), Means::Eyes).await?;
        let found = match finder::pick(target, Purpose::Look, &screen, refs.as_ref()) {
            Ok(Some(found)) => Some(describe(found)),
            Ok(None) => covered(target, &screen, refs.as_ref()),
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
                return Err(last_touch::explain(cx, still_there(target, &what, &pace.span), &screen));
            }
            Some(_) => {
                sighted = true;
                lacking.forget();
            }
            None => {
                // One look more than the time allows, so that a timeout of 0 can still see a screen stand still.
                if !finder::tells_all(target, &screen) {
                    return Err(too_much(target));
                }
                let is_last = pace.is_over() && lacking.has_begun();
                match lacking.look(screen) {
                    // Its elements may be on their way.
                    Some(still) if screen_power::is_bare_page(&still.screen) && !pace.is_over() => {}
                    // More may be on its way, or what is not there now may be there in a moment.
                    Some(still) if pace.bears(&still.screen) => {}
                    Some(still) if !pace.is_over() && finder::has_just_gone(target, &still.screen) => {}
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
                        if cx.options.asked.turn() {
                            lacking.forget();
                            pace.last = None;
                            continue;
                        }
                        if let Some(why) = cx.options.asked.unread() {
                            let message =
                                format!("{target}: no element, and whether it is drawn cannot be told: {why}");
                            return Err(Error::new(Kind::Unsupported, message));
                        }
                        return Ok(while_loading(&still.screen));
                    }
                    None if is_last => return Err(restless(target, &pace.span)),
                    None => {}
                }
            }
        }
    }
}

/// Says that a verdict was given on a page that may not be complete; empty of any other.
pub(crate) fn while_loading(screen: &Screen) -> String {
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

/// Builds the error of an absence on a screen that holds more than is told of it.
pub(crate) fn too_much(target: &Target) -> Error {
    let way = match target.selector {
        Some(_) => "a selector alone, of fewer elements, tells for certain",
        None => "name it by `selector` alone",
    };
    let message = format!(
        "{target}: not among what was told of the page, which holds more than that: it may be there all the same; {way}"
    );
    Error::new(Kind::WaitTimeout, message)
}

fn restless(target: &Target, span: &str) -> Error {
    let message =
        format!("{target}: not there, but the screen did not stand still {span}, so that its absence is not certain");
    Error::new(Kind::WaitTimeout, message)
}
