//! How the phone's parts look: sizes, text styles and the small pieces that every page is made of.

use super::node::{Node, Paint};
use super::options::Face;
use uixt_canvas::canvas::Color;
use uixt_canvas::geometry::{Area, Scale};
use uixt_canvas::glyphs::{self, Style};
use uixt_canvas::theme::Theme;

pub(super) const TEXT_VIEW: &str = "android.widget.TextView";
pub(super) const FRAME: &str = "android.widget.FrameLayout";
pub(super) const LINEAR: &str = "android.widget.LinearLayout";
pub(super) const VIEW: &str = "android.view.View";

/// What every part of a window is drawn with.
#[derive(Clone, Debug)]
pub(super) struct Look {
    pub(super) scale: Scale,
    pub(super) theme: Theme,
    /// The app whose resource ids these are.
    pub(super) package: String,
    pub(super) face: Face,
}

/// Where a text stands: from the left, or around the middle of a width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Middle,
    Right,
}

impl Look {
    pub(super) fn dp(&self, dp: f32) -> i32 {
        self.scale.dp(dp)
    }

    pub(super) fn px(&self, dp: f32) -> f32 {
        self.scale.px(dp)
    }

    /// Returns what no app but an iPhone itself is drawn with.
    pub(super) fn of_iphone(scale: Scale) -> Self {
        let package = "com.apple.springboard";
        Self { scale, theme: Theme::of_package(package), package: package.to_owned(), face: Face::Iphone }
    }

    pub(super) fn is_iphone(&self) -> bool {
        self.face == Face::Iphone
    }

    /// Returns the radius of corners in pixels, of one in dp on Android and of one in points on an iPhone.
    pub(super) fn corner(&self, android: f32, iphone: f32) -> f32 {
        self.px(if self.is_iphone() { iphone } else { android })
    }

    pub(super) fn style(&self, size: f32) -> Style {
        Style { size: self.scale.px(size), bold: false }
    }

    pub(super) fn bold(&self, size: f32) -> Style {
        Style { size: self.scale.px(size), bold: true }
    }

    /// Returns `com.uixt.shop:id/name`; a name that is whole stays as it is.
    pub(super) fn id(&self, name: &str) -> String {
        if name.contains(':') { name.to_owned() } else { format!("{}:id/{name}", self.package) }
    }

    /// Makes a text of at most `most` lines; its area is as high as its lines.
    #[expect(clippy::unused_self, reason = "a look draws")]
    pub(super) fn words(
        &self,
        at: (i32, i32),
        width: i32,
        text: &str,
        (style, color): (Style, Color),
        most: usize,
    ) -> Node {
        let lines = glyphs::wrap(text, style, pixels(width), most);
        let high = style.line_height();
        let count = i32::try_from(lines.len()).unwrap_or(1);
        let area = Area::sized(at.0, at.1, width, high * count);
        let paints = lines.into_iter().zip(0..).map(|(line, number)| {
            Paint::Text(pixels(at.0), baseline(at.1 + number * high, high, style), line, style, color)
        });
        Node::new(TEXT_VIEW, area).text(text).paints(paints.collect::<Vec<_>>())
    }

    /// Draws one line into an area, shortened where it does not fit.
    #[expect(clippy::unused_self, reason = "a look draws")]
    pub(super) fn line(&self, area: Area, text: &str, (style, color): (Style, Color), align: Align) -> Paint {
        let text = glyphs::shorten(text, style, pixels(area.width()));
        let spare = pixels(area.width()) - glyphs::width(&text, style);
        let shift = match align {
            Align::Left => 0.0,
            Align::Middle => spare / 2.0,
            Align::Right => spare,
        };
        Paint::Text(pixels(area.left) + shift, baseline(area.top, area.height(), style), text, style, color)
    }
}

/// Returns the baseline of a line that stands in the middle of a height.
#[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
pub(super) fn baseline(top: i32, height: i32, style: Style) -> i32 {
    top + height / 2 + (style.size * 0.36).round() as i32
}

/// Returns a length as a number that can be reckoned with.
#[expect(clippy::cast_precision_loss, reason = "lengths on a screen are small")]
pub(super) fn pixels(length: i32) -> f32 {
    length as f32
}
