//! Links → the app that takes them, and what it shows: web addresses go to the browser, `uixt-shop://product/NAME` to the shop,
//! `uixt-trouble://PAGE` to a page of trouble, `uixt-ui://ID` to a UI instance.

use serde_json::json;

use super::apps::{instances, trouble};
use super::refused::Refused;
use super::system::System;
use crate::instance::Patch;

const BROWSER: &str = "com.uixt.browser";
const SHOP: &str = "com.uixt.shop";
const PRODUCT: &str = "uixt-shop://product/";

/// Returns the package that takes a link.
pub(super) fn taker(url: &str) -> Option<&'static str> {
    let (scheme, rest) = url.split_once(':')?;
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" if rest.len() > "//".len() => Some(BROWSER),
        "uixt-trouble" if url.starts_with(trouble::LINK) => Some(trouble::PACKAGE),
        "uixt-ui" if url.starts_with(instances::LINK) => Some(instances::PACKAGE),
        "uixt-shop" if url.len() > PRODUCT.len() && url.starts_with(PRODUCT) => Some(SHOP),
        _ => None,
    }
}

impl System {
    /// Opens a link in the app that takes it.
    pub(super) async fn open_link(&mut self, url: &str) -> Result<(), Refused> {
        let Some(package) = taker(url).filter(|package| self.installed.contains_key(*package)) else {
            return Err(Refused(format!("unable to resolve Intent {{ dat={url} }}")));
        };
        self.launch(package).await?;
        if let Some(id) = url.strip_prefix(instances::LINK) {
            return self.open_kept(id).await;
        }
        if let Some(page) = url.strip_prefix(trouble::LINK) {
            return self.open_live(page).map_err(Refused);
        }
        match url.strip_prefix(PRODUCT) {
            Some(id) => self.act_on_row("shop_home", "open_product", json!({"id": id})).await,
            None => self.browse(url).await,
        }
        Ok(())
    }

    async fn browse(&mut self, url: &str) {
        self.keyboard = None;
        if let Some(process) = self.front_process() {
            process.edit = None;
            if let Some(page) = process.pages.get_mut("browser") {
                page.apply(&[Patch::set("state.params.url_bar", url)]);
            }
        }
        self.act("browser", "go").await;
    }
}

#[cfg(test)]
mod tests {
    use super::taker;

    #[test]
    fn only_links_that_an_app_knows_are_taken() {
        assert_eq!(taker("https://example.com/a?b=c"), Some("com.uixt.browser"));
        assert_eq!(taker("HTTP://x"), Some("com.uixt.browser"));
        assert_eq!(taker("uixt-shop://product/tea"), Some("com.uixt.shop"));
        for link in ["https://", "http", "uixt-shop://product/", "uixt-shop://cart", "tel:1", "market://x", ""] {
            assert_eq!(taker(link), None, "{link}");
        }
    }
}
