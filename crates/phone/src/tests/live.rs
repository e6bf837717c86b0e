//! Pages that live: what comes by itself comes when the clock says so, and what hangs or crashes is the system's business.

use super::*;
use crate::apps;

async fn trouble(page: &str) -> (System, Clock) {
    let clock = Clock::hand(1_800_000_000_000);
    let options = Options { clock: clock.clone(), ..Options::default() };
    let app = apps::all().into_iter().find(|app| app.package == apps::trouble::PACKAGE).unwrap();
    let mut phone = System::with_apps(options, &[app]).await.unwrap();
    phone.open_link(&format!("uixt-trouble://{page}")).await.unwrap();
    (phone, clock)
}

fn pass(phone: &mut System, clock: &Clock, milliseconds: u64) {
    clock.advance(Duration::from_millis(milliseconds));
    phone.catch_up();
}

fn status(phone: &System) -> String {
    attribute(phone, "status", "text")
}

#[tokio::test]
async fn links_lead_to_pages_and_to_nothing_else() {
    let (mut phone, _) = trouble("tiny").await;
    assert!(node(&phone, "cell_a").is_some());
    phone.back();
    assert!(node(&phone, "Late elements").is_some(), "the first page lies below");
    assert!(phone.open_link("uixt-trouble://nowhere").await.is_err());
    assert!(node(&phone, "Late elements").is_some());
}

#[tokio::test]
async fn a_button_moves_with_the_clock_and_is_hit_where_it_is() {
    let (mut phone, clock) = trouble("moving").await;
    let before = attribute(&phone, "catch", "bounds");
    pass(&mut phone, &clock, 500);
    assert_ne!(attribute(&phone, "catch", "bounds"), before);
    for _ in 0..50 {
        pass(&mut phone, &clock, 777);
        tap(&mut phone, "catch").await;
    }
    assert_eq!(status(&phone), "Caught 50, missed 0");
    let at = (20.0 * 2.625, bounds(&phone, "ground")[3] - 20.0);
    phone.touch(at, at, Duration::ZERO).await;
    let [left, _, right, bottom] = bounds(&phone, "catch");
    let is_hit = (left..right).contains(&at.0) && at.1 < bottom;
    assert_eq!(status(&phone), if is_hit { "Caught 51, missed 0" } else { "Caught 50, missed 1" });
}

#[tokio::test]
async fn of_a_long_list_only_rows_in_sight_are_told() {
    let (mut phone, _) = trouble("huge").await;
    let rows = |phone: &System| phone.dump().matches("com.uixt.trouble:id/row\"").count();
    assert!((8..30).contains(&rows(&phone)), "{}", rows(&phone));
    swipe_up(&mut phone, 700.0).await;
    assert!(node(&phone, "Row 1").is_none() && node(&phone, "Row 15").is_some());
    swipe_up(&mut phone, -700.0).await;
    tap(&mut phone, "To the end").await;
    assert!(node(&phone, "Row 10000").is_some() && rows(&phone) < 30);
    tap(&mut phone, "Row 9999").await;
    assert_eq!(status(&phone), "Picked Row 9999");
    phone.pixels();
}

#[tokio::test]
async fn pop_ups_come_by_themselves_and_once() {
    let (mut phone, clock) = trouble("popups").await;
    assert!(node(&phone, "Not now").is_none());
    pass(&mut phone, &clock, 1000);
    tap(&mut phone, "Not now").await;
    assert_eq!(status(&phone), "Bought 0 times, agreed to 0, closed 1");
    pass(&mut phone, &clock, 150);
    // A touch beside it closes it, too.
    phone.touch((10.0, 300.0), (10.0, 300.0), Duration::ZERO).await;
    pass(&mut phone, &clock, 60_000);
    assert_eq!(status(&phone), "Bought 0 times, agreed to 0, closed 2");
}

#[tokio::test]
async fn an_app_that_hangs_stands_still_until_it_goes_on() {
    let (mut phone, clock) = trouble("hang").await;
    tap(&mut phone, "short").await;
    assert!(phone.is_hung());
    tap(&mut phone, "count").await;
    pass(&mut phone, &clock, 500);
    assert!(!phone.is_hung());
    tap(&mut phone, "count").await;
    assert_eq!(status(&phone), "Hung 1 time, 1 tap");
}

#[tokio::test]
async fn the_system_asks_about_an_app_that_hangs_too_long() {
    let (mut phone, clock) = trouble("hang").await;
    tap(&mut phone, "for_ever").await;
    pass(&mut phone, &clock, 800);
    assert_eq!(attribute(&phone, "aerr_wait", "package"), "android");
    assert_eq!(phone.alert_window().as_deref(), Some("Application Not Responding: com.uixt.trouble"));
    phone.back();
    tap(&mut phone, "Wait").await;
    assert!(phone.is_hung() && !phone.has_alert());
    pass(&mut phone, &clock, 800);
    tap(&mut phone, "Close app").await;
    assert_eq!((phone.foreground().0.as_str(), phone.pid("com.uixt.trouble")), ("com.uixt.launcher", None));
    // It is asked about, even if nobody looked while it hung.
    phone.open_link("uixt-trouble://hang").await.unwrap();
    tap(&mut phone, "long").await;
    pass(&mut phone, &clock, 60_000);
    assert!(phone.has_alert());
    tap(&mut phone, "Wait").await;
    assert_eq!(status(&phone), "Hung 1 time, 0 taps");
}

#[tokio::test]
async fn a_crash_ends_the_app_and_is_told() {
    let (mut phone, _) = trouble("crash").await;
    tap(&mut phone, "count").await;
    tap(&mut phone, "crash").await;
    assert_eq!(phone.pid("com.uixt.trouble"), None);
    assert_eq!(attribute(&phone, "alertTitle", "text"), "Trouble has stopped");
    assert_eq!(phone.alert_window().as_deref(), Some("Application Error: com.uixt.trouble"));
    tap(&mut phone, "Open app again").await;
    assert!(node(&phone, "A crash").is_some() && !phone.has_alert());
    tap(&mut phone, "crash").await;
    tap(&mut phone, "crash").await;
    phone.force_stop("com.uixt.trouble");
    assert!(!phone.has_alert(), "its alert goes with it");
}

#[tokio::test]
async fn pages_fit_any_screen() {
    let (mut phone, _) = trouble("split").await;
    assert_eq!(attribute(&phone, "size", "text"), "Roomy");
    phone.set_size_override(Some((1080, 1100)));
    assert_eq!(attribute(&phone, "size", "text"), "Compact");
    for page in ["moving", "carousel", "overlapping", "tiny", "huge", "turning", "letters"] {
        phone.open_link(&format!("uixt-trouble://{page}")).await.unwrap();
        for size in [(200, 200), (200, 4000), (4000, 300)] {
            phone.set_size_override(Some(size));
            assert!(phone.dump().contains("<node"), "{page} {size:?}");
            phone.pixels();
        }
    }
}
