//! An address that a call opens → whether its caller may open it, where it stands.

use reqwest::Url;
use uixt_locate::{Error, Kind};

use super::addresses::private;
use crate::Context;

impl Context {
    /// Refuses an address that this caller may not open.
    pub async fn check_address(&self, url: &str) -> Result<(), Error> {
        let refused = |why| Error::new(Kind::BadArgument, why).with("url", url);
        let pages = self.driver()?.pages("open addresses");
        let checked = match pages {
            Ok(_) => self.addresses.check(url),
            Err(_) => self.addresses.check_link(url),
        };
        checked.map_err(refused)?;
        let Some(host) = self.addresses.private_host(url) else { return Ok(()) };
        let here = match pages {
            Ok(pages) => pages.place().await.ok().and_then(|place| private(&Url::parse(&place.url).ok()?)),
            Err(_) => None,
        };
        if here.as_ref() == Some(&host) {
            return Ok(());
        }
        Err(refused(format!(
            "`{url}` lies in a private network, of which agents open what is named to them: start the server with \
             `--private-hosts {host}`"
        )))
    }
}
