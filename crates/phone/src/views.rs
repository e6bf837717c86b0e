//! The screen as others read it: its pixels, what `uiautomator dump` writes, and the windows that a person reaches.

use super::apps::live::{Moment, Over, Part};
use super::dump::{self, Shown};
use super::launcher;
use super::lock_screen;
use super::node::Node;
use super::system::System;
use uixt_canvas::geometry::Area;

impl System {
    /// The screen as raw RGBA, row by row, with its width and height.
    pub fn pixels(&self) -> (u32, u32, Vec<u8>) {
        let (width, height) = self.size();
        (width, height, self.paint())
    }

    /// What `uiautomator dump` writes: the same layout that `pixels` draws. Empty while the screen is dark.
    pub fn dump(&self) -> String {
        self.with_window(|root, package, screen| dump::xml(root, package, self.rotation(), screen))
    }

    /// What `uiautomator dump --windows` writes.
    pub(super) fn dump_windows(&self) -> String {
        self.with_windows(|windows, screen| dump::windows_xml(windows, self.rotation(), screen))
    }

    /// Shows the window that has the touches to `write`, with its package and the screen; none while the screen is dark.
    pub(super) fn with_window<T>(&self, write: impl FnOnce(Option<&Node>, &str, Area) -> T) -> T {
        self.with_windows(|windows, screen| match windows.iter().find(|window| window.is_active) {
            Some(window) => write(Some(window.root), &window.package, screen),
            None => write(None, "", Area::default()),
        })
    }

    /// Shows the windows that a person reaches to `write`, from front to back, with the screen; none while the screen is dark. A dialog
    /// keeps touches from what is under it.
    pub(super) fn with_windows<T>(&self, write: impl FnOnce(&[Shown], Area) -> T) -> T {
        if !self.screen_on {
            return write(&[], Area::default());
        }
        let scene = self.scene();
        let package = match &self.alert {
            _ if self.locked => lock_screen::PACKAGE.to_owned(),
            Some(alert) => alert.owner.to_owned(),
            None => self.foreground().0,
        };
        let shown = |root, package: &str, kind| Shown { root, package: package.to_owned(), kind, is_active: false };
        let mut windows = Vec::new();
        windows.extend(
            scene.keyboard.as_ref().map(|root| shown(root, "com.android.inputmethod.latin", "TYPE_INPUT_METHOD")),
        );
        windows.push(shown(&scene.navigation, lock_screen::PACKAGE, "TYPE_SYSTEM"));
        windows.push(shown(&scene.status, lock_screen::PACKAGE, "TYPE_SYSTEM"));
        let of_app = |root, package| shown(root, package, "TYPE_APPLICATION");
        if let Some(dialog) = &scene.dialog {
            windows.push(Shown { is_active: true, ..of_app(&dialog.root, &package) });
            return write(&windows, scene.screen);
        }
        let modal = scene.floating.iter().find(|floating| floating.over.is_modal());
        for floating in scene.floating.iter().rev().filter(|floating| !floating.over.is_only_seen()) {
            let is_active = floating.over.is_modal();
            windows.push(Shown { is_active, ..of_app(&floating.root, floating.over.owner().unwrap_or(&package)) });
        }
        if modal.is_none() {
            windows.push(Shown { is_active: true, ..of_app(&scene.window.root, &package) });
            windows.extend(scene.beside.as_ref().map(|root| shown(root, launcher::PACKAGE, "TYPE_APPLICATION")));
        }
        write(&windows, scene.screen)
    }

    /// Returns the small windows that stand over the page in front, from back to front.
    pub(super) fn floating_kinds(&self) -> Vec<Over> {
        let Some((installed, process)) = self.front().filter(|_| !self.locked) else { return Vec::new() };
        let Some(opened) = process.stack.last() else { return Vec::new() };
        let Some(page) = installed.live(&opened.instance) else { return Vec::new() };
        let (memory, ms) = (process.memory(page.id), self.shown_ms(process, opened));
        let parts = (page.show)(&Moment { memory, ms, room: (1.0, 1.0) });
        parts.into_iter().filter_map(|part| if let Part::Window(over, _) = part { Some(over) } else { None }).collect()
    }
}
