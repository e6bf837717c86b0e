//! Typing.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::mask::MASK;
use uixt_call::{Aim, Shape, ToolKind, Toolset};
use uixt_driver::{Element, Emptied, FieldSet, Key, KeyPress, Rect, Screen, Typed, Typing};
use uixt_locate::finder::{self, Purpose, takes_text};
use uixt_locate::target::Place;
use uixt_locate::wording::{self, describe};
use uixt_locate::{Error, Kind, screen_power};
use uixt_toolkit::gestures::{self, tapping};
use uixt_toolkit::traces::typed_text::TypedText;
use uixt_toolkit::wait::{self, Means, Miss};
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<Input>(), ActionTool::of::<ClearText>()];

/// How long a touched field may take to get the focus.
const FOCUS: Duration = Duration::from_secs(5);

/// Android's numbers of the keys that select all.
const CONTROL: u32 = 113;
const LETTER_A: u32 = 29;

/// Characters that are deleted at most: each is two keys.
const MAX: usize = 5000;

/// The field to type into, which is the one with the focus where none is named: the arguments of every tool that types.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct IntoField {
    /// Field to touch first: its label, hint, #id or a target.
    #[serde(default)]
    into: Option<Place>,
    /// Seconds to wait; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
}

impl IntoField {
    pub(crate) fn check(&self) -> Result<(), String> {
        self.into.as_ref().map_or(Ok(()), |place| place.0.check().map_err(|message| format!("into: {message}")))
    }

    pub(crate) fn limit(&self) -> Duration {
        wait::limit(self.timeout)
    }

    /// Finds the field, as [`field`] does.
    pub(crate) async fn field(&self, cx: &Context) -> Result<(Element, Reply), Error> {
        field(cx, self.into.as_ref(), self.timeout).await
    }

    async fn find(&self, cx: &Context, selects: bool) -> Result<Found, Error> {
        find_field(cx, self.into.as_ref(), selects, self.timeout).await
    }
}

/// Type text into the field that has the focus, or into a named one, behind what is there.
#[derive(Deserialize, JsonSchema)]
struct Input {
    /// Text to type, as it is.
    #[schemars(length(min = 1))]
    text: String,
    #[serde(flatten)]
    into: IntoField,
    /// Empties the field before.
    #[serde(default)]
    clear: bool,
    /// Masks the text in answers, logs and reports.
    #[serde(default)]
    secret: bool,
}

impl Tool for Input {
    const NAME: &'static str = "input";
    const SET: Option<Toolset> = Some(Toolset::Core);
    const KIND: ToolKind = ToolKind::Typing;
    const IN_GOALS: bool = true;
    const AIM: Aim = Aim::Argument("into");
    const VERB: Option<&'static str> = Some("type");
    const IN_BROWSER_CORE: bool = true;
    const ALIASES: &'static [&'static str] = &["text"];
    const PARAMS: Shape = Shape::Fields(&["text"]);
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["text"];

    fn check(&self) -> Result<(), String> {
        self.into.check()
    }

    fn limit(&self) -> Duration {
        self.into.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let Found { field, reply, is_selected } = self.into.find(cx, self.clear).await?;
        if set(cx, &field, &self.text).await? {
            return Ok(typed(reply, &self.text, &field, self.secret));
        }
        if self.clear && !is_selected {
            empty(cx, &field).await?;
        }
        if let Err(error) = cx.driver()?.type_text(&self.text).await {
            return Err(refused(cx, &field, error.into()).await);
        }
        let typing = Typing { text: &self.text, replaces: is_selected, in_turn: false };
        arrived(cx, &field, &typing, self.secret).await?;
        let mut reply = typed(reply, &self.text, &field, self.secret);
        let is_told = !self.clear && !self.secret && !field.password;
        if is_told && !field.text.is_empty() {
            let held = wording::clip(&field.text);
            reply.message.push_str(&format!(", behind \"{held}\", which it held (`clear: true` replaces that)"));
        }
        Ok(reply)
    }
}

/// Empty the field that has the focus, or a named one.
#[derive(Deserialize, JsonSchema)]
struct ClearText {
    #[serde(flatten)]
    into: IntoField,
}

impl Tool for ClearText {
    const NAME: &'static str = "clear_text";
    const SET: Option<Toolset> = Some(Toolset::Keys);
    const KIND: ToolKind = ToolKind::Typing;
    const AIM: Aim = Aim::Argument("into");
    const IDEMPOTENT: bool = true;
    const PARAMS: Shape = Shape::Fields(&["into"]);
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["count"];

    fn check(&self) -> Result<(), String> {
        self.into.check()
    }

    fn limit(&self) -> Duration {
        self.into.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let (field, mut reply) = self.into.field(cx).await?;
        let count = empty(cx, &field).await?;
        reply.message = format!("Emptied {}", describe(&field));
        Ok(reply.with("count", count))
    }
}

/// A field that has the focus.
struct Found {
    field: Element,
    reply: Reply,
    /// Whether all that stands in it is selected, so that what is typed takes its place.
    is_selected: bool,
}

/// Finds the field to type into, gives it the focus where it has it not, and begins the reply.
pub(crate) async fn field(cx: &Context, into: Option<&Place>, timeout: Option<f64>) -> Result<(Element, Reply), Error> {
    find_field(cx, into, false, timeout).await.map(|Found { field, reply, .. }| (field, reply))
}

/// Finds the field, and selects what stands in it if that is wanted and can be done without touches.
async fn find_field(cx: &Context, into: Option<&Place>, selects: bool, timeout: Option<f64>) -> Result<Found, Error> {
    let timeout = wait::timeout(cx, timeout);
    let Some(place) = into else {
        let in_use = async |timeout: Duration| {
            wait::until(cx, timeout, |screen| {
                cx.options.trace.see_one(screen, &is_in_use, Purpose::Type);
                focused(screen).map_err(Miss::Other)
            })
            .await
        };
        let field = match in_use(Duration::ZERO).await {
            Err(error) if error.kind == Kind::NotFound => match inner_field(cx).await {
                Some(field) => field,
                None => in_use(timeout).await?,
            },
            field => field?,
        };
        return Ok(Found { field, reply: Reply::default(), is_selected: false });
    };
    let means = if cx.options.concern_touches() { Means::Touch } else { Means::Focus };
    let mut ready = wait::ready_for(cx, &place.0, Purpose::Type, means, timeout).await?;
    if let Some(key) = ready.element.key().filter(|_| means == Means::Focus && (selects || !ready.element.focused))
        && cx.driver()?.focus(key, selects).await?
    {
        return Ok(Found { field: ready.element, reply: Reply::default(), is_selected: selects });
    }
    let mut reply = Reply::default();
    if !ready.element.focused {
        let tap = |part: Rect| gestures::tap(part.center(), None);
        // A page's field was not waited for to stand still.
        let first = if ready.element.key().is_some() { None } else { Some(ready) };
        let landed = tapping::tap_part_when_actionable(cx, first, &place.0, Purpose::Type, timeout, tap).await?;
        ready = landed.ready;
        reply = reply.touched(landed.touched);
        let refs = cx.refs();
        // Pages know at once what has the focus.
        let limit = if ready.element.told.is_some() { FOCUS.min(timeout.max(Duration::from_secs(1))) } else { FOCUS };
        wait::until(cx, limit, |screen| {
            let picked = finder::pick(&place.0, Purpose::Type, screen, refs.as_ref()).ok().flatten();
            focused_as(screen, picked, &ready.element, limit).map_err(Miss::Other)
        })
        .await?;
    }
    Ok(Found { field: ready.element, reply, is_selected: false })
}

/// Tells what a page's focus lies in, where that takes text: the inner part of an editor that nobody sees, and that is no element of the screen.
const INNER: &str = "() => { let e = document.activeElement, inner; while (e && (inner = (e.shadowRoot && e.shadowRoot.activeElement) || \
                     (e.contentDocument && e.contentDocument.activeElement))) e = inner; if (!e || e === document.body) return null; \
                     const takes = e.isContentEditable || e.editContext || e.localName === 'textarea' || (e.localName === 'input' && \
                     /^(text|search|url|tel|email|number|password)$/.test(e.type)); return takes && !e.readOnly && !e.disabled ? \
                     e.getAttribute('aria-label') || '' : null; }";

/// How long that may take to be told.
const TOLD: Duration = Duration::from_secs(2);

/// Returns the inner part of an editor that has the focus of a page.
async fn inner_field(cx: &Context) -> Option<Element> {
    let driver = cx.driver().ok()?;
    driver.pages("be typed into").ok()?;
    let label = driver.evaluate(INNER, &[], TOLD).await.ok()?.as_str()?.to_owned();
    Some(Element { role: "textfield", label, focused: true, enabled: true, ..Element::default() })
}

/// Says of a text that was not taken that its field is disabled by now, where it is: some pages do that as a field gets the focus.
async fn refused(cx: &Context, field: &Element, error: Error) -> Error {
    let (Some(key), Ok(driver)) = (field.key(), cx.driver()) else { return error };
    let Ok(pages) = driver.pages("") else { return error };
    match pages.ask_element(key, "(field) => field.matches(':disabled')", &[]).await {
        Ok(is) if is == true => {
            let message = format!("{} was disabled as it got the focus, so that it takes no text", describe(field));
            Error::new(error.kind, message)
        }
        _ => error,
    }
}

/// Says what was typed into which field; a secret only that it was.
pub(crate) fn typed(mut reply: Reply, text: &str, field: &Element, secret: bool) -> Reply {
    let shown = if secret || field.password { MASK } else { text };
    reply.message = format!("Typed \"{}\" into {}", wording::clip(shown), describe(field));
    reply.with("text", shown)
}

/// Makes sure that a field took what was typed, where the platform can tell.
pub(crate) async fn arrived(cx: &Context, field: &Element, typing: &Typing<'_>, secret: bool) -> Result<(), Error> {
    let Some(key) = field.key() else { return Ok(()) };
    let what = describe(field);
    let told = |held: &str| match secret || field.password {
        true => format!("{} characters", held.chars().count()),
        false => format!("\"{}\"", wording::clip(held)),
    };
    let message = match cx.driver()?.typed(key, typing).await? {
        Typed::Arrived => {
            let is_hidden = secret || field.password;
            cx.session.state::<TypedText>().keep(what, (!is_hidden).then_some(typing.text));
            return Ok(());
        }
        Typed::Cut(took) => {
            let count = typing.text.chars().count();
            format!("{what} took {took} of {count} characters: there is no room for more (maxlength)")
        }
        Typed::Astray(other) => {
            let other = wording::clip(&other);
            format!(
                "{what} did not get the text, the field \"{other}\" did: the page moved the focus there; name that field, if it is meant"
            )
        }
        Typed::Beside(held) => {
            format!("{what} was not emptied: the page kept what stood in it, which holds {} now", told(&held))
        }
        Typed::Kept(held) => {
            format!("{what} did not keep all of the text: the page cut it, and the field holds {}", told(&held))
        }
        Typed::Refused(held) => {
            let held = told(&held);
            format!(
                "{what} took nothing of the text: the page refused it or took it away; the field holds {held} as before"
            )
        }
    };
    Err(Error::new(Kind::Assertion, message))
}

/// How a field that is not typed into wants its text.
const FORMS: [(&str, &str); 8] = [
    ("date", "2024-12-31"),
    ("time", "23:59"),
    ("datetime-local", "2024-12-31T23:59"),
    ("month", "2024-12"),
    ("week", "2024-W52"),
    ("color", "#00ff00"),
    ("range", "a number that it takes"),
    ("number", "a number"),
];

/// Sets a field that is not typed into, such as one for a date; tells whether it is one.
async fn set(cx: &Context, field: &Element, text: &str) -> Result<bool, Error> {
    let Some(told) = field.told.as_ref().filter(|told| !told.holds.is_empty()) else { return Ok(false) };
    match cx.driver()?.set_field(told.key, text).await? {
        FieldSet::Done => Ok(true),
        FieldSet::Typed => Ok(false),
        FieldSet::Malformed => {
            let form = FORMS.iter().find(|(kind, _)| *kind == told.holds).map_or("another form", |(_, form)| form);
            let message = format!(
                "{} is a {} and does not take \"{}\": write {form}",
                describe(field),
                told.holds,
                wording::clip(text)
            );
            Err(Error::new(Kind::Assertion, message))
        }
        FieldSet::Outside(limits) => {
            let message = format!("{} does not take \"{}\": it takes {limits}", describe(field), wording::clip(text));
            Err(Error::new(Kind::Assertion, message))
        }
        FieldSet::Locked => {
            let message = format!("{} is disabled or only to be read (readonly): it takes no text", describe(field));
            Err(Error::new(Kind::Assertion, message))
        }
    }
}

/// Deletes all that stands in a field that has the focus, wherever its cursor is; returns how many characters that were.
async fn empty(cx: &Context, field: &Element) -> Result<usize, Error> {
    if let Some(key) = field.key() {
        match cx.driver()?.empty_field(key).await? {
            Emptied::Of(count) => return Ok(count),
            Emptied::Kept(left) => {
                let message = format!(
                    "{} was emptied and holds {left} characters all the same: the page keeps them or puts them back",
                    describe(field)
                );
                return Err(Error::new(Kind::Assertion, message));
            }
            Emptied::Locked => {
                let message =
                    format!("{} is disabled or only to be read (readonly): it cannot be emptied", describe(field));
                return Err(Error::new(Kind::Assertion, message));
            }
            Emptied::Touched => {}
        }
    }
    let driver = cx.driver()?;
    if field.key().is_none() && driver.pages("be typed into").is_ok() {
        // The inner part of an editor: by the keys that a person presses.
        driver.press_code(&KeyPress { code: LETTER_A, held: vec![CONTROL], long: false }).await?;
        driver.press(Key::Delete).await?;
        return Ok(0);
    }
    let count = field.text.chars().count();
    if count > MAX {
        let message = format!("{} holds {count} characters; at most {MAX} are deleted", describe(field));
        return Err(Error::new(Kind::BadArgument, message));
    }
    let keys: Vec<Key> =
        [Key::Delete, Key::ForwardDelete].into_iter().flat_map(|key| std::iter::repeat_n(key, count)).collect();
    driver.press_all(&keys).await?;
    wait::until(cx, FOCUS, |screen| is_empty(screen, field).map_err(Miss::Other)).await.map(|()| count)
}

/// Accepts a screen whose field in use is empty.
fn is_empty(screen: &Screen, field: &Element) -> Result<(), Error> {
    let now = focused(screen)?;
    if now.text.is_empty() {
        return Ok(());
    }
    let shown = if now.password { MASK } else { &now.text };
    let message = format!(
        "{} was emptied and still shows \"{}\"; where that is its hint, which older Androids do not tell from a text, use \
         backspace with a count",
        describe(field),
        wording::clip(shown)
    );
    Err(Error::new(Kind::WaitTimeout, message))
}

fn is_in_use(element: &Element) -> bool {
    element.focused && takes_text(element)
}

/// Returns the field that has the focus.
fn focused(screen: &Screen) -> Result<Element, Error> {
    if !screen.lit {
        return Err(screen_power::blank("no field has the focus", screen));
    }
    find(screen, &is_in_use).ok_or_else(|| {
        let message = "no field has the focus: tap a field first, or name it with `into`";
        Error::new(Kind::NotFound, message).with("app", screen.package.as_str())
    })
}

/// Accepts a screen on which the field that was touched has the focus; `picked` is what its target means now.
fn focused_as(screen: &Screen, picked: Option<&Element>, field: &Element, limit: Duration) -> Result<(), Error> {
    if picked.is_some_and(is_in_use)
        || find(screen, &|element| is_in_use(element) && is_same(screen, element, field)).is_some()
    {
        return Ok(());
    }
    let message = format!("{} was touched and did not get the focus within {} s", describe(field), limit.as_secs_f64());
    Err(Error::new(Kind::WaitTimeout, message))
}

/// Tells whether an element is the field of an earlier screen: it alone bears its id, or it stands where that stood. A field
/// that gets the focus may lose its hint and make room for the keyboard.
fn is_same(screen: &Screen, element: &Element, field: &Element) -> bool {
    let alike = |other: &Element| other.class == field.class && other.id == field.id;
    let alone = || !field.id.is_empty() && count(screen, &alike) == 1;
    alike(element) && (element.rect == field.rect || alone())
}

fn count(screen: &Screen, test: &dyn Fn(&Element) -> bool) -> usize {
    let mut count = 0;
    screen.roots.iter().for_each(|root| root.walk(&mut |element| count += usize::from(test(element))));
    count
}

fn find(screen: &Screen, test: &dyn Fn(&Element) -> bool) -> Option<Element> {
    let mut found = None;
    for root in &screen.roots {
        root.walk(&mut |element| {
            if found.is_none() && test(element) {
                found = Some(element.clone());
            }
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use uixt_driver::{Rect, Size};

    fn field(hint: &str, top: i32, focused: bool) -> Element {
        Element {
            role: "textfield",
            hint: hint.to_owned(),
            rect: Rect { left: 0, top, right: 100, bottom: top + 20 },
            focused,
            ..Element::default()
        }
    }

    fn is_accepted(fields: &[Element], touched: &Element) -> bool {
        let screen = Screen {
            package: "a".to_owned(),
            size: Size { width: 100, height: 900 },
            lit: true,
            roots: fields.to_vec(),
            ..Screen::default()
        };
        let picked = screen.roots.iter().find(|element| element.hint == touched.hint && !touched.hint.is_empty());
        focused_as(&screen, picked, touched, FOCUS).is_ok()
    }

    #[test]
    fn another_field_with_the_focus_is_not_the_one_that_was_touched() {
        let password = field("Password", 50, false);
        assert!(!is_accepted(&[field("User", 0, true), password.clone()], &password));
        assert!(is_accepted(&[field("User", 0, false), field("Password", 50, true)], &password));
        let moved = field("Password", 30, true);
        assert!(is_accepted(&[field("User", 0, false), moved], &password));
        let without_hint = field("", 50, true);
        assert!(is_accepted(&[field("User", 0, false), without_hint], &password));
        let row = |top, focused| Element { id: "a:id/row".to_owned(), ..field("", top, focused) };
        assert!(!is_accepted(&[row(0, true), row(50, false)], &row(50, false)));
        assert!(is_accepted(&[row(0, true)], &row(50, false)));
    }
}
