//! An index is saved and restored, and lives on in place of itself.

use quadrille::{Compact, SpatialIndex};
use quadrille_support::Index;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Space, Stage, agree};

fn through<A: Serialize, B: DeserializeOwned>(saved: &A, is_text: bool) -> B {
    if is_text {
        let bytes = serde_json::to_vec(saved).expect("it is saved");
        serde_json::from_slice(&bytes).expect("it is restored")
    } else {
        let bytes = postcard::to_allocvec(saved).expect("it is saved");
        postcard::from_bytes(&bytes).expect("it is restored")
    }
}

impl<S: Space, const D: usize> Stage<S, D> {
    pub(super) fn save(&mut self, on: usize, is_compact: bool, is_text: bool) {
        let index = &self.sides[on].index;
        let restored: Index<S, D> = if is_compact {
            let Compact(restored) = through(&Compact(index), is_text);
            restored
        } else {
            let restored: SpatialIndex<u32, S, D> = through(index, is_text);
            let order = |index: &Index<S, D>| index.iter().map(|object| object.handle()).collect::<Vec<_>>();
            agree!(order(&restored), order(index), "the order of what was restored exactly");
            restored
        };
        let era = self.era();
        let side = &mut self.sides[on];
        side.index = restored;
        side.era = [era; 3];
        // Clones of what was saved take part in what was restored, and may outlive it.
        self.sides.iter_mut().for_each(|side| side.is_restored = true);
        self.paused.drop_cursors_on(on);
        self.everything(on);
    }
}
