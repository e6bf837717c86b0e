//! What reads the lines of text on a picture: the models of this program, `tesseract`, or a service. `UIXT_OCR` says which.
//!
//! Nothing is sent anywhere unless the service is named.

mod tesseract;
mod vedem;

use async_trait::async_trait;
use parking_lot::Mutex;
use uixt_locate::{Error, Kind};
use uixt_pictures::{Line, Picture};

use crate::{TextModels, TextRecognizer};

/// What is said where the models are chosen, and the program has none.
const NO_MODELS: &str =
    "requires ocr: this build has no OCR: name a program or a service with UIXT_OCR, or build with the feature `ocr`";

/// The variable that names the engine.
pub const VARIABLE: &str = "UIXT_OCR";

/// Reads pictures of one screen by the engine that was chosen when it began; what did not change is not read again.
pub(crate) struct ScreenReader(Result<Box<dyn TextRecognizer>, String>);

impl ScreenReader {
    pub(crate) fn new(models: Option<&dyn TextModels>) -> Self {
        Self(Choice::made().and_then(|choice| match choice {
            Choice::Models => models.map(TextModels::reader).ok_or_else(|| NO_MODELS.to_owned()),
            Choice::Tesseract => Ok(Box::new(Remembering::of(tesseract::Tesseract))),
            Choice::Vedem => Ok(Box::new(Remembering::of(vedem::Vedem))),
        }))
    }

    pub(crate) async fn lines(&self, picture: Picture) -> Result<Vec<Line>, Error> {
        self.0.as_ref().map_err(bad)?.lines(picture).await
    }
}

/// Reads the lines of text on a picture by the engine that was chosen.
pub async fn read(models: Option<&dyn TextModels>, picture: Picture) -> Result<Vec<Line>, Error> {
    match unmet(models) {
        Some(why) => Err(bad(why)),
        None => ScreenReader::new(models).lines(picture).await,
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
}

#[async_trait]
impl<T: TextRecognizer> TextRecognizer for Remembering<T> {
    async fn lines(&self, picture: Picture) -> Result<Vec<Line>, Error> {
        if let Some((_, lines)) = self.last.lock().as_ref().filter(|(seen, _)| *seen == picture) {
            return Ok(lines.clone());
        }
        let lines = self.engine.lines(picture.clone()).await?;
        *self.last.lock() = Some((picture, lines.clone()));
        Ok(lines)
    }
}

fn bad(message: impl Into<String>) -> Error {
    Error::new(Kind::Device, message)
}

/// Says why texts in pictures cannot be read, and what to do; none where they can.
pub fn unmet(models: Option<&dyn TextModels>) -> Option<String> {
    match Choice::made() {
        Ok(Choice::Models) => models.map_or_else(|| Some(NO_MODELS.to_owned()), TextModels::unmet),
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
