//! A shop in English and Chinese: log in, search, put into the cart, pay. Its pages show; its [`Backend`] knows.
//!
//! The log-in page says who may log in.

mod backend;
mod catalogue;
mod session;
mod words;

pub use backend::{Backend, HOST};

use super::definition::{AppDefinition, BackendKind};

const PAGES: &[&str] = &[
    include_str!("login.json"),
    include_str!("home.json"),
    include_str!("product.json"),
    include_str!("cart.json"),
    include_str!("checkout.json"),
    include_str!("done.json"),
    include_str!("login_zh.json"),
    include_str!("home_zh.json"),
    include_str!("product_zh.json"),
    include_str!("cart_zh.json"),
    include_str!("checkout_zh.json"),
    include_str!("done_zh.json"),
];

pub(super) fn app() -> AppDefinition {
    AppDefinition {
        package: "com.uixt.shop",
        activity: ".MainActivity",
        label: "Shop",
        third_party: true,
        permissions: &[],
        first_instance: "shop_login",
        instances: PAGES.to_vec(),
        live: &[],
        late: Some(include_str!("sidecar.json")),
        backend: Some(BackendKind::Shop),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde_json::{Value, json};

    use super::*;
    use crate::instance::{Instance, Patch, Services};

    /// Somebody who uses the app without a screen: pages are opened, filled in and acted upon.
    struct Visit {
        backend: Backend,
        services: Services,
        pages: HashMap<String, Instance>,
        here: String,
    }

    impl Visit {
        async fn new() -> Self {
            let backend = Backend::start().await.unwrap();
            let services = Services::new().unwrap().with_host(HOST, backend.address());
            let pages = PAGES.iter().map(|text| Instance::from_json(text).unwrap());
            let pages = pages.map(|page| (page.id().to_owned(), page)).collect();
            Self { backend, services, pages, here: app().first_instance.to_owned() }
        }

        fn page(&mut self) -> &mut Instance {
            self.pages.get_mut(&self.here).unwrap()
        }

        fn param(&self, key: &str) -> Value {
            self.pages[&self.here].state().params[key].clone()
        }

        fn message(&self) -> String {
            self.pages[&self.here].runtime_text("message")
        }

        fn fill(&mut self, values: &[(&str, Value)]) {
            for (key, value) in values {
                let report = self.page().apply(&[Patch::set(format!("state.params.{key}"), value.clone())]);
                assert!(report.skipped.is_empty(), "{:?}", report.skipped);
            }
        }

        /// Runs an action and opens the page that it leads to.
        async fn act(&mut self, action: &str) {
            let services = self.services.clone();
            let outcome = self.page().act(action, &services).await.unwrap();
            assert!(outcome.report.skipped.is_empty(), "{:?}", outcome.report.skipped);
            self.follow(outcome.navigate).await;
        }

        /// Taps the row of a table whose first column shows `name`.
        async fn tap(&mut self, table: &str, name: &str) {
            let rows = self.param(table);
            let row = rows.as_array().unwrap().iter().find(|row| row["name"] == name).cloned().unwrap();
            let fields = self.page().fields().find(|(_, field)| field.key == table);
            let action = fields.and_then(|(_, field)| field.row_action.clone()).unwrap();
            let services = self.services.clone();
            let outcome = self.page().act_on_row(&action, row, &services).await.unwrap();
            self.follow(outcome.navigate).await;
        }

        async fn follow(&mut self, next: Option<String>) {
            let Some(next) = next else { return };
            self.here = next;
            let services = self.services.clone();
            let page = self.page();
            if let Some(action) = page.on_open().map(str::to_owned) {
                page.act(&action, &services).await.unwrap();
            }
        }

        async fn log_in(&mut self, user: &str, password: &str) {
            self.fill(&[("user", json!(user)), ("password", json!(password))]);
            self.act("sign_in").await;
        }
    }

    #[tokio::test]
    async fn a_purchase_in_english() {
        let mut visit = Visit::new().await;
        visit.log_in("alice", "wrong").await;
        assert_eq!((visit.here.as_str(), visit.message().as_str()), ("shop_login", "Wrong user name or password"));
        visit.log_in("alice", "secret123").await;
        assert_eq!((visit.here.as_str(), visit.message().as_str()), ("shop_home", "Welcome, alice"));
        assert_eq!(visit.param("results").as_array().unwrap().len(), 12);

        visit.act("view_cart").await;
        visit.act("checkout").await;
        assert_eq!((visit.here.as_str(), visit.message().as_str()), ("shop_cart", "Your cart is empty"));
        visit.act("go_home").await;

        visit.fill(&[("query", json!("TEA"))]);
        visit.act("search").await;
        assert_eq!(visit.message(), "1 product");
        visit.tap("results", "Green tea").await;
        assert_eq!((visit.param("price"), visit.param("stock")), (json!("¥12.50"), json!("20")));
        visit.act("more").await;
        visit.act("more").await;
        visit.act("add_to_cart").await;
        assert_eq!((visit.message().as_str(), visit.param("cart")), ("Added to cart", json!("3 items in cart")));

        visit.here = "shop_home".to_owned();
        visit.fill(&[("query", json!(""))]);
        visit.act("search").await;
        visit.tap("results", "Notebook").await;
        visit.act("add_to_cart").await;
        visit.act("view_cart").await;
        assert_eq!(visit.param("total"), "¥46.40");
        visit.tap("rows", "Green tea").await;
        visit.act("fewer").await;
        assert_eq!((visit.param("total"), visit.param("chosen")), (json!("¥33.90"), json!("Green tea")));

        visit.act("checkout").await;
        visit.act("place_order").await;
        assert_eq!((visit.here.as_str(), visit.message().as_str()), ("shop_checkout", "Please enter your name"));
        visit.fill(&[("name", json!("Alice")), ("address", json!("1 Main Street")), ("payment", json!("card"))]);
        visit.fill(&[("date", json!("2026-12-01")), ("terms", json!(true))]);
        visit.act("place_order").await;
        assert_eq!(visit.here, "shop_done");
        assert_eq!((visit.param("number"), visit.param("total")), (json!("UX-1001"), json!("¥33.90")));
        assert_eq!(visit.param("payment"), "Credit card");
    }

    #[tokio::test]
    async fn a_purchase_in_chinese() {
        let mut visit = Visit::new().await;
        visit.act("language").await;
        visit.log_in("小明", "secret").await;
        assert_eq!((visit.here.as_str(), visit.message().as_str()), ("shop_login_zh", "用户名或密码错误"));
        visit.fill(&[("remember", json!(true))]);
        visit.log_in("小明", "secret123").await;
        assert_eq!(visit.message(), "欢迎，小明");
        assert_eq!(visit.pages["shop_login_zh"].state().params["user"], "小明");

        visit.act("view_cart").await;
        visit.act("checkout").await;
        assert_eq!(visit.message(), "购物车是空的");
        visit.act("go_home").await;
        visit.fill(&[("query", json!("台灯"))]);
        visit.act("search").await;
        visit.tap("results", "台灯").await;
        visit.fill(&[("quantity", json!(6))]);
        visit.act("add_to_cart").await;
        assert_eq!(visit.message(), "库存仅剩 5 件");
        visit.fill(&[("quantity", json!(2))]);
        visit.act("add_to_cart").await;
        visit.act("view_cart").await;
        visit.tap("rows", "台灯").await;
        visit.act("remove").await;
        assert_eq!(
            (visit.param("total"), visit.param("chosen"), visit.message()),
            (json!("¥0.00"), json!(""), "已从购物车移除".to_owned())
        );
        visit.act("go_home").await;
        visit.tap("results", "台灯").await;
        visit.act("add_to_cart").await;
        visit.act("view_cart").await;
        visit.act("checkout").await;
        visit.fill(&[
            ("name", json!("小明")),
            ("address", json!("北京市")),
            ("payment", json!("cash")),
            ("date", json!("2026-12-01")),
        ]);
        visit.act("place_order").await;
        assert_eq!(visit.message(), "请同意服务条款");
        visit.fill(&[("terms", json!(true))]);
        visit.act("place_order").await;
        assert_eq!((visit.here.as_str(), visit.message().as_str()), ("shop_done_zh", "感谢您的订购"));
        assert_eq!((visit.param("number"), visit.param("total")), (json!("UX-1001"), json!("¥129.00")));
    }

    #[tokio::test]
    async fn a_reset_logs_out_and_forgets_the_cart() {
        let mut visit = Visit::new().await;
        visit.log_in("alice", "secret123").await;
        visit.tap("results", "Apples").await;
        visit.act("add_to_cart").await;
        visit.backend.reset();
        visit.act("add_to_cart").await;
        assert_eq!(visit.here, "shop_login");
        visit.log_in("alice", "secret123").await;
        assert_eq!(visit.param("cart"), "Cart is empty");
    }

    #[tokio::test]
    async fn the_server_ends_with_the_backend_and_survives_nonsense() {
        let backend = Backend::start().await.unwrap();
        let address = backend.address();
        let client = crate::http::plain_client().build().unwrap();
        for (path, body, status) in
            [("en/login", "[", 400), ("xx/login", "", 404), ("en/login", "{}", 401), ("en", "", 404)]
        {
            let request = client.post(format!("http://{address}/{path}")).body(body);
            let answer = request.header("host", HOST).send().await.unwrap();
            assert_eq!(answer.status().as_u16(), status, "{path} {body}");
        }
        let foreign = client.post(format!("http://{address}/en/login")).send().await.unwrap();
        assert_eq!(foreign.status().as_u16(), 403);
        drop((backend, client));
        for _ in 0..100 {
            if tokio::net::TcpStream::connect(address).await.is_err() {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        panic!("it still listens");
    }
}
