//! What a tool has at hand while it runs, and what it gives back.

use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Value, json};
use uixt_core::host::Files;

use super::addresses::Addresses;
use super::finder::Purpose;
use super::images::{self, Wanted as Image};
use super::refs::Refs;
use super::{
    CallOptions, CallTrace, Error, Kind, Object, Progress, Session, capture, controls, drawn_text, ocr_engines, scale,
    screen_power, touch_info,
};
use crate::call_trace::Swiped;
use crate::driver::{Display, Driver, Element, Gesture, Look, Point, Rect, Registry, Screen, Size};
use crate::seen_apps::SeenApps;

/// How long a look for a witness may take.
const LOOK: Duration = Duration::from_secs(5);

/// Calls other tools of the table, for those that are made of tools: on the same device, whose turn the caller has already.
pub trait Invoke: Send + Sync {
    fn invoke<'a>(
        &'a self,
        tool: &'a str,
        arguments: Object,
        cx: &'a Context,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, Error>> + Send + 'a>>;
}

/// The context of one call.
pub struct Context {
    pub session: Arc<Session>,
    /// All the devices there are.
    pub registry: Arc<Registry>,
    /// The device that the call is for; none for tools that need none.
    pub device: Option<Arc<dyn Driver>>,
    pub options: CallOptions,
    /// How to call other tools; none where there is nobody to ask.
    pub invoke: Option<Arc<dyn Invoke>>,
    /// Whom to tell how far the call is.
    pub progress: Progress,
    /// Where its caller may open pages.
    pub addresses: Addresses,
}

impl Context {
    /// Returns where the files lie that the call names: beside the testcase that it stands in, else below the project's folder.
    pub(super) fn files(&self) -> Files {
        let files = self.session.files().clone();
        match self.options.testcase.as_deref().and_then(Path::parent) {
            Some(folder) => files.seen_from(folder),
            None => files,
        }
    }

    /// Returns the device that the call is for.
    pub(super) fn driver(&self) -> Result<&dyn Driver, Error> {
        self.device.as_deref().ok_or_else(|| Error::new(Kind::Device, "no device is selected"))
    }

    /// Reads the screen, and what the platform itself makes of the call's selectors; `steady` where something is to be touched.
    pub(super) async fn look(&self, timeout: Option<Duration>, steady: bool) -> Result<Screen, Error> {
        self.look_with(Look { timeout, steady, ..Look::default() }).await
    }

    /// Reads the screen, and what the platform itself makes of the call's selectors.
    pub(super) async fn look_with(&self, look: Look<'_>) -> Result<Screen, Error> {
        let (images, are_alone) = self.options.asked.images();
        if !images.is_empty() || self.options.asked.pixels() || self.options.asked.controls() {
            return self.look_at_pixels(look, &images, are_alone).await;
        }
        self.look_at_tree(look).await
    }

    /// Reads what is drawn: texts where they are asked for, and where these pictures are seen; beside the tree, where that is meant, too.
    async fn look_at_pixels(&self, look: Look<'_>, images: &[Image], are_alone: bool) -> Result<Screen, Error> {
        let asked = &self.options.asked;
        let tree = match asked.pixels() || are_alone {
            true => None,
            false => Some(self.look_at_tree(look).await?),
        };
        let picture = capture::pixels(self.driver()?).await?;
        self.options.used.look_at(&picture);
        let is_black = capture::is_black(&picture);
        let mut screen = match tree {
            Some(screen) => screen,
            None if asked.pixels() && !is_black => drawn_text::look(self, picture.clone()).await?,
            None => drawn_text::bare(self).await?,
        };
        if is_black {
            // Nothing is absent from it.
            screen.roots.clear();
            return Ok(screen);
        }
        if asked.controls() {
            let lines = match () {
                () if asked.pixels() => screen.roots.iter().flat_map(|root| root.children.clone()).collect(),
                () if !are_alone && ocr_engines::unmet().is_none() => {
                    let read = drawn_text::look(self, picture.clone()).await?;
                    read.roots.into_iter().flat_map(|root| root.children).collect()
                }
                () => Vec::new(),
            };
            controls::add(self, &mut screen, &picture, &lines).await?;
        }
        if !images.is_empty() {
            images::add(self, &mut screen, &picture, images).await?;
        }
        Ok(screen)
    }

    async fn look_at_tree(&self, look: Look<'_>) -> Result<Screen, Error> {
        let selectors = self.options.asked.all();
        let present = look.present || self.options.asked.present();
        let began = Instant::now();
        let screen = self.driver()?.look(&Look { selectors: &selectors, present, ..look }).await?;
        self.session.state::<SeenApps>().looked(&screen.package, began);
        Ok(screen)
    }

    /// Takes in that the call found its target on a screen.
    pub(super) fn found(&self, element: &Element, screen: &Screen, purpose: Purpose) {
        self.session.state::<SeenApps>().found();
        self.options.trace.see(element, screen, purpose);
    }

    /// Takes in that a call names an app, which is under test from then on.
    pub(super) fn note_app(&self, arguments: &Object) {
        let named = arguments.get("package_name").or_else(|| arguments.get("package"));
        named.and_then(Value::as_str).into_iter().for_each(|package| self.session.state::<SeenApps>().note(package));
    }

    /// Returns what the refs of snapshots stand for.
    pub(super) fn refs(&self) -> Option<Refs> {
        let device = self.device.as_deref()?;
        Some(self.session.refs().on(device.info()).seen_by(Arc::new(self.options.trace.clone())))
    }

    /// Performs a gesture, moved and followed by a pause where the call's options ask for it. Returns how to draw it, and the
    /// picture that was taken just before, where one was asked for.
    ///
    /// Fails where the look that the gesture was made for showed a screen that is off, which takes no touch.
    pub(super) async fn perform(&self, gesture: Gesture, display: Display) -> Result<Touched, Error> {
        self.perform_for(None, gesture, display).await
    }

    /// The same where it is meant for an element; a gesture that the call moves off that is meant for nothing.
    pub(super) async fn perform_on(
        &self,
        element: &Element,
        gesture: Gesture,
        display: Display,
    ) -> Result<Touched, Error> {
        self.perform_for(Some(element), gesture, display).await
    }

    async fn perform_for(
        &self,
        element: Option<&Element>,
        gesture: Gesture,
        display: Display,
    ) -> Result<Touched, Error> {
        let gesture = self.options.shift(gesture, display.size)?;
        let element = element.filter(|element| element.rect.contains(start(&gesture)));
        let is_swipe = match &gesture {
            Gesture::Tap { .. } | Gesture::DoubleTap { .. } => false,
            Gesture::Swipe { .. } | Gesture::Drag { .. } => true,
            Gesture::Path(stops) => stops.len() > 1,
        };
        let touched = self.perform_as_it_is(element, gesture, display).await?;
        if is_swipe && let Some(pause) = self.options.pause() {
            tokio::time::sleep(pause).await;
        }
        Ok(touched)
    }

    /// The same without the offsets that the call asks for.
    pub(super) async fn perform_as_it_is(
        &self,
        element: Option<&Element>,
        gesture: Gesture,
        display: Display,
    ) -> Result<Touched, Error> {
        screen_power::require_awake(display)?;
        let driver = self.driver()?;
        self.options.used.note("pre_mark_operation");
        let picture = match self.options.pre_mark_operation {
            true => Some(driver.screenshot().await?.png),
            false => None,
        };
        let mark = mark(&gesture, display.size);
        let point = start(&gesture);
        touch_info::tell(self, &gesture).await;
        self.trace(&gesture, display.size).await?;
        let astray = match element.and_then(Element::key) {
            Some(key) => driver.perform_on(key, gesture).await?,
            None => driver.perform(gesture).await.map(|()| None)?,
        };
        Ok(Touched { mark, picture, point, astray })
    }
}

impl Context {
    /// Lets whoever looks on see what a key or a call without a target is about to meet; where that cannot be seen, it is not.
    pub(super) async fn witness_front(&self) {
        let Some(driver) = self.driver().ok().filter(|_| self.options.trace.wants_page()) else { return };
        if let Ok(Ok(screen)) = tokio::time::timeout(LOOK, driver.screen()).await {
            self.options.trace.see_front(&screen);
        }
    }

    /// Lets whoever looks on see what the finger is about to meet.
    async fn trace(&self, gesture: &Gesture, size: Size) -> Result<(), Error> {
        let (driver, trace, swiped) = (self.driver()?, &self.options.trace, &self.session.state::<Swiped>());
        let serial = &driver.info().serial;
        let look = match trace.wants_look(serial, swiped) {
            true => Some(driver.screen().await?),
            false => None,
        };
        trace.touch(&ends(gesture), size, look, serial, swiped);
        if trace.lacks_target() && ocr_engines::unmet().is_none() {
            let lines = drawn_text::told(self).await?;
            trace_drawn(trace, &lines, start(gesture));
        }
        Ok(())
    }
}

/// Names what a finger goes for by the text that is drawn there, where that is there once.
fn trace_drawn(trace: &CallTrace, lines: &[(String, Rect, f32)], at: Point) {
    let certain = || lines.iter().filter(|(_, _, confidence)| *confidence >= drawn_text::CONFIDENCE);
    let met = certain().find(|(_, rect, _)| rect.contains(at));
    if let Some((text, ..)) = met.filter(|met| certain().filter(|other| other.0 == met.0).count() == 1) {
        trace.see_drawn(text);
    }
}

/// What a gesture leaves for the report.
pub(super) struct Touched {
    pub mark: Value,
    pub picture: Option<Vec<u8>>,
    /// Where the finger was put down, offsets and all.
    pub point: Point,
    /// What the gesture met in the place of the element that it was meant for, and was kept from.
    pub astray: Option<String>,
}

/// Returns where a gesture begins and, if it goes somewhere, where it ends.
fn ends(gesture: &Gesture) -> Vec<Point> {
    match gesture {
        Gesture::Tap { at, .. } | Gesture::DoubleTap { at } => vec![*at],
        Gesture::Swipe { from, to, .. } | Gesture::Drag { from, to, .. } => vec![*from, *to],
        Gesture::Path(stops) => stops.first().into_iter().chain(stops.last()).map(|stop| stop.at).collect(),
    }
}

/// Returns where a gesture begins.
fn start(gesture: &Gesture) -> Point {
    match gesture {
        Gesture::Tap { at, .. } | Gesture::DoubleTap { at } => *at,
        Gesture::Swipe { from, .. } | Gesture::Drag { from, .. } => *from,
        Gesture::Path(stops) => stops.first().map_or(Point { x: 0.0, y: 0.0 }, |stop| stop.at),
    }
}

/// Describes a gesture in fractions of the screen, rounded to what can be seen.
fn mark(gesture: &Gesture, size: Size) -> Value {
    let fraction = |point: Point| {
        let round = |value: f64| (value * 10_000.0).round() / 10_000.0;
        (round(point.x / f64::from(size.width.max(1))), round(point.y / f64::from(size.height.max(1))))
    };
    let tap = |at: Point| {
        let (x, y) = fraction(at);
        json!({"gesture": "tap", "x": x, "y": y})
    };
    let swipe = |from: Point, to: Point| {
        let ((from_x, from_y), (to_x, to_y)) = (fraction(from), fraction(to));
        json!({"gesture": "swipe", "from_x": from_x, "from_y": from_y, "to_x": to_x, "to_y": to_y})
    };
    match gesture {
        Gesture::Tap { at, .. } | Gesture::DoubleTap { at } => tap(*at),
        Gesture::Swipe { from, to, .. } | Gesture::Drag { from, to, .. } => swipe(*from, *to),
        Gesture::Path(stops) => match stops.as_slice() {
            [only] => tap(only.at),
            [first, .., last] => swipe(first.at, last.at),
            [] => Value::Null,
        },
    }
}

/// Describes a point that a mouse meets, as a touch is described.
pub(super) fn mark_at(at: Point, size: Size) -> Value {
    mark(&Gesture::Tap { at, hold: Duration::ZERO }, size)
}

/// A picture of the screen, whole, and how small whoever asked for it wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub png: Vec<u8>,
    /// The most pixels of its longest side, 0 for as many as there are; none where nobody said.
    pub most: Option<u32>,
}

impl Picture {
    /// Returns the picture as it is asked for, or as it `usually` is; none where it is so already.
    pub fn scaled(&self, usually: u32) -> Option<Vec<u8>> {
        scale::down(&self.png, self.most.unwrap_or(usually))
    }
}

impl From<Vec<u8>> for Picture {
    fn from(png: Vec<u8>) -> Self {
        Self { png, most: None }
    }
}

/// What a tool gives back when it did what it was asked.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// One sentence without its end: "Tapped at 0.50, 0.50".
    pub message: String,
    /// The tool's own fields.
    pub fields: Object,
    pub pictures: Vec<Picture>,
    /// Where the screen was touched, as `result::Mark` reads it.
    pub mark: Option<Value>,
    /// How its element was found, as `result::Lookup` reads it.
    pub lookup: Option<Value>,
}

impl Reply {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// Adds a field.
    #[must_use]
    pub(super) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.fields.insert(key.to_owned(), value.into());
        self
    }

    /// Adds what a gesture left.
    #[must_use]
    pub(super) fn touched(mut self, touched: Touched) -> Self {
        self.mark = Some(touched.mark);
        self.pictures.extend(touched.picture.map(Picture::from));
        self
    }

    /// Returns the flat object that a caller gets.
    pub(super) fn object(&self, action: &str) -> Value {
        let mut object = Object::with_capacity(self.fields.len() + 3);
        object.insert("action".to_owned(), action.into());
        object.insert("success".to_owned(), true.into());
        object.insert("message".to_owned(), self.message.as_str().into());
        object.extend(self.fields.clone());
        Value::Object(object)
    }

    /// Returns the result as MCP carries it: one flat object as text and as structured content, pictures beside it.
    pub fn into_result(self, action: &str) -> CallToolResult {
        let object = self.object(action);
        let beside = [("mark", self.mark), ("lookup", self.lookup)];
        let beside: Object = beside.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
        let meta = (!beside.is_empty()).then(|| Value::Object(beside));
        result(object, self.pictures.into_iter().map(|picture| picture.png).collect(), meta, false)
    }
}

/// Returns a failure as MCP carries it.
pub fn failure_result(error: &Error, action: &str) -> CallToolResult {
    warned_failure_result(error, action, Vec::new())
}

/// The same with warnings of what was not done on the way to it.
pub(super) fn warned_failure_result(error: &Error, action: &str, warnings: Vec<String>) -> CallToolResult {
    let mut object = error.object(action);
    if !warnings.is_empty() {
        object["warnings"] = warnings.into();
    }
    result(object, Vec::new(), None, true)
}

fn result(object: Value, pictures: Vec<Vec<u8>>, meta: Option<Value>, is_error: bool) -> CallToolResult {
    use base64::Engine as _;
    // Values cannot fail to be written; `to_string` would go through a formatter, piece by piece.
    let text = serde_json::to_string(&object).unwrap_or_default();
    let mut content = vec![ContentBlock::text(text)];
    content.extend(
        pictures
            .into_iter()
            .map(|png| ContentBlock::image(base64::engine::general_purpose::STANDARD.encode(png), "image/png")),
    );
    let mut result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = Some(object);
    result.meta = meta.map(|meta| MetaObject(Object::from_iter([("uixt".to_owned(), meta)])));
    result
}
