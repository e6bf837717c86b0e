//! A look at the screen: its elements, and what is read or seen in its pixels where the call asks for that.

use std::time::{Duration, Instant};

use uixt_driver::{Look, Screen};
use uixt_locate::Error;

use crate::Context;
use crate::pixels::ImageQuery;
use crate::pixels::{capture, controls, drawn_text, images, ocr_engines};
use crate::traces::seen_apps::SeenApps;

/// A look that took so long has waited for the screen to be idle by itself, as Android's `uiautomator` does.
pub const PATIENT: Duration = Duration::from_millis(700);

impl Context {
    /// Says why texts in pictures cannot be read, and what to do; none where they can.
    pub fn ocr_unmet(&self) -> Option<String> {
        ocr_engines::unmet(self.engines.text_models)
    }

    /// Has the next look be at pixels where the last was at the tree and what it lacked may be drawn; tells whether it will.
    pub(crate) fn turn_to_pixels(&self) -> bool {
        self.options.asked.turn(|| self.ocr_unmet().is_none())
    }

    /// Reads the screen, and what the platform itself makes of the call's selectors; `steady` where something is to be touched.
    pub async fn look(&self, timeout: Option<Duration>, steady: bool) -> Result<Screen, Error> {
        self.look_with(Look { timeout, steady, ..Look::default() }).await
    }

    /// Reads the screen, and what the platform itself makes of the call's selectors.
    pub async fn look_with(&self, look: Look<'_>) -> Result<Screen, Error> {
        let (images, are_alone) = self.options.asked.images();
        if !images.is_empty() || self.options.asked.pixels() || self.options.asked.controls() {
            return self.look_at_pixels(look, &images, are_alone).await;
        }
        self.look_at_tree(look).await
    }

    /// Reads what is drawn: texts where they are asked for, and where these pictures are seen; beside the tree, where that is meant, too.
    async fn look_at_pixels(&self, look: Look<'_>, images: &[ImageQuery], are_alone: bool) -> Result<Screen, Error> {
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
                () if !are_alone && self.ocr_unmet().is_none() => {
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
}
