//! The goals that a model mended in a run → proposals to store them as they are now.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::goals::{self, HEAD, PROPOSALS, PROPOSED};
use super::proposal::{Choice, Proposal};
use crate::cli::exit::Failure;
use crate::testcase::{self, GOALS};
use uixt_tools_ai::StoredGoal;

/// Returns what a run proposes to store.
pub(super) fn of(folder: &Path) -> Result<Vec<Proposal>, Failure> {
    let mut files = Vec::new();
    walk(&folder.join(PROPOSALS), &mut files);
    let mut proposals = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file)
            .map_err(|error| Failure::errored(format!("{} cannot be read: {error}", file.display())))?;
        let Some(target) = text.lines().next().and_then(|line| line.strip_prefix(PROPOSED)) else { continue };
        let target = PathBuf::from(target);
        let proposed = goals::parse(&file, &text).map_err(|why| wrong(&file, &why))?;
        let stored = goals::read(&target).map_err(|why| wrong(&target, &why))?;
        let changed = proposed.into_iter().zip(stored).filter(|(goal, was)| goal != was);
        proposals.extend(changed.map(|(goal, was)| proposal(&target, goal, was)));
    }
    Ok(proposals)
}

fn wrong(file: &Path, why: &str) -> Failure {
    Failure::usage(format!("{}: {why}", testcase::shown_path(file)))
}

fn proposal(target: &Path, goal: StoredGoal, was: StoredGoal) -> Proposal {
    let file = testcase::shown_path(target);
    let path = target.to_path_buf();
    let now = format!("the goal {:?} on {} as it is stored", goal.goal, goal.platform);
    let place = format!("{file}: {:?}, {}", goal.goal, goal.platform);
    let change = move |text: &str| {
        let mut goals = goals::parse(&path, text)?;
        match goals.iter_mut().find(|known| **known == was) {
            Some(known) => known.clone_from(&goal),
            None => return Err("the goal is not stored as it was: run again".to_owned()),
        }
        goals::text(HEAD, &goals)
    };
    let why = "as a model reached it".to_owned();
    Proposal {
        place,
        file: target.to_path_buf(),
        now,
        doubt: Some("what changed may be a fault of the app".to_owned()),
        choices: Ok(vec![Choice { why, change: Box::new(change) }]),
        again: file.replace(GOALS, ".yaml"),
    }
}

/// Finds the files below a folder, in sorted order.
fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() { walk(&path, files) } else { files.push(path) }
    }
}
