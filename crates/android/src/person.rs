//! What a person does on the phone itself, by `getevent`: the kernel's events of its touchscreens and keys → fingers' ways in pixels of the screen.
//!
//! Source: AOSP `system/core/toolbox/getevent.c`; Linux `Documentation/input/multi-touch-protocol.rst` (protocol B, and A of older phones), and
//! `input-event-codes.h`; of turned screens: AOSP `services/inputflinger/reader/mapper/TouchInputMapper.cpp`. What `input` and other programs inject
//! does not come by there.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt as _, BufReader};

use super::{Android, display};
use crate::driver::{Deed, Error, Key, Point, Rect, Size, Told, Way};

const DEVICES: &str = "getevent -p";
const EVENTS: &str = "exec:getevent -t";
/// Says 2 where gestures at the edges of the screen go back and home, which have no keys there.
const MODE: &str = "settings get secure navigation_mode";

const SYN: u16 = 0;
const KEY: u16 = 1;
const ABS: u16 = 3;
/// What ends a packet of events, and in protocol A a finger within it.
const SYN_REPORT: u16 = 0;
const SYN_MT_REPORT: u16 = 2;
const SLOT: u16 = 0x2f;
const X: u16 = 0x35;
const Y: u16 = 0x36;
const TRACKING_ID: u16 = 0x39;

/// The keys at a phone's sides and below its screen.
const KEYS: [(u16, Key); 9] = [
    (28, Key::Enter),
    (102, Key::Home),
    (114, Key::VolumeDown),
    (115, Key::VolumeUp),
    (116, Key::Power),
    (139, Key::Menu),
    (158, Key::Back),
    (172, Key::Home),
    (580, Key::AppSwitch),
];

/// Tells what a person does until the phone is gone.
pub(super) async fn follow(android: &Android, told: Told<'_>) -> Result<(), Error> {
    let listed = android.look(DEVICES).await?;
    let mut screens = screens(&listed);
    if screens.is_empty() {
        let said = listed.split_whitespace().take(30).collect::<Vec<_>>().join(" ");
        let message = format!("`{DEVICES}` tells of no touchscreen, so that nobody can be followed; it says: {said}");
        return Err(Error::Device { message });
    }
    let navigation = Navigation { is_by_gestures: android.look(MODE).await?.trim() == "2" };
    let stream = android.device.connect(EVENTS).await?;
    let mut lines = BufReader::new(stream).lines();
    let gone = |error: std::io::Error| Error::Disconnected { message: format!("`getevent` ended: {error}") };
    let mut is_followed = false;
    while let Some(line) = lines.next_line().await.map_err(gone)? {
        // `add device 1: /dev/input/event1`, once it is open.
        let opened = line.strip_prefix("add device ").and_then(|rest| rest.split_once(": "));
        if !is_followed && opened.is_some_and(|(_, path)| screens.contains_key(path.trim())) {
            is_followed = true;
            told(Deed::Followed);
        }
        let Some(event) = Event::read(&line) else { continue };
        if event.kind == KEY {
            // A key that is released, or held, is no other.
            if event.value == 1 && !screens.contains_key(event.device) {
                told(pressed(event.code));
            }
            continue;
        }
        let Some(screen) = screens.get_mut(event.device) else { continue };
        if let Some((ways, began)) = screen.take(&event) {
            let lifted = Instant::now();
            let look = android.look(display::LOOK_AT_BAR).await?;
            let size = android.size_of(&look).await?;
            let quarters = display::quarter_turns(&look).unwrap_or_default();
            let ways: Vec<Way> = ways.iter().map(|way| screen.on_screen(way, size, quarters)).collect();
            let began = Duration::from_secs_f64((began / 1000.0).clamp(0.0, 1e12));
            let key = navigation.key(&ways, display::navigation_bar(&look), size);
            told(key.map_or(Deed::Touched { ways, began, lifted }, |key| Deed::Pressed(Some(key))));
        }
    }
    Err(Error::Disconnected { message: "the phone is not there any more".to_owned() })
}

fn pressed(code: u16) -> Deed {
    Deed::Pressed(KEYS.iter().find(|(known, _)| *known == code).map(|(_, key)| *key))
}

/// How people go back and home on a phone without keys of its own.
struct Navigation {
    is_by_gestures: bool,
}

impl Navigation {
    /// The part of the screen's width at either side from which a finger goes back, of its height from the bottom from which it goes home, and how far
    /// it must come, as a part of the width.
    const EDGE: f64 = 0.05;
    const BOTTOM: f64 = 0.03;
    const FAR: f64 = 0.06;

    /// Returns the key that a finger meant; none where it meant what the app shows.
    fn key(&self, ways: &[Way], bar: Option<Rect>, size: Size) -> Option<Key> {
        let [way] = ways else { return None };
        let ([x, y, _], [to_x, to_y, _]) = (*way.first()?, *way.last()?);
        let (width, height) = (f64::from(size.width), f64::from(size.height));
        let (right, down) = (to_x - x, to_y - y);
        if self.is_by_gestures {
            let is_level = right.abs() > down.abs() && right.abs() > width * Self::FAR;
            let from_left = x < width * Self::EDGE && right > 0.0;
            let from_right = x > width * (1.0 - Self::EDGE) && right < 0.0;
            let goes_home = y > height * (1.0 - Self::BOTTOM) && -down > width * Self::FAR && down.abs() > right.abs();
            return match (is_level && (from_left || from_right), goes_home) {
                (true, _) => Some(Key::Back),
                (_, true) => Some(Key::Home),
                _ => None,
            };
        }
        let bar = bar?;
        let lies_in_bar = |x, y| bar.contains(Point { x, y });
        if !lies_in_bar(x, y) || !lies_in_bar(to_x, to_y) {
            return None;
        }
        // Back, home and overview stand in this order along the bar, which lies at the side of a phone that is turned: from the bottom up there.
        let (along, length) = match bar.right - bar.left >= bar.bottom - bar.top {
            true => (x - f64::from(bar.left), bar.right - bar.left),
            false => (f64::from(bar.bottom) - y, bar.bottom - bar.top),
        };
        let third = f64::from(length.max(1)) / 3.0;
        Some(if along < third {
            Key::Back
        } else if along < 2.0 * third {
            Key::Home
        } else {
            Key::AppSwitch
        })
    }
}

/// A line of `getevent -t`: `[    1234.567890] /dev/input/event1: 0003 0035 0000021c`.
struct Event<'a> {
    /// In milliseconds.
    at: f64,
    device: &'a str,
    kind: u16,
    code: u16,
    value: i32,
}

impl<'a> Event<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let (time, rest) = line.strip_prefix('[')?.split_once(']')?;
        let (device, numbers) = rest.split_once(": ")?;
        let mut numbers = numbers.split_whitespace().map(|word| u32::from_str_radix(word, 16));
        let mut narrow = || u16::try_from(numbers.next()?.ok()?).ok();
        let (kind, code) = (narrow()?, narrow()?);
        let value = numbers.next()?.ok()?.cast_signed();
        Some(Self { at: time.trim().parse::<f64>().ok()? * 1000.0, device: device.trim(), kind, code, value })
    }
}

/// A finger's way as its device tells it, each point with the milliseconds since the first finger came down.
type Raw = Vec<(i32, i32, f64)>;

/// A touchscreen, and the fingers on it.
#[derive(Debug, Default)]
struct TouchScreen {
    /// The least and the largest number of either axis.
    x: (i32, i32),
    y: (i32, i32),
    has_slots: bool,
    slot: i32,
    /// The last place of each slot: a finger that comes down where another one was lifted need not tell it.
    places: HashMap<i32, (i32, i32)>,
    /// The fingers that are down, by their slot.
    fingers: HashMap<i32, Finger>,
    /// When the first of them came down.
    began: Option<f64>,
    lifted: Vec<(i32, Raw)>,
    /// Fingers of protocol A since the last report, and whether another one has told its place.
    reported: i32,
    is_placed: bool,
}

#[derive(Debug, Default)]
struct Finger {
    way: Raw,
    is_gone: bool,
}

impl TouchScreen {
    /// Takes in an event; returns the ways of all fingers once the last one was lifted, and when the first came down.
    fn take(&mut self, event: &Event<'_>) -> Option<(Vec<Raw>, f64)> {
        match (event.kind, event.code) {
            (ABS, SLOT) => self.slot = event.value,
            (ABS, TRACKING_ID) if self.has_slots => {
                let finger = self.fingers.entry(self.slot).or_default();
                finger.is_gone = event.value < 0;
            }
            (ABS, X | Y) => {
                let slot = if self.has_slots { self.slot } else { self.reported };
                let (x, y) = self.places.entry(slot).or_default();
                *(if event.code == X { x } else { y }) = event.value;
                if !self.has_slots {
                    self.is_placed = true;
                    self.fingers.entry(slot).or_default();
                }
            }
            (SYN, SYN_MT_REPORT) => self.reported += i32::from(std::mem::take(&mut self.is_placed)),
            (SYN, SYN_REPORT) => return self.report(event.at),
            _ => {}
        }
        None
    }

    fn report(&mut self, now: f64) -> Option<(Vec<Raw>, f64)> {
        if !self.has_slots {
            // What the packet does not tell of was lifted.
            let there = std::mem::take(&mut self.reported) + i32::from(std::mem::take(&mut self.is_placed));
            self.fingers.iter_mut().for_each(|(slot, finger)| finger.is_gone = *slot >= there);
        }
        let began = *self.began.get_or_insert(now);
        for (slot, finger) in &mut self.fingers {
            let (x, y) = self.places.get(slot).copied().unwrap_or_default();
            finger.way.push((x, y, now - began));
        }
        let gone: Vec<i32> = self.fingers.iter().filter(|(_, finger)| finger.is_gone).map(|(slot, _)| *slot).collect();
        for slot in gone {
            self.lifted.extend(self.fingers.remove(&slot).map(|finger| (slot, finger.way)));
        }
        if !self.fingers.is_empty() || self.lifted.is_empty() {
            if self.fingers.is_empty() {
                self.began = None;
            }
            return None;
        }
        self.began = None;
        let mut lifted = std::mem::take(&mut self.lifted);
        lifted.sort_by(|(_, one), (_, other)| one[0].2.total_cmp(&other[0].2));
        Some((lifted.into_iter().map(|(_, way)| way).collect(), began))
    }

    /// Returns a way in pixels of the screen as it is turned.
    fn on_screen(&self, way: &Raw, size: Size, quarters: u32) -> Way {
        let of = |at: i32, (least, largest): (i32, i32)| {
            f64::from(at.saturating_sub(least)) / (f64::from(largest) - f64::from(least) + 1.0).max(1.0)
        };
        let (width, height) = (f64::from(size.width), f64::from(size.height));
        let place = |&(x, y, at): &(i32, i32, f64)| {
            let (x, y) = (of(x, self.x), of(y, self.y));
            let (x, y) = match quarters % 4 {
                0 => (x, y),
                1 => (y, 1.0 - x),
                2 => (1.0 - x, 1.0 - y),
                _ => (1.0 - y, x),
            };
            let within = |part: f64, side: f64| (part * side).clamp(0.0, (side - 1.0).max(0.0));
            [within(x, width), within(y, height), at]
        };
        way.iter().map(place).collect()
    }
}

/// Reads `getevent -p`: the devices that a finger lies on directly, by their paths.
fn screens(listed: &str) -> HashMap<String, TouchScreen> {
    let mut screens = HashMap::new();
    for device in listed.split("add device ").skip(1) {
        let Some((head, rest)) = device.split_once('\n') else { continue };
        let Some((_, path)) = head.split_once(": ") else { continue };
        // Pens and touch pads tell a place, too; a phone of before Android 4.2 does not say which lie on its screen.
        if rest.contains("input props:") && !rest.contains("INPUT_PROP_DIRECT") && !rest.contains("<not available") {
            continue;
        }
        if let (Some(x), Some(y)) = (axis(rest, X), axis(rest, Y)) {
            let has_slots = axis(rest, SLOT).is_some();
            screens.insert(path.trim().to_owned(), TouchScreen { x, y, has_slots, ..TouchScreen::default() });
        }
    }
    screens
}

/// Returns the least and the largest number of an axis: `0035  : value 0, min 0, max 1079, fuzz 0, …`.
fn axis(device: &str, code: u16) -> Option<(i32, i32)> {
    let code = format!("{code:04x}");
    let is_it = |line: &&str| {
        let before = line.split(" : ").next().unwrap_or_default();
        before.split(':').next_back().is_some_and(|word| word.trim().trim_end_matches('*') == code)
    };
    let line = device.lines().filter(|line| line.contains(" : value ")).find(is_it)?;
    let number = |label: &str| line.split_once(label)?.1.split(',').next()?.trim().parse::<i32>().ok();
    Some((number(" min ")?, number(" max ")?)).filter(|(least, largest)| least < largest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &str = "add device 1: /dev/input/event4
  name:     \"gpio-keys\"
  events:
    KEY (0001): 0072  0073 
  input props:
    <none>
could not get driver version for /dev/input/mice, Not a typewriter
add device 2: /dev/input/event1
  name:     \"pen\"
  events:
    ABS (0003): 0035  : value 0, min 0, max 9, fuzz 0, flat 0, resolution 0
                0036  : value 0, min 0, max 9, fuzz 0, flat 0, resolution 0
  input props:
    INPUT_PROP_POINTER
add device 3: /dev/input/event2
  name:     \"touch\"
  events:
    KEY (0001): 014a 
    ABS (0003): 002f  : value 0, min 0, max 9, fuzz 0, flat 0, resolution 0
                0035* : value 7, min 0, max 1079, fuzz 0, flat 0, resolution 0
                0036  : value 0, min -100, max 2299, fuzz 0, flat 0, resolution 0
                0039  : value 0, min 0, max 65535, fuzz 0, flat 0, resolution 0
  input props:
    INPUT_PROP_DIRECT
";

    fn told(screen: &mut TouchScreen, events: &[(u16, u16, i32, f64)]) -> Vec<Vec<Raw>> {
        let event = |(kind, code, value, at): &(u16, u16, i32, f64)| Event {
            at: *at,
            device: "",
            kind: *kind,
            code: *code,
            value: *value,
        };
        events.iter().filter_map(|told| screen.take(&event(told))).map(|(ways, _)| ways).collect()
    }

    #[test]
    fn the_touchscreen_is_told_from_pens_and_keys() {
        let screens = screens(LISTED);
        assert_eq!(screens.len(), 1, "{screens:?}");
        let screen = &screens["/dev/input/event2"];
        assert_eq!((screen.x, screen.y, screen.has_slots), ((0, 1079), (-100, 2299), true));
    }

    #[test]
    fn a_line_is_read_and_what_is_none_is_not() {
        let event = Event::read("[    1234.500000] /dev/input/event2: 0003 0039 ffffffff").unwrap();
        assert_eq!((event.at, event.device, event.value), (1_234_500.0, "/dev/input/event2", -1));
        for line in ["", "add device 1: /dev/input/event4", "[x] /dev/input/event2: 0003 0039 0", "[1.0] a: 0003 zz 0"]
        {
            assert!(Event::read(line).is_none(), "{line}");
        }
    }

    #[test]
    fn fingers_are_told_once_the_last_is_lifted() {
        let mut screen = screens(LISTED).remove("/dev/input/event2").unwrap();
        let tap = [
            (ABS, TRACKING_ID, 1, 5.0),
            (ABS, X, 540, 5.0),
            (ABS, Y, 1100, 5.0),
            (SYN, 0, 0, 5.0),
            (ABS, TRACKING_ID, -1, 45.0),
            (SYN, 0, 0, 45.0),
        ];
        let ways = told(&mut screen, &tap);
        assert_eq!(ways, [[vec![(540, 1100, 0.0), (540, 1100, 40.0)]]]);
        let size = Size { width: 720, height: 1600 };
        let place = |way: &Raw, size, quarters| format!("{:?}", screen.on_screen(way, size, quarters)[0]);
        assert_eq!(place(&ways[0][0], size, 0), "[360.0, 800.0, 0.0]");
        let wide = Size { width: 1600, height: 720 };
        assert_eq!(place(&vec![(0, -100, 0.0)], wide, 1), "[0.0, 719.0, 0.0]");
        let two = [
            (ABS, TRACKING_ID, 2, 0.0),
            (ABS, X, 100, 0.0),
            (SYN, 0, 0, 0.0),
            (ABS, SLOT, 1, 10.0),
            (ABS, TRACKING_ID, 3, 10.0),
            (ABS, X, 200, 10.0),
            (SYN, 0, 0, 10.0),
            (ABS, TRACKING_ID, -1, 20.0),
            (ABS, SLOT, 0, 20.0),
            (SYN, 0, 0, 20.0),
            (ABS, X, 50, 30.0),
            (ABS, TRACKING_ID, -1, 30.0),
            (SYN, 0, 0, 30.0),
        ];
        let ways = told(&mut screen, &two);
        let ends: Vec<_> = ways[0].iter().map(|way| (way[0].0, way[way.len() - 1].0)).collect();
        assert_eq!(ends, [(100, 50), (200, 200)]);
    }

    #[test]
    fn phones_without_slots_tell_each_finger_in_every_packet() {
        let mut screen = TouchScreen { x: (0, 99), y: (0, 99), ..TouchScreen::default() };
        let swipe = [
            (ABS, X, 10, 0.0),
            (ABS, Y, 20, 0.0),
            (SYN, SYN_MT_REPORT, 0, 0.0),
            (SYN, 0, 0, 0.0),
            (ABS, X, 30, 8.0),
            (ABS, Y, 20, 8.0),
            (SYN, SYN_MT_REPORT, 0, 8.0),
            (SYN, 0, 0, 8.0),
            (SYN, SYN_MT_REPORT, 0, 16.0),
            (SYN, 0, 0, 16.0),
        ];
        // A report of no finger may say so, or say nothing.
        assert_eq!(told(&mut screen, &swipe[..8]), Vec::<Vec<Raw>>::new());
        assert_eq!(told(&mut screen, &swipe[9..]), [[vec![(10, 20, 0.0), (30, 20, 8.0), (30, 20, 16.0)]]]);
        assert_eq!(told(&mut screen, &swipe[..8]), Vec::<Vec<Raw>>::new());
        assert_eq!(told(&mut screen, &swipe[8..]).len(), 1);
    }

    #[test]
    fn fingers_at_the_edges_press_keys() {
        let size = Size { width: 1000, height: 2000 };
        let bar = Some(Rect { left: 0, top: 1900, right: 1000, bottom: 2000 });
        let key = |is_by_gestures, (x, y), (to_x, to_y)| {
            let ways = [vec![[x, y, 0.0], [to_x, to_y, 50.0]]];
            Navigation { is_by_gestures }.key(&ways, bar, size)
        };
        let tap = |x| key(false, (x, 1950.0), (x, 1950.0));
        assert_eq!([100.0, 500.0, 900.0].map(tap), [Some(Key::Back), Some(Key::Home), Some(Key::AppSwitch)]);
        assert_eq!(key(false, (500.0, 500.0), (500.0, 500.0)), None);
        let swipes =
            [((10.0, 900.0), (300.0, 920.0)), ((990.0, 900.0), (600.0, 900.0)), ((500.0, 1990.0), (500.0, 900.0))];
        let keys = swipes.map(|(from, to)| key(true, from, to));
        assert_eq!(keys, [Some(Key::Back), Some(Key::Back), Some(Key::Home)]);
        assert_eq!(key(true, (500.0, 1500.0), (500.0, 900.0)), None);
        assert_eq!(key(true, (10.0, 900.0), (10.0, 300.0)), None, "it scrolls at the side");
    }

    #[test]
    fn keys_that_mean_nothing_to_phones_are_still_told() {
        assert_eq!([pressed(158), pressed(30)], [Deed::Pressed(Some(Key::Back)), Deed::Pressed(None)]);
    }
}
