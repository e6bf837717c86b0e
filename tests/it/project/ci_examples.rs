//! The manual's examples for CI servers: held to what the servers accept, and their commands run.

use std::process::Command;

use crate::support::counterparts::client;
use crate::support::redis::Redis;
use crate::support::{Test, items, text};

const CASES: &str = "config: {name: case $n, parameters: {n: [1, 2, 3, 4]}}\nteststeps:\n- log: $n\n";

/// A server, what it sets in the environment, and what its example says.
type Server<'a> = (&'a str, &'a [(&'a str, String)], &'a str);

#[test]
fn examples_for_ci_servers_are_what_these_accept_and_run() {
    let of = |page: &str| client("ci_examples.py", &format!("{}/docs/{page}", env!("CARGO_MANIFEST_DIR")));
    let examples = of("parallel.md");
    assert_eq!(examples, of("zh/parallel.md"));
    let redis = Redis::start(&[]);
    let gitlab = [("CI_NODE_INDEX", "2".to_owned()), ("CI_NODE_TOTAL", "4".to_owned())];
    let github = [("UIXT_SHARD_INDEX", "1".to_owned()), ("UIXT_SHARD_TOTAL", "4".to_owned())];
    let queue = |name: &str| [("UIXT_QUEUE", redis.queue("").replace("build-7", name))];
    let (kubernetes, jenkins) = (queue("kubernetes"), queue("jenkins"));
    let servers: [Server<'_>; 4] = [
        ("gitlab", &gitlab, "1 passed"),
        ("github", &github, "1 passed"),
        ("kubernetes", &kubernetes, "4 passed"),
        ("jenkins", &jenkins, "4 passed"),
    ];
    for (server, variables, wanted) in servers {
        for command in items(&examples[server]) {
            let test = Test::new(&[]).file("testcases/a.yaml", CASES);
            let program = test.command();
            let folder = std::path::Path::new(program.get_program()).parent().expect("a folder").to_owned();
            let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
            let output = Command::new("sh")
                .args(["-c", &text(command).replace("/reports", "reports")])
                .current_dir(program.get_current_dir().expect("a folder"))
                .env("PATH", path)
                .envs(variables.iter().map(|(name, value)| (*name, value.as_str())))
                .output()
                .expect("sh starts");
            test.ran(&output).code(0).says(wanted);
        }
    }
}
