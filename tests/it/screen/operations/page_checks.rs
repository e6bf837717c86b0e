//! Operations of pages, each with what proves its effect otherwise; a phone refuses them.

use std::time::{Duration, Instant};

use serde_json::json;
use uixt::driver::pages::{Mouse, Part, Tab};
use uixt::driver::{Error, Gesture, Pages};

use super::ground::Ground;
use super::{Operation, operation};

type Done = Result<(), Error>;

pub(super) const PAGES: &[Operation] = &[
    operation!("back, forward", "后退、前进", "go", "history", go),
    operation!("reload", "刷新", "reload", "load pages", reload),
    operation!("scripts", "脚本", "evaluate", "scripts", evaluate),
    operation!("dialogs", "对话框", "page_dialog", "dialogs", dialog),
    operation!("answer dialogs", "应答对话框", "answer_page_dialog", "dialogs", answer),
    operation!("address and title", "地址与标题", "place", "page", place),
    operation!("list tabs", "列出标签页", "tabs", "page", tabs),
    operation!("open a tab", "新建标签页", "open_tab", "page", open_tab),
    operation!("switch tabs", "切换标签页", "show_tab", "page", show_tab),
    operation!("close a tab", "关闭标签页", "close_tab", "page", close_tab),
    operation!("hover", "悬停", "mouse", "page", hover),
    operation!("second mouse button", "右键", "mouse", "page", secondary),
    operation!("ask an element", "询问元素", "ask_element", "page", ask_element),
    operation!("choose files", "选择文件", "choose_files", "page", choose_files),
    operation!("forget choosers", "忽略文件选择器", "forget_choosers", "", forget_choosers),
    operation!("fill choosers", "应答文件选择器", "fill_chooser", "", fill_chooser),
    operation!("set cookies", "设置 Cookie", "set_cookie", "page", set_cookie),
    operation!("cookies", "Cookie", "cookies", "page", cookies),
    operation!("remove cookies", "删除 Cookie", "remove_cookies", "page", remove_cookies),
    operation!("picture of all or a part", "整页或局部截图", "picture_of", "page", picture_of),
    operation!("PDF", "PDF", "pdf", "page", pdf),
    operation!("storage state", "存储状态", "storage_state", "tell", storage_state),
    operation!("what went wrong", "页面错误", "faults", "page", faults),
    operation!("what went wrong lately", "最近的页面错误", "new_faults", "page", new_faults),
    operation!("answered requests", "已应答请求", "take_answered", "requests", take_answered),
    operation!("pending requests", "进行中请求", "traffic", "requests", traffic),
];

/// The words for pages; a phone is asked for them as the tools do.
fn pages(on: &Ground) -> Result<&dyn Pages, Error> {
    on.driver.pages("do this: it has no page, and makes no requests of its own")
}

async fn go(on: &Ground) -> Done {
    if on.is_page() {
        on.pad().await;
        on.driver.open_url(&on.url("keys.html"), None).await?;
    }
    on.driver.go(-1).await?;
    on.sees("pad.html").await;
    on.driver.go(1).await?;
    on.sees("keys.html").await;
    Ok(())
}

async fn reload(on: &Ground) -> Done {
    on.cursor("lost").await;
    on.driver.reload().await?;
    on.sees("note=\n").await;
    Ok(())
}

async fn evaluate(on: &Ground) -> Done {
    on.pad().await;
    let put = "(text) => { document.getElementById('note').value = text; return [text, 1]; }";
    assert_eq!(on.driver.evaluate(put, &[json!("put")], Duration::from_secs(5)).await?, json!(["put", 1]));
    assert_eq!(on.element("note").await.text, "put");
    Ok(())
}

/// Has the page ask something.
async fn asked(on: &Ground) {
    on.pad().await;
    on.page("() => { setTimeout(() => document.getElementById('ask').click(), 50); }").await;
}

async fn dialog(on: &Ground) -> Done {
    assert_eq!(on.driver.page_dialog().await?, None);
    asked(on).await;
    while on.driver.page_dialog().await?.is_none() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(on.driver.page_dialog().await?.expect("a dialog").message, "What is your name?");
    // The next check answers it.
    Ok(())
}

async fn answer(on: &Ground) -> Done {
    on.driver.answer_page_dialog(true, Some("Ada")).await?;
    on.sees("answered Ada").await;
    Ok(())
}

async fn place(on: &Ground) -> Done {
    let pages = pages(on)?;
    on.pad().await;
    let place = pages.place().await?;
    assert_eq!((place.url, place.title.as_str()), (on.url("pad.html"), "Gesture pad"));
    Ok(())
}

/// Tells which tab is in front, and how many there are.
fn front(tabs: &[Tab]) -> (Option<usize>, usize) {
    (tabs.iter().position(|tab| tab.is_front), tabs.len())
}

async fn tabs(on: &Ground) -> Done {
    let tabs = pages(on)?.tabs().await?;
    assert_eq!((front(&tabs), tabs[0].title.as_str()), ((Some(0), 1), "Gesture pad"));
    Ok(())
}

async fn open_tab(on: &Ground) -> Done {
    let pages = pages(on)?;
    pages.open_tab().await?;
    assert_eq!(on.page("() => location.href").await, "about:blank");
    assert_eq!(front(&pages.tabs().await?), (Some(1), 2));
    Ok(())
}

async fn show_tab(on: &Ground) -> Done {
    pages(on)?.show_tab(0).await?;
    on.sees("pad.html").await;
    Ok(())
}

async fn close_tab(on: &Ground) -> Done {
    let pages = pages(on)?;
    pages.close_tab(1).await?;
    on.sees("pad.html").await;
    assert_eq!(front(&pages.tabs().await?), (Some(0), 1));
    Ok(())
}

async fn hover(on: &Ground) -> Done {
    let pages = pages(on)?;
    on.pad().await;
    pages.mouse(Mouse::Hover(on.place(0.4, 0.4).await)).await?;
    on.sees("hovered").await;
    Ok(())
}

async fn secondary(on: &Ground) -> Done {
    pages(on)?.mouse(Mouse::SecondaryClick(on.place(0.5, 0.5).await)).await?;
    on.sees("menu opened").await;
    Ok(())
}

async fn ask_element(on: &Ground) -> Done {
    let pages = pages(on)?;
    let key = on.element("note").await.key().expect("a key");
    let put = "(element, text) => { element.value = text; return element.id; }";
    assert_eq!(pages.ask_element(key, put, &[json!("asked")]).await?, "note");
    on.sees("note=asked").await;
    Ok(())
}

async fn choose_files(on: &Ground) -> Done {
    let pages = pages(on)?;
    let key = on.element("file").await.key().expect("a key");
    pages.choose_files(key, &[on.file("chosen.txt", "text")]).await?;
    on.sees("chosen.txt").await;
    Ok(())
}

/// Touches what opens a chooser for files.
async fn open_chooser(on: &Ground) -> Done {
    on.pad().await;
    let at = on.element("choose").await.rect.center();
    on.driver.perform(Gesture::Tap { at, hold: Duration::ZERO }).await
}

async fn forget_choosers(on: &Ground) -> Done {
    // Asked first, since a chooser that nobody takes stays in some browsers.
    pages(on)?.forget_choosers().await?;
    open_chooser(on).await?;
    on.sees("choosing").await;
    pages(on)?.forget_choosers().await?;
    let filled = pages(on)?.fill_chooser(&[on.file("forgotten.txt", "text")], Duration::ZERO).await;
    assert!(filled.is_err(), "a chooser that was forgotten was filled");
    Ok(())
}

async fn fill_chooser(on: &Ground) -> Done {
    let pages = pages(on)?;
    pages.forget_choosers().await?;
    open_chooser(on).await?;
    pages.fill_chooser(&[on.file("filled.txt", "text")], Duration::from_secs(5)).await?;
    on.sees("filled.txt").await;
    Ok(())
}

async fn faults(on: &Ground) -> Done {
    let pages = pages(on)?;
    on.pad().await;
    on.page("() => console.error('the pad broke')").await;
    let end = Instant::now() + Duration::from_secs(10);
    while !pages.faults(Duration::from_secs(20)).await?.iter().any(|fault| fault.contains("the pad broke")) {
        assert!(Instant::now() < end, "nothing is told of it");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

async fn new_faults(on: &Ground) -> Done {
    let pages = pages(on)?;
    on.pad().await;
    on.page("() => console.error('the pad broke anew')").await;
    let is_told = |faults: Vec<String>| faults.iter().any(|fault| fault.contains("the pad broke anew"));
    let end = Instant::now() + Duration::from_secs(10);
    while !is_told(pages.new_faults(Duration::from_secs(20)).await?) {
        assert!(Instant::now() < end, "nothing is told of it");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(!is_told(pages.new_faults(Duration::ZERO).await?), "it is older");
    Ok(())
}

async fn set_cookie(on: &Ground) -> Done {
    let cookie = json!({"name": "kind", "value": "oat"});
    pages(on)?.set_cookie(cookie.as_object().expect("a map").clone()).await?;
    on.sees("kind=oat").await;
    Ok(())
}

async fn cookies(on: &Ground) -> Done {
    let pages = pages(on)?;
    on.page("() => { document.cookie = 'other=rye'; }").await;
    let cookies = pages.cookies().await?;
    assert!(cookies.iter().any(|cookie| cookie["name"] == "other" && cookie["value"] == "rye"), "{cookies:?}");
    Ok(())
}

async fn remove_cookies(on: &Ground) -> Done {
    assert_eq!(pages(on)?.remove_cookies(Some("kind")).await?, 1);
    assert_eq!(on.page("() => document.cookie").await, "other=rye");
    Ok(())
}

async fn picture_of(on: &Ground) -> Done {
    let pages = pages(on)?;
    let all = on.page("() => [innerHeight, document.documentElement.scrollHeight]").await;
    let (view, whole) = (all[0].as_u64().expect("a height"), all[1].as_u64().expect("a height"));
    assert!(whole > view);
    assert_eq!(u64::from(pages.picture_of(Part::Whole).await?.size.height), whole);
    let pad = on.element("pad").await;
    let part = pages.picture_of(Part::Element(pad.key().expect("a key"), pad.rect)).await?;
    assert_eq!(i64::from(part.size.height), i64::from(pad.rect.bottom - pad.rect.top));
    Ok(())
}

async fn pdf(on: &Ground) -> Done {
    assert!(pages(on)?.pdf().await?.starts_with(b"%PDF-"));
    Ok(())
}

async fn storage_state(on: &Ground) -> Done {
    if on.is_page() {
        on.page("() => localStorage.setItem('seen', 'yes')").await;
    }
    let state = on.driver.storage_state().await?.to_string();
    assert!(state.contains(r#"{"name":"seen","value":"yes"}"#) && state.contains("rye"), "{state}");
    Ok(())
}

async fn take_answered(on: &Ground) -> Done {
    let pages = pages(on)?;
    on.page("() => fetch('keys.html?asked').then((answer) => answer.text())").await;
    let answered = pages.take_answered("keys.html?asked", None).await?.expect("an answer");
    assert_eq!((answered.method.as_str(), answered.status), ("GET", 200));
    assert_eq!(pages.take_answered("keys.html?asked", None).await?, None);
    Ok(())
}

async fn traffic(on: &Ground) -> Done {
    let pages = pages(on)?;
    on.pad().await;
    while !pages.traffic().await?.is_loaded {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(pages.traffic().await?.pending.is_empty());
    Ok(())
}
