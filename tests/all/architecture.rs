//! The architecture, read from the sources: imports point down, and some things are nowhere.

mod functions;
mod names;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) use functions::Function;
use functions::public_functions_of;
use names::{Crate, public_names, tokens};

/// The parts in reading order: each may use only those before it.
const PARTS: [&str; 16] = [
    "geometry", "key", "grid", "prefetch", "tree", "layer", "store", "space", "index", "query", "ordered", "pairs",
    "cursor", "watch", "check", "snapshot",
];

/// Parts, and those before them that they take nothing from.
const STRANGERS: [(&str, &[&str]); 8] = [
    ("store", &["geometry", "grid", "tree", "layer"]),
    ("index", &["prefetch"]),
    ("ordered", &["query"]),
    ("pairs", &["query", "ordered"]),
    ("cursor", &["ordered", "pairs"]),
    ("watch", &["tree", "ordered", "cursor"]),
    ("check", &["query", "ordered", "pairs", "cursor", "watch"]),
    ("snapshot", &["key", "grid", "query", "ordered", "pairs", "cursor", "watch"]),
];

/// The place of a part in the reading order: how far down it is. The crate's root is below nothing.
fn rank(part: &str) -> usize {
    let place = PARTS.iter().position(|name| *name == part);
    place.unwrap_or_else(|| panic!("`{part}` is no part of the crate"))
}

/// The SIMD machinery: the file that hides it, the trait there that is public for scalars, and the file of the trait that is
/// public for predicates. Both traits are sealed: their modules are private, and the crate's root does not name them.
const SIMD: &str = "geometry/simd.rs";
const VECTOR: &str = "Vector";
const RELATION: (&str, &str) = ("query/relation.rs", "Relation");

/// A source file, without comments, text in quotes, and what is compiled for tests only.
struct Source {
    path: PathBuf,
    part: String,
    code: String,
}

impl Source {
    /// Its path from the folder of sources on.
    fn name(&self) -> String {
        let inside = self.path.strip_prefix(source_root()).expect("below src");
        inside.components().map(|part| part.as_os_str().to_str().expect("a name")).collect::<Vec<_>>().join("/")
    }

    /// The path of its module; none of a module of tests or within one.
    fn module(&self) -> Option<names::Path> {
        let name = self.name();
        let name = name.trim_end_matches(".rs").trim_end_matches("/mod");
        let path: names::Path = name.split('/').filter(|name| *name != "lib").map(str::to_owned).collect();
        path.iter().all(|module| module != "tests").then_some(path)
    }
}

fn source_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../src")
}

fn sources() -> Vec<Source> {
    let mut paths = Vec::new();
    let mut folders = vec![source_root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                assert_eq!(path.extension().and_then(|end| end.to_str()), Some("rs"), "{}", path.display());
                paths.push(path);
            }
        }
    }
    assert!(paths.len() > PARTS.len(), "the sources were found");
    paths.into_iter().map(read_source).collect()
}

/// The public functions of public types.
pub(crate) fn public_functions() -> Vec<Function> {
    sources().iter().flat_map(|source| public_functions_of(&source.code)).collect()
}

fn read_source(path: PathBuf) -> Source {
    let inside = path.strip_prefix(source_root()).expect("below src");
    let first = Path::new(inside.components().next().expect("a name").as_os_str());
    let part = first.file_stem().and_then(|part| part.to_str()).expect("a name").to_owned();
    let text = fs::read_to_string(&path).expect("a source");
    Source { part, code: without_tests(&without_prose(&text)), path }
}

/// The text without comments and quoted text, lines kept.
fn without_prose(text: &str) -> String {
    let code = |line: &str| {
        let mut kept = String::new();
        let mut in_quotes = false;
        let mut letters = line.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' if in_quotes => drop(letters.next()),
                '"' => in_quotes = !in_quotes,
                '/' if !in_quotes && letters.peek() == Some(&'/') => break,
                _ if in_quotes => {}
                _ => kept.push(letter),
            }
        }
        kept + "\n"
    };
    text.lines().map(code).collect()
}

/// The code without the items that `cfg(test)` marks, each with its braces or up to its semicolon.
fn without_tests(code: &str) -> String {
    let Some(start) = code.find("#[cfg(test)]") else { return code.to_owned() };
    let (before, marked) = code.split_at(start);
    let mut depth = 0;
    let end = marked.char_indices().find_map(|(place, letter)| {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        let ends = depth < 0 || (depth == 0 && matches!(letter, '}' | ';' | ','));
        ends.then_some(if depth < 0 { place } else { place + 1 })
    });
    before.to_owned() + &without_tests(&marked[end.unwrap_or(marked.len())..])
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The first names of the paths that begin with a prefix such as `crate::`, braces opened.
fn names_after<'a>(code: &'a str, prefix: &str) -> Vec<&'a str> {
    let mut names = Vec::new();
    for (start, _) in code.match_indices(prefix) {
        if code[..start].ends_with(is_word) {
            continue;
        }
        let rest = code[start + prefix.len()..].trim_start();
        match rest.strip_prefix('{') {
            Some(group) => names.extend(first_names(group)),
            None => names.push(rest.split(|letter| !is_word(letter)).next().expect("a part")),
        }
    }
    names
}

/// The first names of the paths in braces, up to the brace that closes.
fn first_names(group: &str) -> Vec<&str> {
    let (mut depth, mut begins, mut names) = (0, 0, Vec::new());
    for (place, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' | ',' if depth == 0 => {
                let path = group[begins..place].trim_start();
                names.push(path.split(|letter| !is_word(letter)).next().expect("a part"));
                begins = place + 1;
                if letter == '}' {
                    return names.into_iter().filter(|name| !name.is_empty()).collect();
                }
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    panic!("a brace is not closed: {group}");
}

/// The parts that a file uses: by `crate::…`, and by as many `super::` as lead to the root.
fn parts_used(source: &Source) -> BTreeSet<String> {
    let inside = source.path.strip_prefix(source_root()).expect("below src");
    let is_folder_root = inside.file_name().is_some_and(|name| name == "mod.rs");
    let depth = inside.components().count() - usize::from(is_folder_root);
    let to_root = "super::".repeat(depth);
    let mut used: BTreeSet<_> = names_after(&source.code, "crate::").into_iter().map(str::to_owned).collect();
    // In a module within the file, as many `super::` lead less far, to names that are no parts.
    let by_super = names_after(&source.code, &to_root).into_iter().filter(|name| PARTS.contains(name));
    used.extend(by_super.map(str::to_owned));
    used
}

/// `lib.rs` names the parts in the reading order, and no others.
#[test]
fn modules_are_in_reading_order() {
    let root = fs::read_to_string(source_root().join("lib.rs")).expect("lib.rs");
    let code = without_tests(&without_prose(&root));
    let modules = code.lines().filter_map(|line| line.trim().trim_start_matches("pub ").strip_prefix("mod "));
    let modules: Vec<_> = modules.map(|module| module.trim_end_matches(';').trim()).collect();
    assert_eq!(modules, PARTS);
}

#[test]
fn imports_point_down() {
    let mut edges = 0;
    for source in sources().iter().filter(|source| source.part != "lib") {
        for used in parts_used(source) {
            let points_down = rank(&used) <= rank(&source.part);
            assert!(points_down, "{} uses `{used}`, which comes later", source.path.display());
            edges += usize::from(used != source.part);
        }
    }
    assert!(PARTS.len() <= edges, "imports were found: {edges}");
}

fn read_names(sources: &[Source]) -> Crate {
    Crate::read(sources.iter().filter_map(|source| Some((source.module()?, source.code.as_str()))))
}

/// Of the parts before it, a part does not use all.
#[test]
fn strangers_stay_strangers() {
    for source in sources().iter().filter(|source| source.module().is_some()) {
        let used = parts_used(source);
        for (_, strangers) in STRANGERS.iter().filter(|(part, _)| *part == source.part) {
            let known = strangers.iter().find(|stranger| used.contains(**stranger));
            assert_eq!(known, None, "{} uses it", source.name());
        }
    }
}

/// No file uses one that uses it, be it by way of others.
#[test]
fn files_use_each_other_one_way() {
    let sources = sources();
    let files = read_names(&sources);
    let uses: usize = sources.iter().filter_map(Source::module).map(|module| files.uses(&module).len()).sum();
    assert!(3 * sources.len() < uses, "uses were found: {uses}");
    assert_eq!(files.cycle(), Vec::<names::Path>::new());
}

/// Other crates are named by the files that hide them only.
#[test]
fn other_crates_are_hidden() {
    let hidden = [
        ("slotmap", &["key.rs", "store.rs", "store/saved.rs"][..]),
        ("fearless_simd", &[SIMD]),
        ("safe_arch", &["prefetch.rs"]),
        ("robust", &["geometry/polygon.rs"]),
    ];
    for (name, by) in hidden {
        let naming = sources().into_iter().filter(|source| tokens(&source.code).contains(&name));
        let files: BTreeSet<_> = naming.map(|source| source.name()).collect();
        assert_eq!(files, by.iter().map(|&file| file.to_owned()).collect(), "`{name}`");
    }
}

/// No public item names a vector type.
#[test]
fn public_items_name_no_vectors() {
    let sources = sources();
    let code_of = |name: &str| sources.iter().find(|source| source.name() == name).expect("a file").code.as_str();
    let machinery = machinery(code_of(SIMD));
    assert!(
        ["Simd", "SimdBase", "Level", "Lanes", "Hits"].iter().all(|name| machinery.contains(name)),
        "{machinery:?}"
    );
    for source in sources.iter().filter(|source| ![SIMD, RELATION.0].contains(&source.name().as_str())) {
        let public = public_names(&source.code);
        let named: Vec<_> = public.intersection(&machinery).collect();
        assert!(named.is_empty(), "{} names {named:?}", source.name());
    }
    // The two that do are hidden.
    let files = read_names(&sources);
    let public = files.public();
    for (file, item) in [(SIMD, VECTOR), RELATION] {
        let (folder, module) = file.trim_end_matches(".rs").split_once('/').expect("a folder");
        assert!(public_names(code_of(file)).contains(item) && !public.contains_key(item), "{item}");
        for (name, in_file) in [(folder, "lib.rs".to_owned()), (module, format!("{folder}/mod.rs"))] {
            let code = tokens(code_of(&in_file));
            let declared = code.windows(3).position(|words| words[1..] == ["mod", name]).expect("a module");
            assert_eq!(code[declared], ";", "{name} is private in {in_file}");
        }
    }
}

/// The types and traits that the file of vectors defines, and all that it has from elsewhere, but for the trait that others
/// may see.
fn machinery(code: &str) -> BTreeSet<&str> {
    let tokens = tokens(code);
    let mut names = BTreeSet::new();
    let mut in_use = false;
    for (at, &token) in tokens.iter().enumerate() {
        in_use = token == "use" || in_use && token != ";";
        if in_use || at > 0 && ["trait", "type", "struct"].contains(&tokens[at - 1]) {
            names.insert(token);
        }
    }
    names.retain(|name| ![VECTOR, "Output", "use"].contains(name));
    names
}

/// Parts that are said not to know something do not name it.
#[test]
fn parts_are_ignorant() {
    let ignorance = [
        ("geometry", &["crate::"][..]),
        ("key", &["crate::"]),
        ("grid", &["Node", "Bucket", "Handle"]),
        ("prefetch", &["crate::"]),
        ("tree", &["T", "Places", "Values", "SpatialIndex"]),
        ("layer", &["Handle", "Place", "Bucket", "Node"]),
        ("store", &["Rect", "Scalar"]),
        ("space", &["T", "Values", "SpatialIndex"]),
        ("index", &["Query", "Nearest", "Raycast", "Pairs", "Predicate", "query"]),
        ("query", &["Slot", "Head"]),
        ("cursor", &["Slot", "Head"]),
    ];
    for source in sources() {
        for (_, names) in ignorance.iter().filter(|(part, _)| *part == source.part) {
            for name in *names {
                let named = source.code.match_indices(name).find(|(start, _)| {
                    let before = source.code[..*start].ends_with(is_word);
                    let after = name.ends_with(is_word) && source.code[start + name.len()..].starts_with(is_word);
                    !before && !after
                });
                assert!(named.is_none(), "{} names `{name}`", source.path.display());
            }
        }
    }
}

/// There is one traversal: no other file keeps a walk's state or climbs to parents to visit.
#[test]
fn there_is_one_walk() {
    let walks = sources().into_iter().filter(|source| source.code.contains("struct Walk"));
    let walks: Vec<_> = walks.map(|source| source.path).collect();
    assert_eq!(walks.len(), 1, "{walks:?}");
}

/// No `unsafe`, and the compiler is told so.
#[test]
fn nothing_is_unsafe() {
    let root = fs::read_to_string(source_root().join("lib.rs")).expect("lib.rs");
    assert!(root.contains("#![forbid(unsafe_code)]"));
    for source in sources() {
        let code = source.code.replace("unsafe_code", "");
        assert!(!code.contains("unsafe"), "{}", source.path.display());
    }
}

/// The number of lines without the examples of the manual.
fn length(text: &str) -> usize {
    let mut in_example = false;
    let counts = |line: &&str| {
        let is_fence = line.trim_start().starts_with("/// ```");
        in_example ^= is_fence;
        !in_example && !is_fence
    };
    text.lines().filter(counts).count()
}

/// No file is a collection of leftovers, and none is too long to read.
#[test]
fn files_have_subjects_and_ends() {
    for source in sources() {
        let name = source.path.file_stem().and_then(|name| name.to_str()).expect("a name");
        let bins = ["utils", "util", "common", "types", "helpers", "core", "prelude", "misc"];
        assert!(!bins.contains(&name), "{}", source.path.display());
        let text = fs::read_to_string(&source.path).expect("a source");
        assert!(text.starts_with("//! "), "{} does not say what it is", source.path.display());
        assert!(length(&text) < 420, "{} is too long", source.path.display());
    }
}

/// The reader of sources, on samples: it would be of no use if it saw nothing.
#[test]
fn paths_are_found() {
    let code = "use crate::{a::B, c::{D, E}, f};\nuse super::super::g::H;\nlet x = crate::i::J;\n";
    assert_eq!(names_after(code, "crate::"), ["a", "c", "f", "i"]);
    assert_eq!(names_after(code, "super::super::"), ["g"]);
    assert_eq!(without_prose("a // b\n\"c\" d\n"), "a \n d\n");
    assert_eq!(length("/// a\n/// ```\n/// b\n/// ```\n/// c\nd\n"), 3);
    assert_eq!(without_tests("a #[cfg(test)] mod b { c; { d } } e"), "a  e");
    assert_eq!(without_tests("a #[cfg(test)] use b::c; d #[cfg(test)] e: 0, f"), "a  d  f");
}
