//! The links of all pages: the files and headings that they name exist, and pages of the book lead out of it by full addresses
//! only. Looks at nothing outside the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A page: the anchors of its headings, and the targets of its links.
#[derive(Default)]
struct Page {
    anchors: BTreeSet<String>,
    targets: Vec<String>,
}

/// Addresses of files of this repository, as the forge shows them or gives them out.
const ADDRESSES: [&str; 3] = [
    "https://github.com/quadrille-rs/quadrille/blob/main/",
    "https://github.com/quadrille-rs/quadrille/tree/main/",
    "https://raw.githubusercontent.com/quadrille-rs/quadrille/main/",
];

/// A page that its registry shows without knowing where the files beside it are.
const SHOWN_ALONE: &str = "crates/quadrille-python/README.md";

fn root() -> PathBuf {
    normal(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut normal, part| {
        match part {
            Component::ParentDir => drop(normal.pop()),
            Component::CurDir => {}
            part => normal.push(part),
        }
        normal
    })
}

/// Folders of what others wrote, or of what is made. One of the packages of npm is a link to a folder above it.
const NOT_OURS: [&str; 3] = [".git", "node_modules", "target"];

/// All pages below a folder.
fn collect(folder: &Path, pages: &mut BTreeMap<PathBuf, Page>) {
    for file in fs::read_dir(folder).expect("a folder") {
        let path = file.expect("a readable folder").path();
        let name = path.file_name().expect("it has a name").to_string_lossy().into_owned();
        if path.is_dir() && !NOT_OURS.contains(&name.as_str()) {
            collect(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            let page = read(&fs::read_to_string(&path).expect("a readable page"));
            pages.insert(path, page);
        }
    }
}

fn read(text: &str) -> Page {
    let (mut page, mut heading) = (Page::default(), None);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                page.targets.push(dest_url.into_string());
            }
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            Event::End(TagEnd::Heading(_)) => page.add_anchor(&heading.take().unwrap_or_default()),
            _ => {}
        }
    }
    page
}

impl Page {
    /// Adds the anchor of a heading: lower case, hyphens for spaces, no punctuation, numbered if it is taken.
    fn add_anchor(&mut self, heading: &str) {
        let kept = heading.to_lowercase().replace(' ', "-");
        let anchor: String = kept.chars().filter(|&sign| sign.is_alphanumeric() || "-_".contains(sign)).collect();
        let mut free = (1..).map(|number| format!("{anchor}-{number}"));
        let is_taken = self.anchors.contains(&anchor);
        let anchor = if is_taken { free.find(|anchor| !self.anchors.contains(anchor)) } else { Some(anchor) };
        self.anchors.extend(anchor);
    }
}

fn pages() -> BTreeMap<PathBuf, Page> {
    let mut pages = BTreeMap::new();
    collect(&root(), &mut pages);
    pages
}

/// Why a link of a page is broken, if it is.
fn broken(pages: &BTreeMap<PathBuf, Page>, from: &Path, target: &str) -> Option<&'static str> {
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let of_repository = ADDRESSES.iter().find_map(|address| file.strip_prefix(address));
    let path = match of_repository {
        Some(file) => normal(&root().join(file)),
        None if file.contains("://") || file.starts_with("mailto:") => return None,
        None if file.is_empty() => from.to_owned(),
        None => normal(&from.parent().expect("a file in a folder").join(file)),
    };
    if !path.starts_with(root()) || !path.exists() {
        return Some("no such file");
    }
    if of_repository.is_none() && !stays_in_book(from, &path) {
        return Some("dead in the book: take the full address");
    }
    match (anchor, pages.get(&path)) {
        (Some(anchor), Some(page)) if !page.anchors.contains(anchor) => Some("no such heading"),
        _ => None,
    }
}

/// Whether a page of the book may lead to a file by its path. The list of chapters is no page there, and a README has another
/// name.
fn stays_in_book(from: &Path, to: &Path) -> bool {
    let docs = root().join("docs");
    let is_list = from == docs.join("SUMMARY.md");
    let leads_back = ["SUMMARY.md", "README.md"].iter().any(|name| to.ends_with(name));
    !from.starts_with(&docs) || to.starts_with(&docs) && (!leads_back || is_list)
}

#[test]
fn links_lead_somewhere() {
    let pages = pages();
    let mut wrong = Vec::new();
    for (path, page) in &pages {
        for target in &page.targets {
            if let Some(reason) = broken(&pages, path, target) {
                wrong.push(format!("{}: {target}: {reason}", path.strip_prefix(root()).expect("below it").display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(10 < pages.values().filter(|page| !page.targets.is_empty()).count(), "links are found");
}

#[test]
fn broken_links_are_found() {
    let pages = pages();
    let readme = root().join("README.md");
    assert_eq!(broken(&pages, &readme, "docs/guarantees.md#touching-is-no-hit"), None);
    assert_eq!(broken(&pages, &readme, "docs/guarantees.md#touching-is-a-hit"), Some("no such heading"));
    assert_eq!(broken(&pages, &readme, "docs/no-page.md"), Some("no such file"));
    assert_eq!(broken(&pages, &readme, "../outside.md"), Some("no such file"));
    assert_eq!(broken(&pages, &readme, "https://example.org/README.md#nothing"), None);
    let full = |file: &str| broken(&pages, &readme, &format!("{}{file}", ADDRESSES[0]));
    assert_eq!(full("docs/guarantees.md#touching-is-no-hit"), None);
    assert_eq!(full("docs/guarantees.md#touching-is-a-hit"), Some("no such heading"));
    assert_eq!(full("docs/no-page.md"), Some("no such file"));
    let chapter = root().join("docs/guide/tour.md");
    let in_book = |target: &str| broken(&pages, &chapter, target).is_none();
    assert!(in_book("numbers.md") && in_book("../performance/ratios.csv") && in_book(&format!("{}src", ADDRESSES[1])));
    assert!(!in_book("../../README.md") && !in_book("../../src") && !in_book("../SUMMARY.md") && !in_book("README.md"));
    assert_eq!(read("# a\n# a\n[b](c)").anchors.into_iter().collect::<Vec<_>>(), ["a", "a-1"]);
}

#[test]
fn the_summary_lists_every_page_once() {
    let docs = root().join("docs");
    let pages = pages();
    let summary = docs.join("SUMMARY.md");
    let mut listed: Vec<PathBuf> = pages[&summary].targets.iter().map(|target| docs.join(target)).collect();
    listed.sort();
    let there = pages.keys().filter(|path| path.starts_with(&docs) && **path != summary);
    assert_eq!(listed, there.cloned().collect::<Vec<_>>());
}

#[test]
fn a_page_shown_alone_has_full_addresses() {
    let targets = &pages()[&root().join(SHOWN_ALONE)].targets;
    let relative = targets.iter().filter(|target| !target.contains("://") && !target.starts_with('#'));
    assert_eq!(relative.collect::<Vec<_>>(), [""; 0]);
}
