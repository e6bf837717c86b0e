//! Controls that are known by their look alone: no elements and no texts are needed.

mod boxes;
mod icons;
mod regions;
mod scene;
mod shapes;
mod strokes;
#[cfg(test)]
mod tests;

use self::scene::Scene;
use crate::{Picture, Place};

/// The most controls that are told of one picture.
const MOST: usize = 200;

/// What a control is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ControlKind {
    Button,
    TextField,
    Checkbox,
    Switch,
    /// A cross.
    Close,
    /// An arrow or a chevron to the left, at the left of a header.
    Back,
    /// Three bars.
    Menu,
    /// A magnifier.
    Search,
}

impl ControlKind {
    pub const ALL: [Self; 8] = [
        Self::Button,
        Self::TextField,
        Self::Checkbox,
        Self::Switch,
        Self::Close,
        Self::Back,
        Self::Menu,
        Self::Search,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Button => "button",
            Self::TextField => "text_field",
            Self::Checkbox => "checkbox",
            Self::Switch => "switch",
            Self::Close => "close",
            Self::Back => "back",
            Self::Menu => "menu",
            Self::Search => "search",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A control that was found in a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Control {
    pub kind: ControlKind,
    pub place: Place,
    /// How sure it is, from 0 to 1.
    pub confidence: f32,
}

/// Finds controls by their look, from top to bottom and from left to right; what is not sure is left out.
pub fn controls(picture: &Picture) -> Vec<Control> {
    let scene = Scene::new(picture);
    let kinds = [icons::icon, icons::menu, boxes::switch, boxes::checkbox, boxes::wide];
    let of = |object| kinds.iter().find_map(|kind| kind(&scene, object));
    let mut found: Vec<Control> = scene.objects.iter().filter_map(of).collect();
    let is_known = |one: &Control| found.iter().any(|other| other.kind == one.kind && other.place.meets(&one.place));
    let floating: Vec<Control> = scene
        .regions
        .all
        .iter()
        .filter_map(|region| icons::floating(&scene, region))
        .filter(|one| !is_known(one))
        .collect();
    found.extend(floating);
    found.retain(|control| control.place.bottom > scene.status_bar());
    found.sort_by_key(|control| (control.place.top, control.place.left));
    found.truncate(MOST);
    found
}
