//! The names of all that is measured.

use std::fmt;
use std::str::FromStr;

use crate::data::Form;

/// The state of the objects before a window is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// They were just built.
    Built,
    /// They moved for 20 ticks.
    Moved,
    /// Each went to other places several times.
    Teleported,
}

/// Where the points are whose nearest objects are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum From {
    /// Where objects might be.
    Inside,
    /// Anywhere in the world.
    Anywhere,
    /// Near the lowest corner of the world.
    Corner,
    /// Near the middle of a side of the world.
    Side,
    /// In the middle of the world.
    Center,
    /// A million units away in any direction, sixty times as far as the world is wide.
    Far,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Workload {
    /// All objects, one by one; ns an object.
    Insert,
    /// All objects at once, as the contender does it best; ns an object.
    Bulk,
    /// Every object by up to one unit, in the order of handles; ns an object.
    Move,
    /// Every object by the same step, so that the new shape follows from the old one; ns an object.
    Update,
    /// Every object to another place of the same distribution; ns an object.
    Teleport,
    /// All objects, in random order; ns an object.
    Remove,
    /// All objects, in the order of handles; ns an object.
    RemoveInOrder,
    /// All objects that meet a window, about so many; ns a query.
    Window(u32, Before),
    /// The same for a window of 1000, and each object's value is read; ns a query.
    Read,
    /// How many objects meet a window of 1000; ns a query.
    Count,
    /// All rectangles that hold a point; ns a query.
    Stab,
    /// Any one object of a window of 100; ns a query.
    First,
    /// Whether a window of 100 holds an object; ns a query.
    Exists,
    /// The first call of a paused query of a window of 10 that may visit one bucket; ns a call.
    Budget,
    /// The so many objects nearest to a point, in order; ns a query.
    Nearest(u32, From),
    /// All objects at most so far from a point, about 20; ns a query.
    Within,
    /// The first object that a ray hits; ns a query.
    Raycast,
    /// All pairs of objects that meet, or for points, that are at most so far apart; ns an object.
    Pairs,
    /// Whether any two objects meet; ns an object.
    PairsExist,
    /// All pairs of an object and one of as many others in another index that meet; ns an object.
    Join,
    /// All pairs of an object and one of 8192 others in another index that meet; ns one of the others.
    JoinFew,
    /// Ten objects to places nearby, all others stay; ns one of the ten.
    Few,
    /// All move by up to one unit, then one in ten asks for about 20 neighbours; ns an object.
    Tick,
}

/// How many objects are joined in [`Workload::JoinFew`].
pub(crate) const JOINED: usize = 8192;
/// How many objects move in [`Workload::Few`].
pub(crate) const FEW: usize = 10;

impl Workload {
    pub(crate) const ALL: [Self; 37] = [
        Self::Insert,
        Self::Bulk,
        Self::Move,
        Self::Update,
        Self::Teleport,
        Self::Remove,
        Self::RemoveInOrder,
        Self::Window(10, Before::Built),
        Self::Window(100, Before::Built),
        Self::Window(1000, Before::Built),
        Self::Window(10, Before::Moved),
        Self::Window(100, Before::Moved),
        Self::Window(1000, Before::Moved),
        Self::Window(10, Before::Teleported),
        Self::Window(100, Before::Teleported),
        Self::Window(1000, Before::Teleported),
        Self::Read,
        Self::Count,
        Self::Stab,
        Self::First,
        Self::Exists,
        Self::Budget,
        Self::Nearest(1, From::Inside),
        Self::Nearest(10, From::Inside),
        Self::Nearest(1, From::Anywhere),
        Self::Nearest(1, From::Corner),
        Self::Nearest(1, From::Side),
        Self::Nearest(1, From::Center),
        Self::Nearest(1, From::Far),
        Self::Within,
        Self::Raycast,
        Self::Pairs,
        Self::PairsExist,
        Self::Join,
        Self::JoinFew,
        Self::Few,
        Self::Tick,
    ];

    /// Only those contenders take part in these that are listed as offering them.
    pub(crate) const OFFERED: [Self; 9] = [
        Self::Nearest(1, From::Inside),
        Self::Nearest(10, From::Inside),
        Self::Within,
        Self::Raycast,
        Self::Pairs,
        Self::PairsExist,
        Self::Join,
        Self::Few,
        Self::Budget,
    ];

    /// Whether it belongs to the cliffs alone.
    pub(crate) fn is_rare(self) -> bool {
        match self {
            Self::Nearest(_, from) => from != From::Inside,
            Self::PairsExist | Self::JoinFew | Self::Few | Self::Budget => true,
            _ => false,
        }
    }

    /// Whether it is among those that say most: in other spaces than the plane of `f32` only these are measured.
    pub(crate) fn is_main(self) -> bool {
        let of_built = matches!(self, Self::Window(_, Before::Built) | Self::Nearest(_, From::Inside));
        let others = [Self::Insert, Self::Bulk, Self::Move, Self::Update, Self::Remove];
        let queries = [Self::Count, Self::Stab, Self::First, Self::Raycast];
        of_built || others.contains(&self) || queries.contains(&self)
    }

    /// The workload that a contender must be able to do for this one.
    pub(crate) fn ability(self) -> Self {
        match self {
            Self::Nearest(count, _) => Self::Nearest(count, From::Inside),
            Self::JoinFew => Self::Join,
            Self::Exists => Self::First,
            Self::RemoveInOrder => Self::Remove,
            other => other,
        }
    }

    /// Whether it changes nothing: the time is a query's.
    pub(crate) fn is_query(self) -> bool {
        self.is_scan() || matches!(self, Self::Count | Self::First | Self::Exists | Self::Nearest(..) | Self::Raycast)
    }

    /// Whether it is a query about all objects of some kind, in no order.
    pub(crate) fn is_scan(self) -> bool {
        matches!(self, Self::Window(..) | Self::Read | Self::Stab | Self::Within)
    }

    /// Whether this is asked of objects of that form: a point holds no other, and is not hit.
    pub(crate) fn suits(self, form: Form) -> bool {
        !matches!(self, Self::Stab | Self::Raycast | Self::PairsExist | Self::Join | Self::JoinFew)
            || form == Form::Rect
    }

    /// One time is the time of so much.
    pub(crate) fn unit(self) -> &'static str {
        if self.is_query() || self == Self::Budget { "a query" } else { "an object" }
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Insert => f.pad("insert"),
            Self::Bulk => f.pad("bulk"),
            Self::Move => f.pad("move"),
            Self::Update => f.pad("update"),
            Self::Teleport => f.pad("teleport"),
            Self::Remove => f.pad("remove"),
            Self::RemoveInOrder => f.pad("remove-in-order"),
            Self::Window(target, Before::Built) => f.pad(&format!("window{target}")),
            Self::Window(target, Before::Moved) => f.pad(&format!("window{target}-moved")),
            Self::Window(target, Before::Teleported) => f.pad(&format!("window{target}-teleported")),
            Self::Read => f.pad("read1000"),
            Self::Count => f.pad("count1000"),
            Self::Stab => f.pad("stab"),
            Self::First => f.pad("first"),
            Self::Exists => f.pad("exists"),
            Self::Budget => f.pad("budget1"),
            Self::Nearest(count, From::Inside) => f.pad(&format!("nearest{count}")),
            Self::Nearest(count, From::Anywhere) => f.pad(&format!("nearest{count}-anywhere")),
            Self::Nearest(count, From::Corner) => f.pad(&format!("nearest{count}-corner")),
            Self::Nearest(count, From::Side) => f.pad(&format!("nearest{count}-side")),
            Self::Nearest(count, From::Center) => f.pad(&format!("nearest{count}-center")),
            Self::Nearest(count, From::Far) => f.pad(&format!("nearest{count}-far")),
            Self::Within => f.pad("within"),
            Self::Raycast => f.pad("raycast"),
            Self::Pairs => f.pad("pairs"),
            Self::PairsExist => f.pad("pairs-exist"),
            Self::Join => f.pad("join"),
            Self::JoinFew => f.pad("join-few"),
            Self::Few => f.pad("few"),
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
