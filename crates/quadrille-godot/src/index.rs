//! The classes `SpatialIndex2D` and `SpatialIndex3D`: the same functions, with the words of each dimension.

use godot::global::push_error;
use godot::prelude::*;
use quadrille::{Convex, Ray, Rect};

use crate::core::{ALL, Core, most, numbered, same_length};
use crate::shapes::{Outcome, ball, behind, distance, point, polygon, rect};

/// The outcome; or nothing, and an error in Godot's console.
pub(crate) fn told<T: Default>(function: &str, outcome: impl FnOnce() -> Outcome<T>) -> T {
    outcome().unwrap_or_else(|error| {
        push_error(&[format!("{function}: {error}").to_variant()]);
        T::default()
    })
}

/// Functions for Godot. Each is an expression that may fail.
macro_rules! functions {
    (($($part:tt)*) $class:ident $($(#[$doc:meta])+ fn $name:ident($($args:tt)*) -> $answer:tt = $outcome:expr;)+) => {
        #[godot_api($($part)*)]
        impl $class {
            $(
                $(#[$doc])+
                #[func]
                fn $name($($args)*) -> $answer {
                    told(stringify!($name), || -> Outcome<$answer> { $outcome })
                }
            )+
        }
    };
}

macro_rules! index {
    (
        $class:ident $vector:ident $packed:ident $box:ident $d:literal
        $insert_box:ident $insert_boxes:ident $move_box:ident $move_boxes:ident $get_box:ident
        $query_box:ident $query_ball:ident $cast_ball:ident
    ) => {
        /// A spatial index of things that move: tells which are in a region, which are nearest, and which touch.
        ///
        /// Each object has an id, which is any integer that you choose: its number in your own arrays, or the
        /// [method Object.get_instance_id] of a node. An object is a point or a box, and belongs to one of 32 layers. Queries take
        /// a mask of layers, whose lowest bit is layer 1, as [member CollisionObject2D.collision_mask]. What touches is inside.
        ///
        /// A call that is wrong pushes an error with the value, changes nothing, and returns [code]false[/code] or something empty.
        ///
        /// Thousands of objects are best changed, and asked about, by the functions that take arrays: a call of GDScript for each
        /// costs more than what it does.
        #[derive(GodotClass)]
        #[class(init, base = RefCounted)]
        pub(crate) struct $class {
            pub(crate) core: Core<$d>,
            /// Where most objects are. Objects elsewhere are found too, but more slowly. At first 65536 long, around the origin. To
            /// set it sorts all objects anew.
            #[var(get = get_world, set = set_world)]
            world: PhantomVar<$box>,
        }

        impl $class {
            fn shape(shape: $box) -> Outcome<Rect<real, $d>> {
                rect(shape.position.to_array(), shape.size.to_array())
            }

            fn shapes(positions: &$packed, sizes: &$packed) -> Outcome<Vec<Rect<real, $d>>> {
                same_length(positions.len(), "positions", sizes.len(), "sizes")?;
                positions.as_slice().iter().zip(sizes.as_slice()).map(|(&position, &size)| Self::shape($box { position, size })).collect()
            }

            fn arrays(vectors: &$packed) -> Vec<[real; $d]> {
                vectors.as_slice().iter().map($vector::to_array).collect()
            }

            fn as_box(shape: Rect<real, $d>) -> $box {
                let [min, max] = [shape.min(), shape.max()].map($vector::from_array);
                $box { position: min, size: max - min }
            }

            fn hit(hit: Option<(i64, $vector, [real; $d], real)>) -> Outcome<VarDictionary> {
                let Some((id, position, normal, fraction)) = hit else { return Ok(VarDictionary::new()) };
                let normal = $vector::from_array(normal);
                Ok(vdict! { "id" => id, "position" => position, "normal" => normal, "fraction" => fraction })
            }
        }

        functions! { () $class
            /// See [member world].
            fn get_world(&self) -> $box = Ok(Self::as_box(self.core.objects.world()));

            /// See [member world].
            fn set_world(&mut self, world: $box) -> () = Ok(self.core.objects.set_world(Self::shape(world)?)?);

            /// Adds a point. Its id must be new.
            fn insert(&mut self, id: i64, position: $vector, #[opt(default = 1)] layer: i64) -> bool =
                self.core.insert(&[id], vec![position.to_array()], numbered(&self.core.points, layer)?);

            /// Adds a box. Its id must be new, and no size below 0.
            fn $insert_box(&mut self, id: i64, shape: $box, #[opt(default = 1)] layer: i64) -> bool =
                self.core.insert(&[id], vec![Self::shape(shape)?], numbered(&self.core.rects, layer)?);

            /// Adds many points: all of them or, if one is refused, none.
            fn insert_all(&mut self, ids: PackedInt64Array, positions: $packed, #[opt(default = 1)] layer: i64) -> bool =
                self.core.insert(ids.as_slice(), Self::arrays(&positions), numbered(&self.core.points, layer)?);

            /// Adds many boxes, each by its corner with the least coordinates and its size: all or none.
            fn $insert_boxes(
                &mut self, ids: PackedInt64Array, positions: $packed, sizes: $packed, #[opt(default = 1)] layer: i64,
            ) -> bool = self.core.insert(ids.as_slice(), Self::shapes(&positions, &sizes)?, numbered(&self.core.rects, layer)?);

            /// Moves a point.
            fn move_to(&mut self, id: i64, position: $vector) -> bool = self.core.shift(&[id], vec![position.to_array()]);

            /// Moves a box, or gives it another size.
            fn $move_box(&mut self, id: i64, shape: $box) -> bool = self.core.shift(&[id], vec![Self::shape(shape)?]);

            /// Moves many points. Those that are refused stay where they are; the others move.
            fn move_all(&mut self, ids: PackedInt64Array, positions: $packed) -> bool =
                self.core.shift(ids.as_slice(), Self::arrays(&positions));

            /// Moves many boxes. Those that are refused stay where they are; the others move.
            fn $move_boxes(&mut self, ids: PackedInt64Array, positions: $packed, sizes: $packed) -> bool =
                self.core.shift(ids.as_slice(), Self::shapes(&positions, &sizes)?);

            /// Takes an object out.
            fn remove(&mut self, id: i64) -> bool = self.core.remove(&[id]);

            /// Takes many objects out. An id without an object is an error, but the others are taken out.
            fn remove_all(&mut self, ids: PackedInt64Array) -> bool = self.core.remove(ids.as_slice());

            /// Takes all objects out.
            fn clear(&mut self) -> () = {
                self.core.clear();
                Ok(())
            };

            /// The number of objects.
            fn size(&self, #[opt(default = ALL)] mask: i64) -> i64 = Ok(self.core.objects.len_in(self.core.layers(mask)?) as i64);

            /// Whether there is an object of this id.
            fn has(&self, id: i64) -> bool = Ok(self.core.handles.contains_key(&id));

            /// The box of an object. That of a point has no size.
            fn $get_box(&self, id: i64) -> $box = self.core.shape(id).map(Self::as_box);

            /// The objects in a box, in no order.
            fn $query_box(&self, shape: $box, #[opt(default = ALL)] mask: i64) -> PackedInt64Array =
                self.core.query(Self::shape(shape)?, mask);

            /// The objects at most [param radius] away from a point, in no order.
            fn $query_ball(&self, center: $vector, radius: f64, #[opt(default = ALL)] mask: i64) -> PackedInt64Array =
                self.core.query(ball(center.to_array(), radius)?, mask);

            /// The nearest objects, the nearest first, without those of [param exclude].
            fn nearest(
                &self, position: $vector, #[opt(default = 1)] max_results: i64,
                #[opt(default = f64::INFINITY)] max_distance: f64, #[opt(default = ALL)] mask: i64,
                #[opt(default = &PackedInt64Array::new())] exclude: PackedInt64Array,
            ) -> PackedInt64Array = {
                let near = self.core.objects.nearest(point("position", position.to_array())?).in_layers(self.core.layers(mask)?);
                let near = near.within(distance("max_distance", max_distance)?).excluding(self.core.known(&exclude));
                Ok(near.take(most(max_results)?).map(|near| *near.object.value()).collect())
            };

            /// The first object on the way between two points: its [code]id[/code], the [code]position[/code] where it is met,
            /// the [code]normal[/code] of that side (zero if the way begins inside), and the [code]fraction[/code] of the way up
            /// to there. Empty if there is none.
            fn raycast(
                &self, from: $vector, to: $vector, #[opt(default = ALL)] mask: i64,
                #[opt(default = &PackedInt64Array::new())] exclude: PackedInt64Array,
            ) -> VarDictionary = {
                let way = Ray::segment(point("from", from.to_array())?, point("to", to.to_array())?);
                let cast = self.core.objects.raycast(way).in_layers(self.core.layers(mask)?);
                let hit = cast.excluding(self.core.known(&exclude)).next();
                Self::hit(hit.map(|hit| (*hit.object.value(), $vector::from_array(hit.point()), hit.normal(), hit.t)))
            };

            /// As [method raycast], for a round body that moves by [param motion]. The position is that of its center.
            fn $cast_ball(
                &self, center: $vector, radius: f64, motion: $vector, #[opt(default = ALL)] mask: i64,
                #[opt(default = &PackedInt64Array::new())] exclude: PackedInt64Array,
            ) -> VarDictionary = {
                let (body, way) = (ball(center.to_array(), radius)?, point("motion", motion.to_array())?);
                let cast = self.core.objects.cast_ball(body, way).in_layers(self.core.layers(mask)?);
                let hit = cast.excluding(self.core.known(&exclude)).next();
                Self::hit(hit.map(|hit| (*hit.object.value(), center + motion * hit.t, hit.normal(), hit.t)))
            };

            /// All pairs of objects that touch, or are at most [param distance] apart, each pair once: two ids after each other.
            /// With two masks, a pair has one object in a layer of each.
            fn pairs(
                &self, #[opt(default = 0.0)] distance: f64, #[opt(default = ALL)] mask: i64,
                #[opt(default = ALL)] other_mask: i64,
            ) -> PackedInt64Array = self.core.pairs(distance, mask, other_mask);

            /// The neighbors of each of [param ids]: all other objects at most [param distance] away; with [param max_results]
            /// the nearest of them. Those of number [code]i[/code] are in the array [code]ids[/code] of the answer, from
            /// [code]offsets[i][/code] on and before [code]offsets[i + 1][/code].
            ///
            /// Far faster than a query for each.
            fn neighbors(
                &mut self, ids: PackedInt64Array, distance: f64, #[opt(default = ALL)] mask: i64,
                #[opt(default = 0)] max_results: i64,
            ) -> VarDictionary = self.core.neighbors(ids.as_slice(), distance, mask, most(max_results)?);

            /// For each of [param ids] the mean of [param values] over its neighbors, which are the others of [param ids] at most
            /// [param distance] away; without neighbors its own value. A value is a position, a velocity, or whatever you keep in
            /// an array of the same order.
            ///
            /// For flocks: GDScript has no loop over neighbors.
            fn neighbor_means(
                &self, ids: PackedInt64Array, values: $packed, distance: f64, #[opt(default = ALL)] mask: i64,
            ) -> $packed = {
                let means = self.core.means(ids.as_slice(), &Self::arrays(&values), distance, mask)?;
                Ok(means.into_iter().map($vector::from_array).collect())
            };

            /// The objects in a box, counted in square cells: the arrays [code]positions[/code], each the mean of their centers,
            /// and [code]counts[/code].
            fn clusters(&self, region: $box, cell_size: f64, #[opt(default = ALL)] mask: i64) -> VarDictionary = {
                let found = self.core.objects.intersecting(Self::shape(region)?).in_layers(self.core.layers(mask)?);
                let found: Vec<_> = found.clusters(cell_size as real)?.collect();
                let positions: $packed = found.iter().map(|cluster| $vector::from_array(cluster.mean)).collect();
                let counts: PackedInt32Array = found.iter().map(|cluster| cluster.count as i32).collect();
                Ok(vdict! { "positions" => &positions, "counts" => &counts })
            };
        }
    };
}

index! {
    SpatialIndex2D Vector2 PackedVector2Array Rect2 2
    insert_rect insert_rects move_rect move_rects get_rect query_rect query_circle cast_circle
}

index! {
    SpatialIndex3D Vector3 PackedVector3Array Aabb 3
    insert_aabb insert_aabbs move_aabb move_aabbs get_aabb query_aabb query_sphere cast_sphere
}

functions! { (secondary) SpatialIndex2D
    /// The objects in a polygon, whose corners go either way around; in no order.
    fn query_polygon(&self, corners: PackedVector2Array, #[opt(default = ALL)] mask: i64) -> PackedInt64Array =
        self.core.query(polygon(&corners)?, mask);
}

functions! { (secondary) SpatialIndex3D
    /// The objects behind all planes, as [method Camera3D.get_frustum] gives them; in no order. A box near an edge of the
    /// frustum may count as inside.
    fn query_frustum(&self, planes: Array<Plane>, #[opt(default = ALL)] mask: i64) -> PackedInt64Array =
        self.core.query(Convex::new(&planes.iter_shared().map(behind).collect::<Outcome<Vec<_>>>()?), mask);
}
