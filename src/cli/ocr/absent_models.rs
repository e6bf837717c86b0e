//! `uixt ocr install`, `ocr status` and `models` in a build that has none to fetch.

use clap::Args;

use crate::cli::exit::{Done, Failure};

/// Whatever stands behind the command.
#[derive(Args)]
pub(in crate::cli) struct Models {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

pub(super) type Install = Models;

impl Models {
    pub(in crate::cli) fn run(self) -> Done {
        drop(self.rest);
        listed()
    }
}

pub(super) fn listed() -> Done {
    Err(Failure::usage("this build has no OCR: there are no models to fetch for it, build with the feature `ocr`"))
}
