//! `snapshot_display` and `uitest screenCap`: the screen as a picture.

use std::io;
use std::path::Path;

use super::words::value;
use crate::commands::Call;
use crate::jobs::off_thread;
use crate::screenshot::encoded;
use uixt_canvas::jpeg;

/// As good as a JPEG of `snapshot_display`.
const QUALITY: u32 = 90;
/// Where pictures may be written.
const FOLDER: &str = "/data/local/tmp/";

/// `snapshot_display [-f FILE] [-i DISPLAY]`. Source: `window_manager/snapshot` of OpenHarmony.
pub(crate) async fn snapshot_display(call: &mut Call<'_>) -> io::Result<String> {
    let words = std::mem::take(&mut call.arguments);
    let now = call.handset().now_ms().await;
    let name = value(&words, "-f").map_or_else(|| format!("{FOLDER}snapshot_{now}.jpeg"), str::to_owned);
    let display = value(&words, "-i").unwrap_or("0");
    if display != "0" {
        return Ok(format!("error: displayId {display} invalid!\n"));
    }
    let kind = match Path::new(&name).extension().and_then(|end| end.to_str()) {
        Some("png") => "png",
        Some("jpeg") => "jpeg",
        _ => {
            return Ok(format!("error: fileName {name} invalid, file name must end with .jpeg or .png!\n"));
        }
    };
    if !name.starts_with(FOLDER) {
        return Ok(format!("error: path {name} invalid, it must be in {FOLDER}!\n"));
    }
    if call.handset().harmony.faults.take("snapshot_fails") {
        return Ok("error: snapshot display failed\n".to_owned());
    }
    let Some((width, height)) = take(call, &name, kind == "png").await? else {
        return Ok("error: snapshot display write to file failed!\n".to_owned());
    };
    let size = format!("width {width}, height {height}");
    Ok(format!(
        "process: set filename to {name}\nprocess: display 0: {size}\n\
         success: snapshot display 0, write to {name} as {kind}, {size}\n"
    ))
}

/// `uitest screenCap [-p FILE]`.
pub(super) async fn screen_cap(call: &Call<'_>, words: &[String]) -> io::Result<String> {
    let now = call.handset().now_ms().await;
    let name = value(words, "-p").map_or_else(|| format!("{FOLDER}screenCap_{now}.png"), str::to_owned);
    match take(call, &name, true).await? {
        Some(_) => Ok(format!("ScreenCap saved to {name}\n")),
        None => Ok("ScreenCap failed: \n".to_owned()),
    }
}

/// Writes the screen as a picture; returns its size, none where it cannot be written.
async fn take(call: &Call<'_>, name: &str, is_png: bool) -> io::Result<Option<(u32, u32)>> {
    let (width, height, pixels) = call.handset().system.lock().await.pixels();
    let encode = move || {
        if is_png { encoded(width, height, &pixels) } else { Ok(jpeg::encoded((width, height), &pixels, QUALITY)) }
    };
    let picture = off_thread(Box::new(encode)).await?;
    call.handset().harmony.counts.add("screenshots", 1);
    let path = call.shell.path(name);
    let mut files = call.handset().files.lock();
    let written = files.create(&path, 0o666).and_then(|()| files.append(&path, &picture));
    Ok(written.is_ok().then_some((width, height)))
}
