//! The pixels of a phone's screen, and films of them.
//!
//! [`canvas::Canvas`] draws rectangles, text of one font ([`glyphs`]), icons and pictures; [`theme`] grows the colors of a page
//! from one accent color. [`h264::Encoder`] and [`mp4::film`] make a film that every player shows, [`jpeg::encoded`] a photograph. Nothing here knows of nodes,
//! apps or Android.

pub mod canvas;
pub mod geometry;
pub mod glyphs;
pub mod h264;
pub mod icon;
mod illustration;
pub mod jpeg;
pub mod mp4;
pub mod picture;
pub mod theme;
