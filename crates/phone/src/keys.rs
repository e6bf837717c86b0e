//! Android's key codes (`android.view.KeyEvent`) → what they do on the phone.

use super::apps::live::Over;
use super::dialog::Answer;
use super::edit::Edit;
use super::system::System;

const SHIFT: u32 = 59;
const CTRL: u32 = 113;
const CUT: u32 = 277;
const COPY: u32 = 278;
const PASTE: u32 = 279;

impl System {
    /// Takes in a key; codes that do nothing here are ignored.
    pub(super) async fn press(&mut self, code: u32) {
        match code {
            26 => self.switch_screen(!self.screen_on),
            223 => self.switch_screen(false),
            224 => self.switch_screen(true),
            // As `KeyEvent.isWakeKey` has it.
            27 | 82 | 225 | 265..=267 if !self.screen_on => self.switch_screen(true),
            _ if !self.screen_on => {}
            82 if self.locked => self.dismiss_lock(),
            _ if self.locked => {}
            3 | 187 => self.go_home(),
            4 => self.back(),
            111 => self.escape(),
            // What lies under a dialog takes no keys.
            _ if self.has_dialog() => {}
            66 | 160 => self.enter().await,
            61 => self.next_field(),
            19 | 20 | 92 | 93 => self.scroll_with_key(code),
            _ => self.edit_with_key(code),
        }
    }

    pub(super) fn has_dialog(&self) -> bool {
        self.alert.is_some() || self.front().is_some_and(|(_, process)| process.dialog.is_some())
    }

    fn switch_screen(&mut self, on: bool) {
        self.screen_on = on;
        if !on {
            self.keyboard = None;
            self.locked = true;
        }
    }

    /// A key that is pressed while others are held down, in the field in use; false where it means nothing here.
    pub(super) fn press_with(&mut self, held: &[u32], code: u32) -> bool {
        let is_held = |left: u32| held.contains(&left) || held.contains(&(left + 1));
        let (ctrl, shift) = (is_held(CTRL), is_held(SHIFT));
        if !self.screen_on || self.locked || self.has_dialog() {
            return true;
        }
        match (code, character(code)) {
            (29, _) if ctrl => self.edit(Edit::select_all),
            (31, _) if ctrl => self.edit_with_key(COPY),
            (50, _) if ctrl => self.edit_with_key(PASTE),
            (52, _) if ctrl => self.edit_with_key(CUT),
            (_, Some(sign)) if shift && !ctrl && sign.is_ascii_lowercase() => {
                self.edit(|edit| edit.insert(sign.to_ascii_uppercase().encode_utf8(&mut [0; 4])));
            }
            _ => return false,
        }
        true
    }

    /// Copies what is selected in the field in use; passwords are not copied.
    fn copy(&mut self) -> bool {
        let Some(edit) = self.front_process().and_then(|process| process.edit.clone()) else { return false };
        let is_secret = self.scene().window.root.is_secret_in_use();
        if edit.selected && !is_secret {
            self.set_clipboard(&edit.text);
        }
        edit.selected && !is_secret
    }

    fn edit_with_key(&mut self, code: u32) {
        match code {
            PASTE => {
                let text = self.clipboard().to_owned();
                return self.edit(|edit| edit.insert(&text));
            }
            COPY => {
                self.copy();
                return;
            }
            CUT if self.copy() => return self.edit(Edit::erase),
            _ => {}
        }
        if let Some(sign) = character(code) {
            return self.edit(|edit| edit.insert(sign.encode_utf8(&mut [0; 4])));
        }
        match code {
            67 => self.edit(Edit::erase),
            112 => self.edit(Edit::erase_forward),
            122 => self.edit(Edit::go_to_start),
            123 => self.edit(Edit::go_to_end),
            21 => self.edit(|edit| edit.step(-1)),
            22 => self.edit(|edit| edit.step(1)),
            _ => {}
        }
    }

    /// Changes the text in use; nothing where there is none.
    pub(super) fn edit(&mut self, change: impl FnOnce(&mut Edit)) {
        let process = self.front_process().filter(|process| process.dialog.is_none() && process.edit.is_some());
        if let Some(process) = process {
            process.change(change);
            self.reveal();
        }
    }

    /// Back: hides the keyboard, else closes the dialog, else leaves the page, else the app.
    pub(super) fn back(&mut self) {
        if self.keyboard.take().is_some() {
            return;
        }
        if self.has_dialog() {
            self.dismiss();
            return;
        }
        if self.floating_kinds().into_iter().any(Over::is_modal) {
            self.touch_live("dismissed");
            return;
        }
        let Some(process) = self.front_process() else { return };
        if !process.pop() {
            self.go_home();
        }
    }

    fn escape(&mut self) {
        if self.keyboard.take().is_none() {
            self.dismiss();
        }
    }

    fn dismiss(&mut self) {
        // What is dismissed opens no app.
        let _ = self.answer(&Answer::Dismiss);
    }

    /// Enter: a new line where the field has lines, else the next text field, else the action that the page submits with.
    pub(super) async fn enter(&mut self) {
        let Some(edit) = self.front_process().and_then(|process| process.edit.clone()) else { return };
        if edit.has_lines() {
            return self.edit(|edit| edit.insert("\n"));
        }
        let fields = self.scene().text_fields();
        let next = fields.iter().skip_while(|place| **place != edit.place).nth(1).cloned();
        if let Some(next) = next {
            return self.focus(next);
        }
        self.keyboard = None;
        let submit = self.front().and_then(|(installed, _)| installed.sidecar.submit(&edit.place.instance));
        if let Some(action) = submit.map(str::to_owned) {
            self.act(&edit.place.instance, &action).await;
        }
    }

    /// Tab: the next text field, after the last one the first.
    fn next_field(&mut self) {
        let fields = self.scene().text_fields();
        let current = self.front_process().and_then(|process| process.edit.as_ref()).map(|edit| edit.place.clone());
        let at = fields.iter().position(|place| Some(place) == current.as_ref());
        let next = at.map_or(0, |at| (at + 1) % fields.len().max(1));
        if let Some(place) = fields.get(next) {
            self.focus(place.clone());
        }
    }

    /// Arrows scroll by a little, page keys by most of the page.
    fn scroll_with_key(&mut self, code: u32) {
        let scene = self.scene();
        let page = scene.window.viewport.height() * 8 / 10;
        let by = match code {
            19 => -self.scale().dp(96.0),
            20 => self.scale().dp(96.0),
            92 => -page,
            _ => page,
        };
        self.scroll_by(by, scene.window.slack, false);
    }
}

/// Returns what a key types.
fn character(code: u32) -> Option<char> {
    let from = |first: char, offset: u32| char::from_u32(u32::from(first) + offset);
    match code {
        7..=16 => from('0', code - 7),
        29..=54 => from('a', code - 29),
        144..=153 => from('0', code - 144),
        17 => Some('*'),
        18 => Some('#'),
        55 => Some(','),
        56 => Some('.'),
        62 => Some(' '),
        68 => Some('`'),
        69 => Some('-'),
        70 => Some('='),
        71 => Some('['),
        72 => Some(']'),
        73 => Some('\\'),
        74 => Some(';'),
        75 => Some('\''),
        76 => Some('/'),
        77 => Some('@'),
        81 => Some('+'),
        _ => None,
    }
}
