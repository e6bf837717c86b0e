use super::*;

/// The colour at a point of a shape of the size 1×1; none where the ground is seen.
type Shape = fn(f32, f32) -> Option<[u8; 3]>;

/// A heart on a badge.
fn badge(x: f32, y: f32) -> Option<[u8; 3]> {
    let (across, down) = (x - 0.5, y - 0.5);
    let inner =
        (across.abs() - 0.14).powi(2) + (down + 0.05).powi(2) < 0.025 || (down > 0.0 && across.abs() + down < 0.27);
    let outer = across.hypot(down) < 0.48;
    if inner { Some([255, 255, 255]) } else { outer.then_some([220, 30, 60]) }
}

/// The same with a bar instead.
fn minus(x: f32, y: f32) -> Option<[u8; 3]> {
    let (across, down) = (x - 0.5, y - 0.5);
    let outer = across.hypot(down) < 0.48;
    if across.abs() < 0.25 && down.abs() < 0.06 { Some([255, 255, 255]) } else { outer.then_some([220, 30, 60]) }
}

/// A screen of 360×640 with some drawing everywhere.
struct Canvas(Vec<u8>);

const WIDTH: u32 = 360;
const HEIGHT: u32 = 640;

impl Canvas {
    fn new(ground: [u8; 3]) -> Self {
        let noise = |x: u32, y: u32| u8::try_from((x / 7 * 31 + y / 5 * 17) % 23).expect("small");
        let at = |y: u32| (0..WIDTH).map(move |x| (x, y));
        let pixel = |(x, y): (u32, u32)| {
            let shade = if y % 80 < 30 { noise(x, y) } else { 0 };
            [ground[0].saturating_sub(shade), ground[1].saturating_sub(shade), ground[2].saturating_sub(shade), 255]
        };
        Self((0..HEIGHT).flat_map(at).flat_map(pixel).collect())
    }

    /// Draws a shape with 4×4 samples a pixel; `strength` of 1 is all of it.
    fn draw(&mut self, shape: Shape, left: f32, top: f32, side: f32, strength: f32) {
        for y in top as u32..(top + side).ceil() as u32 {
            for x in left as u32..(left + side).ceil() as u32 {
                let at = (y * WIDTH + x) as usize * 4;
                let ground = [self.0[at], self.0[at + 1], self.0[at + 2]].map(f32::from);
                let mut sums = [0.0; 3];
                for sample in 0..16_u32 {
                    let offset = |at: u32| (at as f32 + 0.5) / 4.0;
                    let (u, v) = (x as f32 + offset(sample % 4), y as f32 + offset(sample / 4));
                    let color = shape((u - left) / side, (v - top) / side);
                    let drawn = color.map_or(ground, |color| color.map(f32::from));
                    (0..3).for_each(|part| sums[part] += ground[part] + (drawn[part] - ground[part]) * strength);
                }
                (0..3).for_each(|part| self.0[at + part] = (sums[part] / 16.0).round() as u8);
            }
        }
    }

    fn picture(self) -> Picture {
        Picture::new(WIDTH, HEIGHT, self.0).expect("a picture")
    }
}

fn screen(shape: Shape, left: f32, top: f32, side: f32) -> Picture {
    let mut canvas = Canvas::new([250; 3]);
    canvas.draw(shape, left, top, side, 1.0);
    canvas.picture()
}

/// The badge, as somebody cuts it out.
fn template() -> Template {
    let part = screen(badge, 100.0, 200.0, 48.0).part(Place { left: 98, top: 198, right: 150, bottom: 250 });
    Template::new(part.expect("a part")).expect("a template")
}

fn best(picture: &Picture) -> Match {
    template().find(picture, &(0.5..=2.0), 0.8).first().copied().expect("a match")
}

#[test]
fn a_part_is_found_to_the_pixel() {
    let found = best(&screen(badge, 203.0, 411.0, 48.0));
    assert_eq!((found.place.left, found.place.top, found.scale), (201, 409, 1.0));
    assert!(found.confidence > 0.85, "{}", found.confidence);
    let shifted = best(&screen(badge, 203.5, 411.5, 48.0));
    assert!(shifted.confidence > 0.85, "half a pixel beside: {}", shifted.confidence);
}

#[test]
fn a_part_is_found_in_other_sizes() {
    for scale in [0.5_f32, 0.62, 0.75, 1.33, 1.6, 2.0] {
        let found = best(&screen(badge, 150.0, 300.0, 48.0 * scale));
        let middle = (
            f64::from(found.place.left + found.place.right) / 2.0,
            f64::from(found.place.top + found.place.bottom) / 2.0,
        );
        let wanted = (150.0 + 24.0 * f64::from(scale), 300.0 + 24.0 * f64::from(scale));
        assert!((middle.0 - wanted.0).abs() < 3.0 && (middle.1 - wanted.1).abs() < 3.0, "{scale}: {found:?}");
        assert!((found.scale / scale - 1.0).abs() < 0.05 && found.confidence > 0.8, "{scale}: {found:?}");
    }
}

#[test]
fn several_are_found_and_what_is_not_like_it_is_not() {
    let mut canvas = Canvas::new([250; 3]);
    for (left, top) in [(20.0, 20.0), (200.0, 20.0), (20.0, 500.0)] {
        canvas.draw(badge, left, top, 48.0, 1.0);
    }
    canvas.draw(minus, 200.0, 300.0, 48.0, 1.0);
    canvas.draw(badge, 100.0, 400.0, 48.0, 0.4);
    let found = template().find(&canvas.picture(), &(0.5..=2.0), 0.8);
    let alike: Vec<_> =
        found.iter().filter(|found| found.confidence >= 0.8).map(|found| (found.place.left, found.place.top)).collect();
    assert_eq!(alike.len(), 3, "{found:?}");
    assert!([(18, 18), (198, 18), (18, 498)].iter().all(|place| alike.contains(place)), "{alike:?}");
    let near = |left: u32| {
        found.iter().find(|found| found.place.left.abs_diff(left) < 6).map_or(0.0, |found| found.confidence)
    };
    assert!(near(198) >= 0.8 && near(98) < 0.6, "greyed out: {}", near(98));
}

#[test]
fn another_sign_is_another_part() {
    for (shape, side) in [(minus as Shape, 48.0), (minus, 64.0), (minus, 30.0)] {
        let found = template().find(&screen(shape, 203.0, 411.0, side), &(0.5..=2.0), 0.8);
        assert!(found.iter().all(|found| found.confidence < 0.65), "{side}: {found:?}");
    }
    assert!(
        template().find(&Canvas::new([250; 3]).picture(), &(0.5..=2.0), 0.8).iter().all(|found| found.confidence < 0.5)
    );
}

#[test]
fn what_is_transparent_does_not_count() {
    let mut dark = Canvas::new([30, 34, 40]);
    dark.draw(badge, 203.0, 411.0, 48.0, 1.0);
    let dark = dark.picture();
    let others = template().find(&dark, &(0.5..=2.0), 0.8);
    assert!(others.iter().all(|found| found.confidence < 0.8), "another ground is another picture: {others:?}");
    let opaque = template().picture;
    let at = |y: u32| (0..opaque.width()).map(move |x| (x, y));
    let cut = (0..opaque.height()).flat_map(at).flat_map(|(x, y)| {
        let [red, green, blue, _] = opaque.pixel(x, y);
        let is_in = (x as f32 - 25.5).hypot(y as f32 - 25.5) < 22.0;
        [red, green, blue, if is_in { 255 } else { 0 }]
    });
    let cut = Template::new(Picture::new(opaque.width(), opaque.height(), cut.collect()).expect("a picture"))
        .expect("a part");
    let found = cut.find(&dark, &(0.5..=2.0), 0.8)[0];
    assert!(found.confidence > 0.9 && found.place.left.abs_diff(201) < 2, "{found:?}");
}

#[test]
fn parts_that_say_nothing_are_refused() {
    let refused = |width: u32, height: u32, rgba: Vec<u8>| {
        Template::new(Picture::new(width, height, rgba).expect("a picture")).err().map(|error| error.to_string())
    };
    assert!(refused(30, 30, [9, 9, 9, 255].repeat(900)).is_some_and(|said| said.contains("single colour")));
    assert!(refused(30, 30, [9, 200, 9, 0].repeat(900)).is_some_and(|said| said.contains("transparent")));
    assert!(refused(7, 30, [9, 200, 9, 255].repeat(210)).is_some_and(|said| said.contains("7×30")));
}

#[test]
fn a_part_larger_than_the_screen_is_not_there() {
    let large = screen(badge, 100.0, 200.0, 48.0);
    let small = large.part(Place { left: 0, top: 0, right: 40, bottom: 30 }).expect("a part");
    let template = Template::new(large).expect("a part");
    assert!(template.find(&small, &(0.5..=2.0), 0.8).is_empty());
}

/// Numbers that look random, the same ones in each run.
struct Dice(u64);

impl Dice {
    /// Returns a number below a limit.
    fn roll(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(limit)) as u32
    }
}

const BUSY_WIDTH: u32 = 720;
const BUSY_HEIGHT: u32 = 1600;

/// Fills a rectangle.
fn fill(rgba: &mut [u8], [left, top, width, height]: [u32; 4], color: [u8; 3]) {
    for y in top..(top + height).min(BUSY_HEIGHT) {
        for x in left..(left + width).min(BUSY_WIDTH) {
            let at = (y * BUSY_WIDTH + x) as usize * 4;
            rgba[at..at + 3].copy_from_slice(&color);
        }
    }
}

/// A screen with a list: rows of something like words on cards, each with a picture.
fn busy() -> Picture {
    let (mut dice, mut rgba) = (Dice(3), [240, 242, 246, 255].repeat((BUSY_WIDTH * BUSY_HEIGHT) as usize));
    let color = |dice: &mut Dice| [0; 3].map(|_: u8| dice.roll(200) as u8);
    for card in 0..10 {
        let top = 20 + card * 158;
        fill(&mut rgba, [20, top, 680, 140], [255; 3]);
        for _ in 0..8 {
            let place = [40 + dice.roll(60), top + 20 + dice.roll(60), 6 + dice.roll(40), 6 + dice.roll(40)];
            fill(&mut rgba, place, color(&mut dice));
        }
        for line in 0..2 {
            let (mut x, y) = (160, top + 30 + line * 50);
            while x < 500 + dice.roll(100) {
                fill(&mut rgba, [x, y + dice.roll(3) * 8, 3, 8 + dice.roll(3) * 4], [40; 3]);
                fill(&mut rgba, [x, y + dice.roll(3) * 10, 4 + dice.roll(12), 3], [40; 3]);
                x += 14 + dice.roll(2) * dice.roll(20);
            }
        }
    }
    Picture::new(BUSY_WIDTH, BUSY_HEIGHT, rgba).expect("a picture")
}

#[test]
fn what_was_cut_out_is_found_whatever_its_size() {
    let (screen, mut dice) = (busy(), Dice(11));
    let sizes = [(8, 24), (8, 200), (100, 500), (500, 720)];
    let mut places = vec![screen.whole(), Place { top: 44, ..screen.whole() }];
    for at in 0..60 {
        let (least, most) = sizes[at % sizes.len()];
        let mut side = |whole: u32| least + dice.roll((most * whole / BUSY_WIDTH).min(whole) - least + 1);
        let (width, height) = (side(BUSY_WIDTH), side(BUSY_HEIGHT));
        let (left, top) = (dice.roll(BUSY_WIDTH - width + 1), dice.roll(BUSY_HEIGHT - height + 1));
        places.push(Place { left, top, right: left + width, bottom: top + height });
    }
    for place in places {
        // What is of one colour is refused.
        let Ok(template) = Template::new(screen.part(place).expect("a part")) else { continue };
        let found = template.find(&screen, &(0.5..=2.0), 0.8);
        let is_found = found.iter().any(|found| found.confidence > 0.999 && is_own(found.scale));
        assert!(is_found, "{place:?}: {:?}", found.first());
    }
}

/// Returns a picture in another size, smoothly.
fn resized(picture: &Picture, scale: f32) -> Picture {
    let side = |side: u32| (side as f32 * scale).round() as usize;
    let (width, height) = (side(picture.width()), side(picture.height()));
    let planes = [0, 1, 2].map(|channel| Plane::channel(picture, picture.whole(), channel).resized(width, height));
    let pixel = |at: usize| [0, 1, 2, 3].map(|part| planes.get(part).map_or(255, |plane| plane.data[at].round() as u8));
    Picture::new(width as u32, height as u32, (0..width * height).flat_map(pixel).collect()).expect("a picture")
}

#[test]
fn large_and_long_parts_are_found_in_other_sizes() {
    let screen = busy();
    let places = [
        Place { left: 30, top: 200, right: 690, bottom: 600 },
        Place { left: 30, top: 360, right: 690, bottom: 420 },
        Place { left: 60, top: 30, right: 500, bottom: 1500 },
    ];
    for place in places {
        let template = Template::new(screen.part(place).expect("a part")).expect("a template");
        for scale in [0.6, 0.73, 0.9, 1.25, 1.7] {
            let found = template.find(&resized(&screen, scale), &(0.5..=2.0), 0.8).first().copied();
            let is_found = found.is_some_and(|found| {
                let off = |at: u32, wanted: u32| (at as f32 - wanted as f32 * scale).abs() < 3.0;
                found.confidence >= 0.8 && off(found.place.left, place.left) && off(found.place.bottom, place.bottom)
            });
            assert!(is_found, "{place:?} in {scale}: {found:?}");
        }
    }
}
