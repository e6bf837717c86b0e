//! `uixt mcp-server --http`: connections that say what they want too slowly, too often or several things at once.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::mcp_http::{Server, Session};

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(&server.address).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
    stream
}

/// Begins the head of a request.
fn begun(server: &Server) -> TcpStream {
    let mut stream = connect(server);
    stream.write_all(b"POST /mcp HTTP/1.1\r\nHost: ").expect("it is read");
    stream
}

/// Asks on a connection that stays, and returns the answer's status.
fn pinged(stream: &mut TcpStream, server: &Server) -> String {
    let request = format!("GET /ping HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    stream.write_all(request.as_bytes()).expect("it is read");
    let mut answer = [0; 4096];
    let read = stream.read(&mut answer).expect("an answer");
    String::from_utf8_lossy(&answer[..read]).chars().skip(9).take(3).collect()
}

/// Tells whether the server has hung up.
fn is_over(stream: &mut TcpStream) -> bool {
    stream.set_read_timeout(Some(Duration::from_millis(20))).expect("a timeout");
    match stream.read(&mut [0; 1]) {
        Ok(read) => read == 0,
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    }
}

#[test]
fn what_does_not_come_is_not_waited_for() {
    let server = Server::start(&[]);
    let mut guest = connect(&server);
    assert_eq!(pinged(&mut guest, &server), "200");
    let began = Instant::now();
    let mut head = begun(&server);
    let mut body = connect(&server);
    let lines = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 99";
    let request = format!("POST /mcp HTTP/1.1\r\nHost: {}\r\n{lines}\r\n\r\n{{\"json", server.address);
    body.write_all(request.as_bytes()).expect("it is read");
    assert_eq!(head.read(&mut [0; 1]).unwrap_or_default(), 0, "it is hung up on");
    assert!((9..19).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
    let mut answer = String::new();
    body.read_to_string(&mut answer).expect("an answer, and the end");
    assert!(answer.starts_with("HTTP/1.1 408 ") && answer.contains("did not come in time"), "{answer}");
    assert!(began.elapsed() < Duration::from_secs(19), "{:?}", began.elapsed());
    assert_eq!(pinged(&mut guest, &server), "200", "who was let in may pause");
}

#[test]
fn many_who_say_nothing_keep_nobody_out() {
    let server = Server::start(&[]);
    let mut guest = connect(&server);
    assert_eq!(pinged(&mut guest, &server), "200");
    let mut idle: Vec<TcpStream> = (0..300).map(|_| begun(&server)).collect();
    let began = Instant::now();
    let session = server.session("2025-11-25");
    assert_eq!(session.call(1, "get_screen_size", &json!({}))["structuredContent"]["width"], 1080);
    assert!(began.elapsed() < Duration::from_secs(9), "{:?}", began.elapsed());
    assert!(is_over(&mut idle[0]), "the oldest gave way");
    assert!(!is_over(&mut idle[299]), "the newest has its time");
    assert_eq!(pinged(&mut guest, &server), "200");
}

fn ping(id: u64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "ping"})
}

/// Sends a list of messages; returns the ids of the answers, and the codes of those that are errors.
fn answered(session: &Session<'_>, messages: &Value) -> Vec<(Value, Option<i64>)> {
    let mut answer = session.say(messages);
    assert_eq!(answer.status, 200, "{}", answer.head);
    let mut told = Vec::new();
    while let Some((_, data)) = answer.event() {
        let message: Value = serde_json::from_str(&data).unwrap_or_else(|error| panic!("{error}: {data}"));
        told.push((message["id"].clone(), message["error"]["code"].as_i64()));
    }
    told
}

#[test]
fn messages_in_a_list_are_for_the_version_that_has_them() {
    let server = Server::start(&[]);
    let session = server.session("2025-03-26");
    let sleep = json!({"name": "sleep", "arguments": {"seconds": 0.3}});
    let note = json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"});
    let slow = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": sleep});
    let mut told = answered(&session, &json!([slow, note, ping(2), {"jsonrpc": "2.0", "id": 3}]));
    assert_eq!(told.pop(), Some((json!(1), None)), "what takes longest comes last");
    told.sort_by_key(|(id, _)| id.as_u64());
    assert_eq!(told, [(json!(2), None), (json!(3), Some(-32600))]);
    assert_eq!(session.say(&json!([note])).status, 202);
    for (list, code) in [(json!([]), -32600), (json!(vec![note; 101]), -32600)] {
        let refused = session.say(&list);
        assert_eq!(refused.status, 400);
        assert_eq!(refused.message()["error"]["code"], code);
    }
    let refused = server.session("2025-06-18").say(&json!([ping(1)]));
    assert_eq!(refused.status, 400);
    let refused = refused.message();
    assert!(refused["error"]["message"].as_str().unwrap().contains("2025-03-26"), "{refused}");
}

#[test]
fn lines_hold_lists_in_that_version_too() {
    let mut server = crate::support::mcp_stdio::Server::start();
    let client = json!({"name": "test", "version": "0"});
    let params = json!({"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": client});
    server.ask(0, "initialize", &params);
    server.say(&json!([{"jsonrpc": "2.0", "method": "notifications/initialized"}, ping(1), 5, ping(2)]).to_string());
    let mut told: Vec<_> = (0..3).map(|_| server.hear()["id"].as_u64()).collect();
    told.sort_unstable();
    assert_eq!(told, [None, Some(1), Some(2)]);
    server.say("[]");
    assert_eq!(server.hear()["error"]["code"], -32600);
}
