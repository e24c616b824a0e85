//! The index: one f64 quadtree in degrees with four layers, and the questions asked of it.
//!
//! Every question is put here once, so that the answers that are timed and those that are verified are the same.

use quadrille::{
    Cursor, Handle, Layer, LayerId, Near, Neighbor, ObjectRef, Pairs, Points, Polygon, Quadtree, Rect, Rects,
};

use crate::data::{Position, RegionKind, Tables};

/// How far from an aircraft airports are looked for, in degrees to each side.
pub(crate) const AIRPORTS_AROUND: f64 = 0.5;
/// How far from an aircraft traffic is looked for, in degrees to each side.
pub(crate) const TRAFFIC_AROUND: f64 = 0.1;
/// How far apart two aircraft are at most that encounter each other, in degrees as the crow flies.
pub(crate) const ENCOUNTER_WITHIN: f64 = 0.1;

/// A part of the world that is looked at once a minute.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    /// The name of the part.
    pub(crate) name: &'static str,
    /// Its south-western corner.
    pub(crate) min: Position,
    /// Its north-eastern corner.
    pub(crate) max: Position,
}

impl View {
    /// The view as a region to ask for.
    pub(crate) fn rect(&self) -> Rect<f64, 2> {
        Rect::new(self.min, self.max)
    }
}

/// The views, from the smallest to the largest.
pub(crate) const VIEWS: [View; 3] = [
    View { name: "New York", min: [-75.3, 39.9], max: [-72.5, 41.6] },
    View { name: "Texas", min: [-106.65, 25.84], max: [-93.51, 36.5] },
    View { name: "contiguous states", min: [-124.85, 24.4], max: [-66.88, 49.38] },
];

/// An object of the index; its value is its number among those of its kind, parts of states and counties being one kind.
pub(crate) type Object<'a> = ObjectRef<'a, u32, f64, 2>;

/// The index, and the names of its parts.
pub(crate) struct Sky {
    /// Everything there is, each thing with its number as value.
    pub(crate) index: Quadtree<u32, f64>,
    /// The boxes around the parts of states.
    pub(crate) states: Layer<Rects>,
    /// The boxes around the parts of counties.
    pub(crate) counties: Layer<Rects>,
    /// Points that never move.
    pub(crate) airports: Layer<Points>,
    /// Points that move once a minute.
    pub(crate) aircraft: Layer<Points>,
    /// The parts of states and counties, by their place in the table.
    pub(crate) part_handles: Vec<Handle>,
    /// Their outlines, and which regions they are parts of.
    parts: Vec<(usize, Polygon<f64>)>,
    /// The airports, by their place in the table.
    pub(crate) airport_handles: Vec<Handle>,
}

impl Sky {
    /// Stores all that does not move.
    pub(crate) fn new(tables: &Tables) -> anyhow::Result<Self> {
        let mut index = Quadtree::new(Rect::new([-180.0, -90.0], [180.0, 90.0]))?;
        let states = index.add_rect_layer()?;
        let counties = index.add_rect_layer()?;
        let airports = index.add_point_layer()?;
        let aircraft = index.add_point_layer()?;
        let parts: Vec<_> = tables.parts.iter().map(|part| (part.region, part.outline.polygon())).collect();
        let part_handles = (0..)
            .zip(&parts)
            .map(|(number, (region, outline))| {
                let layer = match tables.regions[*region].kind {
                    RegionKind::State => states,
                    RegionKind::County => counties,
                };
                index.insert(layer, outline.bounds(), number)
            })
            .collect::<Result<_, _>>()?;
        let airport_handles = (0..)
            .zip(&tables.airports)
            .map(|(number, airport)| index.insert(airports, airport.position, number))
            .collect::<Result<_, _>>()?;
        Ok(Self { index, states, counties, airports, aircraft, part_handles, parts, airport_handles })
    }

    /// The four layers with their names.
    pub(crate) fn layers(&self) -> [(&'static str, LayerId); 4] {
        [
            ("states", self.states.id()),
            ("counties", self.counties.id()),
            ("airports", self.airports.id()),
            ("aircraft", self.aircraft.id()),
        ]
    }

    /// The part of a state and the part of a county that an aircraft is over: found by their boxes, decided by their
    /// outlines.
    pub(crate) fn regions_below(&self, position: Position) -> impl Iterator<Item = Object<'_>> {
        let place = Rect::from_point(position);
        let boxes = self.index.containing(position).in_layers(self.states | self.counties);
        boxes.filter(move |part| self.parts[*part.value() as usize].1.intersects(&place))
    }

    /// The region that something is a part of.
    pub(crate) fn region(&self, part: &Object<'_>) -> usize {
        self.parts[*part.value() as usize].0
    }

    /// The airports around an aircraft.
    pub(crate) fn airports_around(&self, position: Position) -> impl Iterator<Item = Object<'_>> {
        self.index.intersecting(square(position, AIRPORTS_AROUND)).in_layers(self.airports)
    }

    /// The other aircraft around an aircraft.
    pub(crate) fn aircraft_around(&self, position: Position, own: Handle) -> impl Iterator<Item = Object<'_>> {
        self.index.intersecting(square(position, TRAFFIC_AROUND)).in_layers(self.aircraft).excluding(own)
    }

    /// The airport nearest to an aircraft, in degrees.
    pub(crate) fn nearest_airport(&self, position: Position) -> Option<Neighbor<'_, u32, f64, 2>> {
        self.index.nearest(position).in_layers(self.airports).next()
    }

    /// Every two aircraft that are near each other, once.
    pub(crate) fn encounters(&self) -> Pairs<'_, u32, f64, 2> {
        self.index.pairs().in_layers(self.aircraft).within(ENCOUNTER_WITHIN)
    }

    /// The objects of one layer in a view.
    pub(crate) fn in_view(&self, view: &View, layer: LayerId) -> impl Iterator<Item = Object<'_>> {
        self.index.intersecting(view.rect()).in_layers(layer)
    }

    /// Whether a view shows any aircraft; stops at the first.
    pub(crate) fn any_aircraft_in(&self, view: &View) -> bool {
        self.index.intersecting(view.rect()).in_layers(self.aircraft).exists()
    }

    /// Everything a view may show, without a test per object.
    pub(crate) fn near_view(&self, view: &View) -> impl Iterator<Item = Object<'_>> {
        self.index.near(view.rect())
    }

    /// The aircraft that a view shows.
    pub(crate) fn aircraft_in(&self, view: &View) -> impl Iterator<Item = Object<'_>> {
        self.index.intersecting(view.rect()).in_layers(self.aircraft)
    }

    /// Everything there is, each thing once though it may move: to be gone through bit by bit.
    pub(crate) fn survey(&self) -> Cursor<Near, f64> {
        self.index.iter().pause().distinct()
    }
}

fn square(center: Position, half: f64) -> Rect<f64, 2> {
    Rect::from_center_half(center, [half, half])
}
