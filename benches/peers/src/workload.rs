//! The names of what is measured.

use std::fmt;
use std::str::FromStr;

use crate::data::Form;

/// What happened to the objects before a window is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// They were just built.
    Built,
    /// They moved for 20 ticks.
    Moved,
    /// Each went to other places several times.
    Teleported,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Workload {
    /// All objects, one by one; ns an object.
    Insert,
    /// All objects at once, as the contender does it best; ns an object.
    Bulk,
    /// Every object by up to one unit, in the order of handles; ns an object.
    Move,
    /// Every object to another place of the same distribution; ns an object.
    Teleport,
    /// All objects, in random order; ns an object.
    Remove,
    /// What meets a window, about so many objects; ns a query.
    Window(u32, Before),
    /// Which rectangles hold a point; ns a query.
    Stab,
    /// Any one object of a window of 100; ns a query.
    First,
    /// The so many objects nearest to a point, in order; ns a query.
    Nearest(u32),
    /// What is at most so far from a point, about 20 objects; ns a query.
    Within,
    /// The first object that a ray hits; ns a query.
    Raycast,
    /// All pairs of objects that meet, or for points, that are at most so far apart; ns an object.
    Pairs,
    /// All pairs of an object and one of as many others in another index that meet; ns an object.
    Join,
    /// All move by up to one unit, then one in ten asks for about 20 neighbours; ns an object.
    Tick,
}

impl Workload {
    pub(crate) const ALL: [Self; 23] = [
        Self::Insert,
        Self::Bulk,
        Self::Move,
        Self::Teleport,
        Self::Remove,
        Self::Window(10, Before::Built),
        Self::Window(100, Before::Built),
        Self::Window(1000, Before::Built),
        Self::Window(10, Before::Moved),
        Self::Window(100, Before::Moved),
        Self::Window(1000, Before::Moved),
        Self::Window(10, Before::Teleported),
        Self::Window(100, Before::Teleported),
        Self::Window(1000, Before::Teleported),
        Self::Stab,
        Self::First,
        Self::Nearest(1),
        Self::Nearest(10),
        Self::Within,
        Self::Raycast,
        Self::Pairs,
        Self::Join,
        Self::Tick,
    ];

    /// What not every contender offers: those that do are listed as such.
    pub(crate) const OFFERED: [Self; 6] =
        [Self::Nearest(1), Self::Nearest(10), Self::Within, Self::Raycast, Self::Pairs, Self::Join];

    /// Whether it changes nothing: the time is a query's.
    pub(crate) fn is_query(self) -> bool {
        self.is_scan() || matches!(self, Self::First | Self::Nearest(_) | Self::Raycast)
    }

    /// Whether it is a query about all objects of some kind, in no order.
    pub(crate) fn is_scan(self) -> bool {
        matches!(self, Self::Window(..) | Self::Stab | Self::Within)
    }

    /// Whether this is asked of objects of that form: a point holds no other, and is not hit.
    pub(crate) fn suits(self, form: Form) -> bool {
        !matches!(self, Self::Stab | Self::Raycast | Self::Join) || form == Form::Rect
    }

    /// What one time is the time of.
    pub(crate) fn unit(self) -> &'static str {
        if self.is_query() { "a query" } else { "an object" }
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Insert => f.pad("insert"),
            Self::Bulk => f.pad("bulk"),
            Self::Move => f.pad("move"),
            Self::Teleport => f.pad("teleport"),
            Self::Remove => f.pad("remove"),
            Self::Window(target, Before::Built) => f.pad(&format!("window{target}")),
            Self::Window(target, Before::Moved) => f.pad(&format!("window{target}-moved")),
            Self::Window(target, Before::Teleported) => f.pad(&format!("window{target}-teleported")),
            Self::Stab => f.pad("stab"),
            Self::First => f.pad("first"),
            Self::Nearest(count) => f.pad(&format!("nearest{count}")),
            Self::Within => f.pad("within"),
            Self::Raycast => f.pad("raycast"),
            Self::Pairs => f.pad("pairs"),
            Self::Join => f.pad("join"),
            Self::Tick => f.pad("tick"),
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("no workload is called so; there are {}", Workload::ALL.map(|workload| workload.to_string()).join(", "))]
pub(crate) struct NoSuchWorkload;

impl FromStr for Workload {
    type Err = NoSuchWorkload;

    fn from_str(name: &str) -> Result<Self, NoSuchWorkload> {
        Self::ALL.into_iter().find(|workload| workload.to_string() == name).ok_or(NoSuchWorkload)
    }
}
