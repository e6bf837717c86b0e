//! Pages in a browser.

mod page;
