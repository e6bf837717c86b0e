//! Dumps as phones write them → which targets of a testcase are found on them, which mean several elements, which are not there, and of
//! which nobody can tell.
//!
//! `dumps/NAME.list` says it: `found | text | role | middle in pixels`, `several | text`, `absent | text`, `unknown | text`.

use uixt_locate::finder::{self, Purpose};
use uixt_locate::target::Target;

use crate::driver::Screen;
use crate::{dump, windows};

/// A dump, and what is to be found on it.
struct Dump {
    name: &'static str,
    json: &'static str,
    list: &'static str,
}

macro_rules! dumps {
    ($($name:literal)*) => {
        [$(Dump {
            name: $name,
            json: include_str!(concat!("dumps/", $name, ".json")),
            list: include_str!(concat!("dumps/", $name, ".list")),
        }),*]
    };
}

pub(crate) fn screen(json: &str) -> Screen {
    windows::screen(&dump::parse(json).expect("a dump"))
}

/// Says what comes of a target, as the lists do.
fn outcome(text: &str, screen: &Screen) -> String {
    let target = Target::text(text);
    let pick = |purpose| finder::pick(&target, purpose, screen, None);
    match (pick(Purpose::See), pick(Purpose::Touch)) {
        (Ok(None), Ok(None)) if finder::tells_all(&target, screen) => format!("absent | {text}"),
        (Ok(None), Ok(None)) => format!("unknown | {text}"),
        (Ok(Some(_)), Ok(Some(element))) => {
            let middle = element.rect.center();
            format!("found | {text} | {} | {:.0},{:.0}", element.role, middle.x, middle.y)
        }
        (Ok(Some(_)), Err(error)) if error.details["code"] == "AMBIGUOUS" => format!("several | {text}"),
        other => format!("odd | {text} | {other:?}"),
    }
}

#[test]
fn targets_are_found_as_a_person_sees_them() {
    let mut wrong = Vec::new();
    for dump in DUMPS {
        let screen = screen(dump.json);
        for line in dump.list.lines().filter(|line| !line.is_empty()) {
            let text = line.split(" | ").nth(1).expect(line);
            let is = outcome(text, &screen);
            if is != line {
                wrong.push(format!("{}: {is}, not {line}", dump.name));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

const DUMPS: [Dump; 16] = dumps![
    "shop" "settings" "icons" "dialog" "extension" "web" "web_told" "foldable" "keyboard" "old_build" "menu" "home" "floating" "lock" "question" "part_of_another"
];

/// Writes a node of few attributes.
fn node(attributes: &str, bounds: &str, children: &str) -> String {
    format!(r#"{{"attributes":{{{attributes},"bounds":"{bounds}"}},"children":[{children}]}}"#)
}

/// Makes the screen of an app of what its window holds.
fn app(bundle: &str, held: &str) -> Screen {
    let whole = "[0,0][1000,2000]";
    let window = node(&format!(r#""type":"root","bundleName":"{bundle}","abilityName":"Main""#), whole, held);
    screen(&node(r#""type":"""#, whole, &window))
}

fn ids(screen: &Screen, id: &str) -> usize {
    let mut count = 0;
    screen.roots.iter().for_each(|root| root.walk(&mut |one| count += usize::from(one.id == id)));
    count
}

#[test]
fn an_app_is_no_keyboard_by_a_part_of_its_name() {
    let text = node(r#""type":"Text","text":"Hello""#, "[0,100][1000,200]", "");
    for bundle in ["com.x.imessage", "com.x.input_shop", "com.keyboardstore.app", "com.huawei.hmos.inputmethod"] {
        let screen = app(bundle, &text);
        assert_eq!(
            (screen.package.as_str(), outcome("Hello", &screen).as_str()),
            (bundle, "found | Hello | text | 500,150")
        );
    }
}

#[test]
fn keys_over_the_home_screen_are_no_app() {
    let whole = "[0,0][1000,2000]";
    let window = |bundle: &str, text: &str, bounds: &str| {
        let text = node(&format!(r#""type":"Text","text":"{text}""#), bounds, "");
        node(&format!(r#""type":"root","bundleName":"{bundle}","abilityName":"Main""#), whole, &text)
    };
    let keys = window("com.huawei.hmos.inputmethod", "q", "[0,1400][100,1500]");
    let home = window("com.ohos.sceneboard", "Search apps", "[0,100][1000,200]");
    let screen = screen(&node(r#""type":"""#, whole, &(keys + "," + &home)));
    assert_eq!((screen.package.as_str(), screen.keyboard.is_some()), ("com.ohos.sceneboard", true));
    assert_eq!(outcome("q", &screen), "absent | q");
}

#[test]
fn what_is_touched_keeps_the_ids_in_it() {
    let price = node(r#""type":"Text","text":"¥1","id":"price""#, "[0,100][500,200]", "");
    let row = node(r#""type":"Row","clickable":"true""#, "[0,100][1000,200]", &price);
    let screen = app("com.x.shop", &row);
    assert_eq!((ids(&screen, "price"), outcome("¥1", &screen).as_str()), (1, "found | ¥1 | text | 250,150"));
    // A text beside a switch, likewise.
    let name = node(r#""type":"Text","text":"Wi-Fi","id":"name""#, "[0,100][500,200]", "");
    let toggle = node(r#""type":"Toggle","checkable":"true","checked":"true""#, "[800,100][900,200]", "");
    let screen = app("com.x.settings", &node(r#""type":"Row""#, "[0,100][1000,200]", &(name + "," + &toggle)));
    assert_eq!(ids(&screen, "name"), 1);
}

#[test]
fn a_page_that_is_touched_keeps_what_is_in_it() {
    let text = node(r#""type":"text","text":"Terms""#, "[0,100][500,200]", "");
    let page = node(r#""type":"Web","clickable":"true""#, "[0,0][1000,2000]", &text);
    let screen = app("com.x.shop", &page);
    assert!(!screen.cut && outcome("Terms", &screen).contains("250,150"), "{}", outcome("Terms", &screen));
}

#[test]
fn what_is_hidden_has_no_name_and_hides_nothing() {
    let page = node(r#""type":"Text","text":"Inbox""#, "[0,100][1000,200]", "");
    let text = node(r#""type":"Text","text":"Gone""#, "[0,900][1000,1000]", "");
    let hidden = |attribute: &str| {
        let held = node(r#""type":"Button","text":"Sure","id":"sure""#, "[0,800][1000,900]", "") + "," + &text;
        let attributes = format!(r#""type":"Dialog","id":"ask","clickable":"true",{attribute}"#);
        node(&attributes, "[0,0][1000,2000]", &held)
    };
    let transparent = app("com.x.mail", &(page.clone() + "," + &hidden(r#""opacity":"0.000000""#)));
    assert_eq!((ids(&transparent, "ask"), ids(&transparent, "sure")), (0, 0));
    assert_eq!(outcome("Gone", &transparent), "absent | Gone");
    let screen = app("com.x.mail", &(page + "," + &hidden(r#""visible":"false""#)));
    assert_eq!((ids(&screen, "ask"), outcome("Inbox", &screen).as_str()), (0, "found | Inbox | text | 500,150"));
}
