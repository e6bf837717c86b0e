//! Kinds of controls that are known by their look → elements of a screen, with the text that is drawn in them.

use uixt_driver::{Element, Rect, Screen};
use uixt_locate::target::Target;
use uixt_locate::{Error, Kind, pixel_elements};
use uixt_pictures::{Control, ControlKind, Picture};

use super::drawn_text::{placed, size};
use super::images;
use crate::Context;

/// Adds to a screen, as the window that lies over all others, the controls that are known by their look. Those lines of text that
/// stand in one, or beside a box or a switch, name it.
pub(crate) async fn add(cx: &Context, screen: &mut Screen, picture: &Picture, lines: &[Element]) -> Result<(), Error> {
    let size = size(picture);
    let found = images::controls(cx, picture).await?;
    for Control { kind, place, confidence } in &found {
        cx.options.used.see(kind.name(), placed(*place, size, screen.size), screen.size, *confidence);
    }
    let children = found.iter().map(|control| element(control, placed(control.place, size, screen.size), lines));
    screen.roots.push(images::window(screen, children.collect()));
    Ok(())
}

fn element(control: &Control, rect: Rect, lines: &[Element]) -> Element {
    let role = match control.kind {
        ControlKind::TextField => "textfield",
        ControlKind::Checkbox => "checkbox",
        ControlKind::Switch => "switch",
        _ => "button",
    };
    // A tick in a box may be read as a letter.
    let text = match control.kind {
        ControlKind::Checkbox | ControlKind::Switch => {
            beside(rect, lines).map_or_else(String::new, |line| line.text.clone())
        }
        _ => {
            let inside = lines.iter().filter(|line| rect.contains(line.rect.center()));
            inside.map(|line| line.text.as_str()).collect::<Vec<_>>().join(" ")
        }
    };
    Element {
        role,
        class: pixel_elements::CONTROL.to_owned(),
        label: if text.is_empty() { control.kind.name().to_owned() } else { String::new() },
        id: control.kind.name().to_owned(),
        text,
        rect,
        enabled: true,
        clickable: true,
        ..Element::default()
    }
}

/// Returns the nearest line of text in the same row.
fn beside(rect: Rect, lines: &[Element]) -> Option<&Element> {
    let middle = i32::midpoint(rect.top, rect.bottom);
    let is_apart = |line: &&Element| !rect.contains(line.rect.center());
    let in_row = lines.iter().filter(|line| (line.rect.top..line.rect.bottom).contains(&middle)).filter(is_apart);
    in_row.min_by_key(|line| (line.rect.left - rect.right).max(rect.left - line.rect.right))
}

/// Builds the error of a control that is not seen.
pub(crate) fn absent(target: &Target, span: &str, screen: &Screen) -> Error {
    let mut seen: Vec<&str> = Vec::new();
    screen.roots.iter().for_each(|root| {
        root.walk(&mut |element| {
            if pixel_elements::is_control(element) && !seen.contains(&element.id.as_str()) {
                seen.push(&element.id);
            }
        });
    });
    let told = if seen.is_empty() { "no control is seen".to_owned() } else { format!("seen: {}", seen.join(", ")) };
    Error::new(Kind::NotFound, format!("{target}: not there {span}; by their look, {told}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use uixt_pictures::Place;

    fn line(text: &str, left: i32, top: i32) -> Element {
        let rect = Rect { left, top, right: left + 60, bottom: top + 20 };
        Element { role: "text", text: text.to_owned(), rect, ..Element::default() }
    }

    #[test]
    fn a_control_is_called_by_the_text_in_it_or_beside_it() {
        let control = |kind| Control { kind, place: Place { left: 0, top: 0, right: 9, bottom: 9 }, confidence: 1.0 };
        let lines = [line("Buy now", 20, 110), line("Wi-Fi", 10, 210), line("far", 10, 900)];
        let button =
            element(&control(ControlKind::Button), Rect { left: 0, top: 100, right: 100, bottom: 140 }, &lines);
        assert_eq!((button.text.as_str(), button.role), ("Buy now", "button"));
        let row = Rect { left: 300, top: 200, right: 350, bottom: 230 };
        assert_eq!(element(&control(ControlKind::Switch), row, &lines).text, "Wi-Fi");
        let close = element(&control(ControlKind::Close), row, &lines);
        assert_eq!((close.text.as_str(), close.label.as_str()), ("", "close"));
        assert!(
            pixel_elements::is_of_kind(&close, ControlKind::Close)
                && !pixel_elements::is_of_kind(&close, ControlKind::Back)
                && !pixel_elements::is_of_kind(&lines[0], ControlKind::Close)
        );
    }
}
