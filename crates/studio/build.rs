//! Packs the files of the page, which are sent as they are packed.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

/// How the element begins that runs the page.
const SCRIPT: &str = "<script type=\"module\"";

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=page");
    let out = std::env::var("OUT_DIR").map_err(std::io::Error::other)?;
    let mut files: Vec<_> = fs::read_dir("page")?.collect::<std::io::Result<_>>()?;
    files.sort_by_key(fs::DirEntry::file_name);
    let mut listed = String::from("&[");
    let mut preloads = String::new();
    for file in &files {
        let name = file.file_name().to_string_lossy().into_owned();
        if is_part(&name) && file.path().extension().is_some_and(|extension| extension == "js") {
            let _ = writeln!(preloads, "<link rel=\"modulepreload\" href=\"/studio/page/{name}\">");
        }
    }
    for file in files {
        let name = file.file_name().to_string_lossy().into_owned();
        if !is_part(&name) {
            continue;
        }
        let mut bytes = fs::read(file.path())?;
        if name == "index.html" {
            // All scripts are asked for at once, rather than each once the one that imports it is there.
            bytes = String::from_utf8_lossy(&bytes).replace(SCRIPT, &format!("{preloads}{SCRIPT}")).into_bytes();
        }
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&bytes)?;
        fs::write(Path::new(&out).join(&name), packed.finish()?)?;
        // Writing to a string cannot fail.
        let _ = write!(listed, "({name:?}, include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}\"))),");
    }
    listed.push(']');
    fs::write(Path::new(&out).join("files.rs"), listed)
}

/// Tells whether a file belongs to the page: what editors leave behind is no part of it.
fn is_part(name: &str) -> bool {
    !name.starts_with('.') && !name.ends_with('~')
}
