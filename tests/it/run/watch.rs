//! `uixt run --watch`: what is saved runs again, from the step that did not pass, on the device as it is.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::counterparts::{Running, client_of, signal, wait_until};
use crate::support::{Test, items, text};

const LOGIN: &str = "\
config:
  name: Log in
  variables: {stamp: \"${gen_random_string(8)}\"}
  teardown_hooks:
  - log: torn down $stamp
teststeps:
- app_clear: com.uixt.shop
- app_launch: com.uixt.shop
- get_text: {role: heading}
  save: title
- log: before $stamp
- assert_visible: {text: Nowhere, timeout: 0.5}
- log: after $stamp, $title
";

/// A watcher in the folder of a test.
struct Watcher {
    test: Test,
    process: Running,
    /// How often it has begun to wait.
    waits: usize,
}

impl Watcher {
    fn start(test: Test) -> Self {
        let command = test.command();
        Self::of(test, command)
    }

    fn of(test: Test, mut command: Command) -> Self {
        let shown = File::create(test.path("shown.txt")).expect("a file");
        command.env_remove("CI").stdout(Stdio::null()).stderr(Stdio::from(shown));
        let process = Running(command.spawn().expect("the program starts"));
        let mut watcher = Self { test, process, waits: 0 };
        watcher.waits();
        watcher
    }

    fn shown(&self) -> String {
        fs::read_to_string(self.test.path("shown.txt")).expect("what it showed")
    }

    /// Waits until it waits again.
    #[track_caller]
    fn waits(&mut self) {
        self.waits += 1;
        wait_until("it waits for what is saved", 60, || self.shown().matches("watching ").count() >= self.waits);
    }

    /// Saves a file in place, and waits until what it brought about is over; returns what was shown of that.
    #[track_caller]
    fn save(&mut self, name: &str, text: &str) -> String {
        let before = self.shown().len();
        fs::write(self.test.path(name), text).expect("a file");
        self.waits();
        self.shown()[before..].to_owned()
    }

    /// Saves a file as many editors do: a new one takes its name.
    #[track_caller]
    fn replace(&mut self, name: &str, text: &str) -> String {
        let before = self.shown().len();
        fs::write(self.test.path("new~"), text).expect("a file");
        fs::rename(self.test.path("new~"), self.test.path(name)).expect("a file");
        self.waits();
        self.shown()[before..].to_owned()
    }

    #[track_caller]
    fn end(mut self, signal_name: &str, code: i32) -> Test {
        signal(&self.process.0, signal_name);
        assert_eq!(self.process.ended(20), Some(code), "{}", self.shown());
        self.test
    }
}

/// Returns the folders of runs, in their order.
fn runs(test: &Test) -> Vec<PathBuf> {
    let entries = fs::read_dir(test.path("results")).expect("results").flatten();
    let mut runs: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    // A second run within a second has a number behind its name.
    runs.sort_by_key(|path| (path.metadata().and_then(|of| of.created()).ok(), path.clone()));
    runs
}

/// Returns what steps logged in a run.
fn logged(folder: &Path) -> Vec<String> {
    let journal = fs::read_to_string(folder.join("journal.jsonl")).expect("a journal");
    let events = journal.lines().map(|line| serde_json::from_str::<Value>(line).expect("an event"));
    let done = events.filter(|event| event["event"] == "action_finished" && event["tool"] == "log");
    done.map(|event| text(&event["message"]).to_owned()).collect()
}

/// Returns the cases of a run and how each ended.
fn cases(folder: &Path) -> Vec<(String, String)> {
    let summary: Value =
        serde_json::from_slice(&fs::read(folder.join("summary.json")).expect("a summary")).expect("JSON");
    let of = |case: &Value| (text(&case["file"]).to_owned(), text(&case["outcome"]).to_owned());
    items(&summary["cases"]).iter().map(of).collect()
}

fn login() -> Test {
    Test::new(&[]).file("uixt.yaml", "device: phone\n").file("login.yaml", LOGIN)
}

#[test]
fn a_case_goes_on_at_its_failed_step_with_what_stood_there() {
    let test = login().then_test(&["run", "--watch", "other.yaml", "login.yaml"]);
    // A folder would sort them: the case that fails is the last here.
    let mut watcher = Watcher::start(test.file("other.yaml", "teststeps:\n- log: other\n"));
    assert!(watcher.shown().contains("login.yaml stands at step 5; watching "), "{}", watcher.shown());
    let still = watcher.replace("login.yaml", &LOGIN.replace("Nowhere", "Neither"));
    assert!(still.contains("login.yaml changed at step 5: from step 5 on"), "{still}");
    let later = watcher.save("login.yaml", &LOGIN.replace("Nowhere, timeout: 0.5", "Log in"));
    assert!(later.contains("login.yaml changed at step 5: from step 5 on"), "{later}");
    let test = watcher.end("TERM", 0);
    let runs = runs(&test);
    let all: Vec<Vec<String>> = runs.iter().map(|run| logged(run)).collect();
    let [first, second, third] = &all[..] else { panic!("{all:?}") };
    let stamp = first[1].strip_prefix("before ").expect("a stamp");
    assert_eq!(first[..], ["other".to_owned(), format!("before {stamp}")], "nothing is torn down under what stands");
    assert!(second.is_empty(), "{second:?}");
    assert_eq!(third[..], [format!("after {stamp}, Log in"), format!("torn down {stamp}")]);
    let failed = |file: &str, outcome: &str| (file.to_owned(), outcome.to_owned());
    assert_eq!(cases(&runs[0]), [failed("other.yaml", "passed"), failed("login.yaml", "failed")]);
    assert_eq!(cases(&runs[1]), [failed("login.yaml", "failed")], "the other case does not run again");
    assert_eq!(cases(&runs[2]), [failed("login.yaml", "passed")]);
}

#[test]
fn an_earlier_step_that_changed_makes_it_run_from_its_beginning() {
    let mut watcher = Watcher::start(login().then_test(&["run", "--watch", "login.yaml"]));
    let commented = LOGIN.replace("teststeps:", "# A comment.\nteststeps:");
    let told = watcher.save("login.yaml", &commented);
    assert!(told.contains("login.yaml was saved: from step 5 on"), "{told}");
    let told = watcher.save("login.yaml", &LOGIN.replace("log: before", "log: well before"));
    assert!(
        told.contains(
            "login.yaml changed at step 4: from its beginning, since step 4 stands before step 5, which failed"
        ),
        "{told}"
    );
    assert!(told.contains("login.yaml: its teardown has run"), "{told}");
    let told = watcher.save("login.yaml", "teststeps:\n- logg: x\n");
    assert!(told.contains("login.yaml:2:3") && told.contains("did you mean `log`?"), "{told}");
    let told = watcher.save("login.yaml", &LOGIN.replace("log: before", "log: well before").replace("0.5", "0.4"));
    assert!(told.contains("login.yaml changed at step 5: from step 5 on"), "{told}");
    let told = watcher.save(".env", "NOBODY=asks-for-this\n");
    assert!(told.contains(".env changed, which login.yaml uses in its config: from its beginning"), "{told}");
    let test = watcher.end("INT", 1);
    let torn: Vec<usize> = runs(&test)
        .iter()
        .filter(|run| run.join("teardown").is_dir())
        .map(|run| logged(&run.join("teardown")).iter().filter(|line| line.starts_with("torn down ")).count())
        .collect();
    assert_eq!(torn, [1, 1, 1], "each time that the case is left, and at the end");
}

#[test]
fn a_page_stays_as_it_is() {
    let page = "<title>Count</title><button onclick=\"n = (window.n || 0) + 1; document.querySelector('p').textContent = `${n} so far`\">
        More</button><p></p>";
    let steps =
        "teststeps:\n- open_url: /index.html\n- tap_element: More\n- assert_visible: {text: 5 so far, timeout: 0.3}
- tap_element: More\n- assert_visible: 2 so far\n";
    let test = Test::new(&["run", "--watch", "count.yaml"]).file("uixt.yaml", "device: browser\nserve: site\n");
    let test = test.file("site/index.html", page).file("count.yaml", steps);
    let mut command = test.command();
    command.env_remove("UIXT_BROWSER");
    let mut watcher = Watcher::of(test, command);
    let told = watcher.save("count.yaml", &steps.replace("5 so far, timeout: 0.3", "1 so far"));
    assert!(told.contains("count.yaml changed at step 3: from step 3 on") && told.contains("1 passed"), "{told}");
    watcher.end("TERM", 0);
}

#[test]
fn what_a_case_refers_to_counts_as_the_case_itself() {
    let test = Test::new(&["run", "--watch", "."]).file("uixt.yaml", "");
    let test = test.file("a.yaml", "teststeps:\n- log: a\n- testcase: parts/b.yaml\n- log: ${greet()}\n");
    let test =
        test.file("parts/b.yaml", "config: {name: B}\nteststeps:\n- log: b\n").file("c.yaml", "teststeps:\n- log: c\n");
    let mut watcher = Watcher::start(test.file("debugtalk.py", "def greet():\n    return 'hi'\n"));
    let told = watcher.save("parts/b.yaml", "config: {name: B}\nteststeps:\n- assert_value: {value: 1, equals: 2}\n");
    assert!(told.contains("parts/b.yaml changed, which ./a.yaml uses at step 2: from its beginning"), "{told}");
    let told = watcher.save("debugtalk.py", "def greet():\n    return 'ho'\n");
    assert!(told.contains("debugtalk.py changed, which ./a.yaml uses at step 3: from "), "{told}");
    let told = watcher.save("d.yaml", "teststeps:\n- log: d\n");
    assert!(told.contains("./d.yaml is new"), "{told}");
    let told = watcher.save("parts/b.yaml", "config: {name: B}\nteststeps:\n- log: mended\n");
    assert!(told.contains("parts/b.yaml changed, which ./a.yaml uses at step 2"), "{told}");
    let test = watcher.end("INT", 0);
    let last = runs(&test).pop().expect("a run");
    let logs = logged(&last);
    assert!(logs.contains(&"mended".to_owned()) && logs.contains(&"ho".to_owned()), "{logs:?}");
    assert!(!logs.contains(&"c".to_owned()) && !logs.contains(&"d".to_owned()), "they did not change: {logs:?}");
}

#[test]
fn a_terminal_takes_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("uixt.yaml"), "device: phone\n").expect("a file");
    fs::write(folder.path().join("login.yaml"), LOGIN).expect("a file");
    let command = json!([env!("CARGO_BIN_EXE_uixt"), "run", "--watch", "login.yaml"]);
    let stands = "login.yaml stands at step 5; watching";
    let turns = json!([
        {"wait": stands},
        {"wait": "q: end", "type": "f"},
        {"wait": "login.yaml: from step 5 on"},
        {"wait": "q: end", "type": "\n"},
        {"wait": "login.yaml: its teardown has run"},
        {"wait": "q: end", "save": ["login.yaml", LOGIN.replace("Nowhere, timeout: 0.5", "Log in")]},
        {"wait": "login.yaml changed at step 5: from step 5 on"},
        {"wait": "1 passed"},
        {"wait": "q: end", "type": "f"},
        {"wait": "nothing failed"},
        {"wait": "q: end", "type": "q"},
    ]);
    let folder = json!(folder.path());
    let arguments = [&folder, &command, &turns].map(Value::to_string);
    let done = client_of("terminal.py", &arguments.each_ref().map(String::as_str));
    assert_eq!(done["code"], 0, "{done}");
}

#[test]
fn what_cannot_be_watched_is_refused() {
    login().then(&["run", "--watch", "none.yaml"]).code(2).says("none.yaml: there is no such file or folder");
    login().then(&["run", "--watch", "login.yaml", "--retry", "2"]).code(2).says("cannot be used with");
    let two = ["run", "--watch", "login.yaml", "--device", "phone", "--device", "browser"];
    login().then(&two).code(2).says("--watch runs on one device");
}
