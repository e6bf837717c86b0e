//! Commands that tell who and when: `id`, `whoami`, `uname`, `date`.

use std::fmt::Write as _;
use std::io;

use chrono::DateTime;

use super::call::Call;

const GROUPS: &str = "2000(shell),1004(input),1007(log),1011(adb),1015(sdcard_rw),1028(sdcard_r),1078(ext_data_rw),\
                      1079(ext_obb_rw),3001(net_bt_admin),3002(net_bt),3003(inet),3006(net_bw_stats),3009(readproc),\
                      3011(uhid),3012(readtracefs)";

pub(super) async fn id(call: &mut Call<'_>) -> io::Result<u8> {
    match call.arguments.first().map(String::as_str) {
        None => call.done(format!("uid=2000(shell) gid=2000(shell) groups={GROUPS} context=u:r:shell:s0\n")).await,
        Some("-u" | "-g") => call.done("2000\n").await,
        Some("-un" | "-gn" | "-nu" | "-ng") => call.done("shell\n").await,
        Some(other) => call.fail(1, &format!("id: no such user '{other}'")).await,
    }
}

pub(super) async fn whoami(call: &mut Call<'_>) -> io::Result<u8> {
    call.done("shell\n").await
}

pub(super) async fn uname(call: &mut Call<'_>) -> io::Result<u8> {
    const FIELDS: [(char, &str); 6] = [
        ('s', "Linux"),
        ('n', "localhost"),
        ('r', "6.1.43-android14-uixt"),
        ('v', "#1 SMP PREEMPT"),
        ('m', "aarch64"),
        ('o', "Toybox"),
    ];
    let switches = match call.switches("asnrvmo") {
        Ok(switches) if switches.is_empty() => "s".to_owned(),
        Ok(switches) => switches,
        Err(unknown) => return super::files::unknown_option(call, "uname", unknown).await,
    };
    let chosen = FIELDS.iter().filter(|(letter, _)| switches.contains([*letter, 'a'])).map(|(_, text)| *text);
    call.done(format!("{}\n", chosen.collect::<Vec<_>>().join(" "))).await
}

/// `date [-u] [+FORMAT]`, by the phone's clock, in UTC.
pub(super) async fn date(call: &mut Call<'_>) -> io::Result<u8> {
    let now = call.handset().date_ms().await;
    let mut format = "%a %b %e %H:%M:%S UTC %Y".to_owned();
    for argument in &call.arguments {
        match argument.strip_prefix('+') {
            Some(wanted) => format = wanted.to_owned(),
            None if argument == "-u" => {}
            None => return call.fail(1, "date: cannot set date: Operation not permitted").await,
        }
    }
    let time = i64::try_from(now).ok().and_then(DateTime::from_timestamp_millis).unwrap_or_default();
    // Android's own %N is a number of nanoseconds, chrono's is %f.
    let mut text = String::new();
    let written = writeln!(text, "{}", time.format(&format.replace("%N", "%f")));
    if written.is_err() {
        return call.fail(1, &format!("date: bad format '{format}'")).await;
    }
    call.done(text).await
}
