//! Tools that a project makes of steps: called from testcases, from the shell and by agents; what is wrong with them, at its place.

use serde_json::{Value, json};

use crate::support::mcp_stdio::Server;
use crate::support::{Ran, Test, items, text};

const LOG_IN: &str = "name: log_in
group: shop
description: Log in to the shop.
parameters:
  user: {description: Name of the account.}
  password: {type: string, secret: true, default: secret123, description: Password of the account.}
steps:
- app_terminate: com.uixt.shop
- app_launch: com.uixt.shop
- input: {text: $user, into: User name}
- input: {text: $password, into: Password}
- tap: {role: button, text: Sign in}
- get_text: {text: Welcome, regex: true, timeout: 3}
  save: title
return: {title: $title, user: $user}
";
const ADD: &str = "name: add
description: Add two numbers.
parameters:
  a: {type: integer, description: One of them., minimum: 0}
  b: {type: integer, default: 1, description: The other.}
return: ${a + b}
";
const TWICE: &str = "name: twice
description: Add a number to itself and one.
parameters: {n: {type: integer, description: The number.}}
steps:
- add: {a: $n, b: $n}
  save: sum
- add: $sum
  save: sum
return: $sum
";

/// A folder with a project's tools, in which commands are run.
fn project(arguments: &[&str], tools: &[(&str, &str)]) -> Test {
    let test = Test::new(arguments).file("uixt.yaml", "device: phone\ntools: tools/*.yaml\n");
    tools.iter().fold(test, |test, (name, text)| test.file(&format!("tools/{name}.yaml"), text))
}

fn checked(case: &str, tools: &[(&str, &str)]) -> Ran {
    project(&["check", "."], tools).file("a.yaml", case).run()
}

#[test]
fn a_testcase_calls_them_and_looks_into_what_they_return() {
    let case = "config: {variables: {a: 40, n: nobody's}}
teststeps:
- add: {a: $a, b: '2'}
  save: sum
  validate: [{equals: [result, 42]}]
- twice: 3
  save: {seven: result}
- assert_value: {value: '${sum + seven}', equals: 49}
- setup_hooks: [add: 1]
  log: done
";
    let ran = project(&["run", ".", "--report-dir", "out", "--var", "n=100"], &[("add", ADD), ("twice", TWICE)])
        .file("a.yaml", case)
        .run();
    let summary = ran.code(0).json("out/summary.json");
    assert_eq!(items(&summary["cases"]).len(), 1, "tools are no testcases");
    let steps: Vec<&str> = items(&summary["cases"][0]["steps"]).iter().map(|step| text(&step["name"])).collect();
    assert!(steps.contains(&"twice › add"), "{steps:?}");
}

#[test]
fn their_times_are_told_beside_those_of_their_steps() {
    let nap = "name: nap\ndescription: Sleep.\nsteps:\n- sleep: 0.1\n- sleep: 0.1\n";
    let naps = "name: naps\ndescription: Sleep twice.\nsteps:\n- nap:\n- nap:\n";
    let fails = "name: fails\ndescription: Fail.\nsteps:\n- assert_value: {value: 1, equals: 2}\n";
    let tools = [("add", ADD), ("nap", nap), ("naps", naps), ("fails", fails)];
    let case = "teststeps:\n- naps:\n- add: 1\n- fails:\n  retry: {times: 1, interval: 0}\n";
    let ran = project(&["run", "a.yaml", "--report-dir", "out"], &tools).file("a.yaml", case).run().code(1);
    let summary = ran.json("out/summary.json");
    let told = |name: &str| items(&summary["tools"]).iter().find(|tool| tool["tool"] == name).cloned();
    let of = |name: &str, key: &str| told(name).unwrap_or_else(|| panic!("{name}: {}", summary["tools"]))[key].clone();
    for (name, calls, succeeded) in [("naps", 1, 1), ("nap", 2, 2), ("sleep", 4, 4), ("add", 1, 1), ("fails", 2, 0)] {
        assert_eq!((of(name, "calls"), of(name, "succeeded")), (json!(calls), json!(succeeded)), "{name}");
    }
    let waited = ["naps", "nap", "sleep"].map(|name| of(name, "waiting_ms").as_u64().expect("a time"));
    assert!(waited.iter().all(|waited| *waited >= 400) && of("add", "waiting_ms") == 0, "{waited:?}");
    let history = ran.then(&["tools", "nap", "--stats", "--format", "json"]).code(0).printed();
    assert_eq!(history["tools"][0]["calls"], 2, "{history}");
    let test = project(&["mcp-server", "--device", "phone"], &tools);
    let mut server = Server::of(test.command());
    server.initialize();
    server.ask(1, "tools/call", &json!({"name": "naps", "arguments": {}}));
    let stats = server.ask(2, "resources/read", &json!({"uri": "uixt://tools/stats"}))["result"]["contents"][0].take();
    let stats: Value = serde_json::from_str(text(&stats["text"])).expect("JSON");
    let mut counted: Vec<_> = items(&stats["tools"]).iter().map(|tool| (text(&tool["tool"]), &tool["calls"])).collect();
    counted.sort_by_key(|(name, _)| *name);
    assert_eq!(counted, [("nap", &json!(2)), ("naps", &json!(1)), ("sleep", &json!(4))]);
}

#[test]
fn mistakes_are_found_at_their_place() {
    let tools = [("add", ADD), ("twice", TWICE)];
    checked("teststeps:\n- ad: {a: 1}\n", &tools).code(2).says("a.yaml:2:3").says("did you mean `add`?");
    checked("teststeps:\n- add: {a: x, c: 1}\n", &tools)
        .code(2)
        .says("`a` must be a whole number, not \"x\"")
        .says("a.yaml:2:12")
        .says("unknown argument `c` of add")
        .says("valid: a, b");
    checked("teststeps:\n- add: {b: 1}\n", &tools).code(2).says("`add` needs `a`").says("a.yaml:2:3");
    checked("teststeps:\n- add: {a: 1}\n  export: [a]\n", &tools).code(2).says("`export` is for `testcase`");
    let broken = ADD.replace("return: ${a + b}", "steps:\n- log: $c\n- tap: {txt: x}\nreturn: a");
    let ran = checked("teststeps:\n- log: x\n", &[("add", &broken)]).code(2);
    ran.says("unknown variable `c`").says("tools/add.yaml:7:8").says("did you mean `text`?").says("did you mean `$a`?");
    let head = "name: add\nparameters: {a: {type: int}}\nagent: true\n";
    let ran = checked("teststeps:\n- log: x\n", &[("add", head)]).code(2).says("did you mean `integer`?");
    ran.says("the tool has no description")
        .says("`a` has no description")
        .says("did you mean `agents`?")
        .says("does nothing");
    let without = Test::new(&["check", "."]).file("tools/add.yaml", TWICE.replace("- add", "- log")).run();
    without.code(2).says("name the file of a tool in uixt.yaml");
    project(&["check", "tools/add.yaml"], &[("add", ADD)]).run().code(0).prints("the project's tools: no errors");
    project(&["check", "."], &[]).file("a.yaml", "teststeps: [log: x]").run().code(2).says("uixt.yaml:2:8");
}

#[test]
fn parameters_that_nobody_can_give_or_use_are_refused() {
    let head = "name: add\ndescription: Add.\nreturn: 1\nparameters:\n";
    let check = |parameter: &str| {
        checked("teststeps: [log: x]", &[("a", &format!("{head}  {parameter}\n"))]).code(2).says("tools/a.yaml:5:")
    };
    check("n: {type: integer, description: N., minimum: 5, maximum: 1}")
        .says("no value of `n` is at least 5 and at most 1")
        .says("tools/a.yaml:5:60");
    check("n: {type: integer, description: N., minimum: 1.2, maximum: 1.8}").says("at least 1.2 and at most 1.8");
    check("n: {type: number, description: N., maximum: 3, default: 4}")
        .says("`n` must be at most 3, not 4")
        .says("tools/a.yaml:5:59");
    check("n: {type: integer, description: N., minimum: 1, enum: [0, 1]}").says("`n` must be at least 1, not 0");
    for word in ["if", "and", "or", "not", "in", "is", "else", "True", "None", "none"] {
        check(&format!("{word}: {{description: N.}}"))
            .says(&format!("`{word}` is a word of expressions"))
            .says("tools/a.yaml:5:3");
    }
    check("'true': {description: N.}").says("`true` is a word of expressions");
    let fine = "a: {type: integer, description: N., minimum: 2, maximum: 2, default: 2}\n  iffy: {description: N.}";
    checked("teststeps: [log: x]", &[("a", &format!("{head}  {fine}\n"))]).code(0);
}

#[test]
fn names_collide_with_nothing() {
    let named = |name: &str| ADD.replace("name: add", &format!("name: {name}"));
    let ran = checked("teststeps: [log: x]", &[("a", ADD), ("b", ADD)]).code(2).says("two tools are called `add`");
    ran.says("tools/b.yaml:1:7").says("the other is at tools/a.yaml:1:7");
    checked("teststeps: [log: x]", &[("a", &named("tap"))]).code(2).says("`tap` is a tool of uixt's own");
    checked("teststeps: [log: x]", &[("a", &named("save"))]).code(2).says("`save` is a key of steps");
    checked("teststeps: [log: x]", &[("a", &named("Log In"))]).code(2).says("is no name for a tool");
}

#[test]
fn a_circle_is_found_and_a_chain_has_an_end() {
    let calling = |name: &str, other: &str| format!("name: {name}\ndescription: Calls another.\nsteps:\n- {other}:\n");
    let circle = [("a", calling("a", "b")), ("b", calling("b", "a"))];
    let circle: Vec<(&str, &str)> = circle.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let ran = checked("teststeps: [log: x]", &circle).code(2);
    ran.says("tools call each other: tools/a.yaml → tools/b.yaml → tools/a.yaml").says("tools/b.yaml:4:3");
    let chain: Vec<(String, String)> = (0..9)
        .map(|at| match at {
            8 => ("t8".to_owned(), "name: t8\ndescription: Ends.\nreturn: 1\n".to_owned()),
            _ => (format!("t{at}"), calling(&format!("t{at}"), &format!("t{}", at + 1))),
        })
        .collect();
    let chain: Vec<(&str, &str)> = chain.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    checked("teststeps: [t1: ]", &chain[1..]).code(0);
    checked("teststeps: [log: x]", &chain).code(2).says("more than 8 tools call each other in a chain");
}

#[test]
fn agents_are_offered_what_they_may_do() {
    let shell = "name: count\ndescription: Count.\nsteps:\n- shell: echo 3\n  save: {n: stdout}\nreturn: ${n | int}\n";
    let check = |text: &str| checked("teststeps: [log: x]", &[("count", text)]);
    check(shell).code(2).says("`shell` is for testcases only").says("tools/count.yaml:4:3").says("allow: [shell]");
    check(&format!("{shell}agents: false\n")).code(0);
    check(&format!("{shell}allow: [shel]\n")).code(2).says("unknown tool `shel`");
    let allowed = format!("{shell}allow: [shell]\n");
    let outer = "name: outer\ndescription: Counts.\nsteps:\n- count:\n  save: n\nreturn: $n\n";
    let refused = [("count", &*format!("{shell}agents: false\n")), ("outer", outer)];
    let ran = checked("teststeps: [outer: ]", &refused).code(2).says("agents are offered `outer`");
    ran.says("tools/outer.yaml:4:3").says("tools/count.yaml:4:3 calls it; write `allow: [shell]` there");
    let tools = [("count", allowed.as_str()), ("outer", outer), ("add", &*format!("{ADD}agents: false\n"))];
    let test = project(&["mcp-server", "--device", "phone"], &tools);
    let mut server = Server::of(test.command());
    server.initialize();
    let listed = server.ask(1, "tools/list", &json!({}))["result"]["tools"].clone();
    let own: Vec<&str> = items(&listed)
        .iter()
        .filter(|tool| text(&tool["description"]).ends_with("(project)"))
        .map(|tool| text(&tool["name"]))
        .collect();
    assert_eq!(own, ["uixt__count", "uixt__outer"]);
    let mut call = |name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments});
        server.ask(2, "tools/call", &params)["result"]["structuredContent"].clone()
    };
    assert_eq!(call("uixt__outer", json!({}))["result"], 3);
    assert_eq!(call("count", json!({}))["result"], 3);
    assert!(text(&call("uixt__count", json!({"x": 1}))["message"]).contains("unknown argument `x` of count"));
    assert!(text(&call("uixt__add", json!({"a": 1}))["message"]).contains("unknown tool"));
    assert!(text(&call("uixt__shell", json!({"command": "id"}))["message"]).contains("for testcases only"));
}

#[test]
fn an_agent_logs_in_and_is_told_where_a_step_fails() {
    let test = project(&["mcp-server", "--device", "phone", "--record", "rec.yaml"], &[("log_in", LOG_IN)]);
    let mut server = Server::of(test.command());
    server.initialize();
    let listed = server.ask(1, "tools/list", &json!({}))["result"]["tools"].clone();
    let own = items(&listed).iter().find(|tool| tool["name"] == "uixt__shop__log_in").expect("the project's tool");
    assert_eq!(own["inputSchema"]["required"], json!(["user"]));
    assert_eq!(own["_meta"]["uixt"]["project"], "tools/log_in.yaml");
    let params = |arguments: Value| json!({"name": "uixt__shop__log_in", "arguments": arguments});
    let passed = server.ask(2, "tools/call", &params(json!({"user": "alice"})))["result"].clone();
    assert_eq!(passed["structuredContent"]["result"], json!({"title": "Welcome, alice", "user": "alice"}));
    // The password of the file is masked as one that is given, wherever it turns up.
    assert!(passed["_meta"]["uixt"]["secrets"].is_null(), "{passed}");
    for (id, (tool, arguments)) in (20..).zip([
        ("app_terminate", json!({"package_name": "com.uixt.shop"})),
        ("app_launch", json!({"package_name": "com.uixt.shop"})),
        ("snapshot", json!({})),
    ]) {
        let answer = server.ask(id, "tools/call", &json!({"name": tool, "arguments": arguments}));
        assert!(
            answer["result"]["structuredContent"]["success"] == true && !answer.to_string().contains("secret123"),
            "{answer}"
        );
    }
    let stats = server.ask(30, "resources/read", &json!({"uri": "uixt://tools/stats"}))["result"]["contents"][0].take();
    let stats: Value = serde_json::from_str(text(&stats["text"])).expect("JSON");
    let calls =
        |name: &str| items(&stats["tools"]).iter().find(|tool| tool["tool"] == name).map(|tool| tool["calls"].clone());
    assert_eq!((calls("shop__log_in"), calls("input")), (Some(json!(1)), Some(json!(2))), "{stats}");
    let failed =
        server.ask(3, "tools/call", &params(json!({"user": "alice", "password": "wr0ng-one"})))["result"].clone();
    let answer = &failed["structuredContent"];
    assert_eq!((&failed["isError"], &answer["kind"]), (&json!(true), &json!("NotFound")), "{answer}");
    assert_eq!(
        (&answer["details"]["place"], &answer["details"]["tool"]),
        (&json!("tools/log_in.yaml:13:3"), &json!("get_text"))
    );
    assert!(text(&answer["message"]).starts_with("shop__log_in: tools/log_in.yaml:13:3, get_text"), "{answer}");
    assert!(!failed.to_string().contains("wr0ng-one"), "{failed}");
    let recorded = std::fs::read_to_string(test.path("rec.yaml")).expect("a recording");
    assert!(
        recorded.contains("Password") && !recorded.contains("secret123") && !recorded.contains("wr0ng-one"),
        "{recorded}"
    );
    let report = server.ask(4, "resources/read", &json!({"uri": "uixt://session/report"}));
    assert!(report.to_string().contains("shop__log_in") && !report.to_string().contains("wr0ng-one"), "{report}");
}

#[test]
fn an_argument_that_is_handed_on_whole_chooses_no_device() {
    let look = "name: look
description: Look.
parameters: {where: {type: object, description: What to look at.}}
steps:
- get_text: $where
  save: seen
return: $seen
";
    let choose = "name: choose
description: Choose a device.
parameters: {which: {type: object, description: Which one.}}
steps:
- select_device: $which
";
    let test = project(&["mcp-server", "--device", "phone"], &[("look", look), ("choose", choose)]);
    let mut server = Server::of(test.command());
    server.initialize();
    let mut call = |name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments});
        server.ask(2, "tools/call", &params)["result"]["structuredContent"].clone()
    };
    call("app_launch", json!({"package_name": "com.uixt.shop"}));
    for (key, value) in [("serial", "uixt-phone"), ("platform", "android"), ("device", "phone")] {
        let refused = call("look", json!({"where": {"text": "Sign in", key: value}}));
        assert_eq!(
            (&refused["kind"], &refused["details"]["place"]),
            (&json!("BadArgument"), &json!("tools/look.yaml:5:3"))
        );
        let expected = format!("get_text: `{key}` may not be given, since `look` hands its argument on whole");
        assert!(text(&refused["message"]).contains(&expected), "{refused}");
    }
    assert_eq!(call("look", json!({"where": {"text": "Sign in"}}))["result"], "Sign in");
    assert_eq!(call("choose", json!({"which": {"platform": "android", "serial": "uixt-phone"}}))["success"], true);
}

#[test]
fn a_batch_calls_them_among_others() {
    let test = project(&["mcp-server", "--device", "phone"], &[("log_in", LOG_IN), ("add", ADD)]);
    let mut server = Server::of(test.command());
    server.initialize();
    let mut batch = |steps: Value, beside: Value| {
        let mut arguments = json!({"steps": steps});
        arguments.as_object_mut().expect("a map").extend(beside.as_object().cloned().expect("a map"));
        server.ask(2, "tools/call", &json!({"name": "batch", "arguments": arguments}))["result"].clone()
    };
    let add = json!({"tool": "add", "arguments": {"a": 40, "b": 2}});
    let log_in =
        |password: &str| json!({"tool": "uixt__shop__log_in", "arguments": {"user": "alice", "password": password}});
    let tap = json!({"tool": "tap", "arguments": {"text": "Green tea"}});
    let passed = batch(json!([add, log_in("secret123"), tap]), json!({"then": "diff"}))["structuredContent"].clone();
    assert_eq!((&passed["action"], &passed["message"]), (&json!("batch"), &json!("3 steps done")), "{passed}");
    assert_eq!(
        (&passed["results"][0]["result"], &passed["results"][1]["action"]),
        (&json!(42), &json!("shop__log_in"))
    );
    assert!(text(&passed["diff"]).contains("Add to cart") && passed["results"][2]["diff"].is_null(), "{passed}");
    // Nothing is done where a step is wrong.
    for (steps, beside, why) in [
        (json!([{"tool": "home"}, {"tool": "add"}]), json!({}), "batch: step 2: add: `add` needs `a`"),
        (json!([add, {"tool": "subtract"}]), json!({}), "batch: step 2: unknown tool `subtract`"),
        (json!([add, {"tool": "batch", "arguments": {"steps": [add]}}]), json!({}), "a batch holds no batch"),
        (json!([add]), json!({"serial": "uixt-phone"}), "tools of the project go to the session's device"),
        (json!([add]), json!({"then": "diff"}), "`then` needs a last step that takes it"),
    ] {
        let refused = batch(steps, beside)["structuredContent"].clone();
        assert!(text(&refused["message"]).contains(why) && refused["kind"] == "BadArgument", "{why}: {refused}");
    }
    let failed = batch(json!([add, log_in("wr0ng-one"), add]), json!({}));
    let answer = &failed["structuredContent"];
    assert!(
        text(&answer["message"]).starts_with("step 2, shop__log_in: shop__log_in: tools/log_in.yaml:13:3"),
        "{answer}"
    );
    let details = &answer["details"];
    assert_eq!((&details["step"], &details["tool"]), (&json!(2), &json!("shop__log_in")), "{details}");
    assert_eq!((items(&details["results"]).len(), &answer["kind"]), (1, &json!("NotFound")), "{answer}");
    assert!(!failed.to_string().contains("wr0ng-one"), "{failed}");
    let stats = server.ask(30, "resources/read", &json!({"uri": "uixt://tools/stats"}))["result"]["contents"][0].take();
    let stats: Value = serde_json::from_str(text(&stats["text"])).expect("JSON");
    let of = |name: &str| items(&stats["tools"]).iter().find(|tool| tool["tool"] == name).cloned().expect("a row");
    let counts = |name: &str| (of(name)["calls"].clone(), of(name)["succeeded"].clone());
    assert_eq!(counts("batch"), (json!(7), json!(1)), "{stats}");
    assert_eq!((counts("add"), counts("shop__log_in")), ((json!(2), json!(2)), (json!(2), json!(1))), "{stats}");
    let steps = json!([add, {"tool": "sleep", "arguments": {"seconds": 0}}]).to_string();
    let ran = test.then(&["call", "batch", &format!("steps={steps}"), "--device", "phone"]).code(0);
    assert_eq!(ran.printed()["results"][0]["result"], 42);
}

#[test]
fn a_call_that_is_cancelled_ends_the_step_that_runs() {
    let slow = "name: slow\ndescription: Sleeps.\nsteps:\n- sleep: 600\n- log: never\n";
    let test = project(&["mcp-server", "--device", "phone"], &[("slow", slow), ("add", ADD)]);
    let mut server = Server::of(test.command());
    server.initialize();
    let call =
        |name: &str, arguments: Value| json!({"name": name, "arguments": arguments, "_meta": {"progressToken": name}});
    server.send(1, "tools/call", &call("slow", json!({})));
    let begun = server.hear();
    assert_eq!(begun["params"]["message"], "sleep 600", "{begun}");
    server.send(2, "tools/call", &call("add", json!({"a": 1})));
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    server.say(&cancel.to_string());
    let (answer, _) = server.hear_answer(2);
    assert_eq!(answer["result"]["structuredContent"]["result"], 2, "{answer}");
}

#[test]
fn the_shell_calls_them() {
    let test = project(&["call", "add", "40", "2"], &[("add", ADD), ("log_in", LOG_IN)]);
    let ran = test.run().code(0);
    assert_eq!(ran.printed()["result"], 42);
    let ran = ran.then(&["call", "shop__log_in", "user=alice", "--device", "phone"]).code(0);
    assert_eq!(ran.printed()["result"]["title"], "Welcome, alice");
    let ran = ran.then(&["call", "add", "{\"a\": -1}"]).code(2);
    assert!(text(&ran.printed()["message"]).contains("`a` must be at least 0, not -1"));
    let ran = ran.then(&["call", "add", "1", "2", "3"]).code(2).says("valid: a, b");
    let ran = ran.then(&["tools"]).code(0).prints("shop__log_in").prints("user [password]");
    let ran = ran.then(&["tools", "add", "--format", "json"]).code(0);
    assert_eq!(ran.printed()[0]["inputSchema"]["required"], json!(["a"]));
    let schema = ran.then(&["schema"]).code(0).printed();
    assert!(schema["$defs"]["step"]["properties"]["shop__log_in"].is_object());
}

#[test]
fn a_task_finds_them() {
    let hidden = "name: send_ledger\ndescription: Export the wombat ledger.\nagents: false\nreturn: 1\n";
    let tools = [("log_in", LOG_IN), ("add", ADD), ("send_ledger", hidden)];
    let case = "teststeps:\n- analyze_tool_needs: Export the wombat ledger\n  save: {found: recommended_mcp_tools}\n- assert_value: {value: '${found[0].name}', equals: send_ledger}\n";
    project(&["run", "a.yaml", "--report-dir", "out"], &tools).file("a.yaml", case).run().code(0);
    let asked = |task: &str| json!({"task_description": task}).to_string();
    let test = project(&["call", "analyze_tool_needs", &asked("Log in to the shop with an account")], &tools);
    let told = test.run().code(0).printed();
    let first = told["recommended_mcp_tools"][0].clone();
    assert_eq!(
        (&first["name"], &first["toolset"], &first["is_on"]),
        (&json!("shop__log_in"), &Value::Null, &json!(true))
    );
    assert!(text(&first["why"]).starts_with("Log in to the shop. It fits: "), "{first}");
    assert_eq!(told["recommended_action"], "use_existing_tools");
    let test = project(&["mcp-server", "--device", "phone"], &tools);
    let mut server = Server::of(test.command());
    server.initialize();
    let mut found = |task: &str| {
        let params = json!({"name": "analyze_tool_needs", "arguments": {"task_description": task}});
        let told = server.ask(1, "tools/call", &params)["result"]["structuredContent"].clone();
        items(&told["recommended_mcp_tools"]).iter().map(|one| text(&one["name"]).to_owned()).collect::<Vec<_>>()
    };
    for task in ["Log in to the shop with an account", "登录商店"] {
        assert_eq!(found(task)[0], "shop__log_in", "{task}");
    }
    assert!(!found("Export the wombat ledger").contains(&"send_ledger".to_owned()), "agents are not offered it");
}

#[test]
fn a_text_calls_them_as_an_agent_does() {
    let shell = "name: count\ndescription: Count.\nsteps:\n- shell: echo 3\n  save: {n: stdout}\nreturn: ${n | int}\n";
    let look =
        "name: look\ndescription: Look.\nsteps:\n- search_file_content: {file_path: uixt.yaml, regex_pattern: tools}\n";
    let (allowed, hidden) = (format!("{shell}allow: [shell]\n"), format!("{ADD}agents: false\n"));
    let test = project(&["call", "look"], &[("count", &allowed), ("look", look), ("add", &hidden)]);
    let ran = test.run().code(0).then(&["call", "<uixt><count>{}</count></uixt>"]).code(0);
    assert_eq!(ran.printed()["result"], 3);
    // Texts read no files, also by a tool.
    let ran = ran.then(&["call", "<uixt><look>{}</look></uixt>"]).code(2);
    assert_eq!(ran.printed()["details"]["tool"], "search_file_content", "{}", ran.stdout);
    let ran = ran.then(&["call", "<uixt><count>{\"x\": 1}</count></uixt>"]).code(2);
    assert!(text(&ran.printed()["message"]).contains("unknown argument `x` of count"));
    let ran = ran.then(&["call", "<uixt><add>{\"a\": 1}</add></uixt>"]).code(2);
    assert!(text(&ran.printed()["message"]).contains("unknown tool `add`"));
}

#[test]
fn a_report_names_the_step_of_the_tool_and_no_secret() {
    let case = "config: {variables: {pin: wr0ng-one}}\nteststeps:\n- shop__log_in: {user: alice, password: $pin}\n";
    let ran = project(&["run", "a.yaml", "--report-dir", "out"], &[("log_in", LOG_IN)]).file("a.yaml", case).run();
    let summary = ran.code(1).json("out/summary.json");
    let steps = items(&summary["cases"][0]["steps"]);
    let last = steps.last().expect("a step");
    assert_eq!(text(&last["name"]), "shop__log_in › get_text \"Welcome\"");
    assert_eq!((&last["place"]["file"], &last["place"]["line"]), (&json!("tools/log_in.yaml"), &json!(13)));
    assert!(!summary.to_string().contains("wr0ng-one"));
}
