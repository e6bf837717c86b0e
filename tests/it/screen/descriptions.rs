//! Descriptions in a person's words, in English and Chinese, on recorded screens: nearly all find what they mean, and none finds
//! another thing without a word.

use serde_json::{Value, json};
use uixt::driver::{Screen, Size, android};
use uixt::tools::Local;

use crate::support::recorded_screen::{call, device, recording};

/// A screen, what somebody may say there, and a selector of what is meant.
type Case = (&'static str, &'static str, &'static str);

const MEANT: &[Case] = &[
    ("login_zh", "用户名输入框", "#et_user"),
    ("login_zh", "密码框", "#et_pwd"),
    ("login_zh", "验证码输入框", "#et_code"),
    ("login_zh", "登录按钮", "#btn_login"),
    ("login_zh", "点击登录按钮", "#btn_login"),
    ("login_zh", "the Sign in button", "#btn_login"),
    ("login_zh", "password field", "#et_pwd"),
    ("login_zh", "username field", "#et_user"),
    ("login_zh", "记住我复选框", "checkbox[text=记住我]"),
    ("login_zh", "忘记密码链接", "[text^=忘记密码]"),
    ("login_zh", "获取验证码按钮", "button[text=获取验证码]"),
    ("login_zh", "返回按钮", "[content-desc=返回]"),
    ("login_zh", "左上角的返回图标", "[content-desc=返回]"),
    ("login_en", "the Sign in button", "#sign_in"),
    ("login_en", "登录按钮", "#sign_in"),
    ("login_en", "email field", "#email"),
    ("login_en", "密码输入框", "#password"),
    ("login_en", "Sign in with Google", "[text$=Google]"),
    ("login_en", "show password icon", "[content-desc='Show password']"),
    ("login_en", "Keep me signed in checkbox", "checkbox"),
    ("login_en", "the checkbox", "checkbox"),
    ("login_en", "forgot password link", "[text^=Forgot]"),
    ("login_en", "Sign up link", "[text='Sign up']"),
    ("settings_en", "switch for Wi-Fi", "list > :nth-child(1) switch"),
    ("settings_en", "蓝牙开关", "list > :nth-child(2) switch"),
    ("settings_en", "the Airplane mode toggle", "list > :nth-child(3) switch"),
    ("settings_en", "second switch", "list > :nth-child(2) switch"),
    ("settings_en", "the last item", "list > :last-child"),
    ("settings_en", "Display", "list > :nth-child(4)"),
    ("settings_en", "显示选项", "list > :nth-child(4)"),
    ("settings_en", "search icon in the top right corner", "[content-desc='Search settings']"),
    ("settings_en", "more options button", "[content-desc='More options']"),
    ("settings_en", "Battery row", "list > :nth-child(6)"),
    ("shop_zh", "搜索框", "#search_src_text"),
    ("shop_zh", "搜索按钮", "button[text=搜索]"),
    ("shop_zh", "第二个商品", "list > :nth-child(2)"),
    ("shop_zh", "最后一个商品", "list > :last-child"),
    ("shop_zh", "第三个商品的加入购物车按钮", "list > :nth-child(3) #add"),
    ("shop_zh", "绿茶旁边的收藏按钮", "list > :nth-child(1) #fav"),
    ("shop_zh", "陶瓷茶杯", "list > :nth-child(4) #name"),
    ("shop_zh", "底部的购物车标签", "group:has-text('购物车'):not(list):has([text=购物车])"),
    ("shop_zh", "first Add to cart button", "list > :nth-child(1) #add"),
    ("shop_zh", "筛选按钮", "button[text=筛选]"),
    ("shop_zh", "Home tab", "group:has([text=首页])"),
    ("cart_en", "Checkout button", "#checkout"),
    ("cart_en", "结算按钮", "#checkout"),
    ("cart_en", "promo code field", "#promo"),
    ("cart_en", "Remove button next to Milk", "list > :nth-child(2) #remove"),
    ("cart_en", "the second remove button", "list > :nth-child(2) #remove"),
    ("cart_en", "Increase quantity button of the third item", "list > :nth-child(3) [content-desc^=Increase]"),
    ("cart_en", "back button", "[content-desc='Navigate up']"),
    ("register_en", "First name field", "#first_name"),
    ("register_en", "last name input", "#last_name"),
    ("register_en", "邮箱输入框", "#mail"),
    ("register_en", "手机号输入框", "#tel"),
    ("register_en", "Country dropdown", "#country"),
    ("register_en", "Male radio button", "radio[text=Male]"),
    ("register_en", "switch for Receive news by email", "#news"),
    ("register_en", "terms checkbox", "#terms"),
    ("register_en", "取消按钮", "button[text=Cancel]"),
    ("chat_zh", "消息输入框", "#input"),
    ("chat_zh", "send button", "#send"),
    ("chat_zh", "语音通话图标", "[content-desc=语音通话]"),
    ("chat_zh", "更多按钮", "[content-desc=更多]"),
    ("player_en", "pause button", "#play_pause"),
    ("player_en", "下一首", "[content-desc='Next track']"),
    ("player_en", "volume slider", "#volume"),
    ("player_en", "album cover image", "[content-desc='Album cover']"),
    ("player_en", "Search tab", "[text=Search]"),
    ("player_en", "shuffle icon", "[content-desc=Shuffle]"),
];

/// What means nothing there, or several things: whatever was found would be wrong.
const NOTHING: &[(&str, &str)] = &[
    ("login_zh", "注销按钮"),
    ("login_zh", "不同意按钮"),
    ("login_zh", "复选框"),
    ("login_en", "Sign out button"),
    ("login_en", "username switch"),
    ("login_en", "the text field"),
    ("login_en", "second checkbox"),
    ("settings_en", "the switch"),
    ("settings_en", "Display switch"),
    ("settings_en", "delete button"),
    ("shop_zh", "加入购物车按钮"),
    ("shop_zh", "第九个商品"),
    ("shop_zh", "登录按钮"),
    ("shop_zh", "红茶 200 克"),
    ("cart_en", "Remove button"),
    ("cart_en", "Remove button next to Cheese"),
    ("register_en", "middle name field"),
    ("register_en", "name field"),
    ("register_en", "Decline button"),
    ("chat_zh", "删除按钮"),
    ("chat_zh", "小红"),
    ("player_en", "stop button"),
    ("player_en", "track button"),
    ("player_en", "Play next to Cheese"),
];

fn recorded(name: &str) -> Local {
    let roots = android::parse_hierarchy(&recording(&format!("screens/{name}.xml"))).expect("a screen");
    let screen = Screen {
        package: roots[0].package.clone(),
        size: Size { width: 1080, height: 2400 },
        lit: true,
        roots,
        ..Screen::default()
    };
    device("android", name, screen).0
}

fn rect(object: &Value) -> [i64; 4] {
    let sides: Vec<i64> = object["rect"].as_array().expect("a rect").iter().filter_map(Value::as_i64).collect();
    sides.try_into().expect("four sides")
}

/// Tells whether what was found lies in what was meant, so that a tap on it does what a tap on that does.
async fn is_meant(device: &Local, found: &Value, selector: &str) -> bool {
    let meant = call(device, "wait_for", json!({"selector": selector, "timeout": 0})).await;
    let meant = meant.unwrap_or_else(|error| panic!("{selector}: {error}"));
    let ([left, top, right, bottom], meant) = (rect(found), rect(&meant));
    left >= meant[0] && top >= meant[1] && right <= meant[2] && bottom <= meant[3]
}

#[tokio::test]
async fn descriptions_find_what_they_mean_and_nothing_else() {
    let (mut right, mut refused, mut wrong) = (0, Vec::new(), Vec::new());
    for (screen, description, selector) in MEANT {
        let device = recorded(screen);
        match call(&device, "find_element", json!({"description": description, "timeout": 0})).await {
            Ok(found) if is_meant(&device, &found, selector).await => right += 1,
            Ok(found) => wrong.push(format!("{screen}: {description}: {found}")),
            Err(error) => refused.push(format!("{screen}: {description}: {}", error["message"])),
        }
    }
    for (screen, description) in NOTHING {
        match call(&recorded(screen), "find_element", json!({"description": description, "timeout": 0})).await {
            Ok(found) => wrong.push(format!("{screen}: {description}: {found}")),
            Err(error) => assert_eq!(error["kind"], "NotFound", "{description}: {error}"),
        }
    }
    let total = MEANT.len();
    println!("descriptions: {right} of {total} right, {} refused, {} wrong", refused.len(), wrong.len());
    let story = format!("refused:\n{}\nwrong:\n{}", refused.join("\n"), wrong.join("\n"));
    assert!(wrong.is_empty() && right * 10 >= total * 9, "{right} of {total}\n{story}");
    println!("{story}");
}

#[tokio::test]
async fn an_error_names_what_came_near_or_all_that_fit() {
    let device = recorded("cart_en");
    let message = |result: Result<Value, Value>| result.expect_err("an error")["message"].as_str().map(str::to_owned);
    let several = call(&device, "tap_element", json!({"description": "Remove button", "timeout": 0})).await;
    let expected = "description \"Remove button\": 3 elements match: button \"Remove\" #remove at 920,350; \
                    button \"Remove\" #remove at 920,610; button \"Remove\" #remove at 920,870; add index, role, id, within or near";
    assert_eq!(message(several).as_deref(), Some(expected));
    let none = call(&device, "tap_element", json!({"description": "Chekout now button", "timeout": 0})).await;
    let none = message(none).expect("a message");
    assert!(none.contains("nearest, but too unlike: button \"Checkout\" #checkout"), "{none}");
    let absent = call(&device, "assert_not_visible", json!({"description": "Pay button"})).await.expect_err("no proof");
    assert_eq!(absent["kind"], "BadArgument", "{absent}");
}

#[tokio::test]
async fn a_text_is_never_taken_for_a_description() {
    let device = recorded("login_en");
    for text in ["Sign in button", "登录", "Forgot your pasword?", "Sign"] {
        let error = call(&device, "tap_element", json!({"text": text, "timeout": 0})).await.expect_err(text);
        assert_eq!(error["kind"], "NotFound", "{text}: {error}");
    }
}

#[tokio::test]
async fn what_is_near_is_measured_between_edges() {
    let device = recorded("cart_en");
    let near = |near: &str| json!({"role": "button", "text": "Remove", "near": near, "timeout": 0});
    let found = call(&device, "wait_for", near("Milk")).await.expect("one is nearest");
    assert_eq!(rect(&found)[1], 260 + 260 + 90);
    let error = call(&device, "wait_for", near("Cheese")).await.expect_err("no cheese");
    assert!(
        error["message"].as_str().is_some_and(|text| text.contains("what it is near to, \"Cheese\", is not there")),
        "{error}"
    );
}
