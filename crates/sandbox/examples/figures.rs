//! What a session costs: `cargo run --release -p uixt-sandbox --example figures`. With arguments, each is run as a code of one session.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use uixt_sandbox::{Answer, Code, Error, Sessions};

fn main() -> ExitCode {
    if let Some(exit) = uixt_sandbox::enter() {
        return exit;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let codes: Vec<String> = std::env::args().skip(1).collect();
    runtime.block_on(async { if codes.is_empty() { measure().await } else { show(&codes).await } });
    ExitCode::SUCCESS
}

async fn run(sessions: &Sessions, name: &str, text: &str) -> Result<Answer, Error> {
    let code = Code { text: text.to_owned(), limit: Duration::from_secs(10), ..Code::default() };
    sessions.execute(name, &code).await
}

async fn show(codes: &[String]) {
    let sessions = Sessions::default();
    for code in codes {
        println!("{:#?}", run(&sessions, "one", code).await);
    }
}

async fn measure() {
    let sessions = Sessions::default();
    let timed = async |name: &str, text: &str| {
        let began = Instant::now();
        let answer = run(&sessions, name, text).await.expect("it runs");
        (began.elapsed(), answer.walls)
    };
    let (first, walls) = timed("one", "1 + 1").await;
    println!("walls: {}", walls.join(", "));
    println!("first call of the process: {first:?}");
    println!("first call of a second session: {:?}", timed("two", "1 + 1").await.0);
    let mut later = Vec::new();
    for _ in 0..500 {
        later.push(timed("one", "1 + 1").await.0);
    }
    later.sort();
    println!("later calls: {:?} at the median, {:?} at the 99th of 100", later[250], later[495]);
    for number in 0..48 {
        timed(&format!("s{number}"), "x = 1").await;
    }
    let own = std::process::id();
    let children = std::fs::read_dir("/proc").expect("/proc").flatten().filter_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        status.contains(&format!("PPid:\t{own}\n")).then_some(pid)
    });
    let (mut pss, mut rss, mut count) = (0, 0, 0);
    for pid in children {
        let smaps = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
        let field = |name: &str| -> u64 {
            let line = smaps.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
            line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or_default()
        };
        (pss, rss, count) = (pss + field("Pss:"), rss + field("Rss:"), count + 1);
    }
    println!("{count} sessions at once: {} kB each (PSS), {} kB (RSS)", pss / count.max(1), rss / count.max(1));
}
