//! Pictures of the screen: what `snapshot_display` or `uitest` writes into a file, on the same way as its words.

use std::sync::atomic::Ordering;

use crate::answer::{beginning, text};
use crate::driver::{Error, PNG_SIGNATURE, Screenshot, Size};
use crate::files::temporary;
use crate::shell::{Line, Shell};

/// The last chunk of every PNG: its length, its name, its checksum.
const END: &[u8] = b"\0\0\0\0IEND\xae\x42\x60\x82";
/// How a JPEG begins and ends.
const JPEG: (&[u8], &[u8]) = (b"\xff\xd8\xff", b"\xff\xd9");

/// Takes a picture; where the quicker program writes no PNG, as those of older systems, by `uitest`.
pub(crate) async fn take(shell: &Shell) -> Result<Screenshot, Error> {
    let mut said = String::new();
    for (what, is_uitest) in [("snapshot_display -t png -f", false), ("uitest screenCap -p", true)] {
        if !is_uitest && shell.no_png.load(Ordering::Relaxed) {
            continue;
        }
        let file = temporary(".png");
        let line = format!("rm -f {file}; {what} {file}; cat {file}; rm -f {file}");
        let line = Line::look("screenshot", &line);
        let output = shell.run(if is_uitest { line.by_uitest() } else { line }).await?;
        if let Some(png) = part(&output, PNG_SIGNATURE, END) {
            let size = Size::of_png(png)
                .ok_or_else(|| Error::Device { message: "the picture's header is broken".to_owned() })?;
            return Ok(Screenshot { png: png.to_vec(), size });
        }
        said = text(&output);
        if !is_uitest && knows_no_png(&output) {
            shell.no_png.store(true, Ordering::Relaxed);
        }
    }
    let said = beginning(&said);
    Err(Error::Device { message: format!("the phone gave no picture of its screen, as where no room is left: {said}") })
}

/// Tells whether the program wrote another kind, or says that it has no such option: any other failure may be one of this moment.
fn knows_no_png(said: &[u8]) -> bool {
    let words = text(said).to_lowercase();
    part(said, JPEG.0, JPEG.1).is_some() || ["usage", "option", "must end"].iter().any(|word| words.contains(word))
}

/// Takes a picture as JPEG; none where there is none.
pub(crate) async fn jpeg(shell: &Shell) -> Result<Option<Vec<u8>>, Error> {
    let file = temporary(".jpeg");
    let line = format!("rm -f {file}; snapshot_display -f {file}; cat {file}; rm -f {file}");
    let output = shell.run(Line::look("snapshot_display", &line)).await?;
    Ok(part(&output, JPEG.0, JPEG.1).map(<[u8]>::to_vec))
}

/// Returns what stands between a beginning and an end, with both.
fn part<'a>(bytes: &'a [u8], begin: &[u8], end: &[u8]) -> Option<&'a [u8]> {
    let start = bytes.windows(begin.len()).position(|window| window == begin)?;
    let last = bytes.windows(end.len()).rposition(|window| window == end)?;
    (last > start).then(|| &bytes[start..last + end.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_taken_out_of_what_is_said() {
        let png = [PNG_SIGNATURE, b"\0\0\0\x0dIHDR\0\0\0\x03\0\0\0\x05 more ", END].concat();
        let said = [b"success: snapshot display 0 , write to /data/x.png as png\n", &png[..], b"\n"].concat();
        assert_eq!(part(&said, PNG_SIGNATURE, END), Some(&png[..]));
        assert!(knows_no_png(b"error: fileName a.png invalid, file name must end with .jpeg!"));
        assert!(
            knows_no_png(b"success\n\xff\xd8\xff\xe0JFIF\xff\xd9")
                && knows_no_png(b"snapshot_display: invalid option -- 't'")
        );
        assert!(!knows_no_png(b"error: snapshot display failed") && !knows_no_png(b"write to file failed!"));
        assert_eq!(Size::of_png(&png), Some(Size { width: 3, height: 5 }));
        for length in 0..png.len() {
            assert_eq!(part(&png[..length], PNG_SIGNATURE, END), None);
        }
    }
}
