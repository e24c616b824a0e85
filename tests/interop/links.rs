//! The links of all pages: the files and headings that they name exist. Looks at nothing outside the repository.

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
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let path =
        if file.is_empty() { from.to_owned() } else { normal(&from.parent().expect("a file in a folder").join(file)) };
    if !path.starts_with(root()) || !path.exists() {
        return Some("no such file");
    }
    match (anchor, pages.get(&path)) {
        (Some(anchor), Some(page)) if !page.anchors.contains(anchor) => Some("no such heading"),
        _ => None,
    }
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
