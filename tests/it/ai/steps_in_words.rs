//! Goals, questions and assertions in words, with a stand-in for the model at the other end of a real HTTP endpoint: it reads the
//! screen that it is shown as a model does, takes one intended step after the other, and fails as endpoints do.

use serde_json::json;

use crate::support::items;
use crate::support::model::{Does, Model, purchase, run};

#[tokio::test(flavor = "multi_thread")]
async fn a_goal_is_reached_step_by_step() {
    let (model, variables) = Model::start(purchase()).await;
    let ran = run("- start_to_goal: Log in as alice (secret123) and put green tea into the cart\n- assert_visible: {text: .*1 item.*, regex: true}\n", &variables).await.code(0);
    let shown = model.shown();
    assert!(shown[0].starts_with("Goal: Log in as alice"), "{}", shown[0]);
    assert!(
        shown.last().expect("asked").contains("tap_element"),
        "it is told what it did: {}",
        shown.last().expect("asked")
    );
    let usage = ran.json("r/summary.json")["usage"].clone();
    println!("a goal of {} calls: {usage}", shown.len());
    assert!(usage["input_tokens"].as_u64().expect("tokens") <= 1_500 * shown.len() as u64, "{usage}");
    for (number, text) in shown.iter().enumerate() {
        let tokens = text.len().div_ceil(4);
        assert!(tokens <= 1_500, "step {number} shows {tokens} tokens:\n{text}");
        assert_eq!((text.matches("<screen>").count(), text.matches("</screen>").count()), (1, 1), "{text}");
    }
    assert!(
        !std::fs::read_to_string(ran.path("r/journal.jsonl")).expect("a journal").contains("sk-only"),
        "the key is told"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_takes_no_tools_and_fails_at_times_is_asked_in_words_and_again() {
    let mut script = purchase();
    script.insert(2, Does::Fails(429, "slow down"));
    script.insert(2, Does::Fails(500, "oops"));
    script.insert(1, Does::Says("Hm, let me think."));
    script.insert(1, Does::Says("{\"actions\": [{\"name\": \"rm_rf\", \"arguments\": {}}]}"));
    let (model, variables) = Model::start(script).await;
    model.plays().has_no_tools = true;
    run(
        "- start_to_goal: Put green tea into the cart\n- assert_visible: {text: .*1 item.*, regex: true}\n",
        &variables,
    )
    .await
    .code(0);
    let shown = model.shown();
    assert!(shown.iter().any(|text| text.contains("there is no action `rm_rf`")), "it is told what was wrong");
    assert!(shown.iter().any(|text| text.contains("the reply has no action")), "it is told what was wrong");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_looks_at_pictures_is_shown_small_ones() {
    let tap = "Thought: the icon\nAction: click(start_box='(500,300)')";
    let (model, mut variables) = Model::start([Does::Says(tap), Does::Says("Action: finished(content='ok')")]).await;
    variables[2].1 = "ui-tars-1.5".to_owned();
    let ran = run("- home:\n- start_to_goal: Touch the middle\n", &variables).await;
    for body in &model.plays().asked {
        let content = items(&body["messages"]).last().expect("a message")["content"].clone();
        let url = items(&content).iter().find_map(|part| part["image_url"]["url"].as_str()).expect("a picture");
        let bytes = url.len() * 3 / 4;
        assert!(url.starts_with("data:image/png;base64,") && bytes <= 100_000, "{bytes} bytes");
        println!("a picture of {bytes} bytes");
    }
    ran.code(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_element_is_located_by_its_description() {
    let steps = "- home:\n- locate: the shop's icon\n  save: {found: target}\n- assert_value: {value: \"${found.text}\", equals: Shop}\n- tap_element: {ai: the shop's icon}\n- assert_visible: Sign in\n";
    let found = "{\"thought\": \"its name\", \"ref\": \"SHOP\"}";
    let (model, variables) = Model::start([Does::Says(found), Does::Says(found)]).await;
    run(steps, &variables).await.code(0);
    assert!(model.shown()[0].contains("Which element is this: the shop's icon"), "{}", model.shown()[0]);
    for (said, code, wanted) in [
        ("{\"ref\": null, \"thought\": \"there is none\"}", 1, "the model sees no element"),
        ("{\"ref\": \"e999\"}", 3, "e999"),
        ("the first", 3, "has no `ref`"),
    ] {
        let (_, variables) = Model::start([Does::Says(said)]).await;
        run("- home:\n- locate: the moon\n", &variables).await.code(code).says(wanted);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_leads_nowhere_fails() {
    let home =
        |count: usize| (0..count).map(|_| Does::Calls("press_button", json!({"button": "home"}))).collect::<Vec<_>>();
    for (script, options, wanted) in [
        (
            vec![Does::Says("done"), Does::Says("I am done."), Does::Says("{\"actions\": []}")],
            "",
            "3 model steps failed in a row",
        ),
        (home(5), "", "the model repeats itself: press_button on the same screen, 3 times"),
        (
            vec![Does::Calls("give_up", json!({"reason": "there is no tea"}))],
            "",
            "the goal cannot be reached: there is no tea",
        ),
        (home(5), ", max_steps: 2", "the goal was not reached within 2 steps"),
        (
            (0..3).map(|number| Does::Calls("tap_element", json!({"ref": format!("e999{number}")}))).collect(),
            "",
            "3 model steps failed in a row",
        ),
        (vec![Does::Fails(401, "bad key sk-only-for-this-test")], "", "refused the request: HTTP 401: bad key ••••••"),
        (vec![], "", "the script is over"),
    ] {
        let (_, variables) = Model::start(script).await;
        let ran = run(&format!("- start_to_goal: {{goal: Buy tea{options}}}\n"), &variables).await;
        assert!(matches!(ran.code, Some(1 | 3)), "{wanted}: {:?} {}", ran.code, ran.stderr);
        let ran = ran.says(wanted);
        assert!(!ran.stderr.contains("sk-only"), "{}", ran.stderr);
    }
    let (model, variables) = Model::start(home(5)).await;
    model.plays().takes = std::time::Duration::from_secs(6);
    let late = run("- start_to_goal: {goal: Buy tea, time_limit: 1}\n", &variables).await;
    late.code(3).says("gave no answer within 1 s");
    let unset = run("- start_to_goal: Buy tea\n", &[]).await.code(3);
    unset.says("set OPENAI_BASE_URL to its address");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_screen_is_asked_about_and_judged() {
    let schema =
        "output_schema: {type: object, properties: {apps: {type: array, items: {type: string}}}, required: [apps]}";
    let query = format!(
        "- home:\n- ai_query: {{prompt: Which apps are there?, {schema}}}\n  save: {{found: data}}\n- assert_value: {{value: \"${{found.apps}}\", equals: [Settings, Shop]}}\n"
    );
    let (model, variables) = Model::start([Does::Says(
        "```json\n{\"thought\": \"icons\", \"data\": {\"apps\": [\"Settings\", \"Shop\"]}}\n```",
    )])
    .await;
    run(&query, &variables).await.code(0);
    assert!(model.shown()[0].contains("\"Settings\""), "{}", model.shown()[0]);
    assert_eq!(model.plays().asked[0]["response_format"]["json_schema"]["name"], "query_result");

    for (said, wanted) in [
        ("{\"data\": {\"apps\": \"Settings\"}}", "does not fit `output_schema`: data.apps must be array"),
        ("{\"data\": {}}", "data lacks apps"),
        ("{\"apps\": []}", "has no `data`"),
        ("There are two.", "is not a JSON object"),
    ] {
        let (_, variables) = Model::start([Does::Says(said)]).await;
        run(&query, &variables).await.code(3).says(wanted);
    }

    let assert = "- home:\n- ai_assert: The home screen shows the Shop\n";
    let judged = |said: &'static str| async move {
        let (_, variables) = Model::start([Does::Says(said)]).await;
        run(assert, &variables).await
    };
    judged("{\"pass\": true, \"thought\": \"its icon\"}").await.code(0);
    judged("{\"pass\": false, \"thought\": \"no such icon\"}").await.code(1).says("is not true: no such icon");
    for unanswered in [
        "{\"pass\": true} or {\"pass\": false}",
        "Yes, it does.",
        "{\"pass\": \"true\"}",
        "{\"thought\": \"it does\"}",
        "true",
    ] {
        judged(unanswered).await.code(3);
    }
}
