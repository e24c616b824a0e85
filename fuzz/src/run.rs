//! Runs scripts, and catches what differs.

use std::any::Any;
use std::cell::Cell;
use std::fmt::{self, Display, Formatter};
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use crate::play::{Space, Stage};
use crate::script::{SPACES, Script};

/// The index did not do what the list says.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The place of the operation in the script; its length if it came up at the end.
    pub position: usize,
    /// The question, the expected answer and the one that came; or the message of a panic.
    pub message: String,
}

impl Display for Difference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "operation {}: {}", self.position, self.message)
    }
}

impl std::error::Error for Difference {}

/// The hashes of [`Script::golden`]: the same operations give the same handles and objects in the same order, whether
/// optimized or not, with and without the standard library, with wider vectors and without. A version that stores objects
/// otherwise may have others.
pub const GOLDEN: [u64; 2] = [0x7a2b_67c3_3aff_0063, 0x2a3e_7378_e384_6054];

/// Compares the answers of the golden scripts with those that were written down.
///
/// # Errors
/// The hashes that came, if they are others, or what differs from the list.
pub fn golden() -> Result<(), String> {
    let spaces = 0..SPACES.len().min(GOLDEN.len());
    let answers = spaces.map(|space| run(&Script::golden(space as u8)));
    let came = answers.collect::<Result<Vec<u64>, _>>().map_err(|difference| difference.to_string())?;
    if GOLDEN.starts_with(&came) { Ok(()) } else { Err(format!("{came:#018x?}")) }
}

thread_local! {
    /// Whether panics are expected, and say nothing.
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
    static POSITION: Cell<usize> = const { Cell::new(0) };
}

/// Runs a script. Gives a hash of all answers, which is the same each time; or what differs.
///
/// # Errors
/// A [`Difference`] if the crate panics or says anything else than the list.
pub fn run(script: &Script) -> Result<u64, Difference> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let loud = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IS_QUIET.get() {
                loud(info);
            }
        }));
    });
    IS_QUIET.set(true);
    let outcome = catch_unwind(AssertUnwindSafe(|| run_open(script)));
    IS_QUIET.set(false);
    outcome.map_err(|cause| Difference { position: POSITION.get(), message: message_of(&*cause) })
}

/// Runs a script, and lets panics pass.
pub fn run_open(script: &Script) -> u64 {
    match SPACES[usize::from(script.space) % SPACES.len()] {
        "f32/2" => run_in::<f32, 2>(script),
        #[cfg(not(one_space))]
        "f64/3" => run_in::<f64, 3>(script),
        #[cfg(feature = "all-spaces")]
        "f32/3" => run_in::<f32, 3>(script),
        #[cfg(feature = "all-spaces")]
        "f64/2" => run_in::<f64, 2>(script),
        space => unreachable!("no space {space}"),
    }
}

fn run_in<S: Space, const D: usize>(script: &Script) -> u64 {
    POSITION.set(0);
    let mut stage = Stage::<S, D>::new(script.scene, script.objects.into());
    for (position, op) in script.ops.iter().enumerate() {
        POSITION.set(position);
        stage.take(op);
    }
    POSITION.set(script.ops.len());
    stage.end();
    stage.answers
}

fn message_of(cause: &(dyn Any + Send)) -> String {
    let text = cause.downcast_ref::<String>().map(String::as_str).or_else(|| cause.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_owned()
}
