//! A target that is known by its pixels and moves → where it is when it is touched.
//!
//! Reading a screen takes so long that what moves is somewhere else by then. The part of the picture that showed the target is looked
//! for on new ones, near where it was, which takes a few milliseconds.

use std::time::{Duration, Instant};

use uixt_driver::{Rect, Size};
use uixt_locate::Error;
use uixt_locate::moving_target::MovingTarget;
use uixt_locate::pixel_elements::is_by_pixels;
use uixt_locate::stability::SAMPLE;
use uixt_locate::wording::describe;
use uixt_pictures::{Match, Picture, Place, Template};

use super::capture;
use super::drawn_text::{part, placed, size};
use crate::Context;
use crate::wait::Ready;

/// How long a target is followed that is too fast to be hit.
const FOLLOWED: Duration = Duration::from_secs(1);
/// How much a place has to look like the target.
const CONFIDENCE: f32 = 0.8;
/// How far around its last place it is looked for, as a multiple of its longer side, before it is looked for everywhere.
const AROUND: i32 = 2;

/// Returns a target that moved when it was seen where it is now; nothing where it is seen no more.
pub(crate) async fn follow(cx: &Context, ready: Ready) -> Result<Option<Ready>, Error> {
    let is_followed = ready.moving && is_by_pixels(&ready.element);
    let Some(shown) = cx.options.used.picture().filter(|_| is_followed) else { return Ok(Some(ready)) };
    let mut ready = ready;
    let screen = ready.screen.size;
    let Some(target) = template(&shown, ready.element.rect, screen) else { return Ok(Some(ready)) };
    let target = std::sync::Arc::new(target);
    let (end, mut moving, mut waiting) = (Instant::now() + FOLLOWED, MovingTarget::default(), cx.waiting());
    loop {
        let began = Instant::now();
        let picture = capture::pixels(cx.driver()?).await?;
        cx.options.used.look_at(&picture);
        let size = size(&picture);
        let (known, last) = (target.clone(), ready.element.rect);
        let found = capture::apart(move || Ok(find(&known, &picture, last, screen))).await?;
        let Some(found) = found else { return Ok(None) };
        let rect = placed(found.place, size, screen);
        cx.options.used.see(&describe(&ready.element), rect, screen, found.confidence);
        ready.element.rect = rect;
        if moving.look(rect, began, began.elapsed()) || Instant::now() >= end {
            return Ok(Some(ready));
        }
        waiting.until(began + SAMPLE).await;
    }
}

/// Cuts out what showed the target; nothing where that is of a single colour, or hardly on the picture.
fn template(shown: &Picture, rect: Rect, screen: Size) -> Option<Template> {
    let part = shown.part(part(rect, screen, size(shown))).ok()?;
    Template::new(part).ok()
}

fn find(target: &Template, picture: &Picture, last: Rect, screen: Size) -> Option<Match> {
    let reach = AROUND * (last.right - last.left).max(last.bottom - last.top);
    let near =
        Rect { left: last.left - reach, top: last.top - reach, right: last.right + reach, bottom: last.bottom + reach };
    [part(near, screen, size(picture)), picture.whole()].into_iter().find_map(|place| {
        let found = target.find(&picture.part(place).ok()?, &(1.0..=1.0), CONFIDENCE).first().copied()?;
        let on_screen = Place {
            left: found.place.left + place.left,
            top: found.place.top + place.top,
            right: found.place.right + place.left,
            bottom: found.place.bottom + place.top,
        };
        (found.confidence >= CONFIDENCE).then_some(Match { place: on_screen, ..found })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grey screen with a striped sign at a place.
    fn shown(left: u32, top: u32) -> Picture {
        let (width, height) = (400_u32, 600_u32);
        let pixel = |x: u32, y: u32| match (left..left + 60).contains(&x) && (top..top + 30).contains(&y) {
            true if ((x - left) * (x - left) / 90).is_multiple_of(2) => [20, 20, 200, 255],
            true => [250, 250, 250, 255],
            false => [128, 128, 128, 255],
        };
        let rgba = (0..height).flat_map(|y| (0..width).flat_map(move |x| pixel(x, y))).collect();
        Picture::new(width, height, rgba).expect("a picture")
    }

    #[test]
    fn a_target_is_found_near_its_place_and_far_from_it_and_not_where_it_is_gone() {
        let screen = Size { width: 200, height: 300 };
        let last = Rect { left: 20, top: 40, right: 50, bottom: 55 };
        let target = template(&shown(40, 80), last, screen).expect("a template");
        let found = |picture: &Picture| {
            find(&target, picture, last, screen).map(|found| placed(found.place, size(picture), screen))
        };
        assert_eq!(found(&shown(40, 80)), Some(last));
        assert_eq!(found(&shown(64, 90)), Some(Rect { left: 32, top: 45, right: 62, bottom: 60 }));
        assert_eq!(found(&shown(300, 500)), Some(Rect { left: 150, top: 250, right: 180, bottom: 265 }));
        assert_eq!(found(&shown(1000, 1000)), None);
    }
}
