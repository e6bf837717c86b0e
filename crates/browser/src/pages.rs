//! The browser's words for pages: each is asked of the way that leads to the page in front.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use super::web::{FILE_FIELD, Found};
use super::{Browser, TIMEOUT, WHERE, page, typing};
use crate::driver::pages::{Answered, Download, Mouse, Pages, Part, Place, Tab, Traffic, Transcript};
use crate::driver::{Error, Screenshot, Size};

#[async_trait]
impl Pages for Browser {
    async fn place(&self) -> Result<Place, Error> {
        let place = self.ask(WHERE, &[], TIMEOUT).await?;
        let text = |index: usize| place[index].as_str().unwrap_or_default().to_owned();
        Ok(Place { url: text(0), title: text(1) })
    }

    fn status(&self) -> Option<u16> {
        *self.status.lock()
    }

    async fn leave(&self) -> Result<Option<u16>, Error> {
        let backend = self.backend().await?;
        self.told(backend.answer(true, None).await).await?;
        let status = backend.status();
        *self.status.lock() = status;
        Ok(status)
    }

    async fn tabs(&self) -> Result<Vec<Tab>, Error> {
        let backend = self.backend().await?;
        self.told(backend.tabs().await).await
    }

    async fn open_tab(&self) -> Result<(), Error> {
        let backend = self.backend().await?;
        self.told(backend.open_tab().await).await
    }

    async fn show_tab(&self, index: usize) -> Result<(), Error> {
        let backend = self.backend().await?;
        self.told(backend.show_tab(index).await).await
    }

    async fn close_tab(&self, index: usize) -> Result<(), Error> {
        let backend = self.backend().await?;
        self.told(backend.close_tab_at(index).await).await
    }

    async fn mouse(&self, act: Mouse) -> Result<(), Error> {
        self.verify_typed().await?;
        let backend = self.backend().await?;
        self.told(backend.mouse(act).await).await
    }

    async fn mouse_on(&self, key: u64, act: Mouse) -> Result<Option<String>, Error> {
        self.watched(key, self.mouse(act)).await
    }

    async fn ask_element(&self, key: u64, function: &str, arguments: &[Value]) -> Result<Value, Error> {
        // Whatever it does, it may have to do with the field.
        self.note_typed(false);
        if function != typing::LEFT {
            self.verify_all_typed().await?;
        }
        let arguments = [page::wanted_node(key), arguments.into()];
        let frames = self.frames.of(key);
        let mut answer = self.ask_within(&frames, &page::with_element(function), &arguments, TIMEOUT).await?;
        match answer.get_mut(0) {
            Some(value) => Ok(value.take()),
            None => Err(replaced()),
        }
    }

    async fn choose_files(&self, key: u64, files: &[PathBuf]) -> Result<(), Error> {
        self.verify_typed().await?;
        let backend = self.backend().await?;
        let found = Found { function: &page::found(FILE_FIELD), arguments: &[page::wanted_node(key)] };
        self.told(backend.choose_files(&self.frames.of(key), found, files).await).await
    }

    async fn forget_choosers(&self) -> Result<(), Error> {
        let backend = self.backend().await?;
        self.told(backend.forget_choosers().await).await
    }

    async fn fill_chooser(&self, files: &[PathBuf], timeout: Duration) -> Result<(), Error> {
        let backend = self.backend().await?;
        self.told(backend.fill_chooser(files, timeout).await).await
    }

    async fn cookies(&self) -> Result<Vec<Value>, Error> {
        let backend = self.backend().await?;
        self.told(backend.cookies().await).await
    }

    async fn set_cookie(&self, cookie: Map<String, Value>) -> Result<(), Error> {
        let backend = self.backend().await?;
        self.told(backend.set_cookie(cookie).await).await
    }

    async fn remove_cookies(&self, name: Option<&str>) -> Result<usize, Error> {
        let backend = self.backend().await?;
        let mut removed = 0;
        for cookie in self.told(backend.cookies().await).await? {
            if name.is_none_or(|name| cookie["name"] == name) {
                self.told(backend.remove_cookie(&cookie).await).await?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    async fn picture_of(&self, part: Part) -> Result<Screenshot, Error> {
        let backend = self.backend().await?;
        let (wanted, frames) = match part {
            Part::Whole => (json!({}), Vec::new()),
            Part::Element(key, _) => (page::wanted_node(key), self.frames.of(key)),
        };
        let found = Found { function: &page::found("(element) => element"), arguments: &[wanted] };
        let png = self.told(backend.picture_of(part, &frames, found).await).await?;
        let size = Size::of_png(&png)
            .ok_or_else(|| Error::Device { message: "the browser's picture is no PNG".to_owned() })?;
        Ok(Screenshot { png, size })
    }

    async fn pdf(&self) -> Result<Vec<u8>, Error> {
        let backend = self.backend().await?;
        self.told(backend.pdf().await).await
    }

    async fn take_answered(&self, text: &str, since: Option<Instant>) -> Result<Option<Answered>, Error> {
        let backend = self.backend().await?;
        self.told(backend.take_answered(text, since).await).await
    }

    async fn downloads(&self) -> Result<Vec<Download>, Error> {
        let backend = self.backend().await?;
        backend.downloads()
    }

    async fn traffic(&self) -> Result<Traffic, Error> {
        let backend = self.backend().await?;
        self.told(backend.traffic().await).await
    }

    async fn faults(&self, within: Duration) -> Result<Vec<String>, Error> {
        let backend = self.running.lock().await.begun();
        match backend {
            Some(backend) => backend.faults(within).await,
            None => Ok(Vec::new()),
        }
    }

    async fn new_faults(&self, within: Duration) -> Result<Vec<String>, Error> {
        let backend = self.running.lock().await.begun();
        match backend {
            Some(backend) => backend.new_faults(within).await,
            None => Ok(Vec::new()),
        }
    }

    async fn transcript(&self) -> Result<Transcript, Error> {
        let backend = self.running.lock().await.begun();
        Ok(backend.map(|backend| backend.transcript()).unwrap_or_default())
    }

    async fn still_typed(&self, waits: bool) -> Result<(), Error> {
        if waits { self.stays_typed().await } else { self.verify_typed().await }
    }

    async fn take_failed_downloads(&self) -> Vec<Download> {
        let backend = self.running.lock().await.begun_for(self.wanted().0);
        backend.map(|backend| backend.take_failed_downloads()).unwrap_or_default()
    }

    async fn after_last_act(&self, since: Instant, waits: bool) -> Result<Vec<String>, Error> {
        self.came_of_last(since, waits).await
    }
}

pub(super) fn replaced() -> Error {
    Error::NotFound { what: "the element, which the page has replaced meanwhile,".to_owned() }
}
