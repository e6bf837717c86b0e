//! What a row says of its tool beside its name and arguments: the sort of thing that it does, where its arguments say what it is for, and
//! how long its answer may be. Whoever treats tools differently asks the row rather than a list of names.

/// The sort of thing that a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolKind {
    /// Touches, chooses or fills in what stands at its place.
    Gesture,
    /// Moves a finger or a mouse from or to a place, and presses nothing there: a drag, a hover.
    Move,
    /// Draws a finger over the screen to see more of it.
    Swipe,
    /// Shows what lies beyond in a direction.
    Scroll,
    /// Goes on until something is in view, or fails.
    Search,
    /// Types into a field, or empties it.
    Typing,
    /// Presses a key or a button, for whatever is in front; those of a browser as well, forward and reload.
    Key,
    /// Goes back to what was shown before.
    Back,
    /// Leaves the app for the home screen.
    Home,
    /// Brings an app or a page to the front.
    Launch,
    /// Opens, chooses or closes a tab.
    Tab,
    /// Closes what lies over an app.
    Popups,
    /// Answers the dialog of a page, which hides the page until then.
    Dialog,
    /// Waits for something.
    Wait,
    /// Lets time pass.
    Pause,
    /// Tells a value, and changes nothing.
    Read,
    /// Shows the screen, to whoever calls it or in a file.
    Look,
    /// Fails where something does not hold.
    Assert,
    /// Writes something down for whoever reads the report.
    Note,
    /// Chooses the device that later calls go to.
    Select,
    /// Prepares or tidies a device and its apps, and brings nothing about in an app that its screen would have to show.
    Setup,
    /// Asks a model, or answers one.
    Model,
    /// None of these: commands, requests, functions, other servers, instances, several calls at once.
    Other,
}

impl ToolKind {
    /// Tells whether a tool takes neither an element nor a place, and meets whatever is in front.
    pub fn meets_front(self) -> bool {
        matches!(self, Self::Key | Self::Back | Self::Popups)
    }

    /// Tells whether a tool shows another part of what is there.
    pub fn swipes(self) -> bool {
        matches!(self, Self::Swipe | Self::Scroll)
    }

    /// Tells whether a tool of this kind changes nothing.
    pub fn only_looks(self) -> bool {
        matches!(self, Self::Wait | Self::Pause | Self::Read | Self::Assert)
    }

    /// Tells whether a tool of this kind does something to what a device shows.
    pub fn acts(self) -> bool {
        let goes_somewhere = matches!(self, Self::Search | Self::Back | Self::Home | Self::Launch | Self::Tab);
        let answers = matches!(self, Self::Key | Self::Popups | Self::Dialog | Self::Typing);
        goes_somewhere || answers || self.swipes() || matches!(self, Self::Gesture | Self::Move)
    }
}

/// Where the arguments of a tool say what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// In those that are the parts of a target, where it takes such.
    Target,
    /// In the one of this name, which is a text or a target.
    Argument(&'static str),
    /// In coordinates, where they are given; with the tool that does the same to the element there, or why there is none.
    Point(Result<&'static str, &'static str>),
    /// In a text that is drawn, and nothing else.
    Text,
    /// In the path of a picture.
    Picture,
    /// In an address, which may be a path that continues another.
    Address,
    /// In the words of a goal, which the argument of this name holds.
    Goal(&'static str),
}

/// How a long answer is told to an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// By the beginning of what the caller said itself.
    Echo,
    /// By the beginning of a field, and how to learn more; not where the call says itself how long the answer may be.
    Field { name: &'static str, more: &'static str },
    /// By both ends of whatever is long in it, also where the call failed: what a program printed is the answer then.
    Printed,
}
