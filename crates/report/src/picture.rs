//! Pictures of a report: where they may lie, how a page names them, how large they are.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The largest picture that is embedded, in bytes.
const LARGEST: u64 = 32 * 1024 * 1024;

/// How much of a JPEG is looked at for its size, in bytes.
const JPEG_HEADERS: u64 = 64 * 1024;

/// A picture file inside the report's folder.
#[derive(Debug)]
pub(super) struct Picture {
    file: PathBuf,
    pub(super) kind: &'static str,
    /// Width and height in pixels, where the format tells it at once.
    pub(super) size: Option<(u32, u32)>,
}

impl Picture {
    /// Looks at the picture `path`, relative to the report's folder `dir`; none where it is missing or not a picture.
    pub(super) fn find(dir: &Path, path: &str) -> Option<Self> {
        let file = dir.join(inside(path)?);
        let mut head = [0; 24];
        let mut opened = File::open(&file).ok()?;
        let read = read_up_to(&mut opened, &mut head).ok()?;
        let kind = kind(&head[..read])?;
        let size = match kind {
            "image/png" => Some((be_u32(&head, 16), be_u32(&head, 20))),
            "image/jpeg" => jpeg_size(&file),
            _ => None,
        };
        Some(Self { file, kind, size: size.filter(|&(width, height)| width > 0 && height > 0) })
    }

    /// Returns the end of such a file's name.
    pub(super) fn ending(&self) -> &'static str {
        match self.kind {
            "image/jpeg" => "jpg",
            "image/webp" => "webp",
            _ => "png",
        }
    }

    /// Appends the picture as a `data:` address.
    pub(super) fn push_data(&self, out: &mut String) -> io::Result<()> {
        let mut bytes = Vec::new();
        File::open(&self.file)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LARGEST {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("{} is too large", self.file.display())));
        }
        out.push_str("data:");
        out.push_str(self.kind);
        out.push_str(";base64,");
        STANDARD.encode_string(&bytes, out);
        Ok(())
    }
}

/// Returns the path where it stays inside the folder that it is relative to.
pub(super) fn inside(path: &str) -> Option<&Path> {
    let normal = |component| matches!(component, Component::Normal(_));
    let safe = !path.is_empty() && !path.contains(['\\', ':', ']']) && !path.contains(char::is_control);
    let path = Path::new(path);
    (safe && path.components().all(normal)).then_some(path)
}

/// Appends a path as a relative address, everything but plain characters percent-encoded.
pub(super) fn push_address(out: &mut String, path: &str) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
}

fn read_up_to(file: &mut File, head: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < head.len() {
        match file.read(&mut head[read..])? {
            0 => break,
            more => read += more,
        }
    }
    Ok(read)
}

/// Finds a JPEG's size in the first of its frame's headers. Source: ITU-T T.81, B.1.1 and B.2.2.
fn jpeg_size(file: &Path) -> Option<(u32, u32)> {
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(JPEG_HEADERS).read_to_end(&mut bytes).ok()?;
    let number = |at: usize| Some(usize::from(*bytes.get(at)?) << 8 | usize::from(*bytes.get(at + 1)?));
    let mut at = 2;
    while *bytes.get(at)? == 0xff {
        // Of the frames' headers, three numbers between are of tables.
        if let 0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf = *bytes.get(at + 1)? {
            return Some((u32::try_from(number(at + 7)?).ok()?, u32::try_from(number(at + 5)?).ok()?));
        }
        at += 2 + number(at + 2)?;
    }
    None
}

fn kind(head: &[u8]) -> Option<&'static str> {
    match head {
        [0x89, b'P', b'N', b'G', ..] if head.len() >= 24 => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

fn be_u32(bytes: &[u8; 24], at: usize) -> u32 {
    bytes[at..at + 4].iter().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_inside_the_folder_are_pictures() {
        for outside in ["", "/etc/passwd", "../a.png", "a/../../b.png", "javascript:alert(1)", "C:\\a.png", "a]].png"] {
            assert_eq!(inside(outside), None, "{outside}");
        }
        assert!(inside("screenshots/屏 1.png").is_some());
    }

    #[test]
    fn addresses_hold_plain_characters_only() {
        let mut out = String::new();
        push_address(&mut out, "s/a b\"<屏>?#.png");
        assert_eq!(out, "s/a%20b%22%3C%E5%B1%8F%3E%3F%23.png");
    }

    #[test]
    fn a_jpeg_tells_its_size_behind_other_headers() {
        let dir = tempfile::tempdir().unwrap();
        let mut bytes = vec![0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc4, 0, 3, 9];
        bytes.extend([0xff, 0xc2, 0, 11, 8, 2, 0x58, 3, 0xc0, 3, 1, 2, 3]);
        std::fs::write(dir.path().join("a.jpg"), bytes).unwrap();
        assert_eq!(Picture::find(dir.path(), "a.jpg").unwrap().size, Some((960, 600)));
    }

    #[test]
    fn what_is_no_picture_is_not_embedded() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("secret.png"), "root:x:0:0, and some more text").unwrap();
        assert!(Picture::find(dir.path(), "secret.png").is_none());
        assert!(Picture::find(dir.path(), "missing.png").is_none());
        std::fs::write(dir.path().join("a.png"), super::super::sample::png(3, 7)).unwrap();
        let picture = Picture::find(dir.path(), "a.png").unwrap();
        assert_eq!(picture.size, Some((3, 7)));
        let mut out = String::new();
        picture.push_data(&mut out).unwrap();
        assert!(out.starts_with("data:image/png;base64,iVBOR"));
    }
}
