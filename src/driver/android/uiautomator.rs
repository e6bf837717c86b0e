//! `uiautomator dump` → its XML, tried again while the screen is still changing.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::answer::{beginning, complaint, text};
use super::display;
use crate::adb::{Device, Output};
use crate::driver::Error;

/// Where the device writes the tree: a folder that the shell may write to on every Android.
///
/// Through a file and not through `/dev/tty`, which not every device can write to.
const FILE: &str = "/data/local/tmp/uixt-window.xml";
/// The pause between two tries, which doubles each time.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// What a tree ends with, and what one of every window (`uiautomator dump --windows`).
const END: &str = "</hierarchy>";
const END_OF_WINDOWS: &str = "</displays>";

/// What is wrong with a tree without elements.
pub(super) const EMPTY: &str = "the element tree is empty";

/// A screen's element tree.
pub(super) struct Dump {
    pub(super) xml: String,
    /// What the command written after the dump said.
    pub(super) rest: String,
}

impl Dump {
    /// Tells whether there is no element in it.
    fn is_empty(&self) -> bool {
        let inside = self.xml.split_once("<hierarchy").map_or("", |(_, inside)| inside);
        !inside.replace("</hierarchy>", "").contains('<')
    }
}

/// Reads the screen's tree and, in the same call, what `also` says; tries again for `patience` where there is no tree.
pub(super) async fn dump(device: &Device, also: &str, patience: Duration) -> Result<Dump, Error> {
    // Whatever the exit code: MIUI's is that of an error, or `Killed`, beside a tree that is whole.
    let command = format!("rm -f {FILE}; uiautomator dump {FILE}; cat {FILE}; rm -f {FILE}; {also}");
    let (before, mut pause) = (Instant::now(), FIRST_PAUSE);
    loop {
        let reason = match parse(&device.shell(&command).await?) {
            // Behind a dark screen there may be nothing; on a lit one there is always something.
            Ok(dump) if dump.is_empty() && display::awake(&dump.rest) == Some(true) => EMPTY.to_owned(),
            Ok(dump) => return Ok(dump),
            Err(Failure::Final(reason)) => return Err(failed(&reason)),
            Err(Failure::Passing(reason)) => reason,
        };
        if before.elapsed() + pause > patience {
            return Err(failed(&format!("{reason} (tried again for {} s)", patience.as_secs_f64())));
        }
        sleep(pause).await;
        pause = LONGEST_PAUSE.min(pause * 2);
    }
}

/// Why there is no tree.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The screen is changing, or the tool crashed because it was; another try may succeed.
    Passing(String),
    Final(String),
}

pub(super) fn parse(output: &Output) -> Result<Dump, Failure> {
    let stdout = text(&output.stdout);
    let start = stdout.find("<?xml").or_else(|| stdout.find("<hierarchy")).or_else(|| stdout.find("<displays"));
    let end_tag = if stdout.contains("<displays") { END_OF_WINDOWS } else { END };
    let end = stdout.rfind(end_tag).map(|tag| tag + end_tag.len()).or_else(|| end_of_empty(&stdout));
    match (start, end) {
        (Some(start), Some(end)) if start < end => {
            Ok(Dump { xml: stdout[start..end].to_owned(), rest: stdout[end..].to_owned() })
        }
        (Some(_), _) => Err(Failure::Passing("the element tree ends early".to_owned())),
        (None, _) => Err(reason(&stdout, &text(&output.stderr))),
    }
}

/// Returns where `<hierarchy rotation="0" />` ends.
fn end_of_empty(stdout: &str) -> Option<usize> {
    let start = stdout.find("<hierarchy")?;
    let end = start + stdout[start..].find('>')? + 1;
    stdout[..end].ends_with("/>").then_some(end)
}

fn reason(stdout: &str, stderr: &str) -> Failure {
    let Some(said) = complaint(stderr).or_else(|| complaint(stdout)) else {
        let said = beginning(&format!("{stderr}\n{stdout}"));
        return Failure::Passing(format!("it wrote no element tree and no reason; it said: {said}"));
    };
    let is_missing = said.contains("uiautomator") && said.ends_with("not found");
    let said = beginning(said);
    if is_missing { Failure::Final(said) } else { Failure::Passing(said) }
}

/// Builds the error of a screen that gave no tree.
pub(super) fn failed(reason: &str) -> Error {
    Error::Device { message: format!("`uiautomator dump` gave no screen: {reason}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(stdout: &str, stderr: &str) -> Result<(String, String), Failure> {
        let output = Output { stdout: stdout.into(), stderr: stderr.into(), exit: 0 };
        parse(&output).map(|dump| (dump.xml, dump.rest))
    }

    #[test]
    fn the_tree_is_cut_out_of_what_is_said() {
        let said = "UI hierchary dumped to: /data/local/tmp/x.xml\n<?xml version='1.0'?><hierarchy><node/></hierarchy>Physical size: 1x2\n";
        let xml = "<?xml version='1.0'?><hierarchy><node/></hierarchy>";
        assert_eq!(of(said, "").unwrap(), (xml.to_owned(), "Physical size: 1x2\n".to_owned()));
    }

    #[test]
    fn an_empty_tree_is_told_from_a_cut_one() {
        let dump = |xml: &str| parse(&Output { stdout: format!("{xml}\nrest").into(), ..Output::default() });
        for empty in [
            "<hierarchy/>",
            "<hierarchy rotation=\"0\" />",
            "<?xml version='1.0'?><hierarchy rotation=\"0\"></hierarchy>",
        ] {
            let dump = dump(empty).unwrap();
            assert!(dump.is_empty() && dump.rest == "\nrest", "{empty}: {}", dump.xml);
        }
        assert!(!dump("<hierarchy rotation=\"0\"><node /></hierarchy>").unwrap().is_empty());
        assert!(matches!(dump("<hierarchy rotation=\"0\"><node /><node"), Err(Failure::Passing(_))));
    }

    #[test]
    fn a_changing_screen_is_tried_again_and_a_missing_tool_is_not() {
        let cat = "cat: /data/local/tmp/x.xml: No such file or directory";
        for stderr in
            ["ERROR: could not get idle state.", "ERROR: null root node returned by UiTestAutomationBridge.", ""]
        {
            assert!(matches!(of("", &format!("{stderr}\n{cat}")), Err(Failure::Passing(_))));
        }
        let error = of("", "ERROR: null root node returned by UiTestAutomationBridge.").unwrap_err();
        assert_eq!(error, Failure::Passing("ERROR: null root node returned by UiTestAutomationBridge.".to_owned()));
        assert!(matches!(of("<?xml version='1.0'?><hierarchy><no", ""), Err(Failure::Passing(_))));
        let missing = "/system/bin/sh: uiautomator: inaccessible or not found";
        assert_eq!(of("", missing).unwrap_err(), Failure::Final(missing.to_owned()));
    }
}
