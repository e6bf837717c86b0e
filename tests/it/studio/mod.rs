//! `uixt studio`: what its server does for a page, and who gets in.

mod access;
mod agent;
mod flows;
mod hostile;
mod recording;
mod review;
mod served;
