//! A list with a height of its own within a page, which scrolls by itself: a table → a window over its rows.

use super::super::node::{Flags, Node, Paint};
use super::super::node_action::Grip;
use super::field::{Cx, Field, Flow, heading};
use super::table;
use uixt_canvas::geometry::Area;

/// Puts a list into the column; its rows are those of a table.
pub(super) fn put(cx: &Cx, flow: &mut Flow, field: Field) {
    let look = cx.look;
    if !field.config.label.is_empty() {
        heading(cx, flow, &field.config.label);
    }
    let area = flow.area(look.dp(240.0));
    let mut inner = Flow::new(area.left + look.dp(12.0), area.width() - look.dp(24.0), area.top);
    table::rows(cx, &mut inner, field);
    let slack = (inner.y - area.bottom).max(0);
    let place = field.place();
    let key = (place.instance.clone(), place.path.clone());
    let scroll = cx.scrolls.get(&key).copied().unwrap_or(0).clamp(0, slack);
    for node in &mut inner.nodes {
        node.move_down(-scroll);
    }
    let thumb = (slack > 0).then(|| {
        let high = area.height() * area.height() / (area.height() + slack);
        let top = area.top + (area.height() - high) * scroll / slack;
        Area::sized(area.right - look.dp(6.0), top, look.dp(3.0), high)
    });
    let list = Node::new("android.widget.ListView", area)
        .id(field.id(look))
        .flag_if(slack > 0, Flags::SCROLLABLE)
        .grip(Grip::List { place, scroll, slack })
        .clipping()
        .paint(Paint::Ring(area, look.px(12.0), look.px(1.0), look.theme.outline))
        .paints(thumb.map(|thumb| Paint::Round(thumb, look.px(1.5), look.theme.muted)))
        .children(inner.nodes);
    flow.push(list, look.dp(16.0));
}
