//! What a test wishes to go wrong with a Harmony phone. Those of the server itself count where any of its phones has them.

use super::super::switches::Known;

/// Each fault and what it does.
pub(super) const KNOWN: Known = &[
    ("only", "text: faults of answers touch only commands that hold it"),
    ("server_down", "true, or for how many milliseconds: connections end, and new ones are refused"),
    ("handshake_wrong", "true or how often: the server's first message is none of hdc's"),
    ("handshake_long", "true: the handshake has 108 bytes, as where versions are checked"),
    ("unauthorized", "true: nobody has allowed this computer on the phone (E000002); text: the answer instead"),
    ("offline", "true: the phone is listed as offline, and not reached (E001005)"),
    ("not_ready", "true or how often: a command is answered by E000004"),
    ("cut_before", "true or how often: the connection ends before the command is carried out"),
    ("cut_after", "true or how often: the command is carried out, and the connection ends without an answer"),
    ("silent", "true or how often: the command is carried out, and no answer comes"),
    ("truncated", "true or how often: the answer ends in its middle, with the connection"),
    ("delay_ms", "number: each answer comes so many milliseconds late"),
    ("uitest_busy", "true or how often: uitest says `Disallow concurrent use`"),
    ("uitest_ms", "number: uitest takes so many milliseconds before it does anything"),
    ("dump_ms", "number: a dump takes so many milliseconds more"),
    ("dump_fails", "text, or true: a dump fails for this reason"),
    ("dump_cut", "true or how often: a dump is written by half"),
    ("dump_bytes", "number: a dump has so many more bytes"),
    ("no_bullets", "true: nothing is told of what a password's field holds"),
    ("uiextension", "true: what the system asks is another process's, and not in the dump"),
    ("touches_missed", "true or how often: a touch is answered by `No Error` and does nothing"),
    ("touches_fail", "true or how often: a touch fails"),
    ("no_text", "true: uitest is older, and has no `uiInput text`"),
    ("text_cut", "number: of one text only so many characters arrive"),
    ("text_fails", "true or how often: a text is refused"),
    ("disk_full", "true: nothing more fits on the phone"),
    ("asleep", "true: the screen goes dark"),
    ("locked", "true: the phone is locked; it stays so until the fault ends and it is unlocked"),
    ("snapshot_fails", "true or how often: snapshot_display fails"),
    ("crash", "true or how often: the app in front ends before the command"),
    ("agent_resets", "true or how often: the agent's connections are reset"),
    ("agent_socket", "true: the agent listens on localabstract:uitest_socket, not on a port"),
];
