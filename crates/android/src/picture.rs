//! Several screens in one device → the picture of the one that is looked at and touched.
//!
//! A foldable has two panels, of which one shows the device's first display and the other is dark: which, changes with each
//! fold. `screencap` takes whichever it finds first, says so, and may bring home a black picture; it is then told which panel
//! shows the first display now. Source: AOSP `screencap.cpp` and `DisplayViewport.java`.

use super::answer::text;
use crate::adb::{Device, Output};
use crate::driver::Error;

/// How the warning begins that stands before the picture of a device with several panels.
const SEVERAL: &[u8] = b"[Warning] Multiple displays were found";
/// Bytes of other words that may stand before it.
const BEFORE: usize = 4096;
/// Tells which panel shows which display.
const LOOK: &str = "dumpsys display | grep mViewports=";

/// Returns what `screencap`, with its options, wrote of the first display.
pub(super) async fn take(device: &Device, command: &str) -> Result<Vec<u8>, Error> {
    let said = run(device, command).await?;
    if !said.iter().any(|bytes| warns(bytes)) {
        return Ok(picture(said));
    }
    match panel(&text(&device.shell(LOOK).await?.stdout)) {
        Some(panel) => Ok(picture(run(device, &format!("{command} -d {panel}")).await?)),
        // Before Android 10 there is nothing to choose by.
        None => Ok(picture(said)),
    }
}

/// Returns what a command wrote, and what it said beside.
///
/// Not by `exec:` where there is a choice: adbd now and then ends that before all of its output is sent, and does not tell.
async fn run(device: &Device, command: &str) -> Result<[Vec<u8>; 2], Error> {
    if !device.has_feature("shell_v2").await? {
        return Ok([device.exec(command).await?, Vec::new()]);
    }
    let Output { stdout, stderr, .. } = device.shell(command).await?;
    Ok([stdout, stderr])
}

/// Returns the picture, or the words of a command that wrote none.
fn picture([written, said]: [Vec<u8>; 2]) -> Vec<u8> {
    if written.is_empty() { said } else { written }
}

fn warns(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(BEFORE)];
    head.windows(SEVERAL.len()).any(|window| window == SEVERAL)
}

/// Returns the number of the panel that shows display 0, as in `displayId=0, uniqueId='local:4619827259835644672'`.
fn panel(said: &str) -> Option<u64> {
    let viewports = || said.split("DisplayViewport{").skip(1).map(|viewport| viewport.split('}').next().unwrap_or(""));
    let of_first = |viewport: &&str| {
        let has = |word: &str| viewport.split(", ").any(|part| part == word);
        has("displayId=0") && !has("valid=false") && !has("isActive=false")
    };
    let number = viewports().find(of_first)?.split_once("uniqueId='local:")?.1.split('\'').next()?;
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::screenshot::tests::png;
    use super::super::tests::phone;
    use super::*;
    use crate::adb::fake::Reply;
    use crate::driver::{Driver as _, Size};

    const FOLDED: &str = "  mViewports=[DisplayViewport{type=INTERNAL, valid=true, isActive=true, displayId=0, \
                          uniqueId='local:4619827551948147201', physicalPort=1, orientation=0, logicalFrame=Rect(0, 0 - \
                          1080, 2424), physicalFrame=Rect(0, 0 - 1080, 2424), deviceWidth=1080, deviceHeight=2424}, \
                          DisplayViewport{type=INTERNAL, valid=true, isActive=false, displayId=3, \
                          uniqueId='local:4619827259835644672', physicalPort=0, orientation=0}]\n";

    #[test]
    fn the_panel_of_the_first_display_is_found() {
        assert_eq!(panel(FOLDED), Some(4_619_827_551_948_147_201));
        let open = FOLDED.replace("displayId=0", "displayId=9").replace("displayId=3", "displayId=0");
        assert_eq!(panel(&open), None, "it is not lit");
        assert_eq!(panel(&open.replace("isActive=false", "isActive=true")), Some(4_619_827_259_835_644_672));
        // A virtual display has no panel; Android 9 numbers by what is built in.
        assert_eq!(panel("mViewports=[DisplayViewport{valid=true, displayId=0, uniqueId='virtual:x,1'}]"), None);
        assert_eq!(panel("DisplayViewport{valid=true, displayId=0, uniqueId='local:0', orientation=0}"), Some(0));
        for nothing in ["", "DisplayViewport{", "displayId=0", "DisplayViewport{displayId=0, uniqueId='local:-1'}"] {
            assert_eq!(panel(nothing), None, "{nothing}");
        }
    }

    #[tokio::test]
    async fn a_folded_phone_is_seen_from_outside() {
        let warning =
            b"[Warning] Multiple displays were found, but no display id was specified! Defaulting to the first \
                        display found, however this default is not guaranteed to be consistent across captures.\n";
        let (android, fake) = phone(move |command| match command {
            "screencap -p" => Reply::Shell { stdout: png(20, 21), stderr: warning.to_vec(), exit: 0 },
            "screencap -p -d 4619827551948147201" => Reply::Shell { stdout: png(10, 24), stderr: Vec::new(), exit: 0 },
            _ => Reply::stdout(FOLDED),
        })
        .await;
        assert_eq!(android.screenshot().await.unwrap().size, Size { width: 10, height: 24 });
        assert_eq!(fake.commands().len(), 3);
    }
}
