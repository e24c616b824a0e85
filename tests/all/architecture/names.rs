//! Names in sources: which paths a file names, and which file defines what they lead to.

use std::collections::{BTreeMap, BTreeSet};

/// The words and signs of code without comments and quotes; `::` is one sign.
pub(super) fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let len = if super::is_word(first) {
            rest.find(|letter| !super::is_word(letter)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(len);
        tokens.push(token);
        rest = after.trim_start();
    }
    tokens
}

fn is_name(token: &str) -> bool {
    token.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}

pub(super) type Path = Vec<String>;

/// The names that a module has from elsewhere, and the paths that its code names besides.
#[derive(Debug, Default, PartialEq)]
struct Module {
    /// By the name that they have here: the path, and whether it is a re-export.
    used: BTreeMap<String, (Path, bool)>,
    /// Paths in the code, and single words, which may be names from elsewhere.
    named: BTreeSet<Path>,
}

/// Reads a file.
fn read(code: &str) -> Module {
    let tokens = tokens(code);
    let mut module = Module::default();
    let mut at = 0;
    while at < tokens.len() {
        let begins = |next: &&str| is_name(next) || *next == "{";
        if tokens[at] == "use" && tokens.get(at + 1).is_some_and(begins) {
            let is_reexport = at > 0 && ["pub", ")"].contains(&tokens[at - 1]);
            at += 1;
            for (path, name) in tree(&tokens, &mut at) {
                module.used.insert(name, (path, is_reexport));
            }
        } else if is_name(tokens[at]) && (at == 0 || !["::", ".", "mod"].contains(&tokens[at - 1])) {
            let mut path = vec![tokens[at].to_owned()];
            while tokens.get(at + 1) == Some(&"::") && tokens.get(at + 2).is_some_and(|next| is_name(next)) {
                path.push(tokens[at + 2].to_owned());
                at += 2;
            }
            module.named.insert(path);
        }
        at += 1;
    }
    module
}

/// The paths of a `use`, each with the name that it has from there on.
fn tree(tokens: &[&str], at: &mut usize) -> Vec<(Path, String)> {
    let mut path = Path::new();
    loop {
        match tokens[*at] {
            "{" => {
                let mut leaves = Vec::new();
                while tokens[*at] != "}" {
                    *at += 1;
                    if tokens[*at] != "}" {
                        leaves.extend(tree(tokens, at));
                    }
                }
                *at += 1;
                let whole = |(leaf, name): (Path, String)| match &*name {
                    "self" => (path.clone(), path.last().expect("a name").clone()),
                    _ => ([&path[..], &leaf].concat(), name),
                };
                return leaves.into_iter().map(whole).collect();
            }
            "::" => *at += 1,
            "as" => {
                let name = tokens[*at + 1].to_owned();
                *at += 2;
                return vec![(path, name)];
            }
            "*" => panic!("a `use` of everything hides what is used: {path:?}"),
            name if is_name(name) => {
                path.push(name.to_owned());
                *at += 1;
            }
            _ => break,
        }
    }
    let name = path.last().expect("a name").clone();
    vec![(path, name)]
}

/// All files, by the paths of their modules.
pub(super) struct Crate {
    modules: BTreeMap<Path, Module>,
}

impl Crate {
    /// Of code, by the path of its module.
    pub(super) fn read<'a>(files: impl IntoIterator<Item = (Path, &'a str)>) -> Self {
        Self { modules: files.into_iter().map(|(module, code)| (module, read(code))).collect() }
    }

    /// The module that defines what a path leads to that is named in a module; `None` outside the crate.
    fn definition(&self, named_in: &[String], path: &[String]) -> Option<Path> {
        let (first, rest) = path.split_first()?;
        let from = match first.as_str() {
            "crate" => Path::new(),
            "self" => named_in.to_vec(),
            "super" => named_in[..named_in.len().checked_sub(1)?].to_vec(),
            _ => return self.member(named_in, first, rest),
        };
        self.inside(from, rest)
    }

    /// The file that the rest of a path leads to, from a module on.
    fn inside(&self, module: Path, rest: &[String]) -> Option<Path> {
        match rest.split_first() {
            None => Some(module),
            Some((first, rest)) if first == "super" => {
                self.inside(module[..module.len().checked_sub(1)?].to_vec(), rest)
            }
            // A name that is not from elsewhere is defined right here.
            Some((first, rest)) => self.member(&module, first, rest).or(Some(module)),
        }
    }

    /// The target of a name that is a module's child, or that the module has from elsewhere.
    fn member(&self, module: &[String], name: &str, rest: &[String]) -> Option<Path> {
        let child = [module, &[name.to_owned()]].concat();
        if self.modules.contains_key(&child) {
            return self.inside(child, rest);
        }
        let (path, _) = self.modules.get(module)?.used.get(name)?;
        // A macro is made public by a `use` of itself.
        if path.len() == 1 {
            return None;
        }
        self.definition(module, &[path, rest].concat())
    }

    /// The modules whose definitions a module uses; what it only hands on is not used.
    pub(super) fn uses(&self, of: &[String]) -> BTreeSet<Path> {
        let module = &self.modules[of];
        let words: BTreeSet<_> = module.named.iter().map(|path| &path[0]).collect();
        let imported = module.used.iter().filter(|(name, (_, is_reexport))| !is_reexport || words.contains(name));
        let paths = imported.map(|(_, (path, _))| path).chain(module.named.iter().filter(|path| path.len() > 1));
        paths.filter_map(|path| self.definition(of, path)).filter(|used| used != of).collect()
    }

    /// The modules that define what the crate's root makes public.
    pub(super) fn public(&self) -> BTreeMap<&str, Path> {
        let used = self.modules[&Path::new()].used.iter().filter(|(_, (_, is_reexport))| *is_reexport);
        used.map(|(name, (path, _))| (name.as_str(), self.definition(&[], path).expect("a module"))).collect()
    }

    /// Modules of which each uses the next, and the last one the first; empty if there are none.
    pub(super) fn cycle(&self) -> Vec<Path> {
        let mut done = BTreeSet::new();
        let mut way = Vec::new();
        self.modules.keys().find(|module| self.leads_back(module, &mut way, &mut done)).map_or(Vec::new(), |_| way)
    }

    fn leads_back(&self, module: &Path, way: &mut Vec<Path>, done: &mut BTreeSet<Path>) -> bool {
        if let Some(begins) = way.iter().position(|before| before == module) {
            way.drain(..begins);
            return true;
        }
        if done.contains(module) {
            return false;
        }
        way.push(module.clone());
        if self.uses(module).iter().any(|used| self.leads_back(used, way, done)) {
            return true;
        }
        way.pop();
        done.insert(module.clone());
        false
    }
}

/// The names in what is `pub`: signatures, public fields, traits and enumerations as wholes.
pub(super) fn public_names(code: &str) -> BTreeSet<&str> {
    let tokens = tokens(code);
    let mut names = BTreeSet::new();
    for (at, _) in tokens.iter().enumerate().filter(|(at, token)| **token == "pub" && tokens.get(at + 1) != Some(&"("))
    {
        let item = &tokens[at + 1..];
        let is_whole = ["trait", "enum"].contains(&item[0]);
        let (mut depth, mut angles) = (0, 0);
        for (place, &token) in item.iter().enumerate() {
            match token {
                "{" if depth == 0 && !is_whole => break,
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                "<" => angles += 1,
                ">" if !["-", "="].contains(&item[place - 1]) => angles -= 1,
                ";" if depth == 0 => break,
                "," if depth == 0 && angles == 0 => break,
                _ => {}
            }
            if is_name(token) {
                names.insert(token);
            }
            if depth < 0 || (depth == 0 && token == "}") {
                break;
            }
        }
    }
    names
}

/// The reader, on samples: it would be of no use if it saw nothing.
#[test]
fn names_lead_to_files() {
    let path = |path: &str| path.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect::<Path>();
    let files = [
        ("", "mod a; mod b; pub use a::A; pub use b::{B as C};"),
        (
            "a",
            "pub(crate) mod deep; mod other; pub use deep::A; pub(crate) use other::D; use crate::b; fn a() { b::E }",
        ),
        ("a::deep", "use super::D; use core::{fmt, mem::{self}}; pub struct A;"),
        ("a::other", "pub struct D { x: fmt::Debug }"),
        ("b", "use crate::a::{A, deep::{X, Y}}; macro_rules! m {} pub(crate) use m; struct B; struct E;"),
    ];
    let read = |files: &[(&str, &'static str)]| Crate::read(files.iter().map(|&(module, code)| (path(module), code)));
    let sound = read(&files[..4]);
    let uses = |of: &Crate, module: &str| of.uses(&path(module)).into_iter().collect::<Vec<_>>();
    assert_eq!(uses(&sound, "a::deep"), [path("a::other")]);
    assert_eq!(sound.cycle(), Vec::<Path>::new());
    let cyclic = read(&files[1..]);
    assert_eq!(uses(&cyclic, "b"), [path("a::deep")]);
    assert_eq!(uses(&cyclic, "a"), [path("b")]);
    let cyclic = read(&[files[0], files[1], files[2], files[3], ("b", "use crate::a::b_of_a;")]);
    assert_eq!(cyclic.cycle(), [path("a"), path("b")]);
    assert_eq!(cyclic.public().into_iter().collect::<Vec<_>>(), [("A", path("a::deep")), ("C", path("b"))]);
}

#[test]
fn names_in_public_parts_are_found() {
    let code = "pub struct A<T: B> { pub c: D<E, F>, g: H } pub(crate) fn i(j: J) {} pub fn k(l: [L; 2]) -> M where N: O { P }";
    let names = ["A", "B", "D", "E", "F", "L", "M", "N", "O", "T", "c", "fn", "k", "l", "struct", "where"];
    assert_eq!(public_names(code).into_iter().collect::<Vec<_>>(), names);
    let code = "pub trait A: B { type C; fn d() -> E { F } } struct G; impl A { pub const H: I = J; fn k() {} }";
    let names = ["A", "B", "C", "E", "F", "H", "I", "J", "const", "d", "fn", "trait", "type"];
    assert_eq!(public_names(code).into_iter().collect::<Vec<_>>(), names);
}
