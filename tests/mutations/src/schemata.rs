//! Puts all mutations of a file into it, each behind a question that is answered at run time.

use std::ops::Range;

/// A place in a source with its mutation.
pub(crate) struct Mutant<'a> {
    pub(crate) range: Range<usize>,
    /// The number of the row.
    pub(crate) number: usize,
    pub(crate) replacement: &'a str,
}

/// The source with all mutations in it, line by line where it was. Mutations may enclose each other, not overlap.
pub(crate) fn compose(text: &str, mut mutants: Vec<Mutant<'_>>) -> Result<String, String> {
    mutants.sort_by_key(|mutant| (mutant.range.start, usize::MAX - mutant.range.end));
    compose_part(text, 0..text.len(), &mutants)
}

fn compose_part(text: &str, part: Range<usize>, mut mutants: &[Mutant<'_>]) -> Result<String, String> {
    let (mut composed, mut at) = (String::new(), part.start);
    while let Some(Mutant { range, .. }) = mutants.first() {
        let (here, rest) = mutants.split_at(mutants.partition_point(|mutant| mutant.range == *range));
        let (inner, rest) = rest.split_at(rest.partition_point(|mutant| mutant.range.start < range.end));
        if inner.iter().any(|mutant| range.end < mutant.range.end) {
            return Err(format!("overlapping texts: {}", &text[range.clone()]));
        }
        composed.push_str(&text[at..range.start]);
        composed.push_str(&choice(here, &compose_part(text, range.clone(), inner)?));
        (at, mutants) = (range.end, rest);
    }
    composed.push_str(&text[at..part.end]);
    Ok(composed)
}

/// The mutations of one text, or else the text. Parentheses would make an expression of a statement.
fn choice(mutants: &[Mutant<'_>], original: &str) -> String {
    let one = |mutant: &Mutant<'_>| {
        let replacement = mutant.replacement.replace('\n', " ");
        format!("if crate::mutant::is({}) {{ {replacement} }} else ", mutant.number)
    };
    let chosen = mutants.iter().map(one).collect::<String>() + &format!("{{ {original} }}");
    if original.ends_with([';', '}']) { chosen } else { format!("({chosen})") }
}

/// The module that answers, to be put at the end of the crate's root.
pub(crate) fn selector<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let ids: Vec<_> = ids.collect();
    format!(
        r#"
pub(crate) mod mutant {{
    static IDS: [&str; {}] = {ids:?};

    use core::sync::atomic::{{AtomicUsize, Ordering}};

    const UNREAD: usize = usize::MAX;
    static CHOSEN: AtomicUsize = AtomicUsize::new(UNREAD);

    // Small, as it is inlined everywhere.
    #[inline]
    pub(crate) fn is(number: usize) -> bool {{
        let chosen = CHOSEN.load(Ordering::Relaxed);
        if chosen == UNREAD {{ choose() == number }} else {{ chosen == number }}
    }}

    #[cold]
    fn choose() -> usize {{
        let chosen = std::env::var("MUTATION").map_or(IDS.len(), |id| {{
            IDS.iter().position(|known| *known == id).expect("a mutation of the table")
        }});
        CHOSEN.store(chosen, Ordering::Relaxed);
        chosen
    }}
}}
"#,
        ids.len()
    )
}
