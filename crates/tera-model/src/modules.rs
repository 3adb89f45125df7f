//! Loads the files of a specification and instantiates each once per list of arguments.
//!
//! A module is looked for beside the file that opens it (relative to the root of the module names,
//! which the header `module a/b/c` tells), then in the include directories, then among the embedded
//! ones. Arguments of an open may name signatures of other opened modules, so opens are connected
//! round by round until nothing changes.

use std::collections::VecDeque;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use tera_syntax::ast::{self, ExprKind, Paragraph, SigParent, UnaryOp};
use tera_syntax::{Diagnostic, Interner, Sources, Span, Symbol};

use crate::Loader;
use crate::limits::Room;
use crate::stdlib;
use crate::tree::*;
use crate::types::*;
use crate::world::*;

struct Loading<'a> {
    include: &'a [PathBuf],
    loader: &'a dyn Loader,
    /// The file of each path that was tried; `None` for one that is not there.
    files: FxHashMap<PathBuf, Option<usize>>,
    paths: Vec<PathBuf>,
    instances: FxHashMap<(usize, Vec<SigIx>), usize>,
    /// For each module, the files on the chain of opens that first led to it.
    chains: Vec<Vec<usize>>,
    room: Room,
}

const EMBEDDED_ROOT: &str = "<stdlib>";

/// Reads the root file and everything it opens; declares all names.
pub(crate) fn load_modules(path: &Path, include: &[PathBuf], loader: &dyn Loader) -> World {
    let mut interner = Interner::default();
    let words = Words::new(&mut interner);
    let mut world = World {
        interner,
        sources: Sources::default(),
        files: Vec::new(),
        embedded: Vec::new(),
        is_integer: Vec::new(),
        modules: Vec::new(),
        order: Vec::new(),
        sigs: Vec::new(),
        sorted_sigs: Vec::new(),
        fields: Vec::new(),
        funcs: Vec::new(),
        macros: Vec::new(),
        asserts: Vec::new(),
        goals: Vec::new(),
        exact_sigs: Vec::new(),
        types: TypeTable::new(),
        nodes: Vec::new(),
        locals: Vec::new(),
        errs: Vec::new(),
        diagnostics: Vec::new(),
        meta: None,
        memo: FxHashMap::default(),
        field_index: FxHashMap::default(),
        budget: 20_000,
        at_prompt: false,
        words,
    };
    world.add_builtin_sigs();
    let mut loading = Loading {
        include,
        loader,
        files: FxHashMap::default(),
        paths: Vec::new(),
        instances: FxHashMap::default(),
        chains: Vec::new(),
        room: Room::default(),
    };
    let root = match loading.read(&mut world, path) {
        Ok(Some(file)) => file,
        outcome => {
            let file = world.sources.add(path.display().to_string(), "");
            let why = match outcome {
                Err(why) => why,
                _ => "there is no such file".into(),
            };
            let message = format!("cannot read {}: {why}", path.display());
            world.diagnostics.push(Diagnostic::error(Span::new(file, 0, 0), message));
            return world;
        }
    };
    let root = loading.instantiate(&mut world, root, Vec::new(), Vec::new());
    loading.connect(&mut world, root);
    world.order = world.reachable(root);
    for module in 0..world.modules.len() {
        world.modules[module].nameable = world.nameable(module);
    }
    world.name_paths(root);
    world
}

impl Loading<'_> {
    fn read(&mut self, world: &mut World, path: &Path) -> Result<Option<usize>, String> {
        let path = normalize(path);
        if let Some(&known) = self.files.get(&path) {
            return Ok(known);
        }
        let text = match path.strip_prefix(EMBEDDED_ROOT) {
            Ok(inner) => {
                let name = inner.with_extension("").to_string_lossy().replace('\\', "/");
                stdlib::embedded(&name).map(str::to_string)
            }
            Err(_) => self.loader.read(&path)?,
        };
        let Some(text) = text else {
            self.files.insert(path, None);
            return Ok(None);
        };
        let markdown = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("md"));
        let source = world.sources.add(path.display().to_string(), text);
        let text = world.sources.get(source).text.clone();
        let (mut file, diagnostics) = tera_syntax::parse(source, &text, markdown, &mut world.interner);
        world.diagnostics.extend(diagnostics);
        if let Err(too_many) = self.room.take(&file) {
            world.diagnostics.push(too_many);
            (file.opens, file.paragraphs) = (Vec::new(), Vec::new());
        }
        let index = world.files.len();
        world.files.push(Arc::new(file));
        world.embedded.push(path.starts_with(EMBEDDED_ROOT));
        world.is_integer.push(path.ends_with("util/integer.als"));
        self.paths.push(path.clone());
        self.files.insert(path, Some(index));
        Ok(Some(index))
    }

    /// The instance of a file for these arguments.
    fn instantiate(
        &mut self,
        world: &mut World,
        file: usize,
        args: Vec<SigIx>,
        mut chain: Vec<usize>,
    ) -> usize {
        if let Some(&known) = self.instances.get(&(file, args.clone())) {
            return known;
        }
        let module = world.modules.len();
        self.instances.insert((file, args.clone()), module);
        chain.push(file);
        self.chains.push(chain);
        world.declare_module(file, &args);
        module
    }

    /// Connects the opens of `root` and of all that follow from it.
    fn connect(&mut self, world: &mut World, root: usize) {
        let mut queue = VecDeque::from([root]);
        let mut queued = FxHashSet::from_iter([root]);
        let mut pending: Vec<(usize, usize)> = Vec::new();
        loop {
            while let Some(module) = queue.pop_front() {
                for i in 0..world.modules[module].opens.len() {
                    pending.push((module, i));
                }
            }
            let mut changed = false;
            let mut still = Vec::new();
            for (module, i) in std::mem::take(&mut pending) {
                let open = world.modules[module].opens[i].clone();
                let mut args = Vec::new();
                let mut missing = false;
                for arg in &open.args {
                    match world.lookup_sig(module, arg.symbol) {
                        Ok(Some(sig)) => args.push(sig),
                        _ => missing = true,
                    }
                }
                if missing {
                    still.push((module, i));
                    continue;
                }
                changed = true;
                if let Some(target) = self.open(world, module, &open, args) {
                    world.modules[module].opens[i].module = Some(target);
                    if queued.insert(target) {
                        queue.push_back(target);
                    }
                }
            }
            pending = still;
            if !changed && queue.is_empty() {
                break;
            }
        }
        for (module, i) in pending {
            let open = world.modules[module].opens[i].clone();
            for arg in open.args {
                world.require_sig(module, arg.symbol, arg.span);
            }
        }
    }

    fn open(&mut self, world: &mut World, module: usize, open: &Opened, args: Vec<SigIx>) -> Option<usize> {
        let from = world.modules[module].file;
        let name = world.text(open.path).to_string();
        let file = match self.find(world, from, &name) {
            Ok(Some(file)) => file,
            Ok(None) => {
                let mut diagnostic =
                    Diagnostic::error(open.span, format!("the module `{name}` is not found"));
                let near = stdlib::EMBEDDED
                    .iter()
                    .filter(|m| strsim::damerau_levenshtein(m, &name) <= 3)
                    .min_by_key(|m| strsim::damerau_levenshtein(m, &name));
                diagnostic = diagnostic.help(match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "it is looked for beside this file, then in the include directories (-I), then in the standard library".into(),
                });
                world.diagnostics.push(diagnostic);
                return None;
            }
            Err(why) => {
                let message = format!("the module `{name}` cannot be read: {why}");
                world.diagnostics.push(Diagnostic::error(open.span, message));
                return None;
            }
        };
        if self.chains[module].contains(&file) {
            let message = format!("the module `{name}` opens itself, directly or through others");
            let mut diagnostic = Diagnostic::error(open.span, message);
            if let Some(header) = &world.files[file].header {
                diagnostic = diagnostic.related(header.span, "this module");
            }
            world.diagnostics.push(diagnostic);
            return None;
        }
        let wanted = world.files[file].header.as_ref().map_or(0, |h| h.params.len());
        if wanted != args.len() {
            let message =
                format!("the module `{name}` takes {wanted} arguments, but {} are given", args.len());
            let mut diagnostic = Diagnostic::error(open.span, message);
            if let Some(header) = &world.files[file].header {
                diagnostic = diagnostic.related(header.span, "declared here");
            }
            world.diagnostics.push(diagnostic);
            return None;
        }
        if args.contains(&NONE) {
            world.diagnostics.push(Diagnostic::error(open.span, "`none` cannot be an argument of a module"));
            return None;
        }
        let chain = self.chains[module].clone();
        Some(self.instantiate(world, file, args, chain))
    }

    fn find(&mut self, world: &mut World, from: usize, name: &str) -> Result<Option<usize>, String> {
        let own = match &world.files[from].header {
            Some(header) => world.text(header.name.symbol).to_string(),
            None => "anything".into(),
        };
        let beside = module_path(&own, &self.paths[from].clone(), name);
        let embedded = Path::new(EMBEDDED_ROOT).join(format!("{name}.als"));
        let mut candidates = vec![beside.with_extension("als"), beside.with_extension("md")];
        if world.embedded[from] {
            candidates = vec![embedded.clone()];
        }
        for dir in self.include {
            candidates.push(dir.join(format!("{name}.als")));
            candidates.push(dir.join(format!("{name}.md")));
        }
        candidates.push(embedded);
        for candidate in candidates {
            if let Some(file) = self.read(world, &candidate)? {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }
}

/// Where the module `wanted` lies when the module called `own` lies at `path`.
fn module_path(own: &str, path: &Path, wanted: &str) -> PathBuf {
    let (mut own, mut wanted) = (own, wanted);
    while let (Some((a, own_rest)), Some((b, wanted_rest))) = (own.split_once('/'), wanted.split_once('/')) {
        if a != b {
            break;
        }
        own = own_rest;
        wanted = wanted_rest;
    }
    let mut dir = path.to_path_buf();
    for _ in 0..=own.matches('/').count() {
        dir = match dir.file_name() {
            Some(_) => dir.parent().map(Path::to_path_buf).unwrap_or_default(),
            None => dir.join(".."),
        };
    }
    // A dot in the name is not an extension.
    dir.join(format!("{wanted}.als"))
}

/// Without `.` and, where that is safe, without `..`.
fn normalize(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(result.components().next_back(), Some(Component::Normal(_))) => {
                result.pop();
            }
            other => result.push(other),
        }
    }
    if result.as_os_str().is_empty() { path.to_path_buf() } else { result }
}

impl World {
    fn add_builtin_sigs(&mut self) {
        for (i, name) in ["univ", "Int", "seq/Int", "String", "none"].into_iter().enumerate() {
            let symbol = self.interner.intern(name);
            let sig = SigIx(i as u32);
            let ty = self.types.of_sig(sig);
            let this = self.local(symbol, ty, Span::default());
            let parent = match sig {
                SEQ_INT => INT,
                NONE => NONE,
                _ => UNIV,
            };
            self.sigs.push(Sig {
                name: symbol,
                label: name.into(),
                module: usize::MAX,
                span: Span::default(),
                parents: Parents::Extends(parent),
                children: Vec::new(),
                is_abstract: false,
                is_one: false,
                is_lone: false,
                is_some: false,
                is_enum: false,
                is_private: false,
                is_var: false,
                is_meta: false,
                is_builtin: true,
                ty,
                this,
                decls: Vec::new(),
                fact: None,
                paragraph: None,
            });
        }
    }

    /// Enters the names that a file declares, for one list of arguments.
    fn declare_module(&mut self, file_ix: usize, args: &[SigIx]) {
        let file = Arc::clone(&self.files[file_ix]);
        let module = self.modules.len();
        let is_root = module == 0;
        self.modules.push(Module {
            file: file_ix,
            path: String::new(),
            params: Vec::new(),
            opens: Vec::new(),
            nameable: Arc::new([]),
            sigs: NameTable::default(),
            funcs: FxHashMap::default(),
            func_list: Vec::new(),
            macros: FxHashMap::default(),
            asserts: FxHashMap::default(),
            assert_list: Vec::new(),
            facts: Vec::new(),
        });
        if let Some(header) = &file.header {
            for (i, param) in header.params.iter().enumerate() {
                if is_root {
                    // Nobody says what the parameters of the main module are: signatures of its own.
                    if let Some(sig) = self.declare_sig(module, param.name, None)
                        && param.exactly
                    {
                        self.exact_sigs.push(sig);
                    }
                } else {
                    let sig = args.get(i).copied();
                    self.modules[module].params.push(Param {
                        name: param.name.symbol,
                        exactly: param.exactly,
                        sig,
                    });
                }
            }
        }
        self.declare_opens(module, &file);
        for (i, paragraph) in file.paragraphs.iter().enumerate() {
            self.declare_paragraph(module, i, paragraph);
        }
    }

    fn declare_opens(&mut self, module: usize, file: &ast::File) {
        let mut opens: Vec<Opened> = Vec::new();
        let words = self.words;
        let integer = Opened {
            alias: words.integer,
            path: words.util_integer,
            args: Vec::new(),
            private: false,
            span: Span::default(),
            module: None,
        };
        if !self.is_integer[self.modules[module].file] {
            opens.push(integer.clone());
        }
        for open in &file.opens {
            let new = Opened {
                alias: match open.alias {
                    Some(alias) => alias.symbol,
                    None => self.default_alias(open.path.symbol, open.args.len(), opens.len()),
                },
                path: open.path.symbol,
                args: open.args.clone(),
                private: open.private,
                span: open.span,
                module: None,
            };
            self.add_open(&mut opens, new);
        }
        for paragraph in &file.paragraphs {
            if let Paragraph::Enum(decl) = paragraph {
                let this = format!("this/{}", self.text(decl.name.symbol));
                let symbol = self.interner.intern(&this);
                let new = Opened {
                    alias: self.default_alias(words.util_ordering, 1, opens.len()),
                    path: words.util_ordering,
                    args: vec![ast::Name { symbol, span: decl.name.span }],
                    private: false,
                    span: decl.name.span,
                    module: None,
                };
                self.add_open(&mut opens, new);
            }
        }
        if file.exprs.iter().any(|e| matches!(e.kind, ExprKind::Unary(UnaryOp::Seq, _))) {
            let new = Opened { alias: words.seq, path: words.util_sequniv, ..integer };
            self.add_open(&mut opens, new);
        }
        // An open without alias is called by the last part of its path, where that is free.
        let taken: FxHashSet<Symbol> = opens.iter().map(|o| o.alias).collect();
        let mut given: FxHashSet<Symbol> = FxHashSet::default();
        for open in &mut opens {
            if self.interner.text(open.alias).contains('$') {
                let path = self.interner.text(open.path);
                let base = path.rsplit('/').next().unwrap_or(path).to_string();
                let base_symbol = self.interner.intern(&base);
                if is_identifier(&base) && !taken.contains(&base_symbol) && !given.contains(&base_symbol) {
                    open.alias = base_symbol;
                }
            }
            given.insert(open.alias);
        }
        self.modules[module].opens = opens;
    }

    fn default_alias(&mut self, path: Symbol, n_args: usize, n_opens: usize) -> Symbol {
        if n_args == 0 && is_identifier(self.text(path)) {
            return path;
        }
        self.interner.intern(&format!("open${}", n_opens + 1))
    }

    fn add_open(&mut self, opens: &mut Vec<Opened>, new: Opened) {
        if let Some(old) = opens.iter().find(|o| o.alias == new.alias) {
            let same_args = old.args.len() == new.args.len()
                && old.args.iter().zip(&new.args).all(|(a, b)| a.symbol == b.symbol);
            if old.path == new.path && same_args {
                return;
            }
            let message = format!("two modules are opened under the name `{}`", self.text(new.alias));
            let diagnostic =
                Diagnostic::error(new.span, message).help("give one of them another name with `as`");
            self.diagnostics.push(diagnostic);
            return;
        }
        opens.push(new);
    }

    fn declare_paragraph(&mut self, module: usize, index: usize, paragraph: &Paragraph) {
        match paragraph {
            Paragraph::Sig(decl) => {
                for &name in &decl.names {
                    let Some(sig) = self.declare_sig(module, name, Some(index)) else { continue };
                    let s = self.sig_mut(sig);
                    s.is_abstract = decl.is_abstract.is_some();
                    s.is_private = decl.private.is_some();
                    s.is_var = decl.var.is_some();
                    match decl.mult {
                        Some((ast::Mult::One, _)) => s.is_one = true,
                        Some((ast::Mult::Lone, _)) => s.is_lone = true,
                        Some((ast::Mult::Some, _)) => s.is_some = true,
                        _ => {}
                    }
                    match &decl.parent {
                        SigParent::In(_) => s.parents = Parents::Subset { parents: vec![], exact: false },
                        SigParent::Equals(_) => s.parents = Parents::Subset { parents: vec![], exact: true },
                        _ => {}
                    }
                    if let (true, Some(place)) = (s.is_subset(), decl.is_abstract) {
                        let message = "a subset signature cannot be abstract";
                        self.diagnostics.push(Diagnostic::error(place, message));
                    }
                }
            }
            Paragraph::Enum(decl) => {
                if decl.values.is_empty() {
                    let message = "an enum needs at least one constant";
                    self.diagnostics.push(Diagnostic::error(decl.span, message));
                }
                if let Some(sig) = self.declare_sig(module, decl.name, Some(index)) {
                    let s = self.sig_mut(sig);
                    s.is_abstract = true;
                    s.is_enum = true;
                    s.is_private = decl.private.is_some();
                    for &value in &decl.values {
                        if let Some(child) = self.declare_sig(module, value, Some(index)) {
                            let c = self.sig_mut(child);
                            c.is_one = true;
                            c.is_private = decl.private.is_some();
                            c.parents = Parents::Extends(sig);
                        }
                    }
                }
            }
            Paragraph::Fact(fact) => {
                let name = fact.name.map(|n| n.symbol);
                self.modules[module].facts.push(Fact { name, source: Some(fact.body), body: None });
            }
            Paragraph::Assert(assert) => {
                let name = assert.name;
                let ix = self.declare_assert(module, name.map(|n| n.symbol), assert.body, assert.span);
                if let Some(name) = name {
                    if self.modules[module].asserts.contains_key(&name.symbol) {
                        let message = format!("there are two assertions called `{}`", self.text(name.symbol));
                        self.diagnostics.push(Diagnostic::error(name.span, message));
                    }
                    self.modules[module].asserts.insert(name.symbol, ix);
                }
            }
            Paragraph::Callable(callable) => {
                let source = FuncSource::Paragraph(index);
                let (name, private) = (callable.name, callable.private.is_some());
                let func = self.declare_func(module, name, callable.result.is_none(), private, source);
                self.modules[module].funcs.entry(name.symbol).or_default().push(func);
            }
            Paragraph::Macro(decl) => {
                let name = decl.name;
                self.reserved(name);
                if let Some(&old) = self.modules[module].macros.get(&name.symbol) {
                    let message = format!("there are two macros called `{}`", self.text(name.symbol));
                    let old = self.macros[old.index()].span;
                    self.diagnostics.push(Diagnostic::error(name.span, message).related(old, "the first"));
                    return;
                }
                for (i, param) in decl.params.iter().enumerate() {
                    if decl.params[..i].iter().any(|p| p.symbol == param.symbol) {
                        self.duplicate_param(*param);
                    }
                }
                self.macros.push(Macro {
                    name: name.symbol,
                    module,
                    is_private: decl.private.is_some(),
                    span: name.span,
                    params: decl.params.iter().map(|p| p.symbol).collect(),
                    body: decl.body,
                });
                let ix = MacroIx(self.macros.len() as u32 - 1);
                self.modules[module].macros.insert(name.symbol, ix);
            }
            Paragraph::Command(_) => {}
        }
    }

    pub fn duplicate_param(&mut self, name: ast::Name) {
        let message = format!("two parameters are called `{}`", self.text(name.symbol));
        self.diagnostics.push(Diagnostic::error(name.span, message));
    }

    pub fn declare_assert(
        &mut self,
        module: usize,
        name: Option<Symbol>,
        source: ast::ExprId,
        span: Span,
    ) -> AssertIx {
        self.asserts.push(Assert { name, module, source, body: None, span });
        let ix = AssertIx(self.asserts.len() as u32 - 1);
        self.modules[module].assert_list.push(ix);
        ix
    }

    pub fn declare_func(
        &mut self,
        module: usize,
        name: ast::Name,
        is_pred: bool,
        is_private: bool,
        source: FuncSource,
    ) -> FuncIx {
        self.reserved(name);
        self.funcs.push(Func {
            name: name.symbol,
            label: String::new(),
            module,
            span: name.span,
            is_pred,
            is_private,
            decls: Vec::new(),
            params: Vec::new(),
            result: None,
            body: None,
            source,
            is_bad: false,
        });
        let ix = FuncIx(self.funcs.len() as u32 - 1);
        self.modules[module].func_list.push(ix);
        ix
    }

    fn reserved(&mut self, name: ast::Name) -> bool {
        let text = self.text(name.symbol);
        let message = match text {
            "univ" | "Int" | "none" | "String" | "iden" => format!("`{text}` is a reserved name"),
            _ if text.contains('/') => format!("the declared name `{text}` contains a slash"),
            _ => return false,
        };
        self.diagnostics.push(Diagnostic::error(name.span, message));
        true
    }

    fn declare_sig(&mut self, module: usize, name: ast::Name, paragraph: Option<usize>) -> Option<SigIx> {
        if self.reserved(name) {
            return None;
        }
        let old = self.modules[module].sigs.get(name.symbol);
        let is_param = self.modules[module].params.iter().any(|p| p.name == name.symbol);
        if old.is_some() || is_param {
            let message = format!("there are two signatures called `{}`", self.text(name.symbol));
            let mut diagnostic = Diagnostic::error(name.span, message);
            if let Some(old) = old {
                diagnostic = diagnostic.related(self.sig(old).span, "the first");
            }
            self.diagnostics.push(diagnostic);
            return None;
        }
        let sig = SigIx(self.sigs.len() as u32);
        let this = self.local(self.words.this, TypeId::EMPTY, name.span);
        self.sigs.push(Sig {
            name: name.symbol,
            label: String::new(),
            module,
            span: name.span,
            parents: Parents::Extends(UNIV),
            children: Vec::new(),
            is_abstract: false,
            is_one: false,
            is_lone: false,
            is_some: false,
            is_enum: false,
            is_private: false,
            is_var: false,
            is_meta: false,
            is_builtin: false,
            ty: TypeId::EMPTY,
            this,
            decls: Vec::new(),
            fact: None,
            paragraph,
        });
        self.types.set_parent(sig, UNIV);
        self.modules[module].sigs.insert(name.symbol, sig);
        Some(sig)
    }

    /// All modules below `root`, each before what it opens, private opens included.
    fn reachable(&self, root: usize) -> Vec<usize> {
        let mut seen = FxHashSet::default();
        let mut result = Vec::new();
        let mut todo = vec![root];
        while let Some(module) = todo.pop() {
            if seen.insert(module) {
                result.push(module);
                todo.extend(self.modules[module].opens.iter().rev().filter_map(|o| o.module));
            }
        }
        result
    }

    /// Names each module by the shortest chain of aliases and each signature by its module.
    fn name_paths(&mut self, root: usize) {
        let mut best: Vec<Option<String>> = vec![None; self.modules.len()];
        best[root] = Some(String::new());
        let better = |new: &str, old: &Option<String>| {
            let key = |p: &str| (p.contains('$'), p.matches('/').count(), p.to_string());
            old.as_ref().is_none_or(|old| key(new) < key(old))
        };
        let mut queue = VecDeque::from([root]);
        while let Some(module) = queue.pop_front() {
            let here = best[module].clone().unwrap_or_default();
            for open in &self.modules[module].opens {
                let Some(target) = open.module.filter(|&t| t != root) else { continue };
                let alias = self.text(open.alias);
                let path = if here.is_empty() { alias.to_string() } else { format!("{here}/{alias}") };
                if better(&path, &best[target]) {
                    best[target] = Some(path);
                    queue.push_back(target);
                }
            }
        }
        for (module, path) in best.into_iter().enumerate() {
            self.modules[module].path = path.unwrap_or_default();
        }
        for i in N_BUILTIN..self.sigs.len() {
            let (module, name) = (self.sigs[i].module, self.sigs[i].name);
            self.sigs[i].label = self.qualify(module, name);
        }
        for i in 0..self.funcs.len() {
            let (module, name) = (self.funcs[i].module, self.funcs[i].name);
            self.funcs[i].label = self.qualify(module, name);
        }
    }

    pub fn qualify(&self, module: usize, name: Symbol) -> String {
        let path = &self.modules[module].path;
        let name = self.text(name);
        if path.is_empty() { name.to_string() } else { format!("{path}/{name}") }
    }
}

fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_alphabetic())
        && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '\'' | '"'))
}
