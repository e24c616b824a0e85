//! quadrille for Godot 4: an index, a node that keeps one in step with the nodes of a group, and zones that tell who enters them.

mod core;
mod follow;
mod group;
mod index;
mod shapes;

use godot::prelude::*;

struct Quadrille;

#[gdextension]
unsafe impl ExtensionLibrary for Quadrille {}
