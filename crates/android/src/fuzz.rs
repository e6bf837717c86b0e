//! The parsers of what devices print, on changed recordings: an error that is short or a value that was there, never a panic, a
//! hang or a value from nowhere.

use super::apps::{self, Launcher};
use super::recordings;
use super::{answer, clipboard, details, display, displays, gesture, hierarchy, input_method, keyboard, link, lock};
use super::{media, packages, rotation, screenshot, started, uiautomator};
use crate::adb::Output;
use crate::adb::mutation::try_on;
use crate::driver::{Element, Error, Gesture};

const SHOP: &str = "com.uixt.shop";
/// Letters of an error at most.
const LONGEST_ERROR: usize = 1500;

/// Returns what the commands of recordings said: one after the other, and each alone.
fn seeds(wanted: impl Fn(&str) -> bool) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for transcript in recordings::all() {
        let said: Vec<&str> = transcript.sections.iter().map(|(_, said)| said.as_str()).collect();
        seeds.push(said.concat().into_bytes());
        seeds.extend(said.iter().map(|said| said.as_bytes().to_vec()));
    }
    seeds.retain(|seed| !seed.is_empty() && wanted(&String::from_utf8_lossy(seed)));
    seeds
}

/// Takes the value out; an error must be short and say something.
fn value<T>(read: Result<T, Error>) -> Option<T> {
    read.map_err(|error| {
        let message = error.to_string();
        assert!(message.len() > 5 && message.chars().count() < LONGEST_ERROR, "{} letters: {message}", message.len());
    })
    .ok()
}

fn whole(stdout: &str) -> Output {
    Output { stdout: stdout.into(), ..Output::default() }
}

#[test]
fn dumps_of_windows_power_and_input() {
    try_on("windows", &seeds(|seed| !seed.contains("<hierarchy")), |input| {
        let text = String::from_utf8_lossy(input);
        if let Some(Some(size)) = value(display::parse(&text)) {
            assert!((1..=65536).contains(&size.width) && (1..=65536).contains(&size.height), "{size:?}");
            for side in [size.width, size.height] {
                assert!(text.contains(&side.to_string()), "{side}");
            }
        }
        assert!(display::quarter_turns(&text).is_none_or(|turns| turns < 4));
        display::is_wide(&text);
        display::awake(&text);
        assert!(displays::first(&text).count() <= text.lines().count());
        if let Some(front) = apps::parse_front(&text) {
            let own = ["android", "com.android.systemui"].contains(&front.package.as_str());
            assert!(own || text.contains(&format!("{}/", front.package)), "{front:?}");
            assert!(!front.activity.chars().any(char::is_whitespace), "{front:?}");
        }
        lock::parse(&text);
        rotation::follows_sensor(&text);
        let details = details::parse(&text);
        assert!(details.battery.is_none_or(|percent| percent <= 100), "{details:?}");
        assert!(text.contains(&details.model) && text.contains(&details.version), "{details:?}");
    });
}

#[test]
fn answers_about_apps_and_input_methods() {
    try_on("apps", &seeds(|seed| !seed.contains("<hierarchy")), |input| {
        let text = String::from_utf8_lossy(input);
        if let Some(Launcher::Component(component)) = value(apps::parse_resolved(SHOP, &text)) {
            assert!(component.starts_with("com.uixt.shop/") && text.contains(&component), "{component}");
        }
        for name in value(apps::parse_packages(&text)).unwrap_or_default() {
            assert!(text.contains("package:") && text.contains(&name), "{name}");
        }
        value(apps::parse_stopped(SHOP, &text));
        value(apps::parse_running(SHOP, &text));
        if let Some(app) = value(packages::parse_info("com.uixt.maps", &text)) {
            let known = [&app.version_name, &app.path, &app.last_update_time];
            assert!(known.iter().all(|part| text.contains(part.as_str())), "{app:?}");
        }
        if value(packages::succeeded("pm install", &whole(&text))).is_some() {
            assert!(text.contains("Success") && !text.contains("\nFailure ["));
        }
        if let Some(methods) = input_method::parse(&text) {
            assert!(
                methods.installed.iter().chain([&methods.current]).all(|id| text.contains(id.as_str())),
                "{methods:?}"
            );
        }
        if value(started::by_am(&text)).is_some() {
            assert!(text.contains("Status:"));
        }
        if let Some(Some(package)) = value(link::parse("x://y", &whole(&text))) {
            assert!(text.contains(&package), "{package}");
        }
        value(started::by_monkey(&text));
        keyboard::is_up(&text);
        clipboard::data(&text);
        media::found(&text);
        gesture::refused(&Gesture::Path(Vec::new()), &text, &text);
        value(answer::checked("x", &whole(&text)));
        if let Some(line) = answer::complaint(&text) {
            assert!(text.contains(line));
        }
    });
}

#[test]
fn element_trees() {
    try_on("trees", &seeds(|seed| seed.contains("<hierarchy")), |input| {
        let text = String::from_utf8_lossy(input);
        let dump = uiautomator::parse(&whole(&text));
        if let Ok(dump) = &dump {
            assert!(text.contains(&dump.xml) && text.ends_with(&dump.rest));
        }
        let xml = dump.map_or_else(|_| text.clone().into_owned(), |dump| dump.xml);
        let Some(roots) = value(hierarchy::parse(&xml)) else { return };
        let visit = &mut |element: &Element| {
            let rect = element.rect;
            let places = [rect.left, rect.top, rect.right, rect.bottom];
            assert!(places.iter().all(|place| (-1_000_000..=1_000_000).contains(place)), "{rect:?}");
            assert!(element.text.len() <= 3 * xml.len() && element.class.len() <= 3 * xml.len());
            assert!(crate::driver::element::ROLES.contains(&element.role));
        };
        roots.iter().for_each(|root| root.walk(visit));
    });
}

#[test]
fn pictures() {
    let mut png = b"[Warning] Multiple displays were found, but no display id was specified!\n".to_vec();
    png::Encoder::new(&mut png, 3, 5).write_header().unwrap().write_image_data(&[0; 15]).unwrap();
    try_on("pictures", &[png], |input| {
        if let Some(shot) = value(screenshot::parse(input.to_vec())) {
            assert!(shot.size.width > 0 && shot.size.height > 0 && shot.png.len() <= input.len());
        }
    });
}
