//! The models of `uixt ocr install`, which read texts in pictures.

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use parking_lot::Mutex;
use uixt_locate::{Error, Kind};
use uixt_ocr::{Engine, Reader, models};
use uixt_pictures::{Line, Picture};
use uixt_toolkit::pixels::capture;
use uixt_toolkit::{TextModels, TextRecognizer};

/// The models where they are installed.
pub(crate) struct InstalledModels;

impl TextModels for InstalledModels {
    fn unmet(&self) -> Option<String> {
        (!models::are_installed())
            .then(|| "requires ocr: `uixt ocr install` fetches what reads texts in pictures".to_owned())
    }

    fn reader(&self) -> Box<dyn TextRecognizer> {
        Box::new(Models::default())
    }
}

fn bad(message: impl Into<String>) -> Error {
    Error::new(Kind::Device, message)
}

/// Remembers what they read of one screen.
#[derive(Default)]
struct Models(Arc<Mutex<Reader>>);

#[async_trait]
impl TextRecognizer for Models {
    async fn lines(&self, picture: Picture) -> Result<Vec<Line>, Error> {
        let reader = Arc::clone(&self.0);
        capture::apart(move || {
            let mut reader = reader.lock();
            reader.read(engine()?, picture).map_err(|error| bad(error.to_string()))
        })
        .await
    }
}

/// Returns the models, which are loaded once.
fn engine() -> Result<&'static Engine, Error> {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    if let Some(engine) = ENGINE.get() {
        return Ok(engine);
    }
    let folder = models::folder()
        .ok_or_else(|| bad(format!("no folder for models is known: name one with {}", models::VARIABLE)))?;
    let engine = Engine::load(&folder).map_err(|error| bad(error.to_string()))?;
    Ok(ENGINE.get_or_init(|| engine))
}
