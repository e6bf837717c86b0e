//! Packs the files of the page, which are sent as they are packed.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=page");
    let out = std::env::var("OUT_DIR").map_err(std::io::Error::other)?;
    let mut files: Vec<_> = fs::read_dir("page")?.collect::<std::io::Result<_>>()?;
    files.sort_by_key(fs::DirEntry::file_name);
    let mut listed = String::from("&[");
    for file in files {
        let name = file.file_name().to_string_lossy().into_owned();
        // What editors leave behind is no part of it.
        if name.starts_with('.') || name.ends_with('~') {
            continue;
        }
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&fs::read(file.path())?)?;
        fs::write(Path::new(&out).join(&name), packed.finish()?)?;
        // Writing to a string cannot fail.
        let _ = write!(listed, "({name:?}, include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}\"))),");
    }
    listed.push(']');
    fs::write(Path::new(&out).join("files.rs"), listed)
}
