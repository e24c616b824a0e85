//! A new cut while the world runs, where shares have drifted.

use std::collections::BTreeMap;
use std::rc::Rc;

use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::generic::builder_rc::OperatorBuilder;

use super::shard::Count;
use super::{Listed, Site};
use crate::Coordinate;
use crate::cut::Cut;

impl<S: Coordinate, const D: usize> Site<S, D> {
    /// Makes a new cut of a census, if it is worth it. All workers make the same one, and it is in force from the first tick
    /// on that none of them can have fed yet.
    pub(super) fn recut<'s>(self: &Rc<Self>, census: Listed<'s, Count>) -> Listed<'s, ()> {
        let rule = self.world.rebalance_rule().expect("a world that is cut anew");
        let mut op = OperatorBuilder::new("Recut".into(), census.scope());
        let mut census = op.new_input(census, Exchange::new(|count: &Count| u64::from(count.0)));
        let (_, stream) = op.new_output::<Vec<()>>();
        let site = Rc::clone(self);
        op.build(move |caps| {
            drop(caps);
            let mut stash: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
            move |frontiers| {
                census.for_each(|time, data| {
                    let tick = *time.least().expect("a count of a tick");
                    let weights = stash.entry(tick).or_insert_with(|| vec![0; Cut::<S, D>::CELLS]);
                    data.drain(..).for_each(|(_, code, count)| weights[code as usize] += count);
                });
                while let Some(first) = stash.first_entry().filter(|first| !frontiers[0].less_equal(first.key())) {
                    let (tick, weights) = first.remove_entry();
                    let from = tick + site.world.ticks_in_flight() + 1;
                    let cut = site.cuts.at(from);
                    if cut.fullest_share(&weights) > rule.above {
                        let new = Cut::of_weights(cut.world(), cut.reach(), cut.workers(), &weights);
                        // A crowd in one cell cannot be cut.
                        if new.starts() != cut.starts() {
                            site.cuts.add(from, new, tick);
                        }
                    }
                }
            }
        });
        stream
    }
}
