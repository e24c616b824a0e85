//! A new partition while the world runs, where shares have drifted.

use std::collections::BTreeMap;
use std::rc::Rc;

use timely::container::CapacityContainerBuilder as Builder;
use timely::dataflow::channels::pact::ExchangeCore;
use timely::dataflow::operators::generic::builder_rc::OperatorBuilder;

use super::gate::Turn;
use super::shard::Count;
use super::{Flow, Listed, Site};
use crate::Coordinate;
use crate::kept::planted;
use crate::partition::Partition;
use crate::wire::Rows;
use crate::world::World;

impl<S: Coordinate, const D: usize> Site<S, D> {
    /// Makes a new partition from a census, if the shares call for one. All workers make the same one; it holds from the first
    /// tick that none of them can have fed yet.
    pub(super) fn repartition<'s>(self: &Rc<Self>, census: Flow<'s, Count>) -> Listed<'s, ()> {
        let rule = self.world.rebalance.expect("a world that is rebalanced");
        let mut op = OperatorBuilder::new("Repartition".into(), census.scope());
        let by_worker = ExchangeCore::<Builder<Rows<Count>>, _>::new(|count: &Count| u64::from(count.to));
        let fits = |_: &World<S, D>, count: &Count| {
            (count.cell as usize) < Partition::<S, D>::CELLS && u32::try_from(count.objects).is_ok()
        };
        let mut census = op.new_input(census, self.checked(by_worker, Turn::Later, fits));
        let (_, stream) = op.new_output::<Vec<()>>();
        let site = Rc::clone(self);
        op.build(move |caps| {
            drop(caps);
            let mut stash: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
            move |frontiers| {
                census.for_each(|time, data| {
                    let tick = *time.least().expect("a count of a tick");
                    let weights = stash.entry(tick).or_insert_with(|| vec![0; Partition::<S, D>::CELLS]);
                    data.0.drain(..).for_each(|count| weights[count.cell as usize] += count.objects);
                });
                while let Some(first) = stash.first_entry().filter(|first| !frontiers[0].less_equal(first.key())) {
                    let (tick, weights) = first.remove_entry();
                    let from = tick + 1 + site.world.in_flight * u64::from(!planted("a partition before all know it"));
                    let partition = site.partitions.at(from);
                    if partition.fullest_share(&weights) > rule.above {
                        let new =
                            Partition::of_weights(partition.world(), partition.reach(), partition.workers(), &weights);
                        // A crowd in one cell cannot be divided.
                        if new.starts() != partition.starts() {
                            site.partitions.add(from, new, tick);
                        }
                    }
                }
            }
        });
        stream
    }
}
