//! An act that a model wants → whether it may be done. What stands on a screen may have talked the model into it: only the goal, the
//! testcase and who sits there may allow what is hard to undo, or leads elsewhere.

use std::sync::Arc;

use reqwest::Url;
use serde_json::Value;
use uixt_ai::reading::Act;
use uixt_call::{Aim, Table, ToolKind};
use uixt_core::ai::{AiPolicy, Destructive};
use uixt_driver::{Element, Screen};
use uixt_locate::{Error, Kind, finder, hit, naming, refs};

use crate::asking::Asker;
use crate::step;
use crate::stored::StoredStep;

/// Asks whoever sits there whether something may be done.
pub type Consent = dyn Fn(&str) -> bool + Send + Sync;

/// What models may do in a session.
#[derive(Clone, Default)]
pub struct Guard {
    pub policy: AiPolicy,
    /// None where nobody sits there.
    pub consent: Option<Arc<Consent>>,
}

/// A kind of acts that are hard to undo, with the words that buttons for them bear, and by which goals ask for them.
struct DestructiveKind {
    does: &'static str,
    words: &'static [&'static str],
}

/// Words of Latin letters are whole words, in any case; others stand anywhere.
const DESTRUCTIVE: [DestructiveKind; 6] = [
    DestructiveKind {
        does: "pays",
        words: &[
            "pay",
            "pay now",
            "payment",
            "buy",
            "buy now",
            "purchase",
            "place order",
            "order now",
            "submit order",
            "confirm order",
            "checkout now",
            "subscribe",
            "donate",
            "top up",
            "order",
            "支付",
            "付款",
            "购买",
            "下单",
            "提交订单",
            "充值",
            "订阅",
        ],
    },
    DestructiveKind {
        does: "deletes",
        words: &[
            "delete",
            "remove",
            "erase",
            "wipe",
            "clear",
            "discard",
            "reset",
            "format",
            "empty",
            "trash",
            "删除",
            "移除",
            "清空",
            "清除",
            "抹掉",
            "重置",
            "格式化",
            "注销",
            "löschen",
            "supprimer",
            "eliminar",
            "borrar",
        ],
    },
    DestructiveKind { does: "uninstalls", words: &["uninstall", "deactivate", "close account", "卸载", "停用"] },
    DestructiveKind {
        does: "sends",
        words: &[
            "send", "post", "publish", "reply", "share", "tweet", "submit", "forward", "发送", "发布", "回复", "分享",
            "提交", "转发",
        ],
    },
    DestructiveKind { does: "moves money", words: &["transfer", "withdraw", "wire", "转账", "提现"] },
    DestructiveKind { does: "gives rights", words: &["grant", "authorize", "allow access", "unlock", "授权"] },
];
/// Words that alone say too little on a button, such as those of a list of orders, and are meant only in goals.
const ONLY_IN_GOALS: [&str; 3] = ["order", "payment", "empty"];
/// Fields behind which the enter key sends.
const MESSAGES: [&str; 8] = ["message", "reply", "comment", "chat", "消息", "回复", "评论", "留言"];
/// A longer name is a text that is read, not one that says what a button does.
const LONGEST_NAME: usize = 60;

/// Why an act may not be done.
struct Refusal(String);

impl Refusal {
    fn error(self) -> Error {
        Error::new(Kind::Assertion, self.0).with("code", "AI_ACT_DENIED")
    }
}

/// Who wants an act.
#[derive(Clone, Copy)]
pub(super) enum Origin<'a> {
    /// The model; with the name of the field that it typed into last.
    Model { typed: &'a str },
    /// A stored goal, which somebody let in before: only what is forbidden is not done again.
    Stored,
}

/// Tells whether anything is forbidden whoever asks for it, and so in a stored goal, too.
pub(super) fn is_strict(asker: &Asker) -> bool {
    let AiPolicy { destructive, allow_apps, allow_hosts } = &asker.cx.session.setting::<Guard>().policy;
    *destructive == Destructive::Deny || !allow_apps.is_empty() || !allow_hosts.is_empty()
}

/// Fails where an act may not be done on a screen; `goal` is what the user asks for.
pub(super) async fn check(
    asker: &Asker,
    screen: &Screen,
    act: &Act,
    goal: &str,
    origin: Origin<'_>,
) -> Result<(), Error> {
    decide(asker, screen, act, goal, origin).await.map_err(Refusal::error)
}

async fn decide(asker: &Asker, screen: &Screen, act: &Act, goal: &str, origin: Origin<'_>) -> Result<(), Refusal> {
    let (guard, table) = (asker.cx.session.setting::<Guard>(), asker.cx.table);
    let typed = if let Origin::Model { typed } = origin { typed } else { "" };
    // What a stored goal opens without being named was let in when it was stored.
    let named = if matches!(origin, Origin::Stored) && guard.policy.allow_hosts.is_empty() { None } else { Some(goal) };
    guard.place(table, act, screen, named)?;
    let element = element(asker, act, screen);
    let name = element.map(naming::name).unwrap_or_default();
    let id = element.map(Element::short_id).unwrap_or_default();
    let kind = match kind_of(table, act) {
        Some(ToolKind::Key) if is_enter(act) && MESSAGES.iter().any(|word| has_word(typed, word)) => {
            destructive("send", "")
        }
        Some(ToolKind::Gesture) => destructive(&name, id),
        _ => None,
    };
    let Some(kind) = kind else { return Ok(()) };
    let what = if name.is_empty() { format!("`{}`", act.tool) } else { format!("{name:?}") };
    let said = format!("the model wants to touch {what}, which {}", kind.does);
    let is_stored = matches!(origin, Origin::Stored);
    let is_asked_for = is_stored || kind.words.iter().any(|word| has_word(goal, word));
    guard.decide(&said, is_asked_for).await
}

impl Guard {
    async fn decide(&self, said: &str, is_asked_for: bool) -> Result<(), Refusal> {
        let how = "allow it by `ai_options: {destructive: allow}` in the config, or `--ai-policy allow`";
        match self.policy.destructive {
            Destructive::Allow => Ok(()),
            Destructive::Deny => Err(Refusal(format!("{said}; `destructive: deny` forbids it"))),
            Destructive::Ask if is_asked_for => Ok(()),
            Destructive::Ask => {
                let Some(consent) = self.consent.clone() else {
                    return Err(Refusal(format!("{said}, and the goal does not ask for that; {how}")));
                };
                let question = format!("{said}, and the goal does not ask for that. Do it?");
                let is_allowed = tokio::task::spawn_blocking(move || consent(&question)).await.unwrap_or_default();
                if is_allowed { Ok(()) } else { Err(Refusal(format!("{said}; it was not allowed"))) }
            }
        }
    }

    /// Decides where a model may go and act.
    fn place(&self, table: &Table, act: &Act, screen: &Screen, goal: Option<&str>) -> Result<(), Refusal> {
        let text = |key: &str| act.arguments.get(key).and_then(Value::as_str).unwrap_or_default();
        let AiPolicy { allow_apps, allow_hosts, .. } = &self.policy;
        let is_app = |package: &str| allow_apps.is_empty() || allow_apps.iter().any(|app| app == package);
        let kind = kind_of(table, act);
        // Other keys type where they meet a field.
        let leads_away = act.tool == "press_button"
            || matches!(kind, Some(ToolKind::Launch | ToolKind::Home | ToolKind::Back | ToolKind::Pause));
        if kind == Some(ToolKind::Launch) && !opens_addresses(table, act) && !is_app(text("package_name")) {
            return Err(Refusal(format!(
                "the model wants to start {}, which `allow_apps` does not name",
                text("package_name")
            )));
        }
        let opened = [text("url"), text("package_name")].into_iter().find(|opened| is_address(table, act, opened));
        if let Some(address) = opened.filter(|address| !address.starts_with('/') || address.starts_with("//")) {
            // Anything else leads to files, to the browser itself or into other apps.
            let host = web_host(address).ok_or_else(|| {
                Refusal(format!("the model wants to open {address:?}; models open http and https addresses alone"))
            })?;
            let is_here = web_host(&screen.page).as_ref() == Some(&host);
            let is_named = if allow_hosts.is_empty() {
                is_here || goal.is_none_or(|goal| names_host(goal, &host))
            } else {
                is_host(allow_hosts, &host)
            };
            if !is_named {
                let how = "name it in the goal, or in `ai_options: {allow_hosts: […]}`";
                return Err(Refusal(format!("the model wants to open a page of {host:?}; {how}")));
            }
        }
        let here = host(&screen.page);
        if !leads_away && !here.is_empty() && !allow_hosts.is_empty() && !is_host(allow_hosts, &here) {
            return Err(Refusal(format!(
                "the model wants to act on a page of {here:?}, which `allow_hosts` does not name"
            )));
        }
        if !leads_away && screen.page.is_empty() && !screen.package.is_empty() && !is_app(&screen.package) {
            return Err(Refusal(format!(
                "the model wants to act in {}, which `allow_apps` does not name",
                screen.package
            )));
        }
        Ok(())
    }
}

/// Returns the element that an act is for.
fn element<'a>(asker: &Asker, act: &Act, screen: &'a Screen) -> Option<&'a Element> {
    if let Some(reference) = act.arguments.get("ref").and_then(Value::as_str) {
        return refs::resolve(reference, screen, asker.cx.refs().as_ref()).ok();
    }
    let Some(point) = step::point(act, screen.size) else {
        let step = StoredStep { tool: act.tool.clone(), arguments: act.arguments.clone(), ..StoredStep::default() };
        return finder::find_all(&step.target(asker.cx.table)?, screen, None).ok()?.first().copied();
    };
    hit::at(screen, point).map(|hit| hit.element)
}

/// Returns what an element of this name and id does that is hard to undo.
fn destructive(name: &str, id: &str) -> Option<&'static DestructiveKind> {
    let id: String = id.chars().map(|sign| if sign.is_alphanumeric() { sign } else { ' ' }).collect();
    let name = if name.chars().count() <= LONGEST_NAME { name } else { "" };
    let is_meant = |word: &&&str| !ONLY_IN_GOALS.contains(*word);
    DESTRUCTIVE
        .iter()
        .find(|kind| kind.words.iter().filter(is_meant).any(|word| has_word(name, word) || has_word(&id, word)))
}

/// Tells whether a word stands in a text: a whole word where it is of Latin letters.
fn has_word(text: &str, word: &str) -> bool {
    let text = text.to_lowercase();
    if !word.is_ascii() {
        return text.contains(word);
    }
    let is_part = |sign: Option<char>| sign.is_some_and(char::is_alphanumeric);
    text.match_indices(word)
        .any(|(at, _)| !is_part(text[..at].chars().next_back()) && !is_part(text[at + word.len()..].chars().next()))
}

fn kind_of(table: &Table, act: &Act) -> Option<ToolKind> {
    table.find(&act.tool).map(|tool| tool.kind)
}

fn is_enter(act: &Act) -> bool {
    let pressed = ["button", "key"].into_iter().filter_map(|name| act.arguments.get(name)?.as_str());
    let last = |key: &str| key.rsplit('+').next().unwrap_or_default().trim().to_ascii_lowercase();
    pressed.into_iter().any(|key| matches!(last(key).as_str(), "enter" | "return" | "numpadenter" | "numpad_enter"))
}

/// Tells whether an act opens what is written there as an address.
fn is_address(table: &Table, act: &Act, written: &str) -> bool {
    let scheme = written.trim_start().split(['/', '?', '#']).next().unwrap_or_default();
    match kind_of(table, act) {
        _ if opens_addresses(table, act) => !written.is_empty(),
        Some(ToolKind::Launch) => scheme.contains(':'),
        _ => false,
    }
}

fn opens_addresses(table: &Table, act: &Act) -> bool {
    table.find(&act.tool).is_some_and(|tool| tool.aim == Aim::Address)
}

/// Returns the host, with a port of its own, that a browser makes of an address of the web, however it is spelt; nothing of any other.
fn web_host(address: &str) -> Option<String> {
    let url = Url::parse(address).or_else(|_| Url::parse(&format!("http:{address}"))).ok()?;
    let host = url.host_str().filter(|_| matches!(url.scheme(), "http" | "https"))?;
    Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

/// Tells whether a goal names a host: as a word of its own, not as a part of another, nor with another port.
fn names_host(goal: &str, host: &str) -> bool {
    let is_word = |sign: char| sign.is_alphanumeric() || matches!(sign, '-' | '@');
    let goal = goal.to_lowercase();
    goal.match_indices(host).any(|(at, _)| {
        let before = goal[..at].chars().next_back();
        let mut behind = goal[at + host.len()..].chars();
        let (next, one_more) = (behind.next(), behind.next());
        // A dot at the end of a sentence, or a colon before a list, belongs to that.
        let goes_on = next.is_some_and(|sign| {
            is_word(sign) || (matches!(sign, '.' | ':') && one_more.is_some_and(char::is_alphanumeric))
        });
        !goes_on && !before.is_some_and(|sign| is_word(sign) || sign == '.')
    })
}

/// Returns the host of an address.
fn host(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    host.to_ascii_lowercase()
}

/// Tells whether a host, with its port, is one of these or below one.
fn is_host(hosts: &[String], host: &str) -> bool {
    let bare = host
        .rsplit_once(':')
        .filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()))
        .map_or(host, |(bare, _)| bare);
    hosts.iter().any(|known| {
        let known = known.to_ascii_lowercase();
        known == host || known == bare || bare.strip_suffix(&known).is_some_and(|rest| rest.ends_with('.'))
    })
}

#[cfg(test)]
mod tests {
    use uixt_tools_device::apps::{app, link};

    use super::*;

    #[test]
    fn what_is_hard_to_undo_is_told_by_the_name_or_the_id() {
        for (name, id, does) in [
            ("Delete account", "", Some("deletes")),
            ("DELETE", "", Some("deletes")),
            ("", "com.uixt.shop:id/btn_remove", Some("deletes")),
            ("Undeleted items", "", None),
            ("Place order", "", Some("pays")),
            ("Order history", "", None),
            ("Pay ¥33.90", "", Some("pays")),
            ("立即支付", "", Some("pays")),
            ("删除", "", Some("deletes")),
            ("Send", "", Some("sends")),
            ("Sender", "", None),
            ("Transfer", "", Some("moves money")),
            ("Add to cart", "add_to_cart", None),
            ("Uninstall", "", Some("uninstalls")),
            ("If you delete your account, all that you bought is lost, and nobody can bring it back.", "", None),
        ] {
            assert_eq!(destructive(name, id).map(|kind| kind.does), does, "{name} {id}");
        }
    }

    #[test]
    fn a_model_opens_only_what_the_goal_the_page_or_the_config_names() {
        let guard = |hosts: &[&str]| Guard {
            policy: AiPolicy {
                allow_hosts: hosts.iter().map(|&host| host.to_owned()).collect(),
                ..AiPolicy::default()
            },
            consent: None,
        };
        let screen = Screen { page: "http://127.0.0.1:8080/shop".to_owned(), ..Screen::default() };
        let goal = "Buy tea at shop.example, then look at http://localhost:9000/orders.";
        let table = Table::new(app::TOOLS.iter().chain(link::TOOLS).map(|row| &**row));
        let may = |tool: &str, key: &str, address: &str, hosts: &[&str]| {
            let arguments = serde_json::json!({key: address}).as_object().expect("a map").clone();
            let act = Act { tool: tool.to_owned(), arguments };
            guard(hosts).place(&table, &act, &screen, Some(goal)).is_ok()
        };
        for address in [
            "https://shop.example/tea",
            "http://127.0.0.1:8080/cart",
            "http://localhost:9000/",
            "/cart?id=1",
            "http://2130706433:8080/",
        ] {
            assert!(may("open_url", "url", address, &[]), "{address}");
        }
        for address in [
            "file:///etc/passwd",
            "FILE:/etc/passwd",
            " file:///etc/passwd",
            "view-source:http://shop.example/",
            "chrome://settings",
            "devtools://devtools/bundled/inspector.html",
            "data:text/html,<script>alert(1)</script>",
            "blob:http://shop.example/1",
            "javascript:alert(document.cookie)",
            "filesystem:http://shop.example/temporary/a",
            "intent://scan/#Intent;scheme=zxing;end",
            "content://settings/secure",
            "about:blank",
            "myapp://pay",
            "http://a/",
            "http://e.example/",
            "http://example/",
            "//evil.example/x",
            "http://127.0.0.1/",
            "http://127.1:81/",
            "http://169.254.169.254/latest/meta-data",
            "http://0x7f000001/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]:8081/",
            "http://localhost/",
            "http://shop.example@evil.example/",
            "http://shop.example.evil.example/",
            "http://10.0.0.1/",
        ] {
            assert!(!may("open_url", "url", address, &[]), "{address}");
            assert!(!may("app_launch", "package_name", address, &[]) || address.starts_with("//"), "{address}");
            assert!(!may("open_url", "url", address, &["shop.example"]), "{address}, with allow_hosts");
        }
        assert!(may("open_url", "url", "http://10.0.0.1/", &["10.0.0.1"]));
        assert!(may("app_launch", "package_name", "com.uixt.shop", &[]));
    }

    #[test]
    fn hosts_are_those_that_are_named_or_below_them() {
        let hosts = ["shop.example".to_owned(), "127.0.0.1:8080".to_owned()];
        for (address, is_named) in [
            ("https://shop.example/cart", true),
            ("https://www.shop.example:444/", true),
            ("https://shop.example@evil.example/", false),
            ("https://evilshop.example", false),
            ("http://127.0.0.1:8080/x", true),
            ("http://127.0.0.1:8081/x", false),
            ("evil.example?shop.example", false),
        ] {
            assert_eq!(is_host(&hosts, &host(address)), is_named, "{address}");
        }
    }
}
