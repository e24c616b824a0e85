//! Random histories of a small world, and what one linear list says of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use quadrille::{Ball, Polygon, Rect, Region};
use quadrille_timely::{Answer, Area, Coordinate, Feed, FeedError, Kind, Layers, Program, Question, World};

/// A generator of small numbers (splitmix64).
#[derive(Clone, Debug, Default)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (x ^ (x >> 31)) % below
    }

    pub(crate) fn one_in(&mut self, n: u64) -> bool {
        self.roll(n) == 0
    }

    /// A coordinate of a coarse lattice, now and then outside the world.
    fn coordinate<S: Coordinate>(&mut self) -> S {
        let at = if self.one_in(30) { self.roll(400) as f64 - 200.0 } else { self.roll(101) as f64 };
        S::from_f64(at)
    }

    fn point<S: Coordinate, const D: usize>(&mut self) -> [S; D] {
        std::array::from_fn(|_| self.coordinate())
    }

    fn rect<S: Coordinate, const D: usize>(&mut self) -> Rect<S, D> {
        let from: [S; D] = self.point();
        let longest = if self.one_in(10) { 90 } else { 8 };
        let to: [S; D] = std::array::from_fn(|axis| from[axis] + S::from_f64(self.roll(longest) as f64));
        Rect::new(from, to)
    }

    fn area<S: Coordinate, const D: usize>(&mut self) -> Area<S, D> {
        match self.roll(4) {
            0 => Area::Ball(Ball::new(self.point::<S, D>(), S::from_f64(self.roll(40) as f64))),
            1 => {
                let corners = 3 + self.roll(4);
                Area::Polygon(Polygon::new((0..corners).map(|_| self.point::<S, 2>()).collect::<Vec<_>>()))
            }
            _ => Area::Rect(self.rect()),
        }
    }
}

/// An action in a tick.
#[derive(Clone, Debug)]
pub(crate) enum Action<S, const D: usize> {
    Put(u8, u64, Rect<S, D>),
    Remove(u64),
    Ask(u32, Question<S, D>),
}

/// The layers of the world of a history.
pub(crate) const POINTS: u8 = 0;
pub(crate) const RECTS: u8 = 1;
pub(crate) const WALKERS: u8 = 2;
pub(crate) const GROWERS: u8 = 3;
/// Ids of objects that step by themselves begin here.
const LOCAL: u64 = 1000;
pub(crate) const REACH: u16 = 6;

pub(crate) fn world<S: Coordinate, const D: usize>(has_local: bool) -> World<S, D> {
    let bounds = Rect::new([S::default(); D], [S::from_f64(100.0); D]);
    let mut world = World::new(bounds).unwrap().reach(S::from_f64(f64::from(REACH))).unwrap();
    assert_eq!(world.add_points(), Ok(POINTS));
    assert_eq!(world.add_rects(), Ok(RECTS));
    if has_local {
        assert_eq!(world.add_local_points(), Ok(WALKERS));
        assert_eq!(world.add_local_rects(), Ok(GROWERS));
    }
    world
}

/// A history: what is done in each tick, from 1 on.
#[derive(Clone, Debug)]
pub(crate) struct History<S, const D: usize> {
    pub(crate) ticks: Vec<Vec<Action<S, D>>>,
}

impl<S: Coordinate, const D: usize> History<S, D> {
    pub(crate) fn random(seed: u64, ticks: usize, objects: u64, has_local: bool) -> Self {
        let mut dice = Dice(seed);
        let mut alive = BTreeMap::new();
        let tick = |tick| {
            let mut actions = Vec::new();
            let busy = tick == 0 || dice.one_in(3);
            for id in 0..objects {
                if !(busy && dice.one_in(2) || dice.one_in(12)) {
                    continue;
                }
                // Small ids, and some that no array has room for.
                let id = if id % 7 == 6 { id << 40 } else { id };
                if alive.contains_key(&id) && dice.one_in(8) {
                    alive.remove(&id);
                    actions.push(Action::Remove(id));
                    continue;
                }
                let layer = if dice.one_in(10) { dice.roll(2) as u8 } else { (id % 2) as u8 };
                let shape = if layer == POINTS { Rect::from_point(dice.point::<S, D>()) } else { dice.rect() };
                alive.insert(id, shape);
                actions.push(Action::Put(layer, id, shape));
                if dice.one_in(20) {
                    // Twice in a tick: the last one counts.
                    let shape = if layer == POINTS { Rect::from_point(dice.point::<S, D>()) } else { shape };
                    actions.push(Action::Put(layer, id, shape));
                }
            }
            if has_local && (tick == 0 || dice.one_in(4)) {
                for n in 0..objects / 2 {
                    let id = LOCAL + tick as u64 * 100 + n;
                    let (layer, shape) = match n % 2 {
                        0 => (WALKERS, Rect::from_point(dice.point::<S, D>())),
                        _ => (GROWERS, dice.rect()),
                    };
                    actions.push(Action::Put(layer, id, shape));
                }
            }
            actions.extend((0..6).map(|number| Action::Ask(number, Self::question(&mut dice, has_local))));
            for number in 10..14 {
                if tick == 0 || dice.one_in(8) {
                    actions.push(Action::Ask(number, Self::standing(number, &mut dice, has_local)));
                }
            }
            actions
        };
        Self { ticks: (0..ticks).map(tick).collect() }
    }

    fn layers(dice: &mut Dice, has_local: bool) -> Layers {
        let sets = if has_local { 15 } else { 3 };
        if dice.one_in(2) { Layers::ALL } else { Layers(1 + dice.roll(sets) as u32) }
    }

    fn distance(dice: &mut Dice) -> S {
        S::from_f64(dice.roll(u64::from(REACH) + 1) as f64)
    }

    fn question(dice: &mut Dice, has_local: bool) -> Question<S, D> {
        let layers = Self::layers(dice, has_local);
        match dice.roll(4) {
            0 => Question::Pairs { layers, distance: Self::distance(dice) },
            1 => {
                let at = Rect::from_point(dice.point::<S, D>());
                Question::Nearest { layers, at, count: dice.roll(12) as u32 }
            }
            _ => Question::Window { layers, area: dice.area() },
        }
    }

    fn standing(number: u32, dice: &mut Dice, has_local: bool) -> Question<S, D> {
        let layers = Self::layers(dice, has_local);
        if number < 12 {
            Question::Contacts { layers, distance: (!dice.one_in(5)).then(|| Self::distance(dice)) }
        } else {
            Question::Fence { layers, area: (!dice.one_in(5)).then(|| dice.area()) }
        }
    }
}

/// How objects of the local layers move: a function of its arguments alone.
pub(crate) fn step<S: Coordinate, const D: usize>(
    tick: u64,
    layer: u8,
    id: u64,
    shape: Rect<S, D>,
) -> Option<Rect<S, D>> {
    let mut dice = Dice(tick << 32 ^ id);
    if dice.one_in(40) {
        return None;
    }
    if dice.one_in(3) {
        return Some(shape);
    }
    let far = if dice.one_in(10) { 80 } else { 5 };
    let offset: [S; D] = std::array::from_fn(|_| S::from_f64(dice.roll(2 * far + 1) as f64 - far as f64));
    let inside = |c: S| if c.to_f64().abs() > 150.0 { S::from_f64(50.0) } else { c };
    let min: [S; D] = std::array::from_fn(|axis| inside(shape.min()[axis] + offset[axis]));
    if layer == WALKERS {
        return Some(Rect::from_point(min));
    }
    let size = shape.size();
    Some(Rect::new(min, std::array::from_fn::<_, D, _>(|axis| min[axis] + size[axis])))
}

/// The answers of a tick, of all workers.
pub(crate) type Answers = Arc<Mutex<BTreeMap<u64, Vec<Answer>>>>;

/// The program of one worker: it feeds its share of a history.
#[derive(Clone, Debug)]
pub(crate) struct Actor<S, const D: usize> {
    pub(crate) history: Arc<History<S, D>>,
    pub(crate) answers: Answers,
    /// Whether it feeds what is not its own, for a directory.
    pub(crate) mixes: bool,
    pub(crate) next: u64,
}

impl<S: Coordinate, const D: usize> Program<S, D> for Actor<S, D> {
    fn feed(&mut self, tick: u64, feed: &mut Feed<'_, S, D>) -> Result<(), FeedError> {
        let (me, workers) = (feed.worker() as u64, feed.workers() as u64);
        for action in &self.history.ticks[tick as usize - 1] {
            let is_mine = |id: u64| if self.mixes { (id + tick) % workers == me } else { id % workers == me };
            match action {
                Action::Put(layer, id, shape) if is_mine(*id) => feed.put(*layer, *id, *shape)?,
                Action::Remove(id) if is_mine(*id) => feed.remove(*id)?,
                Action::Ask(number, question) if u64::from(*number) % workers == me => {
                    feed.ask(*number, question.clone())?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn is_last(&self, tick: u64) -> bool {
        tick as usize == self.history.ticks.len()
    }

    fn step(&mut self, tick: u64, layer: u8, id: u64, shape: Rect<S, D>) -> Option<Rect<S, D>> {
        step(tick, layer, id, shape)
    }

    fn answers(&mut self, tick: u64, answers: &[Answer]) {
        assert_eq!(tick, self.next, "ticks come in order");
        self.next += 1;
        assert!(answers.is_sorted());
        let mut all = self.answers.lock().unwrap();
        all.entry(tick).or_default().extend_from_slice(answers);
    }
}

impl<S, const D: usize> Actor<S, D> {
    pub(crate) fn new(history: &Arc<History<S, D>>, answers: &Answers) -> Self {
        Self { history: Arc::clone(history), answers: Arc::clone(answers), mixes: false, next: 1 }
    }
}

/// A program of closures: what is fed at a tick, and what becomes of the answers.
#[derive(Clone)]
pub(crate) struct Closures<F, A> {
    pub(crate) feed: F,
    pub(crate) answers: A,
    pub(crate) last: u64,
}

impl<F, A> Program<f32, 2> for Closures<F, A>
where
    F: FnMut(u64, &mut Feed<'_, f32, 2>) -> Result<(), FeedError> + 'static,
    A: FnMut(u64, &[Answer]) + 'static,
{
    fn feed(&mut self, tick: u64, feed: &mut Feed<'_, f32, 2>) -> Result<(), FeedError> {
        (self.feed)(tick, feed)
    }

    fn is_last(&self, tick: u64) -> bool {
        tick == self.last
    }

    fn answers(&mut self, tick: u64, answers: &[Answer]) {
        (self.answers)(tick, answers);
    }
}

/// A program that is fed by a closure up to a last tick, and has no use for answers.
pub(crate) fn fed<F>(last: u64, feed: F) -> Closures<F, fn(u64, &[Answer])>
where
    F: FnMut(u64, &mut Feed<'_, f32, 2>) -> Result<(), FeedError>,
{
    Closures { feed, answers: |_, _| (), last }
}

/// One linear list.
#[derive(Debug)]
pub(crate) struct Model<S: Coordinate, const D: usize> {
    objects: BTreeMap<u64, (u8, Rect<S, D>)>,
    standing: BTreeMap<u32, (Question<S, D>, Vec<[u64; 2]>)>,
}

impl<S: Coordinate, const D: usize> Model<S, D> {
    pub(crate) fn new() -> Self {
        Self { objects: BTreeMap::new(), standing: BTreeMap::new() }
    }

    /// The answers of all ticks.
    pub(crate) fn answers(history: &History<S, D>) -> BTreeMap<u64, Vec<Answer>> {
        let mut model = Self::new();
        (1..).zip(&history.ticks).map(|(tick, actions)| (tick, model.tick(tick, actions))).collect()
    }

    fn tick(&mut self, tick: u64, actions: &[Action<S, D>]) -> Vec<Answer> {
        self.objects.retain(|&id, (layer, shape)| {
            if *layer < WALKERS {
                return true;
            }
            match step(tick, *layer, id, *shape) {
                Some(new) => *shape = new,
                None => return false,
            }
            true
        });
        let mut told = Vec::new();
        for action in actions {
            match action {
                Action::Put(layer, id, shape) => drop(self.objects.insert(*id, (*layer, *shape))),
                Action::Remove(id) => drop(self.objects.remove(id)),
                Action::Ask(number, question) => self.set_standing(*number, question),
            }
        }
        for action in actions {
            if let Action::Ask(number, question) = action {
                self.answer(*number, question, &mut told);
            }
        }
        self.report_changes(&mut told);
        told.sort_unstable();
        told
    }

    fn set_standing(&mut self, number: u32, question: &Question<S, D>) {
        match question {
            Question::Contacts { distance: None, .. } | Question::Fence { area: None, .. } => {
                self.standing.remove(&number);
            }
            Question::Contacts { .. } | Question::Fence { .. } => {
                let before = self.standing.remove(&number).map(|(_, before)| before).unwrap_or_default();
                self.standing.insert(number, (question.clone(), before));
            }
            _ => {}
        }
    }

    fn of(&self, layers: Layers) -> impl Iterator<Item = (u64, Rect<S, D>)> + Clone + '_ {
        let objects = self.objects.iter().filter(move |(_, (layer, _))| layers.contains(*layer));
        objects.map(|(id, (_, shape))| (*id, *shape))
    }

    fn inside(&self, layers: Layers, area: &Area<S, D>) -> Vec<u64> {
        self.of(layers).filter(|(_, shape)| area.intersects(shape)).map(|(id, _)| id).collect()
    }

    fn close(&self, layers: Layers, distance: S) -> Vec<[u64; 2]> {
        let square = distance.to_f64() * distance.to_f64();
        let mut pairs = Vec::new();
        for (a, first) in self.of(layers) {
            let others = self.of(layers).filter(|(b, second)| a < *b && first.distance_squared(second) <= square);
            pairs.extend(others.map(|(b, _)| [a, b]));
        }
        pairs
    }

    fn answer(&self, question: u32, asked: &Question<S, D>, told: &mut Vec<Answer>) {
        let answer = |kind, a, b| Answer { question, kind, a, b };
        match asked {
            Question::Window { layers, area } => {
                told.extend(self.inside(*layers, area).into_iter().map(|id| answer(Kind::Found, id, 0)));
            }
            Question::Pairs { layers, distance } => {
                told.extend(self.close(*layers, *distance).into_iter().map(|[a, b]| answer(Kind::Pair, a, b)));
            }
            Question::Nearest { layers, at, count } => {
                let distance = |shape: Rect<S, D>| shape.distance_squared(at).to_bits();
                let mut all: Vec<_> = self.of(*layers).map(|(id, shape)| (distance(shape), id)).collect();
                all.sort_unstable();
                told.extend(all.into_iter().take(*count as usize).map(|(a, b)| answer(Kind::Near, a, b)));
            }
            _ => {}
        }
    }

    fn report_changes(&mut self, told: &mut Vec<Answer>) {
        let mut standing = std::mem::take(&mut self.standing);
        for (&question, (asked, before)) in &mut standing {
            let (now, kinds) = match asked {
                Question::Fence { layers, area: Some(area) } => {
                    let inside = self.inside(*layers, area).into_iter().map(|id| [id, 0]).collect();
                    (inside, [Kind::Entered, Kind::Left])
                }
                Question::Contacts { layers, distance: Some(distance) } => {
                    (self.close(*layers, *distance), [Kind::Begun, Kind::Ended])
                }
                _ => unreachable!(),
            };
            let begun = now.iter().filter(|pair| !before.contains(pair)).map(|pair| (kinds[0], pair));
            let ended = before.iter().filter(|pair| !now.contains(pair)).map(|pair| (kinds[1], pair));
            told.extend(begun.chain(ended).map(|(kind, &[a, b])| Answer { question, kind, a, b }));
            *before = now;
        }
        self.standing = standing;
    }
}

/// Compares the answers of all ticks, and says where they differ first.
pub(crate) fn compare(seen: &BTreeMap<u64, Vec<Answer>>, expected: &BTreeMap<u64, Vec<Answer>>, what: &str) {
    assert_eq!(seen.len(), expected.len(), "{what}: ticks");
    for (tick, expected) in expected {
        let mut seen = seen[tick].clone();
        seen.sort_unstable();
        let missing: Vec<_> = expected.iter().filter(|answer| seen.binary_search(answer).is_err()).collect();
        let extra: Vec<_> = seen.iter().filter(|answer| expected.binary_search(answer).is_err()).collect();
        assert!(missing.is_empty() && extra.is_empty(), "{what}: tick {tick} lacks {missing:?} and has {extra:?}");
        assert_eq!(seen.len(), expected.len(), "{what}: tick {tick} has answers twice");
        assert_eq!(&seen, expected, "{what}: tick {tick} has something twice");
    }
}
