//! What is on the screen now: the window in front, the dialog over it, the bars and the keyboard, as nodes.

use super::bars;
use super::fields::Cx;
use super::floating::{self, Floating};
use super::keyboard;
use super::launcher;
use super::live_page;
use super::lock_screen;
use super::node::Node;
use super::page::{self, Stage};
use super::process::{Installed, Process};
use super::settings;
use super::system::System;
use super::widgets::Look;
use super::window::Window;
use crate::instance::Instance;
use uixt_canvas::canvas::{Canvas, Color};
use uixt_canvas::geometry::{Area, Scale};
use uixt_canvas::theme::{BLACK, SCRIM, Theme, WHITE, mix};

/// Tells whether a page stays as it is under the keyboard (`windowSoftInputMode` of Android's manifests).
fn is_behind_keyboard(page: &Instance) -> bool {
    page.runtime_text("windowSoftInputMode") == "adjustNothing"
}

/// The screen, window by window, from back to front.
pub(super) struct Scene {
    pub(super) screen: Area,
    pub(super) window: Window,
    /// What another app shows in the other half of the screen.
    pub(super) beside: Option<Node>,
    /// The small windows over the page, from back to front.
    pub(super) floating: Vec<Floating>,
    pub(super) status: Node,
    pub(super) navigation: Node,
    pub(super) keyboard: Option<Node>,
    pub(super) dialog: Option<Window>,
}

impl System {
    pub(super) fn screen(&self) -> Area {
        let (width, height) = self.size();
        Area::sized(0, 0, i32::try_from(width).unwrap_or(0), i32::try_from(height).unwrap_or(0))
    }

    pub(super) fn scale(&self) -> Scale {
        Scale::of_density(self.density_override().unwrap_or(self.options().density))
    }

    fn look(&self, package: &str) -> Look {
        Look { scale: self.scale(), theme: Theme::of_package(package), package: package.to_owned() }
    }

    /// Builds everything that is on the screen.
    pub(super) fn scene(&self) -> Scene {
        let screen = self.screen();
        if self.locked {
            return self.lock_scene(screen);
        }
        let mut scene = match self.front() {
            Some((installed, process)) => self.app_scene(screen, installed, process),
            None => self.home_scene(screen),
        };
        if let Some(alert) = &self.alert {
            let look = self.look(alert.owner);
            let bottom = screen.bottom - look.dp(bars::NAVIGATION);
            scene.keyboard = None;
            scene.dialog = Some(alert.dialog.build(&look, Area::new(0, look.dp(bars::STATUS), screen.right, bottom)));
        }
        scene
    }

    fn home_scene(&self, screen: Area) -> Scene {
        let look = self.look(launcher::PACKAGE);
        let time = self.options().clock.hour_and_minute(self.date_ms());
        let root = launcher::build(&look, screen, time, (self.launchable(), self.home_page));
        let clear: Color = [0, 0, 0, 0];
        Scene {
            screen,
            window: Window { root, viewport: Area::default(), slack: 0 },
            beside: None,
            floating: Vec::new(),
            status: bars::status(&look, screen.width(), time, WHITE),
            navigation: bars::navigation(&look, screen, false, (clear, WHITE)),
            keyboard: None,
            dialog: None,
        }
    }

    fn lock_scene(&self, screen: Area) -> Scene {
        let look = self.look(lock_screen::PACKAGE);
        let clock = &self.options().clock;
        let root = lock_screen::build(&look, screen, clock.hour_and_minute(self.date_ms()), &clock.day(self.date_ms()));
        Scene {
            screen,
            window: Window { root, viewport: Area::default(), slack: 0 },
            beside: None,
            floating: Vec::new(),
            status: bars::status(&look, screen.width(), clock.hour_and_minute(self.date_ms()), WHITE),
            navigation: Node::default(),
            keyboard: None,
            dialog: None,
        }
    }

    fn app_scene(&self, screen: Area, installed: &Installed, process: &Process) -> Scene {
        let look = self.look(&installed.app.package);
        let whole = Area::new(0, 0, screen.right, screen.bottom - look.dp(bars::NAVIGATION));
        let ground = if process.is_split { whole.upper_half() } else { whole };
        let screen_of_app = if process.is_split { ground } else { screen };
        let keys = self.keyboard.map(|layer| {
            let top = ground.bottom - keyboard::height(&look, screen.height());
            (Area::new(0, top, screen.right, ground.bottom), layer)
        });
        let bottom = keys.map_or(ground.bottom, |(area, _)| area.top);
        let is_behind = process.page().and_then(|(_, page)| page).is_some_and(is_behind_keyboard);
        let end_of_page = if is_behind { ground.bottom } else { bottom };
        let window = self.page_window(&look, (screen_of_app, end_of_page), installed, process);
        let room = Area::new(0, 0, screen.right, end_of_page);
        let floating = self.floating(&look, room, installed, process);
        let beside = process.is_split.then(|| launcher::beside(&self.look(launcher::PACKAGE), whole.lower_half()));
        let dialog = process.dialog.as_ref().map(|dialog| {
            let look = dialog.package().map_or_else(|| look.clone(), |package| self.look(package));
            dialog.build(&look, Area::new(0, look.dp(bars::STATUS), screen.right, bottom))
        });
        let colors =
            if keys.is_some() { (keyboard::GROUND, keyboard::INK) } else { (look.theme.background, look.theme.muted) };
        Scene {
            screen,
            window,
            beside,
            floating,
            status: bars::status(
                &look,
                screen.width(),
                self.options().clock.hour_and_minute(self.date_ms()),
                mix(look.theme.text, WHITE, 10),
            ),
            navigation: bars::navigation(&look, screen, keys.is_some(), colors),
            keyboard: keys.map(|(area, layer)| match settings::keyless(&self.settings) {
                Some(name) => keyboard::build_without_keys(&look, area, name),
                None => keyboard::build(&look, area, layer),
            }),
            dialog,
        }
    }

    fn page_window(
        &self,
        look: &Look,
        (screen, bottom): (Area, i32),
        installed: &Installed,
        process: &Process,
    ) -> Window {
        let Some((opened, page)) = process.page() else { return page::trouble(look, screen, "This app shows nothing") };
        let stage = Stage { screen, bottom, has_back: process.stack.len() > 1, scroll: opened.scroll };
        if let Some(page) = installed.live(&opened.instance) {
            return live_page::build(look, page, stage, (process.memory(page.id), self.shown_ms(process, opened)));
        }
        let Some(page) = page else {
            return page::trouble(look, screen, &format!("No page “{}”", opened.instance));
        };
        let now_ms = self.now_ms();
        let since = now_ms.saturating_sub(opened.at_ms);
        let is_there = |instance: &str, part: &str| since >= installed.sidecar.lateness(instance, part);
        let cx = Cx {
            look,
            pages: &process.pages,
            edit: process.edit.as_ref(),
            scrolls: &process.scrolls,
            is_there: &is_there,
            now_ms,
        };
        page::build(&cx, page, stage)
    }

    fn floating(&self, look: &Look, room: Area, installed: &Installed, process: &Process) -> Vec<Floating> {
        let Some((opened, _)) = process.page() else { return Vec::new() };
        let Some(page) = installed.live(&opened.instance) else { return Vec::new() };
        floating::build(look, page, (process.memory(page.id), self.shown_ms(process, opened)), room)
    }

    /// Returns where the keyboard lies; none where none is shown.
    pub(super) fn keyboard_frame(&self) -> Option<Area> {
        self.scene().keyboard.map(|keys| keys.area)
    }

    /// Draws the screen.
    pub(super) fn paint(&self) -> Vec<u8> {
        let (width, height) = self.size();
        let mut canvas = Canvas::new(width, height, BLACK);
        if !self.screen_on {
            return canvas.into_pixels();
        }
        let scene = self.scene();
        scene.window.root.draw(&mut canvas);
        scene.beside.iter().for_each(|node| node.draw(&mut canvas));
        scene.status.draw(&mut canvas);
        for node in scene.keyboard.iter().chain([&scene.navigation]) {
            node.draw(&mut canvas);
        }
        scene.floating.iter().for_each(|window| window.root.draw(&mut canvas));
        if let Some(dialog) = &scene.dialog {
            canvas.fill(scene.screen, SCRIM);
            dialog.root.draw(&mut canvas);
        }
        canvas.into_pixels()
    }
}
