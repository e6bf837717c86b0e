//! A stand-in for Appium's UiAutomator2 server: what `am instrument` starts once its two packages are installed, and what answers
//! on the phone's port 6790 while it runs.
//!
//! [`Automator`] is its life, `packages` what is installed of it; `service` reads requests and `session` answers them, by
//! `tree` (the screen as XML), `search` (elements in it) and `touches` (W3C actions). Routes and formats follow
//! appium-uiautomator2-server 10 (`AppiumServlet`, `UiElementSnapshot`, `ActionsTokenizer`).

mod elements;
mod facts;
mod life;
pub(super) mod packages;
mod refusal;
mod search;
mod service;
mod session;
mod touches;
mod tree;

pub(super) use self::life::Automator;
pub(super) use self::service::serve;

/// The port that it listens on.
pub(super) const PORT: u16 = 6790;
/// The process that it runs in.
pub(super) const PROCESS: &str = packages::SERVER;
/// The process id of that.
pub(super) const PROCESS_ID: u32 = 5790;
