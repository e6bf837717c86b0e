//! The pixels of a screen → elements among those of its tree: texts that are drawn, pictures, controls that are known by their look.

pub mod capture;
pub(crate) mod controls;
pub(crate) mod drawn;
pub(crate) mod drawn_motion;
pub mod drawn_text;
mod image_query;
pub mod images;
pub mod ocr_engines;
pub mod scale;

pub use image_query::{CONFIDENCE, ImageQuery};
