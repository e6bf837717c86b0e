//! `uixt fix`: what a run proposes to change in its testcases, offered one by one and written where somebody agrees.
//!
//! A source makes [`Proposal`]s of a run; asking, showing and writing know nothing of where they come from.

mod asking;
mod broken_steps;
mod diff;
mod healed_goals;
mod proposal;
mod ranking;
mod runs;
mod writing;

use std::io::{IsTerminal, stdin, stdout};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::messages::count;
use crate::cli::exit::{Done, Exit, Failure, print, runtime};
use asking::Answer;
use proposal::Proposal;

#[derive(Args)]
pub(in crate::cli) struct Fix {
    /// Report folders of runs, or their journals; the newest folder in `results/` by default.
    #[arg(value_name = "DIR|journal.jsonl")]
    runs: Vec<PathBuf>,
    /// Writes the best suggestion of each step without asking; those of assertions only with --assertions.
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
    /// Prints what --yes would write as a diff, and writes nothing.
    #[arg(long)]
    dry_run: bool,
    /// Takes assertions in, too, whose failure may be the app's.
    #[arg(long)]
    assertions: bool,
    /// Has a model order the suggestions of each step; `OPENAI_BASE_URL` and its like say which.
    #[arg(long)]
    ai: bool,
}

/// Where proposals come from: a run's folder → what it proposes to change.
type Source = fn(&Path) -> Result<Vec<Proposal>, Failure>;

const SOURCES: [Source; 2] = [broken_steps::of, healed_goals::of];

impl Fix {
    pub(in crate::cli) fn run(self) -> Done {
        let folders = runs::folders(&self.runs)?;
        let mut proposals = proposals(&folders)?;
        if self.ai {
            runtime()?.block_on(ranking::rank(&mut proposals))?;
        }
        if proposals.is_empty() {
            let named: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
            return print(&format!(
                "nothing to fix: no failed step of {} has a suggestion, and no goal was mended",
                named.join(", ")
            ));
        }
        match () {
            () if self.dry_run => self.show(&proposals),
            () if self.yes => self.write(&proposals),
            () if stdin().is_terminal() && stdout().is_terminal() => ask(&proposals),
            () => Err(Failure::usage("there is no terminal to ask at: --yes writes, --dry-run shows")),
        }
    }

    /// Returns why a proposal is left alone without being asked about.
    fn left(&self, proposal: &Proposal) -> Option<String> {
        match (&proposal.choices, &proposal.doubt) {
            (Err(why), _) => Some(why.clone()),
            (_, Some(doubt)) if !self.assertions => Some(format!("{doubt}; --assertions takes it in")),
            _ => None,
        }
    }

    /// Prints the diff of everything.
    fn show(&self, proposals: &[Proposal]) -> Done {
        let mut drafts = writing::Drafts::default();
        for proposal in proposals {
            let drafted = match self.left(proposal) {
                Some(why) => Err(why),
                None => drafts.add(proposal, 0),
            };
            if let Err(why) = drafted {
                eprintln!("{}: left as it is: {why}", proposal.place);
            }
        }
        print(&drafts.diff())?;
        Ok(Exit::Failed)
    }

    /// Writes the best of everything.
    fn write(&self, proposals: &[Proposal]) -> Done {
        let (mut written, mut left) = (Vec::new(), 0);
        for proposal in proposals {
            let done = match self.left(proposal) {
                Some(why) => Err(why),
                None => writing::write(proposal, 0),
            };
            match done {
                Ok(lines) => {
                    print(&format!("{}\n{lines}", proposal.place))?;
                    written.push(proposal);
                }
                Err(why) => {
                    eprintln!("{}: left as it is: {why}", proposal.place);
                    left += 1;
                }
            }
        }
        finish(&written, left)
    }
}

/// Returns what runs propose, once for each place.
fn proposals(folders: &[PathBuf]) -> Result<Vec<Proposal>, Failure> {
    let mut proposals: Vec<Proposal> = Vec::new();
    for folder in folders {
        for source in SOURCES {
            for found in source(folder)? {
                if !proposals.iter().any(|other| found.is_same(other)) {
                    proposals.push(found);
                }
            }
        }
    }
    Ok(proposals)
}

/// Tells what a run proposes, for who asks about it elsewhere: each with its number, and what each choice would change.
pub(in crate::cli) fn repairs(folder: &Path) -> Result<Vec<Value>, Failure> {
    let told = |(number, proposal): (usize, Proposal)| {
        let line: Option<u32> = proposal.place.rsplit(':').nth(1).and_then(|line| line.parse().ok());
        let text = writing::read(&proposal);
        let changed = |choice: &proposal::Choice| {
            let text = text.as_ref().map_err(Clone::clone)?;
            let new = (choice.change)(text)?;
            Ok(json!({"why": choice.why, "diff": diff::changed(text, &new)}))
        };
        let choices = match &proposal.choices {
            Ok(choices) => choices.iter().map(changed).collect::<Result<Vec<Value>, String>>(),
            Err(why) => Err(why.clone()),
        };
        json!({
            "n": number, "place": proposal.place, "file": proposal.file, "line": line, "now": proposal.now,
            "doubt": proposal.doubt, "left": choices.as_ref().err(), "choices": choices.as_deref().unwrap_or_default(),
        })
    };
    Ok(proposals(&[folder.to_path_buf()])?.into_iter().enumerate().map(told).collect())
}

/// Writes a choice of what a run proposes at a place; returns the file, and the lines that changed.
pub(in crate::cli) fn repair(folder: &Path, place: &str, choice: usize) -> Result<(PathBuf, String), String> {
    let proposals = proposals(&[folder.to_path_buf()]).map_err(|failure| failure.to_string())?;
    let proposal = proposals.into_iter().find(|one| one.place == place);
    let proposal = proposal.ok_or_else(|| format!("the run proposes nothing at {place}"))?;
    let lines = writing::write(&proposal, choice)?;
    Ok((proposal.file, lines))
}

/// Asks about everything, and writes at once what is agreed to.
fn ask(proposals: &[Proposal]) -> Done {
    let (mut written, mut left) = (Vec::new(), 0);
    let mut answers = stdin().lock();
    for (number, proposal) in proposals.iter().enumerate() {
        match asking::ask(proposal, &mut answers, &mut stdout().lock()).map_err(Failure::errored)? {
            Answer::Write(choice) => match writing::write(proposal, choice) {
                Ok(_) => written.push(proposal),
                Err(why) => {
                    eprintln!("{}: left as it is: {why}", proposal.place);
                    left += 1;
                }
            },
            Answer::Skip => left += 1,
            Answer::Quit => {
                left += proposals.len() - number;
                break;
            }
        }
    }
    finish(&written, left)
}

/// Says what was done, and what to do now.
fn finish(written: &[&Proposal], left: usize) -> Done {
    let mut text = format!("{} written, {left} left\n", count(written.len(), "change"));
    let mut files: Vec<String> = Vec::new();
    for again in written.iter().map(|proposal| &proposal.again).filter(|again| !again.is_empty()) {
        if !files.contains(again) {
            files.push(again.clone());
        }
    }
    if !files.is_empty() {
        text.push_str(&format!("look at the changes, then: uixt run {}\n", files.join(" ")));
    }
    print(&text)?;
    Ok(if left == 0 { Exit::Passed } else { Exit::Failed })
}
