//! Words that name an element → the ref of the one that they mean, by ways that are tried in order on each look at the screen.
//!
//! There is no memory of what was found: that a page is as it was can only be told by looking at it, which a find does anyway. All
//! that a memory would save is the search in what was seen.

use std::time::Duration;

use serde_json::{Value, json};
use uixt_driver::{Element, Rect, Screen};
use uixt_locate::finder::{self, Purpose};
use uixt_locate::refs::{Refs, is_ref};
use uixt_locate::selector::{is_meant, looks_like_selector};
use uixt_locate::target::Target;
use uixt_locate::wording::{clip, describe, shown_text};
use uixt_locate::{Error, Kind, naming};
use uixt_toolkit::Context;
use uixt_toolkit::wait::{self, Miss};

/// How often an element that lies out of sight is brought into view: only what is seen has a ref.
const MOST_REVEALED: u32 = 2;

/// A way to find an element.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Strategy {
    pub name: &'static str,
    pub target: Target,
}

/// What came of a way, at the last look.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Attempt {
    pub strategy: &'static str,
    pub target: String,
    /// Why it found nothing; none where it found the element.
    pub miss: Option<String>,
}

impl Attempt {
    pub(crate) fn json(&self) -> Value {
        match &self.miss {
            None => json!({"strategy": self.strategy, "target": self.target, "found": true}),
            Some(why) => json!({"strategy": self.strategy, "target": self.target, "found": false, "why": why}),
        }
    }
}

/// An element that was found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ElementReference {
    /// None where it lies out of sight and was left there.
    pub reference: Option<String>,
    /// What it is called in words.
    pub name: String,
    pub text: String,
    /// From 0 to 1; none where nothing had to be guessed.
    pub confidence: Option<f64>,
    pub what: String,
    pub role: &'static str,
    pub rect: Rect,
    /// What the platform knows it by.
    key: Option<u64>,
}

/// Returns the ways to find what words name, in order: a ref, a selector, or else a name, a label, a test id, a description.
pub(crate) fn strategies(words: &str) -> Vec<Strategy> {
    let strategy = |name, target| Strategy { name, target };
    let test_id = |id: &str| strategy("test_id", Target { test_id: Some(id.to_owned()), ..Target::default() });
    let text = || strategy("text", Target { exact: true, ..Target::text(words) });
    let mut all = if is_ref(words) {
        vec![by_ref(words), text()]
    } else if looks_like_selector(words) {
        let selector = strategy("selector", Target::text_or_selector(words));
        let name = words.strip_prefix('#').filter(|name| name.chars().all(|c| c.is_alphanumeric() || "-_".contains(c)));
        std::iter::once(selector).chain(name.map(test_id)).collect()
    } else {
        let of = Target::default;
        // `button.login` and `form button` are CSS before they are words.
        let selector =
            is_meant(words).then(|| strategy("selector", Target { selector: Some(words.to_owned()), ..of() }));
        let mut all: Vec<Strategy> = selector.into_iter().collect();
        all.extend([
            strategy("text", Target::text(words)),
            strategy("label", Target { label: Some(words.to_owned()), ..of() }),
            test_id(words),
            strategy("description", Target { description: Some(words.to_owned()), ..of() }),
        ]);
        all
    };
    all.retain(|strategy| strategy.target.check().is_ok());
    all
}

pub(crate) fn by_ref(reference: &str) -> Strategy {
    Strategy { name: "ref", target: Target { reference: Some(reference.to_owned()), ..Target::default() } }
}

/// What is wanted of an element that is looked for.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub purpose: Purpose,
    pub timeout: Duration,
    /// Whether what lies out of sight is brought into view.
    pub reveal: bool,
}

/// Waits for the element that one of the ways finds; also tells what came of each way. The first that finds one wins; a later one
/// is believed once two looks agree, since what the first would find may only be late.
pub(crate) async fn find_best_element(
    cx: &Context,
    strategies: &[Strategy],
    wanted: Wanted,
) -> (Result<ElementReference, Error>, Vec<Attempt>) {
    let mut attempts = Vec::new();
    let Some(first) = strategies.first() else {
        return (Err(Error::new(Kind::BadArgument, "no element is named")), attempts);
    };
    let mut found = look(cx, strategies, &first.target, wanted, &mut attempts).await;
    for _ in 0..MOST_REVEALED {
        let beyond = found.as_ref().ok().filter(|found| wanted.reveal && found.reference.is_none());
        let Some(key) = beyond.and_then(|found| found.key) else { break };
        found = match reveal(cx, key).await {
            Ok(()) => look(cx, strategies, &first.target, wanted, &mut attempts).await,
            Err(error) => Err(error),
        };
    }
    (found, attempts)
}

async fn reveal(cx: &Context, key: u64) -> Result<(), Error> {
    cx.driver()?.reveal(key).await?;
    Ok(())
}

async fn look(
    cx: &Context,
    strategies: &[Strategy],
    first: &Target,
    wanted: Wanted,
    attempts: &mut Vec<Attempt>,
) -> Result<ElementReference, Error> {
    let (info, refs) = (cx.driver()?.info(), cx.refs());
    let mut before: Option<(usize, Rect)> = None;
    wait::until(cx, wanted.timeout, |screen| {
        attempts.clear();
        let Some((rank, element)) = first_found(strategies, wanted.purpose, screen, refs.as_ref(), attempts)? else {
            before = None;
            return Err(Miss::Absent(first));
        };
        let same = before.replace((rank, element.rect)) == Some((rank, element.rect));
        if rank > 0 && !same {
            return Err(Miss::Absent(first));
        }
        let number = cx.session.change_refs(|book| book.number(element, screen, info));
        Ok(ElementReference {
            reference: number.map(|number| format!("e{number}")),
            name: naming::name(element),
            text: shown_text(element).into_owned(),
            confidence: finder::confidence(&strategies[rank].target, element, screen, refs.as_ref()),
            what: describe(element),
            role: element.role,
            rect: element.rect,
            key: element.key(),
        })
    })
    .await
}

/// Tries the ways on one screen; returns which found what.
fn first_found<'a>(
    strategies: &[Strategy],
    purpose: Purpose,
    screen: &'a Screen,
    refs: Option<&Refs>,
    attempts: &mut Vec<Attempt>,
) -> Result<Option<(usize, &'a Element)>, Error> {
    for (rank, Strategy { name, target }) in strategies.iter().enumerate() {
        let mut note = |miss| attempts.push(Attempt { strategy: name, target: target.to_string(), miss });
        match finder::pick(target, purpose, screen, refs) {
            Ok(Some(element)) => {
                note(None);
                return Ok(Some((rank, element)));
            }
            Ok(None) => note(Some("not there".to_owned())),
            Err(error) => {
                note(Some(clip(&error.message)));
                // Of several, none may be guessed by another way.
                let code = error.details.get("code").and_then(Value::as_str);
                let is_last = rank + 1 == strategies.len();
                if is_last || !matches!(code, Some("STALE_REF" | "NO_FIELD")) {
                    return Err(error);
                }
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use uixt_locate::test_screens::{element, screen};

    fn found(words: &str, purpose: Purpose, screen: &Screen) -> (Option<String>, Vec<String>) {
        let mut attempts = Vec::new();
        let found = first_found(&strategies(words), purpose, screen, None, &mut attempts).ok().flatten();
        let tried = attempts.iter().map(|attempt| attempt.strategy.to_owned()).collect();
        (found.map(|(_, element)| describe(element)), tried)
    }

    #[test]
    fn words_are_tried_as_a_name_and_then_as_a_description() {
        let user = Element { label: "用户名".to_owned(), id: "a:id/user".to_owned(), ..element("textfield", "", 0) };
        let login = Element { clickable: true, ..element("button", "登录", 60) };
        let screen = screen(vec![user, login]);
        let (what, tried) = found("用户名输入框", Purpose::Type, &screen);
        assert_eq!(what.as_deref(), Some("textfield \"用户名\" #user"));
        assert_eq!(tried, ["text", "label", "test_id", "description"]);
        assert_eq!(found("登录", Purpose::Touch, &screen).1, ["text"]);
        assert_eq!(found("#user", Purpose::Type, &screen).1, ["selector"]);
        assert_eq!(found("user", Purpose::Type, &screen).1, ["text", "label", "test_id"]);
        assert_eq!(found("e18", Purpose::Touch, &screen), (None, vec!["ref".to_owned(), "text".to_owned()]));
        assert_eq!(found("退出按钮", Purpose::Touch, &screen).0, None);
    }

    #[test]
    fn of_several_none_is_guessed() {
        let button = |top| Element { clickable: true, ..element("button", "Add", top) };
        let screen = screen(vec![button(0), button(30)]);
        let mut attempts = Vec::new();
        let several = first_found(&strategies("Add"), Purpose::Touch, &screen, None, &mut attempts);
        assert!(several.is_err_and(|error| error.details["code"] == "AMBIGUOUS"));
        assert_eq!(attempts.len(), 1);
    }

    #[test]
    fn refs_are_letters_and_digits() {
        assert!(is_ref("e1") && is_ref("e18"));
        assert!(!is_ref("e") && !is_ref("18") && !is_ref("e1x") && !is_ref("email"));
    }
}
