//! What the shop knows of one phone, and what it answers: calls with JSON → JSON, or a refusal. Knows no HTTP.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use serde_json::{Map, Value, json};

use super::catalogue::{self, Product};
use super::words::{Language, money};

/// Who may log in; the log-in page says so.
const USERS: [&str; 2] = ["小明", "alice"];
const PASSWORD: &str = "secret123";
const FIRST_ORDER: u32 = 1001;
/// Characters of a name or an address.
const TEXT: usize = 200;

/// Everything that the shop remembers.
#[derive(Debug, Default)]
pub(super) struct Session {
    user: Option<String>,
    /// Carts by user, so that one survives logging out.
    carts: BTreeMap<String, Vec<Line>>,
    viewed: Option<&'static Product>,
    /// How many were sold, by product.
    sold: BTreeMap<&'static str, i64>,
    orders: u32,
    receipt: Option<Receipt>,
}

#[derive(Clone, Debug)]
struct Line {
    product: &'static Product,
    quantity: i64,
}

#[derive(Clone, Debug)]
struct Receipt {
    number: String,
    lines: Vec<Line>,
    name: String,
    date: String,
    payment: String,
}

/// Why the shop did not do it.
#[derive(Debug, PartialEq)]
pub(super) struct Refusal {
    /// The HTTP status.
    pub(super) status: u16,
    pub(super) message: String,
    /// The page to go to instead.
    pub(super) next: Option<String>,
}

impl Refusal {
    pub(super) fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), next: None }
    }
}

/// One call: what was said, in which language.
pub(super) struct Call<'a> {
    pub(super) language: Language,
    pub(super) body: &'a Map<String, Value>,
}

impl Call<'_> {
    fn text(&self, key: &str) -> &str {
        self.body.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// Reads a whole number, written as a number or as a text.
    fn whole(&self, key: &str) -> Option<i64> {
        match self.body.get(key)? {
            Value::String(text) => text.trim().parse().ok(),
            number => number.as_i64(),
        }
    }

    fn flag(&self, key: &str) -> bool {
        self.body.get(key).and_then(Value::as_bool).unwrap_or_default()
    }

    fn refuse(&self, status: u16, english: &str, chinese: &str) -> Refusal {
        Refusal::new(status, self.language.pick(english, chinese))
    }
}

type Reply = Result<Value, Refusal>;

impl Session {
    /// Answers a call by its name.
    pub(super) fn answer(&mut self, name: &str, call: &Call) -> Reply {
        if name == "login" {
            return self.login(call);
        }
        if self.user.is_none() {
            let next = Some(call.language.page("login"));
            return Err(Refusal { next, ..call.refuse(401, "Please log in first", "请先登录") });
        }
        match name {
            "logout" => Ok(self.logout(call)),
            "home" => Ok(self.home(call)),
            "search" => Ok(results(call)),
            "open" => self.open(call),
            "product" => self.product(call),
            "add" => self.add(call),
            "cart" => Ok(self.cart_page(call, "")),
            "change" => self.change(call),
            "remove" => self.remove(call),
            "checkout" => self.checkout(call),
            "bill" => self.bill(call),
            "order" => self.order(call),
            "receipt" => self.receipt(call),
            _ => Err(Refusal::new(404, format!("no such call: {name}"))),
        }
    }

    fn login(&mut self, call: &Call) -> Reply {
        let user = call.text("user");
        if !USERS.contains(&user) || call.text("password") != PASSWORD {
            return Err(call.refuse(401, "Wrong user name or password", "用户名或密码错误"));
        }
        self.user = Some(user.to_owned());
        let remembered = if call.flag("remember") { user } else { "" };
        Ok(json!({
            "next": call.language.page("home"), "greeting": call.language.welcome(user), "user": remembered, "password": ""
        }))
    }

    fn logout(&mut self, call: &Call) -> Value {
        self.user = None;
        json!({"next": call.language.page("login")})
    }

    fn home(&self, call: &Call) -> Value {
        let mut page = results(call);
        page["greeting"] = json!(call.language.welcome(self.user.as_deref().unwrap_or_default()));
        page["cart"] = json!(self.pieces(call));
        page
    }

    fn open(&mut self, call: &Call) -> Reply {
        self.viewed = Some(product(call)?);
        Ok(json!({"next": call.language.page("product")}))
    }

    fn product(&self, call: &Call) -> Reply {
        let product = self.viewed.ok_or_else(|| call.refuse(404, "Choose a product first", "请先选择商品"))?;
        let language = call.language;
        Ok(json!({
            "id": product.id, "name": product.name(language), "description": product.description(language), "picture": product.picture,
            "price": money(product.cents), "stock": self.left(product).to_string(), "quantity": 1, "cart": self.pieces(call), "message": ""
        }))
    }

    fn add(&mut self, call: &Call) -> Reply {
        let product = product(call)?;
        let quantity = call.whole("quantity").filter(|quantity| *quantity >= 1);
        let quantity = quantity.ok_or_else(|| call.refuse(400, "Quantity must be at least 1", "数量至少为 1"))?;
        let already = self.lines().iter().find(|line| line.product.id == product.id).map_or(0, |line| line.quantity);
        self.put(call, product, already.saturating_add(quantity))?;
        Ok(json!({"message": call.language.pick("Added to cart", "已加入购物车"), "cart": self.pieces(call)}))
    }

    fn change(&mut self, call: &Call) -> Reply {
        let line = self.chosen(call)?;
        let by = call.whole("by").unwrap_or_default();
        self.put(call, line.product, line.quantity.saturating_add(by))?;
        Ok(self.cart_page(call, ""))
    }

    fn remove(&mut self, call: &Call) -> Reply {
        let line = self.chosen(call)?;
        self.put(call, line.product, 0)?;
        Ok(self.cart_page(call, call.language.pick("Removed from cart", "已从购物车移除")))
    }

    fn checkout(&self, call: &Call) -> Reply {
        self.not_empty(call)?;
        Ok(json!({"next": call.language.page("checkout"), "message": ""}))
    }

    fn bill(&self, call: &Call) -> Reply {
        self.not_empty(call)?;
        Ok(json!({"total": money(total(self.lines())), "items": self.pieces(call), "message": ""}))
    }

    fn order(&mut self, call: &Call) -> Reply {
        self.not_empty(call)?;
        let (name, date, payment) = completed(call)?;
        let lines = std::mem::take(self.lines_mut());
        for line in &lines {
            *self.sold.entry(line.product.id).or_default() += line.quantity;
        }
        let number = format!("UX-{}", FIRST_ORDER + self.orders);
        self.orders += 1;
        self.receipt = Some(Receipt { number: number.clone(), lines, name, date, payment });
        Ok(json!({"next": call.language.page("done"), "number": number, "terms": false, "message": ""}))
    }

    fn receipt(&self, call: &Call) -> Reply {
        let receipt = self.receipt.as_ref().ok_or_else(|| call.refuse(404, "There is no order", "没有订单"))?;
        Ok(json!({
            "number": receipt.number, "total": money(total(&receipt.lines)), "rows": rows(&receipt.lines, call.language),
            "name": receipt.name, "date": receipt.date, "payment": call.language.payment(&receipt.payment),
            "message": call.language.pick("Thank you for your order", "感谢您的订购")
        }))
    }

    /// Sets how many of a product are in the cart; none or less takes it out.
    fn put(&mut self, call: &Call, product: &'static Product, quantity: i64) -> Result<(), Refusal> {
        let left = self.left(product);
        if quantity > left {
            return Err(Refusal::new(409, call.language.only_in_stock(left)));
        }
        let lines = self.lines_mut();
        match lines.iter_mut().find(|line| line.product.id == product.id) {
            Some(line) => line.quantity = quantity,
            None => lines.push(Line { product, quantity }),
        }
        lines.retain(|line| line.quantity > 0);
        Ok(())
    }

    /// Finds the line of the cart that was chosen on the page.
    fn chosen(&self, call: &Call) -> Result<Line, Refusal> {
        let found = self.lines().iter().find(|line| line.product.id == call.text("id"));
        found.cloned().ok_or_else(|| call.refuse(400, "Choose a product first", "请先选择商品"))
    }

    fn cart_page(&self, call: &Call, message: &str) -> Value {
        let kept = self.chosen(call).ok().map(|line| line.product);
        json!({
            "rows": rows(self.lines(), call.language), "total": money(total(self.lines())), "items": self.pieces(call), "message": message,
            "chosen_id": kept.map_or("", |product| product.id), "chosen": kept.map_or("", |product| product.name(call.language))
        })
    }

    fn not_empty(&self, call: &Call) -> Result<(), Refusal> {
        if self.lines().is_empty() { Err(call.refuse(409, "Your cart is empty", "购物车是空的")) } else { Ok(()) }
    }

    fn left(&self, product: &Product) -> i64 {
        product.stock - self.sold.get(product.id).copied().unwrap_or_default()
    }

    fn pieces(&self, call: &Call) -> String {
        call.language.pieces(self.lines().iter().map(|line| line.quantity).sum())
    }

    fn lines(&self) -> &[Line] {
        self.user.as_ref().and_then(|user| self.carts.get(user)).map_or(&[], Vec::as_slice)
    }

    fn lines_mut(&mut self) -> &mut Vec<Line> {
        self.carts.entry(self.user.clone().unwrap_or_default()).or_default()
    }
}

fn product(call: &Call) -> Result<&'static Product, Refusal> {
    catalogue::find(call.text("id")).ok_or_else(|| call.refuse(404, "There is no such product", "没有该商品"))
}

fn results(call: &Call) -> Value {
    let found = catalogue::search(call.text("query"));
    let row = |product: &&Product| json!({"id": product.id, "name": product.name(call.language), "price": money(product.cents)});
    json!({"results": found.iter().map(row).collect::<Value>(), "message": call.language.found(found.len())})
}

fn rows(lines: &[Line], language: Language) -> Value {
    let row = |line: &Line| {
        json!({
            "id": line.product.id, "name": line.product.name(language), "quantity": line.quantity, "price": money(line.product.cents),
            "subtotal": money(line.product.cents * line.quantity)
        })
    };
    lines.iter().map(row).collect()
}

/// Returns the sum in cents.
fn total(lines: &[Line]) -> i64 {
    lines.iter().map(|line| line.product.cents * line.quantity).sum()
}

/// Returns name, date and payment of a form that is complete, or says what it lacks.
fn completed(call: &Call) -> Result<(String, String, String), Refusal> {
    let lacking = |english, chinese| Err(call.refuse(400, english, chinese));
    let filled = |text: &str| !text.trim().is_empty() && text.chars().count() <= TEXT;
    let (name, date, payment) = (call.text("name"), call.text("date"), call.text("payment"));
    if !filled(name) {
        return lacking("Please enter your name", "请输入姓名");
    }
    if !filled(call.text("address")) {
        return lacking("Please enter your address", "请输入地址");
    }
    if call.language.payment(payment).is_none() {
        return lacking("Please choose how to pay", "请选择付款方式");
    }
    if NaiveDate::parse_from_str(date, "%Y-%m-%d").is_err() {
        return lacking("Please choose a delivery date", "请选择送货日期");
    }
    if !call.flag("terms") {
        return lacking("Please accept the terms", "请同意服务条款");
    }
    Ok((name.trim().to_owned(), date.to_owned(), payment.to_owned()))
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "a call with json!(…) reads better")]
mod tests {
    use super::*;

    fn ask(session: &mut Session, name: &str, body: Value) -> Reply {
        let body = body.as_object().cloned().unwrap();
        session.answer(name, &Call { language: Language::English, body: &body })
    }

    fn logged_in(user: &str) -> Session {
        let mut session = Session::default();
        ask(&mut session, "login", json!({"user": user, "password": PASSWORD})).unwrap();
        session
    }

    #[test]
    fn nothing_is_told_before_logging_in() {
        let refusal = ask(&mut Session::default(), "cart", json!({})).unwrap_err();
        assert_eq!((refusal.status, refusal.next.as_deref()), (401, Some("shop_login")));
        for (user, password) in [("alice", "secret"), ("bob", PASSWORD), ("", ""), ("Alice", PASSWORD)] {
            assert_eq!(
                ask(&mut Session::default(), "login", json!({"user": user, "password": password})).unwrap_err().status,
                401
            );
        }
    }

    #[test]
    fn stock_bounds_the_cart() {
        let mut session = logged_in("alice");
        let add = |session: &mut Session, id: &str, quantity: Value| {
            ask(session, "add", json!({"id": id, "quantity": quantity}))
        };
        assert_eq!(add(&mut session, "headphones", json!(4)).unwrap_err().message, "Only 3 in stock");
        assert_eq!(add(&mut session, "flowers", json!(1)).unwrap_err().message, "Sold out");
        add(&mut session, "headphones", json!("2")).unwrap();
        assert_eq!(add(&mut session, "headphones", json!(2)).unwrap_err().message, "Only 3 in stock");
        for quantity in [json!(0), json!(-1), json!(1.5), json!("x"), json!(null)] {
            assert_eq!(add(&mut session, "apples", quantity).unwrap_err().message, "Quantity must be at least 1");
        }
        assert_eq!(add(&mut session, "apples", json!(i64::MAX)).unwrap_err().message, "Only 40 in stock");
        assert_eq!(ask(&mut session, "cart", json!({})).unwrap()["total"], "¥598.00");
    }

    #[test]
    fn carts_belong_to_their_users() {
        let mut session = logged_in("alice");
        ask(&mut session, "add", json!({"id": "apples", "quantity": 3})).unwrap();
        ask(&mut session, "logout", json!({})).unwrap();
        ask(&mut session, "login", json!({"user": "小明", "password": PASSWORD})).unwrap();
        assert_eq!(ask(&mut session, "checkout", json!({})).unwrap_err().message, "Your cart is empty");
        ask(&mut session, "login", json!({"user": "alice", "password": PASSWORD})).unwrap();
        assert_eq!(ask(&mut session, "cart", json!({})).unwrap()["total"], "¥50.40");
    }

    #[test]
    fn an_order_must_be_complete_and_empties_the_cart() {
        let mut session = logged_in("alice");
        ask(&mut session, "add", json!({"id": "headphones", "quantity": 3})).unwrap();
        let mut form = json!({});
        let steps = [
            ("name", json!("Alice"), "Please enter your name"),
            ("address", json!("1 Main Street"), "Please enter your address"),
            ("payment", json!("card"), "Please choose how to pay"),
            ("date", json!("2026-12-01"), "Please choose a delivery date"),
            ("terms", json!(true), "Please accept the terms"),
        ];
        for (key, value, message) in steps {
            assert_eq!(ask(&mut session, "order", form.clone()).unwrap_err().message, message);
            form[key] = value;
        }
        assert_eq!(ask(&mut session, "order", form.clone()).unwrap()["number"], "UX-1001");
        assert_eq!(ask(&mut session, "receipt", json!({})).unwrap()["total"], "¥897.00");
        assert_eq!(ask(&mut session, "order", form).unwrap_err().message, "Your cart is empty");
        assert_eq!(
            ask(&mut session, "add", json!({"id": "headphones", "quantity": 1})).unwrap_err().message,
            "Sold out"
        );
    }
}
