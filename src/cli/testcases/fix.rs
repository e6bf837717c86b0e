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
        let mut proposals = Vec::new();
        for folder in &folders {
            for source in SOURCES {
                let found = source(folder)?;
                proposals.extend(
                    found
                        .into_iter()
                        .filter(|one| !proposals.iter().any(|other| one.is_same(other)))
                        .collect::<Vec<_>>(),
                );
            }
        }
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
