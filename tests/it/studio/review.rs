//! What a run left to be decided, and goals in words, from the page.

use serde_json::{Value, json};

use super::served::{Page, Served};
use crate::support::model::{Does, Model};
use crate::support::{Test, items, text};

/// A testcase that compares the screen of an app, within seconds that are enough for one that is alike on a busy machine, or short for one that is not.
fn comparing(app: &str, timeout: u32) -> String {
    format!("teststeps:\n- app_launch: {app}\n- assert_screenshot: {{name: first, timeout: {timeout}}} # ours\n")
}

async fn run(page: &mut Page, path: &str, text: &str) -> Value {
    page.run(json!({"path": path, "text": text})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_that_differ_are_accepted_or_masked() {
    let test = Test::new(&["studio", "--device", "phone", "--port", "0"])
        .file("uixt.yaml", "device: phone\n")
        .file("look.yaml", comparing("com.uixt.shop", 30));
    let served = Served::start(&test);
    let mut page = served.open().await;
    let ended = run(&mut page, "look.yaml", &comparing("com.uixt.shop", 30)).await;
    assert_eq!(ended["outcome"], "passed", "{ended}");
    let other = comparing("com.uixt.settings", 5);
    let ended = run(&mut page, "look.yaml", &other).await;
    assert_eq!(ended["outcome"], "failed", "{ended}");
    let result = page.ask(json!({"do": "result", "folder": ended["folder"]})).await;
    let details = &result["cases"][0]["steps"][1]["error"]["details"];
    assert!(details["comparison"]["actual"].is_string(), "{result:#}");

    // A mask stands where the step is, with all else as it was.
    let rect = [0.0, 0.0, 1.0, 0.5];
    let masked = page.ask(json!({"do": "mask", "path": "look.yaml", "line": 3, "rect": rect})).await;
    let expected = other.replace("name: first,", "name: first, mask: [{rect: [0, 0, 1, 0.5]}],");
    assert_eq!(masked["text"], expected);
    assert_eq!(std::fs::read_to_string(test.path("look.yaml")).expect("a file"), expected);
    let refused = page.answer(json!({"do": "mask", "path": "look.yaml", "line": 2, "rect": rect})).await;
    assert!(text(&refused["error"]["message"]).contains("no step compares pictures"), "{refused}");

    // A step alone keeps its pictures, too, and a second mask stands behind the first.
    page.ask(json!({"do": "mask", "path": "look.yaml", "line": 3, "rect": [0.0, 0.5, 0.5, 0.6]})).await;
    let ended = page.run(json!({"path": "look.yaml", "only": 3})).await;
    assert_eq!(ended["outcome"], "failed", "{ended}");
    let result = page.ask(json!({"do": "result", "folder": ended["folder"]})).await;
    let details = &result["cases"][0]["steps"][0]["error"]["details"];
    let folder = format!("results/{}", text(&ended["folder"]));
    assert!(test.path(&folder).join(text(&details["comparison"]["actual"])).is_file(), "{result:#}");

    let accept = json!({"do": "accept", "folder": ended["folder"], "baseline": details["baseline"]});
    page.ask(accept.clone()).await;
    let ended = run(&mut page, "look.yaml", &other).await;
    assert_eq!(ended["outcome"], "passed", "{ended}");
    let mut wrong = accept;
    wrong["folder"] = "..".into();
    let refused = page.answer(wrong).await;
    assert!(text(&refused["error"]["message"]).contains("no finished run"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_step_is_mended_and_a_goal_becomes_steps() {
    let taps = Does::Taps("Settings");
    let end = Does::Calls("finished", json!({"content": "Settings are open"}));
    let (_model, variables) = Model::start([taps, end]).await;
    let broken = "teststeps:\n- home:\n# The way in.\n- tap: {text: Setings, timeout: 1}\n";
    let test = Test::new(&["studio", "--device", "phone", "--port", "0"])
        .file("uixt.yaml", "device: phone\n")
        .file("broken.yaml", broken);
    let served = Served::start_with(&test, &variables);
    let mut page = served.open().await;
    let ended = run(&mut page, "broken.yaml", broken).await;
    assert_eq!(ended["outcome"], "failed", "{ended}");
    let told = page.ask(json!({"do": "repairs", "folder": ended["folder"]})).await;
    let repair = &items(&told["repairs"])[0];
    assert_eq!((&repair["file"], &repair["line"]), (&json!("broken.yaml"), &json!(4)), "{told:#}");
    assert!(text(&repair["choices"][0]["diff"]).contains("+ - tap: {text: Settings, timeout: 1}"), "{told:#}");
    let choice = json!({"do": "repair", "folder": ended["folder"], "place": repair["place"], "choice": 0});
    page.ask(choice).await;
    let mended = std::fs::read_to_string(test.path("broken.yaml")).expect("a file");
    assert_eq!(mended, broken.replace("Setings", "Settings"));
    let ended = page.run(json!({"path": "broken.yaml"})).await;
    assert_eq!(ended["outcome"], "passed", "{ended}");

    // The steps of a goal come one by one; nothing of them is in the file.
    page.act(json!({"home": true})).await;
    page.events.clear();
    let reached = page.ask(json!({"do": "goal", "device": 0, "goal": "Open the settings"})).await;
    assert!(text(&reached["message"]).contains("Settings are open"), "{reached}");
    let steps: Vec<&Value> =
        page.events.iter().filter(|event| event["event"] == "goal" && event["state"] == "step").collect();
    assert_eq!(steps.len(), 1, "{:#?}", page.events);
    assert_eq!((&steps[0]["n"], &steps[0]["text"]), (&json!(1), &json!("- tap: Settings\n")), "{steps:#?}");
    assert_eq!(std::fs::read_to_string(test.path("broken.yaml")).expect("a file"), mended);
}
