//! What tests are made with; here the `Test` builder: a folder of its own, files in it, and the real program run there.

pub(crate) mod adb_server;
pub(crate) mod bench;
pub(crate) mod counterparts;
pub(crate) mod debian_adbd;
pub(crate) mod goals;
pub(crate) mod http;
pub(crate) mod mcp_http;
pub(crate) mod mcp_stdio;
pub(crate) mod model;
pub(crate) mod npm;
pub(crate) mod raw_server;
pub(crate) mod recorded_screen;
pub(crate) mod recording;
pub(crate) mod redis;
pub(crate) mod sample_runs;
pub(crate) mod site;
pub(crate) mod tampered;
pub(crate) mod written;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// Returns an address of this machine at which nobody listens.
pub(crate) fn nobody() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").to_string()
}

/// Returns Chromium's shell without windows, where it is installed as Debian does.
pub(crate) fn shell() -> Option<&'static str> {
    Some("/usr/lib/chromium/chromium-headless-shell").filter(|shell| Path::new(shell).is_file())
}

/// One run of the program in a folder of its own.
pub(crate) struct Test {
    folder: TempDir,
    arguments: Vec<String>,
}

/// What the program left.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    folder: TempDir,
}

/// Returns the items of what must be a list.
#[track_caller]
pub(crate) fn items(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

/// Returns what must be a text.
#[track_caller]
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

impl Test {
    pub(crate) fn new(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self { folder, arguments: arguments.iter().map(ToString::to_string).collect() }
    }

    /// Writes a file into the folder.
    pub(crate) fn file(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
        self
    }

    /// Returns the command, ready to be spawned.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_uixt"));
        command.args(&self.arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        // Nothing of the machine's own set-up may change what is tested.
        command.env_remove("UIXT_DEVICE").env_remove("UIXT_SESSION").env_remove("UIXT_ADB_SERVER").env("NO_COLOR", "1");
        // Another program's phones are no business of a test's.
        command.env_remove("UIXT_HDC_SERVER").env("OHOS_HDC_SERVER_PORT", "9");
        for server in ["GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "TEAMCITY_VERSION"] {
            command.env_remove(server);
        }
        command.env_remove("UIXT_UIA2").env_remove("UIXT_UIA2_APKS").env_remove("UIXT_HEADED");
        command.env_remove("UIXT_QUEUE");
        // A browser that happens to be there is no part of a test that does not ask for it.
        command.env("UIXT_BROWSER", "none");
        command
    }

    /// Returns the command for a test of pages: a browser may be used, by each driver the shell without windows, which starts in a
    /// third of the time. What tests the browser itself takes [`Test::command`] and the browser that is found.
    pub(crate) fn web_command(&self) -> Command {
        let mut command = self.command();
        match shell() {
            Some(shell) => command.env("UIXT_BROWSER", shell),
            None => command.env_remove("UIXT_BROWSER"),
        };
        command
    }

    /// Returns the path of a file in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn run(self) -> Ran {
        let output = self.command().output().expect("the program starts");
        self.ran(&output)
    }

    /// Returns another command line in the same folder, to be started.
    pub(crate) fn then_test(self, arguments: &[&str]) -> Self {
        Self { arguments: arguments.iter().map(ToString::to_string).collect(), ..self }
    }

    /// Runs another command line in the same folder.
    pub(crate) fn then(self, arguments: &[&str]) -> Ran {
        self.then_test(arguments).run()
    }

    /// Takes what a spawned command left.
    pub(crate) fn ran(self, output: &Output) -> Ran {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran {
            code: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
            folder: self.folder,
        }
    }
}

impl Ran {
    /// Runs another command line in the folder that this one left.
    pub(crate) fn then(self, arguments: &[&str]) -> Ran {
        self.test(arguments).run()
    }

    /// Returns another command line in the folder that this one left, to be started.
    pub(crate) fn test(self, arguments: &[&str]) -> Test {
        Test { folder: self.folder, arguments: arguments.iter().map(ToString::to_string).collect() }
    }

    /// Checks the exit code; shows what was printed where it is another.
    #[track_caller]
    pub(crate) fn code(self, wanted: i32) -> Self {
        assert_eq!(self.code, Some(wanted), "\nstdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Checks that something was said on standard error.
    #[track_caller]
    pub(crate) fn says(self, part: &str) -> Self {
        assert!(self.stderr.contains(part), "`{part}` is not in\n{}", self.stderr);
        self
    }

    /// Checks that something was printed on standard output.
    #[track_caller]
    pub(crate) fn prints(self, part: &str) -> Self {
        assert!(self.stdout.contains(part), "`{part}` is not in\n{}", self.stdout);
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Reads a file that must be JSON.
    #[track_caller]
    pub(crate) fn json(&self, name: &str) -> Value {
        let text = self.read(name);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"))
    }

    /// Reads what was printed as JSON.
    #[track_caller]
    pub(crate) fn printed(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}\n{}", self.stdout))
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }
}
