//! Where a model is: the environment's variables → an address, a key, a model's name.

use std::fmt;

use super::{Error, Usage};

/// The prefix of the variables that stand for every service that has none of its own.
const USUAL: &str = "OPENAI";
/// The variable that names the model where a service's own variables do not lead to it.
const MODEL: &str = "LLM_MODEL_NAME";

/// A model and where it is asked.
#[derive(Clone, PartialEq)]
pub struct Service {
    /// What testcases call it: `doubao-1.5-ui-tars-250428`.
    pub name: String,
    /// What the endpoint calls it.
    pub model: String,
    /// Without a slash at its end: `https://api.openai.com/v1`.
    pub base_url: String,
    /// What tokens cost; none where nobody says.
    pub price: Option<Price>,
    key: Option<String>,
}

/// What a million tokens cost, in whichever currency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    pub input: f64,
    pub output: f64,
}

impl Price {
    /// Reads `2.5/10`, of input and of output.
    fn read(text: &str) -> Option<Self> {
        let (input, output) = text.split_once('/')?;
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|price| (0.0..1e6).contains(price));
        Some(Self { input: number(input)?, output: number(output)? })
    }

    /// Returns what calls cost.
    pub fn of(&self, usage: &Usage) -> f64 {
        let tokens = |count: u64| f64::from(u32::try_from(count).unwrap_or(u32::MAX)) / 1e6;
        tokens(usage.input_tokens) * self.input + tokens(usage.output_tokens) * self.output
    }
}

impl Service {
    /// Finds a service by its name: `<NAME>_BASE_URL` and `<NAME>_API_KEY`, the name in capitals with `_` for other signs, else
    /// `OPENAI_BASE_URL` and `OPENAI_API_KEY`. The model is called as the service is; where both variables are `OpenAI`'s,
    /// `LLM_MODEL_NAME` names it.
    pub fn find(name: Option<&str>, variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let get = |name: &str| variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        let prefix = name.map(prefix);
        let own = |what: &str| prefix.as_ref().and_then(|prefix| get(&format!("{prefix}_{what}")));
        let (own_url, own_key) = (own("BASE_URL"), own("API_KEY"));
        let is_usual = own_url.is_none() && own_key.is_none();
        let base_url = own_url.or_else(|| get(&format!("{USUAL}_BASE_URL")));
        let key = own_key.or_else(|| get(&format!("{USUAL}_API_KEY")));
        let named = if is_usual { get(MODEL) } else { None };
        let wanted = |what: &str| {
            let of = prefix.iter().map(String::as_str).chain([USUAL]);
            of.map(|prefix| format!("{prefix}_{what}")).collect::<Vec<_>>().join(" or ")
        };
        let Some(base_url) = base_url else {
            return Err(Error::NotSet(format!("no model is configured: set {} to its address", wanted("BASE_URL"))));
        };
        let Some(model) = named.or_else(|| name.map(str::to_owned)) else {
            return Err(Error::NotSet(format!("no model is named: set {MODEL}, or `llm_service` in `ai_options`")));
        };
        let url = reqwest::Url::parse(&base_url);
        let host = match &url {
            Ok(url) if matches!(url.scheme(), "http" | "https") => url.host_str().unwrap_or_default(),
            _ => {
                return Err(Error::NotSet(format!(
                    "`{base_url}` is not the address of a model: write https://HOST/v1"
                )));
            }
        };
        let is_here = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
        if key.is_none() && !is_here {
            return Err(Error::NotSet(format!("no key for the model at {host}: set {}", wanted("API_KEY"))));
        }
        let price = own("PRICE").or_else(|| get(&format!("{USUAL}_PRICE")));
        let price = price.map(|text| {
            Price::read(&text).ok_or_else(|| {
                Error::NotSet(format!(
                    "`{text}` is not a price: write what a million tokens cost, of input and of output: 2.5/10"
                ))
            })
        });
        let price = price.transpose()?;
        let name = name.map_or_else(|| model.clone(), str::to_owned);
        Ok(Self { name, model, base_url: base_url.trim_end_matches('/').to_owned(), price, key })
    }

    /// Tells whether anything says where a service is, be it right or wrong.
    pub fn has_address(name: Option<&str>, variable: impl Fn(&str) -> Option<String>) -> bool {
        let own = name.map(prefix);
        let mut prefixes = own.iter().map(String::as_str).chain([USUAL]);
        prefixes.any(|prefix| variable(&format!("{prefix}_BASE_URL")).is_some_and(|url| !url.trim().is_empty()))
    }

    pub(crate) fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// Returns a text without the key, whoever repeated it.
    pub(crate) fn masked(&self, text: &str) -> String {
        match &self.key {
            Some(key) => text.replace(key.as_str(), uixt_core::secrets::MASK),
            None => text.to_owned(),
        }
    }
}

/// Shows no key.
impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, model, base_url, .. } = self;
        f.debug_struct("Service")
            .field("name", name)
            .field("model", model)
            .field("base_url", base_url)
            .finish_non_exhaustive()
    }
}

/// Returns what a service's variables begin with.
fn prefix(name: &str) -> String {
    let sign = |sign: char| if sign.is_ascii_alphanumeric() { sign.to_ascii_uppercase() } else { '_' };
    name.chars().map(sign).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(name: Option<&str>, variables: &[(&str, &str)]) -> Result<Service, String> {
        let get =
            |wanted: &str| variables.iter().find(|(name, _)| *name == wanted).map(|(_, value)| (*value).to_owned());
        Service::find(name, get).map_err(|error| error.to_string())
    }

    #[test]
    fn a_service_has_variables_of_its_own_or_those_of_all() {
        let own = [
            ("DOUBAO_1_5_UI_TARS_250428_BASE_URL", "https://ark.example/api/v3/"),
            ("DOUBAO_1_5_UI_TARS_250428_API_KEY", "own"),
            ("OPENAI_API_KEY", "usual"),
            ("LLM_MODEL_NAME", "gpt-4o"),
        ];
        let found = find(Some("doubao-1.5-ui-tars-250428"), &own).expect("found");
        assert_eq!(
            (found.model.as_str(), found.base_url.as_str()),
            ("doubao-1.5-ui-tars-250428", "https://ark.example/api/v3")
        );
        assert_eq!(found.key(), Some("own"));
        assert!(!format!("{found:?}").contains("own\""));
        let usual =
            [("OPENAI_BASE_URL", "https://x.example/v1"), ("OPENAI_API_KEY", "k"), ("LLM_MODEL_NAME", "gpt-4o")];
        let found = find(Some("openai/gpt-4o"), &usual).expect("found");
        assert_eq!((found.name.as_str(), found.model.as_str()), ("openai/gpt-4o", "gpt-4o"));
        assert_eq!(find(None, &usual).expect("found").name, "gpt-4o");
        assert_eq!(
            find(Some("qwen"), &[("OPENAI_BASE_URL", "http://127.0.0.1:11434/v1")])
                .expect("no key is needed here")
                .model,
            "qwen"
        );
    }

    #[test]
    fn what_is_missing_is_named() {
        assert!(find(Some("a-b"), &[]).expect_err("no address").contains("set A_B_BASE_URL or OPENAI_BASE_URL"));
        let no_key = find(Some("a"), &[("A_BASE_URL", "https://x.example")]).expect_err("no key");
        assert!(no_key.contains("set A_API_KEY or OPENAI_API_KEY"), "{no_key}");
        assert!(
            find(None, &[("OPENAI_BASE_URL", "https://x.example")]).expect_err("no model").contains("LLM_MODEL_NAME")
        );
        assert!(
            find(Some("a"), &[("A_BASE_URL", "x.example")]).expect_err("no URL").contains("not the address of a model")
        );
    }
}
