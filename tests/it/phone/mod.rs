//! Android: adb and what speaks it, faults, and what a phone shows; iPhones, what drives them, and faults; what judges
//! Harmony phones.

mod adb_clients;
mod adbd;
mod eight_phones;
mod farm;
mod faults;
mod harmony;
mod harmony_hdc;
mod harmony_judges;
mod iphone;
mod iphone_judges;
mod iphone_usb;
mod mobile_mcp;
mod no_adb_server;
mod popups;
mod reset;
mod stage;
mod uia2;
mod unseen_elements;
mod wire_faults;
