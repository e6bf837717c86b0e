//! A gesture → what the device does, moved, drawn, told and witnessed as the call's options ask.

use std::time::Duration;

use uixt_driver::{Display, Element, Gesture, Point, Rect, Size};
use uixt_locate::{Error, screen_power};

use super::touch_info;
use super::touched::{Touched, mark};
use crate::Context;
use crate::pixels::drawn_text;
use crate::traces::call_trace::{CallTrace, Swiped};

/// How long a look for a witness may take.
const LOOK: Duration = Duration::from_secs(5);

impl Context {
    /// Performs a gesture, moved and followed by a pause where the call's options ask for it. Returns how to draw it, and the
    /// picture that was taken just before, where one was asked for.
    ///
    /// Fails where the look that the gesture was made for showed a screen that is off, which takes no touch.
    pub async fn perform(&self, gesture: Gesture, display: Display) -> Result<Touched, Error> {
        self.perform_for(None, gesture, display).await
    }

    /// The same where it is meant for an element; a gesture that the call moves off that is meant for nothing.
    pub async fn perform_on(&self, element: &Element, gesture: Gesture, display: Display) -> Result<Touched, Error> {
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
            Gesture::Tap { .. } | Gesture::DoubleTap { .. } | Gesture::Pinch { .. } => false,
            Gesture::Swipe { .. } | Gesture::Drag { .. } => true,
            Gesture::Path(stops) => stops.len() > 1,
        };
        let touched = self.perform_as_it_is(element, gesture, display).await?;
        if is_swipe && let Some(pause) = self.options.pause() {
            self.waiting().pause(pause).await;
        }
        Ok(touched)
    }

    /// The same without the offsets that the call asks for.
    pub async fn perform_as_it_is(
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
    pub(crate) async fn witness_front(&self) {
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
        if trace.lacks_target() && self.ocr_unmet().is_none() {
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

/// Returns where a gesture begins and, if it goes somewhere, where it ends.
fn ends(gesture: &Gesture) -> Vec<Point> {
    match gesture {
        Gesture::Tap { at, .. } | Gesture::DoubleTap { at } | Gesture::Pinch { at, .. } => vec![*at],
        Gesture::Swipe { from, to, .. } | Gesture::Drag { from, to, .. } => vec![*from, *to],
        Gesture::Path(stops) => stops.first().into_iter().chain(stops.last()).map(|stop| stop.at).collect(),
    }
}

/// Returns where a gesture begins.
fn start(gesture: &Gesture) -> Point {
    match gesture {
        Gesture::Tap { at, .. } | Gesture::DoubleTap { at } | Gesture::Pinch { at, .. } => *at,
        Gesture::Swipe { from, .. } | Gesture::Drag { from, .. } => *from,
        Gesture::Path(stops) => stops.first().map_or(Point { x: 0.0, y: 0.0 }, |stop| stop.at),
    }
}
