//! The driver's keys, clipboard, links, lock and orientation against devices that a test makes up.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::tests::phone;
use crate::adb::fake::Reply;
use crate::driver::{Driver as _, Error, Key, KeyPress, Lock, Orientation};

const LATIN: &str = "com.g/.Latin";
const APPIUM: &str = "io.appium.settings/.AppiumIME";

fn lines(text: &str) -> Reply {
    Reply::stdout(text)
}

fn is_unsupported<T: std::fmt::Debug>(result: Result<T, Error>, hint: &str) {
    let error = result.unwrap_err();
    assert!(matches!(&error, Error::Unsupported { .. }) && error.to_string().contains(hint), "{error}");
}

#[tokio::test]
async fn many_keys_go_in_one_command() {
    let (android, fake) = phone(|_| lines("")).await;
    android.press_all(&[Key::Delete; 3]).await.unwrap();
    android.press_code(&KeyPress { code: 26, long: true, ..KeyPress::default() }).await.unwrap();
    assert_eq!(fake.commands(), ["input keyevent 67 67 67", "input keyevent --longpress 26"]);
}

#[tokio::test]
async fn a_clipboard_that_no_app_gives_says_what_to_install() {
    let (android, _fake) = phone(|_| lines("")).await;
    is_unsupported(android.clipboard().await, "install the app io.appium.settings");
    is_unsupported(android.set_clipboard("x").await, "install the app Clipper");
}

#[tokio::test]
async fn the_clipboard_is_read_with_appiums_keyboard_and_the_users_own_comes_back() {
    let (android, fake) = phone(|command| match command {
        "pm path io.appium.settings" => lines("package:/data/app/base.apk\n"),
        _ if command.contains("ime list") => lines(&format!("{LATIN}\n{LATIN}\n{APPIUM}\n")),
        _ if command.contains("clipboard.get") => lines("Broadcast completed: result=-1, data=\"5bCP5piO\"\n"),
        _ => lines("Input method selected\n"),
    })
    .await;
    assert_eq!(android.clipboard().await.as_deref(), Ok("小明"));
    let commands = fake.commands();
    assert!(commands.iter().any(|command| *command == format!("ime enable {APPIUM} && ime set {APPIUM}")));
    assert_eq!(commands.last(), Some(&format!("ime set {LATIN}")));
}

#[tokio::test]
async fn a_clipboard_app_that_does_not_answer_is_an_error() {
    let (android, fake) = phone(|command| match command {
        "pm path ca.zgrs.clipper" => lines("package:/data/app/base.apk\n"),
        _ => lines("Broadcast completed: result=0\n"),
    })
    .await;
    let error = android.set_clipboard("$(reboot)'").await.unwrap_err();
    assert!(error.to_string().contains("open that app once"), "{error}");
    assert!(fake.commands()[1].ends_with(r"-e text '$(reboot)'\'''"), "{:?}", fake.commands());
    assert!(android.clipboard().await.is_err());
    assert!(android.set_clipboard(&"x".repeat(20_000)).await.is_err());
}

#[tokio::test]
async fn an_input_method_that_does_not_come_up_is_an_error() {
    let (android, _fake) = phone(|command| match command.contains("ime set") {
        true => lines("Unknown input method com.x/.Y cannot be selected for user #0\n"),
        false => lines(&format!("{LATIN}\n{LATIN}\n")),
    })
    .await;
    let error = android.set_input_method("com.x/.Y").await.unwrap_err();
    assert!(error.to_string().contains("Unknown input method"), "{error}");
}

fn policy(awake: bool, locked: bool) -> Reply {
    let state = if awake { "Awake" } else { "Asleep" };
    lines(&format!("  mWakefulness={state}\n  showing={locked}\n  secure=true\n  mIsShowing={locked}\n"))
}

#[tokio::test]
async fn a_lock_that_asks_for_a_pin_is_an_error_that_says_so() {
    let (mut android, fake) = phone(|command| match command {
        _ if command.starts_with("dumpsys power") => policy(true, true),
        _ if command.contains("dumpsys window displays") => {
            lines("Physical size: 1080x2400\n mDisplayId=0\n cur=1080x2400\n")
        }
        _ => lines(""),
    })
    .await;
    android.timeout = Duration::from_millis(300);
    let error = android.unlock().await.unwrap_err();
    assert!(error.to_string().contains("asks for a PIN"), "{error}");
    for way in ["wm dismiss-keyguard", "input keyevent 82", "input swipe 540 2040 540 480 250"] {
        assert!(fake.commands().iter().any(|command| command == way), "{way}: {:?}", fake.commands());
    }
}

#[tokio::test]
async fn unlocking_wakes_first_and_an_unlocked_device_is_left_alone() {
    let (awake, locked) = (AtomicBool::new(false), AtomicBool::new(true));
    let (android, fake) = phone(move |command| match command {
        _ if command.starts_with("dumpsys power") => {
            policy(awake.load(Ordering::Relaxed), locked.load(Ordering::Relaxed))
        }
        "input keyevent 224" => {
            awake.store(true, Ordering::Relaxed);
            lines("")
        }
        "wm dismiss-keyguard" => {
            locked.store(!awake.load(Ordering::Relaxed), Ordering::Relaxed);
            lines("")
        }
        _ => lines(""),
    })
    .await;
    let unlocked = Ok(Lock { awake: true, locked: false, secure: true });
    assert_eq!(android.unlock().await, unlocked);
    let before = fake.commands().len();
    assert_eq!(android.unlock().await, unlocked);
    assert_eq!(fake.commands().len(), before + 1);
}

#[tokio::test]
async fn a_screen_that_does_not_turn_is_an_error() {
    let (mut android, fake) = phone(|command| match command {
        _ if command.contains("dumpsys window displays") => {
            lines("Physical size: 1080x2400\n mDisplayId=0\n cur=1080x2400\n mCurrentRotation=ROTATION_0\n")
        }
        _ => lines(""),
    })
    .await;
    android.set_orientation(Some(Orientation::Portrait)).await.unwrap();
    android.timeout = Duration::from_millis(300);
    let turned = android.set_orientation(Some(Orientation::Landscape));
    let error = turned.await.unwrap_err();
    assert!(error.to_string().contains("stays portrait"), "{error}");
    let put = "settings put system accelerometer_rotation 0 && settings put system user_rotation 1";
    assert!(fake.commands().iter().any(|command| command == put), "{:?}", fake.commands());
}

#[tokio::test]
async fn a_link_goes_out_quoted_and_comes_back_as_its_app() {
    let (android, fake) = phone(|_| lines("Starting: Intent { }\nStatus: ok\nActivity: com.b/.Main\n")).await;
    assert_eq!(android.open_url("https://a.b/?x='1'", None).await, Ok(Some("com.b".to_owned())));
    assert_eq!(fake.commands(), [r"am start -W -a android.intent.action.VIEW -d 'https://a.b/?x='\''1'\'''"]);
}
