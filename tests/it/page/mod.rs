//! Pages in a real browser: finding, acting, waiting, and what a page does of its own accord.

mod aftermath;
mod browser;
mod error_kinds;
mod failure_messages;
mod fields;
mod frames_of_other_sites;
mod hostile;
mod misdirected_steps;
mod misleading_pages;
mod recorded_pages;
mod settling;
mod site;
mod status_and_downloads;
mod typed_texts;
mod visibility;
mod webdriver_ends;
