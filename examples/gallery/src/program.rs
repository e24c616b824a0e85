//! The one command line of all programs.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, Args, Command, FromArgMatches};

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
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// Compare every answer with brute force; exit with 1 at the first difference
    #[arg(long)]
    pub verify: bool,
    /// How many objects there are
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    objects: u32,
    /// How many ticks or frames are played
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    ticks: u32,
    /// Other seeds roll other dice
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// The picture, an SVG; a PNG of the same name is written beside it
    #[arg(long, value_name = "FILE", value_parser = svg_file)]
    pub out: PathBuf,
    /// Whether the switch is on, if the program has one.
    #[arg(skip)]
    pub switch: bool,
}

impl Options {
    /// How many objects there are.
    #[must_use]
    pub fn objects(&self) -> usize {
        self.objects as usize
    }

    /// How many steps are made.
    #[must_use]
    pub fn ticks(&self) -> usize {
        self.ticks as usize
    }
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
        let arguments = switch.map(|[name, help]| Arg::new(name).long(name).help(help).action(ArgAction::SetTrue));
        let matches = self.command().args(arguments).get_matches();
        let mut options = Options::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        options.switch = switch.is_some_and(|[name, _]| matches.get_flag(name));
        match Show::new(self.name, options).and_then(|mut show| play(&mut show).and_then(|()| show.finish())) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{}: {error:#}", self.name);
                ExitCode::from(exit_code(&error))
            }
        }
    }

    fn command(self) -> Command {
        let defaults = [
            ("objects", self.objects.to_string()),
            ("ticks", self.ticks.to_string()),
            ("out", format!("target/gallery/{}.svg", self.name)),
        ];
        let command = Options::augment_args(Command::new(self.name)).about(self.about);
        defaults.into_iter().fold(command, |command, (name, default)| {
            command.mut_arg(name, |argument| argument.required(false).default_value(default))
        })
    }
}

fn exit_code(error: &anyhow::Error) -> u8 {
    if error.is::<Difference>() { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: Program = Program { name: "test", about: "Tests.", objects: 7, ticks: 3 };

    fn options(arguments: &[&str]) -> Result<Options, clap::Error> {
        let command = PROGRAM.command().no_binary_name(true);
        Options::from_arg_matches(&command.try_get_matches_from(arguments)?)
    }

    #[test]
    fn a_program_has_its_own_defaults() {
        let plain = options(&[]).unwrap();
        assert_eq!((plain.objects(), plain.ticks(), plain.verify), (7, 3, false));
        assert_eq!(plain.out, PathBuf::from("target/gallery/test.svg"));
        let other = options(&["--objects", "12", "--verify", "--out", "a/b.svg"]).unwrap();
        assert_eq!((other.objects(), other.verify, other.out), (12, true, PathBuf::from("a/b.svg")));
    }

    #[test]
    fn its_help_tells_what_it_shows() {
        assert!(PROGRAM.command().render_help().to_string().starts_with("Tests.\n"));
    }

    #[test]
    fn nonsense_is_refused() {
        for arguments in [&["--objects", "0"], &["--ticks", "-1"], &["--out", "a.jpg"]] {
            assert!(options(arguments).is_err(), "{arguments:?}");
        }
    }

    #[test]
    fn a_wrong_answer_has_an_exit_code_of_its_own() {
        let wrong = Difference { question: "pairs".into(), found: "1".into(), expected: "2".into() };
        assert_eq!(wrong.to_string(), "pairs: the index gives 1, brute force 2");
        assert_eq!((exit_code(&wrong.into()), exit_code(&anyhow::anyhow!("no file"))), (1, 2));
    }
}
