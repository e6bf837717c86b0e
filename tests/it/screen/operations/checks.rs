//! Operations of every driver, each with what proves its effect otherwise.

use std::time::Duration;

use serde_json::{Value, json};
use uixt::driver::{
    AppStart, Appearance, Emptied, Error, FieldSet, Gesture, Install, Key, KeyPress, Keystrokes, Location, LogLevel,
    LogQuery, Look, Orientation, Screen, Stop, Typed, Typing,
};

use super::ground::Ground;
use super::{Operation, operation};

type Done = Result<(), Error>;

pub(super) const BEGIN: &[Operation] = &[
    operation!("start an app or the browser", "启动应用或浏览器", "launch", "launch apps", launch),
    operation!("open an address", "打开地址", "open_url", "open links", open_url),
    operation!("start with arguments", "带参数启动", "launch_with", "arguments", launch_with),
];

pub(super) const LOOK: &[Operation] = &[
    operation!("size", "尺寸", "screen_size", "size", size),
    operation!("display", "显示状态", "display", "size", display),
    operation!("picture", "截图", "screenshot", "screenshots", picture),
    operation!("elements", "元素", "screen", "elements", screen),
    operation!("elements in time", "限时读取元素", "screen_within", "elements", screen_within),
    operation!("closer look", "细看", "look", "elements", look),
    operation!("source", "源码", "source", "source", source),
    operation!("what is in front", "前台", "foreground", "in front", foreground),
    operation!("scroll into view", "滚动到可见", "reveal", "into view", reveal),
    operation!("focus without a touch", "不触摸而聚焦", "focus", "focus", focus),
    operation!("set a date's field", "设置日期字段", "set_field", "set", set_field),
    operation!("what came of typing", "输入的结果", "typed", "what came", typed),
    operation!("empty a field at once", "一次清空字段", "empty_field", "empty", empty_field),
];

pub(super) const FINGERS: &[Operation] = &[
    operation!("tap", "点击", "perform", "gestures", tap),
    operation!("tap an element alone", "只点击该元素", "perform_on", "in its place", tap_alone),
    operation!("long press", "长按", "perform", "gestures", hold),
    operation!("double tap", "双击", "perform", "gestures", double_tap),
    operation!("pinch", "双指缩放", "perform", "two fingers", pinch),
    operation!("swipe", "滑动", "perform", "gestures", swipe),
    operation!("drag", "拖动", "perform", "gestures", drag),
    operation!("path", "路径", "perform", "gestures", path),
];

pub(super) const KEYS: &[Operation] = &[
    operation!("type", "输入", "type_text", "type", type_text),
    operation!("type with pauses", "带停顿输入", "type_in_turn", "type", type_in_turn),
    operation!("key", "按键", "press", "press", press),
    operation!("key where lit", "亮屏时按键", "press_where_lit", "press", press_where_lit),
    operation!("several keys", "连续按键", "press_all", "press", press_all),
    operation!("key by number", "按编号按键", "press_code", "press", press_code),
    operation!("key by number where lit", "亮屏时按编号按键", "press_code_where_lit", "press", press_code_where_lit),
    operation!("keys of the device (home, power)", "设备键（主页、电源）", "press", "press Home", press_home),
    operation!("input methods", "输入法", "input_methods", "input methods", input_methods),
    operation!("other input method", "切换输入法", "set_input_method", "input methods", set_input_method),
    operation!("clipboard", "剪贴板", "clipboard", "clipboard", clipboard),
    operation!("set the clipboard", "设置剪贴板", "set_clipboard", "clipboard", set_clipboard),
];

pub(super) const DEVICE: &[Operation] = &[
    operation!("details", "详情", "details", "describe", details),
    operation!("orientation", "方向", "orientation", "turned", orientation),
    operation!("turn it", "旋转", "set_orientation", "turn", set_orientation),
    operation!("lock state", "锁定状态", "lock_state", "locked", lock_state),
    operation!("lock", "锁定", "lock", "lock", lock),
    operation!("unlock", "解锁", "unlock", "unlock", unlock),
    operation!("light or dark", "浅色或深色", "set_appearance", "appearance", set_appearance),
    operation!("location", "位置", "set_location", "location", set_location),
    operation!("assistant", "语音助手", "ask_assistant", "assistant", ask_assistant),
];

pub(super) const FILES: &[Operation] = &[
    operation!("send a file", "发送文件", "push_file", "files", push_file),
    operation!("fetch a file", "取回文件", "pull_file", "files", pull_file),
    operation!("is it a folder", "是否文件夹", "is_folder", "files", is_folder),
    operation!("add to the gallery", "加入相册", "add_media", "gallery", add_media),
    operation!("empty the gallery", "清空相册", "clear_media", "gallery", clear_media),
    operation!("log or console", "日志或控制台", "log", "console|log", log),
    operation!("time of its log", "日志的时间", "clock", "time", clock),
    operation!("clear the log", "清空日志", "clear_log", "console|log", clear_log),
    operation!("record the screen", "录屏", "record", "record", record),
];

pub(super) const APPS: &[Operation] = &[
    operation!("list apps", "列出应用", "packages", "packages|installed", packages),
    operation!("app info", "应用信息", "app_info", "apps", app_info),
    operation!("install", "安装", "install", "install", install),
    operation!("permissions while it runs", "运行中改权限", "set_permission", "permissions", set_permission),
    operation!("uninstall", "卸载", "uninstall", "uninstall", uninstall),
    operation!("clear data", "清除数据", "clear_app", "clear|data", clear_app),
    operation!("does it run", "是否在运行", "is_running", "runs", is_running),
    operation!("end it", "结束", "terminate", "terminate", terminate),
];

async fn launch(on: &Ground) -> Done {
    on.driver.launch(on.app).await?;
    if on.is_page() {
        assert_eq!(on.page("() => navigator.webdriver !== undefined").await, true);
    } else {
        on.sees("Touch Lab").await;
    }
    Ok(())
}

async fn open_url(on: &Ground) -> Done {
    on.driver.open_url(&on.url("pad.html"), None).await?;
    on.sees("pad.html").await;
    Ok(())
}

async fn launch_with(on: &Ground) -> Done {
    let start =
        AppStart { arguments: vec!["-quick".to_owned()], environment: vec![("MODE".to_owned(), "test".to_owned())] };
    on.driver.launch_with(on.app, &start).await?;
    let told = on.wda("GET", "/wda/activeAppInfo", &Value::Null)["processArguments"].clone();
    assert_eq!(told, json!({"args": ["-quick"], "env": {"MODE": "test"}}));
    Ok(())
}

async fn size(on: &Ground) -> Done {
    let size = on.driver.screen_size().await?;
    match () {
        () if on.is_phone() => assert_eq!((size.width, size.height), (1080, 2400)),
        () if on.is_iphone() => assert_eq!((size.width, size.height), (1170, 2532)),
        () if on.is_harmony() => assert_eq!((size.width, size.height), (1260, 2720)),
        () => on.sees(&format!("{}x{}", size.width, size.height)).await,
    }
    Ok(())
}

async fn display(on: &Ground) -> Done {
    let display = on.driver.display().await?;
    assert!(display.lit && display.size.width > 300);
    if on.is_phone() {
        on.shell("input keyevent 223").await;
        assert!(!on.driver.display().await?.lit);
        on.shell("input keyevent 224; wm dismiss-keyguard").await;
    } else if on.is_iphone() {
        on.wda("POST", "/wda/lock", &json!({}));
        assert!(!on.driver.display().await?.lit);
        on.wda("POST", "/wda/unlock", &json!({}));
    } else if on.is_harmony() {
        on.shell("power-shell suspend").await;
        let display = on.driver.display().await?;
        assert!(!display.lit && display.size.width == 1260, "{display:?}");
        on.shell(WAKE).await;
    }
    Ok(())
}

async fn picture(on: &Ground) -> Done {
    on.pad().await;
    let picture = on.driver.screenshot().await?;
    let mut reader = png::Decoder::new(std::io::Cursor::new(&picture.png)).read_info().expect("a PNG");
    assert_eq!(reader.info().size(), (picture.size.width, picture.size.height));
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut pixels).expect("a picture");
    let some: std::collections::BTreeSet<u8> = pixels.iter().copied().step_by(997).collect();
    assert!(some.len() > 5, "the picture is empty");
    if let Some(raw) = on.driver.pixels().await? {
        assert_eq!(raw.size, picture.size);
        let channels = reader.info().color_type.samples();
        let is_other = |(raw, packed): &(&[u8], &[u8])| raw[..3] != packed[..3];
        let others = raw.rgba.chunks_exact(4).zip(pixels.chunks_exact(channels)).filter(is_other).count();
        // The clock may have gone on.
        assert!(others < 1_000, "{others} pixels are not those of the screenshot");
    }
    Ok(())
}

fn has_text(screen: &Screen, text: &str) -> bool {
    let mut has = false;
    screen.roots.iter().for_each(|root| root.walk(&mut |element| has |= element.text == text));
    has
}

async fn screen(on: &Ground) -> Done {
    on.cursor("first").await;
    assert!(has_text(&on.driver.screen().await?, "first"));
    Ok(())
}

async fn screen_within(on: &Ground) -> Done {
    on.cursor("second").await;
    assert!(has_text(&on.driver.screen_within(Duration::from_secs(5)).await?, "second"));
    Ok(())
}

async fn look(on: &Ground) -> Done {
    on.cursor("third").await;
    let look = Look { steady: true, reach: true, ..Look::default() };
    assert!(has_text(&on.driver.look(&look).await?, "third"));
    Ok(())
}

async fn source(on: &Ground) -> Done {
    on.pad().await;
    let (source, _) = on.driver.source().await?;
    assert!(source.contains("Touch here") && source.contains("note"), "{source}");
    Ok(())
}

async fn foreground(on: &Ground) -> Done {
    on.pad().await;
    let front = on.driver.foreground().await?;
    assert_eq!(front.package, on.app);
    assert!(!on.is_page() || front.activity == on.url("pad.html") && front.name == "Gesture pad", "{front:?}");
    Ok(())
}

async fn reveal(on: &Ground) -> Done {
    on.pad().await;
    let id = if on.is_page() { "bottom" } else { "note" };
    let key = on.element(id).await.key().unwrap_or_default();
    if !on.driver.reveal(key).await? {
        return Err(on.driver.unsupported("bring elements into view by their keys"));
    }
    on.sees("scrolled=true").await;
    Ok(())
}

async fn focus(on: &Ground) -> Done {
    on.pad().await;
    let key = on.element("note").await.key().unwrap_or_default();
    if !on.driver.focus(key, false).await? {
        return Err(on.driver.unsupported("focus elements by their keys"));
    }
    on.sees("focus=note").await;
    Ok(())
}

async fn set_field(on: &Ground) -> Done {
    on.pad().await;
    let id = if on.is_page() { "day" } else { "note" };
    let key = on.element(id).await.key().unwrap_or_default();
    if on.driver.set_field(key, "2024-12-31").await? != FieldSet::Done {
        return Err(on.driver.unsupported("set fields by their keys"));
    }
    on.sees("day=2024-12-31").await;
    Ok(())
}

async fn typed(on: &Ground) -> Done {
    on.cursor("").await;
    if on.is_page() {
        on.page("() => { document.getElementById('note').maxLength = 3; }").await;
    }
    on.driver.type_text("abcdef").await?;
    let key = on.element("note").await.key().unwrap_or_default();
    let typing = Typing { text: "abcdef", replaces: false, in_turn: false };
    if on.driver.typed(key, &typing).await? == Typed::Arrived {
        return Err(on.driver.unsupported("tell what came of a text by a field's key"));
    }
    assert_eq!(on.driver.typed(key, &typing).await?, Typed::Cut(3));
    on.sees("note=abc\n").await;
    Ok(())
}

async fn empty_field(on: &Ground) -> Done {
    on.cursor("to be emptied").await;
    let key = on.element("note").await.key().unwrap_or_default();
    let emptied = on.driver.empty_field(key).await?;
    if emptied == Emptied::Touched {
        return Err(on.driver.unsupported("empty fields by their keys"));
    }
    assert_eq!(emptied, Emptied::Of("to be emptied".len()));
    on.sees("note=\n").await;
    Ok(())
}

async fn tap(on: &Ground) -> Done {
    on.pad().await;
    on.driver.perform(Gesture::Tap { at: on.place(0.5, 0.5).await, hold: Duration::ZERO }).await?;
    on.sees("Tap").await;
    Ok(())
}

async fn tap_alone(on: &Ground) -> Done {
    on.pad().await;
    let element = on.element(if on.is_page() { "choose" } else { "note" }).await;
    let (key, tap) =
        (element.key().unwrap_or_default(), Gesture::Tap { at: element.rect.center(), hold: Duration::ZERO });
    if !on.is_page() {
        assert_eq!(on.driver.perform_on(key, tap).await?, None);
        return Err(on.driver.unsupported("keep touches from what came in its place"));
    }
    on.page(
        "() => { const lid = document.createElement('div'); lid.id = 'lid'; lid.style = 'position:fixed;inset:0'; \
             lid.onclick = () => log('lid touched'); document.body.append(lid); }",
    )
    .await;
    assert_eq!(on.driver.perform_on(key, tap.clone()).await?.as_deref(), Some("div#lid"));
    on.page("() => document.getElementById('lid').remove()").await;
    assert_eq!(on.driver.perform_on(key, tap).await?, None);
    on.sees("choosing").await;
    assert!(!on.sight().await.contains("lid touched"));
    Ok(())
}

async fn hold(on: &Ground) -> Done {
    on.pad().await;
    let at = on.place(0.5, 0.5).await;
    on.driver.perform(Gesture::Tap { at, hold: Duration::from_millis(700) }).await?;
    on.sees("Long press").await;
    Ok(())
}

async fn double_tap(on: &Ground) -> Done {
    on.pad().await;
    on.driver.perform(Gesture::DoubleTap { at: on.place(0.5, 0.5).await }).await?;
    on.sees("Double tap").await;
    Ok(())
}

async fn pinch(on: &Ground) -> Done {
    on.pad().await;
    let at = on.place(0.5, 0.5).await;
    on.driver.perform(Gesture::Pinch { at, from: 50.0, to: 150.0, duration: Duration::from_millis(300) }).await?;
    on.sees("Pinch out").await;
    Ok(())
}

async fn swipe(on: &Ground) -> Done {
    on.pad().await;
    let (from, to) = (on.place(0.5, 0.8).await, on.place(0.5, 0.3).await);
    on.driver.perform(Gesture::Swipe { from, to, duration: Duration::from_millis(200) }).await?;
    on.sees("Swipe up").await;
    Ok(())
}

async fn drag(on: &Ground) -> Done {
    on.pad().await;
    let (from, to) = (on.place(0.2, 0.5).await, on.place(0.8, 0.5).await);
    on.driver.perform(Gesture::Drag { from, to, duration: Duration::from_millis(300) }).await?;
    on.sees("Drag").await;
    on.sees("straight").await;
    Ok(())
}

async fn path(on: &Ground) -> Done {
    on.pad().await;
    let mut stops = Vec::new();
    for (x, y) in [(0.2, 0.3), (0.5, 0.8), (0.8, 0.3)] {
        stops.push(Stop { at: on.place(x, y).await, rest: Duration::from_millis(30) });
    }
    on.driver.perform(Gesture::Path(stops)).await?;
    on.sees("curved").await;
    Ok(())
}

async fn type_text(on: &Ground) -> Done {
    on.cursor("a").await;
    on.driver.type_text("b'c 张三").await?;
    on.sees("ab'c 张三").await;
    Ok(())
}

async fn type_in_turn(on: &Ground) -> Done {
    on.cursor("a").await;
    let piece = |text: &str| Keystrokes { text: text.to_owned(), pause: Duration::from_millis(20) };
    on.driver.type_in_turn(&[piece("bc"), piece("de")]).await?;
    on.sees("abcde").await;
    Ok(())
}

async fn press(on: &Ground) -> Done {
    on.cursor("abcX").await;
    on.driver.press(Key::Delete).await?;
    on.sees("abc").await;
    assert!(!on.sight().await.contains("abcX"));
    Ok(())
}

async fn press_where_lit(on: &Ground) -> Done {
    on.cursor("abcX").await;
    assert!(on.driver.press_where_lit(Key::Delete).await?);
    assert!(!on.sight().await.contains("abcX"));
    Ok(())
}

async fn press_all(on: &Ground) -> Done {
    on.cursor("abcXY").await;
    on.driver.press_all(&[Key::Delete, Key::Delete]).await?;
    on.sees("abc").await;
    assert!(!on.sight().await.contains("abcX"));
    Ok(())
}

fn key(code: u32, held: &[u32]) -> KeyPress {
    KeyPress { code, held: held.to_vec(), long: false }
}

async fn press_code(on: &Ground) -> Done {
    on.cursor("abc").await;
    on.driver.press_code(&key(29, &[])).await?;
    on.driver.press_code(&key(30, &[59])).await?;
    on.sees("abcaB").await;
    Ok(())
}

async fn press_code_where_lit(on: &Ground) -> Done {
    on.cursor("abc").await;
    assert!(on.driver.press_code_where_lit(&key(29, &[])).await?);
    on.sees("abca").await;
    Ok(())
}

async fn press_home(on: &Ground) -> Done {
    on.pad().await;
    on.driver.press(Key::Home).await?;
    assert!(!on.is_page());
    on.sees("Settings").await;
    Ok(())
}

async fn input_methods(on: &Ground) -> Done {
    let methods = on.driver.input_methods().await?;
    assert_eq!(methods.current, on.shell("settings get secure default_input_method").await.trim());
    Ok(())
}

async fn set_input_method(on: &Ground) -> Done {
    for id in ["com.android.adbkeyboard/.AdbIME", "com.android.inputmethod.latin/.LatinIME"] {
        on.driver.set_input_method(id).await?;
        assert_eq!(on.shell("settings get secure default_input_method").await.trim(), id);
    }
    Ok(())
}

async fn clipboard(on: &Ground) -> Done {
    on.cursor("copied").await;
    if on.is_iphone() {
        on.wda("POST", "S/wda/setPasteboard", &json!({"contentType": "plaintext", "content": "Y29waWVk"}));
    } else if on.is_phone() {
        on.shell("am startservice -n ca.zgrs.clipper/.ClipboardService; am broadcast -a clipper.set -e text copied")
            .await;
    } else {
        for code in [29, 31] {
            on.driver.press_code(&key(code, &[113])).await.expect("a key");
        }
    }
    assert_eq!(on.driver.clipboard().await?, "copied");
    Ok(())
}

async fn set_clipboard(on: &Ground) -> Done {
    on.cursor("a").await;
    on.driver.set_clipboard("pasted").await?;
    if on.is_iphone() {
        let held = on.wda("POST", "S/wda/getPasteboard", &json!({"contentType": "plaintext"}));
        assert_eq!(held, "cGFzdGVk");
        return Ok(());
    }
    if on.is_phone() {
        on.shell("input keyevent 279").await;
    } else {
        on.driver.press_code(&key(50, &[113])).await.expect("a key");
    }
    on.sees("apasted").await;
    Ok(())
}

async fn details(on: &Ground) -> Done {
    let details = on.driver.details().await?;
    let version = match () {
        () if on.is_phone() => on.shell("getprop ro.build.version.release").await.trim().to_owned(),
        () if on.is_iphone() => {
            let status = on.wda("GET", "/status", &Value::Null);
            status["os"]["version"].as_str().expect("a version").to_owned()
        }
        () if on.is_harmony() => on.shell("param get const.product.software.version").await.trim().to_owned(),
        () => on.page("() => navigator.userAgent.match(/Chrome\\/([^ ]+)/)[1]").await.as_str().expect("one").into(),
    };
    assert!(details.version == version && !details.model.is_empty(), "{details:?}");
    Ok(())
}

async fn orientation(on: &Ground) -> Done {
    let turned = on.driver.orientation().await?;
    assert_eq!(turned.orientation, if on.is_page() { Orientation::Landscape } else { Orientation::Portrait });
    Ok(())
}

async fn set_orientation(on: &Ground) -> Done {
    on.pad().await;
    for wanted in [Orientation::Portrait, Orientation::Landscape] {
        on.driver.set_orientation(Some(wanted)).await?;
        let is_wide = match () {
            () if on.is_phone() => on.shell("dumpsys window displays").await.contains("cur=2400x1080"),
            () if on.is_iphone() => on.wda("GET", "/orientation", &Value::Null) == "LANDSCAPE",
            () => on.page("() => innerWidth > innerHeight").await == true,
        };
        assert_eq!(is_wide, wanted == Orientation::Landscape, "{}", on.way);
        assert!(on.is_iphone() || !on.driver.orientation().await?.auto);
    }
    if on.is_iphone() {
        return on.driver.set_orientation(Some(Orientation::Portrait)).await;
    }
    on.driver.set_orientation(None).await?;
    assert!(on.driver.orientation().await?.auto);
    if on.is_phone() {
        on.driver.set_orientation(Some(Orientation::Portrait)).await?;
    }
    Ok(())
}

async fn lock_state(on: &Ground) -> Done {
    assert!(!on.driver.lock_state().await?.locked);
    if on.is_iphone() {
        on.wda("POST", "/wda/lock", &json!({}));
        assert!(on.driver.lock_state().await?.locked);
        on.wda("POST", "/wda/unlock", &json!({}));
        return Ok(());
    }
    if on.is_harmony() {
        on.shell("power-shell suspend; power-shell wakeup").await;
        assert!(on.driver.lock_state().await?.locked);
        on.shell(WAKE).await;
        return Ok(());
    }
    on.shell("input keyevent 223").await;
    assert!(on.driver.lock_state().await?.locked);
    on.shell("input keyevent 224; wm dismiss-keyguard").await;
    Ok(())
}

async fn lock(on: &Ground) -> Done {
    on.driver.lock().await?;
    if on.is_iphone() {
        assert_eq!(on.wda("GET", "/wda/locked", &Value::Null), true);
        return Ok(());
    }
    if on.is_harmony() {
        assert!(!on.shell("hidumper -s PowerManagerService -a -s").await.contains("Current State: AWAKE"));
        return Ok(());
    }
    assert!(on.shell("dumpsys power").await.contains("mWakefulness=Asleep"));
    Ok(())
}

async fn unlock(on: &Ground) -> Done {
    on.driver.unlock().await?;
    if on.is_iphone() {
        assert_eq!(on.wda("GET", "/wda/locked", &Value::Null), false);
        return Ok(());
    }
    if on.is_harmony() {
        let said = on.shell("hidumper -s PowerManagerService -a -s; hidumper -s ScreenlockService -a -all").await;
        assert!(said.contains("Current State: AWAKE") && !said.contains("screenLocked  \t\ttrue"), "{said}");
        return Ok(());
    }
    assert!(on.shell("dumpsys power").await.contains("mWakefulness=Awake"));
    Ok(())
}

async fn set_appearance(on: &Ground) -> Done {
    for (appearance, name) in [(Appearance::Dark, "dark"), (Appearance::Light, "light")] {
        on.driver.set_appearance(appearance).await?;
        assert_eq!(on.wda("GET", "/wda/device/info", &Value::Null)["userInterfaceStyle"], name);
    }
    Ok(())
}

async fn set_location(on: &Ground) -> Done {
    on.driver.set_location(Some(Location { latitude: 31.25, longitude: -121.5 })).await?;
    let told = on.wda("GET", "/wda/simulatedLocation", &Value::Null);
    assert_eq!((told["latitude"].as_f64(), told["longitude"].as_f64()), (Some(31.25), Some(-121.5)));
    on.driver.set_location(None).await?;
    assert!(on.wda("GET", "/wda/simulatedLocation", &Value::Null)["latitude"].is_null());
    Ok(())
}

async fn ask_assistant(on: &Ground) -> Done {
    on.driver.ask_assistant("Open Settings").await?;
    assert_eq!(on.wda("GET", "/wda/activeAppInfo", &Value::Null)["bundleId"], "com.uixt.settings");
    Ok(())
}

async fn push_file(on: &Ground) -> Done {
    assert_eq!(on.driver.push_file(&on.file("sent.txt", "sent"), "/sdcard/Download/x/sent.txt").await?, 4);
    assert_eq!(on.shell("cat /sdcard/Download/x/sent.txt").await, "sent");
    Ok(())
}

async fn pull_file(on: &Ground) -> Done {
    let to = on.path("fetched.txt");
    on.driver.pull_file("/sdcard/Download/x/sent.txt", &to).await?;
    assert_eq!(std::fs::read_to_string(to).expect("a file"), "sent");
    Ok(())
}

async fn is_folder(on: &Ground) -> Done {
    assert!(on.driver.is_folder("/sdcard/Download/x").await?);
    assert!(!on.driver.is_folder("/sdcard/Download/x/sent.txt").await?);
    Ok(())
}

async fn add_media(on: &Ground) -> Done {
    let flag = crate::support::sample_runs::folder("testcases/files/flag.png");
    let path = on.driver.add_media(&flag, "flag.png").await?;
    assert!(on.shell(&format!("ls {path}")).await.contains("flag.png"));
    Ok(())
}

async fn clear_media(on: &Ground) -> Done {
    assert_eq!(on.driver.clear_media().await?, 1);
    on.shell("am start -W -n com.uixt.gallery/.MainActivity").await;
    assert!(!on.sight().await.contains("flag.png"));
    Ok(())
}

async fn log(on: &Ground) -> Done {
    on.pad().await;
    let lines = on.driver.log(&LogQuery { tag: None, level: LogLevel::Info }).await?;
    let wanted = if on.is_phone() || on.is_harmony() { "com.uixt.touchlab" } else { "the pad is there" };
    assert!(lines.iter().any(|line| line.contains(wanted)), "{lines:?}");
    Ok(())
}

async fn clock(on: &Ground) -> Done {
    let date = "date '+%m-%d %H:%M:%S'";
    // What has no clock has no shell either.
    on.driver.clock().await?;
    let before = on.shell(date).await;
    let said = on.driver.clock().await?;
    let after = on.shell(date).await;
    let is_between = || before.trim() <= &said[..14] && &said[..14] <= after.trim();
    assert!(said.len() == 18 && is_between(), "{before} {said} {after}");
    Ok(())
}

async fn clear_log(on: &Ground) -> Done {
    on.driver.clear_log().await?;
    let left = match () {
        () if on.is_phone() => on.shell("logcat -d").await.contains("com.uixt.touchlab"),
        () if on.is_harmony() => on.shell("hilog -x").await.contains("com.uixt.touchlab"),
        () => !on.driver.log(&LogQuery::default()).await?.is_empty(),
    };
    assert!(!left, "{}", on.way);
    Ok(())
}

async fn record(on: &Ground) -> Done {
    let film = on.path("film.mp4");
    on.driver.record(Duration::from_secs(1), &film).await?;
    assert!(std::fs::read(film).expect("a film").windows(4).any(|four| four == b"ftyp"));
    Ok(())
}

async fn packages(on: &Ground) -> Done {
    let packages = on.driver.packages().await?;
    assert!(packages.iter().any(|package| package == on.app), "{packages:?}");
    assert!(!on.is_page() || packages.len() == 1);
    Ok(())
}

async fn app_info(on: &Ground) -> Done {
    let info = on.driver.app_info(on.app).await?;
    assert!(!info.version_name.is_empty());
    if on.is_phone() {
        assert!(on.shell("dumpsys package com.uixt.touchlab").await.contains(&info.version_name));
    } else if on.is_harmony() {
        assert!(on.shell("bm dump -n com.uixt.touchlab").await.contains(&format!("\"{}\"", info.version_name)));
    } else {
        let agent = on.page("() => navigator.userAgent").await;
        assert!(agent.as_str().is_some_and(|agent| agent.contains(&info.version_name)), "{agent}");
    }
    assert!(matches!(on.driver.app_info("com.nowhere").await, Err(Error::NotFound { .. })));
    Ok(())
}

/// Lights a HarmonyOS phone and takes its lock screen away.
const WAKE: &str = "power-shell wakeup; uitest uiInput swipe 630 2300 630 500 2000";

/// What is installed and uninstalled again, and its permission.
const NOTES: &str = "com.uixt.notes";
const CAMERA: &str = "android.permission.CAMERA";

async fn install(on: &Ground) -> Done {
    let file = crate::support::sample_runs::folder("testcases/files/notes.apk");
    on.driver.install(&file, Install { replace: true, downgrade: false, grant: false }).await?;
    assert!(on.shell(on.list()).await.contains(NOTES));
    Ok(())
}

async fn set_permission(on: &Ground) -> Done {
    for granted in [true, false] {
        on.driver.set_permission(NOTES, CAMERA, granted).await?;
        let told = on.shell(&format!("dumpsys package {NOTES}")).await;
        assert!(told.contains(&format!("{CAMERA}: granted={granted}")), "{told}");
    }
    Ok(())
}

async fn uninstall(on: &Ground) -> Done {
    on.driver.uninstall(NOTES).await?;
    assert!(!on.shell(on.list()).await.contains(NOTES));
    Ok(())
}

async fn clear_app(on: &Ground) -> Done {
    on.pad().await;
    if !on.is_page() {
        on.driver.clear_app(on.app).await?;
        assert!(on.shell("pidof com.uixt.touchlab").await.trim().is_empty());
        on.pad().await;
        return Ok(());
    }
    on.page("() => { document.cookie = 'kept=1'; localStorage.setItem('kept', '1'); }").await;
    on.driver.clear_app(on.app).await?;
    on.pad().await;
    assert_eq!(on.page("() => document.cookie + localStorage.getItem('kept')").await, "null");
    Ok(())
}

async fn is_running(on: &Ground) -> Done {
    assert!(on.driver.is_running(on.app).await?);
    assert!(!on.driver.is_running("com.nowhere").await?);
    Ok(())
}

async fn terminate(on: &Ground) -> Done {
    assert!(on.driver.terminate(on.app).await?);
    if on.is_iphone() {
        assert_eq!(on.wda("POST", "S/wda/apps/state", &json!({"bundleId": on.app})), 1);
        return Ok(());
    }
    match !on.is_page() {
        true => assert!(on.shell("pidof com.uixt.touchlab").await.trim().is_empty()),
        false => assert!(!on.driver.is_running(on.app).await?),
    }
    Ok(())
}
