//! Android: adb and what speaks it, faults, and what a phone shows; iPhones, what drives them, and faults.

mod adb_clients;
mod adbd;
mod eight_phones;
mod farm;
mod faults;
mod iphone;
mod iphone_faults;
mod iphone_judges;
mod iphone_usb;
mod mobile_mcp;
mod no_adb_server;
mod popups;
mod reset;
mod uia2;
mod unseen_elements;
