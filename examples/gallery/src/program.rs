//! The one command line of all programs.

use std::ffi::OsString;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use lexopt::{Arg, Parser, ValueExt};

use crate::files::svg_file;
use crate::show::{Difference, Show};

/// A program of the gallery: its name, its purpose, and how large it is unless its user says otherwise.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// The name of the example.
    pub name: &'static str,
    /// One sentence for `--help`.
    pub about: &'static str,
    /// How many objects there are.
    pub objects: usize,
    /// How many steps it makes.
    pub ticks: usize,
}

/// The options of every program.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether every answer is compared with brute force.
    pub verify: bool,
    /// How many objects there are.
    pub objects: usize,
    /// How many steps are made.
    pub ticks: usize,
    /// The seed of all that is random.
    pub seed: u64,
    /// The picture, an SVG.
    pub out: PathBuf,
    /// Whether the switch is on, if the program has one.
    pub switch: bool,
}

impl Program {
    /// Reads the command line and runs the program: 1 for a wrong answer, 2 for every other failure.
    #[must_use]
    pub fn run(self, play: impl FnOnce(&mut Show) -> anyhow::Result<()>) -> ExitCode {
        self.run_with_switch(None, play)
    }

    /// As [`run`](Self::run), with a switch of the program's own: its name, and what it does.
    #[must_use]
    pub fn run_with_switch(
        self,
        switch: Option<[&'static str; 2]>,
        play: impl FnOnce(&mut Show) -> anyhow::Result<()>,
    ) -> ExitCode {
        match self.play(switch, play) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{}: {error:#}", self.name);
                ExitCode::from(exit_code(&error))
            }
        }
    }

    fn play(self, switch: Option<[&str; 2]>, play: impl FnOnce(&mut Show) -> anyhow::Result<()>) -> anyhow::Result<()> {
        let options = self.options(switch, std::env::args_os());
        let Some(options) = options.map_err(|error| anyhow::anyhow!("{error}; see --help"))? else {
            print!("{}", self.usage(switch));
            return Ok(());
        };
        let mut show = Show::new(self.name, options)?;
        play(&mut show)?;
        show.finish()
    }

    /// Reads a command line; nothing if it asks for help.
    fn options(
        self,
        switch: Option<[&str; 2]>,
        words: impl IntoIterator<Item: Into<OsString>, IntoIter: 'static>,
    ) -> Result<Option<Options>, lexopt::Error> {
        let out = format!("target/gallery/{}.svg", self.name).into();
        let mut options =
            Options { verify: false, objects: self.objects, ticks: self.ticks, seed: 1, out, switch: false };
        let mut words = Parser::from_iter(words);
        while let Some(word) = words.next()? {
            match word {
                Arg::Long("verify") => options.verify = true,
                Arg::Long("objects") => options.objects = words.value()?.parse_with(number(1..=1_000_000))?,
                Arg::Long("ticks") => options.ticks = words.value()?.parse_with(number(1..=100_000))?,
                Arg::Long("seed") => options.seed = words.value()?.parse()?,
                Arg::Long("out") => options.out = words.value()?.parse_with(svg_file)?,
                Arg::Long("help") | Arg::Short('h') => return Ok(None),
                Arg::Long(name) if switch.is_some_and(|[switch, _]| switch == name) => options.switch = true,
                _ => return Err(word.unexpected()),
            }
        }
        Ok(Some(options))
    }

    fn usage(self, switch: Option<[&str; 2]>) -> String {
        let Self { name, about, objects, ticks } = self;
        let switch = switch.map_or_else(String::new, |[name, help]| format!("      --{name:<12} {help}\n"));
        format!(
            "{about}

Usage: {name} [OPTIONS]

Options:
      --verify       Compare every answer with brute force; exit with 1 at the first difference
      --objects <N>  How many objects there are, up to 1000000 [default: {objects}]
      --ticks <N>    How many ticks or frames are played, up to 100000 [default: {ticks}]
      --seed <N>     Other seeds roll other dice [default: 1]
      --out <FILE>   The picture, an SVG; with the feature `png` a PNG of the same name is written
                     beside it [default: target/gallery/{name}.svg]
{switch}  -h, --help         Print help
"
        )
    }
}

/// A number within bounds, as options ask for it.
pub fn number<N: FromStr + PartialOrd + Display>(bounds: RangeInclusive<N>) -> impl Fn(&str) -> Result<N, String> {
    move |text| {
        let number = text.parse().ok().filter(|number| bounds.contains(number));
        number.ok_or_else(|| format!("a number from {} to {} is wanted", bounds.start(), bounds.end()))
    }
}

fn exit_code(error: &anyhow::Error) -> u8 {
    if error.is::<Difference>() { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: Program = Program { name: "test", about: "Tests.", objects: 7, ticks: 3 };

    fn options(arguments: &'static [&str]) -> Result<Option<Options>, lexopt::Error> {
        PROGRAM.options(Some(["torus", "Go around."]), [&["test"], arguments].concat())
    }

    #[test]
    fn a_program_has_its_own_defaults() {
        let plain = options(&[]).unwrap().unwrap();
        assert_eq!((plain.objects, plain.ticks, plain.verify, plain.switch), (7, 3, false, false));
        assert_eq!(plain.out, PathBuf::from("target/gallery/test.svg"));
        let other = options(&["--objects", "12", "--verify", "--torus", "--out=a/b.svg"]).unwrap().unwrap();
        assert_eq!((other.objects, other.verify, other.switch), (12, true, true));
        assert_eq!(other.out, PathBuf::from("a/b.svg"));
    }

    #[test]
    fn its_help_tells_what_it_shows() {
        assert!(options(&["--help"]).unwrap().is_none());
        let usage = PROGRAM.usage(Some(["torus", "Go around."]));
        assert!(usage.starts_with("Tests.\n") && usage.contains("  --torus        Go around.\n"), "{usage}");
    }

    #[test]
    fn nonsense_is_refused() {
        for arguments in [&["--objects", "0"], &["--ticks", "-1"], &["--out", "a.jpg"], &["--seed", "?"]] {
            assert!(options(arguments).is_err(), "{arguments:?}");
        }
        assert!(options(&["--what"]).is_err());
        let error = options(&["--objects", "0"]).unwrap_err();
        assert_eq!(error.to_string(), "cannot parse argument \"0\": a number from 1 to 1000000 is wanted");
    }

    #[test]
    fn a_wrong_answer_has_an_exit_code_of_its_own() {
        let wrong = Difference { question: "pairs".into(), found: "1".into(), expected: "2".into() };
        assert_eq!(wrong.to_string(), "pairs: the index gives 1, brute force 2");
        assert_eq!((exit_code(&wrong.into()), exit_code(&anyhow::anyhow!("no file"))), (1, 2));
    }
}
