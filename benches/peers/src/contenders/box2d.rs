//! `Box2D` v3's dynamic tree, through boxdd's safe wrapper, whose own book-keeping is part of every figure.
//!
//! As in `Box2D` the boxes in the tree are fat: an object that stays inside its fat box is not touched, and the
//! objects that the tree finds are tested exactly, by the caller's own copy of the shapes.

use boxdd::{Aabb, DynamicTree, Foundation, TreeCastControl, TreeProxyId, TreeRayCastInput, Vec2};

use crate::contender::{Contender, Roster};
use crate::data::{Rect, Shape};
use crate::exact::Segment;
use crate::index::{Dynamic, Index, Setting};
use crate::workload::Workload;

pub(super) fn enlist(roster: &mut Roster) {
    // In the few rounds of `update` no object would leave its fat box.
    let without = [Workload::Bulk, Workload::Update];
    roster.points.push(Contender::dynamic::<Box2d>("boxdd (Box2D)").without(&without));
    let rects = Contender::dynamic::<Box2d>("boxdd (Box2D)").without(&without);
    roster.rects.push(rects.offering(&[Workload::Raycast]));
}

/// How far fat boxes reach beyond their objects.
const MARGIN: f32 = 2.0;
const EVERYTHING: u64 = u64::MAX;

struct Object {
    shape: Rect,
    fat: Rect,
    proxy: TreeProxyId,
}

struct Box2d {
    tree: DynamicTree,
    /// By id.
    objects: Vec<Object>,
}

fn aabb(rect: &Rect) -> Aabb {
    let vec2 = |[x, y]: [f32; 2]| Vec2::new(x, y);
    Aabb::new(vec2(rect.min), vec2(rect.max)).expect("the box is valid")
}

fn fat(shape: &Rect) -> Rect {
    Rect { min: shape.min.map(|c| c - MARGIN), max: shape.max.map(|c| c + MARGIN) }
}

fn holds(outer: &Rect, inner: &Rect) -> bool {
    [0, 1].iter().all(|&axis| outer.min[axis] <= inner.min[axis] && inner.max[axis] <= outer.max[axis])
}

impl Box2d {
    fn visit(&self, window: &Rect, mut visit: impl FnMut(u64) -> bool) {
        let objects = &self.objects;
        let mut visit = |_, id: u64| !objects[id as usize].shape.meets(window) || visit(id);
        self.tree.query_all(aabb(window), &mut visit).expect("the window is valid");
    }
}

impl<P: Shape> Index<P> for Box2d {
    fn build(setting: &Setting, shapes: &[P]) -> Self {
        Self::filled(setting, shapes)
    }

    fn each_in(&mut self, window: &Rect, mut hit: impl FnMut(u64)) {
        self.visit(window, |id| {
            hit(id);
            true
        });
    }

    fn any_in(&mut self, window: &Rect) -> Option<u64> {
        let mut found = None;
        self.visit(window, |id| {
            found = Some(id);
            false
        });
        found
    }

    fn first_along(&mut self, segment: &Segment) -> Option<u64> {
        let vec2 = |[x, y]: [f32; 2]| Vec2::new(x, y);
        let ray = TreeRayCastInput::new(vec2(segment.from), vec2(segment.way())).expect("the ray is valid");
        let (mut first, objects) = (None, &self.objects);
        let mut visit = |input: TreeRayCastInput, _, id: u64| match segment.entry(&objects[id as usize].shape) {
            Some(entry) if 0.0 < entry && entry < input.max_fraction() => {
                first = Some(id);
                TreeCastControl::Clip(entry)
            }
            _ => TreeCastControl::Skip,
        };
        self.tree.ray_cast(ray, EVERYTHING, &mut visit).expect("the ray is valid");
        first
    }

    fn bytes_apart(&self) -> isize {
        let tree = self.tree.byte_count().expect("the tree is valid");
        tree as isize - (self.objects.capacity() * size_of::<Object>()).cast_signed()
    }
}

impl<P: Shape> Dynamic<P> for Box2d {
    fn new(setting: &Setting) -> Self {
        Foundation::initialize_default().expect("nothing else was set");
        let tree = DynamicTree::with_capacity(setting.n).expect("there is room");
        Self { tree, objects: Vec::with_capacity(setting.n) }
    }

    fn insert(&mut self, id: u32, shape: P) {
        let shape = shape.bounds();
        let fat = fat(&shape);
        let proxy = self.tree.create_proxy(aabb(&fat), EVERYTHING, u64::from(id)).expect("the box is valid");
        self.objects.push(Object { shape, fat, proxy });
    }

    fn move_to(&mut self, id: u32, _before: P, after: P) {
        let object = &mut self.objects[id as usize];
        object.shape = after.bounds();
        if !holds(&object.fat, &object.shape) {
            object.fat = fat(&object.shape);
            self.tree.move_proxy(object.proxy, aabb(&object.fat)).expect("the box is valid");
        }
    }

    fn remove(&mut self, id: u32, _shape: P) {
        self.tree.destroy_proxy(self.objects[id as usize].proxy).expect("the object is there");
    }
}
