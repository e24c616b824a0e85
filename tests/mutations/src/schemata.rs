//! Puts all mutations of a file into it, each behind a question that is answered at run time.

use std::ops::Range;

/// A place in a source with its mutation.
#[derive(Clone, Debug)]
pub(crate) struct Mutant<'a> {
    /// The part that is replaced. An empty range stands behind a pattern, which matches nothing then.
    pub(crate) range: Range<usize>,
    /// The number of the mutation.
    pub(crate) number: usize,
    pub(crate) replacement: &'a str,
}

/// A source with mutations in it.
#[derive(Debug, Default)]
pub(crate) struct Composed {
    pub(crate) text: String,
    /// Where in there the replacement of each number is.
    pub(crate) replacements: Vec<(Range<usize>, usize)>,
    /// The first number at the place where each number is: the place asks by that.
    pub(crate) places: Vec<(usize, usize)>,
}

impl Composed {
    /// Says where the part is that it appends.
    fn push(&mut self, part: &str) -> Range<usize> {
        let start = self.text.len();
        self.text.push_str(part);
        start..self.text.len()
    }
}

/// The source with all mutations in it, line by line where it was. Mutations may enclose each other, not overlap.
pub(crate) fn compose(text: &str, mut mutants: Vec<Mutant<'_>>) -> Result<Composed, String> {
    mutants.sort_by_key(|mutant| (mutant.range.start, usize::MAX - mutant.range.end, mutant.number));
    let mut composed = Composed::default();
    compose_part(text, 0..text.len(), &mutants, &mut composed)?;
    Ok(composed)
}

fn compose_part(
    text: &str,
    part: Range<usize>,
    mut mutants: &[Mutant<'_>],
    composed: &mut Composed,
) -> Result<(), String> {
    let mut at = part.start;
    while let Some(Mutant { range, .. }) = mutants.first() {
        let (here, rest) = mutants.split_at(mutants.partition_point(|mutant| mutant.range == *range));
        let (inner, rest) = rest.split_at(rest.partition_point(|mutant| mutant.range.start < range.end));
        if inner.iter().any(|mutant| range.end < mutant.range.end) {
            return Err(format!("overlapping texts: {}", &text[range.clone()]));
        }
        composed.push(&text[at..range.start]);
        choose(text, here, inner, composed)?;
        (at, mutants) = (range.end, rest);
    }
    composed.push(&text[at..part.end]);
    Ok(())
}

/// The mutations of one text, or else the text. It comes first, so that the compiler takes its type from there.
fn choose(text: &str, here: &[Mutant<'_>], inner: &[Mutant<'_>], composed: &mut Composed) -> Result<(), String> {
    let (place, range) = (here[0].number, here[0].range.clone());
    composed.places.extend(here.iter().map(|mutant| (mutant.number, place)));
    if range.is_empty() {
        let guard = composed.push(&format!(" if crate::mutant::at({place}) != {place}"));
        composed.replacements.push((guard, place));
        return Ok(());
    }
    // Parentheses would make an expression of a statement.
    let is_statement = text[range.clone()].ends_with([';', '}']);
    let [open, close] = if is_statement { ["", " }"] } else { ["(", " })"] };
    let others = others(here.iter().map(|mutant| mutant.number));
    composed.push(&format!("{open}match crate::mutant::at({place}) {{ {others} => {{ "));
    compose_part(text, range, inner, composed)?;
    composed.push(" }");
    for Mutant { number, replacement, .. } in here {
        composed.push(&format!(" {number} => {{ "));
        let replacement = composed.push(&replacement.replace('\n', " "));
        composed.replacements.push((replacement, *number));
        composed.push(" }");
    }
    composed.push(close);
    Ok(())
}

/// A pattern of all numbers but these, which rise.
fn others(numbers: impl Iterator<Item = usize>) -> String {
    let (mut parts, mut next) = (Vec::new(), 0);
    for number in numbers {
        if next < number {
            parts.push(format!("{next}..{number}"));
        }
        next = number + 1;
    }
    parts.push(format!("{next}.."));
    parts.join(" | ")
}

/// The module that answers, to be put at the end of the crate's root.
pub(crate) fn selector<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let ids: Vec<_> = ids.collect();
    format!("\npub(crate) mod mutant {{\n    const IDS: [&str; {}] = {ids:?};\n{SELECTOR}}}\n", ids.len())
}

const SELECTOR: &str = r#"
    use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::io::Write;

    const UNREAD: usize = usize::MAX;
    /// No mutation: which places are reached goes into a file.
    const NOTING: usize = usize::MAX - 1;
    static CHOSEN: AtomicUsize = AtomicUsize::new(UNREAD);
    static NOTE: std::sync::OnceLock<std::fs::File> = std::sync::OnceLock::new();
    static REACHED: [AtomicBool; IDS.len()] = [const { AtomicBool::new(false) }; IDS.len()];

    /// The number of the mutation that is chosen. Small, as it is inlined everywhere.
    #[inline]
    pub(crate) fn at(place: usize) -> usize {
        let chosen = CHOSEN.load(Ordering::Relaxed);
        if chosen < NOTING { chosen } else { look(place) }
    }

    #[cold]
    fn look(place: usize) -> usize {
        if CHOSEN.load(Ordering::Relaxed) == UNREAD {
            let named = |id: &str| IDS.iter().position(|known| *known == id).expect("a mutation");
            let without = if std::env::var_os("MUTATION_REACHED").is_some() { NOTING } else { IDS.len() };
            CHOSEN.store(std::env::var("MUTATION").map_or(without, |id| named(&id)), Ordering::Relaxed);
        }
        let chosen = CHOSEN.load(Ordering::Relaxed);
        if chosen == NOTING && !REACHED[place].load(Ordering::Relaxed) {
            REACHED[place].store(true, Ordering::Relaxed);
            let path = || std::env::var_os("MUTATION_REACHED").expect("a file");
            let open = || std::fs::File::options().append(true).create(true).open(path()).expect("a file");
            // Opened once, as tests may count what is allocated.
            writeln!(NOTE.get_or_init(open), "{place}").expect("written");
        }
        chosen
    }
"#;
