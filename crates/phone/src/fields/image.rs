//! Pictures on a page: an illustration, a PNG in a data URI, or what stands there when neither can be shown.

use std::sync::Arc;

use crate::instance::{ImageFit, text_of};

use super::super::dialog::{Dialog, Kind};
use super::super::node::{Node, Paint};
use super::super::node_action::Tap;
use super::super::widgets::{Align, FRAME, Look, pixels};
use super::field::{Cx, Field, Flow};
use uixt_canvas::geometry::Area;
use uixt_canvas::icon::Icon;
use uixt_canvas::picture::{self, Picture};
use uixt_canvas::theme::{SCRIM, WHITE};

/// Puts a picture, its buttons and its subtitle.
pub(super) fn put(cx: &Cx, flow: &mut Flow, field: Field) {
    let look = cx.look;
    let source = text_of(&field.value());
    let picture = picture::load(&source);
    let area = flow.area(height(look, flow.width, field, picture.as_deref()));
    let image = Node::new("android.widget.ImageView", area).label(&field.config.label).id(field.id(look));
    let node = match picture {
        Some(picture) => {
            let fit = field.config.image.image_fit.unwrap_or(ImageFit::Contain);
            let ground = Paint::Round(area, look.px(12.0), look.theme.background);
            let paint = Paint::Picture(fitted(area, &picture, fit), area, look.px(12.0), picture);
            Node::new(FRAME, area).child(image.paint(ground).paint(paint)).children(buttons(look, area, field, &source))
        }
        None => Node::new(FRAME, area).child(image.paints(empty(look, area))).child(fallback(look, area, field)),
    };
    flow.push(node, look.dp(if field.config.image.subtitle.is_some() { 4.0 } else { 14.0 }));
    if let Some(subtitle) = &field.config.image.subtitle {
        let ink = (look.style(13.0), look.theme.muted);
        let node = look.words((flow.left, flow.y), flow.width, subtitle, ink, 3);
        flow.push(node, look.dp(14.0));
    }
}

/// Returns the picture's height: as the page says (`200px` are 200 dp), else as its sides ask.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a height on the screen")]
fn height(look: &Look, width: i32, field: Field, picture: Option<&Picture>) -> i32 {
    let said = field.config.image.image_height.as_deref().unwrap_or("auto");
    let number: Option<f32> = said.trim_end_matches(|sign: char| sign.is_alphabetic()).trim().parse().ok();
    if let Some(number) = number.filter(|number| number.is_finite()) {
        return look.dp(number.clamp(24.0, 600.0));
    }
    let natural = picture.map(|picture| pixels(width) * picture.height() as f32 / picture.width().max(1) as f32);
    natural.map_or(look.dp(140.0), |natural| (natural as i32).clamp(look.dp(48.0), look.dp(240.0)))
}

/// Returns where a picture is stretched to, so that it fits its place as asked.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "lengths on the screen")]
fn fitted(area: Area, picture: &Arc<Picture>, fit: ImageFit) -> Area {
    let (wide, high) = (picture.width().max(1) as f32, picture.height().max(1) as f32);
    let (across, down) = (pixels(area.width()) / wide, pixels(area.height()) / high);
    let zoom = match fit {
        ImageFit::Fill => return area,
        ImageFit::Contain => across.min(down),
        ImageFit::Cover => across.max(down),
    };
    let (wide, high) = (((wide * zoom) as i32).max(1), ((high * zoom) as i32).max(1));
    Area::sized(area.left + (area.width() - wide) / 2, area.top + (area.height() - high) / 2, wide, high)
}

/// Returns the buttons that lie on a picture.
fn buttons(look: &Look, area: Area, field: Field, source: &str) -> Vec<Node> {
    let props = &field.config.image;
    let full = Tap::Open(Box::new(Dialog::new(&field.config.label, Kind::Picture(source.to_owned()))));
    let save = Tap::Say { instance: field.instance.id().to_owned(), message: "Saved to Pictures".to_owned() };
    let wanted = [
        (props.show_fullscreen, Icon::Expand, "Full screen", full),
        (props.show_download, Icon::Download, "Download", save),
    ];
    let shown = wanted.into_iter().filter(|(shown, ..)| shown.unwrap_or(true)).zip(0..);
    let button = |((_, icon, name, tap), number)| {
        let side = look.dp(40.0);
        let at = (area.right - side * (number + 1) - look.dp(4.0), area.top + look.dp(4.0));
        let cell = Area::sized(at.0, at.1, side, side);
        let disc = cell.inset(look.dp(4.0));
        Node::new("android.widget.ImageButton", cell)
            .label(name)
            .tap(tap)
            .paint(Paint::Round(disc, look.px(16.0), SCRIM))
            .paint(Paint::Icon(icon, disc.square(look.dp(18.0)), WHITE))
    };
    shown.map(button).collect()
}

fn empty(look: &Look, area: Area) -> [Paint; 2] {
    let middle = Area::new(area.left, area.top, area.right, area.bottom - look.dp(28.0));
    [
        Paint::Round(area, look.px(12.0), look.theme.pale),
        Paint::Icon(Icon::Image, middle.square(look.dp(40.0)), look.theme.on_pale),
    ]
}

fn fallback(look: &Look, area: Area, field: Field) -> Node {
    let text = field.config.image.fallback.clone().unwrap_or_else(|| "No picture".to_owned());
    let line = Area::new(
        area.left,
        i32::midpoint(area.top, area.bottom) + look.dp(10.0),
        area.right,
        area.bottom - look.dp(4.0),
    );
    let paint = look.line(line, &text, (look.style(14.0), look.theme.on_pale), Align::Middle);
    Node::new(super::super::widgets::TEXT_VIEW, line).text(text).paint(paint)
}
