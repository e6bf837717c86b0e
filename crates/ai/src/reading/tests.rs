//! Replies as models write them, each beside what it means.

use serde_json::json;

use super::*;
use crate::Called;

/// Tools that a model may call by their own schemas.
fn tool(name: &str) -> Option<String> {
    let bare = name.strip_prefix("uixt__").unwrap_or(name);
    ["tap_element", "input", "swipe", "browser_use_execute_task", "assert_visible"]
        .contains(&bare)
        .then(|| bare.to_owned())
}

fn read(text: &str) -> Result<Plan, Unreadable> {
    plan(&Reply { text: text.to_owned(), ..Reply::default() }, Scale::Thousand, tool)
}

/// Returns the acts of a reply, each as `tool {arguments}`.
fn acts(text: &str) -> Vec<String> {
    let plan = read(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    plan.acts.iter().map(|act| format!("{} {}", act.tool, Value::Object(act.arguments.clone()))).collect()
}

const TAP: &str = r#"tap_xy {"x":0.1,"y":0.2}"#;

#[test]
fn the_same_tap_in_every_spelling() {
    for text in [
        "Thought: The button is there.\nAction: click(start_box='(100,200)')",
        "Thought: x\nAction: click(start_box=\"(100, 200)\")",
        "Action: click(start_box='[100,200]')",
        "Action: click(start_box='[90,190,110,210]')",
        "Action: click(start_box='<bbox>90 190 110 210</bbox>')",
        "Action: click(point='<point>100 200</point>')",
        "Action: click(start_point='<point>100 200</point>')",
        "Action: click(start_box='<|box_start|>(100,200)<|box_end|>')",
        "Action: click(start_box=(100,200))",
        "Action: click(start_box=[100, 200])",
        "Action:\n```\nclick(start_box='(100,200)')\n```",
        "Action: `click(start_box='(100,200)')`",
        "思考：点击按钮\n行动：click(start_box='(100,200)')",
        "思考: 点击\n动作: click（start_box＝‘（100，200）’）",
        "Reflection: it did not work\nAction_Summary: once more\nAction: click(start_box='(100,200)')",
        "click(start_box='(100,200)')",
        "1. click(start_box='(100,200)')",
        "<think>Where? There.</think>\nAction: click(start_box='(100,200)')",
        "Where? There.</think>\nThought: x\nAction: click(start_box='(100,200)')",
        "Action: tap(x=100, y=200)",
        "Action: left_single(start_box='(100,200)')",
        "Action: click(start_box='(100,200)')\n\n",
        r#"{"actions":[{"action_type":"click","action_inputs":{"start_box":[100,200]}}],"thought":"x"}"#,
        r#"{"actions":[{"action_type":"click","action_inputs":{"start_box":[90,190,110,210]}}],"thought":"x","error":null}"#,
        r#"{"actions":[{"action_type":"click","action_inputs":{"start_box":"(100,200)"}}],"error":""}"#,
        "```json\n{\"actions\": [{\"action_type\": \"click\", \"action_inputs\": {\"start_box\": [100, 200,],},},],}\n```",
        "I will tap it.\n```\n{\"action\": \"click\", \"coordinate\": [100, 200]}\n```\nThat is all.",
        "Here: {'action': 'click', 'point': (100, 200)}".replace("(100, 200)", "[100, 200]").as_str(),
        r#"{"action_type":"click","action_inputs":{"x":100,"y":200}}"#,
        r#"[{"name":"click","arguments":{"point":{"x":100,"y":200}}}]"#,
        r#"{"type":"function","function":{"name":"click","arguments":"{\"start_box\": \"(100,200)\"}"}}"#,
        "{“actions”：[{“action_type”：“click”，“action_inputs”：{“start_box”：[100，200]}}]}",
        "{\"thought\": \"x\", \"actions\": [{\"action_type\": \"click\", // there\n \"action_inputs\": {\"start_box\": [100, 200]}}], \"error\": None}",
        "<click>{\"start_box\": [100, 200]}</click>",
        r#"{"actions":["click(start_box='(100,200)')"]}"#,
    ] {
        assert_eq!(acts(text), [TAP], "{text}");
    }
}

#[test]
fn every_action_means_a_tool() {
    for (text, wanted) in [
        ("Action: left_double(start_box='(100,200)')", r#"double_tap_xy {"x":0.1,"y":0.2}"#),
        ("Action: right_single(start_box='(100,200)')", r#"secondary_click {"x":0.1,"y":0.2}"#),
        ("Action: long_press(start_box='(100,200)')", r#"tap_xy {"x":0.1,"y":0.2,"duration":1}"#),
        (
            "Action: drag(start_box='(100,200)', end_box='(300,400)')",
            r#"drag {"from_x":0.1,"from_y":0.2,"to_x":0.3,"to_y":0.4}"#,
        ),
        ("Action: scroll(start_box='(100,200)', direction='down')", r#"scroll {"direction":"down"}"#),
        ("Action: scroll(direction='UP', point='<point>1 2</point>')", r#"scroll {"direction":"up"}"#),
        ("Action: type(content='小明, it\\'s (you)\\n')", "input {\"text\":\"小明, it's (you)\\n\"}"),
        ("Action: type(content='It's (mine), too')", r#"input {"text":"It's (mine), too"}"#),
        ("Action: type(content=\"say \"hi\" now\")", r#"input {"text":"say \"hi\" now"}"#),
        ("Action: hotkey(key='ctrl c')", r#"press_key {"key":"ctrl+c"}"#),
        ("Action: wait()", r#"sleep {"seconds":1.0}"#),
        ("Action: wait(seconds='3')", r#"sleep {"seconds":3.0}"#),
        ("Action: press_home()", "home {}"),
        ("Action: press_back()", "back {}"),
        ("Action: open_app(app_name='设置')", r#"swipe_to_tap_app {"app_name":"设置"}"#),
        ("Thought: All is done.\nAction: finished(content='It is bought.')", r#"finished {"content":"It is bought."}"#),
        ("Action: finished()", r#"finished {"content":""}"#),
        (
            "<browser_use>\n<browser_use_execute_task>\n{\"task\": \"搜索\", \"max_steps\": 10}\n</browser_use_execute_task>\n</browser_use>",
            r#"browser_use_execute_task {"task":"搜索","max_steps":10}"#,
        ),
        ("<tap_element>{\"ref\": \"e5\"}</tap_element>", r#"tap_element {"ref":"e5"}"#),
        (r#"{"name": "uixt__tap_element", "arguments": {"ref": "e5"}}"#, r#"tap_element {"ref":"e5"}"#),
    ] {
        assert_eq!(acts(text), [wanted], "{text}");
    }
}

#[test]
fn several_actions_are_all_read() {
    let two = "Thought: both\nAction: click(start_box='(100,200)')\n\ntype(content='x')";
    assert_eq!(acts(two), [TAP, r#"input {"text":"x"}"#]);
    assert_eq!(acts("Action: click(start_box='(100,200)')\nAction: type(content='x')"), [TAP, r#"input {"text":"x"}"#]);
    assert_eq!(read(two).expect("a plan").thought, "both");
    let json = r#"{"thought":"t","actions":[{"action_type":"press_home","action_inputs":{}},{"action_type":"wait","action_inputs":null}]}"#;
    assert_eq!(acts(json), ["home {}", r#"sleep {"seconds":1.0}"#]);
    assert_eq!(read(json).expect("a plan").thought, "t");
}

#[test]
fn calls_of_tools_are_read_by_the_tool_s_own_schema() {
    let called = |name: &str, arguments: &str| {
        let calls = vec![Called { name: name.to_owned(), arguments: arguments.to_owned() }];
        plan(&Reply { text: "I tap it.".to_owned(), calls, ..Reply::default() }, Scale::Thousand, tool)
    };
    let plan = called("uixt__tap_element", "{\"ref\": \"e5\",}").expect("a plan");
    assert_eq!((plan.thought.as_str(), plan.acts[0].tool.as_str()), ("I tap it.", "tap_element"));
    assert!(matches!(called("rm_rf", "{}"), Err(Unreadable::Unknown(name)) if name == "rm_rf"));
    assert!(matches!(called("tap_element", "{\"ref\": "), Err(Unreadable::NoArguments { .. })));
    assert!(matches!(called("tap_element", "[1]"), Err(Unreadable::NoArguments { .. })));
}

#[test]
fn a_reply_without_a_plan_is_an_error_and_no_end() {
    for text in [
        "I am not sure what to do.",
        "Thought: nothing to do\nAction:",
        "Thought: nothing to do\nAction: ",
        r#"{"actions":[],"thought":"done"}"#,
        r#"{"thought":"done"}"#,
        "{}",
        "[]",
        "```json\n```",
        "finished",
        "<b>Sorry</b>",
        "Action: click it",
        "Action: click(start_box='(100,200)'",
        "Action: click(start_box='(100,200)') and then wait",
        "Action: explode(start_box='(100,200)')",
        "Action: click()",
        "Action: click(start_box='here')",
        "Action: click(start_box='(100,2000)')",
        "Action: click(start_box='(-1,20)')",
        "Action: click(start_box='(NaN,20)')",
        "Action: click(start_box='(1,2,3)')",
        "Action: click(start_box='[300,300,100,100]')",
        "Action: drag(start_box='(1,2)')",
        "Action: scroll(direction='sideways')",
        "Action: scroll()",
        "Action: type()",
        "Action: call_user(content='Which account?')",
        r#"{"actions":[{"action_type":"click"}]}"#,
        r#"{"actions":[{"action_inputs":{"start_box":[1,2]}}]}"#,
        r#"{"actions":["click"]}"#,
        r#"{"actions":[1]}"#,
        r#"{"actions":[],"error":"I cannot see it"}"#,
        "{\"actions\":[{\"action_type\":\"click\",\"action_inputs\":{\"start_box\":[100,200]}}",
    ] {
        assert!(read(text).is_err(), "{text}: {:?}", read(text));
    }
    assert_eq!(read("Action: call_user(content='Which?')"), Err(Unreadable::GaveUp("Which?".to_owned())));
    assert_eq!(read(r#"{"actions":[],"error":"no button"}"#), Err(Unreadable::GaveUp("no button".to_owned())));
}

#[test]
fn places_are_read_by_the_model_s_scale() {
    let at = |scale: Scale| {
        let text = "Action: click(start_box='(50,100)')".to_owned();
        plan(&Reply { text, ..Reply::default() }, scale, tool).map(|plan| plan.acts[0].arguments.clone())
    };
    assert_eq!(at(Scale::Pixels(100.0, 400.0)).map(Value::Object), Ok(json!({"x": 0.5, "y": 0.25})));
    assert!(at(Scale::Ratio).is_err());
    let text = "Action: click(point=[0.5, 0.25])".to_owned();
    let ratio = plan(&Reply { text, ..Reply::default() }, Scale::Ratio, tool).expect("a plan");
    assert_eq!(Value::Object(ratio.acts[0].arguments.clone()), json!({"x": 0.5, "y": 0.25}));
}
