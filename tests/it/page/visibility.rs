//! What a person sees of a page, in pairs: a page on which something is seen, and the same with a bug. The first must pass, and the second
//! fail with the true cause, by DevTools, by chromedriver and by plain WebDriver. The pairs stand in tests/sight/pairs.json.

use serde_json::{Value, json};

use crate::support::counterparts::program;
use crate::support::site::{on, on_view};
use crate::support::{Test, items, text};

/// Steps of a pair: the right page, two steps on it, the broken one, two steps on that.
const STEPS: usize = 6;

fn pairs() -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("../../sight/pairs.json")).expect("pairs");
    items(&all).to_vec()
}

fn body(html: &Value) -> String {
    let script = format!(
        "(() => {{ for (const one of [document.documentElement, document.body]) one.removeAttribute('style'); \
         scrollTo(0, 0); document.body.innerHTML = {html}; }})()"
    );
    format!("- evaluate: {}\n", json!(script))
}

fn steps(pair: &Value) -> String {
    let target = |timeout: f64| {
        let mut target = json!({"timeout": timeout});
        match pair.get("selector") {
            Some(selector) => target["selector"] = selector.clone(),
            None => target["text"] = pair.get("text").cloned().unwrap_or_else(|| "Sold out".into()),
        }
        target
    };
    let both = |html: &str, seen: f64, unseen: f64| {
        let page = body(&pair[html]);
        format!("{page}- assert_visible: {}\n- assert_not_visible: {}\n", target(seen), target(unseen))
    };
    // A frame's page takes a moment to come.
    both("right", 3.0, 0.1) + &both("broken", 0.1, 2.0)
}

/// Holds the pairs to what they should come to, in a browser of these settings.
fn hold(settings: &str) {
    program("chromium");
    program("chromedriver");
    let pairs = pairs();
    let all: String = pairs.iter().map(steps).collect();
    let case = format!("config: {{name: Pairs, browser: {{{settings}}}}}\nteststeps:\n- open_url: about:blank\n{all}");
    let test =
        Test::new(&["run", "case.yaml", "-c", "--screenshots", "never", "--report-dir", "r", "--device", "browser"])
            .file("case.yaml", case);
    let output = test.web_command().output().expect("the program starts");
    let ran = test.ran(&output).code(1);
    let summary = ran.json("r/summary.json");
    let steps = &items(&summary["cases"][0]["steps"])[1..];
    for (pair, steps) in pairs.iter().zip(steps.chunks(STEPS)) {
        let outcomes: Vec<&str> = steps.iter().map(|step| text(&step["outcome"])).collect();
        let said = steps[4].to_string();
        let wanted = ["passed", "passed", "failed", "passed", "failed", "passed"];
        assert_eq!(outcomes, wanted, "{settings}: {}: {said}", pair["kind"]);
        let why = text(&pair["why"]).split('"').next().unwrap_or_default();
        assert!(said.contains(why), "{settings}: {}: {said}", pair["kind"]);
    }
    assert_eq!(steps.len(), pairs.len() * STEPS);
}

#[test]
fn what_nobody_sees_is_not_visible_by_devtools() {
    hold("width: 1280, height: 800");
}

#[test]
fn what_nobody_sees_is_not_visible_by_chromedriver() {
    hold("width: 1280, height: 800, driver: chromedriver");
}

#[test]
fn what_nobody_sees_is_not_visible_by_plain_webdriver() {
    hold("width: 1280, height: 800, driver: chromedriver, protocol: webdriver");
}

/// Steps that give the page another body.
fn page(html: &str) -> String {
    body(&html.into())
}

#[test]
fn a_text_is_judged_whole_however_long_it_is() {
    let log = "document.body.innerHTML = '<pre id=long></pre><textarea id=field></textarea>'; long.textContent = 'line of the log\\n'.repeat(20000) + 'FATAL'; \
               field.value = 'x'.repeat(9000) + 'END'";
    let steps = format!(
        "- evaluate: {}
- assert_text: {{id: long, contains: FATAL}}
- assert_text: {{id: long, matches: 'FATAL$'}}
- assert_visible: {{text: FATAL, regex: true}}
- get_text: {{id: field}}
  save: field
  validate:
  - {{check: $field, assert: endswith, expect: END}}
- assert_not_visible: {{text: FATAL, regex: true, timeout: 0.5}}
",
        json!(format!("(() => {{ {log} }})()"))
    );
    on("odd.html", &steps).code(1).says("step 7, ").says("still there");
}

#[test]
fn what_is_merely_present_is_there_where_that_is_asked_for() {
    let hidden = "<div id=menu style='display:none'><button>Save</button></div><p style='color:transparent'>Secret</p>";
    let steps = page(hidden)
        + "- assert_visible: {text: Save, present: true}
- assert_visible: {text: Secret, present: true}
- get_text: {selector: '#menu > button', present: true}
- assert_count: {selector: button, equals: 0}
- assert_count: {selector: button, present: true, equals: 1}
- assert_not_visible: {text: Save, present: true, timeout: 0.3}
";
    on("odd.html", &steps).code(1).says("step 8, ").says("still there");
    let count = page(hidden) + "- assert_count: {selector: button, equals: 1, timeout: 0.3}\n";
    on("odd.html", &count).code(1).says("1 more there, but not seen: not displayed (display: none of #menu)");
}

#[test]
fn what_comes_and_goes_is_not_absent() {
    let style = "<style>@keyframes blink { 0%, 49% { opacity: 1 } 50%, 100% { opacity: 0 } } .b { animation: blink .3s infinite }</style>";
    let ways = [
        format!("{style}<p class=b>Flash</p>"),
        "<p id=f>Flash</p><img src=data:, onerror=\"setInterval(() => { f.hidden = !f.hidden }, 120)\">".to_owned(),
        "<p id=f>Flash</p><img src=data:, onerror=\"setInterval(() => { f.style.display = f.style.display ? '' : 'none' }, 400)\">".to_owned(),
        "<p id=f>Flash</p><img src=data:, onerror=\"setInterval(() => { f.textContent = f.textContent ? '' : 'Flash' }, 120)\">".to_owned(),
    ];
    for way in ways {
        let steps = page(&way) + "- assert_not_visible: {text: Flash, timeout: 1.5}\n";
        on("odd.html", &steps).code(1).says("\"Flash\": still there");
    }
    let once = "<p id=f>Flash</p><img src=data:, onerror=\"setTimeout(() => { f.hidden = true }, 120)\">";
    on("odd.html", &(page(once) + "- assert_not_visible: {text: Flash, timeout: 3}\n")).code(0);
}

#[test]
fn absence_waits_for_a_page_that_is_still_loading() {
    let late = |ms: u32| {
        format!(
            "<p>Rows</p><img src=data:, onerror=\"fetch('/after/{ms}/odd.html').then(() => {{ document.body.append('Error!') }})\">"
        )
    };
    let gone = "- assert_not_visible: {text: Error!, exact: true, timeout: 3}\n";
    on("odd.html", &(page(&late(600)) + gone)).code(1);
    let pressed = |ms: u32| {
        let button = format!(
            "<p>Rows</p><button onclick=\"fetch('/after/{ms}/odd.html').then(() => {{ document.body.append('Error!') }})\">Go</button>"
        );
        page(&button) + "- tap_element: Go\n" + gone
    };
    on("odd.html", &pressed(700)).code(1);
    let way = "driver: chromedriver, protocol: webdriver";
    let ran = on_view(way, "odd.html", &pressed(9000)).code(0);
    assert!(ran.read("r/summary.json").contains("whether the page waits for requests is not known by plain WebDriver"));
    let busy = "<p id=b aria-busy=true>Rows</p><img src=data:, onerror=\"setTimeout(() => { b.removeAttribute('aria-busy'); b.append(document.createElement('i')); \
                b.lastChild.textContent = 'Error!' }, 700)\">";
    on("odd.html", &(page(busy) + "- assert_not_visible: {text: Error!, timeout: 3}\n")).code(1);
    let never = page("<p aria-busy=true id=b>Rows</p>") + "- assert_not_visible: {text: Error!, timeout: 0.6}\n";
    let ran = on("odd.html", &never).code(0);
    assert!(ran.read("r/summary.json").contains("the page may not be complete: #b says that it is busy"));
}

#[test]
fn a_target_is_reached_as_a_finger_reaches_it_or_not_at_all() {
    let map = "<img usemap='#m' width=200 height=100 src='data:image/svg+xml,<svg xmlns=&quot;http://www.w3.org/2000/svg&quot; width=&quot;200&quot; \
               height=&quot;100&quot;/>'><map name=m><area alt=North href='#north' coords='0,0,100,100'><area alt=South shape=circle href='#south' \
               coords='150,50,30'></map>";
    let steps = page(map)
        + "- tap_element: South\n- assert_url: '/odd.html#south'\n- tap_element: North\n- assert_url: '/odd.html#north'\n";
    on("odd.html", &steps).code(0);
    // What only a script can scroll.
    let boxed = |overflow: &str| {
        page(&format!(
            "<div id=box style='overflow:{overflow};height:60px'><div style='height:400px'></div><button onclick='document.title = 1'>Go</button></div>"
        ))
    };
    on("odd.html", &(boxed("auto") + "- tap_element: Go\n- assert_title: '1'\n")).code(0);
    on("odd.html", &(boxed("hidden") + "- tap_element: {text: Go, timeout: 0.3}\n"))
        .code(1)
        .says("is there, but clipped by #box");
    for turn in ["rotate(45deg)", "scaleX(-1)", "rotateX(180deg)"] {
        let turned = format!(
            "<div style='height:90px'></div><button style='transform:{turn}' onclick='document.title = 2'>Turned</button>"
        );
        on("odd.html", &(page(&turned) + "- tap_element: Turned\n- assert_title: '2'\n")).code(0);
    }
}

#[test]
fn a_text_that_runs_through_a_short_box_is_read_in_turn() {
    let text = "Storm warning for the coast tonight";
    let shown = "- assert_visible: {text: Storm warning for the coast tonight, timeout: 60}\n";
    let boxed = |inner: &str, of: &str| {
        format!(
            "<style>@keyframes run {{ from {{ transform: translateX(130px) }} to {{ transform: translateX(-100%) }} }} \
                 .b {{ width: 130px; overflow: hidden; white-space: nowrap; {of} }}</style><div class=b>{inner}</div>"
        )
    };
    let runs =
        boxed(&format!("<span style='display: inline-block; animation: run 4s linear infinite'>{text}</span>"), "");
    on("odd.html", &(page(&runs) + shown)).code(0);
    let marquee = format!("<marquee width=130 scrollamount=12>{text}</marquee>");
    on("odd.html", &(page(&marquee) + shown)).code(0);
    on_view("driver: chromedriver, protocol: webdriver", "odd.html", &(page(&marquee) + shown)).code(0);
    // By a script, line by line.
    let ticks = boxed(text, "")
        + "<img src=data:, onerror=\"setInterval(() => { const b = document.querySelector('.b'); b.scrollLeft = (b.scrollLeft + 6) % 200 }, 60)\">";
    on("odd.html", &(page(&ticks) + shown)).code(0);
    // What stands still, and what never comes to its end, is not read whole.
    let shown = shown.replace("timeout: 60", "timeout: 3");
    on("odd.html", &(page(&boxed(text, "")) + &shown)).code(1).says("cut off");
    let swings =
        format!("<span style='display: inline-block; animation: s 1s linear infinite alternate'>{text}</span>");
    let swings = boxed(&swings, "")
        + "<style>@keyframes s { from { transform: none } to { transform: translateX(-40px) } }</style>";
    on("odd.html", &(page(&swings) + &shown)).code(1).says("cut off");
}

#[test]
fn what_comes_and_goes_is_counted_and_what_runs_is_not_absent() {
    let blinks = "<p>Head</p><p id=s>Low battery</p><img src=data:, onerror=\"setInterval(() => { s.hidden = !s.hidden }, 1400)\">";
    for check in ["equals: 0, timeout: 5", "at_most: 0, timeout: 5"] {
        let steps = page(blinks) + &format!("- assert_count: {{text: Low battery, {check}}}\n");
        on("odd.html", &steps).code(1).says("it comes and goes");
    }
    let still = page("<p>Head</p><p>Row</p><p>Row</p>");
    on(
        "odd.html",
        &(still + "- assert_count: {text: Low battery, equals: 0}\n- assert_count: {text: Row, at_most: 2}\n"),
    )
    .code(0);
    let text = "Sale ends today at noon sharp, buy now or never again";
    let marquee = page(&format!("<marquee style='width:200px' scrollamount=20>{text}</marquee>"));
    for check in [
        "assert_not_visible: {TEXT, timeout: 4}",
        "assert_count: {TEXT, equals: 0, timeout: 4}",
        "wait_for: {TEXT, gone: true, timeout: 4}",
    ] {
        let check = check.replace("TEXT", &format!("text: '{text}'"));
        on("odd.html", &(marquee.clone() + &format!("- {check}\n"))).code(1);
    }
    on("odd.html", &(marquee + "- assert_not_visible: Winter sale\n")).code(0);
}

#[test]
fn parts_of_drawings_are_called_by_their_titles() {
    for part in [
        "<g role=button tabindex=0 ACT><title>Pump</title><rect width=50 height=40 fill=blue /></g>",
        "<g ACT><title>Pump</title><rect width=50 height=40 fill=blue /></g>",
        "<rect width=50 height=40 fill=blue ACT><title>Pump</title></rect>",
        "<a href='#x' ACT><title>Pump</title><circle r=20 cx=25 cy=25 /></a>",
    ] {
        let part = part.replace("ACT", "onclick=\"t.textContent = 'hit'\"");
        let steps = page(&format!("<svg width=200 height=50>{part}</svg><p id=t>x</p>"));
        on("odd.html", &(steps + "- assert_not_visible: Valve\n- tap_element: Pump\n- assert_visible: hit\n")).code(0);
    }
}

#[test]
fn what_glides_back_was_not_dragged() {
    let card = |back: &str| {
        let style = "position:absolute;left:20px;top:20px;width:80px;height:40px;background:#ccc;touch-action:none";
        let zone = "position:absolute;left:300px;top:200px;width:200px;height:150px;border:1px solid";
        page(&format!(
            "<div id=z style='{zone}'>Zone</div><div id=a style='{style}'>Card</div><img src=data:, onerror=\"let d = 0; \
             a.onpointerdown = (e) => {{ d = 1; a.setPointerCapture(e.pointerId) }}; a.onpointermove = (e) => {{ if (d) {{ a.style.transition = 'none'; \
             a.style.left = e.clientX - 40 + 'px'; a.style.top = e.clientY - 20 + 'px' }} }}; a.onpointerup = () => {{ d = 0; \
             a.style.transition = 'all .4s'; {back} }}\">"
        )) + "- drag_to: [Card, {id: z}]\n"
    };
    on("odd.html", &card("a.style.left = a.style.top = '20px'")).code(1).says("nothing went anywhere");
    on("odd.html", &card("a.style.left = '320px'")).code(0);
}
