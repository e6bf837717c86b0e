//! A queue that several machines share, in a real Redis: who runs what, and what becomes of it when a machine or the server dies.

use std::process::Command;

use serde_json::Value;

use crate::support::counterparts::{program, wait_until};
use crate::support::redis::{Checkout, Redis, drained, ended};
use crate::support::{Test, items, text};

const CASES: &str = "config: {name: case $n, parameters: {n: [1, 2, 3, 4, 5, 6, 7, 8]}}
teststeps:
- sleep: 0.3
";

#[test]
fn machines_share_the_cases_and_each_runs_once() {
    let (redis, checkout) = (Redis::start(&[]), Checkout::new(CASES));
    let queue = redis.queue("");
    let hosts = ["first", "second", "third"].map(|host| checkout.start(&queue, host, &[]));
    let ends = hosts.map(ended);
    assert!(ends.iter().all(|(code, _)| *code == Some(0)), "{ends:?}");
    let counts = ["first", "second", "third"].map(|host| {
        let summary = std::fs::read(checkout.path(host).join("summary.json")).expect("a summary");
        let summary: Value = serde_json::from_slice(&summary).expect("JSON");
        summary["totals"]["cases"].as_u64().expect("a count")
    });
    assert!(counts.iter().sum::<u64>() == 8 && counts.iter().all(|count| *count >= 1), "{counts:?}");
    Test::new(&["queue", "status", &queue]).run().code(0).prints("8 of 8 cases done: 8 passed");
    let (ran, outcomes) = drained(&queue);
    ran.code(0).prints("8 passed");
    assert!(outcomes.len() == 8 && outcomes.values().all(|of| of.len() == 1), "{outcomes:?}");
    Test::new(&["queue", "status", &queue]).run().code(2).says("there is no queue");
}

#[test]
fn what_is_locked_is_used_by_one_machine_at_a_time() {
    let text = CASES.replace("{name", "{lock: account, name").replace(", 5, 6, 7, 8", "");
    let (redis, checkout) = (Redis::start(&[]), Checkout::new(&text));
    let queue = redis.queue("");
    let hosts = ["first", "second"].map(|host| checkout.start(&queue, host, &["-j", "2"]));
    assert!(hosts.map(ended).iter().all(|(code, _)| *code == Some(0)));
    let (ran, _) = drained(&queue);
    let summary = ran.json("all/summary.json");
    let mut spans: Vec<(i64, i64)> = Vec::new();
    for case in items(&summary["cases"]) {
        let at = chrono::DateTime::parse_from_rfc3339(text_of(case, "at")).expect("a time").timestamp_millis();
        spans.push((at, at + case["elapsed_ms"].as_i64().expect("a duration")));
    }
    spans.sort_unstable();
    assert!(spans.len() == 4 && spans.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{spans:?}");
}

fn text_of<'a>(value: &'a Value, key: &str) -> &'a str {
    text(&value[key])
}

#[test]
fn a_case_of_a_machine_that_died_is_run_by_another_and_it_is_said() {
    let (redis, checkout) = (Redis::start(&[]), Checkout::new(&CASES.replace("0.3", "0.6")));
    let queue = redis.queue("");
    let mut first = checkout.start(&queue, "first", &["--queue-lease", "1"]);
    wait_until("it is at work", 20, || checkout.says("first", "step_started"));
    let second = checkout.start(&queue, "second", &["--queue-lease", "1"]);
    wait_until("both are at work", 20, || checkout.says("second", "step_started"));
    first.kill().expect("killed");
    first.wait().expect("it ended");
    let (code, said) = ended(second);
    assert_eq!(code, Some(0), "{said}");
    let (ran, outcomes) = drained(&queue);
    let ran = ran.code(0).prints("8 passed");
    assert!(outcomes.len() == 8 && outcomes.values().all(|of| of.len() == 1), "{outcomes:?}");
    let report = ran.read("all/report.html");
    assert!(report.contains("first took this case and went silent"), "it is not said");
}

#[test]
fn a_case_that_nobody_comes_back_from_is_an_error() {
    let (redis, checkout) = (Redis::start(&[]), Checkout::new("config: {name: Deadly}\nteststeps:\n- sleep: 30\n"));
    let queue = redis.queue("");
    for host in ["first", "second"] {
        let mut process = checkout.start(&queue, host, &["--queue-lease", "1"]);
        wait_until("it is at work", 20, || checkout.says(host, "step_started"));
        process.kill().expect("killed");
        process.wait().expect("it ended");
    }
    let (code, said) = ended(checkout.start(&queue, "third", &["--queue-lease", "1"]));
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("first, second took this case one after the other and went silent"), "{said}");
    let (ran, outcomes) = drained(&queue);
    ran.code(3).prints("1 errored");
    assert_eq!(outcomes["Deadly"], ["errored"]);
}

#[test]
fn a_server_that_lost_everything_loses_no_case() {
    let (mut redis, checkout) = (Redis::start(&[]), Checkout::new(CASES));
    let queue = redis.queue("");
    let hosts = ["first", "second"].map(|host| checkout.start(&queue, host, &["--queue-lease", "2"]));
    wait_until("some are done", 20, || {
        checkout.says("first", "case_finished") && checkout.says("second", "case_finished")
    });
    redis.kill();
    // Cases end while nobody hears of it.
    wait_until("more are done", 20, || checkout.says("first", "\"step_finished\""));
    redis.start_again();
    for (code, said) in hosts.map(ended) {
        assert_eq!(code, Some(0), "{said}");
    }
    let (ran, outcomes) = drained(&queue);
    ran.code(0).prints("8 passed");
    assert!(outcomes.len() == 8 && outcomes.values().all(|of| of.len() == 1), "{outcomes:?}");
}

#[test]
fn wrong_queues_are_told() {
    let redis = Redis::start(&["--requirepass", "s3cret"]);
    let checkout = Checkout::new(CASES);
    let queue = redis.queue(":s3cret@");
    let (code, said) = ended(checkout.start(&queue, "first", &[]));
    assert_eq!(code, Some(0), "{said}");
    // Another checkout must not take part.
    let other = Checkout::new(&CASES.replace("sleep: 0.3", "sleep: 0.2"));
    let (code, said) = ended(other.start(&queue, "second", &[]));
    assert!(code == Some(3) && said.contains("holds other cases"), "{said}");
    let (code, said) = ended(checkout.start(&redis.queue(":wr0ng@"), "third", &[]));
    assert!(code == Some(3) && said.contains("the queue at redis://127.0.0.1") && !said.contains("wr0ng"), "{said}");
    let nobody = format!("redis://{}/x", crate::support::nobody());
    let (code, said) = ended(checkout.start(&nobody, "fourth", &[]));
    assert!(code == Some(3) && said.contains(&nobody), "{said}");
    let (code, said) = ended(checkout.start("http://x/y", "fifth", &[]));
    assert!(code == Some(2) && said.contains("redis://HOST/NAME"), "{said}");
}

#[test]
fn a_server_with_tls_must_be_one_that_is_trusted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path").to_owned();
    let (certificate, key) = (path("certificate.pem"), path("key.pem"));
    let made = Command::new(program("openssl"))
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"])
        .args([
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost,IP:127.0.0.1",
            "-addext",
            "basicConstraints=critical,CA:FALSE",
        ])
        .args(["-keyout", &key, "-out", &certificate])
        .output()
        .expect("openssl starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let redis = Redis::start(&[
        "--port",
        "0",
        "--tls-port",
        "PORT",
        "--tls-cert-file",
        &certificate,
        "--tls-key-file",
        &key,
        "--tls-ca-cert-file",
        &certificate,
        "--tls-auth-clients",
        "no",
    ]);
    let checkout = Checkout::new(CASES);
    let queue = redis.queue("").replace("redis://", "rediss://");
    let run = |host: &str, trusted: Option<&str>| {
        let mut command = Test::new(&["run", "a.yaml", "--queue", &queue, "--report-dir", host]).command();
        command.current_dir(checkout.0.path()).env_remove("SSL_CERT_FILE");
        command.envs(trusted.map(|trusted| ("SSL_CERT_FILE", trusted)));
        let output = command.output().expect("it starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = run("first", Some(&certificate));
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = run("second", None);
    assert!(code == Some(3) && said.contains("certificate"), "{said}");
    let (code, said) = ended(checkout.start(&redis.queue(""), "third", &[]));
    assert!(code == Some(3) && said.contains(&redis.queue("")), "without TLS: {said}");
}

#[test]
fn a_queue_that_is_done_says_how_it_ended() {
    let redis = Redis::start(&[]);
    let checkout =
        Checkout::new("config: {name: Wrong}\nteststeps:\n- assert_value: {value: 1, assert: equals, expect: 2}\n");
    let queue = redis.queue("");
    let (code, said) = ended(checkout.start(&queue, "first", &[]));
    assert_eq!(code, Some(1), "{said}");
    let (code, said) = ended(checkout.start(&queue, "second", &[]));
    assert!(code == Some(1) && said.contains("other machines ran all cases of the queue: 1 failed"), "{said}");
    // What nobody has the program for.
    let checkout = Checkout::new("config: {name: Lone, requires: no-such-program}\nteststeps:\n- log: x\n");
    let queue = queue.replace("build-7", "build-8");
    let (code, said) = ended(checkout.start(&queue, "third", &[]));
    assert!(
        code == Some(0) && said.contains("1 case is left for machines that have what they need: no-such-program"),
        "{said}"
    );
    let (code, said) = ended(checkout.start(&queue, "fourth", &["--no-skip"]));
    assert_eq!(code, Some(3), "{said}");
}

#[test]
fn a_case_that_a_machine_was_stopped_in_is_run_by_another() {
    let (redis, checkout) = (Redis::start(&[]), Checkout::new(&CASES.replace("0.3", "0.8")));
    let queue = redis.queue("");
    let first = checkout.start(&queue, "first", &["--queue-lease", "1"]);
    wait_until("it is at work", 20, || checkout.says("first", "step_started"));
    let second = checkout.start(&queue, "second", &["--queue-lease", "1"]);
    wait_until("both are at work", 20, || checkout.says("second", "step_started"));
    crate::support::counterparts::signal(&first, "TERM");
    assert_eq!(ended(first).0, Some(130));
    let (code, said) = ended(second);
    assert_eq!(code, Some(0), "{said}");
    let (ran, outcomes) = drained(&queue);
    ran.code(0).prints("8 passed");
    assert!(outcomes.len() == 8 && outcomes.values().all(|of| of.len() == 1), "{outcomes:?}");
}

#[test]
fn a_queue_is_filled_before_any_machine_runs_and_told_if_it_is_left() {
    let redis = Redis::start(&[]);
    let (queue, checkout) = (redis.queue(""), Checkout::new(CASES));
    let push = |more: &[&str]| {
        let mut command = Test::new(&[]).command();
        command.args(["queue", "push", &queue, "a.yaml"]).args(more).current_dir(checkout.path(""));
        let output = command.output().expect("it runs");
        let said = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
        (output.status.code(), said(&output.stdout), said(&output.stderr))
    };
    assert_eq!(push(&[]), (Some(0), "8 cases in the queue\n".to_owned(), String::new()));
    let (code, said, _) = push(&[]);
    assert_eq!(code, Some(0));
    assert!(said.starts_with("the queue holds them already: 0 of 8 cases done"), "{said}");
    let (code, _, said) = push(&["--repeat", "2"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("build-7 holds other cases") && said.contains("the same options that select them"), "{said}");
    let early = Test::new(&["queue", "drain", &queue, "--output", "all", "--keep"]).run().code(3);
    assert!(early.stdout.starts_with("interrupted: 8 not run in "), "{}", early.stdout);
    assert_eq!(early.json("all/summary.json")["not_run"], 8);
    let junit = early.read("all/junit.xml");
    assert!(
        junit.contains("errors=\"1\"") && junit.contains("the run was interrupted: 8 cases were not run"),
        "{junit}"
    );
    let (code, said) = ended(checkout.start(&queue, "other", &["--filter", "case [12]"]));
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("holds other cases"), "{said}");
    let (code, said) = ended(checkout.start(&queue, "first", &[]));
    assert_eq!(code, Some(0), "{said}");
    let (ran, outcomes) = drained(&queue);
    ran.code(0);
    assert!(outcomes.len() == 8 && outcomes.values().all(|ends| ends == &["passed"]), "{outcomes:?}");
}
