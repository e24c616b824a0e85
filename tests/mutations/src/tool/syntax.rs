//! Where the expressions of a source are, and where no mutation can be chosen at run time.

use std::ops::Range;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Arm, Attribute, BinOp, Expr, ExprBinary, ExprConst, ExprRepeat, ExprStruct, ExprUnary, GenericArgument};
use syn::{ImplItem, ImplItemConst, ImplItemFn, Item, ItemFn, Pat, Signature, TraitItemConst, TypeArray, Variant};

/// The facts about a file that a mutation needs.
#[derive(Debug, Default)]
pub(crate) struct Syntax {
    /// Expressions of operators, and those that make structs.
    pub(crate) expressions: Vec<Range<usize>>,
    pub(crate) arms: Vec<Branch>,
    /// Where a choice cannot be put, and why.
    pub(crate) fixed: Vec<(Range<usize>, &'static str)>,
    /// Modules in other files that are not compiled.
    pub(crate) absent: Vec<String>,
}

/// An arm of a `match`.
#[derive(Debug)]
pub(crate) struct Branch {
    pub(crate) start: usize,
    pub(crate) pattern_end: usize,
    pub(crate) guard: Option<Range<usize>>,
}

impl Syntax {
    pub(crate) fn of(text: &str) -> syn::Result<Self> {
        let mut syntax = Self::default();
        syntax.visit_file(&syn::parse_file(text)?);
        Ok(syntax)
    }

    /// The smallest expression around a range.
    pub(crate) fn around(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let around = self.expressions.iter().filter(|whole| whole.start <= range.start && range.end <= whole.end);
        around.min_by_key(|whole| whole.len()).cloned()
    }

    /// Why no mutation of a range can be chosen at run time.
    pub(crate) fn fixed_by(&self, range: &Range<usize>) -> Option<&'static str> {
        let around = self.fixed.iter().find(|(fixed, _)| fixed.start <= range.start && range.end <= fixed.end);
        around.map(|(_, why)| *why)
    }

    fn fix(&mut self, span: Span, why: &'static str) {
        self.fixed.push((span.byte_range(), why));
    }

    fn fix_constant(&mut self, part: &impl Spanned) {
        self.fix(part.span(), "a constant");
    }

    fn fix_function(&mut self, signature: &Signature, whole: Span) {
        if signature.constness.is_some() {
            self.fix(whole, "a constant function");
        }
    }

    fn fix_absent(&mut self, attributes: &[Attribute], whole: Span) {
        if attributes.iter().any(is_absent) {
            self.fix(whole, "not compiled with the features of these tests");
        }
    }
}

/// Whether an attribute leaves out what it stands at: the tests are built with `std` and `rayon`, and nothing else.
fn is_absent(attribute: &Attribute) -> bool {
    let Ok(list) = attribute.meta.require_list() else { return false };
    let condition = list.tokens.to_string();
    list.path.is_ident("cfg") && ["not", "serde", "geo-types", "test"].iter().any(|word| condition.contains(word))
}

/// Whether an expression is, or joins, a condition that binds names.
fn is_chain(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(ExprBinary { left, op: BinOp::And(_), right, .. }) => is_chain(left) || is_chain(right),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Syntax {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = match item {
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Mod(item) => &item.attrs,
            _ => &Vec::new(),
        };
        self.fix_absent(attributes, item.span());
        match item {
            Item::Const(_) | Item::Static(_) => self.fix_constant(item),
            Item::Mod(item) if item.content.is_none() && item.attrs.iter().any(is_absent) => {
                self.absent.push(item.ident.to_string());
            }
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        if let ImplItem::Fn(function) = item {
            self.fix_absent(&function.attrs, item.span());
        }
        visit::visit_impl_item(self, item);
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.fix_function(&item.sig, item.span());
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.fix_function(&item.sig, item.span());
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_impl_item_const(&mut self, item: &'ast ImplItemConst) {
        self.fix_constant(item);
    }

    fn visit_trait_item_const(&mut self, item: &'ast TraitItemConst) {
        self.fix_constant(item);
    }

    fn visit_type_array(&mut self, array: &'ast TypeArray) {
        self.fix_constant(&array.len);
    }

    fn visit_generic_argument(&mut self, argument: &'ast GenericArgument) {
        if let GenericArgument::Const(constant) = argument {
            self.fix_constant(constant);
        }
        visit::visit_generic_argument(self, argument);
    }

    fn visit_variant(&mut self, variant: &'ast Variant) {
        self.fix_constant(variant);
    }

    fn visit_expr_const(&mut self, constant: &'ast ExprConst) {
        self.fix_constant(constant);
    }

    fn visit_pat(&mut self, pattern: &'ast Pat) {
        self.fix_constant(pattern);
    }

    fn visit_expr_repeat(&mut self, array: &'ast ExprRepeat) {
        self.fix_constant(&array.len);
        visit::visit_expr_repeat(self, array);
    }

    fn visit_expr_binary(&mut self, binary: &'ast ExprBinary) {
        if is_chain(&binary.left) || is_chain(&binary.right) {
            self.fix(binary.op.span(), "a condition that binds names");
        }
        self.expressions.push(binary.span().byte_range());
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast ExprUnary) {
        self.expressions.push(unary.span().byte_range());
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_struct(&mut self, made: &'ast ExprStruct) {
        self.expressions.push(made.span().byte_range());
        visit::visit_expr_struct(self, made);
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        let guard = arm.guard.as_ref().map(|(_, guard)| guard.span().byte_range());
        let (whole, pattern) = (arm.span().byte_range(), arm.pat.span().byte_range());
        self.arms.push(Branch { start: whole.start, pattern_end: pattern.end, guard });
        visit::visit_arm(self, arm);
    }
}
