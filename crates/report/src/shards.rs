//! Whether runs that are joined are all parts of one whole.

use std::collections::BTreeSet;

use crate::result::{RunResult, Shard};

/// Tells what is wrong with parts: some are missing, or they are of different testcases. Runs that are no parts do not matter.
pub fn check(runs: &[RunResult]) -> Result<(), String> {
    let shards: Vec<&Shard> = runs.iter().filter_map(|run| run.shard.as_ref()).collect();
    let Some(first) = shards.first() else { return Ok(()) };
    let is_alike = |shard: &&&Shard| (shard.of, shard.cases, &shard.digest) == (first.of, first.cases, &first.digest);
    if let Some(other) = shards.iter().find(|shard| !is_alike(shard)) {
        return Err(format!(
            "part {}/{} of {} cases ({}) and part {}/{} of {} cases ({}) are of different testcases, or were dealt out by different rows, filters or durations",
            first.index, first.of, first.cases, first.digest, other.index, other.of, other.cases, other.digest
        ));
    }
    let mut there = BTreeSet::new();
    if let Some(twice) = shards.iter().find(|shard| !there.insert(shard.index)) {
        return Err(format!("part {} of {} is there twice: its cases would count twice", twice.index, twice.of));
    }
    let missing: Vec<String> =
        (1..=first.of).filter(|index| !there.contains(index)).map(|index| index.to_string()).collect();
    match missing.len() {
        0 => Ok(()),
        1 => Err(format!("part {} of {} is missing", missing.join(", "), first.of)),
        _ => Err(format!("parts {} of {} are missing", missing.join(", "), first.of)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn run(index: u32, of: u32, digest: &str) -> RunResult {
        let shard = Shard { index, of, cases: 9, digest: digest.to_owned() };
        RunResult { shard: Some(shard), ..sample::run().0 }
    }

    #[test]
    fn parts_of_one_whole_are_joined_and_no_others() {
        assert_eq!(check(&[run(1, 2, "a"), run(2, 2, "a")]), Ok(()));
        let twice = check(&[run(1, 2, "a"), run(2, 2, "a"), run(2, 2, "a")]).unwrap_err();
        assert!(twice.starts_with("part 2 of 2 is there twice"), "{twice}");
        assert_eq!(check(&[sample::run().0]), Ok(()));
        assert_eq!(check(&[run(1, 3, "a")]).unwrap_err(), "parts 2, 3 of 3 are missing");
        assert_eq!(check(&[run(2, 2, "a")]).unwrap_err(), "part 1 of 2 is missing");
        assert!(check(&[run(1, 2, "a"), run(2, 2, "b")]).unwrap_err().contains("different testcases"));
    }
}
