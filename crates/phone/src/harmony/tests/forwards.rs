//! Ports that lead into the phone, and the agent behind them.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::{PATIENCE, Test};

/// A port that was free a moment ago.
async fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port()
}

/// A client of the agent that writes a JSON a line.
struct Agent(BufReader<TcpStream>);

impl Agent {
    async fn call(&mut self, method: &str, api: &str, this: Value, arguments: Value) -> Value {
        let params = json!({"api": api, "this": this, "args": arguments, "message_type": "hypium"});
        let call = json!({"module": "com.ohos.devicetest.hypiumApiHelper", "method": method, "params": params});
        self.0.get_mut().write_all(format!("{call}\n").as_bytes()).await.unwrap();
        let mut line = String::new();
        timeout(PATIENCE, self.0.read_line(&mut line)).await.unwrap().unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    async fn driver(&mut self, api: &str, arguments: Value) -> Value {
        let answer = self.call("callHypiumApi", &format!("Driver.{api}"), json!("Driver#0"), arguments).await;
        assert!(answer["exception"].is_null(), "{api}: {answer}");
        answer["result"].clone()
    }
}

/// Starts the agent, and connects to it.
async fn agent(test: &Test) -> Agent {
    let port = free_port().await;
    test.shell("echo so > /data/local/tmp/agent.so; uitest start-daemon singleness").await;
    assert_eq!(test.ask(&format!("fport tcp:{port} tcp:8012")).await, "Forwardport result:OK\r\n");
    Agent(BufReader::new(TcpStream::connect(("127.0.0.1", port)).await.unwrap()))
}

#[tokio::test]
async fn forwards_are_made_listed_and_ended() {
    let test = Test::new().await;
    let (port, inner) = (free_port().await, TcpListener::bind("127.0.0.1:0").await.unwrap());
    let behind = inner.local_addr().unwrap().port();
    assert_eq!(test.ask(&format!("fport tcp:{port} tcp:{behind}")).await, "Forwardport result:OK\r\n");
    assert_eq!(test.ask_of("", "fport ls").await, format!("uixt-harmony    tcp:{port} tcp:{behind}    [Forward]\n"));
    assert!(test.ask(&format!("fport tcp:{port} tcp:1")).await.starts_with("[Fail]TCP Port listen failed"));
    let mut near = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let (mut far, _) = inner.accept().await.unwrap();
    near.write_all(b"hello").await.unwrap();
    let mut bytes = [0; 5];
    far.read_exact(&mut bytes).await.unwrap();
    assert_eq!(&bytes, b"hello");
    let removed = test.ask(&format!("fport rm tcp:{port} tcp:{behind}")).await;
    assert_eq!(removed, format!("Remove forward ruler success, ruler:tcp:{port} tcp:{behind}\r\n"));
    assert!(
        test.ask(&format!("fport rm tcp:{port} tcp:{behind}")).await.starts_with("[Fail]Remove forward ruler failed")
    );
    assert_eq!(test.ask_of("", "fport ls").await, "[Empty]\r\n");
    assert!(test.ask("fport tcp:x tcp:1").await.starts_with("[Fail]"));
    assert!(test.ask("rport tcp:1 tcp:2").await.starts_with("[Fail]"));
}

#[tokio::test]
async fn the_agent_touches_types_and_turns() {
    let test = Test::new().await;
    test.open("com.uixt.shop").await;
    let mut agent = agent(&test).await;
    assert_eq!(agent.driver("create", json!([])).await, "Driver#0");
    assert_eq!(agent.driver("getDisplaySize", json!([])).await, json!({"x": 1260, "y": 2720}));
    let at: Vec<i32> = test.middle("id", "user").await.split(' ').map(|side| side.parse().unwrap()).collect();
    agent.driver("click", json!(at)).await;
    agent.driver("inputText", json!([{"x": 1, "y": 1}, "登录"])).await;
    assert_eq!(test.find("id", "user").await.unwrap()["text"], "登录");
    agent.driver("triggerKey", json!([2055])).await;
    assert_eq!(test.find("id", "user").await.unwrap()["text"], "登");
    agent.driver("pressBack", json!([])).await;
    assert!(test.find("bundleName", "com.example.kikakeyboard").await.is_none());
    agent.driver("setDisplayRotation", json!([1])).await;
    assert_eq!(agent.driver("getDisplayRotation", json!([])).await, 1);
    assert_eq!(test.dump().await["attributes"]["bounds"], "[0,0][2720,1260]");
    agent.driver("setDisplayRotation", json!([0])).await;
    let layout = agent.call("Captures", "captureLayout", Value::Null, json!([])).await;
    assert_eq!(layout["result"]["children"][0]["attributes"]["bundleName"], "com.uixt.shop");
    let unknown = agent.call("callHypiumApi", "Driver.nothing", json!("Driver#0"), json!([])).await;
    assert_eq!(unknown["exception"]["code"], 401);
    let on = agent.call("callHypiumApi", "On.text", json!("On#seed"), json!(["Sign in"])).await["result"].clone();
    let found = agent.driver("findComponents", json!([on])).await;
    let text = agent.call("callHypiumApi", "Component.getText", found[0].clone(), json!([])).await;
    assert_eq!(text["result"], "Sign in");
}

#[tokio::test]
async fn the_agent_moves_one_finger_and_two() {
    let test = Test::new().await;
    test.open("com.uixt.touchlab").await;
    let pad = test.middle("text", "Gesture pad").await;
    test.input(&format!("click {pad}")).await;
    let mut agent = agent(&test).await;
    for (fingers, name) in [
        (vec![vec![(600, 1200), (600, 1200)]], "Tap"),
        (vec![vec![(300, 1200), (600, 1200), (900, 1200)]], "Swipe right"),
        (vec![vec![(500, 1200), (300, 1200)], vec![(700, 1200), (900, 1200)]], "Pinch out"),
        (vec![vec![(300, 1200), (550, 1200)], vec![(900, 1200), (650, 1200)]], "Pinch in"),
    ] {
        let size = json!([fingers.len(), fingers[0].len()]);
        let matrix = agent.call("callHypiumApi", "PointerMatrix.create", Value::Null, size).await["result"].clone();
        for (finger, points) in fingers.iter().enumerate() {
            for (step, (x, y)) in points.iter().enumerate() {
                let point = json!([finger, step, {"x": x + 65536 * 50, "y": y}]);
                agent.call("callHypiumApi", "PointerMatrix.setPoint", matrix.clone(), point).await;
            }
        }
        agent.driver("injectMultiPointerAction", json!([matrix, 2000])).await;
        assert_eq!(test.find("id", "gesture").await.unwrap()["text"], name);
    }
    for (api, x) in [("touchDown", 300), ("touchMove", 600), ("touchUp", 900)] {
        agent.call("Gestures", api, Value::Null, json!({"x": x, "y": 1200})).await;
    }
    assert!(test.find("id", "gesture").await.unwrap()["text"].as_str().unwrap().contains("right"));
}

#[tokio::test]
async fn the_agent_ends_and_resets_and_has_a_socket() {
    let test = Test::new().await;
    let mut first = agent(&test).await;
    first.driver("create", json!([])).await;
    let ps = test.shell("ps -ef").await;
    assert!(ps.contains("uitest start-daemon singleness"), "{ps}");
    let process = test.shell("pidof uitest").await;
    assert_eq!(test.shell(&format!("kill -9 {}", process.trim())).await, "");
    let mut rest = String::new();
    timeout(PATIENCE, first.0.read_line(&mut rest)).await.unwrap().unwrap_or(0);
    assert_eq!((rest.as_str(), test.shell("pidof uitest").await.as_str()), ("", ""));
    test.fault("agent_resets", json!(1)).await;
    let mut reset = agent(&test).await;
    assert!(timeout(PATIENCE, reset.0.read_u8()).await.unwrap().is_err());
    test.fault("agent_socket", json!(true)).await;
    let port = free_port().await;
    test.ask(&format!("fport tcp:{port} localabstract:uitest_socket")).await;
    let mut second = Agent(BufReader::new(TcpStream::connect(("127.0.0.1", port)).await.unwrap()));
    assert_eq!(second.driver("create", json!([])).await, "Driver#0");
}
