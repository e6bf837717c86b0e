//! Pictures of screens → their pixels, what is found in them, and what differs between two.
//!
//! Nothing here knows of devices, or reads texts.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "pixels and shares of pictures, whose sides are bounded"
)]

mod comparison;
mod controls;
mod line;
mod picture;
mod plane;
pub mod resampling;
mod search;

pub use self::comparison::{Difference, compare};
pub use self::controls::{Control, ControlKind, controls};
pub use self::line::Line;
pub use self::picture::{Picture, Place};
pub use self::search::{Match, Template};

/// A picture that cannot be read: not a PNG, too large, or of another length than its size says. The message says which.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(pub String);
