//! Packages: only where they are allowed, only wheels, only for the session.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::{ask, only_python, run};
use crate::support::mcp_stdio::Server;

/// Writes wheels of packages that each are one module, and a source archive that nothing may build.
const WHEELS: &str = r#"
import sys, tarfile, zipfile, io
folder, = sys.argv[1:]
def wheel(name, version, text):
    about = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(f"{folder}/{name}-{version}-py3-none-any.whl", "w") as file:
        file.writestr(f"{name}.py", text)
        file.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        file.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{about}/RECORD", f"{name}.py,,\n{about}/METADATA,,\n{about}/WHEEL,,\n{about}/RECORD,,\n")
wheel("uixt_greeting", "1.0", "word = 'old'\n")
wheel("uixt_greeting", "1.2", "word = 'hello'\n")
wheel("uixt_broken", "1.0", "open('/etc/passwd')\n")
with tarfile.open(f"{folder}/uixt_source-1.0.tar.gz", "w:gz") as file:
    text = b"open('/tmp/uixt-was-here', 'w')\n"
    about = tarfile.TarInfo("uixt_source-1.0/setup.py")
    about.size = len(text)
    file.addfile(about, io.BytesIO(text))
"#;

/// Starts a server that may install what lies in a folder, and nothing else.
fn server(folder: &Path, options: &[&str]) -> Server {
    let made = Command::new("python3").args(["-I", "-c", WHEELS]).arg(folder).status().expect("Python");
    assert!(made.success());
    let mut command = Command::new(env!("CARGO_BIN_EXE_uixt"));
    command.args(["mcp-server", "--device", "phone", "--toolsets", "microsandbox"]).args(options);
    command.env("PATH", only_python(folder)).env_remove("UIXT_DEVICE");
    command.env("PIP_NO_INDEX", "1").env("PIP_FIND_LINKS", folder);
    let mut server = Server::of(command);
    server.initialize();
    server
}

#[track_caller]
fn install(server: &mut Server, id: u64, name: &str, version: Option<&str>) -> Value {
    ask(server, id, "install_package", &json!({"package_name": name, "version": version}))
}

#[test]
fn wheels_are_installed_for_the_session_where_that_is_allowed() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = server(folder.path(), &["--allow-packages"]);
    let answer = install(&mut server, 1, "uixt_greeting", Some("1.0"));
    assert_eq!((&answer["success"], &answer["version"]), (&json!(true), &json!("1.0")), "{answer}");
    assert_eq!(answer["install_details"]["modules"], json!(["uixt_greeting"]));
    assert_eq!(run(&mut server, 2, "import uixt_greeting; uixt_greeting.word")["result"], "old");
    let other = json!({"code": "import uixt_greeting", "session_id": "other"});
    assert_eq!(ask(&mut server, 3, "execute", &other)["details"]["code"], "ModuleNotFoundError");
    let answer =
        ask(&mut server, 4, "install_package", &json!({"package_name": "uixt-greeting", "session_id": "other"}));
    assert_eq!(answer["version"], "1.2", "{answer}");
    // It is the session's to read, and not to change: the next installer writes there.
    let change = "import uixt_greeting; open(uixt_greeting.__file__, 'a')";
    assert_eq!(run(&mut server, 5, change)["details"]["code"], "PermissionError");
    let answer = install(&mut server, 6, "uixt_broken", None);
    assert_eq!(answer["details"]["code"], "PackageImportFailed", "it runs behind the walls: {answer}");
    for (id, name) in [(7, "uixt_source"), (8, "uixt_nowhere")] {
        let answer = install(&mut server, id, name, None);
        assert_eq!(answer["details"]["code"], "PackageInstallationFailed", "{answer}");
    }
    assert!(!Path::new("/tmp/uixt-was-here").exists(), "what is no wheel is not run");
    for (id, name) in [(9, "--help"), (10, "git+https://localhost/a"), (11, "./uixt_source-1.0.tar.gz")] {
        assert_eq!(install(&mut server, id, name, None)["kind"], "BadArgument", "{name}");
    }
}

#[test]
fn nothing_is_installed_where_it_is_not_allowed() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = server(folder.path(), &[]);
    let answer = install(&mut server, 1, "uixt_greeting", None);
    assert_eq!(answer["kind"], "Unsupported", "{answer}");
    assert!(answer["message"].as_str().is_some_and(|message| message.contains("--allow-packages")), "{answer}");
}
