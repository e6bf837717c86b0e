// The shop of the virtual phone as a page: log in, search, put into the cart, pay. Routes are parts of the address behind `#`.
"use strict";
const zh = new URLSearchParams(location.search).get("lang") === "zh";
const say = (english, chinese) => (zh ? chinese : english);
const PRODUCTS = [
    ["green_tea", "Green tea", "绿茶", 1250, 20], ["coffee_beans", "Coffee beans", "咖啡豆", 4980, 12],
    ["notebook", "Notebook", "笔记本", 890, 50], ["desk_lamp", "Desk lamp", "台灯", 12900, 5],
    ["headphones", "Headphones", "耳机", 29900, 3], ["phone_case", "Phone case", "手机壳", 3500, 30],
    ["t_shirt", "T-shirt", "T恤", 7900, 15], ["backpack", "Backpack", "背包", 15900, 8],
    ["apples", "Apples", "苹果", 1680, 40], ["plant", "Potted plant", "盆栽", 4500, 6],
    ["shoes", "Running shoes", "跑鞋", 39900, 4], ["flowers", "Flowers", "鲜花", 2990, 0],
].map(([id, english, chinese, cents, stock]) => ({ id, name: say(english, chinese), all: (english + " " + chinese).toLowerCase(), cents, stock }));
const state = { user: "", cart: new Map(), order: 0, query: "" };
const money = (cents) => "¥" + (cents / 100).toFixed(2);
const count = () => [...state.cart.values()].reduce((sum, one) => sum + one, 0);
const total = () => [...state.cart].reduce((sum, [id, one]) => sum + one * PRODUCTS.find((product) => product.id === id).cents, 0);
const cartText = () => {
    const items = count();
    if (items === 0) return say("Cart is empty", "购物车为空");
    return zh ? "购物车 " + items + " 件" : items === 1 ? "1 item in cart" : items + " items in cart";
};

// Makes an element with attributes and children; texts stay texts.
function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
        if (name.startsWith("on")) element[name] = value;
        else if (value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children);
    return element;
}
const go = (route) => { location.hash = route; };
const message = () => make("p", { id: "message", class: "error", role: "status" });
const tell = (text) => { document.getElementById("message").textContent = text; document.body.dataset.message = text; };
const field = (id, label, attributes) => [make("label", { for: id }, label), make("input", { id, ...attributes })];
const button = (id, label, onclick, attributes) => make("button", { id, type: "button", onclick, ...attributes }, label);

const pages = {
    login() {
        const form = make("form", { class: "grid", onsubmit: signIn }, ...field("user", say("User name", "用户名"), { autocomplete: "off" }),
            ...field("password", say("Password", "密码"), { type: "password" }),
            make("span", null, ""), make("label", null, make("input", { type: "checkbox", id: "remember" }), say(" Remember me", " 记住我")),
            make("span", null, ""), make("button", { id: "sign_in" }, say("Sign in", "登录")));
        return [say("Log in", "登录"), form, message(), make("p", { id: "help", class: "note" }, say("Users: 小明 or alice. Password: secret123", "用户：小明 或 alice。密码：secret123"))];
    },
    home() {
        const rows = make("tbody", { id: "results" });
        const fill = () => {
            const found = PRODUCTS.filter((product) => product.all.includes(state.query));
            rows.replaceChildren(...found.map((product) => make("tr", null,
                make("td", null, make("a", { href: "#product/" + product.id }, product.name)), make("td", null, money(product.cents)))));
            return found.length;
        };
        const search = (event) => {
            event.preventDefault();
            state.query = document.getElementById("query").value.trim().toLowerCase();
            setTimeout(() => {
                const found = fill();
                tell(found === 0 ? say("Nothing found", "没有找到商品") : zh ? found + " 件商品" : found === 1 ? "1 product" : found + " products");
            }, 200);
        };
        fill();
        return [say("Shop", "商店"), make("p", { id: "greeting" }, say("Welcome, ", "欢迎，") + state.user),
            make("form", { class: "row", role: "search", onsubmit: search }, make("input", { id: "query", "aria-label": say("Search", "搜索"), placeholder: say("Search", "搜索"), value: state.query }), make("button", null, say("Find", "查找"))),
            message(), make("p", { id: "cart" }, cartText()),
            make("table", null, make("thead", null, make("tr", null, make("th", null, say("Product", "商品")), make("th", null, say("Price", "价格")))), rows),
            make("p", { class: "row" }, button("view_cart", say("View cart", "查看购物车"), () => go("cart")), button("log_out", say("Log out", "退出登录"), () => { state.user = ""; go("login"); }, { class: "plain" }))];
    },
    product(id) {
        const product = PRODUCTS.find((one) => one.id === id) || PRODUCTS[0];
        let quantity = 1;
        const shown = make("span", { id: "quantity" }, "1");
        const change = (by) => { quantity = Math.max(1, quantity + by); shown.textContent = quantity; };
        const add = () => {
            const already = state.cart.get(product.id) || 0;
            if (already + quantity > product.stock) return tell(product.stock ? say("Only " + product.stock + " in stock", "库存仅剩 " + product.stock + " 件") : say("Sold out", "已售完"));
            state.cart.set(product.id, already + quantity);
            tell(say("Added to cart", "已加入购物车"));
            document.getElementById("cart").textContent = cartText();
        };
        return [say("Product", "商品"), make("h2", { id: "name" }, product.name), make("p", { id: "price" }, money(product.cents)),
            make("p", { class: "row" }, button("fewer", "-", () => change(-1)), shown, button("more", "+", () => change(1))),
            message(), make("p", { id: "cart" }, cartText()),
            make("p", { class: "row" }, button("add_to_cart", say("Add to cart", "加入购物车"), add), button("view_cart", say("View cart", "查看购物车"), () => go("cart"), { class: "plain" }))];
    },
    cart() {
        const change = (id, by) => {
            const next = (state.cart.get(id) || 0) + by;
            if (next > 0) state.cart.set(id, next); else state.cart.delete(id);
            show();
        };
        const row = ([id, quantity]) => {
            const product = PRODUCTS.find((one) => one.id === id);
            return make("tr", { "data-testid": "row-" + id }, make("td", null, product.name), make("td", { class: "quantity" }, String(quantity)), make("td", { class: "subtotal" }, money(product.cents * quantity)),
                make("td", { class: "row" }, button("", say("One more", "加一件"), () => change(id, 1), { id: false }), button("", say("One fewer", "减一件"), () => change(id, -1), { id: false, class: "plain" }), button("", say("Remove", "移除"), () => change(id, -quantity), { id: false, class: "plain" })));
        };
        return [say("Cart", "购物车"), make("p", { id: "items" }, cartText()),
            make("table", null, make("thead", null, make("tr", null, ...[say("Product", "商品"), say("Quantity", "数量"), say("Amount", "金额"), ""].map((text) => make("th", null, text)))), make("tbody", { id: "rows" }, ...[...state.cart].map(row))),
            make("p", null, say("Total ", "合计 "), make("strong", { id: "total" }, money(total()))), message(),
            make("p", { class: "row" }, button("checkout", say("Checkout", "去结算"), () => (count() ? go("checkout") : tell(say("Your cart is empty", "购物车是空的")))), button("go_home", say("Continue shopping", "继续购物"), () => go("home"), { class: "plain" }))];
    },
    checkout() {
        const options = [["card", say("Credit card", "信用卡")], ["transfer", say("Bank transfer", "银行转账")], ["cash", say("Cash on delivery", "货到付款")]];
        const order = (event) => {
            event.preventDefault();
            const form = event.target.elements;
            if (!form.name.value.trim()) return tell(say("Please enter your name", "请输入姓名"));
            if (!form.address.value.trim()) return tell(say("Please enter your address", "请输入地址"));
            if (!form.terms.checked) return tell(say("Please accept the terms", "请先同意条款"));
            state.order = { number: "UX-" + String(1000 + Math.floor(Math.random() * 9000)), total: total(), payment: options.find(([id]) => id === form.payment.value)[1], name: form.name.value };
            state.cart.clear();
            go("done");
        };
        return [say("Checkout", "结算"), make("p", { id: "items" }, cartText()), make("p", null, say("Total ", "合计 "), make("strong", { id: "total" }, money(total()))),
            make("form", { class: "grid", onsubmit: order }, ...field("full_name", say("Full name", "姓名"), { name: "name" }),
                make("label", { for: "address" }, say("Address", "地址")), make("textarea", { id: "address", name: "address" }),
                make("span", null, say("Payment", "付款方式")), make("div", null, ...options.map(([id, label]) => make("label", null, make("input", { type: "radio", name: "payment", value: id, checked: id === "card" }), " " + label + " "))),
                ...field("date", say("Delivery date", "送货日期"), { type: "date", name: "date" }),
                make("span", null, ""), make("label", null, make("input", { type: "checkbox", id: "terms", name: "terms" }), say(" I accept the terms", " 我同意条款")),
                make("span", null, ""), make("button", null, say("Place order", "提交订单"))), message()];
    },
    done() {
        const { number, total: sum, payment, name } = state.order || { number: "", total: 0, payment: "", name: "" };
        return [say("Thank you", "谢谢"), make("p", null, say("Order ", "订单 "), make("strong", { id: "number" }, number)), make("p", { id: "total" }, money(sum)),
            make("p", { id: "payment" }, payment), make("p", { id: "name" }, name), button("go_home", say("Continue shopping", "继续购物"), () => go("home"))];
    },
};
function signIn(event) {
    event.preventDefault();
    const [user, password] = ["user", "password"].map((id) => document.getElementById(id).value);
    if (!["alice", "小明"].includes(user) || password !== "secret123") return tell(say("Wrong user name or password", "用户名或密码错误"));
    setTimeout(() => { state.user = user; document.body.dataset.user = user; go("home"); }, 250);
}
function show() {
    const [route, argument] = location.hash.slice(1).split("/");
    const name = !state.user ? "login" : pages[route] ? route : "home";
    const [title, ...content] = pages[name](argument);
    document.getElementById("title").textContent = title;
    document.title = title;
    document.body.dataset.route = name;
    document.body.dataset.cart = count();
    document.getElementById("view").replaceChildren(...content);
}
document.documentElement.lang = zh ? "zh" : "en";
if (zh) Object.assign(document.getElementById("language"), { textContent: "English", href: "?lang=en" });
addEventListener("hashchange", show);
show();
