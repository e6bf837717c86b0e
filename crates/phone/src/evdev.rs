//! The kernel's side of the phone's touchscreen and keys: what is written there is what a person's fingers do, and whoever reads there sees it.
//! What `input` injects never comes by here, as on a real phone.
//!
//! Source of codes and of protocol B: Linux `Documentation/input/multi-touch-protocol.rst`, `include/uapi/linux/input-event-codes.h`; of turned
//! screens: AOSP `services/inputflinger/reader/mapper/TouchInputMapper.cpp`.

use parking_lot::Mutex;
use tokio::sync::broadcast;

use super::touch::Motion;

/// The devices: `/dev/input/event0`, …
pub(super) const NAMES: [&str; 2] = ["gpio-keys", "touchscreen"];
const TOUCHSCREEN: usize = 1;
/// The largest number of either axis of the touchscreen, which is finer than its pixels.
pub(super) const LARGEST: i32 = 16_383;
/// Fingers that it tells apart, by numbers up to this one.
pub(super) const LAST_SLOT: i32 = 9;
const SLOTS: usize = 10;

/// Kinds of events.
pub(super) const SYN: u16 = 0;
pub(super) const KEY: u16 = 1;
pub(super) const ABS: u16 = 3;
/// Axes.
pub(super) const SLOT: u16 = 0x2f;
pub(super) const X: u16 = 0x35;
pub(super) const Y: u16 = 0x36;
pub(super) const TRACKING_ID: u16 = 0x39;
/// The keys at the phone's side, and Android's codes for them.
pub(super) const KEYS: [(u16, u32); 5] = [(114, 25), (115, 24), (116, 26), (158, 4), (172, 3)];

/// Events that a reader may be behind.
const BEHIND: usize = 4096;

/// An event of a device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) device: usize,
    /// In milliseconds of the phone's clock.
    pub(super) at: u64,
    pub(super) kind: u16,
    pub(super) code: u16,
    pub(super) value: i32,
}

/// What the phone is to make of what was written so far.
pub(super) enum Deed {
    Motion(Motion, (f64, f64)),
    /// Two fingers that were lifted: their ways, and for how many milliseconds they were down.
    Two([((f64, f64), (f64, f64)); 2], u64),
    Key(u32),
}

pub(super) struct Evdev {
    fingers: Mutex<Fingers>,
    events: broadcast::Sender<Event>,
}

#[derive(Default)]
struct Fingers {
    slot: usize,
    slots: [Finger; SLOTS],
    /// When the first came down; none while none is.
    began: Option<u64>,
    /// Whether another one came meanwhile.
    several: bool,
}

#[derive(Clone, Copy, Default)]
struct Finger {
    is_down: bool,
    at: (i32, i32),
    /// Where it came down, and whether it moved since the last report; none before it was reported.
    began: Option<(i32, i32)>,
    moved: bool,
}

impl Default for Evdev {
    fn default() -> Self {
        Self { fingers: Mutex::default(), events: broadcast::Sender::new(BEHIND) }
    }
}

impl Evdev {
    /// Returns what tells of each event from here on.
    pub(super) fn events(&self) -> broadcast::Receiver<Event> {
        self.events.subscribe()
    }

    /// Takes in an event; returns what the phone is to do, with a screen of `size` by its own shape that is turned by so many quarters.
    pub(super) fn write(&self, event: Event, size: (u32, u32), quarters: u8) -> Vec<Deed> {
        // Nobody may be reading.
        let _ = self.events.send(event);
        let place = |at| pixels(at, size, quarters);
        match (event.device, event.kind, event.code) {
            (TOUCHSCREEN, ABS, _) => {
                self.fingers.lock().set(event.code, event.value);
                Vec::new()
            }
            (TOUCHSCREEN, SYN, 0) => self.fingers.lock().report(event.at, &place),
            (_, KEY, code) if event.value == 1 => {
                KEYS.iter().filter(|(key, _)| *key == code).map(|(_, code)| Deed::Key(*code)).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Fingers {
    fn set(&mut self, code: u16, value: i32) {
        match code {
            SLOT => self.slot = usize::try_from(value.clamp(0, LAST_SLOT)).unwrap_or_default(),
            X => self.finger().at.0 = value.clamp(0, LARGEST),
            Y => self.finger().at.1 = value.clamp(0, LARGEST),
            TRACKING_ID => self.finger().is_down = value >= 0,
            _ => return,
        }
        self.finger().moved |= matches!(code, X | Y);
    }

    fn finger(&mut self) -> &mut Finger {
        &mut self.slots[self.slot]
    }

    /// Says what the fingers did since the last report.
    fn report(&mut self, now: u64, place: &impl Fn((i32, i32)) -> (f64, f64)) -> Vec<Deed> {
        let mut deeds = Vec::new();
        for finger in &mut self.slots {
            match (finger.is_down, finger.began) {
                (true, None) => {
                    finger.began = Some(finger.at);
                    match self.began {
                        None => {
                            self.began = Some(now);
                            deeds.push(Deed::Motion(Motion::Down, place(finger.at)));
                        }
                        Some(_) if !self.several => {
                            self.several = true;
                            deeds.push(Deed::Motion(Motion::Cancel, place(finger.at)));
                        }
                        Some(_) => {}
                    }
                }
                (true, Some(_)) if finger.moved && !self.several => {
                    deeds.push(Deed::Motion(Motion::Move, place(finger.at)));
                }
                _ => {}
            }
            finger.moved = false;
        }
        let is_over = self.began.filter(|_| self.slots.iter().all(|finger| !finger.is_down));
        if let Some(began) = is_over {
            let way = |finger: &Finger| Some((place(finger.began?), place(finger.at)));
            let ways: Vec<_> = self.slots.iter().filter_map(way).collect();
            match ways[..] {
                [(_, end)] => deeds.push(Deed::Motion(Motion::Up, end)),
                [one, other] => deeds.push(Deed::Two([one, other], now.saturating_sub(began))),
                _ => {}
            }
            (self.began, self.several) = (None, false);
            self.slots.iter_mut().for_each(|finger| finger.began = None);
        }
        deeds
    }
}

/// Returns where a touch lies on the turned screen.
fn pixels((x, y): (i32, i32), (width, height): (u32, u32), quarters: u8) -> (f64, f64) {
    let across = |at: i32, side: u32| f64::from(at) * f64::from(side) / f64::from(LARGEST + 1);
    let (x, y, width, height) = (across(x, width), across(y, height), f64::from(width), f64::from(height));
    match quarters % 4 {
        0 => (x, y),
        1 => (y, width - 1.0 - x),
        2 => (width - 1.0 - x, height - 1.0 - y),
        _ => (height - 1.0 - y, x),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turned_screen_is_touched_where_the_finger_is() {
        let upper_left = (0, 0);
        let size = (1000, 2000);
        assert_eq!(
            [0, 1, 2, 3].map(|quarters| pixels(upper_left, size, quarters)),
            [(0.0, 0.0), (0.0, 999.0), (999.0, 1999.0), (1999.0, 0.0)]
        );
    }

    #[test]
    fn events_become_motions_and_a_second_finger_takes_the_first_ones_gesture_away() {
        let evdev = Evdev::default();
        let write = |at, kind, code, value| {
            let event = Event { device: TOUCHSCREEN, at, kind, code, value };
            let deeds = evdev.write(event, (1024, 2048), 0);
            let told = |deed: Deed| match deed {
                Deed::Motion(motion, at) => format!("{motion:?} {at:?}"),
                Deed::Two(ways, lasted) => format!("two {ways:?} {lasted}"),
                Deed::Key(code) => format!("key {code}"),
            };
            deeds.into_iter().map(told).collect::<Vec<_>>().join("; ")
        };
        let all = |events: &[(u16, i32)], at| {
            events.iter().for_each(|(code, value)| assert_eq!(write(at, ABS, *code, *value), ""));
            write(at, SYN, 0, 0)
        };
        assert_eq!(all(&[(TRACKING_ID, 1), (X, 160), (Y, 80)], 1), "Down (10.0, 10.0)");
        assert_eq!(all(&[(X, 320)], 2), "Move (20.0, 10.0)");
        assert_eq!(all(&[(TRACKING_ID, -1)], 3), "Up (20.0, 10.0)");
        assert_eq!(all(&[(TRACKING_ID, 2)], 10), "Down (20.0, 10.0)");
        assert_eq!(all(&[(SLOT, 1), (TRACKING_ID, 3), (X, 1600), (Y, 80)], 11), "Cancel (100.0, 10.0)");
        assert_eq!(all(&[(X, 3200)], 12), "");
        assert_eq!(all(&[(TRACKING_ID, -1)], 13), "");
        let two = "two [((20.0, 10.0), (20.0, 10.0)), ((100.0, 10.0), (200.0, 10.0))] 4";
        assert_eq!(all(&[(SLOT, 0), (TRACKING_ID, -1)], 14), two);
        assert_eq!(write(1, KEY, 158, 1), "key 4");
    }
}
