//! Goals that were reached are stored beside their testcase and replayed without a model; what no longer fits is mended by one, and
//! said to be.

use std::time::Instant;

use serde_json::{Value, json};
use uixt::phone::apps::{self};

use crate::support::goals::{GOAL, on, phone, report, run, stored, with_text, words};
use crate::support::model::{Does, Model, purchase};
use crate::support::{Ran, Test, items};

/// Returns the one action of a run.
fn action(ran: &Ran, arguments: &[String]) -> Value {
    let journal = ran.read(&format!("{}/journal.jsonl", report(arguments)));
    let line = journal.lines().find(|line| line.contains("\"start_to_goal\"") && line.contains("action_finished"));
    serde_json::from_str(line.expect("an action")).expect("JSON")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_goal_is_replayed_without_a_model() {
    let ran = stored().await;
    let file = ran.read("goal.goals.yaml");
    println!("{file}");
    assert!(file.contains("goal: Log in as $user ($password) and put green tea into the cart"), "{file}");
    assert!(file.contains("text: $password") && !file.contains("secret123"), "{file}");

    // Another user of the same name: what the variables hold is no matter.
    let phone = phone(&apps::all()).await;
    let arguments = on(&phone, &["--ai-cache", "only"]);
    let began = Instant::now();
    let ran = run(ran.test(&words(&arguments)), &[]).await.code(0);
    println!("replayed in {:?}", began.elapsed());
    let action = action(&ran, &arguments);
    assert!(action["message"].as_str().expect("a text").starts_with("Replayed in 6 steps"), "{action}");
    assert_eq!(action["usage"], Value::Null, "no model was asked");
    assert_eq!(ran.read("goal.goals.yaml"), file, "what is stored stays");

    let arguments = on(&phone, &["--ai-cache", "off"]);
    let ran = run(ran.test(&words(&arguments)), &[]).await.code(3).says("set OPENAI_BASE_URL");
    // A goal that is not stored cannot be replayed.
    let other = GOAL.replace("green tea", "black tea");
    let arguments = on(&phone, &["--ai-cache", "only"]);
    let test = ran.test(&words(&arguments)).file("goal.yaml", other);
    run(test, &[]).await.code(3).says("the goal is not stored");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_changed_is_mended_by_one_call_and_said() {
    let finished = || Does::Calls("finished", json!({"content": "Green tea is in the cart"}));
    let id = (
        "\"id\": \"add_to_cart\", \"label\": \"Add to cart\"",
        "\"id\": \"put_into_cart\", \"label\": \"Put into cart\"",
    );
    for (page, from, to, does, step, was, now) in [
        // The element is there by its id; only what the screens show is judged, at the end.
        ("shop_login", "\"label\": \"Sign in\"", "\"label\": \"Log in\"", finished(), 7, None, None),
        ("shop_product", id.0, id.1, Does::Taps("Put into cart"), 6, Some("add"), Some("put")),
    ] {
        let ran = stored().await;
        let file = ran.read("goal.goals.yaml");
        let apps = with_text(page, from, to);

        let changed = phone(&apps).await;
        let arguments = on(&changed, &["--ai-cache", "only"]);
        let ran = run(ran.test(&words(&arguments)), &[]).await.code(1);
        let ran = ran.says("the stored goal does not fit any more").says("--ai-cache only");

        let changed = phone(&apps).await;
        let (model, variables) = Model::start([does]).await;
        let arguments = on(&changed, &[]);
        let ran = run(ran.test(&words(&arguments)), &variables).await.code(0).says("1 healed");
        let shown = model.shown();
        assert_eq!(shown.len(), 1, "one call");
        let told = if was.is_none() { "\"Sign in\" is gone, \"Log in\" is new" } else { "\"Put into cart\"" };
        assert!(shown[0].contains(told), "{}", shown[0]);
        let action = action(&ran, &arguments);
        assert_eq!((&action["outcome"], &action["usage"]["calls"]), (&json!("healed"), &json!(1)), "{action}");
        let mended = &action["mended"];
        assert_eq!((items(mended).len(), &mended[0]["step"]), (1, &json!(step)), "{mended}");
        for (key, wanted) in [("was", was), ("now", now)] {
            let said = mended[0][key].as_array().map_or_else(String::new, |steps| format!("{steps:?}"));
            assert!(wanted.map_or(said == "[]", |wanted| said.contains(wanted)), "{key}: {said}");
        }
        assert_eq!(ran.read("goal.goals.yaml"), file, "what is stored stays");
        let proposal = ran.read(&format!("{}/goals/goal.goals.yaml", report(&arguments)));
        assert!(proposal.contains("Log in") || proposal.contains("Put into cart"), "{proposal}");

        // The proposal taken, it is replayed.
        let folder = report(&arguments);
        let ran = ran.then(&["fix", folder, "--dry-run"]).code(1).says("--assertions takes it in");
        let ran = ran.then(&["fix", folder, "--yes", "--assertions"]).code(0).prints("uixt run goal.yaml");
        assert_eq!(
            ran.read("goal.goals.yaml").lines().skip(1).collect::<Vec<_>>(),
            proposal.lines().skip(2).collect::<Vec<_>>()
        );
        let changed = phone(&apps).await;
        let arguments = on(&changed, &["--ai-cache", "only"]);
        run(ran.test(&words(&arguments)), &[]).await.code(0).says("1 passed");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stored_goal_becomes_plain_steps() {
    let ran = stored().await;
    let ran = ran.then(&["convert", "goal.yaml", "--goals", "-o", "plain.yaml"]).code(0);
    let plain = ran.read("plain.yaml");
    assert!(
        plain.contains("- app_launch: {package_name: com.uixt.shop}") && !plain.contains("start_to_goal"),
        "{plain}"
    );
    assert!(
        plain.contains("text: $password") && plain.contains("assert_visible: {text: 1 item in cart, exact: true}"),
        "{plain}"
    );
    let ran = ran.then(&["run", "plain.yaml", "--device", "phone", "--report-dir", "plain"]).code(0);
    let other = ran.test(&["convert", "other.yaml", "--goals"]).file("other.yaml", GOAL);
    other.run().code(2).says("other.goals.yaml has no stored goals");
}

/// A page that takes a name and greets, and one more that nobody needs.
const PAGE: &str = "<!doctype html><title>Guests</title><h1>Guests</h1><label>Name <input id=name></label>\
    <button onclick=\"document.querySelector('ul').innerHTML += '<li>Welcome, ' + document.querySelector('#name').value\">Enter</button><ul></ul>";

#[tokio::test(flavor = "multi_thread")]
async fn a_goal_on_a_page_is_replayed_without_a_model() {
    let page: String = PAGE.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let case = format!(
        "config: {{name: Page, variables: {{guest: 小明}}, browser: {{width: 900}}}}\nteststeps:\n- open_url: \"data:text/html;charset=utf-8,{page}\"\n- start_to_goal: Enter as $guest\n- assert_visible: Welcome, $guest\n"
    );
    let script = [
        Does::Types("\"Name\"", "小明"),
        Does::Taps("\"Enter\""),
        Does::Calls("finished", json!({"content": "He is in"})),
    ];
    let (_, variables) = Model::start(script).await;
    let arguments = ["run", "page.yaml", "--device", "browser", "--report-dir", "first"];
    let ran = run(Test::new(&arguments).file("page.yaml", case), &variables).await.code(0);
    let stored = ran.read("page.goals.yaml");
    assert!(stored.contains("platform: browser") && stored.contains("$guest") && !stored.contains("小明"), "{stored}");
    // Another guest, by the same way.
    let other = ran.read("page.yaml").replace("小明", "李雷");
    let arguments = ["run", "page.yaml", "--device", "browser", "--report-dir", "second", "--ai-cache", "only"];
    run(ran.test(&arguments).file("page.yaml", other), &[]).await.code(0).says("1 passed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_ends_what_costs_more() {
    let (model, variables) = Model::start(purchase()).await;
    let mut variables = variables.to_vec();
    variables.push(("OPENAI_PRICE", "2.5/10".to_owned()));
    let arguments = ["run", "goal.yaml", "--device", "phone", "--report-dir", "r", "--ai-budget", "2000"];
    let ran = run(Test::new(&arguments).file("goal.yaml", GOAL), &variables).await.code(3);
    let usage = ran.json("r/summary.json")["usage"].clone();
    let number = |key: &str| usage[key].as_f64().unwrap_or_else(|| panic!("no {key}: {usage}"));
    let (calls, spent) = (model.shown().len(), number("input_tokens") + number("output_tokens"));
    assert!(calls < 6 && (2000.0..4000.0).contains(&spent), "{usage}");
    let ran = ran.says(&format!("{spent} of 2000 tokens in {calls} calls (`--ai-budget`)"));
    let ran = ran.says(&format!("models: {calls} calls"));
    let cost = (number("input_tokens") * 2.5 + number("output_tokens") * 10.0) / 1e6;
    assert!((number("cost") - cost).abs() < 1e-9, "{usage}");
    let arguments = ["run", "goal.yaml", "--device", "phone", "--report-dir", "s", "--ai-budget", "cost:0.001"];
    let ran = run(ran.test(&arguments), &variables[..3]).await.code(3).says("no price of stand-in is known");
    Test::new(&["run", "goal.yaml", "--ai-budget", "much"]).run().code(2).says("must be a number of tokens");
    drop(ran);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures: a model that takes 2 s for each answer, and the replay"]
async fn a_replay_is_twenty_times_faster() {
    let first = phone(&apps::all()).await;
    let (model, variables) = Model::start(purchase()).await;
    model.plays().takes = std::time::Duration::from_secs(2);
    let arguments = on(&first, &[]);
    let ran = run(Test::new(&words(&arguments)).file("goal.yaml", GOAL), &variables).await.code(0);
    let planned = action(&ran, &arguments)["elapsed_ms"].as_f64().expect("a time");
    let second = phone(&apps::all()).await;
    let arguments = on(&second, &["--ai-cache", "only"]);
    let ran = run(ran.test(&words(&arguments)), &[]).await.code(0);
    let replayed = action(&ran, &arguments)["elapsed_ms"].as_f64().expect("a time");
    println!("planned {planned} ms, replayed {replayed} ms: {:.1} times", planned / replayed);
    assert!(planned >= 20.0 * replayed);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_exploration_becomes_a_testcase_with_what_it_found_wrong() {
    let mut script = purchase();
    script.remove(0);
    script.insert(3, Does::Calls("report_problem", json!({"problem": "The shop greets nobody"})));
    let (model, variables) = Model::start(script).await;
    let goal = "Log in as alice (secret123) and put green tea into the cart";
    let arguments = ["explore", "com.uixt.shop", "--goal", goal, "-o", "tea.yaml", "--device", "phone"];
    let ran = run(Test::new(&arguments), &variables).await.code(0).says("found wrong: The shop greets nobody");
    assert!(model.plays().asked[0].to_string().contains("report_problem"), "it is asked what looks wrong");
    let text = ran.read("tea.yaml");
    assert!(
        text.starts_with("# Found wrong: The shop greets nobody\n") && text.contains("- app_launch: com.uixt.shop"),
        "{text}"
    );
    // What was typed secretly is read from the environment.
    assert!(!text.contains("secret123") && text.contains("${ENV(PASSWORD)}") && text.contains("(••••••)"), "{text}");
    let again = ["run", "tea.yaml", "--device", "phone", "--report-dir", "r", "--var", "password=secret123"];
    let ran = ran.then(&again).code(0);
    run(ran.test(&arguments), &variables).await.code(2).says("tea.yaml already exists");
    let arguments = ["explore", "com.uixt.shop", "--goal", goal, "--device", "phone"];
    run(Test::new(&arguments), &[]).await.code(3).says("set OPENAI_BASE_URL");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stored_goal_that_is_wrong_or_forbidden_is_not_replayed() {
    let ran = stored().await;
    let good = ran.read("goal.goals.yaml");
    let mut test = ran.test(&["check", "goal.yaml"]);
    for (from, to, wanted) in [
        ("app_launch:", "app_lunch:", "`app_lunch` is not a tool"),
        ("app_launch: {package_name: com.uixt.shop}", "shell: {string: touch x}", "`shell` cannot be a step of a goal"),
        ("steps:", "step:", "unknown field `step`"),
        ("- goal:", "goal:", "line 3: a `:` cannot stand here"),
    ] {
        let wrong = good.replace(from, to);
        assert_ne!(wrong, good, "{from}");
        let ran = test.file("goal.goals.yaml", wrong).run();
        assert_eq!(ran.code, Some(2), "{from}: {}", ran.stderr);
        test = ran.says(wanted).says("goal.goals.yaml").test(&["check", "goal.yaml"]);
    }
    // Nothing that would have to hold at the end is no goal.
    let phone = phone(&apps::all()).await;
    let arguments = on(&phone, &["--ai-cache", "only"]);
    let (goal, _) = good.split_once("  end:").expect("an end");
    let test = test.then_test(&words(&arguments)).file("goal.goals.yaml", goal);
    let ran = run(test, &[]).await.code(3).says("has no `end`");
    // What a policy forbids is not done by a replay either.
    let arguments = on(&phone, &["--ai-cache", "only", "--ai-policy", "deny"]);
    let forbidden = good.replace("{id: add_to_cart}", "{text: Log out}");
    let forbidden = forbidden.replace("{package_name: com.uixt.shop}", "{package_name: com.android.settings}");
    let case = ran.read("goal.yaml").replace("{name: Goal", "{name: Goal, ai_options: {allow_apps: [com.uixt.shop]}");
    let test = ran.test(&words(&arguments)).file("goal.goals.yaml", forbidden).file("goal.yaml", case);
    run(test, &[]).await.code(1).says("start com.android.settings, which `allow_apps` does not name");
}

/// A page whose button tells of an order, with this at the end of a long list, and this beside a time.
fn order(last: &str, beside: &str, disabled: &str) -> String {
    let rows: String = (0..240).map(|row| format!("<p>Row {row}</p>")).collect();
    format!(
        "<!doctype html><title>Order</title><h1>Order</h1><button onclick=\"document.querySelector('#said').textContent='Ordered'\">Order</button>\
         <button {disabled}>Pay later</button><p>Updated 12:31:05</p>{beside}<button>+</button><p id=said></p>{rows}<p>{last}</p>"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_of_a_page_is_another_fails_the_replay() {
    let case = "config: {name: Order, browser: {width: 900}}\nteststeps:\n- open_url: /page.html\n- start_to_goal: Place an order\n";
    let served = |page: String| {
        Test::new(&["run", "order.yaml", "--device", "browser", "--report-dir", "first"])
            .file("order.yaml", case)
            .file("uixt.yaml", "serve: .\n")
            .file("page.html", page)
    };
    let script = [Does::Taps("button \"Order\""), Does::Calls("finished", json!({"content": "ordered"}))];
    let (_, variables) = Model::start(script).await;
    let mut ran = run(served(order("All fine", "", "")), &variables).await.code(0);
    let stored = ran.read("order.goals.yaml");
    assert!(stored.contains("Updated *") && stored.contains('+') && stored.contains("digest"), "{stored}");
    let pages = [
        (order("All fine", "", "").replace("12:31:05", "09:00:00"), None),
        (order("Payment failed", "", ""), Some("digest")),
        (order("All fine", "<p>Payment failed</p>", ""), Some("\"Payment failed\"")),
        (order("All fine", "", "").replace("Updated 12:31:05", "Payment failed"), Some("\"Payment failed\"")),
        (order("All fine", "", "").replace("<button>+</button>", ""), Some("\"+\"")),
        (order("All fine", "", "disabled"), Some("Pay later (disabled)")),
        (order("All fine", "", "").replace("<title>Order", "<title>Error"), Some("the title is")),
        (order("All fine", "", "").replace("textContent='Ordered'", "textContent=''"), Some("\"Ordered\"")),
        (
            order("All fine", "", "").replace("=\"document", "=\"history.pushState({}, '', '/wrong'); document"),
            Some("the address is"),
        ),
    ];
    for (number, (page, wanted)) in pages.into_iter().enumerate() {
        let report = format!("r{number}");
        let arguments = ["run", "order.yaml", "--device", "browser", "--report-dir", &report, "--ai-cache", "only"];
        ran = run(ran.test(&arguments).file("page.html", page), &[]).await;
        match wanted {
            None => assert_eq!(ran.code, Some(0), "{}", ran.stderr),
            Some(wanted) => assert!(ran.code == Some(1) && ran.stderr.contains(wanted), "{wanted}: {}", ran.stderr),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_goal_from_another_screen_is_stored_beside_the_first() {
    let steps = "- app_launch: com.uixt.shop\n- start_to_goal: Go home\n- app_launch: com.uixt.settings\n- start_to_goal: Go home\n";
    let case = format!("config: {{name: Twice}}\nteststeps:\n{steps}");
    let home = || {
        [Does::Calls("press_button", json!({"button": "home"})), Does::Calls("finished", json!({"content": "home"}))]
    };
    let (_, variables) = Model::start(home().into_iter().chain(home())).await;
    let arguments = ["run", "twice.yaml", "--device", "phone", "--report-dir", "r"];
    let ran = run(Test::new(&arguments).file("twice.yaml", case), &variables).await.code(0).says("1 passed");
    assert_eq!(ran.read("twice.goals.yaml").matches("- goal: Go home").count(), 2);
    let arguments = ["run", "twice.yaml", "--device", "phone", "--report-dir", "s", "--ai-cache", "only"];
    run(ran.test(&arguments), &[]).await.code(0).says("1 passed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_the_goal_does_not_name_is_not_stored_and_that_is_said() {
    let case = "config: {name: Secret}\nteststeps:\n- app_launch: com.uixt.shop\n- start_to_goal: Log in as alice with the right password\n";
    let script = [
        Does::Types("User name", "alice"),
        Does::Types("Password", "secret123"),
        Does::Taps("\"Sign in\""),
        Does::Calls("finished", json!({"content": "in"})),
    ];
    let (_, variables) = Model::start(script).await;
    let arguments = ["run", "secret.yaml", "--device", "phone", "--report-dir", "r"];
    let ran = run(Test::new(&arguments).file("secret.yaml", case), &variables).await.code(0);
    let ran = ran.says("the goal was not stored: what was typed is a secret that the goal does not name");
    assert!(!ran.path("secret.goals.yaml").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_goal_is_stored_once_its_case_has_passed_and_a_failure_behind_a_replay_says_so() {
    let case = |text: &str| {
        let steps = format!(
            "- app_launch: com.uixt.shop\n- start_to_goal: Go home\n- assert_visible: {{text: {text}, timeout: 0.3}}\n"
        );
        format!("config: {{name: Home}}\nteststeps:\n{steps}")
    };
    let home =
        [Does::Calls("press_button", json!({"button": "home"})), Does::Calls("finished", json!({"content": "home"}))];
    let (_, variables) = Model::start(home.clone()).await;
    let arguments = ["run", "home.yaml", "--device", "phone", "--report-dir", "r"];
    let ran = run(Test::new(&arguments).file("home.yaml", case("No such app")), &variables).await.code(1);
    assert!(!ran.path("home.goals.yaml").exists(), "its case has failed");
    assert!(!ran.stderr.contains("was replayed"), "{}", ran.stderr);

    let (_, variables) = Model::start(home).await;
    let arguments = ["run", "home.yaml", "--device", "phone", "--report-dir", "s"];
    let ran = run(ran.test(&arguments).file("home.yaml", case("Shop")), &variables).await.code(0);
    assert!(ran.read("home.goals.yaml").contains("- goal: Go home"));

    let arguments = ["run", "home.yaml", "--device", "phone", "--report-dir", "t", "--ai-cache", "only"];
    let ran = run(ran.test(&arguments).file("home.yaml", case("No such app")), &[]).await.code(1);
    ran.says("the goal of step 2 was replayed, not planned");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_calls_a_goal_reached_without_having_done_it_is_asked_once_more() {
    let case = "config: {name: Early}\nteststeps:\n- app_launch: com.uixt.shop\n- start_to_goal: Go home\n";
    let done = || Does::Calls("finished", json!({"content": "done"}));
    let nowhere = || Does::Calls("tap_element", json!({"text": "No such button", "timeout": 0.1}));
    let home = || Does::Calls("press_button", json!({"button": "home"}));
    let table = [
        (vec![done(), done()], Some("reached, but nothing was done")),
        (vec![nowhere(), done(), done()], Some("reached, but 1 of 1 steps failed")),
        (vec![done(), home(), done()], None),
        (vec![home(), nowhere(), done(), done()], None),
    ];
    for (script, wrong) in table {
        let (model, variables) = Model::start(script).await;
        let arguments = ["run", "early.yaml", "--device", "phone", "--report-dir", "r"];
        let ran = run(Test::new(&arguments).file("early.yaml", case), &variables).await;
        match wrong {
            None => _ = ran.code(0),
            Some(wrong) => _ = ran.code(1).says(wrong),
        }
        assert!(model.plays().script.is_empty(), "it was asked once more");
    }
}
