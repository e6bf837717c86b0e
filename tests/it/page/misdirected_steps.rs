//! Pages on which a touch, a text or an answer might go astray: it goes where it was meant, or the step says where it would have gone.

use std::time::{Duration, Instant};

use crate::support::items;
use crate::support::site::{on, on_view};

/// Steps that give the page another body.
fn body(html: &str) -> String {
    format!("- evaluate: \"document.body.innerHTML = `{html}`\"\n")
}

#[test]
fn near_means_the_line_before_the_next_one() {
    let line = |name: &str| {
        format!("<div><span>{name}</span> <button onclick='document.title = &quot;{name}&quot;'>Remove</button></div>")
    };
    let mut steps = String::new();
    for high in ["normal", "40px"] {
        let lines: String = ["Milk", "Bread", "Eggs", "Zed", "Yan", "Xia"].map(line).concat();
        steps += &body(&format!("<div style='font: 16px sans-serif; line-height: {high}'>{lines}</div>"));
        for name in ["Bread", "Eggs", "Yan", "Xia", "Milk"] {
            steps += &format!("- tap_element: {{text: Remove, near: {name}}}\n- assert_title: {name}\n");
        }
    }
    on("odd.html", &steps).code(0);
}

#[test]
fn what_stands_in_an_element_does_not_take_its_touch() {
    let inner = |name: &str| {
        format!(
            "<button onclick='event.stopPropagation(); event.preventDefault(); document.title = &quot;{name}&quot;'>{name}</button>"
        )
    };
    let opens = "onclick='event.preventDefault(); document.title = &quot;opened&quot;'";
    let middle = "style='display:flex; justify-content:center; width:300px; height:60px; align-items:center'";
    let cards = format!(
        "<div role=button tabindex=0 aria-label='Open card' {opens} {middle}>Milk {delete}</div><a href='/x' {opens} {middle}><i>Tile</i> {add}</a>\
         <table style='width:300px'><tr {opens}><td>Bob</td><td>{pay}</td><td>x</td></tr></table><ul role=tree style='width:300px'><li \
         role=treeitem aria-label='Parent item' tabindex=0 {opens}>Parent<ul><li role=treeitem tabindex=0>{child}</li></ul></li></ul>\
         <ul><li id=outer {opens} style='width:300px'>Outer<ul><li onclick='event.stopPropagation(); document.title = &quot;inner&quot;'>Inner</li>\
         <li>Last</li></ul></li></ul><div role=button tabindex=0 aria-label='Edge' {opens} style='position:relative;height:60px;width:300px'>Edge\
         <button onclick='event.stopPropagation(); document.title = &quot;cut&quot;' style='position:absolute;left:100px;top:10px;width:100px;\
         height:40px'>Cut</button></div><div role=button tabindex=0 aria-label='Only' onclick='document.title = &quot;only&quot;'><button>Buy</button></div>\
         <div role=button tabindex=0 aria-label='Full' style='width:99px;display:flex'><button style='width:99px;height:40px;margin:0' \
         aria-label='Other'></button></div>",
        delete = inner("Delete"),
        add = inner("Add"),
        pay = inner("Pay"),
        child = inner("Child"),
    );
    let mut steps = body(&cards);
    for target in [
        "Open card",
        "{selector: 'a[href]'}",
        "{selector: 'tr:has-text(\"Bob\")'}",
        "Parent item",
        "{selector: '#outer'}",
        "Edge",
    ] {
        steps += &format!("- evaluate: document.title = 'none'\n- tap_element: {target}\n- assert_title: opened\n");
    }
    steps += "- tap_element: Only\n- assert_title: only\n- tap_element: {text: Delete}\n- assert_title: Delete\n";
    on("odd.html", &steps).code(0);
    let steps = body(&cards) + "- tap_element: {text: Full, timeout: 0.3}\n";
    on("odd.html", &steps).says("\"Full\": there, but touches in it go to button \"Other\"");
}

#[test]
fn a_text_goes_to_no_field_that_the_focus_is_handed_to() {
    let fields = "<input aria-label=A onfocus='setTimeout(() => other.focus(), 0)'><input aria-label=B onfocus='Promise.resolve().then(() => \
                  other.focus())'><div contenteditable role=textbox aria-label=C onfocus='setTimeout(() => other.focus(), 0)'>c</div><input \
                  id=other aria-label=Other><label>Wrapped <input></label>";
    for name in ["A", "B", "C"] {
        let steps = body(fields) + &format!("- input: {{text: hello, into: {name}, timeout: 3}}\n");
        let ran = on("odd.html", &steps);
        let said = ran.json("r/summary.json").to_string();
        let is_told = said.contains("the field \\\"Other\\\" did: the page moved the focus there")
            || said.contains("was touched and did not get the focus");
        assert!(is_told, "{name}: {said}");
    }
    let steps = body(fields) + "- input: {text: hello, into: Other}\n- input: {text: well, into: Wrapped}\n";
    on("odd.html", &steps).code(0);
}

#[test]
fn what_nobody_sees_of_frames_and_pictures_is_not_there_and_what_objects_show_is() {
    let parts = "<object data='frame_leaf.html' width=300 height=100>Instead</object><iframe src='frame_inner.html' \
                 style='visibility:hidden'></iframe><canvas>Drawn</canvas><video>Played</video><progress value=3 max=10>Thirty</progress>";
    let steps = body(parts)
        + "- assert_visible: Leaf button
- tap_element: Leaf button
- assert_not_visible: Inner button
- assert_not_visible: Instead
- assert_not_visible: Drawn
- assert_not_visible: Played
- assert_not_visible: Thirty
- assert_not_visible: {text: Leaf button, timeout: 0.3}
";
    on("odd.html", &steps).code(1).says("step 10, ").says("\"Leaf button\": still there");
}

#[test]
fn selectors_that_select_no_elements_are_errors_rather_than_absent() {
    let page = body("<p class='a::b'>Text <a href=/>link</a></p>");
    for selector in ["//p/text()", "//a/@href", "//p/text()[1]"] {
        let steps = page.clone() + &format!("- assert_not_visible: {{selector: '{selector}', timeout: 0.2}}\n");
        on("odd.html", &steps).code(3).says("the XPath selects texts or attributes, no elements");
    }
    let steps = page
        + "- assert_visible: {selector: '//p[text()]/a[@href]'}\n- assert_visible: {selector: \"p[class='a::b']\"}\n";
    on("odd.html", &steps).code(0);
    for selector in ["p::before", "a:first-line"] {
        let output = on("odd.html", &format!("- assert_not_visible: {{selector: '{selector}', timeout: 0.2}}\n"));
        assert!(output.code.is_some_and(|code| code > 1), "{selector}");
    }
}

#[test]
fn a_choice_that_the_page_takes_back_a_moment_later_was_not_made() {
    let list = "<select id=s aria-label=Size onchange='Promise.resolve().then(() => s.value = &quot;A&quot;)'><option>A<option>B</select>";
    let steps = body(list) + "- select_option: {option: B, from: Size}\n";
    on("odd.html", &steps).code(1).says("the page changed the choice to \"A\"");
}

#[test]
fn a_page_that_is_not_left_after_all_goes_on_at_once() {
    let steps = "- evaluate: \"addEventListener('beforeunload', (event) => event.preventDefault())\"
- tap_element: All pages
- dismiss_dialog: {}
- assert_url: /fetched.html
- tap_element: News
- assert_visible: {selector: '#view', timeout: 5}
";
    let ran = on("fetched.html", steps).code(0);
    let summary = ran.json("r/summary.json");
    let taken: Vec<f64> =
        items(&summary["cases"][0]["steps"]).iter().filter_map(|step| step["elapsed_ms"].as_f64()).collect();
    assert!(taken[4] < 8000.0 && taken[5] < 8000.0, "{taken:?}");
    let steps = "- evaluate: \"addEventListener('beforeunload', (event) => event.preventDefault())\"
- tap_element: News
- reload: {}
";
    on("fetched.html", steps).says("the page asks whether it may be left (beforeunload), and was not left");
}

#[test]
fn pages_are_told_of_a_mouse_where_there_is_one() {
    let asked = "- evaluate: \"['hover: hover', 'any-hover: hover', 'pointer: fine', 'any-pointer: fine'].map((one) => matchMedia('(' + one + \
                 ')').matches).join()\"
  save: told
";
    on("odd.html", &format!("{asked}- assert_value: {{value: $told, equals: 'true,true,true,true'}}\n")).code(0);
    let mut asked = asked.replace("hover: hover", "hover: none").replace("pointer: fine", "pointer: coarse");
    asked += "- assert_value: {value: $told, equals: 'true,true,true,true'}\n- evaluate: screen.orientation.type\n  save: lies\n";
    for (view, lies) in [("", "portrait-primary"), (", width: 800, height: 400", "landscape-primary")] {
        let asked = format!("{asked}- assert_value: {{value: $lies, equals: {lies}}}\n");
        on_view(&format!("mobile: true{view}"), "odd.html", &asked).code(0);
    }
}

#[test]
fn a_page_that_grows_at_its_end_is_scrolled_on() {
    let grows = "let n = 0, busy = false; document.body.innerHTML = '<div id=all></div>'; const more = () => { busy = false; for (let i = 0; i < 20; i++) \
                 all.insertAdjacentHTML('beforeend', '<p style=height:40px>Item ' + ++n + '</p>'); }; more(); addEventListener('scroll', () => { if \
                 (!busy && scrollY + innerHeight > document.body.scrollHeight - 50 && n < 60) { busy = true; setTimeout(more, 700); } })";
    let steps = format!(
        "- evaluate: \"(() => {{ {grows} }})()\"\n- scroll_to: {{text: Item 50, max_swipes: 60}}\n- assert_visible: Item 50\n"
    );
    on("odd.html", &steps).code(0);
}

#[test]
fn what_is_typed_as_a_person_does_is_typed_by_keys() {
    let fields = "<input aria-label=Tags onkeydown='if (event.key === &quot;,&quot;) { event.preventDefault(); tags.textContent += value + &quot;;&quot;; \
                  value = &quot;&quot; }'><p id=tags></p><input id=year aria-label=Year onkeydown='if (event.key < &quot;0&quot; || event.key > \
                  &quot;9&quot;) event.preventDefault()'>";
    let steps = body(fields)
        + "- sim_input: {text: 'Red,gréen,', into: Tags}
- assert_text: {id: tags, equals: 'Red;gréen;'}
- sim_input: {text: '2a0b2!6', into: Year}
- assert_text: {id: year, equals: '2026'}
";
    on("odd.html", &steps).code(0);
}

#[test]
fn texts_without_a_box_of_their_own_are_seen_and_touched() {
    let host = |name: &str, shadow: &str, light: &str| {
        format!("<{name}>{light}</{name}><template data-for={name}>{shadow}</template>")
    };
    let page = [
        host("x-fall", "<p><slot>Error: payment failed</slot></p>", ""),
        host("x-bare", "<slot name=foot>Bare fallback</slot>", ""),
        host("x-given", "<div><slot></slot></div>", "Given text"),
        host("x-hidden", "<div style=display:none><slot></slot></div>", "Never shown"),
        host("x-folded", "<details><summary>Fold</summary><slot></slot></details>", "Folded away"),
        host("x-skipped", "<div style=content-visibility:hidden><slot></slot></div>", "Skipped"),
        host("x-empty", "<b>Own</b>", "Given to no slot"),
        "<span style=display:contents onclick='document.title = &quot;touched&quot;'>Contents text</span><div \
         style=display:contents;overflow:hidden>Two <b>parts</b></div>"
            .to_owned(),
    ]
    .concat();
    let attach = "document.querySelectorAll('template').forEach((one) => document.querySelector(one.dataset.for).attachShadow({mode: 'open'})\
                  .append(one.content))";
    let mut steps = body(&page) + &format!("- evaluate: \"{attach}\"\n");
    for shown in
        ["'Error: payment failed'", "Bare fallback", "Given text", "Contents text", "Two parts", "parts", "Own"]
    {
        steps += &format!("- assert_visible: {shown}\n");
    }
    for unseen in ["Never shown", "Folded away", "Skipped", "Given to no slot"] {
        steps += &format!("- assert_not_visible: {unseen}\n");
    }
    steps +=
        "- tap_element: Contents text\n- assert_title: touched\n- tap_element: Fold\n- assert_visible: Folded away\n";
    on("odd.html", &steps).code(0);
    for shown in ["'Error: payment failed'", "Given text", "Contents text"] {
        let steps =
            body(&page) + &format!("- evaluate: \"{attach}\"\n- assert_not_visible: {{text: {shown}, timeout: 0.3}}\n");
        on("odd.html", &steps).code(1).says("still there");
    }
}

#[test]
fn an_editor_that_keeps_its_text_was_not_emptied() {
    let editor = "(() => { document.body.innerHTML = '<div id=e contenteditable role=textbox aria-label=Model>old</div>'; let model = 'old'; \
                  e.addEventListener('beforeinput', (event) => { event.preventDefault(); if (event.inputType === 'insertText') model += event.data; \
                  e.textContent = model; }); })()";
    let steps = format!("- evaluate: \"{editor}\"\n- input: {{text: new, into: Model, clear: true}}\n");
    on("odd.html", &steps).code(1).says("was not emptied: the page kept what stood in it, which holds \"oldnew\" now");
}

#[test]
fn several_that_match_are_told_with_what_keeps_touches_from_them() {
    let cells = "<button>24</button><button aria-disabled=true>24</button><button>Save</button><div id=veil style='position:fixed;inset:100px \
                 0 0 0'><button>Save</button></div>";
    on("odd.html", &(body(cells) + "- tap_element: {text: 24, timeout: 0.3}\n"))
        .code(1)
        .says("; button \"24\" at ")
        .says(" (disabled)");
    let covered = cells.replace("inset:100px", "inset:0");
    on("odd.html", &(body(&covered) + "- tap_element: {text: Save, timeout: 0.3}\n"))
        .code(1)
        .says("; button \"Save\" at ")
        .says(" (under ");
}

#[test]
fn a_page_that_was_wiped_fails_what_is_looked_for() {
    for wipe in ["document.documentElement.remove()", "document.open() && 1"] {
        for step in ["assert_visible: {text: News, timeout: 0.3}", "assert_not_visible: {text: News, timeout: 0.3}"] {
            on("odd.html", &format!("- evaluate: \"{wipe}\"\n- {step}\n"))
                .code(1)
                .says("has nothing in it, not even a root element");
        }
    }
}

#[test]
fn a_tab_that_is_new_is_in_front_whoever_opened_it() {
    let link = |rel: &str| format!("<a href=tab_second.html target=_blank rel={rel}>Link</a>");
    let steps: String = ["noopener", "opener"]
        .map(|rel| body(&link(rel)) + "- tap_element: Link\n- assert_title: Second tab\n- web_close_tab: {}\n")
        .concat();
    for way in ["width: 900", "driver: chromedriver"] {
        on_view(way, "odd.html", &steps).code(0);
    }
}

#[test]
fn a_tab_that_becomes_a_download_holds_up_nothing() {
    let link = body("<a href=files/report.bin target=_blank>Report</a>");
    let steps = link + &"- tap_element: Report\n- assert_title: Odd\n".repeat(5);
    let began = Instant::now();
    on_view("downloads: got", "odd.html", &steps).code(0);
    on_view("width: 900", "odd.html", &steps).code(0);
    assert!(began.elapsed() < Duration::from_secs(25), "took {:?}", began.elapsed());
}

#[test]
fn a_dialog_of_a_tab_behind_is_told_and_answered() {
    let opens = "<button onclick='window.open(&quot;tab_second.html&quot;); setTimeout(() => document.title = confirm(&quot;Stay?&quot;), 300)'>\
                 Open</button>";
    let opened = body(opens) + "- tap_element: Open\n";
    let steps = "- accept_dialog: {contains: Stay}\n- assert_visible: Second tab\n- tap_element: Send a message\n- assert_visible: sent\n- switch_tab: 0\n- assert_title: 'true'\n";
    on("odd.html", &(opened.clone() + steps)).code(0);
    let late = "- sleep: 1\n- tap_element: {text: Send a message, timeout: 2}\n";
    on("odd.html", &(opened + late)).code(1).says("is open (confirm): \"Stay?\"; accept or dismiss it first");
}

#[test]
fn a_request_that_nobody_answered_or_of_a_page_before_was_not_answered() {
    let refused = "- evaluate: \"fetch('http://127.0.0.1:9/refused').catch(() => 0)\"\n- wait_for: {request: /refused, timeout: 0.5}\n";
    on("odd.html", refused).code(1).says("no request to an address with \"/refused\" was answered");
    let answered = "- evaluate: fetch('style.css?asked').then(() => 0)\n";
    let waits = "- wait_for: {request: '?asked', timeout: 0.5}\n";
    on("odd.html", &(answered.to_owned() + waits)).code(0);
    on("odd.html", &(answered.to_owned() + "- open_url: about:blank\n" + waits))
        .code(1)
        .says("no request to an address");
}

#[test]
fn hyphens_and_spaces_that_nobody_sees_are_not_in_a_text() {
    let texts = body(
        "<button onclick=this.hidden=true>Donau&shy;dampf&shy;schiff</button><p>super&#8203;cali&#8288;fragil</p>",
    );
    let steps = "- assert_visible: supercalifragil\n- assert_text: {selector: p, equals: supercalifragil}\n- tap_element: Donaudampfschiff\n- assert_not_visible: Donaudampfschiff\n";
    on("odd.html", &(texts + steps)).code(0);
}

#[test]
fn a_page_rests_though_the_one_before_still_asked_for_something() {
    let asks = "- evaluate: \"(() => { fetch('/after/8000/notes.txt'); })()\"\n";
    let steps = asks.to_owned()
        + "- open_url: about:blank\n- wait_for: {idle: true, timeout: 3}\n- back:\n- wait_for: {idle: true, timeout: 3}\n";
    on("odd.html", &steps).code(0);
    on("odd.html", &(asks.to_owned() + "- wait_for: {idle: true, timeout: 1}\n")).code(1).says("under way: 1");
}

#[test]
fn cookies_that_no_browser_takes_are_told_before_anything_runs() {
    for (cookie, why) in [
        ("{name: a, value: 'x;y'}", "`value` holds neither ; nor control characters"),
        ("{name: 'a=b', value: x}", "`name` holds neither =, ; nor control characters"),
        ("{name: __Host-a, value: x}", "__Host- has `secure: true`"),
        ("{name: __secure-a, value: x}", "__Secure- has `secure: true`"),
    ] {
        on("odd.html", &format!("- set_cookie: {cookie}\n")).code(2).says(why);
    }
}

/// Something in a box that is not there for a moment once the mouse has come over it.
fn shy(leaves: &str, comes: &str) -> String {
    format!(
        "<div id=box onclick='document.title += &quot; box&quot;' ondblclick='document.title += &quot; twice&quot;' oncontextmenu='document.title \
         += &quot; menu of &quot; + event.target.id'>In a box <span id=shy draggable=true style='display:inline-block;width:30px;height:14px;background:red' \
         onpointerover='if (!this.once) {{ this.once = true; {leaves}; setTimeout(() => {{ {comes} }}, 300) }}' onclick='document.title += \
         &quot; met&quot;' ondragstart='document.title += &quot; taken&quot;'></span></div><div id=there>There</div>"
    )
}

#[test]
fn a_touch_is_no_touch_of_what_leaves_as_the_mouse_comes() {
    let narrow = shy("this.style.width = 0", "this.style.width = &quot;30px&quot;");
    let unseen = shy("this.style.visibility = &quot;hidden&quot;", "this.style.visibility = &quot;&quot;");
    for page in [narrow, unseen] {
        for (step, title) in [
            ("tap_element: {id: shy}", "met box"),
            ("long_press: {id: shy, duration: 0.5}", "met box"),
            ("secondary_click_by_selector: '#shy'", "menu of shy"),
            ("drag_to: {from: '#shy', to: '#there'}", "taken"),
        ] {
            let steps = body(&page)
                + &format!(
                    "- evaluate: document.title = ''\n- {step}\n- assert_title: {{equals: '{title}', timeout: 1}}\n"
                );
            on("odd.html", &steps).code(0);
        }
    }
}

#[test]
fn what_leaves_for_good_as_the_mouse_comes_is_not_touched_and_neither_is_its_box() {
    let page = shy("this.style.width = 0", "this.style.width = 0");
    let steps = body(&page) + "- evaluate: document.title = 'none'\n- tap_element: {id: shy, timeout: 1}\n";
    on("odd.html", &(steps.clone() + "- assert_title: none\n"))
        .code(1)
        .says("touch blocked: div#box \"In a box\" came over it");
}

#[test]
fn an_option_that_a_list_shows_belongs_to_the_list() {
    let options: String = (1..=5).map(|number| format!("<option>Option {number}")).collect();
    let lists = format!("<select id=several multiple>{options}</select><select id=one size=5>{options}</select>");
    let steps = body(&lists)
        + "- select_option: {option: [Option 2, Option 5], from: {id: several}, timeout: 1}
- select_option: {option: Option 4, from: {id: one}, timeout: 1}
- evaluate: \"[...document.querySelectorAll('option')].filter((one) => one.selected).map((one) => one.text).join()\"
  save: chosen
- assert_value: {value: $chosen, equals: 'Option 2,Option 5,Option 4'}
";
    on("odd.html", &steps).code(0);
}

#[test]
fn a_field_of_many_lines_scrolls() {
    for disabled in ["", "disabled"] {
        let lines: String = (0..60).map(|number| format!("line {number}&#10;")).collect();
        let field = format!("<textarea id=lines {disabled} style='width:150px;height:80px'>{lines}</textarea>");
        let steps = body(&field)
            + "- scroll: {direction: down, within: {id: lines}}
  save: {first: moved}
- assert_value: {value: $first, equals: true}
- scroll: {direction: down, amount: 20, within: {id: lines}}
- scroll: {direction: down, within: {id: lines}}
  save: {last: end}
- assert_value: {value: $last, equals: true}
- evaluate: document.getElementById('lines').scrollTop > 500
  save: far
- assert_value: {value: $far, equals: true}
";
        on("odd.html", &steps).code(0);
    }
}

#[test]
fn selectors_may_name_any_tag() {
    let page = "<svg width=50 height=50 id=drawn><polygon points='0,0 40,0 40,40'/></svg><ruby>漢<rt>kan</rt></ruby> <data value=3>three</data>";
    let steps = body(page)
        + "- assert_visible: {selector: '#drawn > polygon'}
- assert_visible: {selector: ruby}
- assert_text: {selector: data, equals: three}
- assert_not_visible: {selector: ellipse}
";
    on("odd.html", &steps).code(0);
}

#[test]
fn words_that_are_indented_away_name_a_button_and_are_nothing_else() {
    let style = "style='text-indent:-9999px;display:inline-block;width:24px;height:24px;background:#ccc";
    let buttons = format!(
        "<button {style};overflow:hidden' title=X onclick='document.title += &quot;a&quot;'>Close</button><button {style}' onclick='document.title \
         += &quot;b&quot;'>Previous</button><a href='#n' {style}' onclick='document.title += &quot;c&quot;'><span>Next</span></a><p {style}'>Sold out</p>"
    );
    let steps = body(&buttons)
        + "- evaluate: document.title = ''
- tap_element: {text: Close, timeout: 1}
- tap_element: {role: button, text: Previous, timeout: 1}
- tap_element: {text: Next, timeout: 1}
- assert_title: abc
- assert_not_visible: Sold out
";
    on("odd.html", &steps).code(0);
}

#[test]
fn a_field_that_is_disabled_as_it_gets_the_focus_says_so() {
    let steps = body("<input aria-label=Code onfocus='this.disabled = true'>") + "- input: {text: hello, into: Code}\n";
    on("odd.html", &steps)
        .code(1)
        .says("textfield \"Code\" was disabled as it got the focus, so that it takes no text");
}
