//! One suite of operations for every driver: the virtual phone over adb, the virtual iPhone, the virtual HarmonyOS phone, and Chromium by each way that leads to its pages.
//!
//! What an operation does is proved by another way than itself. It works, or it is refused in plain words; what is which stands in
//! a table of the manual, which `UIXT_WRITE_TABLE=1` has written anew.

mod checks;
mod ground;
mod page_checks;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use uixt::driver::Error;

use self::ground::{Check, Ground, WAYS};
use crate::support::counterparts::program;

/// How long an operation and its proof may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// An operation: what it is called in each language, the word of the trait, what a refusal must name, and its proof.
struct Operation {
    english: &'static str,
    chinese: &'static str,
    method: &'static str,
    refusal: &'static str,
    check: Check,
}

impl Operation {
    /// Tells whether a refusal names it, in one of the ways that it may be called.
    fn is_named_in(&self, words: &str) -> bool {
        self.refusal.split('|').any(|name| words.contains(name))
    }
}

/// Names an operation in English and Chinese, the trait's word for it, what a refusal of it must name, and its proof.
macro_rules! operation {
    ($english:literal, $chinese:literal, $method:literal, $refusal:literal, $check:path) => {
        super::Operation {
            english: $english,
            chinese: $chinese,
            method: $method,
            refusal: $refusal,
            check: |ground| Box::pin($check(ground)),
        }
    };
}
pub(crate) use operation;

/// Returns the operations that belong together, in the order in which they are made.
fn groups() -> [&'static [Operation]; 8] {
    [
        checks::BEGIN,
        checks::LOOK,
        checks::FINGERS,
        checks::KEYS,
        page_checks::PAGES,
        checks::DEVICE,
        checks::FILES,
        checks::APPS,
    ]
}

/// Makes every operation on one device; returns which of them work, in their order, or what went wrong with some.
async fn outcomes(ground: Arc<Ground>) -> Result<Vec<bool>, String> {
    let (mut outcomes, mut wrong) = (Vec::new(), Vec::new());
    for operation in groups().iter().flat_map(|operations| operations.iter()) {
        let began = Instant::now();
        let on = Arc::clone(&ground);
        let checked = tokio::spawn(async move { (operation.check)(&on).await });
        let outcome = match tokio::time::timeout(PATIENCE, checked).await {
            Ok(Ok(Ok(()))) => Ok(true),
            Ok(Ok(Err(Error::Unsupported { operation: words, .. }))) if operation.is_named_in(&words) => Ok(false),
            Ok(Ok(Err(Error::Unsupported { operation: words, .. }))) => {
                Err(format!("refused without its name: {words}"))
            }
            Ok(Ok(Err(error))) => Err(error.to_string()),
            Ok(Err(_)) => Err("it does not do what it should, see above".to_owned()),
            Err(_) => Err(format!("no end within {} s", PATIENCE.as_secs())),
        };
        let what = format!("{} on {}", operation.english, ground.way);
        eprintln!("{what}: {outcome:?} in {:?}", began.elapsed());
        outcomes.push(outcome == Ok(true));
        wrong.extend(outcome.err().map(|why| format!("{what}: {why}")));
    }
    ground.close().await;
    if wrong.is_empty() { Ok(outcomes) } else { Err(wrong.join("\n")) }
}

/// Joins the operations of a group that are alike everywhere into rows.
fn table(columns: &[Vec<bool>], heads: [&str; 7], comma: &str, name: fn(&Operation) -> &'static str) -> String {
    let mut text = format!("| {} |\n| --- | --- | --- | --- | --- | --- | --- |\n", heads.join(" | "));
    let mut number = 0;
    for operations in groups() {
        let mut rows: Vec<(Vec<bool>, Vec<&str>)> = Vec::new();
        for operation in operations {
            let cells: Vec<bool> = columns.iter().map(|column| column[number]).collect();
            number += 1;
            match rows.iter_mut().find(|(known, _)| *known == cells) {
                Some((_, names)) => names.push(name(operation)),
                None => rows.push((cells, vec![name(operation)])),
            }
        }
        for (cells, names) in rows {
            let cells: Vec<&str> = cells.iter().map(|works| if *works { "✓" } else { "–" }).collect();
            text += &format!("| {} | {} |\n", names.join(comma), cells.join(" | "));
        }
    }
    text
}

const BEGIN: &str = "<!-- operations -->\n";
const END: &str = "<!-- /operations -->";

/// Holds a page's table to what came out, or writes it.
#[track_caller]
fn hold(name: &str, table: &str) {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let text = std::fs::read_to_string(&path).expect("a page");
    let (before, rest) = text.split_once(BEGIN).expect("the table begins");
    let (written, after) = rest.split_once(END).expect("the table ends");
    if std::env::var_os("UIXT_WRITE_TABLE").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{table}{END}{after}")).expect("written");
    } else {
        assert!(written == table, "{name}: run this test with UIXT_WRITE_TABLE=1; it came out as\n{table}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_operation_works_or_is_refused_in_plain_words_as_the_manual_says() {
    program("chromedriver");
    program("chromium");
    let made = WAYS.map(|way| tokio::spawn(async move { outcomes(Arc::new(Ground::start(way).await)).await }));
    let mut columns = Vec::new();
    let mut wrong = Vec::new();
    for outcomes in made {
        match outcomes.await.expect("a task") {
            Ok(outcomes) => columns.push(outcomes),
            Err(why) => wrong.push(why),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let english = ["operation", "Android", "iPhone", "HarmonyOS", "Chromium", "by chromedriver", "by WebDriver alone"];
    let chinese = ["操作", "Android", "iPhone", "HarmonyOS", "Chromium", "经 chromedriver", "仅 WebDriver"];
    hold("docs/drivers.md", &table(&columns, english, ", ", |operation| operation.english));
    hold("docs/zh/drivers.md", &table(&columns, chinese, "、", |operation| operation.chinese));
}

#[test]
fn no_operation_is_left_out() {
    let sources =
        [include_str!("../../../../crates/driver/src/lib.rs"), include_str!("../../../../crates/driver/src/pages.rs")];
    let methods = sources.iter().flat_map(|source| source.split("    async fn ").skip(1));
    let wanted: BTreeSet<&str> = methods.filter_map(|rest| rest.split('(').next()).collect();
    let listed: BTreeSet<&str> = groups().iter().flat_map(|all| all.iter().map(|one| one.method)).collect();
    // What is asked beside every call has tests of its own, and so has the second button on an element (astray.rs); pixels are compared
    // with the picture, films are those of video.rs, what a page said and asked for is that of evidence.rs, what is done before a case that
    // of reset.rs, downloads and pages that ask whether they may be left are those of status_web.rs, what no tree tells of that of
    // false_passes.rs, apps that crash those of phone/harmony.rs, and what a person does in a window or on a phone that of studio/window.rs and
    // record/fingers.rs.
    let others = [
        "close",
        "after_last_act",
        "downloads",
        "leave",
        "take_failed_downloads",
        "still_typed",
        "pixels",
        "mouse_on",
        "film",
        "transcript",
        "renew",
        "untold",
        "crashed",
        "follow_person",
    ];
    let missing: Vec<_> = wanted.difference(&listed).filter(|name| !others.contains(name)).collect();
    assert!(missing.is_empty(), "operations without a check: {missing:?}");
}
