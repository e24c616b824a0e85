//! The sources of the crate, to be searched function by function.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, ImplItemFn, Item, ItemFn, Signature, TraitItemFn};

/// A text without white space and comments, and where each of its bytes was.
struct Source {
    code: String,
    offsets: Vec<usize>,
}

/// A function.
struct Function {
    /// Its name behind those of its modules.
    path: String,
    file: String,
    range: Range<usize>,
}

/// All of them.
pub(crate) struct Sources {
    sources: BTreeMap<String, Source>,
    functions: Vec<Function>,
}

/// A text between two others.
#[derive(Debug, Default)]
pub(crate) struct Pattern {
    pub(crate) before: String,
    pub(crate) text: String,
    pub(crate) after: String,
}

impl Sources {
    pub(crate) fn new(texts: &BTreeMap<String, String>) -> Result<Self, syn::Error> {
        let mut found = Functions { file: "", functions: Vec::new() };
        for (file, text) in texts {
            found.file = file;
            found.visit_file(&syn::parse_file(text)?);
        }
        let sources = texts.iter().map(|(file, text)| (file.clone(), Source::new(text))).collect();
        Ok(Self { sources, functions: found.functions })
    }

    /// The file and the place of the text of a pattern, which must be in the functions of a name, or in a file, exactly once.
    pub(crate) fn place(&self, name: &str, pattern: &Pattern) -> Result<(String, Range<usize>), String> {
        let scopes: Vec<(&str, Range<usize>)> = if self.sources.contains_key(name) {
            vec![(name, 0..usize::MAX)]
        } else {
            let end = format!("::{name}");
            let are_named = self.functions.iter().filter(|function| function.path.ends_with(&end));
            are_named.map(|function| (function.file.as_str(), function.range.clone())).collect()
        };
        let found = |(file, within): &(&str, Range<usize>)| {
            let places = self.sources[*file].places(pattern).into_iter();
            let inside = places.filter(|place| within.start <= place.start && place.end <= within.end);
            inside.map(|place| ((*file).to_owned(), place.start, place.end)).collect::<Vec<_>>()
        };
        let places: BTreeSet<_> = scopes.iter().flat_map(found).collect();
        match (scopes.len(), places.first(), places.len()) {
            (0, ..) => Err(format!("there is no function {name}")),
            (_, Some((file, start, end)), 1) => Ok((file.clone(), *start..*end)),
            (.., count) => Err(format!("{name} has {count} times: {}", pattern.text)),
        }
    }
}

impl Source {
    fn new(text: &str) -> Self {
        let (mut code, mut offsets) = (String::new(), Vec::new());
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let end = line.find("//").unwrap_or(line.len());
            for (offset, letter) in line[..end].char_indices().filter(|(_, letter)| !letter.is_whitespace()) {
                code.push(letter);
                offsets.resize(code.len(), start + offset);
            }
            start += line.len();
        }
        Self { code, offsets }
    }

    fn places(&self, Pattern { before, text, after }: &Pattern) -> Vec<Range<usize>> {
        let [before, text, after] = [before, text, after].map(|part| Self::new(part).code);
        let place = |start: usize| {
            let begin = end_of(&self.code, start, &before)?;
            let end = end_of(&self.code, begin, &text)?;
            end_of(&self.code, end, &after)?;
            Some(self.offsets[begin]..self.offsets[end - 1] + 1)
        };
        (0..self.code.len()).filter_map(place).collect()
    }
}

/// Where a pattern ends that begins at a place: `…` stands for as little as has all its brackets.
fn end_of(code: &str, start: usize, pattern: &str) -> Option<usize> {
    let (first, rest) = pattern.split_once('…').map_or((pattern, None), |(first, rest)| (first, Some(rest)));
    let left = code.get(start..)?.strip_prefix(first)?;
    let start = start + first.len();
    let Some(rest) = rest else { return Some(start) };
    let mut depth = 0_u32;
    for (offset, letter) in left.char_indices() {
        if depth == 0
            && let Some(end) = end_of(code, start + offset, rest)
        {
            return Some(end);
        }
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// Collects functions.
struct Functions<'a> {
    file: &'a str,
    functions: Vec<Function>,
}

impl Functions<'_> {
    fn add(&mut self, signature: &Signature, body: &Block) {
        let modules = self.file.trim_end_matches(".rs").trim_end_matches("/mod").replace('/', "::");
        let path = format!("{modules}::{}", signature.ident);
        let range = signature.span().byte_range().start..body.span().byte_range().end;
        self.functions.push(Function { path, file: self.file.to_owned(), range });
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let is_test = |module: &syn::ItemMod| module.ident == "tests";
        if !matches!(item, Item::Mod(module) if is_test(module)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast TraitItemFn) {
        if let Some(body) = &function.default {
            self.add(&function.sig, body);
        }
        visit::visit_trait_item_fn(self, function);
    }
}
