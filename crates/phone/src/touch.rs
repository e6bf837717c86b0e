//! A finger on the screen → what it does: taps run what lies there, swipes scroll, some things take the whole way.

use std::time::Duration;

use super::cap::{Cap, Layer};
use super::dialog::{Answer, Outcome};
use super::fields::{board, pad};
use super::launcher;
use super::lock_screen;
use super::node::{Flags, Node};
use super::node_action::{Grip, Tap};
use super::place::Place;
use super::scene::Scene;
use super::settings::HARD_KEYBOARD;
use super::stroke::{Gesture, Stroke};
use super::system::System;
use uixt_canvas::geometry::Area;

/// What a finger does at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Motion {
    Down,
    Move,
    Up,
    /// The finger is taken for nothing.
    Cancel,
}

impl System {
    /// Draws a finger from one point to another in `(rest before it sets out, time on its way)`, from a time of the phone's
    /// clock on.
    pub(super) async fn draw(&mut self, from: (f64, f64), to: (f64, f64), times: (Duration, Duration), at: u64) {
        if !self.takes_touches(from) || !self.takes_touches(to) {
            return;
        }
        let (rest, way) = (milliseconds(times.0), milliseconds(times.1));
        let mut stroke = Stroke::down(from, at, self.scale());
        stroke.rest(at + rest);
        stroke.glide(to, at + rest + way);
        // Another finger that is still down is lifted first, as the system does with a gesture that is broken off.
        self.stroke = None;
        self.lift(stroke).await;
    }

    /// Takes in one event of a finger at a time of the phone's clock.
    pub(super) async fn motion(&mut self, motion: Motion, to: (f64, f64), at: u64) {
        if !self.takes_touches(to) {
            return;
        }
        match (motion, self.stroke.take()) {
            (Motion::Down, _) => self.stroke = Some(Stroke::down(to, at, self.scale())),
            // Without a finger on the screen, there is nothing to move, lift or cancel.
            (Motion::Cancel, _) | (_, None) => {}
            (Motion::Move, Some(mut stroke)) => {
                stroke.jump(to, at);
                self.stroke = Some(stroke);
            }
            (Motion::Up, Some(mut stroke)) => {
                stroke.jump(to, at);
                self.lift(stroke).await;
            }
        }
    }

    fn takes_touches(&self, at: (f64, f64)) -> bool {
        self.screen_on && at.0.is_finite() && at.1.is_finite() && (self.locked || !self.is_hung())
    }

    /// Does what a finger that was lifted has said.
    async fn lift(&mut self, stroke: Stroke) {
        if self.locked {
            if lock_screen::is_dismissed_by(stroke.start(), stroke.end(), self.size().1) {
                self.dismiss_lock();
            }
            return;
        }
        if self.is_iphone() && self.take_edge(&stroke) {
            return;
        }
        let (gesture, last_tap) = stroke.up(self.last_tap, self.scale());
        let scene = self.scene();
        let grip = scene.grip_at(stroke.start());
        // As on Android, it is the thing under the finger that tells a double tap: one elsewhere, or on another page, is none.
        self.last_tap = last_tap.filter(|_| matches!(grip, Some(Grip::Pad { .. })));
        match grip {
            Some(Grip::Pad { place, area }) => self.put(&place, pad::note(&stroke, gesture, area)),
            Some(Grip::Board { place, thing, ground }) if gesture == Gesture::Drag => {
                if let Some(value) = board::carried(&stroke, thing, ground) {
                    self.put(&place, value);
                }
            }
            _ if matches!(gesture, Gesture::Tap | Gesture::DoubleTap | Gesture::LongPress) => {
                if let Some(tap) = scene.tap_at(stroke.start()) {
                    self.perform(tap).await;
                }
            }
            _ if self.front.is_none() => self.turn_home_page(&stroke),
            grip => self.swipe(&scene, grip, &stroke),
        }
    }

    fn put(&mut self, place: &Place, value: serde_json::Value) {
        if let Some(process) = self.front_process() {
            process.put(place, value);
        }
    }

    /// Shows the launcher's next page or the one before where a finger went far enough to a side.
    fn turn_home_page(&mut self, stroke: &Stroke) {
        let (way, down) = (stroke.end().0 - stroke.start().0, stroke.end().1 - stroke.start().1);
        if way.abs() < f64::from(self.size().0) / 8.0 || way.abs() < down.abs() {
            return;
        }
        let last = launcher::pages(self.launchable()).saturating_sub(1);
        self.home_page = if way < 0.0 { (self.home_page + 1).min(last) } else { self.home_page.saturating_sub(1) };
    }

    /// Scrolls what lies under the finger; the content follows it and stops at its ends. A list within the page goes first,
    /// as long as it can go that way.
    fn swipe(&mut self, scene: &Scene, grip: Option<Grip>, stroke: &Stroke) {
        let (window, in_dialog) = match &scene.dialog {
            Some(dialog) => (dialog, true),
            None => (&scene.window, false),
        };
        #[expect(clippy::cast_possible_truncation, reason = "a way over the screen")]
        let by = (stroke.start().1 - stroke.end().1).round() as i32;
        if let Some(Grip::List { place, scroll, slack }) = grip {
            let there = scroll.saturating_add(by).clamp(0, slack);
            if there != scroll {
                if let Some(process) = self.front_process() {
                    process.scrolls.insert((place.instance, place.path), there);
                }
                return;
            }
        }
        if window.viewport.contains(stroke.start().0, stroke.start().1) {
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
            Tap::Back if self.is_iphone() => drop(self.leave_page()),
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
            Tap::Dialog(answer) => {
                if let Some(package) = self.answer(&answer) {
                    // The app that is opened again was there a moment ago.
                    let _ = self.launch(&package).await;
                }
            }
            Tap::Live(what) => self.touch_live(&what),
            Tap::Cap(cap) => self.press_cap(cap).await,
        }
    }

    /// Gives a text field the focus and shows the keyboard.
    pub(super) fn focus(&mut self, place: Place) {
        let digits = place.kind == crate::instance::FieldType::Number;
        if let Some(process) = self.front_process() {
            process.focus(place);
            let is_hidden = self.settings.get(HARD_KEYBOARD).is_some_and(|set| set == "1");
            self.keyboard = (!is_hidden).then(|| Layer { digits, ..Layer::default() });
            self.reveal();
        }
    }

    /// Says something on a page, as its own actions do.
    pub(super) fn say(&mut self, instance: &str, message: &str) {
        if let Some(process) = self.front_process() {
            process.say(instance, message);
        }
    }

    /// Answers the dialog in front; returns the app that is to be opened then.
    pub(super) fn answer(&mut self, answer: &Answer) -> Option<String> {
        let process = self.front.as_ref().and_then(|front| self.running.get_mut(front));
        let dialog = match &mut self.alert {
            Some(alert) => Some(&mut alert.dialog),
            None => process.and_then(|process| process.dialog.as_mut()),
        };
        let outcome = dialog?.answer(answer);
        if outcome == Outcome::Stay {
            return None;
        }
        let alert = self.alert.take();
        if alert.is_none()
            && let Some(process) = self.front_process()
        {
            process.dialog = None;
        }
        match outcome {
            Outcome::Stay | Outcome::Close => {}
            Outcome::Put(place, value) => self.put(&place, value),
            Outcome::Permitted { package, permission, granted } => {
                self.set_permission(&package, &permission, Some(granted));
                self.touch_live(if granted { "granted" } else { "denied" });
                self.ask_next();
            }
            Outcome::Trust(trust) => alert.and_then(|alert| alert.asked).into_iter().for_each(|asked| {
                // The computer may have gone.
                let _ = asked.send(trust);
            }),
            Outcome::Tell(what) => self.touch_live(what),
            Outcome::Wait => self.wait_on(),
            Outcome::End(package) => drop(self.force_stop(&package)),
            Outcome::Reopen(package) => return Some(package),
        }
        None
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
        for window in self.floating.iter().rev().filter(|window| !window.over.is_only_seen()) {
            if let Some(tap) = window.root.hit(x, y) {
                return Some(tap.clone());
            }
            if window.over.is_modal() && self.navigation.hit(x, y).is_none() {
                return Some(Tap::Live("dismissed".to_owned()));
            }
        }
        let over = [Some(&self.navigation), self.keyboard.as_ref(), Some(&self.status)];
        let over = over.into_iter().flatten().find_map(|node| node.hit(x, y));
        over.or_else(|| self.window.root.hit(x, y)).cloned()
    }

    /// Returns what takes a finger's whole way at a point; nothing under a dialog, a bar or the keyboard does.
    pub(super) fn grip_at(&self, (x, y): (f64, f64)) -> Option<Grip> {
        let mut over = [Some(&self.navigation), self.keyboard.as_ref(), Some(&self.status)].into_iter().flatten();
        let mut floating = self.floating.iter().filter(|window| !window.over.is_only_seen());
        let is_under = floating.any(|window| window.over.is_modal() || window.root.area.contains(x, y));
        if self.dialog.is_some() || is_under || over.any(|node| node.area.contains(x, y)) {
            return None;
        }
        self.window.root.grip_at(x, y).cloned()
    }

    /// Returns the text fields that can be typed into, in reading order.
    pub(super) fn text_fields(&self) -> Vec<Place> {
        let mut places = Vec::new();
        collect_fields(&self.window.root, &mut places);
        places
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX / 4)
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
