//! What calls did, told beside the answer to whoever asked for it in the request: which tool ran with which arguments, what it touched, and by which target a testcase would name that. A recorder makes steps of it; it knows no steps itself.
//!
//! Nobody pays for it who did not ask. Who did pays one look at the screen for a touch by coordinates, and none for others.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use serde_json::{Value, json};
use uixt_call::mask::MASK;
use uixt_call::{Aim, CallRecord, CallToolResult, Observation, RECORDS, ToolRow};
use uixt_driver::{Element, Point, Screen, Size};
use uixt_locate::finder::Purpose;
use uixt_locate::screen_texts::{self, bottom, can_scroll};
use uixt_locate::{Object, hit, naming, snapshot};

use crate::{Reply, State};

/// Why an element has no target.
const ALIKE: &str = "nothing distinguishes it from similar elements";
/// Does more than the calls that it is made of.
const WHOLE: &str = "web_login_none_ui";
/// Longest value of an answer that is told.
const MAX_LEN: usize = 400;

/// Looks on while a call is made; the default looks away.
#[derive(Clone, Default)]
pub struct CallTrace(Option<Arc<Mutex<Notes>>>);

impl std::fmt::Debug for CallTrace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallTrace").field("looks_on", &self.0.is_some()).finish()
    }
}

#[derive(Default)]
struct Notes {
    records: Vec<CallRecord>,
    /// Those that have not ended, the innermost last.
    open: Vec<(usize, &'static ToolRow)>,
    /// The screen before the swipes that came before the open call.
    before: Option<Arc<Screen>>,
}

/// The screens from which a device was swiped on since something else was done, by serial.
#[derive(Debug, Default)]
pub(crate) struct Swiped(Mutex<HashMap<String, Arc<Screen>>>);

impl State for Swiped {}

impl Swiped {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Screen>>> {
        self.0.lock()
    }
}

impl uixt_locate::refs::Witness for CallTrace {
    fn see_ref(&self, reference: &str, element: &Element, screen: &Screen) {
        let Some(mut notes) = self.notes() else { return };
        let Some((place, tool)) = notes.open.last().copied() else { return };
        if let Some(target) = naming::target(element, screen, tool.purpose()) {
            notes.records[place].refs.insert(reference.to_owned(), target);
        }
    }
}

impl CallTrace {
    /// Looks on where nobody does yet.
    pub(crate) fn looking_on(&self) -> Self {
        Self(Some(self.0.clone().unwrap_or_default()))
    }

    /// Returns how many calls were seen.
    pub fn count(&self) -> usize {
        self.notes().map_or(0, |notes| notes.records.len())
    }

    /// Returns the calls after so many others.
    pub fn since(&self, count: usize) -> Vec<CallRecord> {
        self.notes().map(|notes| notes.records.iter().skip(count).cloned().collect()).unwrap_or_default()
    }

    fn notes(&self) -> Option<MutexGuard<'_, Notes>> {
        self.0.as_ref().map(|notes| notes.lock())
    }

    /// Begins a call; tells which one, for [`end`](Self::end).
    pub(crate) fn begin(
        &self,
        tool: &'static ToolRow,
        arguments: &Object,
        serial: Option<&str>,
        swiped: &Swiped,
    ) -> usize {
        let Some(mut notes) = self.notes() else { return 0 };
        let place = notes.records.len();
        let mut is_part = false;
        if let Some((outer, _)) = notes.open.last().copied() {
            is_part = notes.records[outer].is_part || notes.records[outer].tool == WHOLE;
            notes.records[outer].is_compound = !is_part;
        }
        notes.before = serial.and_then(|serial| swiped.lock().get(serial).cloned());
        if let Some(serial) = serial.filter(|_| !tool.read_only && !tool.kind.swipes()) {
            swiped.lock().remove(serial);
        }
        notes.records.push(CallRecord { is_part, ..CallRecord::new(tool.name, arguments.clone()) });
        notes.open.push((place, tool));
        place
    }

    /// Ends a call, with its answer if it succeeded.
    pub(crate) fn end(&self, place: usize, tool: &ToolRow, reply: Option<&Reply>) {
        let Some(mut notes) = self.notes() else { return };
        notes.open.retain(|(open, _)| *open < place);
        let Some((record, reply)) = notes.records.get_mut(place).zip(reply) else { return };
        record.succeeded = true;
        record.value = tool.main.and_then(|main| reply.fields.get(main)).filter(|value| is_short(value)).cloned();
        record.hides = reply.fields.get("text").is_some_and(|text| text == MASK);
    }

    /// Takes in what a call acts on, the first time that it is told.
    pub(crate) fn see(&self, element: &Element, screen: &Screen, purpose: Purpose) {
        self.keep(|_, before| {
            let mut observation = observation(element, screen);
            observation.target = naming::target(element, screen, purpose);
            if observation.target.is_none() {
                observation.why = ALIKE.into();
            }
            compare(&mut observation, element, screen, before);
            observation
        });
    }

    /// Takes in which element of a screen a call acts on, if any.
    pub fn see_one(&self, screen: &Screen, is_it: &dyn Fn(&Element) -> bool, purpose: Purpose) {
        if self.0.is_none() {
            return;
        }
        let mut found = None;
        for root in &screen.roots {
            root.walk(&mut |element| found = found.or(Some(element).filter(|element| is_it(element))));
        }
        if let Some(element) = found {
            self.see(element, screen, purpose);
        }
    }

    /// Tells whether the open call goes by coordinates and what lies there is wanted.
    pub(crate) fn wants_look(&self, serial: &str, swiped: &Swiped) -> bool {
        let Some(notes) = self.notes() else { return false };
        let Some((place, tool)) = notes.open.last() else { return false };
        let has_screen = || swiped.lock().contains_key(serial);
        notes.records[*place].observation.is_none() && (goes_by_point(tool) || tool.kind.swipes() && !has_screen())
    }

    /// Takes in where a finger goes, and what lies there where a look was taken.
    pub(crate) fn touch(&self, ends: &[Point], size: Size, look: Option<Screen>, serial: &str, swiped: &Swiped) {
        if !self.is_open_for_fingers() {
            return;
        }
        let points = fractions(ends, size);
        self.keep(|tool, before| {
            let seen = look.as_ref().zip(ends.first()).filter(|_| goes_by_point(tool));
            seen.map(|(screen, at)| at_point(screen, *at, before)).unwrap_or_default()
        });
        if let Some(mut notes) = self.notes()
            && let Some((place, tool)) = notes.open.last().copied()
        {
            let is_swipe = tool.kind.swipes();
            if let Some(observation) =
                notes.records[place].observation.as_mut().filter(|observation| observation.points.is_empty())
            {
                observation.points = points;
            }
            if let Some(screen) = look.filter(|_| is_swipe) {
                swiped.lock().entry(serial.to_owned()).or_insert_with(|| Arc::new(screen));
            }
        }
    }

    /// Tells whether what the finger of the open call meets has no target, so that what is drawn there may name it.
    pub(crate) fn lacks_target(&self) -> bool {
        let Some(notes) = self.notes() else { return false };
        let has_none = |observation: &Observation| observation.target.is_none();
        let lacks = |place: usize| notes.records[place].observation.as_ref().is_none_or(has_none);
        notes.open.last().is_some_and(|(place, tool)| goes_by_point(tool) && lacks(*place))
    }

    /// Takes in the text that is drawn where the finger of the open call goes.
    pub(crate) fn see_drawn(&self, text: &str) {
        let Some(mut notes) = self.notes() else { return };
        let Some((place, _)) = notes.open.last().copied() else { return };
        let observation = notes.records[place].observation.get_or_insert_default();
        let target = json!({"text": text, "source": "pixels"});
        observation.target = target.as_object().cloned();
        text.clone_into(&mut observation.name);
    }

    /// Tells whether a finger is all that the open call is about, or what it goes for was seen.
    fn is_open_for_fingers(&self) -> bool {
        let Some(notes) = self.notes() else { return false };
        let was_seen = |place: usize| notes.records[place].observation.is_some();
        let open = notes.open.last();
        open.is_some_and(|(place, tool)| was_seen(*place) || goes_by_point(tool) || tool.kind.swipes())
    }

    /// Takes in which page is shown.
    pub fn see_page(&self, screen: &Screen) {
        self.keep(|_, _| overall(screen));
    }

    /// Tells whether the open call takes neither an element nor a place, and meets whatever is in front.
    pub(crate) fn wants_page(&self) -> bool {
        let Some(notes) = self.notes() else { return false };
        notes.open.last().is_some_and(|(_, tool)| tool.kind.meets_front())
    }

    /// Takes in what a key is about to meet: a page, and the field that has the focus if what is typed there is a secret.
    pub(crate) fn see_front(&self, screen: &Screen) {
        self.keep(|_, _| {
            let mut field = None;
            for root in &screen.roots {
                root.walk(&mut |element| field = field.or(Some(element).filter(|it| it.focused && it.password)));
            }
            let Some(field) = field else { return overall(screen) };
            Observation {
                target: naming::target(field, screen, Purpose::Type),
                types_secret: true,
                ..observation(field, screen)
            }
        });
    }

    fn keep(&self, see: impl FnOnce(&ToolRow, Option<&Screen>) -> Observation) {
        let Some(mut notes) = self.notes() else { return };
        let is_unseen = |(place, _): &(usize, &ToolRow)| notes.records[*place].observation.is_none();
        let Some((place, tool)) = notes.open.last().copied().filter(is_unseen) else { return };
        let before = notes.before.clone();
        let observation = see(tool, before.as_deref());
        notes.records[place].observation = Some(observation);
    }

    /// Tells what was done beside an answer.
    pub fn tell(&self, result: &mut CallToolResult) {
        if let Some(notes) = self.notes() {
            result.put_beside(RECORDS, json!(notes.records));
        }
    }
}

/// Tells whether a tool touches what lies at coordinates.
fn goes_by_point(tool: &ToolRow) -> bool {
    matches!(tool.aim, Aim::Point(_))
}

fn is_short(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() <= MAX_LEN,
        other => other.is_number() || other.is_boolean(),
    }
}

/// Says what a finger met that went from the first of some points to the last, of a screen as it was before; `before` is the one before it was swiped on.
pub fn touched(screen: &Screen, ends: &[Point], before: Option<&Screen>) -> Observation {
    let seen = ends.first().map(|at| at_point(screen, *at, before)).unwrap_or_default();
    Observation { points: fractions(ends, screen.size), ..seen }
}

/// Says what lies at a point: an element and its target, or why it has to be a point.
fn at_point(screen: &Screen, at: Point, before: Option<&Screen>) -> Observation {
    let Some(hit) = hit::at(screen, at) else {
        return Observation { why: "beside what is in front".to_owned(), ..overall(screen) };
    };
    let mut observation = observation(hit.element, screen);
    observation.why = match hit {
        hit if !hit.takes && naming::name(hit.element).is_empty() => "nothing that has a name is there".to_owned(),
        hit if hit::is_surface(hit.element, screen, at) => "it matters where it is touched".to_owned(),
        hit if !hit.element.enabled => "what is there was disabled".to_owned(),
        hit => {
            observation.target = naming::target(hit.element, screen, Purpose::Touch);
            if observation.target.is_some() { String::new() } else { ALIKE.to_owned() }
        }
    };
    compare(&mut observation, hit.element, screen, before);
    observation
}

/// Says what is on a screen.
pub fn overall(screen: &Screen) -> Observation {
    Observation { page: snapshot::title(screen), texts: screen_texts::texts(screen), ..Observation::default() }
}

fn observation(element: &Element, screen: &Screen) -> Observation {
    let path = naming::path(element, screen);
    let holders = path.split_last().map_or(&[][..], |(_, holders)| holders);
    Observation {
        name: naming::name(element),
        bottom: bottom(element, screen),
        scrolls: holders.iter().any(|holder| can_scroll(holder)),
        ..overall(screen)
    }
}

/// Says what the swipes did that were made since `before`.
fn compare(observation: &mut Observation, element: &Element, screen: &Screen, before: Option<&Screen>) {
    let Some((before, target)) = before.zip(observation.target.as_ref()) else { return };
    let path = naming::path(element, screen);
    let stands_in_scroller = path.iter().any(|holder| holder.scrollable);
    match naming::found(target, before)[..] {
        [] => observation.arrived = stands_in_scroller,
        [was, ..] => observation.moved = before == screen || stands_in_scroller && was.rect != element.rect,
    }
}

fn fractions(points: &[Point], size: Size) -> Vec<[f64; 2]> {
    let of = |value: f64, side: u32| (value / f64::from(side.max(1)) * 1000.0).round() / 1000.0;
    points.iter().map(|point| [of(point.x, size.width), of(point.y, size.height)]).collect()
}
