//! The phone's icons: short strokes in a 24 × 24 grid.

use crate::canvas::{Canvas, Color};
use crate::geometry::Area;

/// A sign that is drawn rather than written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    Back,
    ChevronRight,
    ChevronDown,
    Check,
    Cart,
    Gear,
    Calendar,
    File,
    Image,
    Plus,
    Minus,
    Shift,
    Erase,
    Return,
    Hide,
    NavBack,
    NavHome,
    NavRecents,
    Grid,
    Expand,
    Download,
    Padlock,
    Globe,
}

/// A point of the grid.
type Place = (f32, f32);

/// Lines from place to place, or the outline of a circle or a box, in the grid of 24.
enum Stroke {
    Path(&'static [Place]),
    /// Middle x and y, radius.
    Circle(f32, f32, f32),
    /// Left, top, right, bottom, radius of its corners.
    Box(f32, f32, f32, f32, f32),
}

use Stroke::{Box as Frame, Circle, Path};

impl Icon {
    #[expect(clippy::too_many_lines, reason = "a table")]
    fn strokes(self) -> &'static [Stroke] {
        match self {
            Self::Back => &[Path(&[(20.0, 12.0), (4.5, 12.0)]), Path(&[(11.0, 5.0), (4.0, 12.0), (11.0, 19.0)])],
            Self::ChevronRight => &[Path(&[(9.0, 6.0), (15.0, 12.0), (9.0, 18.0)])],
            Self::ChevronDown | Self::Hide => &[Path(&[(6.0, 9.0), (12.0, 15.0), (18.0, 9.0)])],
            Self::Check => &[Path(&[(5.0, 12.5), (10.0, 17.5), (19.5, 7.0)])],
            Self::Minus => &[Path(&[(5.0, 12.0), (19.0, 12.0)])],
            Self::Cart => &[
                Path(&[(2.5, 4.0), (5.5, 4.0), (8.0, 15.0), (18.5, 15.0), (21.0, 7.0), (6.3, 7.0)]),
                Circle(9.5, 19.5, 1.2),
                Circle(17.0, 19.5, 1.2),
            ],
            Self::Gear => &[
                Circle(12.0, 12.0, 6.2),
                Circle(12.0, 12.0, 2.2),
                Path(&[(12.0, 2.5), (12.0, 5.0)]),
                Path(&[(12.0, 19.0), (12.0, 21.5)]),
                Path(&[(2.5, 12.0), (5.0, 12.0)]),
                Path(&[(19.0, 12.0), (21.5, 12.0)]),
                Path(&[(5.3, 5.3), (7.2, 7.2)]),
                Path(&[(16.8, 16.8), (18.7, 18.7)]),
                Path(&[(5.3, 18.7), (7.2, 16.8)]),
                Path(&[(16.8, 7.2), (18.7, 5.3)]),
            ],
            Self::Padlock => &[
                Frame(6.0, 10.5, 18.0, 20.5, 2.0),
                Path(&[(8.5, 10.5), (8.5, 7.0), (10.0, 4.5), (14.0, 4.5), (15.5, 7.0), (15.5, 10.5)]),
                Circle(12.0, 15.5, 0.8),
            ],
            Self::Globe => &[
                Circle(12.0, 12.0, 9.0),
                Path(&[(3.0, 12.0), (21.0, 12.0)]),
                Path(&[(12.0, 3.0), (8.2, 8.0), (8.2, 16.0), (12.0, 21.0)]),
                Path(&[(12.0, 3.0), (15.8, 8.0), (15.8, 16.0), (12.0, 21.0)]),
            ],
            Self::Calendar => &[
                Frame(4.0, 5.5, 20.0, 20.5, 2.0),
                Path(&[(4.5, 10.0), (19.5, 10.0)]),
                Path(&[(8.0, 3.5), (8.0, 6.5)]),
                Path(&[(16.0, 3.5), (16.0, 6.5)]),
            ],
            Self::File => &[
                Frame(5.5, 3.0, 18.5, 21.0, 2.0),
                Path(&[(8.5, 9.0), (15.5, 9.0)]),
                Path(&[(8.5, 13.0), (15.5, 13.0)]),
                Path(&[(8.5, 17.0), (13.0, 17.0)]),
            ],
            Self::Image => &[
                Frame(3.5, 5.0, 20.5, 19.0, 2.0),
                Circle(8.5, 9.5, 1.3),
                Path(&[(5.0, 17.5), (11.0, 12.0), (14.0, 15.0), (16.0, 13.0), (19.5, 16.5)]),
            ],
            Self::Plus => &[Path(&[(5.0, 12.0), (19.0, 12.0)]), Path(&[(12.0, 5.0), (12.0, 19.0)])],
            Self::Shift => &[Path(&[
                (12.0, 4.0),
                (4.5, 12.0),
                (8.5, 12.0),
                (8.5, 19.5),
                (15.5, 19.5),
                (15.5, 12.0),
                (19.5, 12.0),
                (12.0, 4.0),
            ])],
            Self::Erase => &[
                Path(&[(8.0, 5.5), (21.5, 5.5), (21.5, 18.5), (8.0, 18.5), (2.5, 12.0), (8.0, 5.5)]),
                Path(&[(11.0, 9.0), (17.0, 15.0)]),
                Path(&[(17.0, 9.0), (11.0, 15.0)]),
            ],
            Self::Return => {
                &[Path(&[(20.0, 6.0), (20.0, 13.0), (4.5, 13.0), (9.5, 8.0)]), Path(&[(4.5, 13.0), (9.5, 18.0)])]
            }
            Self::NavBack => &[Path(&[(16.5, 4.5), (5.5, 12.0), (16.5, 19.5), (16.5, 4.5)])],
            Self::NavHome => &[Circle(12.0, 12.0, 7.5)],
            Self::NavRecents => &[Frame(5.0, 5.0, 19.0, 19.0, 2.0)],
            Self::Grid => &[
                Frame(4.0, 4.0, 10.5, 10.5, 1.5),
                Frame(13.5, 4.0, 20.0, 10.5, 1.5),
                Frame(4.0, 13.5, 10.5, 20.0, 1.5),
                Frame(13.5, 13.5, 20.0, 20.0, 1.5),
            ],
            Self::Expand => &[
                Path(&[(4.0, 9.0), (4.0, 4.0), (9.0, 4.0)]),
                Path(&[(15.0, 20.0), (20.0, 20.0), (20.0, 15.0)]),
                Path(&[(4.0, 4.0), (10.0, 10.0)]),
                Path(&[(20.0, 20.0), (14.0, 14.0)]),
            ],
            Self::Download => &[
                Path(&[(12.0, 3.5), (12.0, 15.0)]),
                Path(&[(7.0, 10.5), (12.0, 15.5)]),
                Path(&[(17.0, 10.5), (12.0, 15.5)]),
                Path(&[(5.0, 20.0), (19.0, 20.0)]),
            ],
        }
    }

    /// Draws the icon into a square.
    #[expect(clippy::cast_precision_loss, reason = "pixels")]
    pub fn draw(self, canvas: &mut Canvas, square: Area, color: Color) {
        let unit = square.width() as f32 / 24.0;
        let (left, top) = (square.left as f32, square.top as f32);
        canvas.shape(square, color, |x, y| {
            let (x, y) = ((x - left) / unit, (y - top) / unit);
            let near = self.strokes().iter().map(|stroke| stroke.distance(x, y)).fold(f32::MAX, f32::min);
            (near - 0.95) * unit
        });
    }
}

impl Stroke {
    /// Returns the distance of a point from the stroke's middle, in the grid's units.
    fn distance(&self, x: f32, y: f32) -> f32 {
        match *self {
            Self::Path(places) => {
                places.windows(2).map(|ends| line_distance(ends[0], ends[1], (x, y))).fold(f32::MAX, f32::min)
            }
            Self::Circle(middle_x, middle_y, radius) => ((x - middle_x).hypot(y - middle_y) - radius).abs(),
            Self::Box(left, top, right, bottom, radius) => {
                let (half_x, half_y) = ((right - left) / 2.0, (bottom - top) / 2.0);
                let across = (x - left - half_x).abs() - half_x + radius;
                let down = (y - top - half_y).abs() - half_y + radius;
                (across.max(0.0).hypot(down.max(0.0)) + across.max(down).min(0.0) - radius).abs()
            }
        }
    }
}

/// Returns the distance of a point from a line.
fn line_distance((from_x, from_y): Place, (to_x, to_y): Place, (x, y): Place) -> f32 {
    let (along_x, along_y) = (to_x - from_x, to_y - from_y);
    let length = along_x.mul_add(along_x, along_y * along_y);
    let part = (((x - from_x) * along_x + (y - from_y) * along_y) / length).clamp(0.0, 1.0);
    (x - from_x - part * along_x).hypot(y - from_y - part * along_y)
}
