//! What a call names an element by → `{ref}` and how it was found. `{selector, value}` and `{ref, text}` end up the same: the
//! spelling of `value` is put right with all other arguments, before any call.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uixt_locate::finder::Purpose;
use uixt_locate::refs::is_ref;
use uixt_locate::{Error, selector};
use uixt_toolkit::{Context, Reply, wait};

use super::element_finder::{self, Attempt, ElementReference, Strategy, Wanted, by_ref, find_best_element};

/// Under which the finding of an element stands in an error's details.
pub(super) const LOOKUP: &str = "lookup";

/// An element: the arguments of every tool that acts on one by its ref.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Named {
    /// Ref of the last snapshot, such as e18.
    #[serde(default, rename = "ref")]
    reference: Option<String>,
    /// Instead of a ref, or where that means nothing any more: CSS, XPath, text, or 用户名输入框.
    #[serde(default)]
    #[schemars(length(min = 1))]
    selector: Option<String>,
    /// Seconds to wait; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    #[schemars(extend("x-unpublished" = true))]
    timeout: Option<f64>,
}

/// An element by its ref, and how that was found.
pub(super) struct Converted {
    pub target: Value,
    found: Option<ElementReference>,
    lookup: Value,
}

impl Named {
    pub(super) fn check(&self) -> Result<(), String> {
        match (&self.reference, &self.selector) {
            (None, None) => Err("give a `ref` from a snapshot, or a `selector`".to_owned()),
            (Some(reference), _) if !is_ref(reference) => Err(format!(
                "`{reference}` is not a ref of browser_snapshot, such as e1; give a selector as `selector`"
            )),
            (_, Some(words)) if let Some(flaw) = selector::flawed(words) => {
                Err(format!("`{words}` is not a selector: {flaw}"))
            }
            (_, Some(words)) if element_finder::strategies(words).is_empty() => {
                Err(format!("`{words}` names no element: CSS, XPath, a text, or what it is in words"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the limit of a call: the element is waited for by words, and again by its ref.
    pub(super) fn limit(&self) -> Duration {
        wait::limit(self.timeout) * 2
    }

    pub(super) fn timeout(&self) -> Value {
        self.timeout.map_or(Value::Null, Value::from)
    }

    /// Returns the ways to find it; one alone needs no search before its call.
    fn strategies(&self) -> Vec<Strategy> {
        let reference = self.reference.as_deref().map(by_ref);
        let words = self.selector.as_deref().map(element_finder::strategies).unwrap_or_default();
        reference.into_iter().chain(words).collect()
    }

    /// Finds the ref.
    pub(super) async fn convert(&self, cx: &Context, purpose: Purpose) -> Result<Converted, Error> {
        let began = Instant::now();
        if let (Some(reference), None) = (&self.reference, &self.selector) {
            let lookup = lookup(&[], began.elapsed());
            return Ok(Converted { target: json!({"ref": reference}), found: None, lookup });
        }
        let timeout = wait::timeout(cx, self.timeout);
        let wanted = Wanted { purpose, timeout, reveal: true };
        let (found, attempts) = find_best_element(cx, &self.strategies(), wanted).await;
        let lookup = lookup(&attempts, began.elapsed());
        let found = found.map_err(|error| error.with(LOOKUP, lookup.clone()))?;
        let Some(reference) = &found.reference else {
            let message = format!("{} is out of view and could not be scrolled to", found.what);
            return Err(Error::new(uixt_locate::Kind::NotFound, message).with(LOOKUP, lookup));
        };
        Ok(Converted { target: json!({"ref": reference}), found: Some(found), lookup })
    }
}

/// Tells which ways were tried and what the conversion took, in microseconds, the looks at the screen included.
fn lookup(attempts: &[Attempt], took: Duration) -> Value {
    let tries: Vec<Value> = attempts.iter().map(Attempt::json).collect();
    json!({"tries": tries, "conversion_us": u64::try_from(took.as_micros()).unwrap_or(u64::MAX)})
}

impl Converted {
    /// Adds to an answer what was found, and how.
    pub(super) fn told(self, mut reply: Reply) -> Reply {
        reply.lookup = Some(self.lookup);
        let Some(found) = self.found else { return reply };
        let reference = found.reference.unwrap_or_default();
        reply.message.push_str(&format!(" ({reference})"));
        reply.with("ref", reference).with("confidence", found.confidence.map(|sure| (sure * 100.0).round() / 100.0))
    }

    /// Adds the same to a failure.
    pub(super) fn blamed(&self, error: Error) -> Error {
        error.with(LOOKUP, self.lookup.clone())
    }
}
