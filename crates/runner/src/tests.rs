//! Cases built by hand, run over a caller that answers as it is told to.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::journal::{Journal, Reader};
use super::{Deviceless, Options, Plan, Planned, Sink, Worker, run};
use crate::functions::Functions;
use crate::result::{CaseResult, Outcome};
use crate::testcase::{
    Actual, Body, Check, Condition, Config, Extract, Hook, Python, Repeat, Retry, Save, Step, TestCase,
};
use uixt_call::{Boxed, Call, CallToolRequest, CallToolResult, Caller, Shape, Table, ToolDefinition, ToolRow, schema};
use uixt_core::action::{MobileAction, Span};
use uixt_locate::{Error, Kind};

/// Answers `log` by its message: `fail`, `error` and `bad` do not pass, `fail 2` does not two times, `slow` never ends.
#[derive(Default)]
struct Fake {
    calls: AtomicU32,
    said: Mutex<Vec<String>>,
}

impl Fake {
    async fn answer(&self, request: CallToolRequest, call: Call) -> CallToolResult {
        let arguments = request.arguments.unwrap_or_default();
        let message = arguments.get("message").and_then(Value::as_str).unwrap_or(&request.name).to_owned();
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        self.said.lock().push(message.clone());
        let failed =
            |kind| CallToolResult::failure(&Error::new(kind, format!("{message}, call {number}")), &request.name);
        let (word, count) = message.split_once(' ').unwrap_or((&message, ""));
        let goes_on = count.parse().is_ok_and(|count: u32| number > count);
        match word {
            "fail" if !goes_on => failed(Kind::Assertion),
            "error" if !goes_on => failed(Kind::Service),
            "bad" => failed(Kind::BadArgument),
            "slow" => {
                call.cancel.cancelled().await;
                failed(Kind::Interrupted)
            }
            _ => {
                let third = number >= 3;
                let answer = json!({"action": "log", "success": true, "message": message, "calls": number,
                    "third": third, "body": {"items": [{"id": 7}]}, "value": arguments.get("value")});
                CallToolResult::structured(answer)
            }
        }
    }
}

impl Caller for Fake {
    fn list(&self) -> Boxed<'_, Vec<ToolDefinition>> {
        Box::pin(async { Vec::new() })
    }

    fn call(&self, request: CallToolRequest, call: Call) -> Boxed<'_, CallToolResult> {
        Box::pin(self.answer(request, call))
    }
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the schema is asked for")]
struct Log {
    message: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the schema is asked for")]
struct AssertValue {
    value: Value,
    assert: String,
    expect: Value,
}

/// The tools that the steps of these tests mean.
fn table() -> &'static Table {
    const LOG: ToolRow = ToolRow::new("log", schema::generate::<Log>, |_, _| Ok(()));
    const ASSERT: ToolRow = ToolRow::new("assert_value", schema::generate::<AssertValue>, |_, _| Ok(()));
    const SCREENSHOT: ToolRow = ToolRow::new("screenshot", schema::generate::<()>, |_, _| Ok(()));
    static ROWS: [ToolRow; 4] = [
        ToolRow { params: Shape::Fields(&["message"]), needs_device: false, ..LOG },
        ToolRow { needs_device: false, values: &["value", "expect"], ..ASSERT },
        SCREENSHOT,
        ToolRow { name: "close_popups", ..SCREENSHOT },
    ];
    static TABLE: LazyLock<Table> = LazyLock::new(|| Table::new(ROWS.iter()));
    &TABLE
}

fn options() -> Options {
    Options::new(table())
}

fn action(method: &str, params: Value) -> MobileAction {
    MobileAction { method: method.to_owned(), params, ..MobileAction::default() }
}

fn log(message: &str) -> Step {
    Step { name: Some(message.to_owned()), body: Body::Actions(vec![action("log", message.into())]), ..Step::default() }
}

fn group(name: &str, steps: Vec<Step>) -> Step {
    Step { name: Some(name.to_owned()), body: Body::Group(steps), ..Step::default() }
}

fn condition(expression: &str) -> Condition {
    let place = Span { line: 5, column: 9, length: 0 };
    Condition { expression: expression.to_owned(), place }
}

fn times(times: Value) -> Repeat {
    Repeat { times: Some(times), while_holds: None, until: None, max: 100, interval: 0.0 }
}

fn hook(step: Step) -> Hook {
    Hook::Step(Box::new(step))
}

fn case(steps: Vec<Step>) -> TestCase {
    let config = Config { name: "Case".to_owned(), ..Config::default() };
    let variables = json!({"yes": true, "no": false, "n": 2, "third": false});
    let config = Config { variables: variables.as_object().cloned().unwrap(), ..config };
    TestCase {
        path: "a.yaml".into(),
        file: "a.yaml".to_owned(),
        config,
        steps,
        project: Arc::default(),
        functions: None,
        tool: None,
        comment_cuts: Vec::new(),
    }
}

struct Ran {
    case: CaseResult,
    said: Vec<String>,
    took: Duration,
}

impl Ran {
    /// `name outcome`, and why.
    fn lines(&self) -> Vec<String> {
        let line = |step: &crate::result::StepResult| {
            let why = step.error.as_ref().map(|error| format!(": {}", error.message)).unwrap_or_default();
            let tries = if step.attempts.len() > 1 { format!(" ×{}", step.attempts.len()) } else { String::new() };
            format!("{} {:?}{tries}{why}", step.name, step.outcome)
        };
        self.case.steps.iter().map(line).collect()
    }

    fn why(&self) -> &str {
        self.case.error.as_ref().map_or("", |error| &error.message)
    }
}

#[track_caller]
fn check(steps: Vec<Step>, outcome: Outcome, lines: &[&str]) -> Ran {
    let ran = go(case(steps), &options(), None);
    assert_eq!((ran.lines(), ran.case.outcome), (lines.iter().map(ToString::to_string).collect(), outcome));
    let numbers: Vec<u32> = ran.case.steps.iter().map(|step| step.number).collect();
    assert_eq!(numbers, (1..).take(numbers.len()).collect::<Vec<_>>());
    ran
}

/// Runs a case; `stop` is after how many milliseconds the run is stopped.
fn go(case: TestCase, options: &Options, stop: Option<u64>) -> Ran {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    go_on(&runtime, case, options, stop)
}

fn go_on(runtime: &tokio::runtime::Runtime, case: TestCase, options: &Options, stop: Option<u64>) -> Ran {
    let fake = Arc::new(Fake::default());
    let caller: Arc<dyn Caller> = Arc::clone(&fake) as Arc<dyn Caller>;
    let planned = Planned {
        id: "a".to_owned(),
        case,
        refusal: None,
        lane: String::new(),
        own_locks: Vec::new(),
        locks: Vec::new(),
        warnings: Vec::new(),
        secrets: Vec::new(),
    };
    let workers: Vec<Arc<dyn Worker>> = vec![Arc::new(Deviceless(Arc::new(move |_| Arc::clone(&caller))))];
    let plan = Plan { cases: vec![planned], workers, ..Plan::default() };
    let folder = tempfile::tempdir().unwrap();
    let sink = Sink::new(Journal::create(folder.path()).unwrap(), Vec::new());
    let token = CancellationToken::new();
    let began = Instant::now();
    runtime.block_on(async {
        if let Some(stop) = stop {
            let token = token.clone();
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(stop)).await;
                token.cancel();
            });
        }
        run(plan, options.clone(), sink, token).await.unwrap()
    });
    let case = Reader::open(folder.path()).unwrap().next().unwrap().unwrap();
    let said = fake.said.lock().clone();
    Ran { case, said, took: began.elapsed() }
}

#[test]
fn a_condition_skips_a_step_with_its_reason() {
    let when = |step: Step, expression: &str| Step { when: Some(Box::new(condition(expression))), ..step };
    let lines = ["a Passed", "b Skipped: when `no` does not hold", "c Passed"];
    check(vec![log("a"), when(log("b"), "no"), when(log("c"), "yes")], Outcome::Passed, &lines);
    let ran = check(vec![when(log("b"), "no")], Outcome::Skipped, &["b Skipped: when `no` does not hold"]);
    assert_eq!(ran.why(), "no step did anything: when `no` does not hold");
    let ran = go(case(vec![when(log("b"), "nope"), log("c")]), &options(), None);
    let line = &ran.lines()[0];
    assert!(line.starts_with("b Errored: when: ") && line.contains("a.yaml:5:"), "{line}");
    assert_eq!((ran.lines().len(), ran.said.len()), (1, 0));
}

#[test]
fn a_step_runs_as_often_as_it_says() {
    let repeat = |repeat: Repeat| Step { repeat: Some(Box::new(repeat)), ..log("a") };
    check(vec![repeat(times(json!("$n")))], Outcome::Passed, &["a_loop_1 Passed", "a_loop_2 Passed"]);
    check(vec![repeat(times(json!(0))), log("b")], Outcome::Passed, &["a Skipped: it is repeated 0 times", "b Passed"]);
    let wrong = "a Errored: repeat: `times` is a whole number of at least 0, not \"x\"";
    check(vec![repeat(times(json!("x")))], Outcome::Errored, &[wrong]);
    let never = Repeat { times: None, while_holds: Some(condition("no")), ..times(json!(1)) };
    check(vec![repeat(never)], Outcome::Skipped, &["a Skipped: while `no` does not hold"]);
    let always = Repeat { times: None, while_holds: Some(condition("yes")), max: 2, ..times(json!(1)) };
    let lines = ["a_loop_1 Passed", "a_loop_2 Passed", "a Failed: while `yes` still held after 2 times"];
    check(vec![repeat(always)], Outcome::Failed, &lines);
    let most = Repeat { max: 1, ..times(json!(2)) };
    let lines = ["a_loop_1 Passed", "a Failed: stopped at `max` (1); 2 requested"];
    check(vec![repeat(most)], Outcome::Failed, &lines);
}

#[test]
fn until_ends_a_repetition_and_fails_where_it_never_holds() {
    let saves = vec![Save { variable: "third".to_owned(), field: Some("third".to_owned()) }];
    let until = |expression: &str, saves: &[Save]| {
        let repeat = Repeat { times: None, until: Some(condition(expression)), max: 4, ..times(json!(1)) };
        Step { repeat: Some(Box::new(repeat)), saves: saves.to_vec(), ..log("a") }
    };
    let ran = check(
        vec![until("third", &saves)],
        Outcome::Passed,
        &["a_loop_1 Passed", "a_loop_2 Passed", "a_loop_3 Passed"],
    );
    assert_eq!(ran.said.len(), 3);
    let ran = go(case(vec![until("no", &[]), log("b")]), &options(), None);
    assert_eq!(ran.lines()[4..], ["a Failed: until `no` did not hold after 4 times: `no` was false"]);
    let twice = Repeat { until: Some(condition("no")), ..times(json!(2)) };
    let ran = go(case(vec![Step { repeat: Some(Box::new(twice)), ..log("a") }]), &options(), None);
    assert_eq!(ran.lines()[2..], ["a Failed: until `no` did not hold after 2 times: `no` was false"]);
}

#[test]
fn a_repetition_ends_at_a_failure() {
    let inner = Step { repeat: Some(Box::new(times(json!(5)))), ..group("g", vec![log("a"), log("fail")]) };
    let options = Options { continue_on_failure: true, ..options() };
    let ran = go(case(vec![inner, log("b")]), &options, None);
    assert_eq!(ran.lines(), ["g_loop_1 › a Passed", "g_loop_1 › fail Failed", "b Passed"]);
    assert_eq!(ran.case.outcome, Outcome::Failed);
}

#[test]
fn a_retry_that_passes_is_flaky() {
    let retry = |step: Step, times: u32| Step { retry: Some(Retry { times, interval: 0.0 }), ..step };
    check(vec![retry(log("fail 2"), 2)], Outcome::Flaky, &["fail 2 Flaky ×3"]);
    check(vec![retry(log("error 1"), 2)], Outcome::Flaky, &["error 1 Flaky ×2"]);
    check(vec![retry(log("fail 2"), 1), log("b")], Outcome::Failed, &["fail 2 Failed ×2"]);
    check(vec![retry(log("bad"), 5)], Outcome::Errored, &["bad Errored"]);
}

#[test]
fn a_group_is_tried_again_as_a_whole() {
    let inner = |last: &str, times| {
        let retry = Some(Retry { times, interval: 0.0 });
        Step { retry, ..group("g", vec![log("a"), log(last)]) }
    };
    let lines = ["g › a Passed", "g › fail 2 Flaky", "g (try 2) › a Passed", "g (try 2) › fail 2 Passed"];
    check(vec![inner("fail 2", 3)], Outcome::Flaky, &lines);
    let lines = ["g › a Passed", "g › bad Errored"];
    check(vec![inner("bad", 3)], Outcome::Errored, &lines);
    let ran = go(case(vec![inner("fail", 1), log("b")]), &options(), None);
    assert_eq!((ran.lines().len(), ran.case.outcome), (4, Outcome::Failed));
}

#[test]
fn a_case_is_tried_again_from_its_start() {
    let saved =
        || Step { saves: vec![Save { variable: "n".to_owned(), field: Some("calls".to_owned()) }], ..log("n is $n") };
    let again = |steps: Vec<Step>, retries| {
        let mut case = case(steps);
        case.config.teardown = vec![hook(log("end"))];
        go(case, &Options { retries, ..options() }, None)
    };
    let ran = again(vec![saved(), log("fail 2"), log("b")], 3);
    let lines = ["n is 2 Passed", "fail 2 Flaky", "teardown › end Passed", "try 2 › n is 2 Passed"];
    assert_eq!(ran.lines()[..4], lines, "what the first try saved is forgotten");
    assert_eq!(ran.lines()[4..], ["try 2 › fail 2 Passed", "try 2 › b Passed", "try 2 › teardown › end Passed"]);
    assert_eq!((ran.case.outcome, ran.case.log.len()), (Outcome::Flaky, 1));
    let ran = again(vec![log("fail")], 2);
    assert_eq!((ran.case.outcome, ran.said.len()), (Outcome::Failed, 6));
    assert_eq!(ran.lines()[4], "try 3 › fail Failed");
    assert_eq!(again(vec![log("error 1")], 1).case.outcome, Outcome::Flaky);
    assert_eq!(again(vec![log("bad")], 5).said, ["bad", "end"], "no other try would change it");
    assert_eq!(again(vec![log("a")], 5).case.outcome, Outcome::Passed);
    let nothing = Step { when: Some(Box::new(condition("calls"))), ..log("a") };
    assert_eq!(again(vec![nothing], 5).case.outcome, Outcome::Errored, "what is written wrongly stays wrong");
}

#[test]
fn a_case_that_took_too_long_or_was_stopped() {
    let mut slow = case(vec![log("slow")]);
    slow.config.case_timeout = Some(0.1);
    let options = Options { retries: 1, ..options() };
    assert_eq!(go(slow, &options, None).said, ["slow", "slow"], "each try has the whole time");
    assert_eq!(go(case(vec![log("slow")]), &options, Some(100)).said, ["slow"], "a run that was stopped is over");
}

#[test]
fn an_optional_failure_goes_on_and_still_fails() {
    let optional = |message: &str| Step { optional: true, ..log(message) };
    check(vec![optional("fail"), log("b")], Outcome::Failed, &["fail Failed", "b Passed"]);
    check(vec![optional("error"), log("b")], Outcome::Errored, &["error Errored"]);
    let lines = ["g › fail Failed", "g › b Passed", "c Passed"];
    check(vec![group("g", vec![optional("fail"), log("b")]), log("c")], Outcome::Failed, &lines);
}

#[test]
fn a_choice_runs_one_of_two() {
    let choice = |expression: &str, otherwise: Vec<Step>| Step {
        body: Body::Choice { condition: condition(expression), then: vec![log("then")], otherwise },
        ..Step::default()
    };
    check(vec![choice("yes", vec![log("else")])], Outcome::Passed, &["then Passed"]);
    check(vec![choice("no", vec![log("else")])], Outcome::Passed, &["else Passed"]);
    let ran = go(case(vec![choice("no", Vec::new())]), &options(), None);
    assert_eq!(ran.lines(), ["if no Skipped: if `no` does not hold, and there is no `else`"]);
    assert_eq!(ran.case.outcome, Outcome::Skipped);
}

#[test]
fn hooks_run_around_a_step() {
    let around =
        |message: &str| Step { setup: vec![hook(log("before"))], teardown: vec![hook(log("after"))], ..log(message) };
    let lines = ["a › setup › before Passed", "a Passed", "a › teardown › after Passed"];
    check(vec![around("a")], Outcome::Passed, &lines);
    let lines = ["fail › setup › before Passed", "fail Failed", "fail › teardown › after Passed"];
    check(vec![around("fail"), log("b")], Outcome::Failed, &lines);
    let broken = Step { setup: vec![hook(log("fail"))], teardown: vec![hook(log("after"))], ..log("a") };
    check(vec![broken], Outcome::Failed, &["a › setup › fail Failed", "a › teardown › after Passed"]);
    let expression = Hook::Evaluate { expression: json!("${nope()}"), place: Span { line: 3, column: 4, length: 0 } };
    let ran = go(case(vec![Step { teardown: vec![expression], ..log("a") }]), &options(), None);
    assert!(ran.lines()[0].starts_with("a Errored: hook: "), "{:?}", ran.lines());
    let value = Hook::Assign { variable: "made".to_owned(), value: json!("x$n"), place: Span::default() };
    let ran = go(case(vec![Step { setup: vec![value], ..log("$made") }]), &options(), None);
    assert_eq!(ran.said, ["x2"]);
}

#[test]
fn a_case_tidies_up_however_it_ended() {
    let tidy = |steps: Vec<Step>| {
        let mut case = case(steps);
        case.config.setup = vec![hook(log("begin"))];
        case.config.teardown = vec![hook(log("end"))];
        case.config.on_failure = vec![hook(log("why"))];
        case
    };
    let ran = go(tidy(vec![log("a")]), &options(), None);
    assert_eq!(ran.lines(), ["setup › begin Passed", "a Passed", "teardown › end Passed"]);
    assert_eq!(ran.case.outcome, Outcome::Passed);
    let ran = go(tidy(vec![log("fail")]), &options(), None);
    assert_eq!(ran.lines()[2..], ["on_failure › why Passed", "teardown › end Passed"]);
    let skipped = Step { when: Some(Box::new(condition("no"))), ..log("a") };
    assert_eq!(go(tidy(vec![skipped]), &options(), None).case.outcome, Outcome::Skipped);
    let mut broken = tidy(vec![log("a")]);
    broken.config.setup = vec![hook(log("fail"))];
    assert_eq!(go(broken, &options(), None).said, ["fail", "why", "end"]);
    let mut broken = tidy(vec![log("a")]);
    broken.config.teardown = vec![hook(log("fail"))];
    assert_eq!(go(broken, &options(), None).case.outcome, Outcome::Failed);
    let mut late = tidy(vec![log("slow")]);
    late.config.case_timeout = Some(0.1);
    let ran = go(late, &options(), None);
    assert_eq!(
        (ran.said.join(" "), ran.why()),
        ("begin slow why end".to_owned(), "the case took longer than its 0.1 s")
    );
    let ran = go(tidy(vec![log("slow")]), &options(), Some(50));
    assert_eq!((ran.said.join(" "), ran.why()), ("begin slow end".to_owned(), "the run was interrupted"));
    assert!(ran.took < Duration::from_secs(20), "{:?}", ran.took);
}

#[test]
fn a_function_whose_turn_comes_when_its_case_has_ended_is_not_called() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("debugtalk.py");
    std::fs::write(&path, "def touch():\n    open('called', 'w').close()\n    return 'touched'\n").unwrap();
    let names = Arc::new(crate::functions::names(&path).unwrap());
    let python = Python { functions: Functions::new(&path), names };
    let touching = |timeout| {
        let mut case = case(vec![log("${touch()}")]);
        case.functions = Some(python.clone());
        case.config.case_timeout = Some(timeout);
        case
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().max_blocking_threads(1).enable_all().build().unwrap();
    let stops = [(0.2, None), (60.0, Some(200))];
    for (timeout, stop) in stops {
        let (release, held) = std::sync::mpsc::channel::<()>();
        runtime.spawn_blocking(move || held.recv());
        let ran = go_on(&runtime, touching(timeout), &options(), stop);
        assert_eq!(ran.case.outcome, Outcome::Errored, "{:?}", ran.lines());
        drop(release);
        // Threads do their work in turn: by now all of it was done that was asked for before.
        runtime.block_on(runtime.spawn_blocking(|| ())).unwrap();
        assert!(!folder.path().join("called").exists());
    }
    assert_eq!(go_on(&runtime, touching(60.0), &options(), None).said, ["touched"]);
    assert!(folder.path().join("called").exists());
}

#[test]
fn whatever_waits_ends_with_the_run() {
    let endless = |interval| Repeat { max: 1_000_000, interval, ..times(json!(1_000_000)) };
    let again = |interval| Some(Retry { times: 1_000_000, interval });
    let slow_end = || {
        let mut case = case(vec![log("slow")]);
        case.config.teardown = vec![hook(log("slow")), hook(Step { repeat: Some(Box::new(endless(1.0))), ..log("a") })];
        case
    };
    let cases = [
        case(vec![Step { repeat: Some(Box::new(endless(0.0))), ..log("a") }]),
        case(vec![Step { repeat: Some(Box::new(endless(3600.0))), ..log("a") }]),
        case(vec![Step { repeat: Some(Box::new(endless(0.0))), ..group("g", vec![log("a")]) }]),
        case(vec![Step { retry: again(3600.0), ..log("fail") }]),
        case(vec![Step { retry: again(0.0), ..group("g", vec![log("fail")]) }]),
        slow_end(),
    ];
    for (number, case) in cases.into_iter().enumerate() {
        // A machine that is busy may be late once, not three times.
        let is_soon = (0..3).any(|_| {
            let ran = go(case.clone(), &options(), Some(100));
            assert!(ran.case.outcome >= Outcome::Failed, "{number}");
            ran.took < Duration::from_millis(2500)
        });
        assert!(is_soon, "{number}");
    }
}

#[test]
fn a_case_that_is_referred_to_exports_its_variables() {
    let mut inner = case(vec![Step {
        saves: vec![Save { variable: "token".to_owned(), field: Some("calls".to_owned()) }],
        ..log("in")
    }]);
    inner.file = "b.yaml".to_owned();
    inner.config.name = "Log in".to_owned();
    inner.config.export = vec!["token".to_owned()];
    let refer = |inner: &TestCase| Step { body: Body::Case(Arc::new(inner.clone())), ..Step::default() };
    let ran = check(vec![refer(&inner), log("t$token")], Outcome::Passed, &["Log in › in Passed", "t1 Passed"]);
    assert_eq!(ran.case.steps[0].place.file, "b.yaml");
    inner.config.export = vec!["nothing".to_owned()];
    let ran = go(case(vec![refer(&inner), log("b")]), &options(), None);
    assert!(
        ran.lines()[1].starts_with("Log in › export Errored: export: unknown variable `nothing`"),
        "{:?}",
        ran.lines()
    );
    let mut outer = case(vec![log("a")]);
    outer.config.export = vec!["n".to_owned(), "nothing".to_owned()];
    assert_eq!(go(outer, &options(), None).case.exports, json!({"n": 2}).as_object().cloned().unwrap());
}

#[test]
fn a_step_exports_its_own_variables() {
    let variables = json!({"own": 7}).as_object().cloned().unwrap();
    let export = vec!["own".to_owned()];
    let steps = vec![Step { variables, export, ..log("a") }, log("t$own")];
    check(steps, Outcome::Passed, &["a Passed", "t7 Passed"]);
}

#[test]
fn what_is_extracted_must_be_there() {
    let extract = |query: &str| {
        let extract = Extract { variable: "id".to_owned(), query: query.to_owned(), place: Span::default() };
        Step { extracts: vec![extract], ..log("a") }
    };
    check(vec![extract("body.items[0].id"), log("x$id")], Outcome::Passed, &["a Passed", "x7 Passed"]);
    let ran = check(vec![extract("body.missing"), log("x")], Outcome::Failed, &["a Failed"]);
    let message = ran.case.steps[0].attempts[0].actions[0].error.clone().unwrap().message;
    assert_eq!(message, "extract: id: the result of log has no `body.missing`; `body` has: items");
}

#[test]
fn a_check_takes_its_value_from_the_last_result() {
    let checked = |actual: Actual| {
        let action = action("assert_value", json!({"assert": "equal", "expect": 7}));
        Step { validate: vec![Check { action, message: None, actual: Some(actual) }], ..log("a") }
    };
    let value = |ran: &Ran| ran.case.steps[0].attempts[0].actions[1].arguments.get("value").cloned();
    let query = |text: &str| Actual::Query(text.to_owned());
    let ran = check(vec![checked(query("body.items[0].id"))], Outcome::Passed, &["a Passed"]);
    assert_eq!(value(&ran), Some(json!(7)));
    let ran = check(vec![checked(Actual::Expression(json!("$n")))], Outcome::Passed, &["a Passed"]);
    assert_eq!(value(&ran), Some(json!(2)));
    let ran = check(vec![checked(query("nothing"))], Outcome::Failed, &["a Failed"]);
    assert_eq!(ran.said, ["a"], "nothing is asserted of what is not there");
}

#[test]
fn what_does_nothing_does_not_pass_a_case() {
    let body = Body::Nothing { reason: "`rendezvous` is for load tests".to_owned(), is_wished: false };
    let nothing = Step { body, ..Step::default() };
    let ran = go(case(vec![nothing.clone()]), &options(), None);
    assert_eq!(ran.case.outcome, Outcome::Skipped);
    assert_eq!(go(case(vec![nothing, log("a")]), &options(), None).case.outcome, Outcome::Passed);
    check(vec![Step::default()], Outcome::Skipped, &[" Skipped: it has no action and checks nothing"]);
}

#[test]
fn pictures_and_pop_ups_are_actions_of_their_step() {
    let tools = |step: Step| {
        let ran = go(case(vec![step]), &options(), None);
        let actions = ran.case.steps[0].attempts[0].actions.iter();
        actions.map(|action| action.tool.clone()).collect::<Vec<_>>()
    };
    assert_eq!(tools(Step { screenshot: true, ..log("a") }), ["log", "screenshot"]);
    assert_eq!(tools(Step { screenshot: true, ..log("fail") }), ["log"]);
    assert_eq!(tools(Step { closes_popups: true, ..log("fail") }), ["log", "close_popups"]);
}
