//! Assertions on how many elements there are and in which state one is.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::{Shape, ToolKind, Toolset};
use uixt_driver::{Element, Screen};
use uixt_locate::finder::{self, Purpose};
use uixt_locate::refs::Refs;
use uixt_locate::stability::Stability;
use uixt_locate::wording::describe;
use uixt_locate::{Error, Kind, pixel_elements, screen_power};
use uixt_toolkit::traces::seen_apps::SeenApps;
use uixt_toolkit::wait::{self, Miss, Proof, Waited};
use uixt_toolkit::{ActionTool, Context, Reply, Tool, hidden};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<AssertState>(), ActionTool::of::<AssertCount>()];

/// The least time for two looks.
const LOOKS: Duration = Duration::from_millis(200);

/// Assert in which state an element is.
#[derive(Deserialize, JsonSchema)]
struct AssertState {
    #[serde(flatten)]
    waited: Waited,
    #[serde(flatten)]
    state: State,
}

/// A state's word, whether it must be so, and what reads it.
type NativeSelectors = (&'static str, bool, Read);
type Read = fn(&Element) -> bool;

/// The states that are asked for; whatever is not named may be as it is.
#[derive(Deserialize, JsonSchema)]
struct State {
    /// It can be used.
    #[serde(default)]
    enabled: Option<bool>,
    /// It is ticked or switched on.
    #[serde(default)]
    checked: Option<bool>,
    /// It has the focus.
    #[serde(default)]
    focused: Option<bool>,
    /// It is the chosen one.
    #[serde(default)]
    selected: Option<bool>,
}

impl State {
    /// Returns what is asked for: the words for it, and what reads it.
    fn wanted(&self) -> Vec<NativeSelectors> {
        let all: [(_, _, Read); 4] = [
            ("enabled", self.enabled, |element| element.enabled),
            ("checked", self.checked, |element| element.checked),
            ("focused", self.focused, |element| element.focused),
            ("selected", self.selected, |element| element.selected),
        ];
        all.into_iter().filter_map(|(word, wanted, read)| Some((word, wanted?, read))).collect()
    }

    /// Returns how an element differs from what is asked for.
    fn differences(&self, element: &Element) -> Vec<String> {
        let is_mixed = |word: &str| word == "checked" && element.is_mixed();
        let wrong = self.wanted().into_iter().filter(|(word, wanted, read)| read(element) != *wanted || is_mixed(word));
        wrong
            .map(|(word, wanted, _)| match wanted {
                _ if is_mixed(word) => "checked in part (mixed)".to_owned(),
                true => format!("not {word}"),
                false => word.to_owned(),
            })
            .collect()
    }

    fn words(&self) -> String {
        let words =
            self.wanted().into_iter().map(|(word, is, _)| if is { word.to_owned() } else { format!("not {word}") });
        words.collect::<Vec<_>>().join(", ")
    }
}

impl Tool for AssertState {
    const NAME: &'static str = "assert_state";
    const SET: Option<Toolset> = Some(Toolset::Checks);
    const KIND: ToolKind = ToolKind::Assert;
    const PURPOSE: Option<Purpose> = Some(Purpose::Touch);
    const PARAMS: Shape = Shape::Fields(&["text"]);
    const READ_ONLY: bool = true;

    fn check(&self) -> Result<(), String> {
        self.waited.check()?;
        match self.state.wanted().is_empty() {
            true => Err("no state: give enabled, checked, focused or selected".to_owned()),
            false => Ok(()),
        }
    }

    fn limit(&self) -> Duration {
        self.waited.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let timeout = self.waited.timeout(cx);
        let target = &self.waited.target;
        let refs = cx.refs();
        let (settling, mut doubt) = (wait::Settling::begin(cx, timeout), String::new());
        // What is off may only be so until all is there.
        let is_off = self.state.wanted().iter().any(|(_, wanted, _)| !wanted);
        let what = wait::until(cx, timeout, |screen| {
            let element = finder::pick(target, Purpose::Touch, screen, refs.as_ref())?.ok_or(Miss::Absent(target))?;
            cx.session.state::<SeenApps>().answered();
            if pixel_elements::is_by_pixels(element) {
                let message = format!(
                    "{target}: {} is known by its pixels, which do not tell whether it is {}: leave out `source`, `control` and `image`",
                    describe(element),
                    self.state.words()
                );
                return Err(Error::new(Kind::BadArgument, message).into());
            }
            // What can be neither on nor off would be `not checked` for ever.
            if self.state.checked.is_some() && !element.checkable && !element.checked {
                let message = format!("{target}: {} can be neither checked nor unchecked", describe(element));
                return Err(Error::new(Kind::Assertion, message).into());
            }
            match &self.state.differences(element)[..] {
                [] if is_off && settling.bears(screen) => {
                    let message = format!("{target}: {}{}", self.state.words(), wait::while_loading(screen));
                    Err(Error::new(Kind::Assertion, message).into())
                }
                [] => {
                    if is_off {
                        doubt = wait::while_loading(screen);
                    }
                    cx.found(element, screen, Purpose::Touch);
                    Ok(describe(element))
                }
                wrong => {
                    let (what, wrong) = (describe(element), wrong.join(" and "));
                    let message = format!("{target}: {what} is {wrong} after {} s", timeout.as_secs_f64());
                    Err(Error::new(Kind::Assertion, message).into())
                }
            }
        })
        .await?;
        Ok(Reply::new(format!("{what} is {}{doubt}", self.state.words())))
    }
}

/// Assert how many elements are in sight; what a list holds further on is not counted.
#[derive(Deserialize, JsonSchema)]
struct AssertCount {
    #[serde(flatten)]
    waited: Waited,
    /// Exactly so many.
    #[serde(default)]
    equals: Option<u32>,
    /// So many or more.
    #[serde(default)]
    at_least: Option<u32>,
    /// So many or fewer.
    #[serde(default)]
    at_most: Option<u32>,
}

impl AssertCount {
    fn holds(&self, count: usize) -> bool {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        self.equals.is_none_or(|wanted| count == wanted)
            && self.at_least.is_none_or(|wanted| count >= wanted)
            && self.at_most.is_none_or(|wanted| count <= wanted)
    }

    /// Whether it holds of so many or more: `None` where that depends on how many more there are.
    fn holds_from(&self, count: usize) -> Option<bool> {
        if self.exceeds(count) {
            return Some(false);
        }
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let is_open = self.equals.is_none() && self.at_most.is_none();
        (is_open && self.at_least.is_none_or(|wanted| count >= wanted)).then_some(true)
    }

    /// Tells whether more are there than there may be.
    fn exceeds(&self, count: usize) -> bool {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        [self.equals, self.at_most].into_iter().flatten().any(|most| count > most)
    }

    /// Says what else there is, where the count would not hold with it: it lies under something, and may be seen through that.
    fn more(&self, screen: &Screen, refs: Option<&Refs>, count: usize) -> Option<String> {
        let mut more = finder::hidden(&self.waited.target, screen, refs);
        more.retain(|(_, why)| !why.is_certain());
        let (element, why) = more.first().filter(|_| !self.holds(count + more.len()))?;
        Some(format!("{} more, of which nothing is seen, {}: {why}", more.len(), describe(element)))
    }

    fn wanted(&self) -> String {
        let part = |word: &str, value: Option<u32>| value.map(|value| format!("{word}{value}"));
        let parts = [part("", self.equals), part("at least ", self.at_least), part("at most ", self.at_most)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" and ")
    }
}

impl Tool for AssertCount {
    const NAME: &'static str = "assert_count";
    const SET: Option<Toolset> = Some(Toolset::Checks);
    const KIND: ToolKind = ToolKind::Assert;
    const PARAMS: Shape = Shape::Fields(&["text", "equals"]);
    const READ_ONLY: bool = true;
    const MAIN: Option<&'static str> = Some("count");
    const ANSWER: &'static [&'static str] = &["count"];

    fn check(&self) -> Result<(), String> {
        if self.waited.target.index.is_some() {
            return Err("`index` picks one element: there is nothing to count".to_owned());
        }
        self.waited.check_absence()?;
        match (self.equals, self.at_least, self.at_most) {
            (None, None, None) => Err("nothing to compare with: give equals, at_least or at_most".to_owned()),
            (None, Some(0), None) => Err("`at_least: 0` holds of any screen".to_owned()),
            _ => Ok(()),
        }
    }

    fn limit(&self) -> Duration {
        self.waited.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        // Even without waiting it takes two looks to see that nothing is on its way.
        let timeout = self.waited.timeout(cx).max(LOOKS);
        let target = &self.waited.target;
        let refs = cx.refs();
        let mut stability = Stability::strict();
        // Where they stood still, and nothing was drawn yet.
        let mut stood = None;
        // More may come where no more are allowed.
        let settling = wait::Settling::begin(cx, timeout);
        let is_limited = self.equals.is_some() || self.at_most.is_some();
        let mut sighting = wait::Sighting::begin(cx);
        let mut doubt = String::new();
        let counted = wait::until_drawn(cx, timeout, |screen| {
            let found = finder::find_seen(target, screen, refs.as_ref())?;
            let wrong = |message: String| Err(Error::new(Kind::Assertion, message).with("count", found.len()).into());
            let seconds = timeout.as_secs_f64();
            let is_whole = finder::tells_all(target, screen);
            let holds = if is_whole { Some(self.holds(found.len())) } else { self.holds_from(found.len()) };
            if self.exceeds(found.len()) {
                sighting.see();
            } else {
                sighting.lack();
            }
            if holds != Some(true) {
                stability.forget();
                stood = None;
                if holds.is_none() {
                    return Err(wait::too_much(target, "").into());
                }
                return wrong(format!("{target}: {} there within {seconds} s, not {}", found.len(), self.wanted()));
            }
            if let Some(what) = finder::literally(target, screen, refs.as_ref()).filter(|_| found.is_empty()) {
                stability.forget();
                stood = None;
                return wrong(format!("{target}: {what}"));
            }
            if let Some(more) = self.more(screen, refs.as_ref(), found.len()) {
                stability.forget();
                stood = None;
                return wrong(format!(
                    "{target}: {} there within {seconds} s, but not {} for certain: {more}",
                    found.len(),
                    self.wanted()
                ));
            }
            // A page that is being built has any number of rows for a moment.
            let places: Vec<_> = found.iter().map(|element| element.rect).collect();
            if stood.as_ref() == Some(&places) || stability.look(places.clone()).is_some() {
                stood = Some(places);
                if is_limited && (settling.bears(screen) || settling.may_return(target, screen)) {
                    return wrong(format!("{target}: {} there{}", found.len(), wait::while_loading(screen)));
                }
                // What comes and goes is counted when it is there.
                if is_limited && let Some(what) = sighting.comes_and_goes(target, screen) {
                    return wrong(format!("{target}: {} there just now: {what}", found.len()));
                }
                if is_limited && sighting.may_return(target, screen) && settling.has_time() {
                    return wrong(format!("{target}: {} there, and more a moment ago", found.len()));
                }
                if is_limited {
                    doubt = wait::while_loading(screen);
                }
                if found.is_empty() {
                    screen_power::require_readable(&target.to_string(), screen)?;
                }
                let (count, found) = (found.len(), found.into_iter().cloned().collect());
                return Ok((count, if is_limited { Proof::All(found) } else { Proof::Every(found) }));
            }
            let message = format!("{target}: {} there, but they did not stand still within {seconds} s", found.len());
            Err(Error::new(Kind::WaitTimeout, message).into())
        })
        .await;
        let count = match counted {
            Err(mut error) if error.kind == Kind::Assertion => {
                error.message.push_str(&hidden::others(cx, target).await);
                return Err(error);
            }
            counted => counted?,
        };
        Ok(Reply::new(format!("{count} times there: {target}{doubt}")).with("count", count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uixt_driver::Actionability;

    fn counted(equals: Option<u32>, at_least: Option<u32>, at_most: Option<u32>) -> AssertCount {
        let target = uixt_locate::target::Target::text("a");
        AssertCount { waited: Waited { target, timeout: None }, equals, at_least, at_most }
    }

    #[test]
    fn a_count_is_held_to_all_that_is_asked() {
        assert!(counted(Some(2), None, None).holds(2) && !counted(Some(2), None, None).holds(3));
        // Of a screen that holds more than is told of it.
        assert_eq!(counted(Some(2), None, None).holds_from(2), None);
        assert_eq!(counted(Some(2), None, None).holds_from(3), Some(false));
        assert_eq!(counted(None, Some(2), None).holds_from(2), Some(true));
        assert_eq!(counted(None, Some(2), None).holds_from(1), None);
        assert_eq!(counted(None, Some(2), Some(3)).holds_from(2), None);
        assert_eq!(counted(None, None, Some(3)).holds_from(4), Some(false));
        let some = counted(None, Some(1), Some(3));
        assert!(some.holds(1) && some.holds(3) && !some.holds(0) && !some.holds(4));
        assert_eq!(some.wanted(), "at least 1 and at most 3");
        assert!(counted(None, None, None).check().is_err() && counted(None, Some(0), None).check().is_err());
    }

    #[test]
    fn a_state_is_held_to_all_that_is_asked() {
        let state = State { enabled: Some(true), checked: Some(false), focused: None, selected: None };
        let element = Element { enabled: false, checked: true, ..Element::default() };
        assert_eq!(state.differences(&element), ["not enabled", "checked"]);
        assert_eq!(state.words(), "enabled, not checked");
        let mixed = Element {
            told: Some(Box::new(Actionability { mixed: true, ..Actionability::default() })),
            ..Element::default()
        };
        let unchecked = State { enabled: None, checked: Some(false), focused: None, selected: None };
        assert_eq!(unchecked.differences(&mixed), ["checked in part (mixed)"]);
    }
}
