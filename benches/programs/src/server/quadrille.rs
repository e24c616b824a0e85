//! quadrille: a `Watch` for each player, as the guide has it, or its windows alone.

use quadrille::{Handle, Layer, Points, Quadtree, Rect, Watch};

use super::{Movers, News, Windows, outcome, players, view};
use crate::measure::{Outcome, Program, Threads};

/// Values are numbers of movers.
pub(super) struct Tree {
    index: Quadtree<u32>,
    layer: Layer<Points>,
    handles: Vec<Handle>,
}

impl Windows for Tree {
    fn new(movers: &Movers, side: f32) -> Self {
        let mut index = Quadtree::new(Rect::new([0.0; 2], [side; 2])).expect("a world");
        let layer = index.add_point_layer().expect("a layer");
        let handles = index.insert_batch(layer, movers.iter().copied().zip(0..)).expect("all are finite");
        Self { index, layer, handles }
    }

    fn follow(&mut self, movers: &Movers, threads: Threads) {
        let moved = match threads {
            Threads::One => self.index.move_batch(self.handles.iter().copied().zip(movers.iter().copied())),
            Threads::All => {
                self.index.par_update(self.layer, |_, &mover, _| movers[mover as usize]).expect("its layer")
            }
        };
        assert!(moved.refused.is_empty());
    }

    fn each_in(&self, view: &Rect, mut seen: impl FnMut(u32)) {
        self.index.intersecting(*view).for_each(|mover| seen(*mover.value()));
    }
}

pub(super) struct Watches {
    tree: Tree,
    players: Vec<(Watch, News)>,
    threads: Threads,
}

impl Watches {
    pub(super) fn new(movers: &Movers, side: f32, threads: Threads) -> Self {
        let players = vec![(Watch::new(), News::default()); players(movers)];
        Self { tree: Tree::new(movers, side), players, threads }
    }
}

impl Program<Movers> for Watches {
    fn tick(&mut self, movers: &Movers) {
        self.tree.follow(movers, self.threads);
        let index = &self.tree.index;
        // Nobody is removed, so slots are in the order of the movers.
        let number = |handle: &Handle| handle.slot() as u32 - 1;
        self.threads.each(&mut self.players, |player, (watch, news)| {
            let changes = watch.poll(index.intersecting(view(movers, player))).expect("one index");
            news.entered.clear();
            news.entered.extend(changes.entered.iter().map(number));
            news.left.clear();
            news.left.extend(changes.left.iter().map(number));
        });
    }

    fn outcome(&self) -> Outcome {
        outcome(self.players.iter().map(|(_, news)| news))
    }
}
