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

/// How the commands' words begin that follow the dump's own.
const NEXT: &str = "Physical size";
/// What a device says that waited for its screen to come to rest, and how to go on.
const RESTLESS: &str = "idle state";
const GO_ON: &str = "something on the screen moves without end: wait until it ends, switch animations off in the device's developer \
                     options, or tap by coordinates (`tap_xy`), which needs no tree";
/// What a shell says of a tool that another one ended, and which that may be.
const KILLED: &str = "Killed";
const HELD: &str = "Appium's UiAutomator2 server ends it while that runs: use it as well (`--uia2`), or end it (`am force-stop \
                    io.appium.uiautomator2.server`)";
/// What is wrong where the disk is full.
const FULL: &str = "there is no room on the device to write it: free some of its storage";

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
        let mut trees =
            self.xml.split("<hierarchy").skip(1).map(|tree| tree.split("</hierarchy>").next().unwrap_or_default());
        !trees.any(|tree| tree.contains('<'))
    }
}

/// Reads the screen's tree and, in the same call, what `also` says; tries again for `patience` where there is no tree.
pub(super) async fn dump(device: &Device, also: &str, timeout: Duration) -> Result<Dump, Error> {
    // Systems before Android 11 do not know `--windows`, and pass over it: they tell of the window that has the touches.
    // Whatever the exit code: MIUI's is that of an error, or `Killed`, beside a tree that is whole.
    let command = format!("rm -f {FILE}; uiautomator dump {FILE} --windows; cat {FILE}; rm -f {FILE}; {also}");
    let look = || async {
        match parse(&device.shell(&command).await?) {
            Err(Failure::Unwritten(_)) if has_no_room(device).await? => Ok(Err(Failure::Final(FULL.to_owned()))),
            dump => Ok(dump),
        }
    };
    until_there("`uiautomator dump`", timeout, look).await
}

/// Looks at what `source` gives until there is a tree, for `patience`.
pub(super) async fn until_there<F, L>(source: &str, timeout: Duration, look: L) -> Result<Dump, Error>
where
    L: Fn() -> F,
    F: Future<Output = Result<Result<Dump, Failure>, Error>>,
{
    let failed = |reason: &str| failed(source, reason);
    let (before, mut pause) = (Instant::now(), FIRST_PAUSE);
    loop {
        let reason = match look().await? {
            // Behind a dark screen there may be nothing; on a lit one there is always something.
            Ok(dump) if dump.is_empty() && display::awake(&dump.rest) == Some(true) => EMPTY.to_owned(),
            Ok(dump) => return Ok(dump),
            Err(Failure::Final(reason)) => return Err(failed(&reason)),
            Err(Failure::Passing(reason) | Failure::Unwritten(reason)) => reason,
        };
        if before.elapsed() + pause > timeout {
            return Err(failed(&given_up(&reason, before.elapsed())));
        }
        sleep(pause).await;
        pause = LONGEST_PAUSE.min(pause * 2);
    }
}

/// Says why there was no tree for so long, and what to do.
fn given_up(reason: &str, after: Duration) -> String {
    let tried = format!("(tried for {:.1} s)", after.as_secs_f64());
    match () {
        () if reason.contains(RESTLESS) => format!("it never came to rest: {reason} {tried}; {GO_ON}"),
        () if reason.contains(KILLED) => format!("{reason} {tried}; {HELD}"),
        () => format!("{reason} {tried}"),
    }
}

/// Tells whether nothing more fits where the tree is written: Android's tool says nothing of it.
async fn has_no_room(device: &Device) -> Result<bool, Error> {
    let look = device.shell("df /data/local/tmp").await?;
    let said = text(&look.stdout);
    // Filesystem, blocks, used, available, use, mounted on.
    let last = said.lines().last().unwrap_or_default().split_whitespace().rev().nth(2);
    Ok(last == Some("0"))
}

/// Why there is no tree.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The screen is changing, or the tool crashed because it was; another try may succeed.
    Passing(String),
    /// It told of none, and wrote none.
    Unwritten(String),
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
        let own = stdout.split_once(NEXT).map_or(stdout, |(own, _)| own);
        let said = beginning(&format!("{stderr}\n{own}"));
        return Failure::Unwritten(format!("it wrote no element tree and no reason; it said: {said}"));
    };
    let is_missing = said.contains("uiautomator") && said.ends_with("not found");
    let said = beginning(said);
    if is_missing { Failure::Final(said) } else { Failure::Passing(said) }
}

/// Builds the error of a screen of which `source` gave no tree.
pub(super) fn failed(source: &str, reason: &str) -> Error {
    Error::Device { message: format!("{source} gave no screen: {reason}") }
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
    fn a_screen_that_never_rests_says_what_to_do() {
        let told = given_up("ERROR: could not get idle state.", Duration::from_millis(2040));
        assert!(
            told.starts_with("it never came to rest: ERROR: could not get idle state. (tried for 2.0 s)"),
            "{told}"
        );
        assert!(told.contains("tap_xy"), "{told}");
        assert_eq!(given_up("it crashed", Duration::from_secs(1)), "it crashed (tried for 1.0 s)");
    }

    #[test]
    fn a_changing_screen_is_tried_again_and_a_missing_tool_is_not() {
        let cat = "cat: /data/local/tmp/x.xml: No such file or directory";
        for stderr in ["ERROR: could not get idle state.", "ERROR: null root node returned by UiTestAutomationBridge."]
        {
            assert!(matches!(of("", &format!("{stderr}\n{cat}")), Err(Failure::Passing(_))));
        }
        assert!(matches!(of("UI hierchary dumped to: x\n", cat), Err(Failure::Unwritten(_))));
        let error = of("", "ERROR: null root node returned by UiTestAutomationBridge.").unwrap_err();
        assert_eq!(error, Failure::Passing("ERROR: null root node returned by UiTestAutomationBridge.".to_owned()));
        assert!(matches!(of("<?xml version='1.0'?><hierarchy><no", ""), Err(Failure::Passing(_))));
        let missing = "/system/bin/sh: uiautomator: inaccessible or not found";
        assert_eq!(of("", missing).unwrap_err(), Failure::Final(missing.to_owned()));
    }
}
