//! A proposal and what a person types → what to do with it.

use std::io::{self, BufRead, Write};

use super::diff;
use super::proposal::Proposal;
use super::writing;

const QUESTION: &str = "[y] write  [n] next suggestion  [s] skip  [q] quit: ";

/// What somebody decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Write the suggestion of this number, counted from 0.
    Write(usize),
    Skip,
    Quit,
}

/// Shows a proposal and asks until there is an answer; the end of the input is one.
pub(super) fn ask(proposal: &Proposal, answers: &mut dyn BufRead, out: &mut dyn Write) -> io::Result<Answer> {
    writeln!(out, "\n{}", proposal.place)?;
    if let Some(doubt) = &proposal.doubt {
        writeln!(out, "  {doubt}")?;
    }
    let choices = match &proposal.choices {
        Ok(choices) => choices,
        Err(why) => {
            writeln!(out, "  {}\n  left as it is: {why}", proposal.now)?;
            return Ok(Answer::Skip);
        }
    };
    let text = writing::read(proposal);
    for (number, choice) in choices.iter().enumerate() {
        match text.clone().and_then(|text| (choice.change)(&text).map(|new| diff::changed(&text, &new))) {
            Ok(lines) => {
                // A key above what changes tells of which step it is.
                if !lines.contains(proposal.now.as_str()) {
                    writeln!(out, "    {}", proposal.now)?;
                }
                write!(out, "{lines}")?;
            }
            Err(why) => {
                writeln!(out, "  cannot be written: {why}")?;
                continue;
            }
        }
        writeln!(out, "  suggestion {} of {}: {}", number + 1, choices.len(), choice.why)?;
        loop {
            write!(out, "{QUESTION}")?;
            out.flush()?;
            let mut typed = String::new();
            if answers.read_line(&mut typed)? == 0 {
                return Ok(Answer::Quit);
            }
            match typed.trim().to_lowercase().as_str() {
                "y" | "yes" => return Ok(Answer::Write(number)),
                "n" | "no" => break,
                "s" | "skip" => return Ok(Answer::Skip),
                "q" | "quit" => return Ok(Answer::Quit),
                _ => {}
            }
        }
    }
    writeln!(out, "  no other suggestion: skipped")?;
    Ok(Answer::Skip)
}

#[cfg(test)]
mod tests {
    use super::super::proposal::Choice;
    use super::*;

    fn answered(typed: &str) -> (Answer, String) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.yaml");
        std::fs::write(&file, "one\ntwo\n").expect("a file");
        let choice = |to: &'static str| Choice {
            why: format!("why {to}"),
            change: Box::new(move |text| Ok(text.replace("two", to))),
        };
        let proposal = Proposal {
            place: "a.yaml:2:1".to_owned(),
            file,
            now: "two".to_owned(),
            doubt: Some("the app may be wrong".to_owned()),
            choices: Ok(vec![choice("TWO"), choice("2")]),
            again: String::new(),
        };
        let mut out = Vec::new();
        let answer = ask(&proposal, &mut typed.as_bytes(), &mut out).expect("nothing goes wrong");
        (answer, String::from_utf8(out).expect("text"))
    }

    #[test]
    fn every_answer_means_something() {
        for (typed, wanted) in [
            ("y\n", Answer::Write(0)),
            ("what\nn\nYES\n", Answer::Write(1)),
            ("n\nn\n", Answer::Skip),
            ("s\n", Answer::Skip),
            ("n\nq\n", Answer::Quit),
            ("", Answer::Quit),
        ] {
            assert_eq!(answered(typed).0, wanted, "{typed:?}");
        }
        let shown = answered("y\n").1;
        let expected = "\na.yaml:2:1\n  the app may be wrong\n  - two\n  + TWO\n  suggestion 1 of 2: why TWO\n";
        assert_eq!(shown, format!("{expected}{QUESTION}"));
    }
}
