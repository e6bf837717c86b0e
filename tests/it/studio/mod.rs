//! `uixt studio`: what its server does for a page, and who gets in; and who acts in a browser's own window instead.

mod access;
mod flows;
mod recording;
mod served;
mod window;
