//! A device on show: its pictures, what stands on its screen, and whether somebody looks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};
use uixt_call::Caller;
use uixt_driver::{DIALOG_OPEN, DeviceInfo, Driver, Error, Look, Screen, Size};

use crate::act::On;
use crate::frames::{Format, Frame};

/// How long a screen stands still before it is read, and for how long that is waited for at most.
const STILL: Duration = Duration::from_millis(120);
const PATIENCE: Duration = Duration::from_millis(700);
/// A device that takes longer to tell what stands on its screen is left alone for so many times as long, unless somebody wants to know.
const SLOW: Duration = Duration::from_millis(400);
const REST: u32 = 4;
/// For how long the picture after a step of a run is shown before another one is taken.
const GIVEN: Duration = Duration::from_secs(2);

/// What stands on a screen, and what a browser shows beside it.
#[derive(Default, PartialEq)]
pub(crate) struct Seen {
    pub(crate) screen: Screen,
    pub(crate) tabs: Value,
    pub(crate) dialog: Value,
    /// Why the screen could not be read; empty where it could.
    pub(crate) trouble: String,
}

/// A device on show.
pub struct Stage {
    pub(crate) driver: Arc<dyn Driver>,
    /// Makes the calls that are recorded, and those that ask.
    pub(crate) caller: Arc<dyn Caller>,
    frames: watch::Sender<Option<Arc<Frame>>>,
    seen: watch::Sender<Arc<Seen>>,
    size: Mutex<Size>,
    /// When a run gave the last picture.
    given: Mutex<Option<Instant>>,
    is_wanted: AtomicBool,
    is_busy: AtomicBool,
    looked_at: Notify,
    stirred: Notify,
    changed: Notify,
    wanted: Notify,
    restarted: Notify,
}

impl Stage {
    /// Shows a device, whose calls are made by `caller`.
    pub fn new(driver: Arc<dyn Driver>, caller: Arc<dyn Caller>) -> Self {
        Self {
            driver,
            caller,
            frames: watch::Sender::new(None),
            seen: watch::Sender::new(Arc::default()),
            size: Mutex::default(),
            given: Mutex::default(),
            is_wanted: AtomicBool::default(),
            is_busy: AtomicBool::default(),
            looked_at: Notify::new(),
            stirred: Notify::new(),
            changed: Notify::new(),
            wanted: Notify::new(),
            restarted: Notify::new(),
        }
    }

    pub fn device(&self) -> &DeviceInfo {
        self.driver.info()
    }

    /// Returns what a page follows: pictures, and what stands on the screen.
    pub(crate) fn watch(&self) -> (watch::Receiver<Option<Arc<Frame>>>, watch::Receiver<Arc<Seen>>) {
        let followed = (self.frames.subscribe(), self.seen.subscribe());
        self.looked_at.notify_waiters();
        self.changed.notify_one();
        followed
    }

    /// Returns once somebody looks.
    pub(crate) async fn looked_at(&self) {
        loop {
            let coming = self.looked_at.notified();
            if self.is_looked_at() {
                return;
            }
            coming.await;
        }
    }

    pub(crate) fn is_looked_at(&self) -> bool {
        self.frames.receiver_count() > 0
    }

    /// Returns once nobody looks any more, or the device shows something of which the last film does not tell.
    pub(crate) async fn left_alone(&self) {
        tokio::select! {
            () = self.frames.closed() => {}
            () = self.restarted.notified() => {}
        }
    }

    /// Says that something was done on the device, so that it soon looks otherwise.
    pub(crate) fn stir(&self) {
        self.stirred.notify_one();
        self.changed.notify_one();
    }

    pub(crate) async fn stirred(&self) {
        self.stirred.notified().await;
    }

    /// Says that a run begins with the device, or ends.
    pub(crate) fn occupy(&self, is_busy: bool) {
        self.is_busy.store(is_busy, Ordering::Relaxed);
        self.restarted.notify_waiters();
        self.stir();
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.is_busy.load(Ordering::Relaxed)
    }

    /// Tells whether the device sends pictures by itself.
    pub(crate) fn films(&self) -> bool {
        matches!(self.driver.info().platform, "browser" | "ios")
    }

    pub(crate) fn size(&self) -> Size {
        *self.size.lock()
    }

    /// Returns what is done on the device while it shows what was seen.
    pub(crate) fn on<'a>(&self, seen: &'a Seen) -> On<'a> {
        On { screen: &seen.screen, size: self.size(), is_page: self.driver.info().platform == "browser" }
    }

    /// Makes sure that the screen's size is known, before the first picture, too.
    pub(crate) async fn measure(&self) -> Result<(), Error> {
        if self.size() == Size::default() {
            let size = self.driver.screen_size().await?;
            *self.size.lock() = size;
        }
        Ok(())
    }

    /// Shows a picture of a screen of this size.
    pub(crate) fn show(&self, size: Size, format: Format, bytes: Vec<u8>) {
        *self.size.lock() = size;
        let number = self.frames.borrow().as_ref().map_or(1, |frame| frame.number.wrapping_add(1));
        self.frames.send_replace(Some(Arc::new(Frame { number, size, format, bytes })));
        self.changed.notify_one();
    }

    /// Shows the picture that a run took after a step, so that none need be taken beside it.
    pub(crate) fn give(&self, png: Vec<u8>) {
        *self.given.lock() = Some(Instant::now());
        let upright = self.size();
        let turned = Size { width: upright.height, height: upright.width };
        let is_turned =
            Size::of_png(&png).is_some_and(|size| (size.width > size.height) != (upright.width > upright.height));
        self.show(if is_turned { turned } else { upright }, Format::Png, png);
    }

    /// Tells whether a run gives pictures, of which the last is new enough.
    pub(crate) fn is_given(&self) -> bool {
        self.is_busy() && self.given.lock().is_some_and(|given| given.elapsed() < GIVEN)
    }

    pub(crate) fn trouble(&self, error: &Error) {
        self.tell(Seen { trouble: error.to_string(), ..Seen::default() });
    }

    fn tell(&self, seen: Seen) {
        self.seen.send_if_modified(|last| {
            let is_other = **last != seen;
            if is_other {
                *last = Arc::new(seen);
            }
            is_other
        });
    }

    /// Returns what stood on the screen when it was last read.
    pub(crate) fn seen(&self) -> Arc<Seen> {
        Arc::clone(&self.seen.borrow())
    }

    /// Says whether somebody wants to know what stands on the screen, however long that takes.
    pub(crate) fn want(&self, wants: bool) {
        self.is_wanted.store(wants, Ordering::Relaxed);
        if wants {
            self.wanted.notify_one();
            self.changed.notify_one();
        }
    }

    /// Reads the screen now.
    pub(crate) async fn look(&self) -> Arc<Seen> {
        let look = Look { present: true, ..Look::default() };
        let mut seen = match self.driver.look(&look).await {
            Ok(screen) => Seen { screen, ..Seen::default() },
            Err(Error::Rejected { code, .. }) if code == DIALOG_OPEN => Seen::default(),
            Err(error) => Seen { trouble: error.to_string(), ..Seen::default() },
        };
        if let Ok(pages) = self.driver.pages("tell its tabs") {
            let tabs = pages.tabs().await.unwrap_or_default();
            let told = |(index, tab): (usize, &uixt_driver::pages::Tab)| json!({"index": index, "title": tab.title, "url": tab.url, "active": tab.is_front});
            seen.tabs = tabs.iter().enumerate().map(told).collect();
            let dialog = self.driver.page_dialog().await.ok().flatten();
            seen.dialog = dialog.map_or(
                Value::Null,
                |dialog| json!({"type": dialog.kind, "message": dialog.message, "default": dialog.initial}),
            );
        }
        if seen.screen.size != Size::default() && self.films() {
            *self.size.lock() = seen.screen.size;
        }
        self.tell(seen);
        self.seen()
    }
}

/// Reads the screen whenever it has changed and stands still, for as long as the program runs.
pub(crate) async fn read(stage: Arc<Stage>) {
    loop {
        stage.changed.notified().await;
        let began = Instant::now();
        while began.elapsed() < PATIENCE && tokio::time::timeout(STILL, stage.changed.notified()).await.is_ok() {}
        if !stage.is_looked_at() || stage.is_busy() {
            continue;
        }
        let looked = Instant::now();
        stage.look().await;
        if looked.elapsed() > SLOW && !stage.is_wanted.load(Ordering::Relaxed) {
            tokio::select! {
                () = tokio::time::sleep(looked.elapsed() * REST) => {}
                () = stage.wanted.notified() => {}
            }
        }
    }
}
