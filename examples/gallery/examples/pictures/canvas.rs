//! The sheet of a picture: panels in a row, words above and below them, arrows; and the comparison of answers.

use std::fmt::Debug;

use quadrille::{Rect, Scalar};
use quadrille_gallery::brute::sorted;
use quadrille_gallery::{Ink, Panel, Picture, palette};
use rand::SeedableRng;
use rand_pcg::Pcg64;

/// The width of all pictures: that of a page.
pub(crate) const WIDTH: f64 = 960.0;
const MARGIN: f64 = 16.0;
/// The height of a line of words.
const LINE: f64 = 24.0;
/// The sizes of letters: of names, and of what is said about them.
pub(crate) const NAME: u8 = 19;
pub(crate) const WORDS: u8 = 15;

/// Random numbers, the same for each run.
pub(crate) fn dice(seed: u64) -> Pcg64 {
    Pcg64::seed_from_u64(seed)
}

/// Fails unless an answer is that of brute force, in any order.
pub(crate) fn ensure_same<T: Ord + Debug>(
    question: &str,
    found: impl IntoIterator<Item = T>,
    expected: impl IntoIterator<Item = T>,
) -> anyhow::Result<()> {
    let [found, expected] = sorted(found, expected);
    anyhow::ensure!(found == expected, "{question}: the index gives {found:?}, brute force {expected:?}");
    anyhow::ensure!(!found.is_empty(), "{question}: nothing to see");
    Ok(())
}

/// Square panels side by side, with so many lines of words below them.
pub(crate) struct Row {
    pub(crate) picture: Picture,
    side: f64,
    columns: u8,
    height: f64,
    next: u8,
}

impl Row {
    pub(crate) fn new(title: &str, columns: u8, lines: u8) -> Self {
        let side = (WIDTH - MARGIN * f64::from(columns + 1)) / f64::from(columns);
        let height = MARGIN + side + LINE * f64::from(lines) + 6.0;
        Self { picture: Picture::new(title, [WIDTH, height]), side, columns, height, next: 0 }
    }

    /// The next panel, which shows a square of a world.
    pub(crate) fn panel<S: Scalar>(&mut self, square: Rect<S, 2>) -> Panel {
        assert!(self.next < self.columns, "the row is full");
        let left = self.left();
        self.next += 1;
        let place = Rect::new([left, MARGIN], [left + self.side, MARGIN + self.side]);
        let mut panel = self.picture.panel(place, square);
        panel.frame();
        panel
    }

    /// Puts the panel into the row, with words below it: a name, then what is said about it.
    pub(crate) fn add(&mut self, panel: Panel, lines: &[&str]) {
        self.picture.add(panel);
        let left = MARGIN + (self.side + MARGIN) * f64::from(self.next - 1);
        let mut sheet = self.sheet();
        for (number, line) in (1_u8..).zip(lines) {
            let size = if number == 1 { NAME } else { WORDS };
            let down = MARGIN + self.side + LINE * f64::from(number);
            sheet.words([left + 2.0, self.height - down], size, line);
        }
        self.picture.add(sheet);
    }

    /// Lines from a box of the panel before to the edges of the one that shows it larger.
    pub(crate) fn zoom(&mut self, world: Rect, part: Rect) {
        let scale = self.side / f64::from(world.size()[0]);
        let bottom = self.height - MARGIN - self.side;
        let before = MARGIN + (self.side + MARGIN) * f64::from(self.next - 1);
        let pixel = |[x, y]: [f32; 2]| {
            [before + scale * f64::from(x - world.min()[0]), bottom + scale * f64::from(y - world.min()[1])]
        };
        let [low, high] = [pixel([part.max()[0], part.min()[1]]), pixel(part.max())];
        let left = before + self.side + MARGIN;
        let mut sheet = self.sheet();
        let ink = Ink::line(palette::WHITE, 1.2).opacity(0.7);
        sheet.lines(&ink, [[low, [left, bottom]], [high, [left, bottom + self.side]]]);
        self.picture.add(sheet);
    }

    fn left(&self) -> f64 {
        MARGIN + (self.side + MARGIN) * f64::from(self.next)
    }

    /// All of the picture, in pixels, upwards.
    fn sheet(&mut self) -> Panel {
        self.picture.whole(Rect::new([0.0, 0.0], [WIDTH, self.height]))
    }
}

/// An arrow from place to place with a head of a given length.
pub(crate) fn arrow(panel: &mut Panel, ink: &Ink, [from, to]: [[f32; 2]; 2], head: f32) {
    let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    let length = dx.hypot(dy).max(f32::MIN_POSITIVE);
    let [x, y] = [dx / length * head, dy / length * head];
    let back = |side: f32| [to[0] - x - side * y * 0.5, to[1] - y + side * x * 0.5];
    panel.lines(ink, [[from, to]]);
    panel.ways(ink, [[back(1.0), to, back(-1.0)]]);
}
