//! A finger on the screen → what it does: taps run what lies there, swipes scroll.

use crate::instance::Patch;

use super::dialog::Outcome;
use super::geometry::Area;
use super::keyboard::{Cap, Layer};
use super::lock_screen;
use super::node::{Flags, Node};
use super::scene::Scene;
use super::system::System;
use super::tap::{Answer, Place, Tap};

/// How far a finger may stray in a tap, in dp.
const SLOP: f32 = 8.0;

impl System {
    /// Takes in one finger's way over the screen.
    pub(super) async fn finger(&mut self, from: (f64, f64), to: (f64, f64)) {
        if self.locked {
            if lock_screen::is_dismissed_by(from, to, self.size().1) {
                self.dismiss_lock();
            }
            return;
        }
        let way = (to.0 - from.0).hypot(to.1 - from.1);
        if way < f64::from(self.scale().px(SLOP)) {
            if let Some(tap) = self.scene().tap_at(from) {
                self.perform(tap).await;
            }
        } else {
            self.swipe(from, to);
        }
    }

    /// Scrolls what lies under the finger; the content follows it and stops at its ends.
    fn swipe(&mut self, from: (f64, f64), to: (f64, f64)) {
        let scene = self.scene();
        let (window, in_dialog) = match &scene.dialog {
            Some(dialog) => (dialog, true),
            None => (&scene.window, false),
        };
        #[expect(clippy::cast_possible_truncation, reason = "a way over the screen")]
        let by = (from.1 - to.1).round() as i32;
        if window.viewport.contains(from.0, from.1) {
            self.scroll_by(by, window.slack, in_dialog);
        }
    }

    /// Scrolls the page or the dialog in front, within what there is to scroll.
    pub(super) fn scroll_by(&mut self, by: i32, slack: i32, in_dialog: bool) {
        let Some(process) = self.front_process() else { return };
        let dialog = process.dialog.as_mut().filter(|_| in_dialog).map(|dialog| &mut dialog.scroll);
        if let Some(scroll) = dialog.or_else(|| process.stack.last_mut().map(|opened| &mut opened.scroll)) {
            *scroll = scroll.clamp(&mut 0, &mut slack.clone()).saturating_add(by).clamp(0, slack);
        }
    }

    /// Scrolls the page so that the field in use is seen.
    pub(super) fn reveal(&mut self) {
        let scene = self.scene();
        let Some(area) = focused_area(&scene.window.root) else { return };
        let viewport = scene.window.viewport;
        let rim = self.scale().dp(12.0);
        let by = if area.bottom + rim > viewport.bottom {
            (area.bottom + rim - viewport.bottom).min(area.top - rim - viewport.top)
        } else if area.top - rim < viewport.top {
            area.top - rim - viewport.top
        } else {
            0
        };
        self.scroll_by(by, scene.window.slack, false);
    }

    /// Does what a tap says.
    pub(super) async fn perform(&mut self, tap: Tap) {
        match tap {
            Tap::Swallow => {}
            Tap::Back => self.back(),
            Tap::Home => self.go_home(),
            Tap::Launch(package) => {
                // What the launcher shows is installed.
                let _ = self.launch(&package).await;
            }
            Tap::Focus(place) => self.focus(place),
            Tap::Set(place, value) => {
                if let Some(process) = self.front_process() {
                    process.put(&place, value);
                }
            }
            Tap::Open(dialog) => {
                self.keyboard = None;
                if let Some(process) = self.front_process() {
                    process.edit = None;
                    process.dialog = Some(*dialog);
                }
            }
            Tap::Act { instance, action } => self.act(&instance, &action).await,
            Tap::ActOnRow { instance, action, row } => self.act_on_row(&instance, &action, row).await,
            Tap::Say { instance, message } => self.say(&instance, &message),
            Tap::Dialog(answer) => self.answer(&answer),
            Tap::Cap(cap) => self.press_cap(cap).await,
        }
    }

    /// Gives a text field the focus and shows the keyboard.
    pub(super) fn focus(&mut self, place: Place) {
        let digits = place.kind == crate::instance::FieldType::Number;
        if let Some(process) = self.front_process() {
            process.focus(place);
            self.keyboard = Some(Layer { digits, ..Layer::default() });
            self.reveal();
        }
    }

    /// Says something on a page, as its own actions do.
    pub(super) fn say(&mut self, instance: &str, message: &str) {
        if let Some(page) = self.front_process().and_then(|process| process.pages.get_mut(instance)) {
            page.apply(&[Patch::set("state.runtime.message", message)]);
        }
    }

    /// Answers the open dialog.
    pub(super) fn answer(&mut self, answer: &Answer) {
        let Some(process) = self.front_process() else { return };
        let Some(dialog) = &mut process.dialog else { return };
        match dialog.answer(answer) {
            Outcome::Stay => {}
            Outcome::Close => process.dialog = None,
            Outcome::Put(place, value) => {
                process.dialog = None;
                process.put(&place, value);
            }
            Outcome::Permitted { package, permission, granted } => {
                process.dialog = None;
                self.set_permission(&package, &permission, Some(granted));
                self.ask_next();
            }
        }
    }

    async fn press_cap(&mut self, cap: Cap) {
        let Some(layer) = &mut self.keyboard else { return };
        match cap {
            Cap::Shift => layer.shift = !layer.shift,
            Cap::Signs => layer.signs = !layer.signs,
            Cap::Erase => self.edit(super::edit::Edit::erase),
            Cap::Enter => self.enter().await,
            Cap::Type(sign) => {
                layer.shift = false;
                self.edit(|edit| edit.insert(sign.encode_utf8(&mut [0; 4])));
            }
        }
    }
}

impl Scene {
    /// Returns what a tap at a point does; nothing where nothing takes it.
    fn tap_at(&self, (x, y): (f64, f64)) -> Option<Tap> {
        if let Some(dialog) = &self.dialog {
            let inside = dialog.root.area.contains(x, y);
            let below = || if inside { None } else { Some(Tap::Dialog(Answer::Dismiss)) };
            return self.navigation.hit(x, y).or_else(|| dialog.root.hit(x, y)).cloned().or_else(below);
        }
        let over = [Some(&self.navigation), self.keyboard.as_ref(), Some(&self.status)];
        let over = over.into_iter().flatten().find_map(|node| node.hit(x, y));
        over.or_else(|| self.window.root.hit(x, y)).cloned()
    }

    /// Returns the text fields that can be typed into, in reading order.
    pub(super) fn text_fields(&self) -> Vec<Place> {
        let mut places = Vec::new();
        collect_fields(&self.window.root, &mut places);
        places
    }
}

fn collect_fields(node: &Node, places: &mut Vec<Place>) {
    if let (Some(Tap::Focus(place)), false) = (&node.tap, node.flags.has(Flags::DISABLED)) {
        places.push(place.clone());
    }
    for child in &node.children {
        collect_fields(child, places);
    }
}

fn focused_area(node: &Node) -> Option<Area> {
    if node.flags.has(Flags::FOCUSED) {
        return Some(node.area);
    }
    node.children.iter().find_map(focused_area)
}
