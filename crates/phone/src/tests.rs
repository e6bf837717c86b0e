//! The phone as a whole: apps made for the tests, fingers and keys in, dump and pixels out.

mod live;

use std::time::Duration;

use super::Clock;
use super::apps::AppDefinition;
use super::system::{Options, System};
use super::touch::Motion;

const FORM: &str = r#"{"instance_id": "form", "title": "Form",
 "state": {"params": {"name": "", "secret": "", "age": 3, "on": false, "city": "", "note": "", "langs": []}, "runtime": {"message": ""}},
 "blocks": [{"id": "b", "type": "form", "bind": "state.params", "props": {"fields": [
  {"key": "name", "label": "Name", "type": "text", "rid": "com.other:id/whole"},
  {"key": "secret", "label": "Password", "type": "text", "content_type": "password"},
  {"key": "age", "label": "Age", "type": "number"},
  {"key": "on", "label": "Remember", "type": "checkbox"},
  {"key": "city", "label": "City", "type": "select", "options": [{"label": "北京", "value": "bj"}, {"label": "London", "value": "ldn"}]},
  {"key": "langs", "label": "Languages", "type": "multiselect", "options": [{"label": "中文", "value": "zh"}, {"label": "English", "value": "en"}]}
 ]}},
 {"id": "late_block", "type": "form", "bind": "state.params", "props": {"fields": [{"key": "note", "label": "Note", "type": "textarea"}]}}],
 "actions": [
  {"id": "next", "label": "Next page", "style": "secondary", "action_type": "navigate", "target_instance": "list"},
  {"id": "say", "label": "Say it", "style": "primary", "handler_type": "template", "patches": {"state.runtime.message": "Hello, ${state.params.name}"}}]}"#;

const LIST: &str = r#"{"instance_id": "list", "title": "List",
 "state": {"params": {"rows": [], "odd": {"not": "a list"}}, "runtime": {"message": 7}},
 "blocks": [{"id": "b", "type": "form", "bind": "state.params", "props": {"fields": [
  {"key": "rows", "label": "Rows", "type": "table", "columns": ["name"], "row_action": "pick"},
  {"key": "odd", "label": "Odd", "type": "tag"}, {"key": "bar", "label": "Bar", "type": "progress", "value": "much"}]}}],
 "actions": [{"id": "pick", "label": "", "style": "primary", "handler_type": "template", "patches": {"state.runtime.message": "Picked ${state.runtime.row.name}", "state.runtime.navigate": "${state.runtime.row.page}"}}]}"#;

fn list_of(rows: usize) -> &'static str {
    let rows: Vec<String> = (0..rows).map(|n| format!(r#"{{"name": "Row {n}", "page": ""}}"#)).collect();
    Box::leak(LIST.replace(r#""rows": []"#, &format!(r#""rows": [{}]"#, rows.join(", "))).into_boxed_str())
}

fn app(permissions: &'static [&'static str]) -> AppDefinition {
    AppDefinition {
        package: "com.example.app",
        activity: ".Main",
        label: "Example",
        third_party: true,
        permissions,
        first_instance: "form",
        instances: vec![FORM, list_of(60)],
        live: &[],
        late: Some(r#"{"late": {"form": {"late_block": 500}}, "submit": {"form": "say"}}"#),
        backend: None,
    }
}

async fn phone_with(app: AppDefinition) -> (System, Clock) {
    let clock = Clock::hand(1_800_000_000_000);
    let options = Options { clock: clock.clone(), ..Options::default() };
    let mut phone = System::with_apps(options, &[app]).await.unwrap();
    phone.launch("com.example.app").await.unwrap();
    (phone, clock)
}

async fn phone() -> System {
    phone_with(app(&[])).await.0
}

/// Attributes of the first node with this text, description or short id.
fn node(phone: &System, what: &str) -> Option<Vec<(String, String)>> {
    let xml = phone.dump();
    let document = roxmltree::Document::parse(&xml).unwrap();
    let is_it = |node: &roxmltree::Node| {
        let id = node.attribute("resource-id").unwrap_or_default();
        node.attribute("text") == Some(what)
            || node.attribute("content-desc") == Some(what)
            || id.ends_with(&format!("/{what}"))
    };
    let node = document.descendants().find(is_it)?;
    Some(node.attributes().map(|attribute| (attribute.name().to_owned(), attribute.value().to_owned())).collect())
}

fn attribute(phone: &System, what: &str, name: &str) -> String {
    let attributes = node(phone, what).unwrap_or_else(|| panic!("no {what} in {}", phone.dump()));
    attributes.into_iter().find(|(key, _)| key == name).map(|(_, value)| value).unwrap_or_default()
}

fn bounds(phone: &System, what: &str) -> [f64; 4] {
    let text = attribute(phone, what, "bounds");
    let numbers: Vec<f64> = text.split(['[', ']', ',']).filter_map(|part| part.parse().ok()).collect();
    numbers.try_into().unwrap()
}

async fn tap(phone: &mut System, what: &str) {
    let [left, top, right, bottom] = bounds(phone, what);
    let at = (f64::midpoint(left, right), f64::midpoint(top, bottom));
    phone.touch(at, at, Duration::ZERO).await;
}

async fn swipe_up(phone: &mut System, by: f64) {
    phone.touch((500.0, 1500.0), (500.0, 1500.0 - by), Duration::from_millis(200)).await;
}

#[tokio::test]
async fn the_dump_has_androids_shape() {
    let phone = phone().await;
    let xml = phone.dump();
    assert!(xml.starts_with(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\"><node index=\"0\" text=\"\""
    ));
    let names: Vec<String> = node(&phone, "whole").unwrap().into_iter().map(|(name, _)| name).collect();
    let order = "index text resource-id class package content-desc checkable checked clickable enabled focusable focused scrollable long-clickable password selected bounds hint";
    assert_eq!(names.join(" "), order);
    assert_eq!(attribute(&phone, "whole", "class"), "android.widget.EditText");
    assert_eq!(attribute(&phone, "whole", "text"), "Name");
    assert_eq!(attribute(&phone, "toolbar", "class"), "android.widget.Toolbar");
    assert_eq!(phone.foreground(), ("com.example.app".to_owned(), "com.example.app.Main".to_owned()));
}

#[tokio::test]
async fn typing_goes_into_the_focused_field_and_enter_goes_on() {
    let mut phone = phone().await;
    phone.type_text("lost").await;
    assert_eq!(attribute(&phone, "whole", "text"), "Name");
    tap(&mut phone, "Name").await;
    assert!(phone.keyboard_shown());
    phone.type_text("小明").await;
    phone.key(66).await;
    phone.type_text("geheim").await;
    assert_eq!(attribute(&phone, "secret", "text"), "••••••");
    assert_eq!(attribute(&phone, "secret", "focused"), "true");
    phone.key(66).await;
    phone.key(67).await;
    phone.key(11).await;
    assert_eq!(attribute(&phone, "age", "text"), "4");
    phone.key(66).await;
    assert!(!phone.keyboard_shown());
    assert_eq!(attribute(&phone, "message", "text"), "Hello, 小明");
}

#[tokio::test]
async fn keys_of_the_drawn_keyboard_type() {
    let mut phone = phone().await;
    tap(&mut phone, "Name").await;
    // The first key of the first row, q, just below the content's end; then the key at the left of the third row: shift.
    let top = 2400.0 - 105.0 - 619.0;
    for (x, y) in [(54.0, top + 70.0), (60.0, top + 370.0), (54.0, top + 70.0)] {
        phone.touch((x, y), (x, y), Duration::ZERO).await;
    }
    assert_eq!(attribute(&phone, "whole", "text"), "qQ");
}

#[tokio::test]
async fn choices_are_made_in_dialogs() {
    let mut phone = phone().await;
    tap(&mut phone, "Remember").await;
    assert_eq!(attribute(&phone, "on", "checked"), "true");
    tap(&mut phone, "city").await;
    assert!(node(&phone, "Remember").is_none(), "a dialog's window is dumped alone");
    tap(&mut phone, "London").await;
    assert_eq!(attribute(&phone, "city", "text"), "London");
    tap(&mut phone, "langs").await;
    tap(&mut phone, "中文").await;
    tap(&mut phone, "English").await;
    tap(&mut phone, "OK").await;
    assert_eq!(attribute(&phone, "langs", "text"), "中文, English");
    tap(&mut phone, "langs").await;
    tap(&mut phone, "English").await;
    phone.key(61).await;
    assert!(!phone.keyboard_shown(), "no key reaches what lies under a dialog");
    phone.key(4).await;
    assert_eq!(attribute(&phone, "langs", "text"), "中文, English");
}

#[tokio::test]
async fn back_hides_the_keyboard_then_leaves_the_page_then_the_app() {
    let mut phone = phone().await;
    tap(&mut phone, "Next page").await;
    assert!(node(&phone, "List").is_some());
    phone.key(4).await;
    tap(&mut phone, "Name").await;
    phone.type_text("x").await;
    phone.key(4).await;
    assert!(!phone.keyboard_shown() && node(&phone, "Form").is_some());
    phone.key(4).await;
    assert_eq!(phone.foreground().0, "com.uixt.launcher");
    let pid = phone.pid("com.example.app");
    assert!(pid.is_some());
    tap(&mut phone, "Example").await;
    assert_eq!(attribute(&phone, "whole", "text"), "x");
    assert!(phone.force_stop("com.example.app") && !phone.force_stop("com.example.app"));
    phone.launch("com.example.app").await.unwrap();
    assert_ne!(phone.pid("com.example.app"), pid);
    assert_eq!(attribute(&phone, "whole", "text"), "Name");
}

#[tokio::test]
async fn a_tap_hits_what_was_scrolled_under_the_finger() {
    let mut phone = phone().await;
    tap(&mut phone, "Next page").await;
    assert!(node(&phone, "Row 40").is_none());
    let before = bounds(&phone, "Row 9");
    swipe_up(&mut phone, 300.0).await;
    assert!((before[1] - bounds(&phone, "Row 9")[1] - 300.0).abs() < 0.5);
    for _ in 0..6 {
        swipe_up(&mut phone, 1200.0).await;
    }
    assert!(node(&phone, "Row 59").is_some() && node(&phone, "Row 1").is_none());
    tap(&mut phone, "Row 57").await;
    assert_eq!(attribute(&phone, "message", "text"), "Picked Row 57");
    for _ in 0..8 {
        swipe_up(&mut phone, -1200.0).await;
    }
    assert!(node(&phone, "Row 0").is_some());
}

#[tokio::test]
async fn late_parts_appear_by_the_phones_clock() {
    let (phone, clock) = phone_with(app(&[])).await;
    assert!(node(&phone, "note").is_none());
    clock.advance(Duration::from_millis(499));
    assert!(node(&phone, "note").is_none());
    clock.advance(Duration::from_millis(1));
    assert!(node(&phone, "note").is_some());
}

#[tokio::test]
async fn permissions_are_asked_once() {
    let (mut phone, _) = phone_with(app(&["android.permission.CAMERA"])).await;
    assert_eq!(phone.foreground().0, "com.android.permissioncontroller");
    phone.key(4).await;
    tap(&mut phone, "permission_deny_button").await;
    assert_eq!(phone.foreground().0, "com.example.app");
    assert_eq!(phone.permission("com.example.app", "android.permission.CAMERA"), Some(false));
    phone.force_stop("com.example.app");
    phone.launch("com.example.app").await.unwrap();
    assert_eq!(phone.foreground().0, "com.example.app");
    phone.clear("com.example.app").unwrap();
    phone.launch("com.example.app").await.unwrap();
    assert!(node(&phone, "permission_allow_button").is_some());
}

async fn hash_of_a_visit() -> Vec<u8> {
    let (mut phone, clock) = phone_with(app(&[])).await;
    tap(&mut phone, "Name").await;
    phone.type_text("同 same").await;
    clock.advance(Duration::from_secs(61));
    phone.pixels().2
}

#[tokio::test]
async fn the_same_commands_at_the_same_times_give_the_same_pixels() {
    let (one, other) = (hash_of_a_visit().await, hash_of_a_visit().await);
    assert!(one == other);
    assert_eq!(one.len(), 1080 * 2400 * 4);
    assert!(one.chunks_exact(4).all(|pixel| pixel[3] == 255));
}

#[tokio::test]
async fn turning_and_resizing_lay_the_screen_out_anew() {
    let mut phone = phone().await;
    phone.set_rotation(1);
    assert_eq!(phone.size(), (2400, 1080));
    assert!(phone.dump().contains("rotation=\"1\"") && phone.dump().contains("[0,0][2400,1080]"));
    assert!(bounds(&phone, "Name")[2] > 2000.0);
    tap(&mut phone, "Name").await;
    assert!(node(&phone, "whole").is_some(), "the field in use stays in sight above the keyboard");
    phone.set_rotation(0);
    phone.set_size_override(Some((720, 1280)));
    phone.set_density_override(Some(320));
    assert_eq!(phone.pixels().2.len(), 720 * 1280 * 4);
    phone.set_size_override(Some((1, 1)));
    phone.set_density_override(Some(100_000));
    assert_eq!(phone.pixels().0, 200);
}

#[tokio::test]
async fn a_dark_screen_shows_nothing_and_takes_nothing() {
    let mut phone = phone().await;
    phone.key(26).await;
    phone.type_text("x").await;
    phone.key(3).await;
    assert!(phone.pixels().2.chunks_exact(4).all(|pixel| pixel == [0, 0, 0, 255]));
    assert!(phone.dump().ends_with("<hierarchy rotation=\"0\"></hierarchy>"));
    phone.key(26).await;
    assert!(node(&phone, "Form").is_none(), "the lock screen lies over it");
    phone.touch((540.0, 1800.0), (540.0, 1700.0), Duration::ZERO).await;
    phone.key(3).await;
    assert!(phone.is_locked() && attribute(&phone, "keyguard_indication_text", "text") == "Swipe up to unlock");
    phone.touch((540.0, 1800.0), (540.0, 600.0), Duration::ZERO).await;
    assert!(node(&phone, "Form").is_some());
    phone.key(223).await;
    phone.dismiss_lock();
    phone.key(224).await;
    assert!(phone.is_locked(), "a dark screen keeps its lock");
    phone.key(82).await;
    assert!(node(&phone, "Form").is_some());
}

#[tokio::test]
async fn odd_apps_are_refused_or_say_so() {
    let refused = |definition: AppDefinition| async move {
        System::with_apps(Options::default(), &[definition])
            .await
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    let message = refused(AppDefinition { first_instance: "nowhere", ..app(&[]) }).await;
    assert_eq!(message, "app com.example.app: no page `nowhere` to begin with");
    let message = refused(AppDefinition { late: Some("{\"lat\": 1}"), ..app(&[]) }).await;
    assert!(message.contains("sidecar") && message.contains("lat"), "{message}");
    let lost = FORM.replace("\"target_instance\": \"list\"", "\"target_instance\": \"lost\"");
    let instances = vec![&*Box::leak(lost.into_boxed_str())];
    let (mut phone, _) = phone_with(AppDefinition { instances, ..app(&[]) }).await;
    tap(&mut phone, "Next page").await;
    assert!(phone.dump().contains("No page “lost”"), "{}", phone.dump());
    assert!(phone.launch("com.nobody").await.is_err());
    phone.touch((f64::NAN, 1.0), (1.0, f64::INFINITY), Duration::ZERO).await;
    phone.touch((-5.0, 1e9), (1e12, -1e12), Duration::ZERO).await;
    phone.key(u32::MAX).await;
}

#[tokio::test]
async fn the_shop_lets_its_users_in() {
    let mut phone = System::start(Options { clock: Clock::hand(0), ..Options::default() }).await.unwrap();
    phone.launch("com.uixt.shop").await.unwrap();
    tap(&mut phone, "user").await;
    for line in ["alice\n", "wrong\n"] {
        phone.type_text(line).await;
    }
    assert_eq!(attribute(&phone, "message", "text"), "Wrong user name or password");
    tap(&mut phone, "password").await;
    for _ in 0..5 {
        phone.key(67).await;
    }
    phone.type_text("secret123\n").await;
    assert_eq!(attribute(&phone, "message", "text"), "Welcome, alice");
    tap(&mut phone, "Green tea").await;
    assert_eq!(attribute(&phone, "price", "text"), "¥12.50");
    phone.clear("com.uixt.shop").unwrap();
    assert_eq!(phone.foreground().0, "com.uixt.launcher");
}

async fn touch_lab(page: &str) -> (System, Clock) {
    let clock = Clock::hand(1_800_000_000_000);
    let mut phone = System::start(Options { clock: clock.clone(), ..Options::default() }).await.unwrap();
    phone.launch("com.uixt.touchlab").await.unwrap();
    tap(&mut phone, page).await;
    (phone, clock)
}

#[tokio::test]
async fn gestures_are_told_by_their_time_and_their_way() {
    let (mut phone, clock) = touch_lab("Gesture pad").await;
    let (at, to) = ((500.0, 600.0), (500.0, 900.0));
    phone.touch(at, at, Duration::ZERO).await;
    assert_eq!(attribute(&phone, "gesture", "text"), "Tap");
    clock.advance(Duration::from_millis(100));
    phone.touch(at, at, Duration::ZERO).await;
    assert_eq!(attribute(&phone, "gesture", "text"), "Double tap");
    clock.advance(Duration::from_millis(400));
    phone.touch(at, at, Duration::from_millis(450)).await;
    assert_eq!(attribute(&phone, "gesture", "text"), "Long press");
    phone.touch(at, to, Duration::from_millis(450)).await;
    assert_eq!(attribute(&phone, "gesture", "text"), "Swipe down");
    assert_eq!(attribute(&phone, "way", "text"), "300 px, straight");
    assert_eq!(attribute(&phone, "time", "text"), "450 ms");
    phone.draw(to, at, (Duration::from_millis(400), Duration::ZERO), phone.now_ms()).await;
    assert_eq!(attribute(&phone, "gesture", "text"), "Drag");
}

#[tokio::test]
async fn a_finger_may_come_in_single_events() {
    let (mut phone, clock) = touch_lab("Gesture pad").await;
    let start = clock.now_ms();
    for (motion, at, later) in [
        (Motion::Move, (1.0, 1.0), 0),
        (Motion::Down, (300.0, 600.0), 0),
        (Motion::Move, (400.0, 500.0), 50),
        (Motion::Move, (500.0, 600.0), 100),
        (Motion::Up, (500.0, 600.0), 150),
        (Motion::Up, (1.0, 1.0), 200),
        (Motion::Down, (500.0, 600.0), 300),
        (Motion::Cancel, (500.0, 600.0), 400),
        (Motion::Up, (500.0, 600.0), 500),
    ] {
        phone.motion(motion, at, start + later).await;
    }
    assert_eq!(attribute(&phone, "gesture", "text"), "Swipe right");
    assert_eq!(attribute(&phone, "way", "text"), "283 px, curved");
    assert_eq!(attribute(&phone, "time", "text"), "150 ms");
}

#[tokio::test]
async fn a_ball_is_carried_only_after_a_long_press() {
    let (mut phone, clock) = touch_lab("Drag and drop").await;
    let middle = |[left, top, right, bottom]: [f64; 4]| (f64::midpoint(left, right), f64::midpoint(top, bottom));
    let (ball, goal) = (middle(bounds(&phone, "ball")), middle(bounds(&phone, "box")));
    phone.touch(ball, goal, Duration::from_millis(300)).await;
    assert_eq!(attribute(&phone, "status", "text"), "The ball is outside of the box");
    phone.draw(ball, goal, (Duration::from_millis(400), Duration::from_millis(300)), clock.now_ms()).await;
    assert_eq!(attribute(&phone, "status", "text"), "The ball is in the box");
    assert!((middle(bounds(&phone, "ball")).1 - goal.1).abs() < 2.0);
}

#[tokio::test]
async fn a_list_in_a_page_goes_first_and_the_page_after_its_end() {
    let (mut phone, _) = touch_lab("List in a list").await;
    let up = |by: f64| ((500.0, 700.0), (500.0, 700.0 - by));
    let place = attribute(&phone, "Outer row 1", "bounds");
    let page = bounds(&phone, "Outer row 1");
    let (from, to) = up(300.0);
    phone.touch(from, to, Duration::from_millis(300)).await;
    assert_eq!(attribute(&phone, "Outer row 1", "bounds"), place, "only the list in the page has moved");
    assert!(node(&phone, "Inner row 1").is_none());
    for _ in 0..14 {
        phone.touch(from, to, Duration::from_millis(300)).await;
    }
    assert!(bounds(&phone, "Outer row 1")[1] < page[1], "{page:?}");
    tap(&mut phone, "Outer row 2").await;
    assert_eq!(attribute(&phone, "message", "text"), "Picked Outer row 2");
}

#[tokio::test]
async fn the_home_screen_has_pages() {
    let mut phone = System::start(Options { clock: Clock::hand(0), ..Options::default() }).await.unwrap();
    assert!(node(&phone, "Settings").is_some() && node(&phone, "Touch Lab").is_none());
    let swipe = |way: f64| ((540.0, 1200.0), (540.0 + way, 1200.0), Duration::from_millis(300));
    let (from, to, time) = swipe(-400.0);
    for _ in 0..2 {
        phone.touch(from, to, time).await;
    }
    assert_eq!(attribute(&phone, "page_indicator", "content-desc"), "Page 2 of 2");
    tap(&mut phone, "Touch Lab").await;
    phone.key(3).await;
    assert!(node(&phone, "Touch Lab").is_some(), "Home leads to the page that was seen last");
    phone.key(3).await;
    assert!(node(&phone, "Settings").is_some(), "and again to the first");
}

#[test]
fn every_character_of_the_apps_has_a_glyph() {
    let pages: String = super::apps::all().iter().flat_map(|app| app.instances.clone()).collect();
    // What the shop says by itself stands in no page.
    let words = include_str!("apps/shop/words.rs");
    for sign in pages.chars().chain(words.chars()).chain("设置商店←→✓￥×•⇧".chars()).filter(|sign| !sign.is_control())
    {
        assert!(uixt_canvas::glyphs::has(sign), "{sign}");
    }
}
