//! The contenders: one small adapter each. The next one is a file here, and two lines in this one for
//! each space that it has.

mod apart;
mod bolt_quadtree;
mod box2d;
mod broccoli;
mod flat_spatial;
mod geo_index;
mod grid;
mod kiddo;
mod nearest_so_far;
mod obvhs;
mod packed_spatial_index;
mod parry;
mod quadrille;
mod rstar;
mod static_aabb2d_index;
mod vec;

use crate::contender::Roster;

/// The plane, with `f32`.
pub(crate) fn plane() -> Roster {
    Roster::of(&[
        quadrille::enlist,
        quadrille::enlist_unusual,
        rstar::enlist,
        parry::enlist,
        kiddo::enlist,
        geo_index::enlist,
        static_aabb2d_index::enlist,
        packed_spatial_index::enlist,
        broccoli::enlist,
        flat_spatial::enlist,
        bolt_quadtree::enlist,
        box2d::enlist,
        vec::enlist,
        grid::enlist,
    ])
}

/// Three dimensions, with `f32`.
pub(crate) fn solid() -> Roster<f32, 3> {
    Roster::of(&[
        quadrille::enlist,
        rstar::enlist,
        parry::enlist_solid,
        kiddo::enlist,
        packed_spatial_index::enlist_solid,
        obvhs::enlist,
        vec::enlist,
    ])
}

/// The plane, with `f64`.
pub(crate) fn double() -> Roster<f64> {
    Roster::of(&[
        quadrille::enlist,
        rstar::enlist,
        parry::enlist_double,
        kiddo::enlist,
        geo_index::enlist,
        static_aabb2d_index::enlist,
        packed_spatial_index::enlist_double,
        vec::enlist,
    ])
}
