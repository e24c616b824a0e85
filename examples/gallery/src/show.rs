//! A program that runs: its options, its figures, its comparisons, its files.
//!
//! It does not know what the program shows.

use std::fmt::{Debug, Display};
use std::path::PathBuf;
use std::time::Instant;

use rand::SeedableRng;
use rand_pcg::Pcg64;

use crate::animation::Animation;
use crate::brute::sorted;
use crate::files;
use crate::picture::Picture;
use crate::program::Options;
use crate::progress::Progress;
use crate::text::grouped;

/// The first answer that is not as brute force gives it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{question}: the index gives {found}, brute force {expected}")]
pub struct Difference {
    /// Which question was asked.
    pub question: String,
    /// The answer of the index, or where it first differs.
    pub found: String,
    /// The answer of brute force there.
    pub expected: String,
}

/// Runs one program.
#[derive(Debug)]
pub struct Show {
    options: Options,
    begun: Instant,
    answers: usize,
    objects: usize,
    written: Vec<PathBuf>,
}

impl Show {
    pub(crate) fn new(name: &str, options: Options) -> anyhow::Result<Self> {
        files::ensure_picture_writable(&options.out)?;
        println!("{name}: {} objects, {} ticks", grouped(&options.objects), grouped(&options.ticks));
        Ok(Self { options, begun: Instant::now(), answers: 0, objects: 0, written: Vec::new() })
    }

    /// Whether answers are to be compared.
    #[must_use]
    pub fn verify(&self) -> bool {
        self.options.verify
    }

    /// How many objects there are.
    #[must_use]
    pub fn objects(&self) -> usize {
        self.options.objects
    }

    /// Whether the program's own switch is on.
    #[must_use]
    pub fn switch(&self) -> bool {
        self.options.switch
    }

    /// Random numbers, the same for the same seed.
    #[must_use]
    pub fn dice(&self) -> Pcg64 {
        Pcg64::seed_from_u64(self.options.seed)
    }

    /// The numbers of the ticks, with progress shown on the way.
    pub fn ticks(&self) -> impl Iterator<Item = usize> + use<> {
        let ticks = self.options.ticks;
        let mut progress = Progress::new(ticks);
        (0..=ticks).filter(move |&tick| {
            if tick == ticks {
                progress.finish();
            } else {
                progress.step(|| format!("tick {tick}"));
            }
            tick < ticks
        })
    }

    /// The number of the last tick.
    #[must_use]
    pub fn last_tick(&self) -> usize {
        self.options.ticks - 1
    }

    /// Prints a figure.
    pub fn figure(&self, name: &str, value: impl Display) {
        println!("  {name:.<46} {value}");
    }

    /// Compares a set, each of its elements once, with that of brute force. The order does not matter.
    ///
    /// # Errors
    /// They differ.
    pub fn same<T: Ord + Debug>(
        &mut self,
        question: &str,
        found: impl IntoIterator<Item = T>,
        expected: impl IntoIterator<Item = T>,
    ) -> Result<(), Difference> {
        let [found, expected] = sorted(found, expected);
        self.objects += expected.len();
        // All of them may be thousands: the first that is not the same will do.
        let same = found.iter().zip(&expected).take_while(|(found, expected)| found == expected).count();
        self.equal(question, &found.get(same), &expected.get(same))
    }

    /// Compares an answer with that of brute force.
    ///
    /// # Errors
    /// They differ.
    pub fn equal<T: PartialEq + Debug>(&mut self, question: &str, found: &T, expected: &T) -> Result<(), Difference> {
        self.answers += 1;
        if found == expected {
            return Ok(());
        }
        let (question, found, expected) = (question.to_owned(), format!("{found:?}"), format!("{expected:?}"));
        Err(Difference { question, found, expected })
    }

    /// Writes a picture.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn draw(&mut self, picture: Picture) -> anyhow::Result<()> {
        self.written.extend(files::write_picture(&self.options.out, picture.into_svg())?);
        Ok(())
    }

    /// Writes an animation, as `NAME-animated.png`, with the feature `png`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn animate(&mut self, animation: &Animation) -> anyhow::Result<()> {
        let mut file = self.options.out.with_extension("");
        file.as_mut_os_string().push("-animated.png");
        if let Some(pixels) = animation.encode()? {
            files::write(&file, &pixels)?;
            self.written.push(file);
        } else {
            println!("Not drawn: {}, which needs the feature `png`.", file.display());
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> anyhow::Result<()> {
        self.figure("all in all, with pictures", format!("{:.1} s", self.begun.elapsed().as_secs_f64()));
        if self.options.verify {
            anyhow::ensure!(self.answers > 0, "nothing was compared");
            let objects =
                if self.objects == 0 { String::new() } else { format!(" with {} objects", grouped(&self.objects)) };
            println!("Verified: {} answers{objects}, all as brute force gives them.", grouped(&self.answers));
        }
        for file in &self.written {
            println!("Drawn: {}", file.display());
        }
        Ok(())
    }
}
