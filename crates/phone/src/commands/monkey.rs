//! `monkey -p PACKAGE -c CATEGORY 1`: the usual way to start an app by its package alone. Source: AOSP `Monkey.java` and the
//! script `/system/bin/monkey` around it.

use std::io;

use super::call::Call;
use super::packages;

pub(super) async fn monkey(call: &mut Call<'_>) -> io::Result<u8> {
    let echoed: Vec<String> = call.arguments.iter().map(|argument| format!("  bash arg: {argument}\n")).collect();
    call.out(echoed.concat()).await?;
    let (mut name, mut count) = (None, None);
    let mut arguments = std::mem::take(&mut call.arguments).into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-p" => name = arguments.next(),
            "-c" | "-s" | "--throttle" | "--pct-syskeys" | "--pct-touch" => drop(arguments.next()),
            option if option.starts_with('-') => {}
            number => count = number.parse::<u32>().ok(),
        }
    }
    let (Some(name), Some(count)) = (name, count) else {
        return call
            .fail(255, "** Error: Count not specified\nusage: monkey [-p ALLOWED_PACKAGE] [-c MAIN_CATEGORY] COUNT")
            .await;
    };
    if count != 1 {
        return call.fail(255, "** Error: the virtual phone takes one event only: the launch").await;
    }
    let target = name.clone();
    let launched = call.handset().act(async move |mut system| {
        let there = packages::find(&system, &target).is_some_and(|package| package.activity.is_some());
        there && system.launch(&target).await.is_ok()
    });
    if !launched.await? {
        return call.fail(252, "** No activities found to run, monkey aborted.").await;
    }
    call.handset()
        .note("ActivityTaskManager", format!("START u0 {{act=android.intent.action.MAIN pkg={name}}} from uid 2000"))
        .await;
    call.done("Events injected: 1\n## Network stats: elapsed time=0ms (0ms mobile, 0ms wifi, 0ms not connected)\n")
        .await
}
