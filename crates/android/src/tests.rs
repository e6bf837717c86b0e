//! The driver against devices that a test makes up.

use std::time::{Duration, Instant};

use super::{Android, list};
use crate::adb::fake::{Fake, Reply};
use crate::driver::{Driver as _, Error, Foreground, Gesture, Install, Key, Keystrokes, LogQuery, Point, Size, Stop};

const XML: &str = r#"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0"><node class="android.widget.Button" text="登录" package="com.uixt.shop" bounds="[0,0][10,10]"/></hierarchy>"#;
const SIZE: &str = "Physical size: 1080x2400\n  Display: mDisplayId=0\n  init=1080x2400 420dpi cur=2400x1080 app=1x1\n    mAwake=true mScreenOnEarly=true\n";

pub(super) async fn phone(run: impl Fn(&str) -> Reply + Send + Sync + 'static) -> (Android, Fake) {
    let fake = Fake::shell(run).await;
    (Android::open(fake.server.clone(), "X", None).await.unwrap(), fake)
}

fn with_stderr(stderr: &str, exit: u8) -> Reply {
    Reply::Shell { stdout: Vec::new(), stderr: stderr.into(), exit }
}

#[tokio::test]
async fn devices_are_opened_by_serial_and_named_by_model() {
    let (android, fake) = phone(|_| Reply::stdout("")).await;
    assert_eq!((android.info().name.as_str(), android.info().status.as_str()), ("Pixel 9", "online"));
    assert_eq!(list(&fake.server).await.unwrap(), [android.info().clone()]);
    let error = Android::open(fake.server.clone(), "Z", None).await.unwrap_err();
    assert_eq!(error, Error::Disconnected { message: "no device `Z` is connected; connected: X".to_owned() });
    let locked = Fake::start(|r| (r == "host:devices-l").then(|| Reply::message("X unauthorized usb:1\n"))).await;
    let error = Android::open(locked.server.clone(), "X", None).await.unwrap_err();
    assert!(error.to_string().contains("accept the dialog"), "{error}");
}

#[tokio::test]
async fn gestures_and_keys_are_one_command_each() {
    let (android, fake) = phone(|_| Reply::stdout("")).await;
    let at = Point { x: 5.0, y: 6.0 };
    android.perform(Gesture::Tap { at, hold: Duration::ZERO }).await.unwrap();
    android.press(Key::Back).await.unwrap();
    android.type_text("a b").await.unwrap();
    assert_eq!(fake.commands(), ["input tap 5 6", "input keyevent 4", "input text 'a%sb'"]);
}

#[tokio::test]
async fn a_phone_that_knows_no_paths_says_so() {
    let (android, _fake) =
        phone(|_| with_stderr("Error: Unknown command: motionevent\nUsage: input [<source>]\n", 1)).await;
    let stop = Stop { at: Point { x: 5.0, y: 6.0 }, rest: Duration::ZERO };
    let error = android.perform(Gesture::Path(vec![stop, stop])).await.unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
    assert!(error.to_string().starts_with("android cannot move a finger along a path"), "{error}");
}

#[tokio::test]
async fn pieces_are_typed_in_one_go_with_their_pauses() {
    let (android, fake) = phone(|_| Reply::stdout("")).await;
    let piece = |text: &str| Keystrokes { text: text.to_owned(), pause: Duration::from_millis(20) };
    android.type_in_turn(&[piece("a"), piece("b")]).await.unwrap();
    assert_eq!(fake.commands(), ["input text a && sleep 0.020 && input text b && sleep 0.020"]);
}

#[tokio::test]
async fn what_a_tool_complains_about_is_an_error() {
    let (android, _fake) =
        phone(|_| with_stderr("java.lang.SecurityException: Injecting input events requires…", 0)).await;
    let error = android.press(Key::Back).await.unwrap_err();
    assert!(matches!(&error, Error::Device { message } if message.contains("SecurityException")), "{error}");
}

#[tokio::test]
async fn a_key_is_pressed_by_the_call_that_looks() {
    for (told, lit, calls) in [("mAwake=true\n", true, 1), ("mAwake=false\n", false, 3), ("\n", true, 4)] {
        let (android, fake) = phone(move |command| match command {
            _ if command.contains("grep -o") => Reply::stdout(told),
            _ if command.contains("dumpsys power") => Reply::stdout(match lit {
                true => "  mWakefulness=Awake\n      mIsShowing=false\n",
                false => "  mWakefulness=Asleep\n      mIsShowing=false\n",
            }),
            _ if command.starts_with("dumpsys window displays | grep -E") => {
                Reply::stdout(SIZE.replace("mAwake=true", told.trim()))
            }
            _ => Reply::stdout(""),
        })
        .await;
        assert_eq!(android.press_where_lit(Key::Back).await.unwrap(), lit, "{told}");
        let commands = fake.commands();
        let alone = commands.iter().filter(|command| *command == "input keyevent 4").count();
        assert_eq!((commands.len(), alone), (calls, usize::from(lit && calls > 1)), "{commands:?}");
    }
}

#[tokio::test]
async fn screens_come_with_the_size_as_turned() {
    let (android, fake) = phone(|_| Reply::stdout(format!("UI hierchary dumped to: x\n{XML}{SIZE}"))).await;
    let screen = android.screen().await.unwrap();
    assert_eq!((screen.package.as_str(), screen.size), ("com.uixt.shop", Size { width: 2400, height: 1080 }));
    assert_eq!((screen.roots[0].role, screen.roots[0].text.as_str()), ("button", "登录"));
    assert_eq!(android.source().await.unwrap().0, XML);
    assert_eq!(fake.commands().len(), 2);
}

#[tokio::test]
async fn nothing_stands_on_a_screen_that_is_off() {
    let (android, fake) = phone(|command| match command {
        _ if command.contains("dumpsys power") => Reply::stdout("  mWakefulness=Asleep\n      mIsShowing=false\n"),
        _ => Reply::stdout(format!("{XML}{}", SIZE.replace("mAwake=true", "mAwake=false"))),
    })
    .await;
    let screen = android.screen().await.unwrap();
    assert!(!screen.lit && screen.roots.is_empty(), "{screen:?}");
    assert!(!android.display().await.unwrap().lit);
    assert_eq!(fake.commands().len(), 4);
}

#[tokio::test]
async fn the_light_is_asked_for_only_where_the_size_does_not_tell_it() {
    let (android, fake) = phone(|_| Reply::stdout(SIZE)).await;
    assert!(android.display().await.unwrap().lit);
    assert_eq!(fake.commands().len(), 1);
    let old = SIZE.lines().take(3).collect::<Vec<_>>().join("\n");
    for (wakefulness, lit) in
        [("mWakefulness=Awake showing=false", true), ("mWakefulness=Asleep showing=true", false), ("?", true)]
    {
        let old = old.clone();
        let asleep = move |command: &str| {
            Reply::stdout(if command.contains("dumpsys power") { wakefulness.to_owned() } else { old.clone() })
        };
        let (android, _fake) = phone(asleep).await;
        assert_eq!(android.display().await.unwrap().lit, lit, "{wakefulness}");
    }
}

#[tokio::test]
async fn a_screen_that_never_settles_is_an_error_in_time() {
    let (mut android, fake) = phone(|_| with_stderr("ERROR: could not get idle state.", 0)).await;
    android.timeout = Duration::from_millis(300);
    let before = Instant::now();
    let error = android.screen().await.unwrap_err();
    assert!(error.to_string().contains("could not get idle state"), "{error}");
    assert!(before.elapsed() < Duration::from_secs(8) && fake.commands().len() > 1);
    // Who waits no longer does not wait for the screen either, but for the moment between two pages.
    android.timeout = Duration::from_secs(20);
    let before = Instant::now();
    let error = android.screen_within(Duration::ZERO).await.unwrap_err();
    assert!(error.to_string().contains("it never came to rest"), "{error}");
    assert!(before.elapsed() < Duration::from_secs(15), "{:?}", before.elapsed());
}

#[tokio::test]
async fn a_tap_without_an_answer_is_sent_once_and_may_have_been_done() {
    for reply in [Reply::Silence, Reply::Close] {
        let answer = reply.clone();
        let (android, fake) = phone(move |_| answer.clone()).await;
        let tap = Gesture::Tap { at: Point { x: 1.0, y: 2.0 }, hold: Duration::ZERO };
        let error = android.perform(tap).await.unwrap_err().to_string();
        assert!(error.ends_with("(whether it was done is not known: it is not sent again)"), "{error}");
        assert_eq!(fake.commands().len(), 1, "{reply:?}");
    }
}

#[tokio::test]
async fn apps_are_started_by_their_launcher_activity() {
    let (android, fake) = phone(|command| {
        let resolved = "package:/data/app/base.apk\npriority=0\ncom.uixt.shop/.Main\n";
        let started = "Starting: Intent { cmp=com.uixt.shop/.Main }\nStatus: ok\nComplete\n";
        Reply::stdout(if command.starts_with("pm") { resolved } else { started })
    })
    .await;
    android.launch("com.uixt.shop").await.unwrap();
    assert!(fake.commands()[1].ends_with("-n com.uixt.shop/.Main"));
    let (android, _fake) = phone(|_| with_stderr("", 1)).await;
    assert_eq!(android.launch("com.x").await, Err(Error::NotFound { what: "app `com.x`".to_owned() }));
    assert_eq!(android.terminate("com.x").await, Err(Error::NotFound { what: "app `com.x`".to_owned() }));
}

#[tokio::test]
async fn the_front_is_asked_twice_at_most() {
    let (android, fake) = phone(|command| match command {
        _ if command.starts_with("dumpsys activity") => {
            Reply::stdout("    mResumedActivity: ActivityRecord{1 u0 com.uixt.shop/.Main t7}\n")
        }
        _ => with_stderr("", 1),
    })
    .await;
    let (package, activity) = ("com.uixt.shop".to_owned(), "com.uixt.shop.Main".to_owned());
    assert_eq!(android.foreground().await, Ok(Foreground { package, activity, name: String::new() }));
    assert_eq!(fake.commands().len(), 2);
}

/// A phone with the broadcast keyboard, which is up at the third look.
async fn with_keyboard() -> (Android, Fake) {
    let looks = std::sync::atomic::AtomicU32::new(0);
    phone(move |command| {
        let keyboard = "com.android.adbkeyboard/.AdbIME";
        if command.contains("ime list") {
            return Reply::stdout(format!("com.g/.Latin\ncom.g/.Latin\n{keyboard}\n"));
        }
        if command.contains("dumpsys input_method") {
            let up = looks.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= 2;
            let bound = if up { keyboard } else { "null" };
            return Reply::stdout(format!("{keyboard}\n  mCurId={bound} mHaveConnection={up} mBoundToMethod={up}\n"));
        }
        if command.starts_with("am broadcast") && command.contains("5Z2P") {
            return Reply::stdout("Error: bad\n");
        }
        Reply::stdout("Broadcast completed: result=0\n")
    })
    .await
}

#[tokio::test]
async fn other_characters_go_through_the_keyboard_and_the_users_own_comes_back() {
    let (android, fake) = with_keyboard().await;
    android.type_text("登录").await.unwrap();
    let commands = fake.commands();
    let from = commands.len() - 2;
    assert_eq!(commands[from..], ["am broadcast -a ADB_INPUT_B64 --es msg 55m75b2V", "ime set com.g/.Latin"]);
    assert_eq!(commands[1], "ime enable com.android.adbkeyboard/.AdbIME && ime set com.android.adbkeyboard/.AdbIME");
}

#[tokio::test]
async fn the_users_keyboard_comes_back_after_a_failure_too() {
    let (android, fake) = with_keyboard().await;
    assert!(android.type_text("坏").await.is_err());
    let before = Instant::now();
    while fake.commands().last().map(String::as_str) != Some("ime set com.g/.Latin") {
        assert!(before.elapsed() < Duration::from_secs(20), "{:?}", fake.commands());
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn without_the_keyboard_the_error_names_the_apk() {
    let (android, _fake) = phone(|_| Reply::stdout("com.g/.Latin\ncom.g/.Latin\n")).await;
    let error = android.type_text("登录").await.unwrap_err();
    assert!(error.to_string().contains("install the APK of ADBKeyboard"), "{error}");
}

#[tokio::test]
async fn commands_about_packages_say_what_became_of_them() {
    let (android, fake) = phone(|command| match command {
        "pm path com.gone" => with_stderr("", 1),
        "pm uninstall com.kept" => with_stderr("Failure [DELETE_FAILED_INTERNAL_ERROR]\n", 1),
        _ if command.starts_with("pm path") => Reply::stdout("package:/data/app/base.apk\n"),
        _ if command.starts_with("pm grant") => with_stderr("java.lang.SecurityException: not requested\n", 255),
        _ => Reply::stdout("Success\n"),
    })
    .await;
    assert_eq!(android.uninstall("com.gone").await, Err(Error::NotFound { what: "app `com.gone`".to_owned() }));
    assert_eq!(android.clear_app("com.gone").await, Err(Error::NotFound { what: "app `com.gone`".to_owned() }));
    assert_eq!(android.clear_app("com.x; reboot").await, Ok(()));
    assert_eq!(fake.commands().last().map(String::as_str), Some("pm clear 'com.x; reboot'"));
    let refused = android.uninstall("com.kept").await.unwrap_err();
    assert!(matches!(&refused, Error::Rejected { code, .. } if code == "DELETE_FAILED_INTERNAL_ERROR"), "{refused}");
    assert!(android.set_permission("com.x", "a.CAMERA", true).await.is_err());
    let missing =
        android.install(std::path::Path::new("no/such.apk"), Install { replace: true, downgrade: false, grant: false });
    assert!(matches!(missing.await, Err(Error::NotFound { .. })));
}

#[tokio::test]
async fn a_log_that_cannot_be_read_is_an_error() {
    let (android, _fake) = phone(|_| Reply::stdout("--------- beginning of main\n01-01 I a: b\n\n")).await;
    assert_eq!(android.log(&LogQuery::default()).await.unwrap(), ["01-01 I a: b"]);
    let (android, _fake) = phone(|_| with_stderr("logcat: Unable to open log device\n", 1)).await;
    assert!(android.log(&LogQuery::default()).await.unwrap_err().to_string().contains("Unable to open"));
}
