//! Machines that share a queue while machines, the server or the network fail: no case is lost, none runs twice without being said, and
//! every step that ended is in the report of all.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::counterparts::wait_until;
use crate::support::redis::{Checkout, Redis, drained, ended};
use crate::support::{Test, items, text};

const HOSTS: [&str; 3] = ["first", "second", "third"];
/// Most are short, some are not.
const CASES: &str =
    "config: {name: case $n, parameters: {n-wait: [[1, 0.1], [2, 0.5], [3, 0.1], [4, 0.2], [5, 0.9], [6, 0.1], \
                     [7, 0.3], [8, 0.1], [9, 0.6], [10, 0.1], [11, 0.2], [12, 0.1]]}}
teststeps:
- log: begins
- sleep: $wait
- log: ends
";
const COUNT: usize = 12;
/// How long all of it takes with nothing in its way, about.
const SPAN: Duration = Duration::from_millis(1300);

/// What goes wrong.
#[derive(Clone, Copy, Debug)]
enum Trouble {
    Host,
    Server,
    Network,
    HostAndServer,
}

/// A way to a server that can be made to carry nothing for a while, with its connections open.
struct Way {
    port: u16,
    is_open: Arc<(Mutex<bool>, Condvar)>,
}

impl Way {
    fn to(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let is_open = Arc::new((Mutex::new(true), Condvar::new()));
        let gate = Arc::clone(&is_open);
        // It ends with the test's process.
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else { continue };
                let ends = [(client.try_clone(), server.try_clone()), (Ok(server), Ok(client))];
                for (from, to) in ends {
                    let gate = Arc::clone(&gate);
                    std::thread::spawn(move || carry(from.expect("a socket"), to.expect("a socket"), &gate));
                }
            }
        });
        Self { port, is_open }
    }

    fn open(&self, is_open: bool) {
        *self.is_open.0.lock().expect("no panic") = is_open;
        self.is_open.1.notify_all();
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream, gate: &(Mutex<bool>, Condvar)) {
    let mut bytes = [0; 4096];
    loop {
        let count = from.read(&mut bytes).unwrap_or(0);
        drop(gate.1.wait_while(gate.0.lock().expect("no panic"), |is_open| !*is_open).expect("no panic"));
        if count == 0 || to.write_all(&bytes[..count]).is_err() {
            let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
            return;
        }
    }
}

fn events(checkout: &Checkout, host: &str) -> Vec<Value> {
    let journal = std::fs::read_to_string(checkout.path(host).join("journal.jsonl")).unwrap_or_default();
    journal.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Runs the cases on three machines, the second of which has a network of its own, and lets one thing go wrong at a moment.
fn goes_through(trouble: Trouble, moment: Duration) {
    let told = format!("{trouble:?} at {moment:?}");
    // Only a server that keeps what it was told can know what a machine had that died with it.
    let keeps = tempfile::tempdir().expect("a folder");
    let folder = keeps.path().to_str().expect("a path");
    let arguments: &[&str] = match trouble {
        Trouble::HostAndServer => &["--appendonly", "yes", "--appendfsync", "always", "--dir", folder],
        _ => &[],
    };
    let (mut redis, checkout) = (Redis::start(arguments), Checkout::new(CASES));
    let (queue, way) = (redis.queue(""), Way::to(redis.port));
    let behind = queue.replace(&redis.port.to_string(), &way.port.to_string());
    let lease = ["--queue-lease", "2"];
    let mut first = checkout.start(&queue, "first", &lease);
    let mut others = [checkout.start(&behind, "second", &lease), checkout.start(&queue, "third", &lease)];
    // A server that is not there when a run begins is an error at once.
    wait_until("all have begun", 30, || HOSTS.iter().all(|host| checkout.says(host, "run_started")));
    wait_until("the first is at work", 30, || checkout.says("first", "step_started"));
    let began = Instant::now();
    std::thread::sleep(moment);
    if matches!(trouble, Trouble::Host | Trouble::HostAndServer) {
        first.kill().expect("it can be killed");
    }
    match trouble {
        Trouble::Server | Trouble::HostAndServer => {
            redis.kill();
            // Long enough that leases would end.
            std::thread::sleep(Duration::from_millis(2500));
            redis.start_again();
        }
        Trouble::Network => {
            way.open(false);
            std::thread::sleep(Duration::from_secs(4));
            way.open(true);
        }
        Trouble::Host => {}
    }
    // What such a machine did is known to nobody, where the server forgot it.
    let left = others.iter_mut().chain([&mut first]).filter_map(|host| host.try_wait().expect("a process")).count();
    let has_left = left > 0;
    let (code, said) = ended(first);
    assert!(code == Some(0) || code.is_none(), "{told}: {said}");
    let mut all_said = said;
    for (code, said) in others.map(ended) {
        assert_eq!(code, Some(0), "{told}: {said}");
        all_said += &said;
    }
    assert!(began.elapsed() < Duration::from_mins(1), "{told}: it took {:?}", began.elapsed());
    if left == HOSTS.len() && matches!(trouble, Trouble::Server) {
        // All had ended before the server did: what it forgot nobody tells it again, and each machine has its own report.
        Test::new(&["queue", "drain", &queue, "--output", "all"]).run().code(2).says("there is no queue");
        assert_nothing_is_hidden(&checkout, &told, &all_said, true);
        return assert_steps_are_merged(&checkout, &told);
    }
    let (ran, outcomes) = drained(&queue);
    let lost = outcomes.len() != COUNT || outcomes.values().any(|of| of.len() != 1 || of[0] != "passed");
    assert!(!lost, "{told}: {outcomes:?}\n{all_said}");
    let may_forget = has_left && matches!(trouble, Trouble::Server);
    ran.code(0);
    assert_nothing_is_hidden(&checkout, &told, &all_said, may_forget);
    assert_steps_are_merged(&checkout, &told);
}

/// Checks that of each case that more than one machine began it is said in a report or by a machine.
fn assert_nothing_is_hidden(checkout: &Checkout, told: &str, said: &str, may_forget: bool) {
    let mut runs: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for host in HOSTS {
        for event in events(checkout, host).iter().filter(|event| event["event"] == "case_started") {
            runs.entry(text(&event["case"]).to_owned()).or_default().push(host);
        }
    }
    assert_eq!(runs.len(), COUNT, "{told}: {runs:?}");
    for (case, hosts) in runs.iter().filter(|(_, hosts)| hosts.len() > 1) {
        let of_case = |event: &Value| event["event"] == "log" && event["case"] == case.as_str();
        let is_said = said.contains(&format!("{case}: another machine has taken this case over"))
            || (may_forget && said.contains("what machines did that have ended is run again"))
            || HOSTS.iter().any(|host| {
                let events = events(checkout, host);
                events.iter().any(|event| of_case(event) && text(&event["message"]).contains("went silent"))
            });
        assert!(is_said && hosts.len() == 2, "{told}: {case} ran on {hosts:?}: {said}");
    }
}

/// Checks that the report of all machines' folders has each step that the journal of one says has ended.
fn assert_steps_are_merged(checkout: &Checkout, told: &str) {
    let folders = HOSTS.map(|host| checkout.path(host).to_str().expect("a path").to_owned());
    let merged = checkout.path("merged");
    let merged = merged.to_str().expect("a path");
    let ran = Test::new(&["report", &folders[0], &folders[1], &folders[2], "--output", merged]).run();
    let summary: Value =
        serde_json::from_slice(&std::fs::read(checkout.path("merged/summary.json")).expect("a summary")).expect("JSON");
    for (number, host) in (1..).zip(HOSTS) {
        for event in events(checkout, host).iter().filter(|event| event["event"] == "step_finished") {
            let case = text(&event["case"]);
            let id = format!("{number}:{case}");
            let is_there = items(&summary["cases"]).iter().filter(|of| of["id"] == id.as_str()).any(|of| {
                let mut steps = items(&of["steps"]).iter();
                steps.any(|step| step["number"] == event["step"] && step["outcome"] == event["outcome"])
            });
            assert!(is_there, "{told}: {host} ended {event}, which the report of all does not hold: {}", ran.stderr);
        }
    }
}

/// Lets it go wrong `UIXT_KILLS` times, or four: each trouble in turn, at moments spread over the run.
#[test]
fn no_case_is_lost_or_run_twice_unsaid() {
    let count: u32 = std::env::var("UIXT_KILLS").map_or(4, |number| number.parse().expect("UIXT_KILLS is a number"));
    let troubles = [Trouble::Host, Trouble::Server, Trouble::Network, Trouble::HostAndServer];
    for (number, trouble) in (0..count).zip(troubles.into_iter().cycle()) {
        goes_through(trouble, SPAN * number / count);
    }
}
