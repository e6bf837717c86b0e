//! What pages do to a text once it was typed: one that is taken back or cut fails the test, another form of it and what comes of a later act
//! do not.

use crate::support::Ran;
use crate::support::site::{on, on_view};

const WAYS: [&str; 2] = ["width: 900", "driver: chromedriver, protocol: webdriver"];

/// Steps that give the page a field that does something once it was typed into, and a button that does something.
fn page(does: &str, tapped: &str) -> String {
    let set = format!(
        "document.body.innerHTML = `<input aria-label=Name><input aria-label=Other id=o><button>Go</button><p id=told></p>`; const f = \
         document.querySelector('input'); f.addEventListener('input', () => {{ {does} }}); document.querySelector('button').onclick = () => \
         {{ {tapped} }}"
    );
    format!("- evaluate: \"() => {{ {set} }}\"\n")
}

#[test]
fn what_a_page_takes_back_or_cuts_was_not_typed() {
    // On a busy machine the first look may come late, and tells it as what the field did at once.
    let is_told = |ran: &Ran| {
        let said =
            ["no longer holds what was typed (\"hello1\"): the page changed", "took nothing of", "the page cut it"];
        assert!(said.iter().any(|said| ran.stderr.contains(said)), "{}", ran.stderr);
    };
    for does in ["setTimeout(() => f.value = '', 60)", "setTimeout(() => f.value = f.value.slice(0, 2), 60)"] {
        let typed = page(does, "") + "- input: {text: hello1, into: Name}\n";
        // Before the next act, before the next look, and at the end of the case.
        for then in ["- sleep: 0.15\n- tap_element: Go\n", "- sleep: 0.15\n- assert_visible: Go\n", ""] {
            is_told(&on("odd.html", &(typed.clone() + then)).code(1));
        }
        is_told(&on_view(WAYS[1], "odd.html", &(typed + "- sleep: 0.15\n- tap_element: Go\n")).code(1));
    }
    for (does, said) in [
        ("Promise.resolve().then(() => f.value = '')", "took nothing of the text"),
        ("Promise.resolve().then(() => f.value = f.value.slice(0, 2))", "the page cut it, and the field holds \"he\""),
    ] {
        for way in WAYS {
            on_view(way, "odd.html", &(page(does, "") + "- input: {text: hello1, into: Name}\n")).code(1).says(said);
        }
    }
    let secret =
        page("setTimeout(() => f.value = 'secre', 30)", "") + "- input: {text: secret12, into: Name, secret: true}\n";
    let ran = on("odd.html", &secret).code(1);
    // The step itself says `secret=true`.
    assert!(!ran.stderr.replace("secret=true", "").contains("secre"), "{}", ran.stderr);
}

#[test]
fn what_a_page_writes_in_another_form_or_empties_by_a_later_act_was_typed() {
    let rest = "- sleep: 0.15\n- tap_element: Go\n- assert_visible: {text: Go}\n";
    for (does, text) in [
        ("setTimeout(() => f.value = f.value.toUpperCase(), 30)", "hello"),
        ("setTimeout(() => f.value = Number(f.value.replace(/,/g, '')).toLocaleString('en'), 30)", "1234567"),
        ("setTimeout(() => f.value = f.value.trim(), 30)", "' hello '"),
        ("setTimeout(() => f.value = '(' + f.value.slice(0, 3) + ') ' + f.value.slice(3), 30)", "'5551234'"),
        ("f.value = f.value.replace(/[^0-9]/g, '')", "2a0b2c6"),
        ("setTimeout(() => f.value = '', 30)", "\"a tag,\""),
    ] {
        let typed = page(does, "f.value = ''; o.value = ''") + &format!("- input: {{text: {text}, into: Name}}\n");
        on("odd.html", &(typed.clone() + rest)).code(0);
        on("odd.html", &typed).code(0);
    }
    // A chat, a button that clears, a field that another one changes, a page that checks what was typed and empties the field.
    let chat = page("", "f.value = ''").replace(
        "const f",
        "addEventListener('keydown', (event) => { if (event.key === 'Enter') { told.textContent += f.value; f.value = ''; } }); const f",
    );
    let steps = "- input: {text: hello, into: Name}\n- press_button: enter\n- assert_visible: hello
- input: {text: again, into: Name}\n- press_button: enter\n- assert_visible: helloagain
- input: {text: more, into: Name}\n- tap_element: Go\n- assert_text: {selector: '[aria-label=Name]', equals: ''}
- input: {text: last, into: Name}\n- press_button: enter\n";
    on("odd.html", &(chat.clone() + steps)).code(0);
    on_view(WAYS[1], "odd.html", &(chat + steps)).code(0);
    let pair = page("", "").replace("const f", "o.addEventListener('input', () => f.value = o.value * 2); const f");
    let steps = "- input: {text: '10', into: Name}\n- input: {text: '4', into: Other}\n- tap_element: Go\n- assert_text: {selector: input, index: 0, equals: '8'}\n";
    on("odd.html", &(pair + steps)).code(0);
    let code = page("if (f.value === '0000') setTimeout(() => { f.value = ''; told.textContent = 'Wrong'; }, 150)", "");
    let steps = "- input: {text: '0000', into: Name}\n- assert_visible: Wrong\n- input: {text: '1234', into: Name}\n- tap_element: Go\n";
    on("odd.html", &(code + steps)).code(0);
}

#[test]
fn what_a_key_changes_is_told_to_the_page_before_the_next_act() {
    // As editors do: the selection is taken over in a task after the browser told of it.
    let set = "document.body.innerHTML = '<div id=e contenteditable>Some text</div>'; window.kept = ''; \
               document.addEventListener('selectionchange', () => setTimeout(() => { kept = String(getSelection()); }, 1))";
    let ask =
        |kept: &str| format!("- evaluate: \"() => {{ if (kept !== '{kept}') throw new Error('[' + kept + ']'); }}\"\n");
    let once = format!("- press_key: Control+a\n{}- press_key: ArrowLeft\n{}", ask("Some text"), ask(""));
    let steps = format!("- evaluate: \"() => {{ {set} }}\"\n- tap_element: {{id: e}}\n{}", once.repeat(8));
    for way in WAYS {
        on_view(way, "odd.html", &steps).code(0);
    }
}

#[test]
fn masks_are_filled_and_emptied() {
    let listens = |how: &str| {
        page("", "") + &format!("- evaluate: \"() => {{ const f = document.querySelector('input'); {how} }}\"\n")
    };
    // One that listens for keys alone, and one that shows what is to be filled in.
    let keys = "f.onkeyup = () => f.value = f.value.replace(/[^0-9]/g, '').replace(/([0-9]{2})$/, ',$1')";
    let form = "f.oninput = () => { const given = f.value.replace(/[^0-9]/g, '').slice(0, 4); f.value = given === '' ? '__/__' : \
                given.slice(0, 2).padEnd(2, '_') + '/' + given.slice(2).padEnd(2, '_'); f.setSelectionRange(5, 5) }";
    let steps = |typed: &str, shown: &str| {
        format!(
            "- input: {{text: '{typed}', into: Name}}\n- assert_text: {{label: Name, equals: '{shown}', timeout: 2}}\n\
             - clear_text: {{into: Name}}\n- input: {{text: '{typed}', into: Name, clear: true}}\n\
             - assert_text: {{label: Name, equals: '{shown}', timeout: 2}}\n"
        )
    };
    for way in WAYS {
        on_view(way, "odd.html", &(listens(keys) + &steps("1234", "12,34"))).code(0);
    }
    on("odd.html", &(listens(form) + &steps("2412", "24/12"))).code(0);
    // What stands there as a text is no mask.
    let kept = "f.value = 'ab'; f.oninput = () => f.value = 'ab'";
    on("odd.html", &(listens(kept) + "- clear_text: {into: Name}\n"))
        .code(1)
        .says("was emptied and holds 2 characters");
}

#[test]
fn a_field_is_looked_at_again_before_a_case_ends_whatever_was_done_last() {
    let taken = page("setTimeout(() => f.value = '', 400)", "f.value = ''") + "- input: {text: hello1, into: Name}\n";
    let ran = on("odd.html", &(taken + "- assert_visible: Go\n")).code(1);
    ran.says("no longer holds what was typed (\"hello1\")");
    // What a later act empties was sent.
    let sent = page("", "f.value = ''; told.textContent = 'Sent'")
        + "- input: {text: hello1, into: Name}\n- tap_element: Go\n- assert_visible: Sent\n";
    on("odd.html", &sent).code(0);
}

#[test]
fn a_hidden_field_that_is_emptied_as_it_is_typed_into_gets_the_text_once() {
    let set = "document.body.innerHTML = `<div id=ed tabindex=-1 style='width:300px;height:60px;position:relative'><textarea style='position:absolute;\
               width:1px;height:1px;opacity:0;border:0;padding:0'></textarea><pre id=v></pre></div>`; const t = document.querySelector('textarea'); \
               ed.onmousedown = (e) => { e.preventDefault(); t.focus() }; t.oninput = () => { v.textContent += t.value; t.value = '' }";
    let steps = format!(
        "- evaluate: \"() => {{ {set} }}\"\n- tap_element: {{selector: '#ed'}}\n- input: Hello\n- assert_text: {{id: v, equals: Hello}}\n"
    );
    on("odd.html", &steps).code(0);
}
