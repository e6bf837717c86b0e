//! Mutants of the shop: of its pages, and of what its server is asked and answers.

use serde_json::{Value, json};

use super::Mutant;
use super::app::Change;
use super::server::{Exchange, Part};

const fn asked(call: &'static str, change: fn(&mut Value)) -> Change {
    Change::Server(Exchange { call, part: Part::Asked(change) })
}

const fn answered(call: &'static str, change: fn(&mut Value)) -> Change {
    Change::Server(Exchange { call, part: Part::Answered(change) })
}

/// Reads an amount in cents: 1250 of `¥12.50`.
fn cents(amount: &Value) -> u64 {
    let digits: String = amount.as_str().expect("an amount").chars().filter(char::is_ascii_digit).collect();
    digits.parse().expect("digits")
}

/// Adds the prices up without how many there are of each.
fn forget_quantities(answer: &mut Value) {
    let total: u64 = answer["rows"].as_array().expect("rows").iter().map(|row| cents(&row["price"])).sum();
    answer["total"] = format!("¥{}.{:02}", total / 100, total % 100).into();
}

fn in_dollars(answer: &mut Value) {
    for row in answer["results"].as_array_mut().expect("rows") {
        row["price"] = row["price"].as_str().expect("a price").replace('¥', "$").into();
    }
}

fn rows(answer: &mut Value) -> &mut Vec<Value> {
    answer["results"].as_array_mut().expect("rows")
}

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "the button to sign in is misspelt",
        kind: "wrong text",
        suite: "shop/login.yaml",
        cause: &["\"Sign in\"", "not there within 10 s", "\"Sing in\""],
        change: Change::Text("shop_login", "\"label\": \"Sign in\"", "\"label\": \"Sing in\""),
    },
    Mutant {
        name: "signing in does nothing",
        kind: "dead button",
        suite: "shop_purchase.yaml",
        cause: &["\"Wrong user name or password\"", "nothing has changed", "button \"Sign in\""],
        change: Change::Dead("shop_login", "sign_in"),
    },
    Mutant {
        name: "any password will do",
        kind: "missing check",
        suite: "shop_purchase.yaml",
        cause: &["\"Wrong user name or password\"", "not there within 10 s", "on the screen \"Shop\""],
        change: asked("login", |body| body["password"] = "secret123".into()),
    },
    Mutant {
        name: "the user is to be remembered unasked",
        kind: "wrong default",
        suite: "shop/login.yaml",
        cause: &["checkbox \"Remember me\"", "is checked"],
        change: Change::Text("shop_login", "\"remember\": false", "\"remember\": true"),
    },
    Mutant {
        name: "the password stands there after logging out",
        kind: "stale state",
        suite: "shop/login.yaml",
        cause: &["id password", "does not equal \"\""],
        change: answered("login", |answer| {
            if answer["password"] == "" {
                answer["password"] = "secret123".into();
            }
        }),
    },
    Mutant {
        name: "the other language leads to the first page",
        kind: "wrong page",
        suite: "shop/login.yaml",
        cause: &["\"登录\"", "not there within 10 s"],
        change: Change::Text(
            "shop_login",
            "\"target_instance\": \"shop_login_zh\"",
            "\"target_instance\": \"shop_home\"",
        ),
    },
    Mutant {
        name: "a button is not translated",
        kind: "wrong text",
        suite: "shop/login.yaml",
        cause: &["\"登录\"", "not there within 10 s", "button: \"Navigate up\", \"Sign in\""],
        change: Change::Text(
            "shop_login_zh",
            "\"id\": \"sign_in\", \"label\": \"登录\"",
            "\"id\": \"sign_in\", \"label\": \"Sign in\"",
        ),
    },
    Mutant {
        name: "the prices are in dollars",
        kind: "wrong currency",
        suite: "shop/catalogue.yaml",
        cause: &["\"$12.50\" does not equal \"¥12.50\""],
        change: answered("home", in_dollars),
    },
    Mutant {
        name: "a product is missing in the list",
        kind: "missing row",
        suite: "shop/catalogue.yaml",
        cause: &["\"Headphones\": not there", "the end was reached"],
        change: answered("home", |answer| {
            if rows(answer).len() > 4 {
                rows(answer).remove(4);
            }
        }),
    },
    Mutant {
        name: "two products change places",
        kind: "wrong order",
        suite: "shop/catalogue.yaml",
        cause: &["\"¥49.80\" does not equal \"¥12.50\""],
        change: answered("home", |answer| {
            if rows(answer).len() > 1 {
                rows(answer).swap(0, 1);
            }
        }),
    },
    Mutant {
        name: "a product is listed twice",
        kind: "duplicate",
        suite: "shop/catalogue.yaml",
        cause: &["\"T-shirt\"", "2 there", "not 1"],
        change: answered("home", |answer| {
            if let Some(again) = rows(answer).get(6).cloned() {
                rows(answer).insert(6, again);
            }
        }),
    },
    Mutant {
        name: "the number of results is one too many",
        kind: "off by one",
        suite: "shop/catalogue.yaml",
        cause: &["\"3 products\" does not equal \"2 products\""],
        change: answered("search", |answer| answer["message"] = format!("{} products", rows(answer).len() + 1).into()),
    },
    Mutant {
        name: "a search finds everything",
        kind: "stale state",
        suite: "shop_purchase.yaml",
        cause: &["\"12 products\" does not equal \"1 product\""],
        change: asked("search", |body| body["query"] = "".into()),
    },
    Mutant {
        name: "a search leaves another row there",
        kind: "stale state",
        suite: "shop_purchase.yaml",
        cause: &["\"Notebook\"", "still there"],
        change: answered("search", |answer| {
            rows(answer).push(json!({"id": "notebook", "name": "Notebook", "price": "¥8.90"}));
        }),
    },
    Mutant {
        name: "every row leads to the tea",
        kind: "wrong page",
        suite: "shop_purchase.yaml",
        cause: &["\"¥12.50\" does not equal \"¥8.90\""],
        change: asked("open", |body| body["id"] = "green_tea".into()),
    },
    Mutant {
        name: "rows lead nowhere",
        kind: "dead button",
        suite: "shop_purchase.yaml",
        cause: &["id price", "nothing has changed", "\"Notebook\""],
        change: Change::Dead("shop_home", "open_product"),
    },
    Mutant {
        name: "plus adds two",
        kind: "off by one",
        suite: "shop_purchase.yaml",
        cause: &["\"5\" does not equal \"3\""],
        change: Change::Text(
            "shop_product",
            "\"increment\", \"patches\": {\n      \"state.params.quantity\": 1",
            "\"increment\", \"patches\": {\n      \"state.params.quantity\": 2",
        ),
    },
    Mutant {
        name: "minus counts up",
        kind: "swapped",
        suite: "shop/cart.yaml",
        cause: &["id quantity", "\"4\" does not equal \"2\""],
        change: Change::Text("shop_product", "\"handler_type\": \"decrement\"", "\"handler_type\": \"increment\""),
    },
    Mutant {
        name: "nothing can be put into the cart",
        kind: "dead button",
        suite: "shop/cart.yaml",
        cause: &["\"Added to cart\"", "nothing has changed", "button \"Add to cart\""],
        change: Change::Dead("shop_product", "add_to_cart"),
    },
    Mutant {
        name: "the product's page does not count what was put into the cart",
        kind: "stale state",
        suite: "shop_purchase.yaml",
        cause: &["id cart", "\"Cart is empty\" does not equal \"1 item in cart\""],
        change: answered("add", |answer| answer["cart"] = "Cart is empty".into()),
    },
    Mutant {
        name: "a raw error stands where the shop should say why",
        kind: "wrong text",
        suite: "shop/catalogue.yaml",
        cause: &["id message", "\"HTTP status 409\" does not equal \"Sold out\""],
        change: answered("add", |answer| {
            if answer["error"] != Value::Null {
                answer["error"] = json!({});
            }
        }),
    },
    Mutant {
        name: "the cart's total forgets quantities",
        kind: "wrong total",
        suite: "shop_purchase.yaml",
        cause: &["id total", "\"¥21.40\" does not equal \"¥46.40\""],
        change: answered("cart", forget_quantities),
    },
    Mutant {
        name: "the total stays when the cart changes",
        kind: "stale state",
        suite: "shop_purchase.yaml",
        cause: &["id total", "\"¥46.40\" does not equal \"¥33.90\""],
        change: answered("change", |answer| answer["total"] = "¥46.40".into()),
    },
    Mutant {
        name: "one more and one fewer are swapped",
        kind: "swapped",
        suite: "shop_purchase.yaml",
        cause: &["id total", "\"¥58.90\" does not equal \"¥33.90\""],
        change: asked("change", |body| {
            let by = body["by"].as_i64().or_else(|| body["by"].as_str().and_then(|by| by.parse().ok()));
            body["by"] = (-by.expect("a number")).into();
        }),
    },
    Mutant {
        name: "an amount of the cart is the price of one",
        kind: "wrong total",
        suite: "shop/cart.yaml",
        cause: &["\"¥49.80\" does not equal \"¥99.60\""],
        change: answered("cart", |answer| {
            for row in answer["rows"].as_array_mut().expect("rows") {
                row["subtotal"] = row["price"].clone();
            }
        }),
    },
    Mutant {
        name: "removing does nothing",
        kind: "dead button",
        suite: "shop/cart.yaml",
        cause: &["\"Removed from cart\"", "nothing has changed", "button \"Remove\""],
        change: Change::Dead("shop_cart", "remove"),
    },
    Mutant {
        name: "what was removed stays in the list",
        kind: "stale state",
        suite: "shop/cart.yaml",
        cause: &["\"Coffee beans\"", "still there"],
        change: answered("remove", |answer| {
            let coffee = json!({"id": "coffee_beans", "name": "Coffee beans", "quantity": 2, "subtotal": "¥99.60"});
            answer["rows"].as_array_mut().expect("rows").insert(0, coffee);
        }),
    },
    Mutant {
        name: "from the cart, shopping goes on at the checkout",
        kind: "wrong page",
        suite: "shop/cart.yaml",
        cause: &["\"Shop\"", "not there within 10 s", "Checkout"],
        change: Change::Text(
            "shop_cart",
            "\"target_instance\": \"shop_home\"",
            "\"target_instance\": \"shop_checkout\"",
        ),
    },
    Mutant {
        name: "two buttons are called View cart",
        kind: "duplicate",
        suite: "shop/cart.yaml",
        cause: &["\"View cart\"", "2 elements match"],
        change: Change::Text("shop_home", "\"label\": \"Log out\"", "\"label\": \"View cart\""),
    },
    Mutant {
        name: "the bill forgets a piece",
        kind: "wrong total",
        suite: "shop/checkout.yaml",
        cause: &["id total", "\"¥16.80\" does not equal \"¥33.60\""],
        change: answered("bill", |answer| answer["total"] = "¥16.80".into()),
    },
    Mutant {
        name: "the terms are agreed to from the start",
        kind: "wrong default",
        suite: "shop/checkout.yaml",
        cause: &["checkbox \"I accept the terms\"", "is checked"],
        change: Change::Text("shop_checkout", "\"terms\": false", "\"terms\": true"),
    },
    Mutant {
        name: "the terms need not be agreed to",
        kind: "missing check",
        suite: "shop_purchase.yaml",
        cause: &["\"Please accept the terms\"", "not there within 10 s"],
        change: asked("order", |body| body["terms"] = true.into()),
    },
    Mutant {
        name: "nothing can be ordered",
        kind: "dead button",
        suite: "shop/checkout.yaml",
        cause: &["\"Please enter your name\"", "nothing has changed", "button \"Place order\""],
        change: Change::Dead("shop_checkout", "place_order"),
    },
    Mutant {
        name: "two ways to pay are swapped",
        kind: "swapped",
        suite: "shop/checkout.yaml",
        cause: &["id payment", "\"Cash on delivery\" does not equal \"Bank transfer\""],
        change: Change::Text(
            "shop_checkout",
            "\"value\": \"transfer\"}, {\"label\": \"Cash on delivery\", \"value\": \"cash\"}",
            "\"value\": \"cash\"}, {\"label\": \"Cash on delivery\", \"value\": \"transfer\"}",
        ),
    },
    Mutant {
        name: "the receipt comes minutes later",
        kind: "late page",
        suite: "shop/checkout.yaml",
        cause: &["id number", "not there within 10 s"],
        change: Change::Late("shop_done", "page", 600_000),
    },
    Mutant {
        name: "the order's number has lost its letters",
        kind: "wrong text",
        suite: "shop/checkout.yaml",
        cause: &["\"1001\" does not match \"^UX-1"],
        change: answered("receipt", |answer| {
            answer["number"] = answer["number"].as_str().expect("a number").replace("UX-", "").into();
        }),
    },
    Mutant {
        name: "the receipt says another total",
        kind: "wrong total",
        suite: "shop/checkout.yaml",
        cause: &["id total", "\"¥33.61\" does not equal \"¥33.60\""],
        change: answered("receipt", |answer| answer["total"] = "¥33.61".into()),
    },
];
