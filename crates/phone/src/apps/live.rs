//! Pages that live: what is on them changes with time and with what was touched, without a file that could say so.
//!
//! A page is three functions: what is there at a moment, what a touch changes, what comes by itself. It knows no screen: it
//! says what is there, never how it is drawn. Lengths are dp, times are milliseconds since the page was opened.

use std::collections::BTreeMap;

/// A page of an app, written in Rust.
#[derive(Clone, Copy, Debug)]
pub struct LivePage {
    /// What links call it.
    pub id: &'static str,
    pub title: &'static str,
    /// What its status says until something has happened.
    pub hint: &'static str,
    pub show: fn(&Moment) -> Vec<Part>,
    /// Takes in a touch on the part of this id.
    pub touch: fn(&mut Memory, &str, u64) -> Effect,
    /// Tells what comes by itself by this time.
    pub due: fn(&mut Memory, u64) -> Effect,
}

/// What a page is shown from.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    pub memory: &'a Memory,
    pub ms: u64,
    /// Width of the page's content and height of its window.
    pub room: (f32, f32),
}

/// What a page remembers while it is open.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// The page's status; the page's hint where it is empty.
    pub said: String,
    numbers: BTreeMap<&'static str, u64>,
}

impl Memory {
    pub const fn new() -> Self {
        Self { said: String::new(), numbers: BTreeMap::new() }
    }

    /// Returns a number; 0 where none was kept.
    pub fn get(&self, name: &str) -> u64 {
        self.numbers.get(name).copied().unwrap_or(0)
    }

    /// Returns a number where one was kept.
    pub fn known(&self, name: &str) -> Option<u64> {
        self.numbers.get(name).copied()
    }

    pub fn set(&mut self, name: &'static str, number: u64) {
        self.numbers.insert(name, number);
    }

    /// Counts one more; returns how many there are now.
    pub fn count(&mut self, name: &'static str) -> u64 {
        let number = self.get(name) + 1;
        self.set(name, number);
        number
    }

    /// Sets the status.
    pub fn say(&mut self, status: impl Into<String>) -> Effect {
        self.said = status.into();
        Effect::None
    }
}

/// What happens beside what the page remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    None,
    /// Another page opens.
    Open(&'static str),
    /// Something pops up over the page.
    Popup(Popup),
    /// The system asks for a permission, unless it was answered; the page is told `granted` or `denied`.
    Permission(&'static str),
    /// The app does nothing for so many milliseconds; then the page is told `recovered`.
    Hang(u64),
    /// The page is scrolled to its end.
    ToTheEnd,
    /// The app gets the upper half of the screen only, or the whole of it again.
    Split(bool),
    /// The app crashes.
    Crash,
}

/// A dialog of the app's own. A touch beside it closes it; the page is told `dismissed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Popup {
    pub title: &'static str,
    pub text: &'static str,
    /// Each with what the page is told.
    pub buttons: &'static [(&'static str, &'static str)],
}

/// Something on a page, one below the other.
#[derive(Clone, Debug)]
pub enum Part {
    Words(&'static str, String),
    /// Words that are told as any, and drawn so that nobody sees them.
    Unseen(&'static str, String, Ink),
    Button(Button),
    /// A text with a small button beside it: the text's id and the text, and the button.
    Line(&'static str, String, Button),
    /// Leads to another page.
    Link(&'static str, &'static str),
    /// So many rows, each of which can be touched (`row 7`); only those on the screen are made.
    Rows(usize),
    /// A ground of this height on which things lie where they say, later ones over earlier ones; it can be touched, too.
    Ground(f32, Vec<Thing>),
    /// Turns until something is there.
    Spinner(&'static str),
    /// A window of its own over the page, with these rows, of which those that are enabled can be touched.
    Window(Over, Vec<Button>),
    /// From here on, everything is laid out and written from the right.
    FromTheRight,
}

/// What kind of window stands over a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// A list to choose from; a touch beside it closes it: the page is told `dismissed`.
    List,
    /// A list that leaves the touches beside it to the page.
    Suggestions,
    /// A small window of another app.
    Film,
    /// What the system says for a while; nothing touches it, and no tree of elements tells of it.
    Toast,
}

/// Why nobody sees a text that is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// It is transparent (`android:alpha="0"`).
    Clear,
    /// It has the colour of its ground.
    OfGround,
}

/// A button.
#[derive(Clone, Debug)]
pub struct Button {
    pub id: &'static str,
    pub text: String,
    pub enabled: bool,
}

/// Makes a button that can be touched.
pub fn button(id: &'static str, text: impl Into<String>) -> Button {
    Button { id, text: text.into(), enabled: true }
}

/// Something that lies on a ground.
#[derive(Clone, Debug)]
pub struct Thing {
    pub id: &'static str,
    pub text: String,
    /// Left, top, width, height.
    pub at: (f32, f32, f32, f32),
    /// Whether it can be touched.
    pub is_button: bool,
    /// Whether it stands out.
    pub strong: bool,
}

/// For a page on which nothing comes by itself.
pub fn nothing_due(_: &mut Memory, _: u64) -> Effect {
    Effect::None
}

/// Writes a number of things: `1 tap`, `3 taps`.
pub fn times(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Where something is that goes to and fro between 0 and `way` at so many dp a second.
#[expect(clippy::cast_precision_loss, reason = "a way over a screen")]
pub fn to_and_fro(ms: u64, way: f32, speed: f32) -> f32 {
    let gone = (ms as f64 / 1000.0 * f64::from(speed)) % (2.0 * f64::from(way.max(1.0)));
    #[expect(clippy::cast_possible_truncation, reason = "a place on a screen")]
    let gone = gone as f32;
    if gone > way { 2.0 * way - gone } else { gone }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_to_and_fro_stays_between_its_ends() {
        let places: Vec<f32> = (0..40).map(|step| to_and_fro(step * 100, 100.0, 100.0)).collect();
        assert!(places.iter().all(|place| (0.0..=100.0).contains(place)), "{places:?}");
        assert!((places[5] - 50.0).abs() < 0.1 && (places[15] - 50.0).abs() < 0.1 && places[10] > 99.0, "{places:?}");
        assert!(to_and_fro(u64::MAX, 0.0, 1.0).is_finite());
    }
}
