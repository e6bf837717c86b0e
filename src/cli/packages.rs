//! `--allow-packages`: whether packages may be installed for codes in the sandbox.

use clap::Args;
use uixt_tools_sandbox::AllowPackages;

#[derive(Args, Clone, Copy, Debug, Default)]
pub(super) struct PackagesArgs {
    /// Let `microsandbox_install_package` install wheels, which reaches the network.
    #[arg(long)]
    allow_packages: bool,
}

impl PackagesArgs {
    /// Returns what a session is told of it.
    pub(super) fn setting(self) -> AllowPackages {
        AllowPackages(self.allow_packages)
    }
}
