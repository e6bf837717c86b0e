//! What is done to a Harmony phone, by `uitest`, its agent, `aa`, `bm` and hdc → the phone's own deeds, each to its end, one way for
//! all. Times and speeds of fingers are those of arkxtest (`UiOpArgs`, `core/ui_action.h`).

use std::io;
use std::time::Duration;

use super::super::handset::Handset;
use super::super::install::Installing;
use super::super::package;
use super::super::refused::Refused;
use super::super::system::System;
use super::super::touch::Motion;
use super::keys::POWER;
use crate::jobs::Going;

/// A place, in pixels.
pub(super) type Point = (f64, f64);

/// How long a finger presses in a long click, and before it drags.
const LONG: Duration = Duration::from_millis(1500);
/// Between the two taps of a double click, in milliseconds.
const BETWEEN: u64 = 100;
const TAP: Duration = Duration::from_millis(20);
/// How long an app that does nothing is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// Speeds, in pixels a second.
pub(super) const SPEEDS: std::ops::RangeInclusive<u32> = 200..=40_000;
pub(super) const SPEED: u32 = 600;
/// Nothing takes longer.
const LONGEST: f64 = 60.0;

/// What is done to the phone.
#[cfg_attr(test, derive(Debug, PartialEq))]
pub(super) enum Act {
    Click(Point),
    DoubleClick(Point),
    LongClick(Point),
    /// From one place to another at a speed, after a long press where it drags.
    Swipe {
        from: Point,
        to: Point,
        speed: u32,
        drags: bool,
    },
    /// One finger along places, each at its time in milliseconds.
    Path(Vec<(Point, u64)>),
    /// Two fingers from and to places, for so many milliseconds.
    Pair([(Point, Point); 2], u64),
    /// One event of a finger.
    Event(Motion, Point),
    /// Keys pressed together.
    Keys(Vec<i64>),
    /// A text for the field in use.
    Text(String),
    /// A key of the phone's own.
    Key(u32),
    Launch(String),
    Link(String),
    Stop(String),
    Clear(String),
    /// A package.
    Install(Vec<u8>),
    Uninstall(String),
}

/// Whether there was something to do, or why it is not done.
type Outcome = Result<bool, Refused>;

impl Act {
    /// Returns what it counts as here; who asks for others counts them.
    fn name(&self) -> &'static str {
        match self {
            Self::Keys(_) => "keys",
            Self::Text(_) => "texts",
            Self::Click(_)
            | Self::DoubleClick(_)
            | Self::LongClick(_)
            | Self::Swipe { .. }
            | Self::Path(_)
            | Self::Pair(..)
            | Self::Event(Motion::Up, _) => "touches",
            _ => "",
        }
    }

    /// Tells whether the app in front takes it in.
    fn is_for_the_app(&self) -> bool {
        !self.name().is_empty() && !matches!(self, Self::Keys(keys) if keys.as_slice() == [POWER])
    }
}

/// Does something, to its end, even where the client leaves; tells of the last. Errors: why nothing, or not all, was done.
pub(super) fn perform(handset: &Handset, acts: Vec<Act>) -> Going<'_, Outcome> {
    Box::pin(performed(handset, acts))
}

async fn performed(handset: &Handset, acts: Vec<Act>) -> Outcome {
    let (faults, counts) = (&handset.harmony.faults, &handset.harmony.counts);
    let has = |name: &str| acts.iter().any(|act| act.name() == name);
    if has("touches") && faults.take("touches_fail") {
        return Err(Refused("Failed to inject pointer event".to_owned()));
    }
    if has("texts") && faults.take("text_fails") {
        return Err(Refused("Failed to input text".to_owned()));
    }
    if has("touches") && faults.take("touches_missed") {
        return Ok(false);
    }
    for act in acts.iter().filter(|act| !act.name().is_empty()) {
        counts.add(act.name(), 1);
    }
    // One that hangs takes nothing in, and nobody is told so.
    if acts.iter().any(Act::is_for_the_app) {
        handset.until_it_answers(PATIENCE).await;
    }
    let (began, stays) = (handset.now_ms().await, faults.is("locked"));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of characters")]
    let cut = faults.number("text_cut").map_or(usize::MAX, |most| most as usize);
    let done: io::Result<Outcome> = handset
        .act(async move |mut system| {
            let was_locked = system.is_locked();
            let mut outcome = Ok(false);
            for act in acts {
                outcome = act.perform(&mut system, began, cut).await;
                if outcome.is_err() {
                    break;
                }
            }
            system.locked |= was_locked && stays;
            outcome
        })
        .await;
    done.unwrap_or_else(|error| Err(Refused(error.to_string())))
}

impl Act {
    async fn perform(self, system: &mut System, began: u64, cut: usize) -> Outcome {
        if self.name() == "touches" && !matches!(self, Self::Event(..)) {
            // Whatever was tapped before was long ago: a `uitest` takes longer than a second tap may.
            system.last_tap = None;
        }
        match self {
            Self::Click(at) => system.draw(at, at, (TAP, Duration::ZERO), began).await,
            Self::DoubleClick(at) => {
                system.draw(at, at, (TAP, Duration::ZERO), began).await;
                system.draw(at, at, (TAP, Duration::ZERO), began + BETWEEN).await;
            }
            Self::LongClick(at) => system.draw(at, at, (LONG, Duration::ZERO), began).await,
            Self::Swipe { from, to, speed, drags } => {
                let way = (to.0 - from.0).hypot(to.1 - from.1) / f64::from(speed.max(1));
                let rest = if drags { LONG } else { Duration::ZERO };
                system.draw(from, to, (rest, Duration::from_secs_f64(way.clamp(0.0, LONGEST))), began).await;
            }
            Self::Path(way) => {
                let mut last = ((0.0, 0.0), 0);
                for (number, (at, after)) in way.into_iter().enumerate() {
                    let motion = if number == 0 { Motion::Down } else { Motion::Move };
                    system.motion(motion, at, began + after).await;
                    last = (at, after);
                }
                system.motion(Motion::Up, last.0, began + last.1).await;
            }
            Self::Pair(ways, lasted) => system.touch_with_two(ways, lasted),
            Self::Event(motion, at) => system.motion(motion, at, began).await,
            Self::Keys(keys) => system.press_harmony(&keys).await,
            Self::Text(text) if system.screen_on && !system.locked => {
                let text: String = text.chars().take(cut).collect();
                // As what is pasted: a field of one line takes no line ends.
                system.edit(|edit| edit.insert(&text));
            }
            Self::Text(_) => {}
            Self::Key(code) => system.key(code).await,
            Self::Launch(bundle) => system.launch(&bundle).await?,
            Self::Link(link) => system.open_link(&link).await?,
            Self::Stop(bundle) => return Ok(system.force_stop(&bundle)),
            Self::Clear(bundle) => system.clear(&bundle)?,
            Self::Install(archive) => system.install(package::read(&archive, "")?, Installing::default())?,
            Self::Uninstall(bundle) => system.uninstall(&bundle)?,
        }
        Ok(true)
    }
}
