//! `--shard K/N`: which part of the cases this machine runs, said by hand or by a CI's environment.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use crate::cli::exit::Failure;
use crate::result::Outcome;
use crate::runner::journal::Reader;
use crate::runner::{Sharding, case_id};
use crate::testcase::TestCase;

/// Where CIs say which of several jobs this is: the number's variable, what it counts from, and the variable of how many there are.
const KNOWN: [(&str, u32, &str); 5] = [
    ("UIXT_SHARD_INDEX", 0, "UIXT_SHARD_TOTAL"),
    ("CI_NODE_INDEX", 1, "CI_NODE_TOTAL"),
    ("CIRCLE_NODE_INDEX", 0, "CIRCLE_NODE_TOTAL"),
    ("BUILDKITE_PARALLEL_JOB", 0, "BUILDKITE_PARALLEL_JOB_COUNT"),
    ("JOB_COMPLETION_INDEX", 0, "UIXT_SHARD_TOTAL"),
];
/// The most shards.
const MOST: u32 = 10_000;

/// Which part is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shard {
    index: u32,
    of: u32,
}

impl Shard {
    fn of(index: u32, of: u32) -> Option<Self> {
        ((1..=of).contains(&index) && of <= MOST).then_some(Self { index, of })
    }

    /// Says how the runner is to choose. All machines must be given the same durations, those of an earlier run.
    pub(super) fn sharding(self, cases: &[TestCase], durations: Option<&Path>) -> Result<Sharding, Failure> {
        let durations = durations.map(durations_of).transpose()?.unwrap_or_default();
        Ok(Sharding { index: self.index, of: self.of, durations, digest: digest(cases.iter()) })
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return of_environment(&|name| std::env::var(name).ok());
        }
        let numbers = text.split_once('/').and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
        let shard = numbers.and_then(|(index, of)| Self::of(index, of));
        shard.ok_or_else(|| "must be K/N, such as 1/4 for the first of four, or auto".to_owned())
    }
}

/// Reads what a CI says.
fn of_environment(variable: &dyn Fn(&str) -> Option<String>) -> Result<Shard, String> {
    let number = |name: &str| variable(name).and_then(|text| text.trim().parse::<u32>().ok());
    for (index, from, total) in KNOWN {
        let Some(of) = number(total) else { continue };
        // The only job of a GitLab without `parallel` has no number.
        let Some(found) = number(index).or((of == 1).then_some(from)) else { continue };
        return found.checked_add(1 - from).and_then(|index| Shard::of(index, of)).ok_or_else(|| {
            format!("{index} is {found} and {total} is {of}, which is not a part: the number counts from {from}")
        });
    }
    let names: Vec<String> = KNOWN.iter().map(|(index, _, total)| format!("{index} and {total}")).collect();
    Err(format!("auto: the environment has none of {}", names.join(", ")))
}

/// Reads how long the cases of an earlier run took, by their ids.
fn durations_of(folder: &Path) -> Result<HashMap<String, u64>, Failure> {
    let mut durations = HashMap::new();
    for case in Reader::open(folder).map_err(Failure::usage)? {
        let case = case.map_err(Failure::usage)?;
        if case.outcome == Outcome::Skipped {
            continue;
        }
        if let Some((planned, row)) = case_id::parts(&case.id) {
            durations.insert(format!("{planned}#{row}"), case.elapsed_ms);
        }
    }
    Ok(durations)
}

/// Tells these testcases from others: by their names and what stands in their files, in any order.
pub(super) fn digest<'a>(cases: impl Iterator<Item = &'a TestCase> + Clone) -> String {
    let mut files: Vec<PathBuf> = cases.clone().flat_map(TestCase::cases).map(|case| case.path.clone()).collect();
    files.sort();
    files.dedup();
    let mut names: Vec<&str> = cases.map(|case| case.file.as_str()).collect();
    names.sort_unstable();
    let mut hasher = Sha256::new();
    for name in names {
        hasher.update(name.as_bytes());
        hasher.update([0]);
    }
    for file in files {
        hasher.update(Sha256::digest(std::fs::read(&file).unwrap_or_default()));
    }
    hasher.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Returns what chance begins with on every machine that has these testcases.
pub(super) fn seed<'a>(cases: impl Iterator<Item = &'a TestCase> + Clone) -> u64 {
    u64::from_str_radix(digest(cases).get(..8).unwrap_or_default(), 16).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_and_wrong_ones_refused() {
        assert_eq!("2/4".parse(), Ok(Shard { index: 2, of: 4 }));
        for wrong in ["", "0/4", "5/4", "1", "1/0", "a/b", "1/99999", "-1/2"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn each_ci_says_its_part_in_its_own_way() {
        let of = |given: &[(&str, &str)]| {
            let given: HashMap<String, String> =
                given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            of_environment(&|name| given.get(name).cloned())
        };
        let second = Ok(Shard { index: 2, of: 4 });
        assert_eq!(of(&[("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "4")]), second);
        assert_eq!(of(&[("CIRCLE_NODE_INDEX", "1"), ("CIRCLE_NODE_TOTAL", "4")]), second);
        assert_eq!(of(&[("BUILDKITE_PARALLEL_JOB", "1"), ("BUILDKITE_PARALLEL_JOB_COUNT", "4")]), second);
        assert_eq!(of(&[("JOB_COMPLETION_INDEX", "1"), ("UIXT_SHARD_TOTAL", "4")]), second);
        assert_eq!(of(&[("UIXT_SHARD_INDEX", "1"), ("UIXT_SHARD_TOTAL", "4")]), second);
        assert!(
            of(&[("CI_NODE_INDEX", "0"), ("CI_NODE_TOTAL", "4")]).is_err_and(|error| error.contains("counts from 1"))
        );
        assert!(of(&[("CI_NODE_INDEX", "1")]).is_err_and(|error| error.contains("CI_NODE_TOTAL")));
    }
}
