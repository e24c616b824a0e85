//! A space, a world and a list of operations: from bytes, from a seed, to text and back.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use crate::bytes::{Bytes, Dice};
use crate::op::{KINDS, Op};

/// The combinations of scalar and dimension that are compiled.
#[cfg(feature = "all-spaces")]
pub const SPACES: [&str; 4] = ["f32/2", "f64/3", "f32/3", "f64/2"];
#[cfg(one_space)]
pub const SPACES: [&str; 1] = ["f32/2"];
#[cfg(not(any(feature = "all-spaces", one_space)))]
pub const SPACES: [&str; 2] = ["f32/2", "f64/3"];

/// How many objects an index may get. Chains of many buckets need many, and everything else comes sooner with few.
const OBJECTS: [u16; 8] = [60, 60, 60, 100, 100, 160, 250, 600];

/// Operations, and where they happen.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// One of [`SPACES`].
    pub space: u8,
    /// The world of the first index, modulo how many there are.
    pub scene: u8,
    /// No index gets more objects than this: every answer is compared with a linear list.
    pub objects: u16,
    pub ops: Vec<Op>,
}

impl Script {
    /// Decodes operations up to the end of the bytes.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let mut bytes = Bytes::Given(bytes);
        let (space, scene) = (bytes.byte() % SPACES.len() as u8, bytes.byte());
        let objects = OBJECTS[usize::from(bytes.byte()) % OBJECTS.len()];
        let mut ops = Vec::new();
        while !bytes.is_over() {
            ops.push(Op::draw(&mut bytes));
        }
        Self { space, scene, objects, ops }
    }

    /// The same script for the same seed. Each leaves out some operations, others in each, so that some grow and some
    /// shrink, and some keep to few operations that follow each other closely.
    #[must_use]
    pub fn of_seed(seed: u64, operations: usize) -> Self {
        let mut dice = Dice::new(seed);
        let (space, scene) = (dice.below(SPACES.len() as u64) as u8, (dice.bits() >> 56) as u8);
        // Every second script is of the first worlds, which have room for everything.
        let scene = if dice.below(2) == 0 { scene } else { 0 };
        let objects = OBJECTS[dice.below(OBJECTS.len() as u64) as usize];
        let left_out = match dice.below(4) {
            0 => 0,
            1 => dice.bits() & dice.bits() & dice.bits(),
            2 => dice.bits() & dice.bits(),
            _ => dice.bits(),
        };
        let allowed = !left_out | needed();
        let mut bytes = Bytes::Random(dice);
        let ops = (0..operations).map(|_| Op::draw_of(&mut bytes, allowed)).collect();
        Self { space, scene, objects, ops }
    }
}

impl Script {
    /// A long script in one of the first two spaces. Its hash depends on no feature of this package.
    #[must_use]
    pub fn golden(space: u8) -> Self {
        let mut script = Self::of_seed(7, 4000);
        // Operations that some builds leave out.
        script.ops.retain(|op| !matches!(op, Op::Save { .. } | Op::Parallel { .. }));
        Self { space, scene: 0, objects: 250, ..script }
    }
}

/// Operations without which there is nothing.
fn needed() -> u64 {
    let is_needed = |name: &str| ["AddLayer", "Insert", "InsertBatch"].contains(&name);
    let bits = KINDS.iter().enumerate().filter(|(_, (name, _))| is_needed(name)).map(|(kind, _)| 1 << kind);
    bits.fold(0, |all, bit: u64| all | bit)
}

impl Display for Script {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let space = SPACES[usize::from(self.space) % SPACES.len()];
        writeln!(f, "space {space} scene {} objects {}", self.scene, self.objects)?;
        self.ops.iter().try_for_each(|op| writeln!(f, "{op}"))
    }
}

/// A line of a script says nothing that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAScript {
    pub line: usize,
    pub text: String,
}

impl Display for NotAScript {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: no operation: {}", self.line, self.text)
    }
}

impl std::error::Error for NotAScript {}

impl FromStr for Script {
    type Err = NotAScript;

    fn from_str(text: &str) -> Result<Self, NotAScript> {
        let lines = text.lines().enumerate().map(|(number, line)| (number + 1, line.trim()));
        let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let mistake = |(line, text): (usize, &str)| NotAScript { line, text: text.to_owned() };
        let (number, first) = lines.next().unwrap_or_default();
        let words: Vec<_> = first.split_whitespace().collect();
        let ["space", space, "scene", scene, "objects", objects] = words[..] else {
            return Err(mistake((number, first)));
        };
        let space = SPACES.iter().position(|known| *known == space).ok_or_else(|| mistake((number, first)))? as u8;
        let scene = scene.parse().map_err(|_| mistake((number, first)))?;
        let objects = objects.parse().map_err(|_| mistake((number, first)))?;
        let ops = lines.map(|line| line.1.parse().map_err(|_| mistake(line))).collect::<Result<_, _>>()?;
        Ok(Self { space, scene, objects, ops })
    }
}
