//! Worlds: even, oblong, far from the origin, tiny, huge, a few neighbouring numbers wide, and away from all objects.

use quadrille::Rect;

use super::{Index, Real, UNITS};

/// A world, and where objects are in it or elsewhere, in space; a plane leaves the third axis out.
#[derive(Clone, Copy, Debug)]
pub struct Scene<S> {
    pub name: &'static str,
    min: [S; 3],
    max: [S; 3],
    /// The world of the index, where that is another one.
    world: Option<[f64; 2]>,
}

impl<S: Real> Scene<S> {
    fn cube(name: &'static str, min: f64, max: f64) -> Self {
        Self { name, min: [S::of(min); 3], max: [S::of(max); 3], world: None }
    }

    /// Objects between 0 and 64, and a world elsewhere.
    fn away(name: &'static str, min: f64, max: f64) -> Self {
        Self { world: Some([min, max]), ..Self::cube(name, 0.0, 64.0) }
    }

    pub fn min(&self, axis: usize) -> S {
        self.min[axis]
    }

    /// The world of the index.
    pub fn world<const D: usize>(&self) -> Rect<S, D> {
        let away = self.world.map(|[min, max]| Rect::new([S::of(min); D], [S::of(max); D]));
        away.unwrap_or_else(|| self.field())
    }

    /// Where objects are.
    pub fn field<const D: usize>(&self) -> Rect<S, D> {
        Rect::new(
            core::array::from_fn::<_, D, _>(|axis| self.min[axis]),
            core::array::from_fn::<_, D, _>(|axis| self.max[axis]),
        )
    }

    /// The longest side in `D` dimensions, as this scalar rounds it.
    pub fn side<const D: usize>(&self) -> S {
        longest(core::array::from_fn::<_, D, _>(|axis| self.max[axis].minus(self.min[axis])))
    }

    pub fn index<const D: usize>(&self) -> Index<S, D> {
        Index::new(self.world()).expect("a scene is a world")
    }
}

fn longest<S: Real, const D: usize>(sides: [S; D]) -> S {
    sides.into_iter().fold(S::of(0.0), |longest, side| if longest < side { side } else { longest })
}

/// The longest side of the world of an index.
pub fn side_of<S: Real, const D: usize>(world: &Rect<S, D>) -> S {
    longest(core::array::from_fn::<_, D, _>(|axis| world.max()[axis].minus(world.min()[axis])))
}

/// The worlds in which a sixteenth of the side is several neighbours long.
pub fn roomy_scenes<S: Real>() -> Vec<Scene<S>> {
    let smallest_side = 2.0 * f64::from(UNITS) / S::LARGEST.value();
    vec![
        Scene::cube("even", 0.0, 64.0),
        Scene::cube("one", 0.0, 1.0),
        Scene::cube("around zero", -1.0, 1.0),
        Scene::cube("thirds", -1.0 / 3.0, 2.0 / 3.0),
        Scene {
            name: "oblong",
            min: [S::of(-8.0), S::of(0.0), S::of(10.0)],
            max: [S::of(56.0), S::of(3.0), S::of(11.0)],
            world: None,
        },
        Scene::cube("far", S::FAR, S::FAR + 64.0),
        Scene::cube("far below", -S::FAR - 64.0, -S::FAR),
        Scene::cube("small", 1e-27, 2e-27),
        Scene::cube("the smallest", 0.0, smallest_side),
        Scene::cube("huge", S::LARGEST.value() * -0.5, S::LARGEST.value() * 0.5),
    ]
}

/// All worlds, those of a few neighbouring numbers included.
pub fn scenes<S: Real>() -> Vec<Scene<S>> {
    let mut scenes = roomy_scenes();
    let one = S::of(1.0);
    scenes.push(Scene { name: "two neighbours", min: [one; 3], max: [one.up(); 3], world: None });
    scenes.push(Scene::cube("up to the largest", 0.0, S::LARGEST.value()));
    scenes.push(Scene::cube("few neighbours", S::FAR, S::FAR + 8.0));
    scenes
}

/// Those, and worlds that most objects are outside of.
pub fn all_scenes<S: Real>() -> Vec<Scene<S>> {
    let mut scenes = scenes();
    scenes.push(Scene::away("beside the world", 40.0, 44.0));
    scenes.push(Scene::away("far from the world", 1e4, 1e4 + 0.0625));
    scenes.push(Scene::away("around a small world", 32.0, 32.0 + 1.0 / 65536.0));
    scenes
}
