//! What the system asks before an app may do something.

use crate::apps::live::{Effect, LivePage, Memory, Part, button, nothing_due};

pub(super) const PAGE: LivePage = LivePage {
    id: "permission",
    title: "Permissions",
    hint: "Nothing was asked",
    show: |_| vec![Part::Button(button("photo", "Take a picture")), Part::Button(button("place", "Say where I am"))],
    touch,
    due: nothing_due,
};

fn touch(memory: &mut Memory, what: &str, _: u64) -> Effect {
    let asked = |memory: &Memory| if memory.get("asked") == 1 { "The camera" } else { "The location" };
    match what {
        "photo" => {
            memory.set("asked", 1);
            Effect::Permission("android.permission.CAMERA")
        }
        "place" => {
            memory.set("asked", 2);
            Effect::Permission("android.permission.ACCESS_FINE_LOCATION")
        }
        "granted" => memory.say(format!("{} may be used", asked(memory))),
        "denied" => memory.say(format!("{} may not be used", asked(memory))),
        _ => Effect::None,
    }
}
