//! The address of a request: absolute, under a base, with query parameters.

use reqwest::Url;
use serde_json::Value;
use uixt_locate::Object;

use super::text;

/// Puts an address together. A relative one continues the base's path, as `HttpRunner` has it.
pub(super) fn absolute(url: &str, base: Option<&str>, params: &Object) -> Result<Url, String> {
    let whole = match (url.contains("://"), base) {
        (true, _) => url.to_owned(),
        (false, Some(base)) => format!("{}/{}", base.trim_end_matches('/'), url.trim_start_matches('/')),
        (false, None) => {
            return Err(format!("`url` must be absolute, such as http://host/{}", url.trim_start_matches('/')));
        }
    };
    let parsed = Url::parse(&whole).map_err(|error| format!("`{whole}` is not a URL: {error}"))?;
    match parsed.scheme() {
        "http" | "https" => with_params(parsed, params),
        other => Err(format!("`{other}` is not supported; valid: http, https")),
    }
}

/// Adds query parameters to those that the address has.
pub(in super::super) fn with_params(mut url: Url, params: &Object) -> Result<Url, String> {
    if params.is_empty() {
        return Ok(url);
    }
    let mut pairs = Vec::new();
    for (name, value) in params {
        let values = match value {
            Value::Array(values) => values.as_slice(),
            one => std::slice::from_ref(one),
        };
        for value in values {
            let value =
                text(value).ok_or_else(|| format!("params: the value of `{name}` must be a text or a number"))?;
            pairs.push((name, value));
        }
    }
    url.query_pairs_mut().extend_pairs(pairs);
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[expect(clippy::needless_pass_by_value, reason = "a literal reads better without a reference")]
    fn whole(url: &str, base: Option<&str>, params: Value) -> Result<String, String> {
        absolute(url, base, params.as_object().expect("a map")).map(String::from)
    }

    #[test]
    fn addresses_are_put_together() {
        let none = json!({});
        assert_eq!(whole("/get", Some("http://h/v1/"), none.clone()).as_deref(), Ok("http://h/v1/get"));
        assert_eq!(whole("http://x/a", Some("http://h"), none.clone()).as_deref(), Ok("http://x/a"));
        assert!(whole("get", None, none).is_err_and(|error| error.contains("http://host/get")));
        let params = json!({"b": [1, "二"], "c": true});
        assert_eq!(whole("http://h/?a=1", None, params).as_deref(), Ok("http://h/?a=1&b=1&b=%E4%BA%8C&c=true"));
        assert!(whole("http://h/", None, json!({"a": null})).is_err());
    }
}
