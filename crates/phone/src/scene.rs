//! What is on the screen now: the window in front, the dialog over it, the bars and the keyboard, as nodes.

use super::bars;
use super::fields::Cx;
use super::floating::{self, Floating};
use super::iphone::bars::GROUND;
use super::keyboard;
use super::launcher;
use super::live_page;
use super::lock_screen;
use super::node::Node;
use super::options::Face;
use super::page::{self, Stage};
use super::process::{Installed, Opened, Process};
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

/// How many pages below the one on top an iPhone still tells of.
const FORMER: usize = 3;

/// Returns what the system's bars leave of the screen.
fn free(look: &Look, screen: Area) -> Area {
    let (top, foot) = (look.dp(bars::status_height(look)), look.dp(bars::navigation_height(look)));
    Area::new(0, top, screen.right, screen.bottom - foot)
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
        let face = self.options().face;
        let mut theme = Theme::of_package(package);
        if face == Face::Iphone {
            theme.background = GROUND;
        }
        Look { scale: self.scale(), theme, package: package.to_owned(), face }
    }

    /// Builds everything that is on the screen.
    pub(super) fn scene(&self) -> Scene {
        let screen = self.screen();
        if self.locked {
            return self.lock_scene(screen);
        }
        let mut scene = self.unlocked_scene();
        if let Some(alert) = &self.alert {
            let look = self.look(alert.owner);
            scene.keyboard = None;
            scene.dialog = Some(alert.dialog.build(&look, free(&look, screen)));
        }
        scene
    }

    /// Builds what is on the screen below the system's own questions and the lock screen.
    pub(super) fn unlocked_scene(&self) -> Scene {
        let screen = self.screen();
        match self.front() {
            Some((installed, process)) => self.app_scene(screen, installed, process),
            None => self.home_scene(screen),
        }
    }

    /// Builds the lock screen where it is up, else the home screen.
    pub(super) fn scene_without_app(&self) -> Scene {
        if self.locked { self.lock_scene(self.screen()) } else { self.home_scene(self.screen()) }
    }

    /// Builds the pages that lie below the one on top of the app in front, the lowest first.
    pub(super) fn former_windows(&self) -> Vec<Window> {
        let Some((installed, process)) = self.front() else { return Vec::new() };
        let (look, screen) = (self.look(&installed.app.package), self.screen());
        let below = process.stack.split_last().map_or(&[][..], |(_, below)| below);
        let kept = below.len().saturating_sub(FORMER);
        let built = below.iter().enumerate().skip(kept).map(|(number, opened)| {
            self.page_window(&look, (screen, free(&look, screen).bottom), installed, (process, opened, number > 0))
        });
        built.collect()
    }

    /// Builds the dialog of the app in front, where it is the app's own.
    pub(super) fn own_dialog(&self) -> Option<Window> {
        let (installed, process) = self.front()?;
        let dialog = process.dialog.as_ref().filter(|dialog| dialog.package().is_none())?;
        let look = self.look(&installed.app.package);
        Some(dialog.build(&look, free(&look, self.screen())))
    }

    /// Builds what the system itself asks, over whichever app.
    pub(super) fn system_dialog(&self) -> Option<Window> {
        if !self.asks_itself() {
            return None;
        }
        self.scene().dialog
    }

    /// Tells whether what is in front of everything is a question of the system's.
    pub(super) fn asks_itself(&self) -> bool {
        let of_app = || self.front()?.1.dialog.as_ref()?.package();
        !self.locked && (self.alert.is_some() || of_app().is_some())
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
        let whole = Area { top: 0, ..free(&look, screen) };
        let ground = if process.is_split { whole.upper_half() } else { whole };
        let screen_of_app = if process.is_split { ground } else { screen };
        let keys = self.keyboard.map(|layer| {
            let top = ground.bottom - keyboard::height(&look, screen.height());
            (Area::new(0, top, screen.right, ground.bottom), layer)
        });
        let bottom = keys.map_or(ground.bottom, |(area, _)| area.top);
        let is_behind = process.page().and_then(|(_, page)| page).is_some_and(is_behind_keyboard);
        let end_of_page = if is_behind { ground.bottom } else { bottom };
        let window = match process.stack.last() {
            Some(opened) => {
                let opened = (process, opened, process.stack.len() > 1);
                self.page_window(&look, (screen_of_app, end_of_page), installed, opened)
            }
            None => page::trouble(&look, screen_of_app, "This app shows nothing"),
        };
        let room = Area::new(0, 0, screen.right, end_of_page);
        let floating = self.floating(&look, room, installed, process);
        let beside = process.is_split.then(|| launcher::beside(&self.look(launcher::PACKAGE), whole.lower_half()));
        let dialog = process.dialog.as_ref().map(|dialog| {
            let look = dialog.package().map_or_else(|| look.clone(), |package| self.look(package));
            dialog.build(&look, Area::new(0, look.dp(bars::status_height(&look)), screen.right, bottom))
        });
        let colors = if keys.is_some() { keyboard::colors(&look) } else { (look.theme.background, look.theme.muted) };
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
        (process, opened, has_back): (&Process, &Opened, bool),
    ) -> Window {
        let page = process.pages.get(&opened.instance);
        let stage = Stage { screen, bottom, has_back, scroll: opened.scroll };
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

    /// Returns where the bar with the three keys lies.
    pub(super) fn navigation_frame(&self) -> Area {
        self.scene().navigation.area
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
