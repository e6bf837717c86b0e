//! The recorder of the screen, which `aa` starts and ends, and `mediatool`, which hands its films out.
//!
//! `aa start -b com.huawei.hmos.screenrecorder -a …ServiceExtAbility --ps CustomizedFileName NAME` begins one; the same without a name
//! ends it. The gallery has it then: `mediatool query NAME -u`, `mediatool recv URI FILE`, `mediatool delete URI`.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::commands::Call;
use crate::commands::screenrecord::{MAX_SECONDS, filmed};
use crate::handset::Handset;
use crate::jobs;

pub(super) const BUNDLE: &str = "com.huawei.hmos.screenrecorder";
/// What films are called among the recordings that go on.
const RUNNING: &str = "harmony";
/// Where the gallery has films.
const GALLERY: &str = "file://media/Photo/1/";

/// Begins a film of this name, or ends the one that goes on where there is no name.
pub(super) async fn record(call: &Call<'_>, name: Option<&str>) -> io::Result<String> {
    let handset = &call.shell.handset;
    end(handset).await;
    if let Some(name) = name {
        handset.harmony.counts.add("recordings", 1);
        let film = film(handset.clone(), name.to_owned());
        jobs::begin(&mut *handset.harmony.film.lock().await, Box::pin(film));
    }
    Ok("start ability successfully.\n".to_owned())
}

/// Ends the film that goes on, and waits until the gallery has it.
pub(super) async fn end(handset: &Handset) {
    handset.films.end(|command| command == RUNNING);
    // One that broke off is not in the gallery.
    while handset.harmony.film.lock().await.join_next().await.is_some() {}
}

async fn film(handset: Arc<Handset>, name: String) {
    let running = handset.films.begin(RUNNING.to_owned());
    let filmed = filmed(&handset, Duration::from_secs(MAX_SECONDS), &running.end);
    if let Some(Ok(film)) = handset.off().run_until_cancelled(filmed).await {
        handset.harmony.gallery.lock().insert(name, film);
    }
}

/// `mediatool query NAME -u`, `mediatool recv URI FILE`, `mediatool delete URI`.
pub(crate) async fn mediatool(call: &mut Call<'_>) -> io::Result<String> {
    let words = std::mem::take(&mut call.arguments);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["query", name, ..] => {
            let is_there = call.handset().harmony.gallery.lock().contains_key(*name);
            let uri = if is_there {
                format!("find 1 result\nuri\n\"{GALLERY}{name}\"\n")
            } else {
                "find 0 result\n".to_owned()
            };
            Ok(uri)
        }
        ["recv", uri, path] => {
            let name = uri.strip_prefix(GALLERY).unwrap_or_default();
            let film = call.handset().harmony.gallery.lock().get(name).cloned();
            let Some(film) = film else { return Ok(format!("[FAIL] no such media: {uri}\n")) };
            let path = call.shell.path(path);
            let written = {
                let mut files = call.handset().files.lock();
                files.create(&path, 0o666).and_then(|()| files.append(&path, &film))
            };
            match written {
                Ok(()) => Ok(format!("[SUCCESS] {path}\n")),
                Err(errno) => Ok(format!("[FAIL] {path}: {errno}\n")),
            }
        }
        ["delete", uri] => {
            let name = uri.strip_prefix(GALLERY).unwrap_or_default();
            let was_there = call.handset().harmony.gallery.lock().remove(name).is_some();
            Ok(if was_there { "[SUCCESS] deleted\n".to_owned() } else { format!("[FAIL] no such media: {uri}\n") })
        }
        _ => Ok("usage: mediatool query NAME -u | mediatool recv URI FILE | mediatool delete URI\n".to_owned()),
    }
}
