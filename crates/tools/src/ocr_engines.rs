//! What reads the lines of text on a picture: the models of this program, `tesseract`, or a service. `UIXT_OCR` says which.
//!
//! Nothing is sent anywhere unless the service is named.

mod tesseract;
mod vedem;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use async_trait::async_trait;
use uixt_ocr::{Engine, Line, Picture, Reader, models};

use super::{Error, Kind, capture};

/// The variable that names the engine.
pub const VARIABLE: &str = "UIXT_OCR";

/// Reads pictures of one screen, one after the other.
#[async_trait]
trait TextRecognizer: Send + Sync {
    /// Returns the lines of text, in the order in which they are read. Whatever breaks is an error: it says nothing of what is there.
    async fn lines(&self, picture: Picture) -> Result<Vec<Line>, Error>;
}

/// Reads pictures of one screen by the engine that was chosen when it began; what did not change is not read again.
pub(super) struct ScreenReader(Result<Box<dyn TextRecognizer>, String>);

impl Default for ScreenReader {
    fn default() -> Self {
        Self(Choice::made().map(|choice| match choice {
            Choice::Models => Box::new(Models::default()) as Box<dyn TextRecognizer>,
            Choice::Tesseract => Box::new(Remembering::of(tesseract::Tesseract)),
            Choice::Vedem => Box::new(Remembering::of(vedem::Vedem)),
        }))
    }
}

impl ScreenReader {
    pub(super) async fn lines(&self, picture: Picture) -> Result<Vec<Line>, Error> {
        self.0.as_ref().map_err(bad)?.lines(picture).await
    }
}

/// Reads the lines of text on a picture by the engine that was chosen.
pub async fn read(picture: Picture) -> Result<Vec<Line>, Error> {
    match unmet() {
        Some(why) => Err(bad(why)),
        None => ScreenReader::default().lines(picture).await,
    }
}

/// Remembers the last picture for an engine that does not do so itself.
struct Remembering<T> {
    engine: T,
    last: Mutex<Option<(Picture, Vec<Line>)>>,
}

impl<T> Remembering<T> {
    fn of(engine: T) -> Self {
        Self { engine, last: Mutex::default() }
    }

    fn last(&self) -> MutexGuard<'_, Option<(Picture, Vec<Line>)>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl<T: TextRecognizer> TextRecognizer for Remembering<T> {
    async fn lines(&self, picture: Picture) -> Result<Vec<Line>, Error> {
        if let Some((_, lines)) = self.last().as_ref().filter(|(seen, _)| *seen == picture) {
            return Ok(lines.clone());
        }
        let lines = self.engine.lines(picture.clone()).await?;
        *self.last() = Some((picture, lines.clone()));
        Ok(lines)
    }
}

fn bad(message: impl Into<String>) -> Error {
    Error::new(Kind::Device, message)
}

/// Says why texts in pictures cannot be read, and what to do; none where they can.
pub fn unmet() -> Option<String> {
    match Choice::made() {
        Ok(Choice::Models) => (!models::are_installed())
            .then(|| "requires ocr: `uixt models install` fetches what reads texts in pictures".to_owned()),
        Ok(Choice::Tesseract) => tesseract::unmet(),
        Ok(Choice::Vedem) => vedem::unmet(),
        Err(message) => Some(message),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Models,
    Tesseract,
    Vedem,
}

impl Choice {
    fn made() -> Result<Self, String> {
        Self::named(&std::env::var(VARIABLE).unwrap_or_default())
    }

    fn named(word: &str) -> Result<Self, String> {
        match word {
            "" | "models" => Ok(Self::Models),
            "tesseract" => Ok(Self::Tesseract),
            "vedem" => Ok(Self::Vedem),
            other => Err(format!("{VARIABLE} is `{other}`: valid are models, tesseract, vedem")),
        }
    }
}

/// The models of `uixt models install`.
#[derive(Default)]
struct Models(Arc<Mutex<Reader>>);

#[async_trait]
impl TextRecognizer for Models {
    async fn lines(&self, picture: Picture) -> Result<Vec<Line>, Error> {
        let reader = Arc::clone(&self.0);
        capture::apart(move || {
            let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_is_not_known_is_an_error() {
        assert_eq!(Choice::named(""), Ok(Choice::Models));
        assert_eq!(Choice::named("vedem"), Ok(Choice::Vedem));
        assert!(Choice::named("magic").is_err_and(|said| said.contains("valid are models, tesseract, vedem")));
    }
}
