//! Everything that is known of a specification and its modules: the tables that the passes fill
//! one after the other.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use tera_syntax::ast::{self, ExprId, Name};
use tera_syntax::{Diagnostic, Interner, Sources, Span, Symbol};

use crate::tree::*;
use crate::types::*;

/// A module: one file opened with one list of arguments.
#[derive(Clone, Debug)]
pub(crate) struct Module {
    pub file: usize,
    /// The shortest chain of aliases that leads here; empty for the root.
    pub path: String,
    pub params: Vec<Param>,
    pub opens: Vec<Opened>,
    /// The modules that can be named from here, this one first; empty while opens are pending.
    pub nameable: Arc<[usize]>,
    pub sigs: NameTable<SigIx>,
    pub funcs: FxHashMap<Symbol, Vec<FuncIx>>,
    /// In the order of the text.
    pub func_list: Vec<FuncIx>,
    pub macros: FxHashMap<Symbol, MacroIx>,
    pub asserts: FxHashMap<Symbol, AssertIx>,
    pub assert_list: Vec<AssertIx>,
    pub facts: Vec<Fact>,
}

#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub name: Symbol,
    pub exactly: bool,
    pub sig: Option<SigIx>,
}

#[derive(Clone, Debug)]
pub(crate) struct Opened {
    pub alias: Symbol,
    pub path: Symbol,
    pub args: Vec<Name>,
    pub private: bool,
    pub span: Span,
    /// Absent while pending, or when it cannot be opened.
    pub module: Option<usize>,
}

/// Names in the order of declaration.
#[derive(Clone, Debug)]
pub(crate) struct NameTable<T> {
    pub list: Vec<(Symbol, T)>,
    map: FxHashMap<Symbol, T>,
}

impl<T> Default for NameTable<T> {
    fn default() -> Self {
        NameTable { list: Vec::new(), map: FxHashMap::default() }
    }
}

impl<T: Copy> NameTable<T> {
    pub fn get(&self, name: Symbol) -> Option<T> {
        self.map.get(&name).copied()
    }

    pub fn insert(&mut self, name: Symbol, value: T) {
        self.list.push((name, value));
        self.map.insert(name, value);
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Parents {
    /// A primitive signature: `extends`, or top-level below `univ`.
    Extends(SigIx),
    Subset {
        parents: Vec<SigIx>,
        exact: bool,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Sig {
    pub name: Symbol,
    /// As shown: without the path of the root module.
    pub label: String,
    pub module: usize,
    pub span: Span,
    pub parents: Parents,
    pub children: Vec<SigIx>,
    pub is_abstract: bool,
    pub is_one: bool,
    pub is_lone: bool,
    pub is_some: bool,
    pub is_enum: bool,
    pub is_private: bool,
    pub is_var: bool,
    pub is_meta: bool,
    pub is_builtin: bool,
    pub ty: TypeId,
    /// `this` in its fields and its appended fact.
    pub this: VarIx,
    pub decls: Vec<FieldDecl>,
    pub fact: Option<TId>,
    /// Where it was declared: the paragraph of its module's file.
    pub paragraph: Option<usize>,
}

impl Sig {
    pub fn is_subset(&self) -> bool {
        matches!(self.parents, Parents::Subset { .. })
    }

    pub fn parent(&self) -> Option<SigIx> {
        match self.parents {
            Parents::Extends(parent) => Some(parent),
            Parents::Subset { .. } => None,
        }
    }

    pub fn is_top(&self) -> bool {
        !self.is_builtin && self.parent() == Some(UNIV)
    }
}

/// Fields declared together.
#[derive(Clone, Debug)]
pub(crate) struct FieldDecl {
    pub fields: Vec<FieldIx>,
    pub disj: Option<Span>,
    pub disj_bound: Option<Span>,
    pub bound: TId,
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub name: Symbol,
    pub sig: SigIx,
    pub ty: TypeId,
    pub span: Span,
    pub is_private: bool,
    pub is_var: bool,
    pub is_meta: bool,
    pub is_defined: bool,
    /// Its bound did not type; uses of it are silent.
    pub is_bad: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Func {
    pub name: Symbol,
    /// Qualified, for messages.
    pub label: String,
    pub module: usize,
    pub span: Span,
    pub is_pred: bool,
    pub is_private: bool,
    pub decls: Vec<TDecl>,
    pub params: Vec<VarIx>,
    pub result: Option<TId>,
    pub body: Option<TId>,
    pub source: FuncSource,
    /// Its declaration did not type; calls are silent.
    pub is_bad: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum FuncSource {
    Paragraph(usize),
    /// The block of a `run`
    Block(ExprId),
}

#[derive(Clone, Debug)]
pub(crate) struct Macro {
    pub name: Symbol,
    pub module: usize,
    pub is_private: bool,
    pub span: Span,
    pub params: Vec<Symbol>,
    pub body: ExprId,
}

#[derive(Clone, Debug)]
pub(crate) struct Assert {
    pub name: Option<Symbol>,
    pub module: usize,
    pub source: ExprId,
    pub body: Option<TId>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub name: Option<Symbol>,
    pub source: Option<ExprId>,
    pub body: Option<TId>,
}

/// What a command of the root module runs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal {
    Run(FuncIx),
    Check(AssertIx),
    /// Not found; already reported.
    Unknown,
}

#[derive(Clone, Debug)]
pub(crate) struct World {
    pub interner: Interner,
    pub sources: Sources,
    pub files: Vec<Arc<ast::File>>,
    /// Whether each file is one of the embedded ones.
    pub embedded: Vec<bool>,
    /// By file: is it util/integer, the module that every other one opens by itself?
    pub is_integer: Vec<bool>,
    pub modules: Vec<Module>,
    /// The modules in the order of the Analyzer: each before what it opens.
    pub order: Vec<usize>,
    pub sigs: Vec<Sig>,
    /// Signatures in the order in which they were resolved: parents first.
    pub sorted_sigs: Vec<SigIx>,
    pub fields: Vec<Field>,
    pub funcs: Vec<Func>,
    pub macros: Vec<Macro>,
    pub asserts: Vec<Assert>,
    pub goals: Vec<Goal>,
    /// Signatures that a module parameter declares `exactly`.
    pub exact_sigs: Vec<SigIx>,
    pub types: TypeTable,
    pub nodes: Vec<Node>,
    pub locals: Vec<Local>,
    pub errs: Vec<ErrNode>,
    pub diagnostics: Vec<Diagnostic>,
    pub meta: Option<Meta>,
    pub memo: FxHashMap<(TId, TypeId, bool), TId>,
    pub field_index: FxHashMap<Symbol, Vec<FieldIx>>,
    /// How many macros may still be unfolded in all.
    pub budget: u32,
    /// An expression typed at the prompt is resolved: a field wins over a function of the same name,
    /// which in a file is an ambiguity (`next` of util/integer is always visible).
    pub at_prompt: bool,
    pub words: Words,
}

/// `sig$` and `field$`, present when some name in the text contains a dollar sign.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meta {
    pub sig: SigIx,
    pub field: SigIx,
}

macro_rules! words {
    ($($field:ident = $text:literal),* $(,)?) => {
        /// Names with a meaning of their own.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct Words { $(pub $field: Symbol),* }

        impl Words {
            pub fn new(interner: &mut Interner) -> Words {
                Words { $($field: interner.intern($text)),* }
            }
        }
    };
}

words! {
    this = "this", univ = "univ", iden = "iden", none = "none", int_sig = "Int",
    seq_int = "seq/Int", string = "String", int = "int", sum = "sum", disj = "disj",
    disjoint = "disjoint", total_order = "pred/totalOrder", min = "fun/min", max = "fun/max",
    next = "fun/next", sig_meta = "sig$", field_meta = "field$", value = "value", fields = "fields",
    parent = "parent", subfields = "subfields", integer = "integer", util_integer = "util/integer",
    util_sequniv = "util/sequniv", seq = "seq", util_ordering = "util/ordering",
}

impl World {
    pub fn text(&self, symbol: Symbol) -> &str {
        self.interner.text(symbol)
    }

    pub fn sig(&self, sig: SigIx) -> &Sig {
        &self.sigs[sig.0 as usize]
    }

    pub fn sig_mut(&mut self, sig: SigIx) -> &mut Sig {
        &mut self.sigs[sig.0 as usize]
    }

    pub fn node(&self, id: TId) -> &Node {
        &self.nodes[id.index()]
    }

    pub fn ty(&self, id: TId) -> TypeId {
        self.nodes[id.index()].ty
    }

    pub fn span(&self, id: TId) -> Span {
        self.nodes[id.index()].span
    }

    pub fn has_err(&self, id: TId) -> bool {
        self.nodes[id.index()].err.is_some()
    }

    /// Is `a` the signature `b`, or does it extend it or lie in it?
    pub fn sig_descends(&self, a: SigIx, b: SigIx) -> bool {
        if a == b || b == UNIV {
            return true;
        }
        match &self.sig(a).parents {
            Parents::Extends(_) => self.types.sig_within(a, b),
            Parents::Subset { parents, .. } => parents.iter().any(|&p| self.sig_descends(p, b)),
        }
    }

    pub fn local(&mut self, name: Symbol, ty: TypeId, span: Span) -> VarIx {
        self.locals.push(Local { name, ty, span, used: false });
        VarIx(self.locals.len() as u32 - 1)
    }

    // Errors.

    pub fn add_error(&mut self, node: ErrNode) -> ErrId {
        self.errs.push(node);
        ErrId::new(self.errs.len() - 1)
    }

    pub fn error(&mut self, diagnostic: Diagnostic) -> ErrId {
        self.add_error(ErrNode::One(Box::new(diagnostic)))
    }

    pub fn silent_error(&mut self) -> ErrId {
        self.add_error(ErrNode::Silent)
    }

    pub fn join_errors(&mut self, a: Option<ErrId>, b: Option<ErrId>) -> Option<ErrId> {
        match (a, b) {
            (Some(a), Some(b)) if a != b => Some(self.add_error(ErrNode::Both(a, b))),
            (Some(a), _) => Some(a),
            (None, b) => b,
        }
    }

    /// Reports the errors of a node, if any; says whether there were some.
    pub fn report(&mut self, id: TId) -> bool {
        let Some(err) = self.nodes[id.index()].err else { return false };
        let diagnostics = self.spell_out(err);
        self.diagnostics.extend(diagnostics);
        true
    }

    /// The diagnostics of a set of errors.
    pub fn spell_out(&self, err: ErrId) -> Vec<Diagnostic> {
        let mut result = Vec::new();
        let mut todo = vec![err];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(err) = todo.pop() {
            if !seen.insert(err) {
                continue;
            }
            match &self.errs[err.index()] {
                ErrNode::One(diagnostic) => result.push((**diagnostic).clone()),
                ErrNode::Of(id) => result.push(self.explain(*id)),
                ErrNode::Both(a, b) => todo.extend([*b, *a]),
                ErrNode::Silent => {}
            }
        }
        result
    }

    pub fn warn(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::warning(span, message));
    }

    /// A type for people: `{Node->Node, List}`.
    pub fn show_type(&self, ty: TypeId) -> String {
        if self.types.is_formula(ty) && self.types.n_entries(ty) == 0 {
            return "a formula".into();
        }
        if ty == TypeId::NUMBER {
            return "a number".into();
        }
        let entries: Vec<String> = self
            .types
            .entries(ty)
            .iter()
            .take(6)
            .map(|e| e.iter().map(|&s| self.sig(s).label.as_str()).collect::<Vec<_>>().join("->"))
            .collect();
        if entries.is_empty() {
            return "nothing".into();
        }
        let more = if self.types.n_entries(ty) > 6 { ", …" } else { "" };
        format!("{{{}{more}}}", entries.join(", "))
    }
}
