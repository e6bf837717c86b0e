//! Pages in a browser.

mod page;

pub use page::screen as parse_page;
