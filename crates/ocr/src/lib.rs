//! Pictures of screens → the lines of text on them, with their places, offline.
//!
//! ```no_run
//! use uixt_ocr::{Engine, Picture, Reader};
//!
//! let engine = Engine::load("models".as_ref())?;
//! let picture = Picture::new(1080, 1920, vec![255; 1080 * 1920 * 4])?;
//! for line in Reader::default().read(&engine, picture)? {
//!     println!("{} at {},{}: {:.2}", line.text, line.place.left, line.place.top, line.confidence);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Engine`] runs two models of PP-OCR (`PaddleOCR`, Apache-2.0) in pure Rust: one finds where lines stand, the other reads each.
//! [`Reader`] remembers what it has read, so that only what changed on a screen is read again. Nothing here knows of devices.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "pixels and shares of pictures, whose sides are bounded"
)]

mod changes;
mod crops;
mod detection;
mod engine;
mod joined;
mod lines;
pub mod models;
mod reader;
mod recognition;
mod resize;

pub use self::engine::Engine;
pub use self::reader::Reader;
pub use uixt_pictures::{Line, Picture, Place};

/// Why nothing can be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The models are not there; the message names the file that is missing.
    #[error("{0}")]
    NoModels(String),
    /// A model's file is not what it should be.
    #[error("{0}")]
    BrokenModel(String),
    /// A picture that is so long for its width that reading it would take too much memory.
    #[error("a picture of {0}×{1} pixels is too long to be read at once: cut it into parts")]
    TooLong(u32, u32),
    /// A model failed.
    #[error("text recognition failed: {0}")]
    Failed(String),
}
