//! A pattern for paths (`src/**/*.{rs,toml}`) → a regular expression, whose matching takes time in proportion to the path whatever the
//! pattern is.

use crate::Refused;

/// Most characters of a pattern.
const LONGEST: usize = 1000;

/// Signs of patterns.
const SIGNS: [char; 4] = ['*', '?', '[', '{'];

/// Parts a path with a pattern in it (`src/**/*.rs`) into the folder before the pattern and the pattern; none where it has none.
pub fn split(path: &str) -> Option<(&str, String)> {
    let sign = path.find(SIGNS)?;
    let (folder, glob) = path[..sign].rfind('/').map_or(("", path), |slash| path.split_at(slash + 1));
    // One folder is meant, where the pattern does not name several.
    Some((folder, if glob.contains('/') { glob.to_owned() } else { format!("/{glob}") }))
}

/// Returns a regular expression for a whole path below a folder. A pattern without a slash is for the last part of the path.
pub(crate) fn to_regex(glob: &str) -> Result<String, Refused> {
    if glob.chars().count() > LONGEST {
        return Err(Refused::new(format!("a glob is longer than {LONGEST} characters")));
    }
    let (is_anchored, body) = match glob.strip_prefix('/').or_else(|| glob.strip_prefix("./")) {
        Some(rest) => (true, rest),
        None => (glob.contains('/'), glob),
    };
    let start = if is_anchored { "" } else { "(?:.*/)?" };
    Ok(format!("(?s-u)^{start}{}$", Reader { rest: body, depth: 0 }.regex(glob)?))
}

struct Reader<'a> {
    rest: &'a str,
    /// How many braces are open.
    depth: usize,
}

impl Reader<'_> {
    fn take(&mut self, what: &str) -> bool {
        let rest = self.rest.strip_prefix(what);
        rest.map(|rest| self.rest = rest).is_some()
    }

    fn regex(mut self, whole: &str) -> Result<String, Refused> {
        let mut regex = String::new();
        while !self.rest.is_empty() {
            let piece = self.piece(regex.is_empty() || regex.ends_with('/'));
            regex.push_str(&piece.ok_or_else(|| unreadable(whole))?);
        }
        if self.depth == 0 { Ok(regex) } else { Err(unreadable(whole)) }
    }

    /// Returns the next piece; none where it cannot be read.
    fn piece(&mut self, begins_part: bool) -> Option<String> {
        if begins_part && self.take("**/") {
            return Some("(?:[^/]*/)*".to_owned());
        }
        if begins_part && self.rest == "**" {
            self.rest = "";
            return Some(".*".to_owned());
        }
        let sign = self.rest.chars().next()?;
        self.rest = &self.rest[sign.len_utf8()..];
        let piece = match sign {
            '*' => {
                self.rest = self.rest.trim_start_matches('*');
                "[^/]*"
            }
            '?' => "(?u:[^/])",
            '[' => return self.class(),
            '{' => {
                self.depth += 1;
                "(?:"
            }
            '}' if self.depth > 0 => {
                self.depth -= 1;
                ")"
            }
            ',' if self.depth > 0 => "|",
            '\\' => return self.literal(),
            sign => return Some(regex::escape(sign.encode_utf8(&mut [0; 4]))),
        };
        Some(piece.to_owned())
    }

    fn literal(&mut self) -> Option<String> {
        let sign = self.rest.chars().next()?;
        self.rest = &self.rest[sign.len_utf8()..];
        Some(regex::escape(sign.encode_utf8(&mut [0; 4])))
    }

    /// Reads `[a-z]`, `[!a-z]`, `[]a]`.
    fn class(&mut self) -> Option<String> {
        let negated = self.take("!") || self.take("^");
        let end = self.rest.char_indices().skip(1).find(|(_, sign)| *sign == ']')?.0;
        let (inner, rest) = (&self.rest[..end], &self.rest[end + 1..]);
        self.rest = rest;
        let escape = |sign: char| if sign == '-' { "-".to_owned() } else { regex::escape(&sign.to_string()) };
        let inner: String = inner.chars().filter(|sign| *sign != '/').map(escape).collect();
        Some(format!("(?u:[{}{inner}{}])", if negated { "^" } else { "" }, if negated { "/" } else { "" }))
    }
}

fn unreadable(glob: &str) -> Refused {
    Refused::new(format!(
        "the glob `{glob}` cannot be read; valid: `*`, `?`, `**/`, `[a-z]`, `{{a,b}}`, `\\` before such a sign"
    ))
}

#[cfg(test)]
mod tests {
    use regex::bytes::Regex;

    use super::*;

    fn matches(glob: &str, path: &str) -> bool {
        Regex::new(&to_regex(glob).expect("a glob")).expect("a regex").is_match(path.as_bytes())
    }

    #[test]
    fn a_pattern_begins_behind_its_folder() {
        assert_eq!(split("src/**/*.rs"), Some(("src/", "**/*.rs".to_owned())));
        assert_eq!(split("src/*.rs"), Some(("src/", "/*.rs".to_owned())));
        assert_eq!(split("/a/b?.c"), Some(("/a/", "/b?.c".to_owned())));
        assert_eq!((split("*.py"), split("src/a.py")), (Some(("", "/*.py".to_owned())), None));
    }

    #[test]
    fn paths_match_as_in_git_and_shells() {
        for (glob, yes, no) in [
            ("*.py", "a/b/c.py", "a/b.pyc"),
            ("src/*.py", "src/a.py", "src/b/a.py"),
            ("src/**/*.py", "src/a.py", "lib/src/a.py"),
            ("src/**", "src/a/b", "src"),
            ("**/test/*.js", "a/b/test/c.js", "a/test/b/c.js"),
            ("/a.txt", "a.txt", "b/a.txt"),
            ("*.{rs,toml}", "a/Cargo.toml", "a/Cargo.lock"),
            ("[a-c]?.x", "b1.x", "d1.x"),
            ("[!a-c].x", "d.x", "a.x"),
            ("[]x].y", "].y", "z.y"),
            ("登录*.yaml", "用例/登录_1.yaml", "用例/注册.yaml"),
            ("?.txt", "录.txt", "录录.txt"),
            (r"\*.x", "*.x", "a.x"),
            ("a.c", "a.c", "abc"),
            ("a**b", "aXb", "a/b"),
        ] {
            assert!(matches(glob, yes), "{glob} {yes}");
            assert!(!matches(glob, no), "{glob} {no}");
        }
        for wrong in ["[a", "{a,b", "a\\"] {
            assert!(to_regex(wrong).is_err(), "{wrong}");
        }
        assert!(matches("a}", "a}") && to_regex(&"*".repeat(2000)).is_err());
    }
}
