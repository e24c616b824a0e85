//! quadrille for Godot 4: indexes that take arrays and give arrays.

mod core;
mod index;
mod shapes;

use godot::prelude::*;

struct Quadrille;

#[gdextension]
unsafe impl ExtensionLibrary for Quadrille {}
