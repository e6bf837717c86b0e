//! A shop in English and Chinese: log in, search, put into the cart, pay. Its pages show; its [`Backend`] knows.
//!
//! Any of the users of the log-in page may buy; see the page for their names and password.

mod backend;

pub use backend::Backend;

use super::{AppDefinition, BackendKind};

/// The host that the pages call their backend by.
pub const HOST: &str = "shop.phone";

pub(super) fn app() -> AppDefinition {
    AppDefinition {
        package: "com.uixt.shop",
        activity: ".MainActivity",
        label: "Shop",
        third_party: true,
        permissions: &[],
        first_instance: "shop_login",
        instances: vec![include_str!("login.json")],
        late: None,
        backend: Some(BackendKind::Shop),
    }
}
