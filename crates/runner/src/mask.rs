//! Takes secrets out of failures that are written down.

use crate::result::{Failure, Lookup, Mended, Try};
use crate::secrets::Secrets;

/// Returns a failure without the secrets.
pub(super) fn failure(secrets: &Secrets, failure: Failure) -> Failure {
    let details = failure.details.map(|mut details| {
        secrets.mask(&mut details);
        details
    });
    Failure { message: secrets.text(failure.message), details, ..failure }
}

/// Returns how an element was found without the secrets.
pub(super) fn lookup(secrets: &Secrets, lookup: Lookup) -> Lookup {
    let masked = |tried: Try| Try { target: secrets.text(tried.target), why: secrets.text(tried.why), ..tried };
    Lookup { tries: lookup.tries.into_iter().map(masked).collect(), ..lookup }
}

/// Returns what was mended without the secrets.
pub(super) fn mended(secrets: &Secrets, mended: Mended) -> Mended {
    let masked = |steps: Vec<String>| steps.into_iter().map(|step| secrets.text(step)).collect();
    Mended { why: secrets.text(mended.why), was: masked(mended.was), now: masked(mended.now), ..mended }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::SAMPLES;
    use serde_json::json;

    #[test]
    fn a_failure_tells_no_secret() {
        for (secret, text, shown) in SAMPLES {
            let mut secrets = Secrets::default();
            secrets.add(secret);
            let told = failure(
                &secrets,
                Failure { kind: "x".to_owned(), message: (*text).to_owned(), details: Some(json!({"a": [text]})) },
            );
            assert_eq!((told.message.as_str(), told.details), (*shown, Some(json!({"a": [shown]}))));
        }
    }
}
