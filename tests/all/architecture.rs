//! The architecture, read from the sources line by line: imports point down, and files of a part use each other one way.

mod functions;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) use functions::Function;
use functions::public_functions_of;

/// A source file, without comments, text in quotes, and what is compiled for tests only.
struct Source {
    path: PathBuf,
    /// The path of its module: empty for the crate's root.
    module: Vec<String>,
    code: String,
}

fn source_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../src")
}

fn sources() -> Vec<Source> {
    sources_in(&source_root())
}

fn sources_in(root: &Path) -> Vec<Source> {
    let (mut sources, mut folders) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { sources.push(read(root, path)) }
        }
    }
    sources
}

fn read(root: &Path, path: PathBuf) -> Source {
    let inside = path.strip_prefix(root).expect("below the root").with_extension("");
    let names = inside.iter().map(|name| name.to_str().expect("a name").to_owned());
    let module = names.filter(|name| !["mod", "lib", "main"].contains(&name.as_str())).collect();
    Source { module, code: without_tests(&without_prose(&fs::read_to_string(&path).expect("a source"))), path }
}

fn root() -> Source {
    read(&source_root(), source_root().join("lib.rs"))
}

/// The parts in reading order: each may use only those before it.
fn parts() -> Vec<String> {
    let root = root();
    let modules = root.code.lines().filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod "));
    modules.map(|module| module.trim_end_matches(';').to_owned()).collect()
}

/// The public functions of public types.
pub(crate) fn public_functions() -> Vec<Function> {
    sources().iter().flat_map(|source| public_functions_of(&source.code)).collect()
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
        if code[..start].ends_with(|letter| is_word(letter) || letter == ':') {
            continue;
        }
        let rest = code[start + prefix.len()..].trim_start();
        match rest.strip_prefix('{') {
            Some(group) => names.extend(first_names(group)),
            None => names.push(rest.split(|letter| !is_word(letter)).next().expect("a name")),
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

/// The names that a file has from the module at a path above it: by `crate::…`, and by as many `super::` as lead there.
fn names_from<'a>(source: &'a Source, above: &[String]) -> Vec<&'a str> {
    let whole = ["crate"].into_iter().chain(above.iter().map(String::as_str)).collect::<Vec<_>>().join("::") + "::";
    let by_super = "super::".repeat(source.module.len() - above.len());
    let mut names = names_after(&source.code, &whole);
    if !by_super.is_empty() {
        names.extend(names_after(&source.code, &by_super));
    }
    names
}

/// Also those in tests.
#[test]
fn imports_point_down() {
    let parts = parts();
    let rank = |part: &str| parts.iter().position(|name| name == part);
    let mut edges = 0;
    for source in sources().iter().filter(|source| !source.module.is_empty()) {
        let own = rank(&source.module[0]).unwrap_or_else(|| panic!("{} is of no part", source.path.display()));
        for used in names_from(source, &[]) {
            // In a module within the file, as many `super::` lead less far, to names that are no parts.
            let Some(place) = rank(used) else { continue };
            assert!(place <= own, "{} uses `{used}`, which comes later", source.path.display());
            edges += usize::from(place < own);
        }
    }
    assert!(parts.len() < edges, "imports were found: {edges}");
}

/// The parts that stand above the doors, as packages could.
const TOP_FLOOR: [&str; 3] = ["shapes", "globe", "markers"];

/// They use only what the crate's root exports, and what a package would have of its own: short forms of implementations, the
/// choice of vectors, and the data form of numbers.
#[test]
fn the_top_floor_uses_public_doors() {
    let root = root();
    let exports = root.code.match_indices("pub use ").map(|(start, _)| &root.code[start..]);
    let exports = exports.map(|code| code[..code.find(';').expect("the end")].trim_end_matches('}'));
    let exports: BTreeSet<_> = exports
        .flat_map(|code| code.rsplit("::").next().expect("a name").trim_start_matches('{').split(','))
        .map(str::trim)
        .collect();
    let own = ["as_it_is", "impl_region", "save_as", "LANES", "level", "with_vectors", "Array", "Readable"];
    assert!(exports.is_superset(&["Rect", "Polygon", "Metric"].into()), "{exports:?}");
    let mut uses = 0;
    for source in
        sources().iter().filter(|source| source.module.iter().take(1).any(|part| TOP_FLOOR.contains(&&**part)))
    {
        for name in names_from(source, &[]).into_iter().filter(|&name| name != "geometry") {
            // In a module within the file, as many `super::` lead less far.
            assert!(
                exports.contains(name) || !parts().iter().any(|part| part == name),
                "{}: {name}",
                source.path.display()
            );
            uses += usize::from(exports.contains(name));
        }
        for name in names_after(&source.code, "crate::geometry::") {
            assert!(own.contains(&name), "{}: {name}", source.path.display());
        }
    }
    assert!(20 < uses, "{uses} uses were found");
}

/// In each folder, no file or folder uses one that uses it, be it by way of others; in the packages too.
#[test]
fn files_use_each_other_one_way() {
    let packages = ["bevy/src", "datafusion/src", "python/src", "timely/sky/src", "timely/src", "web/rust"];
    let packages = packages.map(|package| format!("crates/quadrille-{package}"));
    for name in packages.iter().map(String::as_str).chain(["benches/peers/src", "src"]) {
        let mut sources = sources_in(&source_root().join("..").join(name));
        sources.retain(|source| source.module.iter().all(|name| name != "tests" && name != "bin"));
        let (mut folders, mut edges) = (0, 0);
        for root in &sources {
            let inside: Vec<_> = sources.iter().filter(|source| source.module.starts_with(&root.module)).collect();
            let mut graph = uses_in(&root.module, root, &inside);
            folders += usize::from(1 < graph.len());
            edges += graph.values().map(BTreeSet::len).sum::<usize>();
            // A part that uses nothing that is left goes, until nothing is left.
            while let Some(done) = graph.iter().find(|(_, used)| used.is_empty()).map(|(name, _)| name.clone()) {
                graph.remove(&done);
                for used in graph.values_mut() {
                    used.remove(&done);
                }
            }
            assert!(graph.is_empty(), "{} has a circle among these: {graph:?}", root.path.display());
        }
        // A package has few files, of which some use no other.
        let [least, alone] = if name == "src" { [5, 0] } else { [1, 5] };
        assert!(least <= folders && sources.len() < edges + alone, "{name}: {edges} uses in {folders} folders");
    }
}

/// Which files and folders of a folder use which; its own file has no name. Other than through that file's re-exports, a file is
/// seen by its name only.
fn uses_in(folder: &[String], root: &Source, inside: &[&Source]) -> BTreeMap<String, BTreeSet<String>> {
    let child = |source: &Source| source.module.get(folder.len()).cloned().unwrap_or_default();
    let mut graph: BTreeMap<String, BTreeSet<String>> =
        inside.iter().map(|source| (child(source), BTreeSet::new())).collect();
    let children: Vec<String> = graph.keys().filter(|name| !name.is_empty()).cloned().collect();
    let mut reexported = BTreeMap::new();
    for name in &children {
        for (start, prefix) in root.code.match_indices(&format!("use {name}::")) {
            let is_own = root.code[..start].is_empty() || root.code[..start].ends_with('\n');
            if is_own && !folder.is_empty() {
                graph.get_mut("").expect("its own file").insert(name.clone());
            }
            let line = &root.code[start..start + root.code[start..].find(';').expect("the end of a use")];
            let item = line.len() - line[prefix.len()..].len();
            let items = if line[item..].starts_with('{') {
                first_names(&root.code[start + item + 1..])
            } else {
                vec![line[item..].split(|letter| !is_word(letter)).next().expect("a name")]
            };
            reexported.extend(items.into_iter().map(|item| (item, name.clone())));
        }
    }
    for source in inside.iter().filter(|source| folder.len() < source.module.len()) {
        for name in names_from(source, folder) {
            let used = match reexported.get(name) {
                Some(by) => by.clone(),
                None if children.iter().any(|child| child == name) => name.to_owned(),
                // The file itself defines it; in the crate's root, nothing is asked for by another part.
                None if name == "super" || name == "self" || folder.is_empty() => continue,
                None => String::new(),
            };
            if used != child(source) {
                graph.get_mut(&child(source)).expect("a file").insert(used);
            }
        }
    }
    graph
}

/// Other crates are named by the files that hide them only, and so in no public item.
#[test]
fn other_crates_are_hidden() {
    let hidden = [
        ("slotmap::", &["key"][..]),
        ("fearless_simd::", &["geometry::simd"]),
        ("safe_arch::", &["prefetch"]),
        ("robust::", &["shapes::edge"]),
    ];
    for (name, by) in hidden {
        let naming = sources().into_iter().filter(|source| source.code.contains(name));
        let modules: BTreeSet<_> = naming.map(|source| source.module.join("::")).collect();
        assert_eq!(modules, by.iter().map(|&module| module.to_owned()).collect(), "`{name}`");
    }
}

/// The files that need `unsafe`: the exports of a module (`SECURITY.md` says why), an entry point, and allocators of tests, whose
/// trait is unsafe.
const UNSAFE: [&str; 12] = [
    "benches/peers/src/memory.rs",
    "crates/quadrille-c/src/error.rs",
    "crates/quadrille-c/src/gate.rs",
    "crates/quadrille-c/src/objects.rs",
    "crates/quadrille-c/src/stamp.rs",
    "crates/quadrille-godot/src/lib.rs",
    "crates/quadrille-web/rust/export.rs",
    "crates/quadrille-web/rust/lib.rs",
    "crates/quadrille-web/rust/torus.rs",
    "tests/all/allocation.rs",
    "tests/no_std/src/lib.rs",
    "tests/snapshots/main.rs",
];

/// The compiler refuses it in every file of the library, and no other crate has it but where it must.
#[test]
fn nothing_is_unsafe() {
    assert!(root().code.contains("#![forbid(unsafe_code)]"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut found, mut folders) = (BTreeSet::new(), vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy();
            if path.is_dir() && !name.starts_with('.') && name != "target" && name != "node_modules" {
                folders.push(path);
            } else if name.ends_with(".rs") && !path.is_dir() {
                let code = without_prose(&fs::read_to_string(&path).expect("a source"));
                if code.split(|letter| !is_word(letter)).any(|word| word == "unsafe") {
                    let inside = path.strip_prefix(&root).expect("below the root");
                    found.insert(inside.iter().map(|name| name.to_string_lossy()).collect::<Vec<_>>().join("/"));
                }
            }
        }
    }
    assert_eq!(found, UNSAFE.map(str::to_owned).into());
}

/// The branches that no test takes, each with a part of its line and a reason; the job `coverage` says whether these are all.
#[test]
fn untaken_branches_have_reasons() {
    let list = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("untaken.txt")).expect("a list");
    let lines: Vec<&str> = list.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(lines.len() < 20 && lines.is_sorted(), "{} lines", lines.len());
    let texts: Vec<_> = sources().into_iter().map(|source| source.path).collect();
    for line in lines {
        let [place, part, reason] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("no three parts: {line}") };
        let place = source_root().join(place.strip_prefix("src/").expect("a place in src"));
        let is_there =
            |path: &PathBuf| path.starts_with(&place) && fs::read_to_string(path).expect("a source").contains(part);
        assert!(texts.iter().any(is_there) && 20 < reason.len(), "{line}");
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

/// Each file says what it is, and none is too long to read.
#[test]
fn files_have_subjects_and_ends() {
    for source in sources() {
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
    assert_eq!(names_after(code, "super::"), ["super"]);
    assert_eq!(without_prose("a // b\n\"c\" d\n"), "a \n d\n");
    assert_eq!(length("/// a\n/// ```\n/// b\n/// ```\n/// c\nd\n"), 3);
    assert_eq!(without_tests("a #[cfg(test)] mod b { c; { d } } e"), "a  e");
    assert_eq!(without_tests("a #[cfg(test)] use b::c; d #[cfg(test)] e: 0, f"), "a  d  f");

    let source = |module: &str, code: &str| Source {
        path: PathBuf::new(),
        module: module.split("::").map(str::to_owned).collect(),
        code: code.to_owned(),
    };
    let root = source("a", "mod b; mod c; mod d;\nuse b::B;\npub(crate) use c::{C, D as E};\n");
    let files = [
        source("a::b", "use super::C;"),
        source("a::c", "use crate::a::d::X;"),
        source("a::d", "use super::{A, b};"),
        source("a::d::e", "use super::super::b; use super::A;"),
    ];
    let inside: Vec<_> = [&root].into_iter().chain(&files).collect();
    let used: Vec<_> = uses_in(&root.module, &root, &inside).into_iter().collect();
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<BTreeSet<_>>();
    let expected = [("", names(&["b"])), ("b", names(&["c"])), ("c", names(&["d"])), ("d", names(&["", "b"]))];
    assert_eq!(used, expected.map(|(name, used)| (name.to_owned(), used)));
}
