//! `uixt studio`: what its server does for a page, and who gets in.

mod access;
mod flows;
mod recording;
mod served;
