//! Texts as models write them, and the calls in them.

use serde_json::json;

use super::*;

fn is_known(name: &str) -> bool {
    ["web", "go", "back", "uixt"].contains(&name)
}

/// Returns the calls as `server.tool {…}`.
fn read(text: &str) -> Result<Vec<String>, String> {
    let found = read_calls(text, &is_known).map_err(|refused| refused.to_string())?;
    let written = |call: &Call| format!("{}.{} {}", call.server, call.tool, json!(call.arguments));
    Ok(found.calls.iter().map(written).collect())
}

#[test]
fn calls_are_found_among_whatever_else_is_said() {
    let go = "web.go {\"u\":1}";
    for (text, calls) in [
        ("<web><go>{\"u\": 1}</go></web>", vec![go]),
        ("<web>\n  <go>\n    {\n\"u\": 1\n}\n  </go>\n</web>\n", vec![go]),
        ("Sure! 1 < 2 & <b>x</b>:\n```xml\n<web><go>{\"u\": 1}</go></web>\n```\nDone <ok>.", vec![go]),
        ("<web><go>```json\n{\"u\": 1}\n```</go></web>", vec![go]),
        ("<web> I go <go>{\"u\": 1}</go> now </web>", vec![go]),
        ("<web><go>{\"u\": 1}</go></web> and <web> is done.", vec![go]),
        ("<web><go>{\"u\": 1}</go>\n<back></back><back/></web>", vec![go, "web.back {}", "web.back {}"]),
        (
            "<web><back>{}</back></web> then <uixt><go>\"{\\\"u\\\": 1}\"</go></uixt>",
            vec!["web.back {}", "uixt.go {\"u\":1}"],
        ),
        ("<tool_calls><web><go>{\"u\": 1}</go></web></tool_calls>", vec![go]),
        ("<think>maybe <x><y>{\"a\": 1}</y></x></think><web><go>{\"u\": 1}</go></web>", vec![go]),
        ("<answer>{\"u\": 2}</answer><web><go>{\"u\": 1}</go></web>", vec![go]),
        ("<ul><li>one</li><li>two</li></ul><p><br/></p><web><go>{\"u\": 1}</go></web>", vec![go]),
        ("<web><go>{\"u\": \"</go></web>\"}</go></web>", vec!["web.go {\"u\":\"</go></web>\"}"]),
        ("<web><go>{&quot;u&quot;: 1}</go></web>", vec![go]),
        // Nobody knows these names: whoever sends calls says so.
        ("<wbe><og>{\"u\": 1}</og></wbe>", vec!["wbe.og {\"u\":1}"]),
        ("<wbe><back></back></wbe>", vec!["wbe.back {}"]),
        ("<mcp-search.tool><list_x>{}</list_x></mcp-search.tool>", vec!["mcp-search.tool.list_x {}"]),
    ] {
        assert_eq!(read(text), Ok(calls.into_iter().map(str::to_owned).collect()), "{text}");
    }
}

#[test]
fn what_looks_like_a_call_and_is_none_refuses_the_text() {
    let good = "<web><back>{}</back></web>\n";
    for (text, words) in [
        ("<web><go>{\"u\": 1}", "`<go>`: is not closed"),
        ("<web><go>{\"u\": 1", "`<go>`: the arguments are not JSON: EOF"),
        ("<web><go>", "`<go>` is not closed"),
        ("<web><go>{\"u\": 1}</go>", "`<web>` is not closed"),
        ("<web>", "no call"),
        ("<web><go>{\"u\": 1}</web></go>", "`</web>` stands where `</go>` is expected"),
        ("<web><go>{\"u\": 1}</go></wbe>", "`</wbe>` stands where `</web>` is expected"),
        ("<web><go>{\"u\": 1}</go><web><go>{}</go></web>", "`<web>` stands where `</web>` is expected"),
        ("<web><go>{\"u\": 1} or so</go></web>", "`<go>`: there is text after the arguments: `or so`"),
        ("<web><go>{\"u\": 1}{\"u\": 2}</go></web>", "text after the arguments"),
        ("<web><go>{\"u\": 1, \"u\": 2}</go></web>", "`u` is given twice"),
        ("<web><go>{'u': 1}</go></web>", "strings stand in double quotes"),
        ("<web><go>[1]</go></web>", "must be a JSON object, not [1]"),
        ("<web><go>http://a/</go></web>", "`<go>`: the arguments are not JSON"),
        ("<web><go><u>1</u></go></web>", "not JSON"),
        ("<web><go u=\"1\">{}</go></web>", "attributes are not taken"),
        ("<web>{\"u\": 1}</web>", "`<web>` has arguments and no server around it"),
        ("<web><go>{}</go>{\"u\": 1}</web>", "belongs to no tool"),
        ("<go>{\"u\": 1}</go>", "`<go>` has arguments and no server around it"),
        ("<tool_call>{\"name\": \"go\"}</tool_call>", "no server around it"),
        ("go>{\"u\": 1}</go></web>", "`</go>` closes nothing"),
        ("go http://a/</go>", "`</go>` closes nothing"),
        ("<go>http://a/</go>", "`<go>` names no tool"),
        ("{\"u\": 1}</xyz>", "`</xyz>` closes nothing"),
        ("<think>I might <web><go>{}</go></web>", "`<think>` is not closed"),
        ("<web/>", "there is no server around it"),
    ] {
        for text in [text.to_owned(), format!("{good}{text}")] {
            if words == "no call" && text.starts_with(good) {
                continue;
            }
            let message = read(&text).expect_err(&text);
            assert!(message.contains(words), "{text}: {message}");
        }
    }
    assert_eq!(
        read("a\n\n<web>\n<go>{</go></web>").expect_err("broken").split_once(':').expect("two parts").0,
        "line 4"
    );
}

#[test]
fn what_is_passed_over_is_noted() {
    let found = read_calls("<think><web><go>{}</go></web></think><!-- <web> --><web><back/></web>", &is_known)
        .expect("one call");
    assert_eq!(
        found.notes,
        ["line 1: `<web>` within a thought is not called", "line 1: `<web>` within a comment is not called"]
    );
    let found = read_calls("<web><go>{}</go></web>\nno</think>\n<web><back/></web>", &is_known).expect("one call");
    assert_eq!((found.calls.len(), found.calls[0].line), (1, 3));
    assert_eq!(found.notes, ["line 1: `<go>` within a thought is not called"]);
    let none = read("<think><web><go>{}</go></web></think>").expect_err("no call");
    assert_eq!(
        none,
        "line 1: no call `<server><tool>{…}</tool></server>` in the text; line 1: `<web>` within a thought is not called"
    );
    assert!(read("nothing to do").is_err() && read("").is_err());
}

#[test]
fn what_is_only_shown_is_not_called() {
    let go = "web.go {\"u\":1}";
    let call = "<web><go>{\"u\": 1}</go></web>";
    for (text, calls) in [
        (format!("For example:\n```xml\n<web><back/></web>\n<web><back/></web>\n```\nNow:\n{call}"), 1),
        (format!("Write `<web><back/></web>` to go back.\n{call}"), 1),
        (format!("E.g. <web><back/></web> or <web><back/></web>. I do: {call}"), 1),
        (format!("> <web><back/></web>\n\nI do it:\n```\n{call}\n```"), 1),
        (format!("For example, <web><back>{{…}}</back></web>.\n{call}"), 1),
        (format!("<b>Note</b>, for example: <tool_calls><web><back/></web></tool_calls>\nSo: {call}"), 1),
        (format!("<examples><web><back/></web></examples>{call}"), 1),
        (format!("I open the Example Domain: {call}"), 1),
        (format!("For example, it may be slow. I try: {call}{call}"), 2),
        (format!("{call}\nSay \"for example\" to:\n{call}"), 2),
    ] {
        assert_eq!(read(&text), Ok(vec![go.to_owned(); calls]), "{text}");
    }
    let none = read("For example: <web><back/></web>").expect_err("no call");
    assert!(none.contains("line 1: `<web>` in an example or a quotation is not called"), "{none}");
}

#[test]
fn sizes_are_bounded() {
    let many = "<web><back/></web>".repeat(MOST_CALLS + 1);
    assert!(read(&many).expect_err("too many").contains("more than 100 calls"));
    assert!(read(&" ".repeat(LARGEST + 1)).expect_err("too long").contains("longer than 1 MiB"));
}
