//! `uixt models` in a build that has none to fetch.

use clap::Args;

use crate::cli::exit::{Done, Failure};

#[derive(Args)]
pub(in crate::cli) struct Models {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

impl Models {
    pub(in crate::cli) fn run(self) -> Done {
        drop(self.rest);
        Err(Failure::usage("this build has no OCR: there are no models to fetch for it, build with the feature `ocr`"))
    }
}
