//! Python functions, with the real python3: those that behave, and those that die, hang or talk nonsense.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use uixt::functions::{Asker, Call, Error, Functions, names};

use crate::support::Test;

const FILE: &str = r#"
import os, sys, time, subprocess
from helper import twice

state = {"calls": 0}

def add(a, b=1):
    return a + b

def count():
    state["calls"] += 1
    return state["calls"]

def noisy():
    print("to stdout")
    os.write(1, b"raw bytes\n")
    subprocess.run(["echo", "from a child"])
    sys.stdout.write("more\n")
    return sys.stdin.read()

def where():
    return [os.getcwd(), os.environ["PYTHONDONTWRITEBYTECODE"], twice(2)]

def boom():
    return add("a")

def unfit():
    return {1, 2}

def nan():
    return float("nan")

def leave():
    sys.exit(3)

def die():
    print("last words", file=sys.stderr)
    os._exit(7)

def hang():
    subprocess.Popen(["sleep", "87654.1"])
    while True:
        time.sleep(1)

def deaf():
    os.closerange(0, 20)
    time.sleep(60)

def garble():
    for fd in range(3, 10):
        try:
            os.write(fd, b"garbage ")
        except OSError:
            pass
    return 1

def long():
    return "x" * 11000000

def echo(value):
    return value

def huge():
    return ["x" * 50, 1] * 1000000
"#;

fn project(text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("debugtalk.py");
    std::fs::write(&path, text).expect("a file");
    std::fs::write(folder.path().join("helper.py"), "def twice(x):\n    return x * 2\n").expect("a file");
    (folder, path)
}

fn call(functions: &Functions, name: &str, args: &[Value]) -> Result<Value, Error> {
    functions.call_blocking(&Call::new(name, args.to_vec()))
}

#[test]
fn functions_are_called_in_one_process_that_stays_open() {
    let (folder, path) = project(FILE);
    let functions = Functions::new(&path);
    assert_eq!(call(&functions, "add", &[json!(2)]), Ok(json!(3)));
    let named = Call::new("add", vec![json!("a")]).with_kwargs(json!({"b": "录"}).as_object().expect("a map").clone());
    assert_eq!(functions.call_blocking(&named), Ok(json!("a录")));
    assert_eq!((call(&functions, "count", &[]), call(&functions.clone(), "count", &[])), (Ok(json!(1)), Ok(json!(2))));
    assert_eq!(call(&functions, "noisy", &[]), Ok(json!("")));
    let root = folder.path().canonicalize().expect("a folder").display().to_string();
    assert_eq!(call(&functions, "where", &[]), Ok(json!([root, "1", 4])));
    assert!(!folder.path().join("__pycache__").exists());
    let large = json!("x".repeat(1 << 20));
    assert_eq!(call(&functions, "echo", std::slice::from_ref(&large)), Ok(large));
    assert_eq!(call(&functions, "count", &[]), Ok(json!(3)), "nothing of it started another process");
}

#[test]
fn an_exception_comes_with_its_place_and_the_process_goes_on() {
    let (_folder, path) = project(FILE);
    let functions = Functions::new(&path);
    call(&functions, "count", &[]).expect("a result");
    let error = call(&functions, "boom", &[]).expect_err("it raises").to_string();
    assert!(error.starts_with("boom: TypeError: "), "{error}");
    assert!(error.contains("debugtalk.py:25 in boom") && error.contains("debugtalk.py:8 in add"), "{error}");
    assert!(matches!(call(&functions, "unfit", &[]), Err(Error::Unfit { .. })));
    assert!(matches!(call(&functions, "nan", &[]), Err(Error::Unfit { .. })));
    assert!(matches!(call(&functions, "leave", &[]), Err(Error::Raised { .. })));
    assert!(matches!(call(&functions, "nothing", &[]), Err(Error::Unknown { .. })));
    assert!(matches!(call(&functions, "state", &[]), Err(Error::Unknown { .. })));
    assert_eq!(call(&functions, "count", &[]), Ok(json!(2)));
}

#[test]
fn a_process_that_dies_hangs_or_talks_nonsense_is_followed_by_a_fresh_one() {
    let (_folder, path) = project(FILE);
    let functions = Functions::new(&path);
    let started = Instant::now();
    let soon = |name: &str| functions.call_blocking(&Call::new(name, Vec::new()).within(Duration::from_secs(3)));
    let error = call(&functions, "die", &[]).expect_err("it dies").to_string();
    assert!(error.contains("exit status: 7") && error.contains("last words"), "{error}");
    assert_eq!(call(&functions, "count", &[]), Ok(json!(1)), "a fresh process");
    let error = soon("hang").expect_err("it hangs");
    assert_eq!(error.to_string(), "hang: timed out after 3s; its Python process was killed");
    assert!(matches!(soon("deaf"), Err(Error::Died { .. } | Error::Hung { .. })));
    assert!(matches!(call(&functions, "garble", &[]), Err(Error::Garbled { .. })));
    assert!(matches!(call(&functions, "long", &[]), Err(Error::Garbled { .. })));
    assert!(matches!(call(&functions, "huge", &[]), Err(Error::Garbled { .. })));
    assert_eq!(call(&functions, "count", &[]), Ok(json!(1)));
    assert!(started.elapsed() < Duration::from_mins(2));
    let sleeping = std::process::Command::new("pgrep").args(["-f", "sleep 87654.1"]).output();
    assert!(sleeping.is_ok_and(|found| found.stdout.is_empty()), "what it started was killed with it");
}

#[test]
fn a_file_that_cannot_be_loaded_is_said_to_be_at_its_line() {
    for (text, part) in [("def a(:\n", "debugtalk.py:1"), ("x = 1\nimport no_such_module\n", "debugtalk.py:2")] {
        let (_folder, path) = project(text);
        let error = call(&Functions::new(&path), "a", &[]).expect_err("it is broken");
        assert!(matches!(error, Error::Broken { .. }) && error.to_string().contains(part), "{error}");
    }
    let (_folder, path) = project("while True: pass\n");
    let hung = Functions::new(&path)
        .call_blocking(&Call::new("a", vec![json!("x".repeat(1 << 20))]).within(Duration::from_secs(1)));
    assert!(matches!(hung, Err(Error::Hung { .. })));
    let missing = call(&Functions::new("/no/such/debugtalk.py"), "a", &[]);
    assert!(matches!(missing, Err(Error::Unreadable { .. })));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn other_tasks_go_on_while_an_expression_waits() {
    let (_folder, path) = project("import time\ndef slow():\n    time.sleep(1)\n    return 1\n");
    let functions = Functions::new(&path);
    let ticking = tokio::spawn(async {
        let mut ticks = 0;
        loop {
            tokio::time::sleep(Duration::from_millis(10)).await;
            ticks += 1;
            if ticks == 20 {
                return Instant::now();
            }
        }
    });
    let inner = tokio::spawn(async move { functions.call_blocking(&Call::new("slow", Vec::new())) });
    let (ticked, result) = (ticking.await.expect("no panic"), inner.await.expect("no panic"));
    assert!(result.is_ok() && ticked < Instant::now(), "{result:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_given_up_is_ended() {
    let (_folder, path) = project(FILE);
    let functions = Functions::new(&path);
    functions.call(Call::new("count", Vec::new())).await.expect("a result");
    let given_up =
        tokio::time::timeout(Duration::from_millis(300), functions.call(Call::new("hang", Vec::new()))).await;
    assert!(given_up.is_err());
    let started = Instant::now();
    assert_eq!(functions.call(Call::new("count", Vec::new())).await, Ok(json!(1)), "a fresh process");
    assert!(started.elapsed() < Duration::from_secs(15));
    let (asker, other) = (Asker::default(), functions.clone());
    let asked = asker.asked();
    let hanging = tokio::task::spawn_blocking(move || other.call_for(&asked, &Call::new("hang", Vec::new())));
    tokio::time::sleep(Duration::from_millis(300)).await;
    drop(asker);
    assert!(matches!(hanging.await.expect("no panic"), Err(Error::Ended { .. })));
    assert_eq!(functions.call(Call::new("count", Vec::new())).await, Ok(json!(1)), "a fresh process");
}

#[test]
fn a_call_that_nobody_waits_for_is_not_begun() {
    let asked = Asker::default().asked();
    // A process that was started for it could not read the file.
    let done = Functions::new("/no/such/debugtalk.py").call_for(&asked, &Call::new("a", Vec::new()));
    assert!(matches!(done, Err(Error::Ended { .. })), "{done:?}");
    let (_folder, path) = project(FILE);
    let functions = Functions::new(&path);
    assert_eq!(call(&functions, "count", &[]), Ok(json!(1)));
    assert!(functions.call_for(&asked, &Call::new("count", Vec::new())).is_err());
    assert_eq!(call(&functions, "count", &[]), Ok(json!(2)), "nobody else's process is ended for it");
}

#[test]
fn a_function_that_only_httprunner_has_is_named_with_what_to_write_instead() {
    for (call, instead) in [
        ("load_ws_message(a.bin)", "binary: {base64: …}"),
        ("multipart_encoder(a)", "write `upload: {…}`"),
        ("multipart_content_type(a)", "write `upload: {…}`"),
    ] {
        let text = format!("config: {{name: a}}\nteststeps:\n- log: \"${{{call}}}\"\n");
        Test::new(&["check", "a.yaml"]).file("a.yaml", &text).run().code(2).says(instead);
        // Whether such a file has the function is known only once Python was asked.
        let test = Test::new(&["run", "a.yaml", "--report-dir", "out"]);
        test.file("a.yaml", &text).file("debugtalk.py", "from os.path import *\n").run().code(3).says(instead);
    }
}

#[test]
fn names_are_known_without_python() {
    let (_folder, path) = project(FILE);
    let known = names(&path).expect("a file");
    assert!(known.complete && known.may_have("add") && known.may_have("twice") && !known.may_have("ad"));
    assert!(names(std::path::Path::new("/no/such.py")).is_err());
}

#[test]
fn arguments_are_handed_over_by_name_and_values_that_cannot_be_carried_are_named() {
    let python = "def create(name, admin=True):\n    return name + (' admin' if admin else ' plain')\n\ndef huge():\n    return [10 ** 400]\n\ndef half():\n    return 'a\\ud800'\n\ndef nothing():\n    return None\n";
    let run = |step: &str| {
        let text = format!("config: {{variables: {{u: ann}}}}\nteststeps:\n- {step}\n");
        let test = Test::new(&["run", "a.yaml", "--report-dir", "out"]);
        test.file("a.yaml", &text).file("debugtalk.py", python).run()
    };
    for call in ["${create($u, admin=false)}", "${create(u, admin=false) ~ ''}", "${create(admin=false, name=$u)}"] {
        run(&format!("assert_value: {{value: \"{call}\", equals: ann plain}}")).code(0);
    }
    run("log: \"${huge()}\"").code(3).says("more digits than can be carried");
    run("log: \"${half()}\"").code(3).says("surrogate");
    run("log: \"id ${nothing()}\"").code(3).says("is null");
    run("log: \"${md5('a', b=1) ~ ''}\"").code(2).says("md5 takes");
    run("assert_value: {value: \"x $u ${'a' ~ u | int}\", equals: 1}")
        .code(3)
        .says("the text \"ann\" is not a whole number")
        .says("^^^");
}

#[test]
fn a_function_gives_all_variables_of_a_config_or_step() {
    let python = "calls = []\n\ndef get_variables(who='ann'):\n    calls.append(who)\n    return {'user': who, 'n': len(calls)}\n\ndef nothing():\n    return None\n";
    let run = |config: &str, step: &str| {
        let text = format!("config: {{variables: '{config}'}}\nteststeps:\n- {step}\n- {step}\n");
        let test = Test::new(&["run", "a.yaml", "--report-dir", "out"]);
        test.file("a.yaml", text).file("debugtalk.py", python).run()
    };
    let equals = |text: &str| format!("assert_value: {{value: $user $n, equals: {text}}}");
    run("${get_variables()}", &equals("ann 1")).code(0);
    let own = "  variables: '${get_variables(bob)}'\n  export: [user]";
    run("${get_variables()}", &format!("{}\n{own}", equals("bob 2"))).code(1).says("bob 3");
    run("${nothing()}", &equals("ann 1")).code(3).says("`variables` is a map; what this returns is null");
    run("${get_variabels()}", &equals("ann 1")).code(2).says("unknown function `get_variabels`").says("1 error,");
}
