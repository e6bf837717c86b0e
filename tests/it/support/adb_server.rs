//! Debian's adb server on a port of its own.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::support::counterparts::{Phone, Running, program, wait_until};

/// Debian's adb server on a port of its own, with keys in a folder of its own.
pub(crate) struct Server {
    process: Running,
    pub(crate) port: u16,
    pub(crate) home: TempDir,
}

impl Server {
    #[track_caller]
    pub(crate) fn start() -> Self {
        let free = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let home = tempfile::tempdir().expect("a folder");
        let mut command = adb(home.path(), port);
        command.args(["server", "nodaemon"]).stdout(Stdio::null()).stderr(Stdio::null());
        let process = Running(command.spawn().expect("adb starts"));
        wait_until("the adb server listens", 20, || TcpStream::connect(("127.0.0.1", port)).is_ok());
        Self { process, port, home }
    }

    /// Starts it, and connects it to a phone's adbd; returns the serial that the phone has there.
    #[track_caller]
    pub(crate) fn with(phone: &Phone) -> (Self, String) {
        let server = Self::start();
        let serial = server.connect(phone.adbds[0]);
        (server, serial)
    }

    /// Returns the address as `--adb-server` takes it.
    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Connects it to an adbd; returns the serial that the phone has there.
    #[track_caller]
    pub(crate) fn connect(&self, port: u16) -> String {
        let serial = format!("127.0.0.1:{port}");
        assert_eq!(self.says(&["connect", &serial]), format!("connected to {serial}\n"));
        serial
    }

    pub(crate) fn adb(&self, arguments: &[&str]) -> Output {
        adb(self.home.path(), self.port).args(arguments).output().expect("adb starts")
    }

    /// Returns what adb prints; it must succeed.
    #[track_caller]
    pub(crate) fn says(&self, arguments: &[&str]) -> String {
        let output = self.adb(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).expect("a text")
    }

    /// Opens a service of the only device, as adb's own clients do.
    pub(crate) fn open(&self, service: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
        for request in ["host:transport-any", service] {
            write!(stream, "{:04x}{request}", request.len()).expect("a request");
            let mut okay = [0; 4];
            stream.read_exact(&mut okay).expect("an answer");
            assert_eq!(&okay, b"OKAY", "{request}");
        }
        stream
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.adb(&["kill-server"]);
        let _ = self.process.0.wait();
    }
}

pub(crate) fn adb(home: &Path, port: u16) -> Command {
    let mut command = Command::new(program("adb"));
    command.args(["-P", &port.to_string()]).stdin(Stdio::null());
    command.env("HOME", home).env("TMPDIR", home).env("ANDROID_ADB_SERVER_PORT", port.to_string());
    // It looks for emulators of this machine otherwise.
    command.env("ADB_LOCAL_TRANSPORT_MAX_PORT", "1");
    command.env_remove("ADB_SERVER_SOCKET").env_remove("ANDROID_SERIAL").env_remove("ADB_VENDOR_KEYS");
    command
}
