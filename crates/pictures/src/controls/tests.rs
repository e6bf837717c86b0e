use super::*;

type Color = [u8; 3];
const DARK: Color = [24, 24, 28];
const LIGHT: Color = [255, 255, 255];
const BLUE: Color = [22, 119, 255];

/// A page that shapes are painted on, with smooth edges.
struct Page {
    width: u32,
    height: u32,
    rgba: Vec<u8>,
    ink: Color,
    ground: Color,
}

impl Page {
    fn new(is_dark: bool) -> Self {
        let (ground, ink) = if is_dark { (DARK, LIGHT) } else { (LIGHT, DARK) };
        let (width, height) = (1080, 1920);
        let rgba = [ground[0], ground[1], ground[2], 255].repeat((width * height) as usize);
        Self { width, height, rgba, ink, ground }
    }

    /// Makes an empty page as wide as this.
    fn narrow(&mut self, width: u32) {
        self.width = width;
        self.rgba = [self.ground[0], self.ground[1], self.ground[2], 255].repeat((width * self.height) as usize);
    }

    fn paint(&mut self, place: [f32; 4], color: Color, depth: impl Fn(f32, f32) -> f32) {
        let [left, top, right, bottom] = place.map(|edge| edge.max(0.0) as u32);
        for y in top.saturating_sub(2)..(bottom + 2).min(self.height) {
            for x in left.saturating_sub(2)..(right + 2).min(self.width) {
                let share = (depth(x as f32 + 0.5, y as f32 + 0.5) + 0.5).clamp(0.0, 1.0);
                let at = ((y * self.width + x) * 4) as usize;
                for (value, wanted) in self.rgba[at..at + 3].iter_mut().zip(color) {
                    *value = (f32::from(*value) * (1.0 - share) + f32::from(wanted) * share).round() as u8;
                }
            }
        }
    }

    fn line(&mut self, ends: [f32; 4], thickness: f32, color: Color) {
        let [ax, ay, bx, by] = ends;
        let place = [ax.min(bx) - thickness, ay.min(by) - thickness, ax.max(bx) + thickness, ay.max(by) + thickness];
        self.paint(place, color, |x, y| thickness / 2.0 - strokes::nearest(&[ends], x, y));
    }

    fn lines(&mut self, x: f32, y: f32, points: &[(f32, f32)], thickness: f32, color: Color) {
        for pair in points.windows(2) {
            self.line([x + pair[0].0, y + pair[0].1, x + pair[1].0, y + pair[1].1], thickness, color);
        }
    }

    fn sheet(&mut self, [x, y, width, height]: [f32; 4], radius: f32, color: Color) {
        let (cx, cy) = (x + width / 2.0, y + height / 2.0);
        self.paint([x, y, x + width, y + height], color, |px, py| {
            let across = (px - cx).abs() - width / 2.0 + radius;
            let down = (py - cy).abs() - height / 2.0 + radius;
            radius - across.max(0.0).hypot(down.max(0.0)) - across.max(down).min(0.0)
        });
    }

    fn outline(&mut self, place: [f32; 4], radius: f32, border: f32, color: Color) {
        self.sheet(place, radius, color);
        let [x, y, width, height] = place;
        let inner = [x + border, y + border, width - 2.0 * border, height - 2.0 * border];
        self.sheet(inner, (radius - border).max(0.0), self.ground);
    }

    fn cross(&mut self, x: f32, y: f32, side: f32, color: Color) {
        self.line([x, y, x + side, y + side], 6.0, color);
        self.line([x + side, y, x, y + side], 6.0, color);
    }

    fn magnifier(&mut self, x: f32, y: f32, color: Color) {
        self.paint([x, y, x + 42.0, y + 42.0], color, |px, py| {
            3.0 - ((px - x - 20.0).hypot(py - y - 20.0) - 17.0).abs()
        });
        self.line([x + 32.0, y + 32.0, x + 50.0, y + 50.0], 6.0, color);
    }

    fn bars(&mut self, x: f32, y: f32, widths: [f32; 3]) {
        for (at, width) in widths.iter().enumerate() {
            self.sheet([x + (54.0 - width) / 2.0, y + at as f32 * 15.0, *width, 6.0], 0.0, self.ink);
        }
    }

    /// Writes letters of an angle each.
    fn text(&mut self, x: f32, y: f32, count: u32, color: Color) {
        for at in 0..count {
            let x = x + at as f32 * 30.0;
            self.lines(x, y, &[(0.0, 0.0), (0.0, 32.0), (18.0, 32.0)], 5.0, color);
        }
    }

    fn switch(&mut self, x: f32, y: f32, is_on: bool) {
        self.sheet([x, y, 132.0, 66.0], 33.0, if is_on { BLUE } else { [150, 150, 150] });
        self.sheet([x + if is_on { 72.0 } else { 6.0 }, y + 6.0, 54.0, 54.0], 27.0, LIGHT);
    }

    fn found(self) -> Vec<(&'static str, u32, u32)> {
        let picture = Picture::new(self.width, self.height, self.rgba).expect("a picture");
        controls(&picture)
            .iter()
            .map(|found| (found.kind.name(), found.place.left / 20, found.place.top / 20))
            .collect()
    }
}

#[test]
fn every_kind_is_found_on_light_and_dark() {
    for is_dark in [false, true] {
        let mut page = Page::new(is_dark);
        let ink = page.ink;
        page.lines(65.0, 130.0, &[(20.0, 0.0), (0.0, 20.0), (20.0, 40.0)], 6.0, ink);
        page.text(460.0, 135.0, 5, ink);
        page.magnifier(865.0, 127.0, ink);
        page.cross(985.0, 130.0, 40.0, ink);
        page.bars(65.0, 308.0, [54.0; 3]);
        page.outline([45.0, 405.0, 900.0, 120.0], 12.0, 3.0, [140, 140, 140]);
        page.text(85.0, 450.0, 6, [140, 140, 140]);
        page.sheet([45.0, 605.0, 900.0, 120.0], 60.0, BLUE);
        page.text(420.0, 650.0, 5, LIGHT);
        page.outline([45.0, 805.0, 54.0, 54.0], 6.0, 6.0, ink);
        page.text(125.0, 815.0, 6, ink);
        page.sheet([45.0, 905.0, 54.0, 54.0], 6.0, BLUE);
        page.lines(45.0, 905.0, &[(12.0, 27.0), (22.0, 37.0), (42.0, 16.0)], 6.0, LIGHT);
        page.switch(805.0, 1005.0, true);
        page.switch(805.0, 1105.0, false);
        page.sheet([505.0, 1205.0, 84.0, 84.0], 42.0, [90, 90, 90]);
        page.cross(531.0, 1231.0, 32.0, LIGHT);
        let wanted = [
            ("back", 3, 6),
            ("search", 43, 6),
            ("close", 49, 6),
            ("menu", 3, 15),
            ("text_field", 2, 20),
            ("button", 2, 30),
            ("checkbox", 2, 40),
            ("checkbox", 2, 45),
            ("switch", 40, 50),
            ("switch", 40, 55),
            ("close", 26, 61),
        ];
        let mut found = page.found();
        found.sort_by_key(|(_, x, y)| (*y, *x));
        assert_eq!(found, wanted, "dark: {is_dark}");
    }
}

#[test]
fn what_only_looks_similar_is_not_told() {
    type Draw = fn(&mut Page);
    let cases: [(&str, Draw); 17] = [
        ("a letter between others", |page| {
            page.text(100.0, 500.0, 2, page.ink);
            page.cross(165.0, 500.0, 32.0, page.ink);
            page.text(220.0, 500.0, 2, page.ink);
        }),
        ("a letter of a keyboard", |page| {
            page.text(100.0, 500.0, 1, page.ink);
            page.cross(185.0, 508.0, 24.0, page.ink);
            page.text(280.0, 500.0, 1, page.ink);
        }),
        ("a times sign before a number", |page| {
            page.cross(100.0, 500.0, 28.0, page.ink);
            page.text(145.0, 496.0, 1, page.ink);
        }),
        ("a plus", |page| {
            page.line([100.0, 520.0, 140.0, 520.0], 6.0, page.ink);
            page.line([120.0, 500.0, 120.0, 540.0], 6.0, page.ink);
        }),
        ("a letter of unequal sides", |page| {
            page.line([100.0, 500.0, 132.0, 540.0], 6.0, page.ink);
            page.line([132.0, 500.0, 100.0, 540.0], 6.0, page.ink);
        }),
        ("a cross that crosses a figure", |page| {
            page.cross(100.0, 500.0, 20.0, page.ink);
            page.sheet([70.0, 505.0, 24.0, 30.0], 12.0, page.ink);
        }),
        ("a multiplication key", |page| {
            for at in 0..4 {
                page.sheet([40.0 + 200.0 * at as f32, 500.0, 180.0, 120.0], 9.0, BLUE);
            }
            page.cross(710.0, 540.0, 40.0, LIGHT);
        }),
        ("bars of unequal lengths", |page| page.bars(100.0, 500.0, [48.0, 42.0, 54.0])),
        ("two bars", |page| page.bars(100.0, 500.0, [54.0, 54.0, 0.0])),
        ("bars after dots", |page| {
            page.bars(100.0, 500.0, [54.0; 3]);
            (0..3).for_each(|at| page.sheet([84.0, 500.0 + 15.0 * at as f32, 6.0, 6.0], 3.0, page.ink));
        }),
        ("a chevron far from the left", |page| {
            page.lines(800.0, 130.0, &[(20.0, 0.0), (0.0, 20.0), (20.0, 40.0)], 6.0, page.ink);
        }),
        ("a chevron to the right", |page| {
            page.lines(65.0, 130.0, &[(0.0, 0.0), (20.0, 20.0), (0.0, 40.0)], 6.0, page.ink);
        }),
        ("a magnifier with a plus", |page| {
            page.magnifier(500.0, 500.0, page.ink);
            page.line([511.0, 520.0, 529.0, 520.0], 5.0, page.ink);
            page.line([520.0, 511.0, 520.0, 529.0], 5.0, page.ink);
        }),
        ("a ring with a short tail", |page| {
            page.paint([500.0, 500.0, 550.0, 550.0], page.ink, |x, y| {
                3.0 - ((x - 525.0).hypot(y - 525.0) - 22.0).abs()
            });
            page.line([532.0, 535.0, 548.0, 550.0], 6.0, page.ink);
        }),
        ("a square without a label", |page| page.outline([45.0, 805.0, 54.0, 54.0], 6.0, 6.0, page.ink)),
        ("a tag", |page| {
            page.sheet([45.0, 805.0, 150.0, 77.0], 6.0, BLUE);
            page.text(81.0, 827.0, 3, LIGHT);
        }),
        ("a row of settings", |page| {
            page.outline([45.0, 405.0, 900.0, 150.0], 12.0, 3.0, [140, 140, 140]);
            page.text(85.0, 465.0, 6, page.ink);
            page.lines(900.0, 465.0, &[(0.0, 0.0), (16.0, 16.0), (0.0, 32.0)], 5.0, [140, 140, 140]);
        }),
    ];
    for (name, draw) in cases {
        for is_dark in [false, true] {
            let mut page = Page::new(is_dark);
            draw(&mut page);
            assert_eq!(page.found(), [], "{name}, dark: {is_dark}");
        }
    }
}

/// How switches of one look are drawn: the colours of track, border and disc, each height and the width in density-independent pixels.
struct Look {
    name: &'static str,
    size: (f32, f32),
    disc: f32,
    track: f32,
    colors: [Color; 3],
    is_on: bool,
    mark: Option<Color>,
}

const GREY: Color = [121, 116, 126];

/// Returns looks on a light and on a dark ground.
fn looks(is_dark: bool) -> Vec<Look> {
    let look = |name, size, (disc, track), colors, is_on| Look { name, size, disc, track, colors, is_on, mark: None };
    let (accent, knob) = if is_dark { ([208, 188, 255], [56, 30, 114]) } else { ([0, 106, 90], LIGHT) };
    let (empty, border) = if is_dark { ([54, 52, 59], [147, 143, 153]) } else { ([230, 224, 233], GREY) };
    let (pale, ios) = if is_dark { ([86, 82, 98], [57, 57, 61]) } else { ([152, 188, 182], [222, 222, 226]) };
    let grey = if is_dark { [96, 96, 100] } else { [178, 178, 178] };
    let ticked = Look {
        mark: Some(accent),
        ..look("Material 3, ticked", (52.0, 32.0), (24.0, 32.0), [accent, accent, knob], true)
    };
    vec![
        ticked,
        look("Material 3, on", (52.0, 32.0), (24.0, 32.0), [accent, accent, knob], true),
        look("Material 3, off", (52.0, 32.0), (16.0, 32.0), [empty, border, border], false),
        look("Material 2, on", (36.0, 20.0), (20.0, 14.0), [pale, pale, accent], true),
        look("Material 2, off", (36.0, 20.0), (20.0, 14.0), [grey, grey, [236, 236, 236]], false),
        look("iOS, on", (51.0, 31.0), (27.0, 31.0), [[52, 199, 89], [52, 199, 89], LIGHT], true),
        look("iOS, off", (51.0, 31.0), (27.0, 31.0), [ios, ios, LIGHT], false),
    ]
}

impl Page {
    /// Draws a switch of a look; a density-independent pixel has so many pixels.
    fn styled(&mut self, (x, y): (f32, f32), look: &Look, unit: f32) {
        let [track, border, disc] = look.colors;
        let [width, height, side, thick] = [look.size.0, look.size.1, look.disc, look.track].map(|size| size * unit);
        let top = y + (height - thick) / 2.0;
        self.sheet([x, top, width, thick], thick / 2.0, border);
        let edge = if track == border { 0.0 } else { 2.0 * unit };
        self.sheet([x + edge, top + edge, width - 2.0 * edge, thick - 2.0 * edge], thick / 2.0 - edge, track);
        let inset = (height - side) / 2.0;
        let left = if look.is_on { x + width - inset - side } else { x + inset };
        self.sheet([left, y + inset, side, side], side / 2.0, disc);
        if let Some(color) = look.mark {
            let tick = [(0.27, 0.52), (0.43, 0.67), (0.73, 0.36)].map(|(x, y)| (x * side, y * side));
            self.lines(left, y + inset, &tick, 0.08 * side, color);
        }
    }
}

#[test]
fn switches_are_found_on_and_off_in_every_look_and_density() {
    for (is_dark, width) in [(false, 1080), (true, 1080), (false, 720), (true, 720), (false, 1440), (true, 1440)] {
        for look in looks(is_dark) {
            let mut page = Page::new(is_dark);
            page.narrow(width);
            let unit = width as f32 / 400.0;
            for at in 0..3_u8 {
                page.styled((0.8 * width as f32 + 0.3 * f32::from(at), 300.4 + 200.3 * f32::from(at)), &look, unit);
            }
            let kinds: Vec<_> = page.found().into_iter().map(|(kind, ..)| kind).collect();
            assert_eq!(kinds, ["switch"; 3], "{}, dark: {is_dark}, {width} pixels wide", look.name);
        }
    }
}

#[test]
fn what_is_round_at_its_end_is_no_switch() {
    type Draw = fn(&mut Page);
    let cases: [(&str, Draw); 7] = [
        ("a pill", |page| page.sheet([100.0, 500.0, 140.0, 84.0], 42.0, BLUE)),
        ("a badge with a number", |page| {
            page.sheet([100.0, 500.0, 120.0, 60.0], 30.0, BLUE);
            page.text(140.0, 514.0, 1, LIGHT);
        }),
        ("a chip that is ticked", |page| {
            page.sheet([100.0, 500.0, 300.0, 84.0], 42.0, BLUE);
            page.lines(120.0, 512.0, &[(12.0, 27.0), (22.0, 37.0), (42.0, 16.0)], 6.0, LIGHT);
            page.text(200.0, 526.0, 4, LIGHT);
        }),
        ("a chip with a letter in a disc", |page| {
            page.sheet([100.0, 500.0, 168.0, 84.0], 42.0, BLUE);
            page.sheet([110.0, 510.0, 64.0, 64.0], 32.0, LIGHT);
            page.text(132.0, 526.0, 1, BLUE);
        }),
        ("progress", |page| {
            page.sheet([100.0, 500.0, 160.0, 80.0], 40.0, [150, 150, 150]);
            page.sheet([100.0, 500.0, 110.0, 80.0], 40.0, BLUE);
        }),
        ("a slider", |page| {
            page.sheet([100.0, 530.0, 600.0, 12.0], 6.0, [150, 150, 150]);
            page.sheet([100.0, 530.0, 200.0, 12.0], 6.0, BLUE);
            page.sheet([280.0, 510.0, 52.0, 52.0], 26.0, BLUE);
        }),
        ("a radio button", |page| {
            page.sheet([100.0, 500.0, 60.0, 60.0], 30.0, BLUE);
            page.sheet([106.0, 506.0, 48.0, 48.0], 24.0, page.ground);
            page.sheet([115.0, 515.0, 30.0, 30.0], 15.0, BLUE);
        }),
    ];
    for (name, draw) in cases {
        for is_dark in [false, true] {
            let mut page = Page::new(is_dark);
            draw(&mut page);
            assert!(page.found().iter().all(|(kind, ..)| *kind != "switch"), "{name}, dark: {is_dark}");
        }
    }
}

#[test]
fn every_size_and_noise_are_looked_through() {
    let mut seed = 7_u32;
    let mut noise = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 24) as u8
    };
    for (width, height) in [(1, 1), (2, 1), (32_767, 1), (1, 32_767), (640, 360)] {
        for is_plain in [false, true] {
            let rgba = (0..width * height * 4).map(|_| if is_plain { 9 } else { noise() }).collect();
            assert_eq!(controls(&Picture::new(width, height, rgba).expect("a picture")), [], "{width}×{height}");
        }
    }
}

#[test]
fn kinds_have_names() {
    assert!(ControlKind::ALL.iter().all(|kind| ControlKind::named(kind.name()) == Some(*kind)));
    assert_eq!(ControlKind::named("slider"), None);
}
