//! Two armies among walls. Each soldier asks three questions in each tick: where is the nearest enemy archer, is he in
//! sight, and is any enemy in range?

use quadrille::{Handle, Layer, Points, Quadtree, Ray, Rect, Rects, Segment};
use quadrille_gallery::{Ink, Panel, Show, Stopwatch, palette};
use rand::{Rng, RngExt};

pub(crate) const SIDE: f32 = 1000.0;
const SOLDIERS: usize = 250;
const WALLS: usize = 60;
const RANGE: f32 = 25.0;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Archer,
    Knight,
}

pub(crate) struct Battle {
    index: Quadtree<Kind>,
    armies: [Layer<Points>; 2],
    walls: Layer<Rects>,
    soldiers: Vec<Handle>,
    times: [Stopwatch; 3],
}

/// The findings of a soldier.
struct Plan {
    me: Handle,
    archer: Option<Handle>,
    in_sight: bool,
    in_range: bool,
}

impl Battle {
    pub(crate) fn new(dice: &mut impl Rng) -> anyhow::Result<Self> {
        let mut index = Quadtree::new(Rect::new([0.0; 2], [SIDE; 2]))?;
        let walls = index.add_rect_layer()?;
        let armies = [index.add_point_layer()?, index.add_point_layer()?];
        for _ in 0..WALLS {
            let half = if dice.random() { [35.0, 4.0] } else { [4.0, 35.0] };
            let center = [(); 2].map(|()| dice.random_range(40.0..SIDE - 40.0));
            index.insert(walls, Rect::from_center_half(center, half), Kind::Knight)?;
        }
        let mut soldiers = Vec::new();
        for (army, left) in armies.into_iter().zip([30.0, SIDE - 330.0]) {
            for number in 0..SOLDIERS {
                let at = [left + dice.random_range(0.0..300.0), dice.random_range(30.0..SIDE - 30.0)];
                let kind = if number % 5 == 0 { Kind::Archer } else { Kind::Knight };
                soldiers.push(index.insert(army, at, kind)?);
            }
        }
        Ok(Self { index, armies, walls, soldiers, times: Default::default() })
    }

    /// All ask, then all walk.
    pub(crate) fn tick(&mut self, show: &mut Show) -> anyhow::Result<()> {
        let soldiers = self.soldiers.clone();
        let plans: Vec<Plan> = soldiers.into_iter().map(|me| self.plan(me)).collect();
        if show.verify() {
            self.verify(&plans, show)?;
        }
        for plan in plans.iter().filter(|plan| !plan.in_range) {
            let Some(archer) = plan.archer else { continue };
            let ([x, y], [to_x, to_y]) = (self.place(plan.me), self.place(archer));
            let (dx, dy) = (to_x - x, to_y - y);
            let step = 1.5 / dx.hypot(dy).max(1.5);
            self.index.move_to(plan.me, [x + dx * step, y + dy * step])?;
        }
        Ok(())
    }

    fn plan(&mut self, me: Handle) -> Plan {
        let (index, at, enemies) = (&self.index, self.place(me), self.enemies_of(me));
        let [nearest, sight, range] = &mut self.times;
        let archer = nearest.time(|| {
            let mut enemies = index.nearest(at).in_layers(enemies);
            enemies.find(|enemy| *enemy.object.value() == Kind::Archer).map(|enemy| enemy.object)
        });
        let in_sight = archer.is_some_and(|archer| {
            let ray = Ray::segment(at, archer.shape().min());
            sight.time(|| !index.raycast(ray).in_layers(self.walls).exists())
        });
        let in_range = range.time(|| index.within_distance(at, RANGE).in_layers(enemies).exists());
        Plan { me, archer: archer.map(|archer| archer.handle()), in_sight, in_range }
    }

    /// Looks at all enemies, and at all walls.
    fn verify(&self, plans: &[Plan], show: &mut Show) -> anyhow::Result<()> {
        let armies = self.armies.map(|army| self.index.iter().in_layers(army).collect::<Vec<_>>());
        let walls: Vec<Rect> = self.index.iter().in_layers(self.walls).map(|wall| wall.shape()).collect();
        for plan in plans {
            let at = Rect::from_point(self.place(plan.me));
            let enemies = &armies[usize::from(self.enemies_of(plan.me) == self.armies[1])];
            let archers = enemies.iter().filter(|enemy| *enemy.value() == Kind::Archer);
            let by_distance = archers.map(|archer| (at.distance_squared(&archer.shape()), archer.handle()));
            let nearest = by_distance.min_by(|(one, a), (other, b)| one.total_cmp(other).then(a.cmp(b)));
            show.equal("the nearest archer", &plan.archer, &nearest.map(|(_, archer)| archer))?;
            let in_sight = nearest.is_some_and(|(_, archer)| {
                let sight = Segment::new(at.min(), self.place(archer));
                !walls.iter().any(|wall| sight.intersects(wall))
            });
            show.equal("whether he is in sight", &plan.in_sight, &in_sight)?;
            let near = |distance: f64| distance <= f64::from(RANGE * RANGE);
            let in_range = enemies.iter().any(|enemy| near(at.distance_squared(&enemy.shape())));
            show.equal("whether any enemy is in range", &plan.in_range, &in_range)?;
        }
        Ok(())
    }

    fn place(&self, soldier: Handle) -> [f32; 2] {
        self.index.shape(soldier).expect("nobody dies here").min()
    }

    fn enemies_of(&self, soldier: Handle) -> Layer<Points> {
        let [one, other] = self.armies;
        if self.index.layer(soldier) == Some(one.id()) { other } else { one }
    }

    pub(crate) fn print(&self, show: &Show) {
        let names = ["the nearest enemy archer", "whether he is in sight", "whether any enemy is in range"];
        for (name, time) in names.into_iter().zip(&self.times) {
            show.figure(name, time);
        }
    }

    pub(crate) fn draw(&mut self, panel: &mut Panel) {
        panel.boxes(&wall(), self.index.iter().in_layers(self.walls).map(|wall| wall.shape()));
        let soldiers: Vec<Handle> = self.soldiers[..SOLDIERS].iter().copied().step_by(7).collect();
        for me in soldiers {
            let plan = self.plan(me);
            let ink = if plan.in_sight { sight() } else { no_sight() };
            panel.lines(&ink, plan.archer.map(|archer| [self.place(me), self.place(archer)]));
        }
        for (army, color) in self.armies.into_iter().zip([palette::TREE, palette::ALARM]) {
            for (kind, radius) in [(Kind::Knight, 2.2), (Kind::Archer, 3.8)] {
                let of_a_kind = self.index.iter().in_layers(army).filter(|soldier| *soldier.value() == kind);
                panel.dots(&Ink::fill(color), radius, of_a_kind.map(|soldier| soldier.shape().min()));
            }
        }
    }
}

pub(crate) fn wall() -> Ink {
    Ink::fill(palette::STONE).opacity(0.8)
}

pub(crate) fn sight() -> Ink {
    Ink::line(palette::WHITE, 1.2).opacity(0.9)
}

pub(crate) fn no_sight() -> Ink {
    Ink::line(palette::STONE, 0.9).opacity(0.55)
}
