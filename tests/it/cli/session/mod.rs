//! `uixt session`: processes of their own that share a device, and what is left when it ends, however it does: nothing.

mod ends;
mod project;
mod skill;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use self::project::{Project, Ran};
use crate::support::counterparts::program;
use crate::support::{items, nobody, text};

/// Returns the ref of the line of a snapshot that holds a text.
#[track_caller]
fn ref_of<'a>(snapshot: &'a str, part: &str) -> &'a str {
    let line = snapshot.lines().find(|line| line.contains(part)).unwrap_or_else(|| panic!("no {part}:\n{snapshot}"));
    line.split(' ').next().expect("a ref")
}

#[test]
fn processes_share_a_phone() {
    let project = Project::new();
    let begun = project.run(&["session", "start", "--device", "phone"]).code(0);
    let here = project.path("").canonicalize().unwrap();
    assert_eq!(
        begun.stdout,
        format!(
            "session `default` on android:uixt-phone (virtual phone): `uixt call TOOL …` uses it in {}; `uixt session stop` ends it\n",
            here.display()
        )
    );
    project.call(&["app_launch", "com.uixt.shop"]);
    let told = project.call(&["snapshot", "--output", "screen.txt"]);
    assert_eq!((&told["output"], told.get("snapshot")), (&"screen.txt".into(), None));
    let snapshot = fs::read_to_string(project.path("screen.txt")).unwrap();
    project.call(&["tap_element", &format!("ref={}", ref_of(&snapshot, "Remember me"))]);
    project.call(&["assert_state", "Remember me", "checked=true"]);
    let list = project.list();
    assert_eq!(items(&list).len(), 1);
    assert_eq!((&list[0]["name"], &list[0]["device"]), (&"default".into(), &"android:uixt-phone".into()));
    assert_eq!(text(&list[0]["project"]), here.display().to_string());
    project.run(&["session", "start", "--device", "phone"]).code(2).says("runs already");
    let pid = project.pid();
    project.run(&["session", "stop"]).code(0);
    project.assert_nothing_is_left(pid);
}

#[test]
fn processes_share_a_browser() {
    program("chromium");
    let project = Project::new();
    let page = "<button onclick=\"this.textContent='Clicked'\">Click me</button> <a href=other.html target=_blank>Elsewhere</a>";
    fs::write(project.path("page.html"), page).unwrap();
    fs::write(project.path("other.html"), "<h1>Another page</h1>").unwrap();
    project.run(&["session", "start", "--device", "browser"]).code(0);
    let pid = project.pid();
    let profiles = profiles(pid);
    assert_eq!(profiles.len(), 1, "{profiles:?}");
    project.call(&["open_url", &format!("file://{}", project.path("page.html").display())]);
    let told = project.call(&["snapshot"]);
    project.call(&["tap_element", &format!("ref={}", ref_of(text(&told["snapshot"]), "Click me"))]);
    project.call(&["assert_visible", "Clicked"]);
    // Which tab is in front lasts, too.
    project.call(&["tap_element", "Elsewhere"]);
    project.call(&["assert_visible", "Another page"]);
    project.call(&["switch_tab", "0"]);
    project.call(&["assert_visible", "Clicked"]);
    project.run(&["session", "stop"]).code(0);
    project.assert_nothing_is_left(pid);
    assert!(profiles.iter().all(|profile| !PathBuf::from(profile).exists()), "{profiles:?}");
}

#[test]
fn tools_of_the_project_are_read_anew_for_each_call() {
    let project = Project::new();
    let tool = |action: &str| {
        format!(
            "name: go\ndescription: Goes.\nsteps:\n- {action}\n- get_foreground_app:\n  save: {{app: package_name}}\nreturn: $app\n"
        )
    };
    fs::write(project.path("uixt.yaml"), "tools: go.yaml\n").unwrap();
    fs::write(project.path("go.yaml"), tool("home:")).unwrap();
    project.run(&["session", "start", "--device", "phone"]).code(0);
    let pid = project.pid();
    let home = project.call(&["go"])["result"].clone();
    fs::write(project.path("go.yaml"), tool("app_launch: com.uixt.shop")).unwrap();
    assert_eq!(project.call(&["go"])["result"], "com.uixt.shop");
    assert_ne!(home, "com.uixt.shop");
    let look =
        "name: go\ndescription: Looks.\nsteps:\n- search_file_content: {file_path: uixt.yaml, regex_pattern: tools}\n";
    fs::write(project.path("go.yaml"), look).unwrap();
    project.call(&["go"]);
    project.run(&["call", "<uixt><go>{}</go></uixt>"]).code(2);
    fs::write(project.path("go.yaml"), "name: go\n").unwrap();
    project.run(&["call", "go", "1"]).code(2).says("the tool has no description");
    project.run(&["session", "stop"]).code(0);
    project.assert_nothing_is_left(pid);
}

#[test]
fn what_a_call_typed_as_a_secret_no_later_one_shows() {
    let project = Project::new();
    let tool = "name: enter\ndescription: Types.\nparameters:\n  word: {secret: true, description: What.}\nsteps:\n- input: {text: $word, into: User name, clear: true}\n";
    fs::write(project.path("uixt.yaml"), "tools: enter.yaml\n").unwrap();
    fs::write(project.path("enter.yaml"), tool).unwrap();
    project.run(&["session", "start", "--device", "phone"]).code(0);
    project.call(&["app_launch", "com.uixt.shop"]);
    project.call(&["input", "{\"text\": \"open4all\", \"into\": \"User name\"}"]);
    assert!(text(&project.call(&["snapshot"])["snapshot"]).contains("open4all"));
    let typed = "{\"text\": \"hunter2-typed\", \"into\": \"User name\", \"clear\": true, \"secret\": true}";
    for call in [&["input", typed][..], &["enter", "hunter3-given"]] {
        project.call(call);
        let seen = project.call(&["snapshot"]);
        assert!(text(&seen["snapshot"]).contains("••••••") && !seen.to_string().contains("hunter"), "{seen}");
    }
    let missed = project.run(&["call", "assert_text", "User name", "equals=nobody", "timeout=0.2"]).code(1);
    assert!(!(missed.stdout + &missed.stderr).contains("hunter"));
    project.run(&["session", "stop"]).code(0);
}

/// Returns the profiles of the browsers that a process started.
fn profiles(pid: u64) -> Vec<String> {
    let script = format!("ps -o args= --ppid {pid} -ww | grep -o 'user-data-dir=[^ ]*' | sort -u");
    let output = Command::new("sh").args(["-c", &script]).output().expect("sh starts");
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    lines.lines().filter_map(|line| Some(line.split_once('=')?.1.to_owned())).collect()
}

#[test]
fn a_session_answers_what_a_call_without_one_answers() {
    let project = Project::with(&["--device", "phone"]);
    fs::write(project.path("note.txt"), "hello\n").unwrap();
    let calls: [&[&str]; 9] = [
        &["get_screen_size"],
        &["tap_xy", "{\"x\": 0.5, \"yy\": 0.5}"],
        &["tap_elemnt"],
        &["assert_visible", "{\"text\": \"No such text\", \"timeout\": 0.2}"],
        &["shell", "pwd; cat note.txt"],
        &["push_media", "none.png"],
        &["<uixt><home>{}</home></uixt> and <uixt><get_screen_size>{}</get_screen_size></uixt>"],
        &["<uixt><shell>{\"string\": \"pwd\"}</shell></uixt>"],
        &["tap_xy", "--lang", "zh"],
    ];
    for call in calls {
        let [by_session, alone] =
            [&[][..], &["--device", "phone"]].map(|device| project.run(&[&["call"], call, device].concat()));
        assert_eq!(by_session.stdout, alone.stdout, "{call:?}");
        assert_eq!((by_session.code, by_session.stderr), (alone.code, alone.stderr), "{call:?}");
    }
}

#[test]
fn calls_at_once_wait_for_each_other() {
    let project = Project::with(&["--device", "phone"]);
    project.call(&["app_launch", "com.uixt.shop"]);
    let run = || project.run(&["call", "tap_element", "Remember me"]).code;
    let codes: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..9).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().expect("it ends")).collect()
    });
    assert_eq!(codes, [Some(0); 9]);
    project.call(&["assert_state", "Remember me", "checked=true"]);
}

#[test]
fn a_folder_that_is_gone_has_no_session() {
    let project = Project::with(&["--device", "phone"]);
    let uixt = env!("CARGO_BIN_EXE_uixt");
    let script =
        format!("mkdir gone && cd gone && rmdir ../gone && {uixt} call log a && {uixt} call log a --session default");
    Ran::of(&mut project.of("sh", &["-c", &script])).code(3).says("cannot tell which folder this is");
}

#[test]
fn files_are_named_from_the_folder_of_each_call() {
    let project = Project::new();
    fs::write(project.path("uixt.yaml"), "device: phone\n").unwrap();
    for folder in ["one", "two"] {
        fs::create_dir(project.path(folder)).unwrap();
    }
    project.run(&["session", "start", "--device", "phone"]).code(0);
    for folder in ["one", "two", "one"] {
        let call = |arguments: &[&str]| Ran::of(project.command(arguments).current_dir(project.path(folder))).code(0);
        let told = call(&["call", "shell", "pwd"]).json();
        let here = project.path(folder).canonicalize().unwrap();
        assert_eq!(text(&told["stdout"]).trim(), here.display().to_string());
        call(&["call", "screenshot", "--output", "shot.png"]);
        assert_eq!(fs::read(project.path(folder).join("shot.png")).unwrap()[..8], *b"\x89PNG\r\n\x1a\n");
    }
}

#[test]
fn sessions_are_named_and_a_device_of_its_own_is_another() {
    let project = Project::with(&["--device", "phone"]);
    project.run(&["session", "start", "other", "--device", "phone"]).code(0);
    project.call(&["app_launch", "com.uixt.shop", "--session", "other"]);
    let front = |arguments: &[&str]| {
        let told = project.call(&[&["get_foreground_app"], arguments].concat());
        text(&told["package_name"]).to_owned()
    };
    assert_eq!(front(&["--session", "other"]), "com.uixt.shop");
    assert_eq!(front(&[]), "com.uixt.launcher");
    assert_eq!(front(&["--device", "phone"]), "com.uixt.launcher");
    let named = Ran::of(project.command(&["call", "get_foreground_app"]).env("UIXT_SESSION", "other")).code(0).json();
    assert_eq!(named["package_name"], "com.uixt.shop");
    // A device in the environment is for where nothing else is there.
    Ran::of(project.command(&["call", "app_launch", "com.uixt.shop"]).env("UIXT_DEVICE", "phone")).code(0);
    assert_eq!(front(&[]), "com.uixt.shop");
    let both = project.run(&["call", "home", "--session", "other", "--device", "phone"]).code(2);
    both.says("--session other and --device exclude each other");
    let unknown = project.run(&["call", "home", "--session", "nope"]).code(2);
    unknown.says("there is no session `nope`").says("`default` of").says("`other` of");
    project.run(&["call", "home", "--session", "no pe"]).code(2).says("1 to 64 letters");
    project.run(&["session", "stop", "--all"]).code(0);
    project.run(&["session", "list"]).code(0).says("no session is running");
    project.run(&["session", "stop"]).code(2).says("none is running");
}

#[test]
fn a_device_that_cannot_be_opened_is_told_as_a_call_tells_it() {
    let project = Project::new();
    let nobody = nobody();
    let device = ["--device", "android:no-such", "--adb-server", &nobody];
    let call = project.run(&[&["call", "home"], &device[..]].concat()).code(3);
    let start = project.run(&[&["session", "start"], &device[..]].concat()).code(3);
    assert_eq!((start.stderr, start.stdout.as_str()), (call.stderr, ""));
    let call = project.run(&["call", "home", "--adb-server", &nobody]).code(3).json();
    let start = project.run(&["session", "start", "--adb-server", &nobody]).code(3);
    assert_eq!(start.stderr.trim_end(), format!("error: {}", text(&call["message"])));
    project.run(&["session", "start", "--device", "phone", "--record", "no/such/folder.yaml"]).code(2);
    project.run(&["session", "start", "--device", "phone", "--idle", "0"]).code(2).says("--idle");
    assert!(fs::read_dir(project.path("run")).unwrap().next().is_none());
}

#[test]
fn a_folder_that_others_may_look_into_is_not_used() {
    let project = Project::new();
    let sockets = project.path("run/uixt");
    fs::create_dir(&sockets).unwrap();
    fs::set_permissions(&sockets, fs::Permissions::from_mode(0o755)).unwrap();
    project.run(&["session", "start", "--device", "phone"]).code(3).says("not a folder of yours alone");
    project.run(&["call", "home", "--session", "a"]).code(3).says("not a folder of yours alone");
    project.run(&["call", "log", "a"]).code(0);
}

#[test]
fn twenty_sessions_are_not_mixed_up() {
    let project = Project::new();
    let names: Vec<String> = (0..20).map(|number| format!("s{number}")).collect();
    std::thread::scope(|scope| {
        let one = |name: &str| {
            project.run(&["session", "start", name, "--device", "phone"]).code(0);
            let call = |words: &[&str]| project.call(&[words, &["--session", name]].concat());
            call(&["app_launch", "com.uixt.shop"]);
            call(&["input", &format!("{{\"text\": \"user {name}\", \"into\": \"User name\"}}")]);
            let told = call(&["get_text", "id=user"]);
            assert_eq!(text(&told["text"]), format!("user {name}"));
            call(&["snapshot"])
        };
        let threads: Vec<_> = names.iter().map(|name| scope.spawn(move || one(name))).collect();
        for (thread, name) in threads.into_iter().zip(&names) {
            let told = thread.join().expect("its calls succeed");
            assert!(text(&told["snapshot"]).contains(&format!("= \"user {name}\"")), "{told}");
        }
    });
    let list = project.list();
    assert_eq!(items(&list).len(), 20);
    let began = Instant::now();
    project.run(&["session", "stop", "--all"]).code(0);
    assert!(began.elapsed() < Duration::from_mins(1));
    for one in items(&list) {
        project.assert_nothing_is_left(one["pid"].as_u64().unwrap());
    }
}
