//! The handles of the entities of a layer. Knows no index.

use bevy_ecs::entity::EntityGeneration;
use bevy_ecs::prelude::*;
use quadrille::Handle;

/// A table by the numbers of entities: these begin at 0, and those that are tracked are often numbered together.
#[derive(Default)]
pub(crate) struct Handles {
    pages: Vec<Option<Box<Page>>>,
}

/// Numbers are used again, in other generations.
type Page = [Option<(EntityGeneration, Handle)>; PAGE];

/// So many entities share a page.
const PAGE: usize = 64;

/// The page of an entity, and its position there.
fn place_of(entity: Entity) -> (usize, usize) {
    let number = entity.index_u32() as usize;
    (number / PAGE, number % PAGE)
}

impl Handles {
    #[inline]
    pub(crate) fn get(&self, entity: Entity) -> Option<Handle> {
        let (page, position) = place_of(entity);
        let (generation, handle) = self.pages.get(page)?.as_ref()?[position]?;
        (generation == entity.generation()).then_some(handle)
    }

    pub(crate) fn insert(&mut self, entity: Entity, handle: Handle) {
        let (page, position) = place_of(entity);
        self.pages.resize_with(self.pages.len().max(page + 1), || None);
        self.pages[page].get_or_insert_with(|| Box::new([None; PAGE]))[position] = Some((entity.generation(), handle));
    }

    pub(crate) fn remove(&mut self, entity: Entity) -> Option<Handle> {
        let handle = self.get(entity)?;
        let (page, position) = place_of(entity);
        self.pages[page].as_mut()?[position] = None;
        Some(handle)
    }
}
