//! UI instances: in the page that uixt serves, in other programs, on the phone.

mod in_other_programs;
mod page;
mod phone_and_page;
mod server_actions;
