//! Files that come and go, by the server's own computer and by the client; packages; what bundles and services tell.

use serde_json::{Value, json};

use super::super::serial::{self, Field};
use super::Test;
use crate::package::tests::apk;

fn number(message: &[u8]) -> (u16, &[u8]) {
    (u16::from_le_bytes([message[0], message[1]]), &message[2..])
}

fn binary(number: u16, payload: &[u8]) -> Vec<u8> {
    [&number.to_le_bytes()[..], payload].concat()
}

fn part(index: usize, bytes: &[u8]) -> Vec<u8> {
    let size = bytes.len() as u64;
    let head = [(1, index as u64), (2, 0), (3, size), (4, size)].map(|(tag, number)| (tag, Field::Number(number)));
    let mut head = serial::write(&head);
    head.resize(64, 0);
    [head, bytes.to_vec()].concat()
}

#[tokio::test]
async fn the_server_moves_files_of_its_computer() {
    let test = Test::new().await;
    let folder = std::env::temp_dir().join(format!("uixt-harmony-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (near, back) = (folder.join("a b.bin"), folder.join("back.bin"));
    let content: Vec<u8> = (0..200_000_u32).map(|number| number.to_le_bytes()[0] ^ number.to_le_bytes()[1]).collect();
    std::fs::write(&near, &content).unwrap();
    let sent = test.ask(&format!("file send -cwd \"{}/\" \"a b.bin\" /data/local/tmp/", folder.display())).await;
    assert!(sent.starts_with("FileTransfer finish, Size:200000, File count = 1, time:"), "{sent}");
    let received = test.ask(&format!("file recv \"/data/local/tmp/a b.bin\" {}", back.display())).await;
    assert!(received.starts_with("FileTransfer finish"), "{received}");
    assert_eq!(std::fs::read(&back).unwrap(), content);
    for (command, why) in [
        (
            "file send /not/there /data/local/tmp/x",
            "[Fail]Error opening file: no such file or directory, path:/not/there\r\n",
        ),
        ("file recv /not/there /tmp/x", "[Fail]Error opening file: no such file or directory, path:/not/there\r\n"),
        ("file move a b", "[Fail][E005200] Unsupport file command\r\n"),
        ("install /tmp/x.txt", "[Fail][E006001] Not any installation package was found\r\n"),
    ] {
        assert_eq!(test.ask(command).await, why, "{command}");
    }
    assert!(test.ask(&format!("file send {} /system/x", back.display())).await.contains("read-only file system"));
    let package = folder.join("made.hap");
    std::fs::write(&package, apk("com.made.app", 3)).unwrap();
    let installed = test.ask(&format!("install -r {}", package.display())).await;
    assert!(
        installed.contains("msg:install bundle successfully.") && installed.ends_with("AppMod finish\r\n"),
        "{installed}"
    );
    assert!(test.shell("bm dump -a").await.contains("\tcom.made.app\n"));
    let told = test.shell("bm dump -n com.made.app").await;
    let told: Value = serde_json::from_str(told.split_once('\n').unwrap().1).unwrap();
    assert_eq!(
        (told["versionCode"].as_u64(), told["hapModuleInfos"][0]["abilityInfos"][0]["name"].as_str()),
        (Some(3), Some("EntryAbility"))
    );
    assert!(test.ask("uninstall com.made.app").await.contains("uninstall bundle successfully."));
    assert!(test.ask("uninstall com.made.app").await.contains("code:9568386"));
    assert_eq!((test.acts("installs"), test.acts("uninstalls"), test.acts("files")), (1, 1, 2));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test]
async fn a_client_elsewhere_moves_the_bytes_itself() {
    let test = Test::new().await;
    let content = "登录 ".repeat(20_000).into_bytes();
    let mut stream = test.connect(&test.key).await;
    Test::write(&mut stream, b"file send remote -cwd \"/home/\" near.txt /data/local/tmp/far.txt\0").await;
    let told = Test::read(&mut stream).await.unwrap();
    assert_eq!(number(&told), (3000, b"-cwd /home/ near.txt /data/local/tmp/far.txt".as_slice()));
    let config = serial::write(&[
        (1, Field::Number(content.len() as u64)),
        (5, Field::Bytes(b"/data/local/tmp/far.txt".to_vec())),
        (6, Field::Bytes(b"near.txt".to_vec())),
    ]);
    Test::write(&mut stream, &binary(3001, &config)).await;
    assert_eq!(number(&Test::read(&mut stream).await.unwrap()).0, 3002);
    for (place, bytes) in content.chunks(40_000).enumerate() {
        Test::write(&mut stream, &binary(3003, &part(place * 40_000, bytes))).await;
    }
    assert_eq!(number(&Test::read(&mut stream).await.unwrap()), (3004, [1].as_slice()));
    Test::write(&mut stream, &binary(3004, &[0])).await;
    let said = Test::read(&mut stream).await.unwrap();
    assert!(String::from_utf8(said).unwrap().starts_with("FileTransfer finish, Size:140000"));
    assert_eq!(Test::read(&mut stream).await, None);

    let mut stream = test.connect(&test.key).await;
    Test::write(&mut stream, b"file recv remote -cwd \"/home/\" /data/local/tmp/far.txt back.txt").await;
    let told = Test::read(&mut stream).await.unwrap();
    let (kind, config) = number(&told);
    let config = serial::read(config).unwrap();
    assert_eq!((kind, serial::number(&config, 1), serial::text(&config, 5).as_str()), (3001, 140_000, "back.txt"));
    Test::write(&mut stream, &binary(3002, &[0; 8])).await;
    let mut received = Vec::new();
    while received.len() < content.len() {
        let message = Test::read(&mut stream).await.unwrap();
        let (kind, data) = number(&message);
        assert_eq!((kind, serial::number(&serial::read(&data[..64]).unwrap(), 1)), (3003, received.len() as u64));
        received.extend_from_slice(&data[64..]);
    }
    assert_eq!(received, content);
    Test::write(&mut stream, &binary(3004, &[1])).await;
    assert_eq!(number(&Test::read(&mut stream).await.unwrap()), (3004, [0].as_slice()));

    let package = apk("com.made.app", 4);
    let mut stream = test.connect(&test.key).await;
    Test::write(&mut stream, b"install remote -cwd \"/home/\" -r made.hap").await;
    assert_eq!(number(&Test::read(&mut stream).await.unwrap()).0, 3500);
    let config = serial::write(&[(1, Field::Number(package.len() as u64)), (6, Field::Bytes(b"x.hap".to_vec()))]);
    Test::write(&mut stream, &binary(3501, &config)).await;
    assert_eq!(number(&Test::read(&mut stream).await.unwrap()).0, 3502);
    Test::write(&mut stream, &binary(3503, &part(0, &package))).await;
    let ended = Test::read(&mut stream).await.unwrap();
    assert_eq!(number(&ended), (3504, b"\x01\x01install bundle successfully.".as_slice()));

    let mut stream = test.connect(&test.key).await;
    Test::write(&mut stream, b"file send remote near.txt /data/local/tmp/odd.txt").await;
    Test::read(&mut stream).await.unwrap();
    Test::write(&mut stream, b"nonsense").await;
    assert!(String::from_utf8(Test::read(&mut stream).await.unwrap()).unwrap().starts_with("[Fail]Transfer Stop"));
    assert!(test.shell("ls /data/local/tmp/odd.txt").await.contains("No such file"));
}

#[tokio::test]
async fn services_and_parameters_are_told() {
    let test = Test::new().await;
    assert_eq!(test.shell("param get const.product.brand").await, "uixt\n");
    assert!(test.shell("param get no.such").await.contains("fail"));
    assert!(test.shell("param set persist.x 1; param get persist.x").await.ends_with("success\n1\n"));
    assert!(test.shell("hidumper -s RenderService -a screen").await.contains("activeMode: 1260x2720, refreshrate=60"));
    assert!(test.shell("hidumper -s BatteryService -a -i").await.contains("capacity: 100"));
    let picture = test.shell("snapshot_display -f /data/local/tmp/s.jpeg").await;
    assert!(picture.contains("width 1260, height 2720") && picture.contains("success"), "{picture}");
    assert!(test.shell("uitest screenCap -p /data/local/tmp/s.png").await.starts_with("ScreenCap saved to /data"));
    assert!(test.shell("ls /data/local/tmp").await.contains("s.png"));
    assert_eq!(test.shell("chmod 600 /data/local/tmp/s.png; stat -c %a /data/local/tmp/s.png").await, "600\n");
    test.open("com.uixt.shop").await;
    assert!(test.ask("hilog -x").await.contains("StartAbility com.uixt.shop"));
    assert_eq!(test.shell("hilog -x -L E,F").await, "");
    assert!(test.shell("hilog -x -L X").await.starts_with("Invalid log level"));
    assert!(test.shell("hidumper -s ScreenlockService -a -all").await.contains("* screenLocked  \t\tfalse"));
    assert!(test.shell("hilog -r; hilog -x").await.ends_with("successfully\n"));
    assert!(test.shell("aa start -a Other -b com.uixt.shop").await.starts_with("error: failed to start ability."));
    assert!(test.shell("aa start -U nowhere://x").await.contains("10103101"));
    assert!(test.shell("aa start -U uixt-shop://product/tea").await.contains("successfully"));
    assert_eq!(test.shell("bm clean -n com.uixt.shop -d").await, "clean bundle data files successfully.\n");
    assert_eq!((test.acts("clears"), test.acts("links"), test.acts("launches")), (1, 1, 1));
    test.phone.set_fault(&test.key, "agent_resets", json!(null)).await.unwrap();
}

#[tokio::test]
async fn the_screen_is_recorded() {
    let test = Test::new().await;
    let recorder = "aa start -b com.huawei.hmos.screenrecorder -a com.huawei.hmos.screenrecorder.ServiceExtAbility";
    assert!(test.shell(&format!("{recorder} --ps CustomizedFileName a.mp4")).await.contains("successfully"));
    assert_eq!(test.shell("mediatool query a.mp4 -u").await, "find 0 result\n");
    test.open("com.uixt.shop").await;
    assert!(test.shell(recorder).await.contains("successfully"));
    let found = test.shell("mediatool query a.mp4 -u").await;
    let uri = found.split('"').nth(1).unwrap();
    assert!(test.shell(&format!("mediatool recv {uri} /data/local/tmp/a.mp4")).await.starts_with("[SUCCESS]"));
    let size = test.shell("stat -c %s /data/local/tmp/a.mp4").await;
    assert!(size.trim().parse::<u64>().unwrap() > 1000, "{size}");
}
