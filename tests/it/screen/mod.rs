//! What phones and pages have in common: how elements are named, texts that are only drawn, pictures, operations of drivers.

mod descriptions;
mod drawn_texts;
mod operations;
mod refs_and_indexes;
mod snapshots;
