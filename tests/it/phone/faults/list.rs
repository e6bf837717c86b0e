//! What goes wrong in a rack of phones: how a test makes it, on which ways to a phone it can happen, and what must be said of it.

use super::Way::{self, Adbd, DirectAdbd, DirectFace, Embedded, Face};

/// One thing that goes wrong.
#[derive(Clone)]
pub(super) struct Fault {
    pub(super) name: &'static str,
    /// The ways on which it is tried, and why it is not on the others.
    pub(super) on: Vec<Way>,
    pub(super) why_not: &'static str,
    /// A command of the device and the script that takes its place; `TAPS` in it is a file of the device.
    pub(super) program: Option<(&'static str, &'static str)>,
    /// A command of this computer that makes it go wrong, and one that mends it.
    pub(super) inject: &'static str,
    pub(super) mend: &'static str,
    /// The step that meets it, and one that works again afterwards.
    pub(super) step: &'static str,
    pub(super) after: &'static str,
    /// Steps between mending and that, which prove something of the fault.
    pub(super) proof: &'static str,
    pub(super) expected: Expected,
    /// Seconds within which the step must have ended.
    pub(super) within: f64,
}

#[derive(Clone, Copy)]
pub(super) enum Expected {
    /// The kind of the error, and a part of what it says.
    Error(&'static str, &'static str),
    /// The fault is none for this step.
    Pass,
}

use Expected::{Error, Pass};

pub(super) const TAP: &str = "tap_xy: [0.5, 0.02]";
const LOOK: &str = "assert_visible: {id: clock, timeout: 3}";
const SHOT: &str = "screenshot:";
const BIG: &str = "push_file: {from: big, to: /data/local/tmp/big}";
/// What the device was told to do while it did not answer: one tap, and no other.
const ONE_TAP: &str = r#"
- name: proof
  pull_file: TAPS
  save: taps
- name: proof
  shell: {string: 'test "$$(cat "$$FILE")" = tap', env: {FILE: $taps}}
"#;
const LANDSCAPE: &str = r"
- name: proof
  get_orientation:
  save: turned
- name: proof
  assert_value: {value: $turned, equals: landscape}
- name: proof
  set_orientation: portrait
";

const ALL: [Way; 5] = [Embedded, Face, Adbd, DirectFace, DirectAdbd];
/// Those whose phone is a process of its own.
const APART: [Way; 4] = [Face, Adbd, DirectFace, DirectAdbd];
const SERVED: [Way; 2] = [Face, Adbd];
/// Those on which no other machine's programs stand in for the phone's.
const PHONES: [Way; 3] = [Embedded, Face, DirectFace];

const NO_SERVER: &str = "no adb server is there";
const NO_ADBD: &str = "the phone is a part of the program";
const NO_KEYS: &str = "nothing there asks for a key";
const ELSEWHERE: &str = "tried in another way: the disk is this computer's";

impl Fault {
    /// Begins with a tap that fails, and one that works again.
    fn new(name: &'static str, on: &[Way], why_not: &'static str) -> Self {
        Self {
            name,
            on: on.to_vec(),
            why_not,
            program: None,
            inject: "",
            mend: "",
            step: TAP,
            after: TAP,
            proof: "",
            expected: Pass,
            within: 20.0,
        }
    }

    fn everywhere(name: &'static str) -> Self {
        Self::new(name, &ALL, "")
    }

    fn program(self, name: &'static str, script: &'static str) -> Self {
        Self { program: Some((name, script)), ..self }
    }

    fn host(self, inject: &'static str, mend: &'static str) -> Self {
        Self { inject, mend, ..self }
    }

    fn step(self, step: &'static str) -> Self {
        Self { step, after: step, ..self }
    }

    fn after(self, after: &'static str) -> Self {
        Self { after, ..self }
    }

    fn proof(self, proof: &'static str) -> Self {
        Self { proof, ..self }
    }

    fn says(self, kind: &'static str, part: &'static str) -> Self {
        Self { expected: Error(kind, part), ..self }
    }

    fn within(self, within: f64) -> Self {
        Self { within, ..self }
    }
}

/// Returns all of them.
pub(super) fn all() -> Vec<Fault> {
    [of_the_way(), of_commands(), of_looks(), of_the_device()].concat()
}

fn of_the_way() -> Vec<Fault> {
    vec![
        Fault::new("the adb server is killed between two calls", &SERVED, NO_SERVER)
            .host("adb kill-server", "adb start-server; plug")
            .says("Transport", "adb start-server"),
        Fault::new("the adb server is killed within a call", &SERVED, NO_SERVER)
            .program("input", "echo tap >> TAPS; sleep 60")
            .host("later adb kill-server", "adb start-server; plug")
            .proof(ONE_TAP)
            .says("Transport", "not sent again"),
        Fault::new("adbd is killed between two calls", &APART, NO_ADBD)
            .host("unplug", "plug")
            // Offline, closed midway where the server notices it only then, or unreachable.
            .says("Transport", "127.0.0.1:5555"),
        Fault::new("adbd is killed within a call", &APART, NO_ADBD)
            .program("input", "sleep 60")
            .host("later unplug", "plug")
            .says("Transport", "not sent again"),
        Fault::new("adbd hangs", &APART, NO_ADBD)
            .host("freeze", "thaw")
            .step(LOOK)
            .says("Device", "it hangs, or is very slow")
            .within(35.0),
        Fault::new("the device is unplugged", &SERVED, NO_SERVER)
            .host("adb disconnect 127.0.0.1:5555", "plug")
            .step(LOOK)
            .says("Transport", "`adb connect 127.0.0.1:5555` connects it"),
        Fault::new("the device is offline", &SERVED, NO_SERVER)
            .host("unplug; until adb devices | grep -q offline; do sleep 0.05; done", "plug")
            .says("Transport", "is offline: reconnect it"),
        // The server would go on with the connection that it had, which is offline until it has asked again.
        Fault::new("the device is unauthorized", &[Face], NO_KEYS)
            .host("unplug; adb disconnect 127.0.0.1:5555; plug none", "unplug; plug")
            .says("Transport", "accept the dialog on the phone"),
        Fault::new("the device is unauthorized", &[DirectFace], "")
            .host("unplug; plug none", "unplug; plug")
            .says("Transport", "tap `Allow`")
            .within(25.0),
        Fault::new("another device comes", &SERVED, NO_SERVER)
            .host("adb connect localhost:5555; adb -s localhost:5555 wait-for-device", "adb disconnect localhost:5555"),
    ]
}

fn of_commands() -> Vec<Fault> {
    vec![
        Fault::everywhere("a command never returns")
            .program("input", "echo tap >> TAPS; sleep 600")
            .proof(ONE_TAP)
            .says("Device", "not sent again")
            .within(35.0),
        Fault::everywhere("a command prints 10 MB")
            .program("dumpsys", "cat /data/local/tmp/long")
            .step("get_foreground_app:")
            .says("Device", "no app in front")
            .within(25.0),
        Fault::everywhere("every command takes 2 s").program("every", r#"sleep 2; "$0" "$@""#).within(20.0),
        Fault::everywhere("a picture is cut off")
            .program("screencap", r#""$0" "$@" | head -c 2000"#)
            .step(SHOT)
            .says("Device", "it ends early")
            .within(20.0),
        Fault::everywhere("a picture is empty")
            .program("screencap", "exit 0")
            .step(SHOT)
            .says("Device", "gave no picture")
            .within(20.0),
    ]
}

fn of_looks() -> Vec<Fault> {
    let dump = |name, script| Fault::everywhere(name).program("uiautomator", script).step(LOOK).within(20.0);
    vec![
        dump("a dump is empty", r#": > "$2"; echo "UI hierchary dumped to: $2""#)
            .says("Device", "it wrote no element tree and no reason"),
        dump(
            "a dump is invalid XML",
            r#"echo '<?xml version="1.0"?><hierarchy rotation="0"><node text="a</hierarchy>' > "$2"; echo "UI hierchary dumped to: $2""#,
        )
        .says("Device", "the screen's element tree cannot be read"),
        dump("the screen is never idle", r#"echo "ERROR: could not get idle state." >&2; exit 1"#)
            .says("Device", "it never came to rest"),
    ]
}

fn of_the_device() -> Vec<Fault> {
    let during_a_look = |name, script| {
        let opens = "assert_foreground_app: com.uixt.settings";
        Fault::everywhere(name).program("uiautomator", script).step("tap_element: Settings").after(opens).within(20.0)
    };
    vec![
        Fault::new("the disk is full: a file comes", &PHONES, "")
            .program("full", "x")
            .step(BIG)
            .says("Device", "free some of its storage")
            .within(20.0),
        Fault::new("the disk is full: a file comes", &[Adbd, DirectAdbd], "")
            .host("mount -t tmpfs -o size=64k none /data/local/tmp", "umount /data/local/tmp")
            .step(BIG)
            .says("Device", "free some of its storage")
            .within(20.0),
        Fault::new("the disk is full: a look", &PHONES, ELSEWHERE)
            .program("full", "x")
            .step(LOOK)
            .says("Device", "free some of its storage"),
        during_a_look(
            "the screen turns during a step",
            r#""$0" "$@"; : > /data/local/tmp/uixt-faults/uiautomator; settings put system user_rotation 1"#,
        )
        .proof(LANDSCAPE),
        during_a_look(
            "the device's clock jumps back 20 years during a step",
            r#""$0" "$@"; : > /data/local/tmp/uixt-faults/uiautomator; cmd alarm set-time 946684800000"#,
        ),
    ]
}
