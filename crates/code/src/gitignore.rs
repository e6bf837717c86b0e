//! The text of a `.gitignore` → which entries of its folder are left out. Source: `man gitignore`.

use regex::bytes::{RegexSet, RegexSetBuilder};

use crate::glob;

/// Most rules of one file that count.
const MOST: usize = 2000;

/// Most bytes that the automaton of one file's rules may take.
const SIZE: usize = 16 << 20;

struct Rule {
    /// Whether it takes back what an earlier one left out.
    is_taken_back: bool,
    for_folders: bool,
}

/// The rules of one folder.
pub(crate) struct Rules {
    rules: Vec<Rule>,
    patterns: RegexSet,
}

impl Rules {
    /// Reads the text of a file; none where it has no rule.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let read: Vec<(Rule, String)> = text.lines().filter_map(rule).take(MOST).collect();
        let patterns = RegexSetBuilder::new(read.iter().map(|(_, pattern)| pattern)).size_limit(SIZE).build().ok()?;
        let rules: Vec<Rule> = read.into_iter().map(|(rule, _)| rule).collect();
        (!rules.is_empty()).then_some(Self { rules, patterns })
    }

    /// Tells whether an entry, by its path from the folder of the rules, is left out or taken back; none where nothing is said.
    pub(crate) fn decide(&self, path: &[u8], is_folder: bool) -> Option<bool> {
        if !self.patterns.is_match(path) {
            return None;
        }
        let said = self.patterns.matches(path).into_iter().filter_map(|place| self.rules.get(place));
        said.rev().find(|rule| is_folder || !rule.for_folders).map(|rule| !rule.is_taken_back)
    }
}

/// Reads a line; none where it is no rule.
fn rule(line: &str) -> Option<(Rule, String)> {
    let line = line.trim_end_matches('\r');
    let line = if line.ends_with("\\ ") { line } else { line.trim_end() };
    let (is_taken_back, line) = line.strip_prefix('!').map_or((false, line), |rest| (true, rest));
    let (for_folders, line) = line.strip_suffix('/').map_or((false, line), |rest| (true, rest));
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    // Braces mean themselves there.
    let pattern = glob::to_regex(&line.replace('{', "\\{").replace('}', "\\}")).ok()?;
    Some((Rule { is_taken_back, for_folders }, pattern))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_rule_that_matches_counts() {
        let rules =
            Rules::read("# build\n*.log\n!kept.log\n/target/\nnode_modules/\r\ndoc/*.txt\n\n\\#a\n").expect("rules");
        let said = |path: &str, is_folder| rules.decide(path.as_bytes(), is_folder);
        assert_eq!(said("a/b.log", false), Some(true));
        assert_eq!(said("a/kept.log", false), Some(false));
        assert_eq!((said("target", true), said("target", false), said("a/target", true)), (Some(true), None, None));
        assert_eq!((said("a/node_modules", true), said("doc/a.txt", false)), (Some(true), Some(true)));
        assert_eq!((said("a/doc/a.txt", false), said("#a", false)), (None, Some(true)));
        assert!(Rules::read("# nothing\n\n").is_none());
    }
}
