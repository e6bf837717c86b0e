//! What a device says of an app that is not installed → the same, with the installed apps that may have been meant.

use uixt_driver as driver;
use uixt_locate::{Error, Kind};
use uixt_schema::nearest;
use uixt_toolkit::Context;

/// How many apps are named.
const MAX: usize = 3;

/// Names, where a device does not have an app, those that it has with a name like it.
pub(crate) async fn found<T>(cx: &Context, package: &str, outcome: Result<T, driver::Error>) -> Result<T, Error> {
    let Err(driver::Error::NotFound { what }) = outcome else { return Ok(outcome?) };
    let mut error = Error::from(driver::Error::NotFound { what });
    // Not every device tells what is installed.
    let Ok(installed) = cx.driver()?.packages().await else { return Err(error) };
    if installed.iter().any(|name| name == package) {
        let message = format!("the device lists {package} as installed, and then says that it is not");
        return Err(Error::new(Kind::Device, message));
    }
    let meant = like(package, &installed);
    let hint = match meant.as_slice() {
        [] => "`list_packages` lists what is installed".to_owned(),
        meant => {
            format!("did you mean {}?", meant.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or "))
        }
    };
    error.message = format!("{}; {hint}", error.message);
    Err(error.with("nearest", meant))
}

/// Returns the packages one of whose words is the name that a person has for an app; else the one that is spelt most like it.
fn like<'a>(name: &str, installed: &'a [String]) -> Vec<&'a str> {
    let name = name.to_lowercase();
    let word = name.rsplit('.').next().unwrap_or_default();
    let has_word = |package: &&str| package.to_lowercase().split('.').any(|part| part == word);
    let all = || installed.iter().map(String::as_str);
    let named: Vec<&str> = all().filter(has_word).take(MAX).collect();
    match named.is_empty() {
        true => nearest(&name, all()).into_iter().collect(),
        false => named,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_app_is_known_by_its_name_its_last_word_or_its_spelling() {
        let installed = ["com.android.settings", "com.uixt.shop", "org.a.shop"].map(str::to_owned);
        assert_eq!(like("Shop", &installed), ["com.uixt.shop", "org.a.shop"]);
        assert_eq!(like("com.other.settings", &installed), ["com.android.settings"]);
        assert_eq!(like("com.uixt.shpo", &installed), ["com.uixt.shop"]);
        assert!(like("Wallet", &installed).is_empty() && like("", &installed).is_empty());
    }
}
