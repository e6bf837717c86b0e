//! Closing what pops up where no element tells of it: by the look of a close cross, or by a drawn word that agrees to nothing.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use uixt_driver::{Display, Element, Look, Screen};
use uixt_locate::close_words::{Closing, closing};
use uixt_locate::pixel_elements::{self, Source};
use uixt_locate::stability::{SAMPLE, Stability};
use uixt_locate::{Error, Kind, screen_power};
use uixt_pictures::ControlKind;
use uixt_toolkit::pages::dialogs::MAX;
use uixt_toolkit::{Context, Reply, gestures};

/// How long a dialog may take to go once its button was touched.
pub(crate) const GOING: Duration = Duration::from_secs(5);

/// Closes one after the other, and adds them to what was closed already.
pub(crate) async fn close(
    cx: &Context,
    mut reply: Reply,
    mut closed: Vec<Value>,
) -> Result<(Reply, Vec<Value>), Error> {
    cx.options.asked.read_by(Source::Pixels);
    cx.options.asked.want_controls();
    loop {
        let (Some(button), display) = still(cx).await? else { return Ok((reply, closed)) };
        if closed.len() == MAX {
            let message = format!("{MAX} were closed, and there is yet another: \"{}\"", button.name());
            return Err(Error::new(Kind::WaitTimeout, message).with("closed", closed));
        }
        let gesture = gestures::tap(button.rect.center(), None);
        reply = reply.touched(cx.perform_as_it_is(None, gesture, display).await?);
        gone(cx, &button).await?;
        closed.push(json!({"dialog": "", "button": button.name()}));
    }
}

/// Returns what closes something, and the screen that it is on, once two looks agree on it.
async fn still(cx: &Context) -> Result<(Option<Element>, Display), Error> {
    let (mut stability, mut waiting) = (Stability::bearing(GOING), cx.waiting());
    loop {
        let screen = cx.look_with(Look::default()).await?;
        screen_power::require_readable("whether something is to be closed", &screen)?;
        if let Some(still) = stability.look(button(&screen)?) {
            return Ok((still.seen, screen.display()));
        }
        waiting.pause(SAMPLE).await;
    }
}

/// Finds what closes what lies over the app: the least committing word, else a cross. Several crosses are an error, since only one can
/// be meant.
fn button(screen: &Screen) -> Result<Option<Element>, Error> {
    let mut words: Vec<(Closing, &Element)> = Vec::new();
    let mut crosses = Vec::new();
    for root in &screen.roots {
        root.walk(&mut |element| {
            if pixel_elements::is_of_kind(element, ControlKind::Close) {
                crosses.push(element);
            } else if pixel_elements::is_line(element) && !pixel_elements::is_control(element) {
                // A cross that was read as a letter is told by its look.
                let is_word = element.text.chars().count() > 1;
                let closing = closing(&element.text, "").filter(|closing| is_word && *closing < Closing::Cancel);
                words.extend(closing.map(|closing| (closing, element)));
            }
        });
    }
    words.sort_by_key(|(closing, element)| (*closing, element.rect.top));
    match (words.first(), &crosses[..]) {
        (Some((_, word)), _) => Ok(Some((*word).clone())),
        (None, []) => Ok(None),
        (None, [cross]) => Ok(Some((*cross).clone())),
        (None, several) => {
            let places: Vec<String> =
                several.iter().map(|cross| format!("{},{}", cross.rect.left, cross.rect.top)).collect();
            let message = format!("several close crosses are seen, at {}: tap the one you mean", places.join("; "));
            Err(Error::new(Kind::NotFound, message).with("code", "NO_CLOSE_BUTTON"))
        }
    }
}

/// Waits until what was touched is not seen any more.
async fn gone(cx: &Context, button: &Element) -> Result<(), Error> {
    let (end, mut waiting) = (Instant::now() + GOING, cx.waiting());
    loop {
        let screen = cx.look_with(Look::default()).await?;
        let is_there = |found: &Element| found.rect == button.rect && found.name() == button.name();
        if !self::button(&screen)?.is_some_and(|found| is_there(&found)) {
            return Ok(());
        }
        if Instant::now() >= end {
            let message = format!("\"{}\" is still there {} s after a touch on it", button.name(), GOING.as_secs());
            return Err(Error::new(Kind::WaitTimeout, message));
        }
        waiting.pause(SAMPLE).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uixt_locate::test_screens;

    fn line(text: &str, top: i32) -> Element {
        Element { class: "drawn text".to_owned(), ..test_screens::element("text", text, top) }
    }

    fn cross(top: i32) -> Element {
        Element {
            class: "drawn control".to_owned(),
            id: "close".to_owned(),
            ..test_screens::element("button", "", top)
        }
    }

    #[test]
    fn the_least_committing_word_goes_before_a_cross_and_none_agrees() {
        let meant = |elements: Vec<Element>| {
            button(&test_screens::screen(elements)).map(|found| found.map(|element| (element.text, element.rect.top)))
        };
        assert_eq!(
            meant(vec![line("更新", 0), line("以后再说", 30), line("关闭", 60)]).unwrap(),
            Some(("以后再说".into(), 30))
        );
        assert_eq!(meant(vec![line("立即升级", 0), cross(90)]).unwrap(), Some((String::new(), 90)));
        assert_eq!(meant(vec![line("OK", 0), line("取消", 30), line("x", 60), line("Delete", 90)]).unwrap(), None);
        assert!(meant(vec![cross(0), cross(50)]).is_err_and(|error| error.message.contains("several close crosses")));
    }
}
