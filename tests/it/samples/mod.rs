//! testcases/ as documentation that holds, by each way to a phone and in a browser; and bugs that those testcases must find.

mod harmony;
mod iphone;
mod mutants;
mod page;
mod phone;
mod through_adb;
