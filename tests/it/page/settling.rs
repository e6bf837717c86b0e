//! What a page does a moment after a step, and what libraries make of labels, drags and scrolling: each page passes as it should, and its
//! twin fails, in one browser by `DevTools` and one by chromedriver.

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::{Test, items, text};

/// A page that shows, a moment after a tap, what `late` does; without it, nothing.
const LATER: &str = "<button id=go onclick=\"setTimeout(()=>{LATE},350)\">Go</button><div id=out></div><button id=send disabled>Send</button>\
    <label><input type=checkbox id=agree>Agree</label><ul><li>One</li><li>Two</li></ul>";
const SHOW: &str = "out.innerHTML='<p>Late error</p>'";

/// Name, page with `LATE`, what `LATE` is where the step must fail, the step.
const LATE: &[(&str, &str, &str)] = &[
    ("absence", SHOW, "assert_not_visible: {text: Late error, timeout: 1.5}"),
    ("none", SHOW, "assert_count: {text: Late error, equals: 0, timeout: 1.5}"),
    (
        "at most",
        "document.querySelector('ul').append(document.querySelector('li').cloneNode(true))",
        "assert_count: {selector: li, at_most: 2, timeout: 1.5}",
    ),
    ("exactly", "document.querySelector('li').remove()", "assert_count: {selector: li, equals: 2, timeout: 1.5}"),
    ("disabled", "send.disabled=false", "assert_state: {id: send, enabled: false, timeout: 1.5}"),
    ("unchecked", "agree.checked=true", "assert_state: {id: agree, checked: false, timeout: 1.5}"),
    (
        "attribute",
        "send.setAttribute('data-x','1')",
        "assert_attribute: {selector: '#send', attribute: data-x, exists: false, timeout: 1.5}",
    ),
    (
        "value",
        "send.setAttribute('type','reset')",
        "assert_attribute: {selector: '#go', attribute: id, equals: go, timeout: 1.5}",
    ),
    ("gone", SHOW, "wait_for: {text: Late error, gone: true, timeout: 1.5}"),
];

const ROWS: &str = "<p style=height:3000px>Top</p><button onclick=\"document.title='got'\">Bottom</button>";
const LABEL: &str = "<style>label,span{display:inline-flex;cursor:pointer}</style><label><span><input type=checkbox id=box></span><span>Full</span></label>";
const DRAG: &str = "<style>div{width:90px;height:40px;background:#ccc;margin:9px}</style><div id=a>Alpha</div><div id=b>Beta</div><script>SCRIPT</script>";
/// A closed shadow root, in which another stands.
const CLOSED: &str = "<p>Top</p><x-outer></x-outer><div id=d style=height:40px></div><script>customElements.define('x-inner', class extends HTMLElement { \
    constructor() { super(); this.attachShadow({mode: 'closed'}).innerHTML = '<button>Inside</button><input aria-label=Name>'; \
    } }); customElements.define('x-outer', class extends HTMLElement { constructor() { super(); const r = this.attachShadow({mode: 'closed'}); \
    r.innerHTML = '<x-inner></x-inner>'; r.addEventListener('click', () => document.title = 'got'); } }); \
    d.attachShadow({mode: 'closed'}).innerHTML = '<p>Plain</p>'</script>";
/// A field to which something happens a while after it was typed into, and one more.
const TAKEN: &str = "<input aria-label=First id=f oninput=\"setTimeout(() => { TAKE }, 400)\"><input aria-label=Second><button>Go</button>";

/// A control whose role, name and state its script tells the browser alone.
const OWN: &str = "<x-check>Accept terms</x-check><x-close></x-close><p id=o></p><script>customElements.define('x-check', class extends HTMLElement { \
    constructor() { super(); const i = this.attachInternals(); i.role = 'checkbox'; i.ariaChecked = 'false'; this.attachShadow({mode: 'open'}).innerHTML = '<slot></slot>'; \
    this.onclick = () => { i.ariaChecked = i.ariaChecked === 'true' ? 'false' : 'true'; }; } }); customElements.define('x-close', class extends HTMLElement { \
    constructor() { super(); const i = this.attachInternals(); i.role = 'button'; i.ariaLabel = 'Close panel'; \
    this.attachShadow({mode: 'open'}).innerHTML = '<svg width=20 height=20><path d=\"M0 0L20 20\" stroke=black /></svg>'; \
    this.onclick = () => { o.textContent = 'closed'; }; } })</script>";
/// An editor whose focus lies in a field that nobody sees, and that closes brackets as they are typed.
const EDITOR: &str = "<style>#e{position:relative;height:60px;border:1px solid}#e textarea{position:absolute;width:1px;height:1px;padding:0;border:0;opacity:0}</style>\
    <div id=e><textarea></textarea><pre id=st></pre></div><script>const t = e.firstChild; e.onclick = () => t.focus(); let isComposed = false; \
    t.addEventListener('compositionstart', () => { isComposed = true; }); t.oninput = (event) => { if (event.isComposing) return; st.textContent += t.value; \
    if (!isComposed && t.value.includes('{')) st.textContent += '}'; t.value = ''; isComposed = false; }; \
    t.addEventListener('compositionend', () => { if (t.value) { st.textContent += t.value; t.value = ''; } isComposed = false; })</script>";

/// Begins only after a hold of a quarter of a second.
const HELD: &str =
    "let at;a.onpointerdown=()=>at=performance.now();b.onpointerup=()=>{if(performance.now()-at>250)b.after(a)};";

/// Name, page, steps, whether they pass.
fn others() -> Vec<(&'static str, String, &'static str, bool)> {
    let html = |root: &str, body: &str| {
        format!("<!doctype html><html style=\"{root}\"><body style=\"{body};margin:0\">{ROWS}")
    };
    let tap = "- tap_element: {text: Bottom, timeout: 3}\n- assert_title: got\n";
    let taken = |how: &str| TAKEN.replace("TAKE", how);
    let drag = |script: &str| DRAG.replace("SCRIPT", script);
    vec![
        ("the body scrolls", html("height:100%;overflow:hidden", "height:100%;overflow:auto"), tap, true),
        ("nothing scrolls", html("height:100%", "height:100%;overflow:hidden"), tap, false),
        (
            "words of a label",
            LABEL.to_owned(),
            "- tap_element: {text: Full, timeout: 3}\n- assert_state: {id: box, checked: true}\n",
            true,
        ),
        (
            "closed",
            CLOSED.to_owned(),
            "- assert_visible: {text: Plain, timeout: 1}\n- input: {text: Ada, into: Name}\n- assert_text: {label: Name, equals: Ada}\n\
             - tap_element: Inside\n- assert_title: got\n",
            true,
        ),
        ("closed and absent", CLOSED.to_owned(), "- assert_not_visible: {text: Inside, timeout: 1}\n", false),
        ("closed in a div", CLOSED.to_owned(), "- assert_count: {text: Plain, equals: 0, timeout: 1}\n", false),
        (
            "emptied behind a step",
            taken("f.value = ''"),
            "- input: {text: one, into: First}\n- input: {text: two, into: Second}\n- sleep: 0.5\n- assert_visible: Go\n",
            false,
        ),
        ("emptied at the end", taken("f.value = ''"), "- input: {text: one, into: First}\n", false),
        (
            "rewritten before the end",
            taken("f.value = 'other'"),
            "- input: {text: one, into: First}\n- assert_visible: Go\n- sleep: 0.6\n",
            false,
        ),
        (
            "emptied by an act",
            taken("")
                + "<script>document.querySelector('button').onclick = () => setTimeout(() => f.value = '', 100)</script>",
            "- input: {text: one, into: First}\n- tap_element: Go\n- sleep: 0.4\n- assert_visible: Go\n",
            true,
        ),
        (
            "written in another form",
            taken("f.value = f.value.toUpperCase() + '.00'"),
            "- input: {text: one, into: First}\n- input: {text: two, into: Second}\n- sleep: 0.5\n- assert_visible: Go\n",
            true,
        ),
        (
            "roles of its own",
            OWN.to_owned(),
            "- tap_element: {role: button, text: Close panel, timeout: 3}\n- assert_visible: closed\n- assert_visible: {role: checkbox, text: Accept terms, timeout: 1}\n",
            true,
        ),
        (
            "an inner field",
            EDITOR.to_owned(),
            "- tap_element: {id: e}\n- input: \"a b\"\n- assert_text: {id: st, equals: a b}\n",
            true,
        ),
        ("a drag after a hold", drag(HELD), "- drag_to: {from: Alpha, to: Beta}\n", true),
        ("a drag to nowhere", drag(""), "- drag_to: {from: Alpha, to: Beta}\n", false),
    ]
}

/// How something comes and goes.
const BLINKS: &[(&str, &str)] = &[
    ("hidden", "f.hidden=!f.hidden"),
    ("display", "f.style.display=f.style.display?'':'none'"),
    ("removed", "n.isConnected?n.remove():document.body.append(n)"),
    ("text", "f.textContent=f.textContent?'':'Flash'"),
];
/// Name, a page on which a text is seen, one on which it is not, the text.
const SEEN: &[(&str, &str, &str, &str)] = &[
    ("transparent value", "<input value=Flash>", "<input value=Flash style=color:transparent>", "Flash"),
    ("white value", "<input value=Flash>", "<input value=Flash style=color:#fff;background:#fff>", "Flash"),
    ("faded field", "<input value=Flash>", "<input value=Flash style=opacity:0>", "Flash"),
    (
        "white area",
        "<textarea>Flash</textarea>",
        "<textarea style=color:#fff;background:#fff>Flash</textarea>",
        "Flash",
    ),
    ("placeholder", "<input placeholder=Flash>", "<input placeholder=Flash value=Other>", "Flash"),
    (
        "no placeholder",
        "<input placeholder=Flash>",
        "<style>::placeholder{color:transparent}</style><input placeholder=Flash>",
        "Flash",
    ),
    (
        "long value",
        "<input value='A value that is long, Flash' size=40>",
        "<input value='A value that is long, Flash' size=4>",
        "A value that is long, Flash",
    ),
    ("dots", "<input value=Flash>", "<input value=Flash style=-webkit-text-security:disc>", "Flash"),
    (
        "a label that is drawn",
        "<label for=a>Flash</label><input id=a aria-label=Other>",
        "<label for=a>Other</label><input id=a aria-label=Flash>",
        "Flash",
    ),
    ("a button's name", "<button aria-label=Flash>×</button>", "<button aria-label=Flash>Other</button>", "Flash"),
];
/// What shows that more is to come, and after 900 ms is all there.
const BUSY: &[(&str, &str)] = &[
    ("bar", "<div id=w role=progressbar aria-valuenow=30 aria-valuemax=100 style='height:9px;background:#06c'></div>"),
    (
        "status",
        "<div id=w role=status><svg width=20 height=20><circle r=9><animate attributeName=r values='1;9' dur=1s repeatCount=indefinite /></circle></svg></div>",
    ),
    ("second skeleton", "<p hidden aria-busy=true>-</p><p id=w aria-busy=true>Rows</p>"),
];

/// Those that are tried by WebDriver, too, which tells a page's acts in another way.
const ONCE: &[&str] =
    &["hidden 800", "once", "long value unseen", "faded field unseen", "no placeholder unseen", "bar false"];

/// What DevTools alone tells, or does.
fn by_devtools() -> Vec<(String, String, String, bool)> {
    let tap = "- tap_element: {role: checkbox, text: Accept terms, timeout: 3}\n";
    let is = |checked: bool| {
        format!("- assert_state: {{role: checkbox, text: Accept terms, checked: {checked}, timeout: 2}}\n")
    };
    let composed = "- tap_element: {id: e}\n- input: \"a {b\"\n- assert_text: {id: st, equals: \"a {b\"}\n";
    vec![
        ("checked".to_owned(), OWN.to_owned(), tap.to_owned() + &is(true), true),
        ("not checked".to_owned(), OWN.to_owned(), is(true), false),
        ("as it is".to_owned(), EDITOR.to_owned(), composed.to_owned(), true),
    ]
}

fn comings() -> Vec<(String, String, String, bool)> {
    let mut all = Vec::new();
    let absent = "- assert_not_visible: {text: Flash, timeout: 3.5}\n";
    let blinking = |how: &str, timer: &str| {
        format!("<p>Top</p><p id=f>Flash</p><script>const n=f;{timer}(()=>{{{how}}},{{MS}})</script>")
    };
    for (name, how) in BLINKS {
        let is_slow = *name == "display" || *name == "text";
        for (ms, pause) in [("800", 0.3), ("1500", 0.9)].into_iter().filter(|(ms, _)| is_slow == (*ms == "1500")) {
            let page = blinking(how, "setInterval").replace("{MS}", ms);
            all.push((format!("{name} {ms}"), page, format!("- sleep: {pause}\n{absent}"), false));
        }
    }
    let (_, how) = BLINKS[0];
    let none = "- sleep: 1.1\n- assert_count: {text: Flash, equals: 0, timeout: 4}\n";
    all.push(("counted".to_owned(), blinking(how, "setInterval").replace("{MS}", "800"), none.to_owned(), false));
    all.push(("once".to_owned(), blinking(how, "setTimeout").replace("{MS}", "700"), absent.to_owned(), true));
    for (name, right, wrong, text) in SEEN {
        let step = format!("- assert_visible: {{text: '{text}', timeout: 0.5}}\n");
        all.push((format!("{name} seen"), (*right).to_owned(), step.clone(), true));
        all.push((format!("{name} unseen"), (*wrong).to_owned(), step, false));
        if !name.contains("value") {
            continue;
        }
        let step = format!("- assert_not_visible: {{text: '{text}', timeout: 0.9}}\n");
        all.push((format!("{name} absent"), (*wrong).to_owned(), step.clone(), true));
        all.push((format!("{name} there"), (*right).to_owned(), step, false));
    }
    for (name, wait) in BUSY {
        for (late, passes) in [("w.outerHTML='<p>Flash</p>'", false), ("w.outerHTML='<p>Rows</p>'", true)] {
            let page = format!(
                "<p>Top</p><button onclick=\"document.body.insertAdjacentHTML('beforeend',`{wait}`);setTimeout(()=>{{{late}}},1200)\">Go</button>"
            );
            let steps = "- assert_visible: Go\n- sleep: 0.6\n- tap_element: Go\n- assert_not_visible: {text: Flash, timeout: 4}\n";
            all.push((format!("{name} {passes}"), page, steps.to_owned(), passes));
        }
    }
    all
}

fn case(name: &str, browser: &str, page: &str, steps: &str) -> String {
    let mut page_in_address = String::new();
    for byte in page.bytes() {
        let _ = write!(page_in_address, "%{byte:02x}");
    }
    format!(
        "config: {{name: {name}, browser: {browser}}}\nteststeps:\n- open_url: \"data:text/html;charset=utf-8,{page_in_address}\"\n{steps}"
    )
}

/// Runs all pages, and returns each case's name and whether it passed.
fn outcomes(config: &str, is_all: bool) -> Vec<(String, bool, bool)> {
    let mut test = Test::new(&["run", "cases", "--device", "browser", "--report-dir", "r"]);
    let mut wanted = Vec::new();
    let mut add = |test: Test, name: String, page: &str, steps: &str, passes: bool| {
        let test = test.file(&format!("cases/{:02}.yaml", wanted.len()), case(&name, config, page, steps));
        wanted.push((name, passes));
        test
    };
    for (name, late, step) in LATE.iter().filter(|(name, ..)| is_all || ["absence", "none", "disabled"].contains(name))
    {
        // The page has been there for a while, as most are that are tapped.
        let steps = format!("- assert_visible: Go\n- sleep: 0.6\n- tap_element: Go\n- {step}\n");
        let passes = *name == "value";
        test = add(test, format!("{name} late"), &LATER.replace("LATE", late), &steps, passes);
        test = add(test, format!("{name} never"), &LATER.replace("LATE", ""), &steps, true);
    }
    for (name, page, steps, passes) in
        comings().into_iter().filter(|(name, ..)| is_all || ONCE.contains(&name.as_str()))
    {
        test = add(test, name, &page, &steps, passes);
    }
    for (name, page, steps, passes) in by_devtools().into_iter().filter(|_| is_all) {
        test = add(test, name, &page, &steps, passes);
    }
    for (name, page, steps, passes) in others() {
        test = add(test, name.to_owned(), &page, steps, passes);
    }
    let output = test.web_command().output().expect("the program starts");
    let summary = test.ran(&output).code(1).json("r/summary.json");
    let outcome = |name: &str| {
        let case = items(&summary["cases"]).iter().find(|case| text(&case["name"]) == name);
        case.map_or(Value::Null, |case| case["outcome"].clone())
    };
    let told = |(name, passes): (String, bool)| {
        let has_passed = outcome(&name) == "passed";
        (name, passes, has_passed)
    };
    wanted.into_iter().map(told).collect()
}

fn assert_as_wanted(config: &str, is_all: bool) {
    let wrong: Vec<_> = outcomes(config, is_all).into_iter().filter(|(_, wanted, passed)| wanted != passed).collect();
    assert!(wrong.is_empty(), "name, whether it must pass, whether it did: {wrong:#?}");
}

#[test]
fn what_comes_a_moment_later_is_waited_for_by_devtools() {
    assert_as_wanted("{width: 600}", true);
}

#[test]
fn what_comes_a_moment_later_is_waited_for_by_webdriver() {
    assert_as_wanted("{width: 600, driver: chromedriver, protocol: webdriver}", false);
}
