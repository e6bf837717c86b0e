//! `uixt studio`: what its server does for a page, and who gets in; and who acts in a browser's own window instead.

mod access;
mod agent;
mod edits;
mod flows;
mod hostile;
mod recording;
mod review;
mod served;
mod window;
