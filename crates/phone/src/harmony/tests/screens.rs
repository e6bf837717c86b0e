//! What is seen of the screen, and what touches, keys and texts do to it.

use serde_json::{Value, json};

use super::{Test, nodes};

const SHOP: &str = "com.uixt.shop";

#[tokio::test]
async fn a_dump_tells_windows_and_nodes_as_arkui_does() {
    let test = Test::new().await;
    let home = test.dump().await;
    assert_eq!(home["children"][0]["attributes"]["bundleName"], "com.ohos.sceneboard");
    test.open(SHOP).await;
    let dump = test.dump().await;
    assert_eq!(dump["attributes"]["bounds"], "[0,0][1260,2720]");
    assert_eq!((dump["attributes"]["type"].as_str(), dump["attributes"]["text"].as_str()), (Some(""), Some("")));
    let window = &dump["children"][0]["attributes"];
    for (name, value) in
        [("type", "root"), ("bundleName", SHOP), ("abilityName", "EntryAbility"), ("hostWindowId", "71")]
    {
        assert_eq!(window[name], value, "{name}");
    }
    assert!(window["pagePath"].as_str().unwrap().starts_with("pages/"), "{window}");
    let all = nodes(&dump);
    assert!(all.iter().all(|node| node.as_object().unwrap().values().all(Value::is_string)), "every value is a text");
    let kinds: Vec<&str> = all.iter().map(|node| node["type"].as_str().unwrap()).collect();
    for kind in ["TextInput", "Button", "Text", "Checkbox", "List", "ListItem", "Scroll", "WindowScene"] {
        assert!(kinds.contains(&kind), "no {kind} among {kinds:?}");
    }
    let field = test.find("id", "user").await.unwrap();
    assert_eq!(
        (field["text"].as_str(), field["key"].as_str(), field["focused"].as_str()),
        (Some(""), Some("user"), Some("false"))
    );
    assert!(!field["hint"].as_str().unwrap().is_empty());
    let keys: Vec<&String> = field.as_object().unwrap().keys().collect();
    assert!(keys.is_sorted() && keys.len() == 30, "{keys:?}");
}

#[tokio::test]
async fn what_is_typed_and_tapped_is_seen() {
    let test = Test::new().await;
    test.open(SHOP).await;
    let user = test.middle("id", "user").await;
    test.input(&format!("inputText {user} '登录 \"a\" $b 😀'")).await;
    assert_eq!(test.find("id", "user").await.unwrap()["text"], "登录 \"a\" $b 😀");
    let dump = test.dump().await;
    assert_eq!(dump["children"][0]["attributes"]["bundleName"], SHOP, "the window with the focus comes first");
    let keyboard = nodes(&dump).into_iter().find(|node| node["bundleName"] == "com.example.kikakeyboard").unwrap();
    let top: i32 = keyboard["bounds"].as_str().unwrap().split([',', ']']).nth(1).unwrap().parse().unwrap();
    let app = &dump["children"][0]["children"];
    let lowest = app
        .as_array()
        .unwrap()
        .iter()
        .flat_map(nodes)
        .filter_map(|node| node["bounds"].as_str()?.split([',', ']']).nth(3)?.parse::<i32>().ok());
    assert!(lowest.max().unwrap() <= top, "nothing of the app is seen below the keyboard");
    test.input("keyEvent 2072 2017").await;
    test.input("keyEvent 2055").await;
    test.input("text alice").await;
    test.input("keyEvent 2054").await;
    test.input("text secret123").await;
    let password = test.find("id", "password").await.unwrap();
    assert_eq!((password["text"].as_str(), password["focused"].as_str()), (Some("•••••••••"), Some("true")));
    test.input("keyEvent Back").await;
    let button = test.middle("text", "Sign in").await;
    test.input(&format!("click {button}")).await;
    assert!(test.find("text", "Welcome, alice").await.is_some());
    assert_eq!((test.acts("touches"), test.acts("texts"), test.acts("keys")), (2, 3, 4));
    test.input("keyEvent 1").await;
    assert!(test.shell("aa dump -l").await.contains("bundle name [com.ohos.sceneboard]"));
    assert!(test.shell("hidumper -s WindowManagerService -a '-a'").await.contains("Focus window: 5"));
}

#[tokio::test]
async fn every_gesture_is_what_it_says() {
    let test = Test::new().await;
    test.open("com.uixt.touchlab").await;
    let pad = test.middle("text", "Gesture pad").await;
    test.input(&format!("click {pad}")).await;
    for (words, name) in [
        ("click 600 1200", "Tap"),
        ("doubleClick 600 1200", "Double tap"),
        ("longClick 600 1200", "Long press"),
        ("swipe 900 1200 300 1200 2000", "Swipe left"),
        ("swipe 600 900 600 1500", "Swipe down"),
        ("fling 300 1200 900 1200 4000", "Swipe right"),
        ("drag 300 1000 800 1000 1000", "Drag"),
        ("dircFling 0", "Swipe right"),
        ("dircFling 1", "Swipe left"),
    ] {
        test.input(words).await;
        assert_eq!(test.find("id", "gesture").await.unwrap()["text"], name, "{words}");
    }
    // Two clicks are never a double one: uitest takes longer.
    test.input("click 600 1200").await;
    test.input("click 600 1200").await;
    assert_eq!(test.find("id", "gesture").await.unwrap()["text"], "Tap");
    let said = test.shell("uitest uiInput swipe 900 1200 300 1200 50").await;
    assert!(said.starts_with("The swipe velocity out of range") && said.ends_with("No Error\n"), "{said}");
}

#[tokio::test]
async fn the_system_asks_in_a_window_of_its_own() {
    let test = Test::new().await;
    assert!(test.shell("aa start -U uixt-trouble://permission").await.contains("successfully"));
    let ask = test.middle("id", "photo").await;
    test.input(&format!("click {ask}")).await;
    let dump = test.dump().await;
    assert_eq!(dump["children"][0]["attributes"]["bundleName"], "com.ohos.sceneboard");
    let extension = &dump["children"][0]["children"][0];
    assert_eq!(extension["attributes"]["type"], "UIExtensionComponent");
    assert!(nodes(extension).iter().any(|node| node["type"] == "Button"));
    test.fault("uiextension", json!(true)).await;
    assert_eq!(test.dump().await["children"][0]["children"][0]["children"], json!([]));
}

#[tokio::test]
async fn a_dark_or_locked_phone_says_so() {
    let test = Test::new().await;
    test.shell("power-shell suspend").await;
    assert!(test.shell("hidumper -s PowerManagerService -a -s").await.contains("Current State: INACTIVE"));
    assert_eq!(test.dump().await["children"], json!([]));
    let refused = test.shell("aa start -a EntryAbility -b com.uixt.shop").await;
    assert!(refused.starts_with("error:") && refused.contains("screen is locked"), "{refused}");
    test.shell("power-shell wakeup").await;
    assert!(test.find("text", "Swipe up to unlock").await.is_some());
    test.input("swipe 630 2200 630 800 6000").await;
    test.open(SHOP).await;
    test.fault("locked", json!(true)).await;
    test.shell("power-shell wakeup").await;
    test.input("swipe 630 2200 630 800 6000").await;
    assert!(test.shell("aa start -a EntryAbility -b com.uixt.shop").await.contains("locked"));
    assert_eq!(test.acts("launches"), 1);
}

#[tokio::test]
async fn options_of_a_dump_choose_windows_and_nodes() {
    let test = Test::new().await;
    test.open(SHOP).await;
    let dump = async |options: &str| {
        let line =
            format!("uitest dumpLayout -p /data/local/tmp/b.json {options} > /dev/null; cat /data/local/tmp/b.json");
        serde_json::from_str::<Value>(&test.shell(&line).await).unwrap()
    };
    assert_eq!(dump("-b com.uixt.shop").await["children"].as_array().unwrap().len(), 1);
    assert_eq!(dump("-b com.not.there").await["children"], json!([]));
    assert_eq!(dump("-w 8").await["children"][0]["attributes"]["abilityName"], "SCBStatusBar");
    test.shell("aa start -U uixt-trouble://far").await;
    let whole = dump("-i").await;
    let unseen =
        |nodes: Vec<Value>| nodes.iter().filter(|node| node["visible"] == "false" && node["text"] != "").count();
    let all = whole.as_array().unwrap().iter().flat_map(nodes).collect();
    assert!(unseen(all) > 0, "what lies below the screen's end is in it");
    assert_eq!(unseen(nodes(&test.dump().await)), 0);
    assert!(dump("-a").await.to_string().contains("extraAttrs"));
    for (line, said) in [
        ("-i -a", "The -a and -i options cannot be used together."),
        ("-d 3", "DumpLayout failed:Get window nodes failed"),
        ("-p /nowhere/x", "DumpLayout failed:Error path:/nowhere/x"),
        ("-m no", "Invalid params"),
    ] {
        let told = test.shell(&format!("uitest dumpLayout {line}; echo $?")).await;
        assert!(told.starts_with(said) && told.ends_with("0\n"), "{line}: {told}");
    }
    assert!(test.shell("uitest dumpLayout").await.starts_with("DumpLayout saved to:/data/local/tmp/layout_"));
}
