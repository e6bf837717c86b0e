//! How commands that list something print it.

use clap::ValueEnum;

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(super) enum Format {
    Table,
    Json,
}
