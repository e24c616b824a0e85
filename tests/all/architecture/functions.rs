//! The public functions of the crate, by their types, as the sources write them.

/// A public function of a public type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Function {
    /// Its type and its own name: `Rect::new`.
    pub(crate) name: String,
    /// The head of the block it is in, and its own: generics, arguments, bounds.
    pub(crate) head: String,
    /// Its arguments, without `self`, each with its name and type.
    pub(crate) arguments: Vec<String>,
}

/// The functions of one file, whose code is without prose and tests, as rustfmt lays it out.
pub(super) fn public_functions_of(code: &str) -> Vec<Function> {
    let (mut functions, mut block, mut owners, mut within) = (Vec::new(), "", Vec::new(), None);
    let mut at = 0;
    for line in code.split_inclusive('\n') {
        let rest = code[at..].trim_start();
        let head = &rest[..rest.find('{').unwrap_or(rest.len())];
        at += line.len();
        within = match line.strip_prefix("macro_rules! ") {
            Some(named) => named.split(|letter| !super::is_word(letter)).next(),
            None if line.starts_with('}') => None,
            None => within,
        };
        let outermost = if within.is_some() { line.trim_start() } else { line };
        if outermost.starts_with("impl") {
            block = head;
            owners = if head.contains(" for ") { Vec::new() } else { owners_of(head, within, code) };
            continue;
        }
        let trimmed = line.trim_start().trim_start_matches("pub const fn ").trim_start_matches("pub fn ");
        if trimmed.len() == line.trim_start().len() {
            continue;
        }
        let own = trimmed.split(|letter| !super::is_word(letter)).next().expect("a name");
        functions.extend(owners.iter().map(|owner| Function {
            name: format!("{owner}::{own}"),
            head: format!("{block}{head}"),
            arguments: arguments(head),
        }));
    }
    functions
}

/// The types of a block. A block in a macro, of a type that the macro is told first, has one for each call in the file.
fn owners_of<'a>(head: &'a str, within: Option<&str>, code: &'a str) -> Vec<&'a str> {
    let first_word = |text: &'a str| text.split(|letter| !super::is_word(letter)).next().expect("a name");
    match (type_of(head), within) {
        ("", Some(called)) => {
            let called = format!("\n{called}!");
            let after = code.match_indices(&called).map(|(place, call)| &code[place + call.len()..]);
            after.map(|text| first_word(text.trim_start_matches(|letter| !super::is_word(letter)))).collect()
        }
        (owner, _) => vec![owner],
    }
}

/// The name of the type in the head of a block.
fn type_of(head: &str) -> &str {
    let after = head.trim_start_matches("impl");
    let after = if after.starts_with('<') { &after[closing(after)..] } else { after };
    after.trim_start().split(|letter| !super::is_word(letter)).next().expect("a name")
}

/// Where the brackets that a text begins with are closed again.
fn closing(text: &str) -> usize {
    let mut depth = 0;
    let closes = |(place, letter): (usize, char)| {
        match letter {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' if !text[..place].ends_with('-') => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(place + letter.len_utf8())
    };
    text.char_indices().find_map(closes).expect("brackets are closed")
}

/// The arguments in the head of a function.
fn arguments(head: &str) -> Vec<String> {
    let after = &head[head.find("fn ").expect("a function")..];
    let generics = after.find(['<', '(']).expect("arguments");
    let begins = if after[generics..].starts_with('<') { generics + closing(&after[generics..]) } else { generics };
    let inside = &after[begins + 1..begins + closing(&after[begins..]) - 1];
    let (mut depth, mut from, mut list) = (0, 0, Vec::new());
    for (place, letter) in inside.char_indices().chain([(inside.len(), ',')]) {
        match letter {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' if !inside[..place].ends_with('-') => depth -= 1,
            ',' if depth == 0 => {
                list.push(inside[from..place].split_whitespace().collect::<Vec<_>>().join(" "));
                from = place + 1;
            }
            _ => {}
        }
    }
    list.retain(|argument| {
        !argument.is_empty() && argument.split(' ').next_back() != Some("self") && argument != "&self"
    });
    list
}

#[test]
fn functions_are_found() {
    let code = "impl<F: Fn(u8) -> u8> A<F> {\n    pub fn b<T: C<D>>(&mut self, e: impl Fn(T) -> (u8, u8), mut f: [T; 2]) -> G {\n    }\n}\n";
    let found = public_functions_of(code);
    assert_eq!(found.iter().map(|function| function.name.as_str()).collect::<Vec<_>>(), ["A::b"]);
    assert_eq!(found[0].arguments, ["e: impl Fn(T) -> (u8, u8)", "mut f: [T; 2]"]);
    assert_eq!(public_functions_of("impl A for B {\n    pub fn c() {}\n}\n"), []);
    let code = "macro_rules! all {\n    ($A:ident) => {\n        impl<T> $A<T> {\n            pub fn b() {}\n        }\n    };\n}\nall!(C);\nall! {\n    D\n}\n";
    let found = public_functions_of(code);
    assert_eq!(found.iter().map(|function| function.name.as_str()).collect::<Vec<_>>(), ["C::b", "D::b"]);
}
