//! Folders → a Landlock ruleset that lets the process reach nothing else: no file, no port, no process, no socket of another.

use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, PathFd, RestrictionStatus, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, Scope, make_bitflags, path_beneath_rules,
};

/// The newest rules that are known; a kernel that knows fewer is asked for those.
const NEWEST: ABI = ABI::V10;

/// What a code may do in its folder: all but to make devices, sockets and pipes, and to run programs.
const OWN: BitFlags<AccessFs> = make_bitflags!(AccessFs::{
    ReadFile | ReadDir | WriteFile | Truncate | MakeReg | MakeDir | MakeSym | RemoveFile | RemoveDir | Refer
});

/// What a program may always write to.
const NOWHERE: &str = "/dev/null";

/// Restricts this process to folders and files that it may read and run, and those that it may write. Returns the version of Landlock
/// that stands; none where the kernel has none.
pub(super) fn restrict(read: &[PathBuf], write: &[PathBuf]) -> Result<Option<String>, String> {
    put_up(read, write).map_err(|error| format!("Landlock cannot be set: {error}"))
}

fn put_up(read: &[PathBuf], write: &[PathBuf]) -> Result<Option<String>, RulesetError> {
    let rules = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?;
    let rules = rules.add_rules(path_beneath_rules(read, AccessFs::from_read(NEWEST)))?;
    let rules = rules.add_rules(path_beneath_rules(write, OWN))?;
    let rules = of_nowhere(rules, make_bitflags!(AccessFs::{ReadFile | WriteFile}))?;
    Ok(stands(&rules.restrict_self()?))
}

/// Restricts this process to the folders that it may write.
pub(super) fn restrict_writing(write: &[PathBuf]) -> Result<(), String> {
    let put_up = || -> Result<(), RulesetError> {
        let rules = Ruleset::default().handle_access(AccessFs::from_write(NEWEST))?.create()?;
        let rules = rules.add_rules(path_beneath_rules(write, AccessFs::from_write(NEWEST)))?;
        of_nowhere(rules, AccessFs::WriteFile.into())?.restrict_self().map(|_| ())
    };
    put_up().map_err(|error| format!("Landlock cannot be set: {error}"))
}

fn of_nowhere(rules: RulesetCreated, access: BitFlags<AccessFs>) -> Result<RulesetCreated, RulesetError> {
    match PathFd::new(NOWHERE) {
        Ok(file) => rules.add_rule(PathBeneath::new(file, access)),
        Err(_) => Ok(rules),
    }
}

/// Returns the version that stands.
fn stands(status: &RestrictionStatus) -> Option<String> {
    match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => Some(effective_abi.to_string()),
        _ => None,
    }
}
