//! The windows of a screen → which of them count, from back to front: those of apps, not the bars of the system or the keyboard.

use roxmltree::Node;

use super::hierarchy::{BARS, SYSTEM_UI, document, elements, mend};
use crate::driver::{Element, Error, Rect, Screen};

/// How often a window that floats, such as a picture in a picture, fits into the largest, at the least.
const FLOATING: i64 = 6;

/// Reads what `uiautomator dump --windows` writes (Android 11 and later): the windows of the first display, which stand from front to
/// back, each after those in it. The keyboard's is left out.
pub(super) fn elements_of(displays: Node) -> Result<Vec<Element>, Error> {
    let mut elements_of_all = Vec::new();
    for tree in trees(displays).into_iter().rev() {
        elements_of_all.extend(elements(tree, false, 0)?);
    }
    Ok(elements_of_all)
}

/// Returns the trees of the first display's windows, from front to back.
fn trees<'a, 'b>(displays: Node<'a, 'b>) -> Vec<Node<'a, 'b>> {
    let is = |name: &'static str| move |node: &Node| node.tag_name().name() == name;
    let all = || displays.children().filter(is("display"));
    let first = all().find(|display| display.attribute("id") == Some("0")).or_else(|| all().next());
    let trees = first.into_iter().flat_map(|display| display.descendants().filter(is("hierarchy")));
    let is_keyboard = |tree: &Node| {
        tree.parent_element()
            .and_then(|window| window.attribute("type"))
            .is_some_and(|kind| kind.contains("INPUT_METHOD"))
    };
    trees.filter(|tree| !is_keyboard(tree)).collect()
}

/// Lists the windows that a tree of elements may not tell of: small ones of apps, and the system's messages.
pub(super) const LIST: &str =
    "dumpsys window windows | grep -E 'Window #[0-9]+ Window.* (PopupWindow:|AtchDlg:|Toast[}:])'";
/// Says that a message of the system is shown, of which no tree tells.
const TOAST: &str = "a toast is shown, which no tree of elements tells of: its text is read by `source: pixels`";
/// Says what systems before Android 11 do not tell.
const UNTOLD: &str = "this Android (10 or before) tells only of the window that has the touches, and a list or the like is open \
                      over it: close that, or look by Appium's UiAutomator2 server (`--uia2`), which tells of all";
/// How much of a screen's sides an app's own window takes at least, in percent: bars and a keyboard may take the rest.
const OWN: (i32, i32) = (90, 60);

/// Says what is shown that the tree of a screen does not tell of, by the windows that [`LIST`] lists; empty where nothing is.
pub(super) fn untold(screen: &Screen, list: &str) -> &'static str {
    let shows = |title: &str| list.lines().any(|line| line.contains(title));
    // Of a dialog or list that has the touches, no system tells what is under it.
    let is_own = |root: &Element| {
        let side = |pixels: u32, percent: i32| i64::from(pixels) * i64::from(percent) / 100;
        let (width, height) = (root.rect.right - root.rect.left, root.rect.bottom - root.rect.top);
        i64::from(width) >= side(screen.size.width, OWN.0) && i64::from(height) >= side(screen.size.height, OWN.1)
    };
    match &screen.roots[..] {
        _ if shows(" Toast}") || shows(" Toast:") => TOAST,
        [only] if is_own(only) && (shows(" PopupWindow:") || shows(" AtchDlg:")) => UNTOLD,
        _ => "",
    }
}

/// Leaves out the bars of the system beside an app's windows: what stands in them is no app's.
pub(super) fn without_bars(roots: &mut Vec<Element>) {
    let all =
        roots.iter().fold((0, 0), |(right, bottom), root| (right.max(root.rect.right), bottom.max(root.rect.bottom)));
    let is_bar = |root: &Element| {
        let (width, height) = (root.rect.right - root.rect.left, root.rect.bottom - root.rect.top);
        root.package == SYSTEM_UI && (height * BARS < all.1 || width * BARS < all.0)
    };
    if !roots.iter().all(is_bar) {
        roots.retain(|root| !is_bar(root));
    }
}

/// Returns the package of the app in front: what floats over it in a small window is not that.
pub(super) fn front(roots: &[Element]) -> &str {
    let area =
        |root: &Element| i64::from(root.rect.right - root.rect.left) * i64::from(root.rect.bottom - root.rect.top);
    let largest = roots.iter().map(area).max().unwrap_or_default();
    let in_front = roots.iter().rev().find(|root| area(root) * FLOATING >= largest);
    in_front.map_or("", |root| root.package.as_str())
}

/// Leaves out windows that stand in the keyboard's place wholly.
pub(super) fn without_keyboard(roots: &mut Vec<Element>, keyboard: Rect) {
    fn is_within(element: &Element, place: Rect) -> bool {
        match element.children.is_empty() {
            true => element.rect.intersect(&place) == element.rect,
            false => element.children.iter().all(|child| is_within(child, place)),
        }
    }
    if roots.len() > 1 {
        roots.retain(|root| !is_within(root, keyboard));
    }
}

/// Writes a tree of all windows as one of a single window is written, from back to front.
pub(super) fn of_windows(xml: String) -> Result<String, Error> {
    if !xml.contains("<displays") {
        return Ok(xml);
    }
    let xml = mend(&xml);
    let document = document(&xml)?;
    let trees = trees(document.root_element());
    let rotation = trees.first().and_then(|tree| tree.attribute("rotation")).unwrap_or("0");
    let nodes = trees.iter().rev().flat_map(|tree| tree.children().filter(Node::is_element));
    let nodes: String = nodes.map(|node| &xml[node.range()]).collect();
    Ok(format!(
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"{rotation}\">{nodes}</hierarchy>"
    ))
}

#[cfg(test)]
mod tests {
    use super::super::hierarchy::parse;
    use super::*;
    use crate::driver::Size;

    /// A spinner's list and a picture in a picture over an app, between the bars and a keyboard: from front to back, what is in a window
    /// before it.
    const WINDOWS: &str = r#"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><displays><display id="0">
<window index="0" type="TYPE_INPUT_METHOD" layer="5"><hierarchy rotation="0"><node package="ime" class="android.view.View" text="q" bounds="[0,1600][1080,2200]"/></hierarchy></window>
<window index="1" type="TYPE_SYSTEM" layer="4"><hierarchy rotation="0"><node package="com.android.systemui" class="android.view.View" text="12:30" bounds="[0,0][1080,80]"/></hierarchy></window>
<window index="2" type="TYPE_APPLICATION" layer="3"><hierarchy rotation="0"><node package="video" class="android.view.View" text="Playing" bounds="[600,1200][1000,1400]"/></hierarchy></window>
<window index="3" type="TYPE_APPLICATION" layer="1"><window index="0" type="TYPE_APPLICATION" layer="2"><hierarchy rotation="0"><node package="shop" class="android.widget.ListView" text="" bounds="[100,500][600,900]"><node package="shop" class="android.widget.TextView" text="Large" bounds="[100,500][600,600]"/></node></hierarchy></window><hierarchy rotation="0"><node package="shop" class="android.view.View" text="Order" bounds="[0,0][1080,2400]"/></hierarchy></window>
</display><display id="1"><window type="TYPE_APPLICATION"><hierarchy rotation="0"><node package="other" text="Elsewhere" bounds="[0,0][10,10]"/></hierarchy></window></display></displays>"#;

    fn texts(roots: &[Element]) -> Vec<&str> {
        let mut found = Vec::new();
        for root in roots {
            root.walk(&mut |element| found.push(element.text.as_str()));
        }
        found.retain(|text| !text.is_empty());
        found
    }

    #[test]
    fn windows_are_told_from_back_to_front_without_bars_and_keyboard() {
        let roots = parse(WINDOWS).unwrap();
        assert_eq!(texts(&roots), ["Order", "Large", "Playing"]);
        assert_eq!(front(&roots), "shop", "what floats is not the app in front");
        let flat = of_windows(WINDOWS.to_owned()).unwrap();
        assert_eq!(texts(&parse_single(&flat)), ["Order", "Large", "Playing", "12:30"]);
        // Where nothing else is shown, the bar is what there is.
        let bar =
            r#"<hierarchy><node package="com.android.systemui" text="12:30" bounds="[0,0][1080,80]"/></hierarchy>"#;
        assert_eq!(texts(&parse(bar).unwrap()), ["12:30"]);
    }

    /// Reads the windows in the order in which they are written.
    fn parse_single(xml: &str) -> Vec<Element> {
        elements(document(xml).unwrap().root_element(), false, 0).unwrap()
    }

    #[test]
    fn what_no_tree_tells_of_is_told_by_the_list_of_windows() {
        let size = Size { width: 1080, height: 2400 };
        let list = "  Window #3 Window{af2d3c1 u0 PopupWindow:9a1b2c}:\n";
        let toast = "  Window #0 Window{af2d3c1 u0 Toast}:\n";
        for (bounds, list, wanted) in [
            (&["[0,0][1080,2400]"][..], "", ""),
            (&["[0,80][1080,1500]"], "", ""),
            (&["[0,0][1080,2400]"], list, UNTOLD),
            (&["[0,0][1080,2400]"], "  Window #1 Window{1 u0 AtchDlg:com.a/com.a.Main}:", UNTOLD),
            (&["[0,0][1080,2400]", "[90,800][990,1500]"], list, ""),
            (&["[90,800][990,1500]"], list, ""),
            (&["[0,1700][1080,2400]"], "", ""),
            (&["[0,0][1080,2400]"], toast, TOAST),
        ] {
            let node = |bounds: &&str| format!(r#"<node package="shop" text="Order" bounds="{bounds}"/>"#);
            let xml = format!("<hierarchy>{}</hierarchy>", bounds.iter().map(node).collect::<String>());
            let screen = Screen { size, roots: parse(&xml).unwrap(), ..Screen::default() };
            assert_eq!(untold(&screen, list), wanted, "{bounds:?} {list}");
        }
    }

    #[test]
    fn a_server_tells_of_the_window_in_front_first() {
        let xml = r#"<hierarchy rotation="0"><android.view.View package="ime" text="q" bounds="[0,1600][1080,2200]"/>
            <android.view.View package="shop" text="Large" bounds="[100,500][600,600]"/><android.view.View package="shop" text="Order" bounds="[0,0][1080,2400]"/></hierarchy>"#;
        let mut roots = parse(xml).unwrap();
        assert_eq!(texts(&roots), ["Order", "Large", "q"]);
        without_keyboard(&mut roots, Rect { left: 0, top: 1500, right: 1080, bottom: 2400 });
        assert_eq!(texts(&roots), ["Order", "Large"]);
    }
}
