//! The contenders: one small adapter each. The next one is a file here, and two lines in this one.

mod apart;
mod bolt_quadtree;
mod box2d;
mod broccoli;
mod flat_spatial;
mod geo_index;
mod grid;
mod kiddo;
mod nearest_so_far;
mod packed_spatial_index;
mod parry2d;
mod quadrille;
mod rstar;
mod static_aabb2d_index;
mod vec;

use crate::contender::Roster;

const ALL: [fn(&mut Roster); 13] = [
    quadrille::enlist,
    rstar::enlist,
    parry2d::enlist,
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
];

pub(crate) fn roster() -> Roster {
    let mut roster = Roster::default();
    for enlist in ALL {
        enlist(&mut roster);
    }
    roster
}
