//! The tools that reach the host, against real commands and servers that behave and that do not.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use uixt::functions::Functions;
use uixt::tools::{Audience, Local};
use uixt_call::{Call, CallToolRequest, Caller};
use uixt_toolkit::Session;

use crate::support::raw_server::{Asked, reply, serve};
use crate::support::{Test, nobody};

/// How soon what has an end within a second must have ended, on a busy machine.
const SOON: Duration = Duration::from_secs(15);

fn caller() -> Local {
    Local::new(Arc::default(), Arc::default(), Audience::Testcase)
}

/// Makes a call; returns the whole answer.
async fn call(local: &Local, tool: &str, arguments: Value) -> Value {
    let Value::Object(arguments) = arguments else { panic!("arguments are a map") };
    let request = CallToolRequest::new(tool.to_owned()).with_arguments(arguments);
    let result = local.call(request, Call::default()).await;
    result.structured_content.expect("an object")
}

async fn request(arguments: Value) -> Value {
    call(&caller(), "request", arguments).await
}

/// Checks that a call failed with this kind, and that its message has these parts.
#[track_caller]
fn assert_failed(answer: &Value, kind: &str, parts: &[&str]) {
    assert_eq!(answer["kind"], kind, "{answer}");
    let message = answer["message"].as_str().expect("a message");
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in `{message}`");
    }
}

/// Returns the most memory that this process ever held, in MiB.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line");
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().expect("a number") / 1024
}

#[tokio::test]
async fn a_command_is_judged_by_its_exit_code() {
    let local = caller();
    let done = call(&local, "shell", json!({"string": "echo $A 登录; echo no >&2", "env": {"A": 1}})).await;
    assert_eq!((&done["exit_code"], &done["stdout"], &done["stderr"]), (&json!(0), &json!("1 登录"), &json!("no")));
    assert_eq!(call(&local, "shell", json!({"string": "exit 3", "expect_exit_code": 3})).await["success"], true);
    let failed = call(&local, "shell", json!({"string": "echo why; echo because >&2; exit 4"})).await;
    assert_failed(&failed, "Assertion", &["expected exit code 0 but was 4", "stderr: because", "stdout: why"]);
    assert_failed(&call(&local, "shell", json!({"string": "kill -9 $$"})).await, "Assertion", &["was killed"]);
    assert_failed(
        &call(&local, "shell", json!({"string": "true", "cwd": "/no/such"})).await,
        "BadArgument",
        &["not a folder"],
    );
    assert_failed(&call(&local, "shell", json!({"string": " "})).await, "BadArgument", &["empty"]);
}

#[tokio::test]
async fn a_long_output_is_bounded_and_said_to_be_cut() {
    let before = peak_memory();
    let done = call(&caller(), "shell", json!({"string": "head -c 100000000 /dev/zero | tr '\\0' x; echo END"})).await;
    assert_eq!(done["truncated"], json!({"stdout": {"printed": 100_000_004, "kept": 1 << 20}}));
    let text = done["stdout"].as_str().expect("a text");
    assert!(text.len() < 2 << 20 && text.ends_with("END\n"), "{} bytes", text.len());
    assert!(peak_memory() < before + 40, "{} MiB more", peak_memory() - before);
}

#[test]
fn an_output_that_was_cut_is_never_judged() {
    const LONG: &str = "yes | head -c 2000000; echo ERROR; yes | head -c 2000000";
    let run = |shell: &str, rest: &str| {
        let text = format!("teststeps:\n- shell: \"{shell}\"\n  {rest}\n");
        Test::new(&["run", "case.yaml", "--report-dir", "out"]).file("case.yaml", text).run()
    };
    for rest in [
        "validate: [{not_contains: [stdout, ERROR]}]",
        "validate: [{length_less_than: [stdout, 3000000]}]",
        "validate: [{not_contains: ['@', ERROR]}]",
        "save: kept",
        "extract: {kept: stdout}",
    ] {
        run(LONG, rest)
            .code(1)
            .says("`stdout` was cut: 4000006 bytes were printed, 1048576 are")
            .says("write it to a file");
    }
    run(&format!("({LONG}) >&2"), "validate: [{not_contains: [stderr, ERROR]}]").code(1).says("`stderr` was cut");
    run(&format!("({LONG}) >&2; echo done"), "validate: [{equals: [stdout, done]}, {equals: [exit_code, 0]}]").code(0);
}

#[test]
fn a_null_that_is_there_is_asserted_and_not_kept() {
    let run = |rest: &str| {
        let value = "{a: null, b: [{c: 1}]}";
        let text =
            format!("teststeps:\n- assert_value: {{value: {value}, assert: type_match, expect: map}}\n  {rest}\n");
        Test::new(&["run", "case.yaml", "--report-dir", "out"]).file("case.yaml", text).run()
    };
    run("validate: [{eq: [value.a, null]}, {type_match: [value.a, none]}]").code(0);
    run("validate: [{ne: [value.a, 1]}]").code(1);
    run("validate: [{eq: [value.d, null]}]").code(1).says("has no `value.d`");
    run("extract: {kept: value.a}").code(1).says("`value.a || 'none'`");
    run("extract: {kept: \"value.a || 'none'\"}").code(0);
    run("validate: [{length_equals: ['value.b[].d', 0]}]").code(1).says("no item of `value.b` has `d`; they have: c");
}

/// Waits until no process has this word in its command line.
#[track_caller]
fn assert_gone(word: &str) {
    let runs = || {
        let processes = std::fs::read_dir("/proc").expect("Linux").flatten();
        let line = |entry: std::fs::DirEntry| std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        processes.map(line).any(|line| String::from_utf8_lossy(&line).split('\0').any(|argument| argument == word))
    };
    let started = Instant::now();
    while runs() {
        assert!(started.elapsed() < SOON, "{word} still runs");
        thread::sleep(Duration::from_millis(20));
    }
}

#[tokio::test]
async fn a_command_is_killed_with_all_that_it_started() {
    let local = caller();
    let started = Instant::now();
    let late = call(&local, "shell", json!({"string": "sleep 98765.1 & sleep 98765.1; echo", "timeout": 0.3})).await;
    assert_failed(&late, "Service", &["timed out after 0.3 s; the command was killed"]);
    assert_gone("98765.1");
    let left = call(&local, "shell", json!({"string": "sleep 98765.2 & echo done"})).await;
    assert_eq!(left["stdout"], "done");
    assert_gone("98765.2");
    let call = CallToolRequest::new("shell")
        .with_arguments(json!({"string": "sleep 98765.3"}).as_object().expect("a map").clone());
    let cancel = CancellationToken::new();
    let running = local.call(call, Call::until(cancel.clone()));
    let cancelling = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        cancel.cancel();
    };
    let (result, ()) = tokio::join!(running, cancelling);
    assert_eq!(result.structured_content.expect("an object")["kind"], "Interrupted");
    assert_gone("98765.3");
    assert!(started.elapsed() < SOON);
}

/// Answers with what was asked.
fn echo(asked: &Asked, stream: std::net::TcpStream) {
    let headers: serde_json::Map<_, _> =
        asked.headers.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
    let body = json!({"line": asked.line, "headers": headers, "body": asked.text()});
    let headers = [("Content-Type", "application/json"), ("x-request-id", "7"), ("Set-Cookie", "sid=abc; Path=/")];
    reply(stream, "200 OK", &headers, body.to_string().as_bytes());
}

#[tokio::test]
async fn a_request_is_sent_as_it_is_written() {
    let address = serve(|asked, stream| echo(&asked, stream));
    let local = caller();
    let send = |more: Value| {
        let mut arguments = json!({"url": format!("http://{address}/a?x=1"), "method": "post"});
        arguments.as_object_mut().expect("a map").extend(more.as_object().expect("a map").clone());
        call(&local, "request", arguments)
    };
    let done = send(json!({"params": {"b": ["1", 2]}, "headers": {"X-A": 5}, "json": {"名": null}})).await;
    assert_eq!((&done["status_code"], &done["proto"]), (&json!(200), &json!("HTTP/1.1")));
    assert_eq!((&done["headers"]["X-Request-Id"], &done["cookies"]), (&json!("7"), &json!({"sid": "abc"})));
    let body = &done["body"];
    assert_eq!(body["line"], "POST /a?x=1&b=1&b=2 HTTP/1.1");
    assert_eq!(body["headers"]["content-type"], "application/json");
    assert_eq!((&body["headers"]["x-a"], &body["body"]), (&json!("5"), &json!("{\"名\":null}")));
    // The case's cookies are kept, and joined with those that a call names.
    let done = send(json!({"data": {"a": "1 2", "b": [3, 4]}, "cookies": {"mine": "x"}})).await;
    assert_eq!(done["body"]["headers"]["cookie"], "sid=abc; mine=x");
    assert_eq!(
        (&done["body"]["body"], &done["body"]["headers"]["content-type"]),
        (&json!("a=1+2&b=3&b=4"), &json!("application/x-www-form-urlencoded"))
    );
    let done = send(json!({"body": "<a/>", "headers": {"content-type": "text/xml"}, "auth": {"basic": {"username": "u", "password": "p"}}})).await;
    assert_eq!((&done["body"]["body"], &done["body"]["headers"]["content-type"]), (&json!("<a/>"), &json!("text/xml")));
    assert_eq!(done["body"]["headers"]["authorization"], "Basic dTpw");
    let done = send(json!({"data": {"a": 1}, "headers": {"Content-Type": "application/json"}})).await;
    assert_eq!(done["body"]["body"], "{\"a\":1}");
    let done = send(json!({"body": {"a": 1}, "headers": {"Content-Type": "application/x-www-form-urlencoded"}})).await;
    assert_eq!(done["body"]["body"], "a=1");
}

#[tokio::test]
async fn a_cookie_that_would_become_others_is_not_sent() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let address = serve(move |asked, stream| {
        counted.fetch_add(1, Ordering::SeqCst);
        echo(&asked, stream);
    });
    let send = |cookies: Value| request(json!({"url": format!("http://{address}/"), "cookies": cookies}));
    for (cookies, why) in [
        (json!({"a": "b; admin=1"}), "the value of `a` holds `;`"),
        (json!({"a": "b\r\nX: y"}), "the value of `a` holds a line break"),
        (json!({"ok": 1, "a;b": "c"}), "the name `a;b` holds `;`"),
    ] {
        assert_failed(&send(cookies).await, "BadArgument", &[why]);
    }
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    assert_eq!(send(json!({"a": "b, c", "n": 1})).await["body"]["headers"]["cookie"], "a=b, c; n=1");
}

#[tokio::test]
async fn files_are_uploaded_and_a_misspelt_one_is_not_sent_as_text() {
    let address = serve(|asked, stream| echo(&asked, stream));
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.txt"), "inside").expect("a file");
    let session = Session::default().in_folder(folder.path());
    let local = Local::new(Arc::default(), Arc::new(session), Audience::Testcase);
    let url = format!("http://{address}/");
    let upload = json!({"f": "a.txt", "n": "plain", "g": {"file": "a.txt", "name": "b.png", "type": "image/png"}});
    let sent = call(&local, "request", json!({"url": url, "method": "POST", "upload": upload, "data": {"k": 1}})).await;
    let body = sent["body"]["body"].as_str().expect("a text");
    for part in ["filename=\"a.txt\"", "inside", "plain", "filename=\"b.png\"", "image/png", "name=\"k\""] {
        assert!(body.contains(part), "{part} is not in {body}");
    }
    let missing = call(&local, "request", json!({"url": url, "method": "POST", "upload": {"f": "b.txt"}})).await;
    assert_failed(&missing, "BadArgument", &["there is no file"]);
}

#[tokio::test]
async fn any_status_is_an_answer_and_redirects_are_followed_if_asked() {
    let address = serve(|asked, stream| match asked.path() {
        "/to" => reply(stream, "302 Found", &[("Location", "/end")], b""),
        "/end" => reply(stream, "404 Not Found", &[("Content-Type", "text/plain")], "没有".as_bytes()),
        _ => reply(stream, "302 Found", &[("Location", "/for/ever")], b""),
    });
    let url = |path: &str| format!("http://{address}{path}");
    let done = request(json!({"url": url("/to")})).await;
    assert_eq!((&done["success"], &done["status_code"], &done["body"]), (&json!(true), &json!(404), &json!("没有")));
    assert_eq!(done["url"], url("/end"));
    let stayed = request(json!({"url": url("/to"), "allow_redirects": false})).await;
    assert_eq!((&stayed["status_code"], &stayed["headers"]["Location"]), (&json!(302), &json!("/end")));
    assert_failed(&request(json!({"url": url("/for/ever")})).await, "Service", &["more than 10 redirects"]);
}

#[tokio::test]
async fn servers_that_do_not_answer_are_errors() {
    let stalls = serve(|asked, mut stream| {
        if asked.path() == "/drip" {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc");
        }
        thread::sleep(Duration::from_mins(1));
    });
    let started = Instant::now();
    let silent = request(json!({"url": format!("http://{stalls}/"), "timeout": 0.3})).await;
    assert_failed(&silent, "Service", &["GET http://127.0.0.1:", "no answer within 0.3 s"]);
    let dripping = request(json!({"url": format!("http://{stalls}/drip"), "timeout": 0.3})).await;
    assert_failed(&dripping, "Service", &["answered 200, but the body did not end", "3 bytes came"]);
    assert_failed(&request(json!({"url": format!("http://{}/", nobody())})).await, "Service", &["no connection"]);
    assert_failed(&request(json!({"url": "http://no-such-host.invalid/"})).await, "Service", &["no connection"]);
    let garbage = serve(|_, mut stream| drop(stream.write_all(b"\x00\x01 what is this?\r\n\r\n")));
    assert_failed(&request(json!({"url": format!("http://{garbage}/")})).await, "Service", &["no valid answer"]);
    let broken = serve(|_, mut stream| drop(stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")));
    assert_failed(&request(json!({"url": format!("http://{broken}/")})).await, "Service", &["broken off"]);
    assert!(started.elapsed() < SOON);
}

#[tokio::test]
async fn endless_bodies_end_early_with_memory_flat() {
    static SENT: AtomicUsize = AtomicUsize::new(0);
    let huge = serve(|_, mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n");
        let chunk = vec![b'x'; 1 << 16];
        while SENT.load(Ordering::SeqCst) < 1 << 30 && stream.write_all(&chunk).is_ok() {
            SENT.fetch_add(chunk.len(), Ordering::SeqCst);
        }
    });
    let before = peak_memory();
    let answer = request(json!({"url": format!("http://{huge}/")})).await;
    assert_failed(&answer, "Service", &["body above 10 MiB"]);
    let bomb = std::process::Command::new("sh").args(["-c", "head -c 200000000 /dev/zero | gzip -1"]).output();
    let bomb = bomb.expect("gzip").stdout;
    assert!(bomb.len() > 1000);
    let squeezed = serve(move |_, stream| reply(stream, "200 OK", &[("Content-Encoding", "gzip")], &bomb));
    assert_failed(&request(json!({"url": format!("http://{squeezed}/")})).await, "Service", &["body above 10 MiB"]);
    assert!(SENT.load(Ordering::SeqCst) < 64 << 20, "{} bytes were taken", SENT.load(Ordering::SeqCst));
    assert!(peak_memory() < before + 80, "{} MiB more", peak_memory() - before);
}

#[tokio::test]
async fn an_encoding_that_nobody_asked_for_is_an_error() {
    let address = serve(|_, stream| reply(stream, "200 OK", &[("Content-Encoding", "br")], b"\x0b\x02\x80abc\x03"));
    assert_failed(&request(json!({"url": format!("http://{address}/")})).await, "Service", &["encoded as br"]);
}

/// Serves `safe` over TLS with a certificate that nobody vouches for; returns the address.
fn self_signed() -> String {
    use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
    let folder = tempfile::tempdir().expect("a folder");
    let make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out cert.der \
                -outform DER -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 && \
                openssl pkcs8 -topk8 -nocrypt -in key.pem -outform DER -out key.der";
    let made = std::process::Command::new("sh").args(["-c", make]).current_dir(folder.path()).output();
    assert!(made.is_ok_and(|made| made.status.success()), "openssl makes a certificate");
    let file = |name: &str| std::fs::read(folder.path().join(name)).expect("a file");
    let config = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from(file("cert.der"))],
            PrivatePkcs8KeyDer::from(file("key.der")).into(),
        )
        .expect("a certificate with its key");
    let config = Arc::new(config);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = rustls::ServerConnection::new(Arc::clone(&config)).expect("a connection");
            let mut stream = rustls::StreamOwned::new(connection, stream);
            if Asked::read(&mut stream).is_some() {
                reply(stream, "200 OK", &[], b"safe");
            }
        }
    });
    address
}

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_refused_unless_asked_otherwise() {
    let url = format!("https://{}/", self_signed());
    assert_failed(&request(json!({"url": url})).await, "Service", &["no connection", "`verify: false`"]);
    assert_eq!(request(json!({"url": url, "verify": false})).await["body"], "safe");
}

/// Speaks just enough of RFC 6455 to misbehave: echoes, but for the messages `stall`, `close` and `huge`.
fn web_socket() -> String {
    use tokio_tungstenite::tungstenite::{Message, accept, protocol::CloseFrame};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let Ok(mut socket) = accept(stream) else { return };
                while let Ok(message) = socket.read() {
                    let answer = match &message {
                        Message::Text(text) if text.as_str() == "stall" => continue,
                        Message::Text(text) if text.as_str() == "close" => {
                            Message::Close(Some(CloseFrame { code: 4001.into(), reason: "enough".into() }))
                        }
                        Message::Text(text) if text.as_str() == "huge" => Message::binary(vec![0; 11 << 20]),
                        Message::Text(_) | Message::Binary(_) => message.clone(),
                        _ => continue,
                    };
                    if socket.send(answer).is_err() {
                        return;
                    }
                }
            });
        }
    });
    format!("ws://{address}/")
}

#[tokio::test]
async fn a_web_socket_is_opened_used_and_closed() {
    let (url, local) = (web_socket(), caller());
    let act = |kind: &str, more: Value| {
        let mut arguments = json!({"type": kind, "url": url, "timeout": 5000});
        arguments.as_object_mut().expect("a map").extend(more.as_object().expect("a map").clone());
        call(&local, "websocket", arguments)
    };
    assert_failed(&act("w", json!({"text": "a"})).await, "BadArgument", &["open one first"]);
    assert_eq!(act("open", json!({})).await["status_code"], 101);
    assert_eq!(act("wr", json!({"text": {"a": [1]}})).await["body"], json!({"a": [1]}));
    assert_eq!(act("w", json!({"binary": {"base64": "//4="}})).await["success"], true);
    assert_eq!(act("ping", json!({})).await["success"], true);
    let binary = act("r", json!({})).await;
    assert_eq!((&binary["body"], &binary["message_type"]), (&json!("//4="), &json!("binary")));
    let late = act("wr", json!({"text": "stall", "timeout": 200})).await;
    assert_failed(&late, "Service", &["no message within 0.2 s"]);
    assert_eq!(act("wr", json!({"text": "登录"})).await["body"], "登录");
    let closed = act("close", json!({"close_status": 1001, "text": "bye"})).await;
    assert_eq!((&closed["status_code"], &closed["body"]), (&json!(1001), &json!("bye")));
    assert_failed(&act("r", json!({})).await, "BadArgument", &["open one first"]);
}

#[tokio::test]
async fn an_open_web_socket_is_never_taken_for_one_with_other_headers() {
    let (url, local) = (web_socket(), caller());
    let act = |kind: &str, more: Value| {
        let mut arguments = json!({"type": kind, "url": url, "timeout": 5000});
        arguments.as_object_mut().expect("a map").extend(more.as_object().expect("a map").clone());
        call(&local, "websocket", arguments)
    };
    let (ann, bob) = (json!({"headers": {"X-User": "ann"}}), json!({"headers": {"X-User": "bob"}}));
    assert_eq!(act("open", ann.clone()).await["status_code"], 101);
    assert_eq!(act("open", ann.clone()).await["reused"], true);
    for (kind, more) in [("open", bob.clone()), ("open", json!({})), ("r", bob.clone()), ("ping", bob)] {
        let refused = act(kind, more).await;
        assert_failed(&refused, "BadArgument", &["opened with other headers (x-user)", "`new_connection: true`"]);
        assert!(!refused.to_string().contains("bob"), "{refused}");
    }
    assert_eq!(act("wr", json!({"text": "a", "headers": {"x-user": "ann"}})).await["body"], "a");
    // Other parameters are another address, and another connection.
    assert_failed(&act("w", json!({"text": "a", "params": {"a": 1}})).await, "BadArgument", &["open one first"]);
    assert_eq!(act("open", json!({"params": {"a": 1}})).await["status_code"], 101);
    let anew = json!({"headers": {"X-User": "bob"}, "new_connection": true});
    assert_eq!(act("open", anew).await["status_code"], 101);
    assert_failed(&act("open", ann).await, "BadArgument", &["other headers"]);
}

#[tokio::test]
async fn a_web_socket_that_the_server_has_closed_is_opened_anew() {
    let (url, local) = (web_socket(), caller());
    let act = |kind: &str, text: Option<&str>| {
        let arguments = json!({"type": kind, "url": url, "timeout": 5000, "text": text});
        call(&local, "websocket", arguments)
    };
    act("open", None).await;
    act("w", Some("kept")).await;
    act("w", Some("close")).await;
    let started = Instant::now();
    while act("open", None).await["reused"] == true {
        assert!(started.elapsed() < SOON, "the dead connection is still taken for open");
    }
    assert_eq!(act("wr", Some("fresh")).await["body"], "fresh");
}

#[tokio::test]
async fn a_web_socket_that_misbehaves_is_an_error() {
    let (url, local) = (web_socket(), caller());
    let open = || call(&local, "websocket", json!({"type": "open", "url": url}));
    let send = |text: &str| call(&local, "websocket", json!({"type": "wr", "url": url, "text": text, "timeout": 5000}));
    open().await;
    assert_failed(&send("close").await, "Service", &["the server closed the connection with 4001: enough"]);
    // Nobody reads what is written then.
    open().await;
    let write = |text: &str| call(&local, "websocket", json!({"type": "w", "url": url, "text": text, "timeout": 5000}));
    assert_eq!(write("kept").await["success"], true);
    assert_eq!(write("close").await["success"], true);
    let ended = std::time::Instant::now() + std::time::Duration::from_secs(20);
    let mut late = write("late").await;
    while late["success"] == true && std::time::Instant::now() < ended {
        late = write("late").await;
    }
    // Its word may still be on the way.
    assert_failed(&late, "Service", &["the connection"]);
    open().await;
    assert_failed(&send("huge").await, "Service", &["127.0.0.1"]);
    let dead = json!({"type": "open", "url": format!("ws://{}/", nobody())});
    assert_failed(&call(&local, "websocket", dead).await, "Service", &["no connection"]);
    let plain = serve(|_, stream| reply(stream, "403 Forbidden", &[], b"no"));
    let refused = call(&local, "websocket", json!({"type": "open", "url": format!("ws://{plain}/")})).await;
    assert_failed(&refused, "Service", &["answered 403 Forbidden"]);
    let silent = serve(|_, _stream| thread::sleep(Duration::from_mins(1)));
    let late = json!({"type": "open", "url": format!("ws://{silent}/"), "timeout": 200});
    assert_failed(&call(&local, "websocket", late).await, "Service", &["no handshake within 0.2 s"]);
}

#[tokio::test]
async fn a_session_that_ends_leaves_nothing_open() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("debugtalk.py"), "import os\ndef pid():\n    return os.getpid()\n")
        .expect("a file");
    let address = serve(|asked, stream| echo(&asked, stream));
    let session = Session::default().with_functions(Functions::of_project(folder.path()));
    let local = Local::new(Arc::default(), Arc::new(session), Audience::Testcase);
    let (url, socket) = (format!("http://{address}/"), web_socket());
    let pid = call(&local, "call_function", json!({"name": "pid"})).await["result"].as_u64().expect("a number");
    assert_eq!(call(&local, "call_function", json!({"name": "pid"})).await["result"], pid);
    call(&local, "request", json!({"url": url})).await;
    call(&local, "websocket", json!({"type": "open", "url": socket})).await;
    local.end();
    assert_eq!(call(&local, "call_function", json!({"name": "pid"})).await["result"], pid);
    assert!(std::path::Path::new(&format!("/proc/{pid}")).exists());
    assert_eq!(call(&local, "request", json!({"url": url})).await["body"]["headers"].get("cookie"), None);
    let closed = call(&local, "websocket", json!({"type": "r", "url": socket})).await;
    assert_failed(&closed, "BadArgument", &["open one first"]);
    drop(local);
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
}

#[tokio::test]
async fn agents_are_not_offered_the_host() {
    let everything = "all".parse().expect("a word for all sets");
    let local = Local::new(Arc::default(), Arc::default(), Audience::Agent).listing(everything);
    let listed: Vec<String> = local.list().await.into_iter().map(|tool| tool.name.to_string()).collect();
    for tool in ["shell", "request", "websocket", "call_function"] {
        assert!(!listed.contains(&format!("uixt__{tool}")), "{tool}");
        assert_failed(&call(&local, tool, json!({})).await, "BadArgument", &["is for testcases only"]);
    }
    let hidden = json!({"steps": [{"tool": "shell", "arguments": {"string": "true"}}]});
    assert!(listed.contains(&"uixt__batch".to_owned()));
    assert_ne!(call(&local, "batch", hidden).await["success"], true);
}
