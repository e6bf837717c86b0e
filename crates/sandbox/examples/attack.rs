//! dev only
use std::time::{Duration, Instant};
use uixt_sandbox::{Code, Error, Sessions};
fn main() -> std::process::ExitCode {
    if let Some(e) = uixt_sandbox::enter() {
        return e;
    }
    let rt = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let only = std::env::args().nth(2);
    std::fs::create_dir_all("/tmp/sbx_outside").unwrap();
    std::fs::write("/tmp/sbx_outside/secret", "s").unwrap();
    std::fs::write("/tmp/sbx_outside/open", "o").unwrap();
    let text = text
        .replace("@HOME@", "/root")
        .replace("@PROJECT@", "/work/wt/sandbox")
        .replace("@OUTSIDE@", "/tmp/sbx_outside")
        .replace("@PID@", &std::process::id().to_string());
    rt.block_on(async {
        let s = Sessions::default();
        let (mut n, mut bad) = (0, 0);
        for (i, block) in text.split("\n--- ").skip(1).enumerate() {
            let (name, rest) = block.split_once('\n').unwrap();
            let (code, want) = rest.rsplit_once("\n=> ").unwrap();
            let want = want.trim();
            if i > 0 && only.as_ref().is_some_and(|o| !name.contains(o.as_str())) {
                continue;
            }
            let c = Code {
                text: code.to_owned(),
                limit: Duration::from_millis(if want.contains("Timeout") { 800 } else { 20000 }),
                ..Code::default()
            };
            let b = Instant::now();
            let got = match s.execute("a", &c).await {
                Ok(a) => match (&a.raised, a.return_code) {
                    (Some(r), _) => format!("raises {}", r.kind),
                    (None, Some(0)) if want.starts_with("exits") => "exits 0".into(),
                    (None, Some(0)) => {
                        format!("gives {}", serde_json::to_string(&a.result).unwrap().replace(",", ", "))
                    }
                    (None, c) => format!("exits {}", c.unwrap()),
                },
                Err(e @ Error::Ended { .. }) => format!("ends {}", e.code()),
                Err(e) => format!("error {} {e}", e.code()),
            };
            n += 1;
            if got != want {
                bad += 1;
                println!(
                    "{name}: wanted `{want}`, got `{}` in {:?}",
                    got.chars().take(300).collect::<String>(),
                    b.elapsed()
                );
            } else if b.elapsed() > Duration::from_millis(900) {
                println!("slow {name} {:?}", b.elapsed());
            }
        }
        println!("{n} tries, {bad} wrong");
    });
    std::process::ExitCode::SUCCESS
}
