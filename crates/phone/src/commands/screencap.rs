//! `screencap`: the screen as PNG or raw. Source: AOSP `frameworks/base/cmds/screencap/screencap.cpp` (raw header: width,
//! height, format, data space, 32 bits each, little endian).

use std::io;
use std::path::Path;

use super::call::Call;
use crate::jobs::off_thread;
use crate::screenshot::encoded;

const FORMAT_RGBA_8888: u32 = 1;
const DATASPACE_SRGB: u32 = 1;
/// What `SurfaceFlinger` calls the screen: an emulator's number of its first display.
pub(super) const SCREEN_ID: &str = "4619827259835644672";
const USAGE: &str = "usage: screencap [-hp] [-d display-id] [FILENAME]\n";

pub(super) async fn screencap(call: &mut Call<'_>) -> io::Result<u8> {
    let (mut png, mut file) = (false, None);
    let mut arguments = std::mem::take(&mut call.arguments).into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-p" => png = true,
            "-a" => {}
            "-d" => match arguments.next() {
                Some(display) if display == SCREEN_ID => {}
                // The screen's number, 0, is none of these ids.
                Some(_) => return call.fail(1, "Failed to take screenshot. Status: -2\nCapturing failed.").await,
                None => return call.err(USAGE).await.map(|()| 1),
            },
            "-h" => return call.err(USAGE).await.map(|()| 1),
            name => file = Some(name.to_owned()),
        }
    }
    let target = file.as_ref().map(|name| call.shell.path(name));
    png |= target.as_ref().is_some_and(|path| Path::new(path).extension().is_some_and(|end| end == "png"));
    let (width, height, pixels) = call.handset().system.lock().await.pixels();
    let encode = move || if png { encoded(width, height, &pixels) } else { Ok(raw(width, height, &pixels)) };
    let picture = off_thread(Box::new(encode)).await?;
    let Some(path) = target else { return call.done(picture).await };
    let written = {
        let mut files = call.handset().files.lock();
        files.create(&path, 0o660).and_then(|()| files.append(&path, &picture))
    };
    match written {
        Ok(()) => Ok(0),
        Err(errno) => call.fail(1, &format!("Error opening file: {} ({errno})", file.unwrap_or_default())).await,
    }
}

fn raw(width: u32, height: u32, pixels: &[u8]) -> Vec<u8> {
    let mut bytes = [width, height, FORMAT_RGBA_8888, DATASPACE_SRGB].map(u32::to_le_bytes).concat();
    bytes.extend_from_slice(pixels);
    bytes
}
