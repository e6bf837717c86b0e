//! All units → those of one of several machines, which each machine finds by itself.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::Sharding;
use super::unit::Unit;

/// Returns the units of a part: every so manieth, or, where it is known how long they take, such that all parts take the same time.
pub(super) fn of(units: Vec<Unit>, part: &Sharding, id_of: &dyn Fn(&Unit) -> String) -> Vec<Unit> {
    let ids: Vec<String> = units.iter().map(id_of).collect();
    let parts = assigned(&ids, part);
    let own = part.index.saturating_sub(1) as usize;
    units.into_iter().zip(parts).filter(|(_, part)| *part == own).map(|(unit, _)| unit).collect()
}

/// Returns the part of each id, counted from 0.
fn assigned(ids: &[String], part: &Sharding) -> Vec<usize> {
    let of = part.of.max(1) as usize;
    let Some(takes) = expected(ids, &part.durations) else {
        return (0..ids.len()).map(|position| position % of).collect();
    };
    let mut longest_first: Vec<usize> = (0..ids.len()).collect();
    longest_first.sort_by_key(|position| Reverse(takes[*position]));
    let (mut parts, mut loads) = (vec![0; ids.len()], vec![0_u64; of]);
    for position in longest_first {
        let least = (0..of).min_by_key(|part| loads[*part]).unwrap_or_default();
        parts[position] = least;
        loads[least] += takes[position];
    }
    parts
}

/// Returns how long each case will take by what is known; one that nothing is known of as long as the others on average. None where
/// nothing is known of any.
pub(super) fn expected(ids: &[String], durations: &HashMap<String, u64>) -> Option<Vec<u64>> {
    let known: Vec<u64> = ids.iter().filter_map(|id| durations.get(id).copied()).collect();
    let average = known.iter().sum::<u64>().checked_div(known.len() as u64)?;
    Some(ids.iter().map(|id| durations.get(id).copied().unwrap_or(average)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("a.yaml#{number}")).collect()
    }

    #[test]
    fn every_case_is_in_one_part_and_the_parts_are_alike() {
        let part = Sharding { index: 1, of: 3, ..Sharding::default() };
        assert_eq!(assigned(&ids(7), &part), [0, 1, 2, 0, 1, 2, 0]);
        let took = [100, 10, 10, 10, 10, 10, 50];
        let durations = ids(7).into_iter().zip(took).collect();
        let parts = assigned(&ids(7), &Sharding { of: 2, durations, ..part });
        let load = |part| parts.iter().zip(took).filter(|(own, _)| **own == part).map(|(_, took)| took).sum::<u64>();
        assert_eq!((load(0), load(1)), (100, 100));
    }

    #[test]
    fn what_is_not_known_counts_as_the_others() {
        let durations = [("a.yaml#0".to_owned(), 90), ("a.yaml#1".to_owned(), 30)].into();
        let parts = assigned(&ids(4), &Sharding { index: 1, of: 2, durations, ..Sharding::default() });
        assert_eq!(parts, [0, 0, 1, 1], "90 + 30 against 60 + 60");
    }
}
