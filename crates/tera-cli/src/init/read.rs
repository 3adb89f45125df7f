//! Rust declarations → the description that the derive would make of them.
//!
//! The derive has types, this has only text: a type is known by the last part of its path, aliases
//! of the same files are followed, a type parameter is an uninterpreted signature. What remains
//! unknown is left out, and the specification says so in a comment.

use std::any::TypeId;
use std::collections::BTreeMap;

use syn::punctuated::Punctuated;
use syn::{
    Attribute, Expr, ExprLit, Fields, GenericArgument, GenericParam, Item, Lit, Meta, PathArguments, Token,
    Type,
};
use tera_heap::{
    FieldDesc, Null, Numbering, Seq, Shape, Style, TypeDesc, TypeGraph, TypeIx, VariantDesc, Wrap,
};

/// The types of all files. The command runs once, so the texts of a description may live for good.
pub fn types(sources: &[(String, String)]) -> Result<TypeGraph, String> {
    let mut items = Items::default();
    for (name, text) in sources {
        let file = syn::parse_file(text).map_err(|error| {
            let at = error.span().start();
            format!("{name}:{}:{}: this is no Rust that can be read: {error}", at.line, at.column + 1)
        })?;
        items.add(name, file.items);
    }
    // If some types have the derive, the others are not meant.
    if items.types.values().any(|ty| ty.derives) {
        items.types.retain(|_, ty| ty.derives);
    }
    if items.types.is_empty() {
        let names: Vec<&str> = sources.iter().map(|(name, _)| name.as_str()).collect();
        return Err(format!("no struct or enum in {}", names.join(", ")));
    }
    Ok(Reader::new(&items).graph())
}

/// A struct or enum.
struct Found {
    file: String,
    name: String,
    sig: Option<String>,
    params: Vec<String>,
    derives: bool,
    /// A newtype that the specification does not see.
    transparent: bool,
    is_enum: bool,
    variants: Vec<(String, Option<String>, Fields)>,
}

#[derive(Default)]
struct Items {
    /// By name; the order of declaration is in `order`.
    types: BTreeMap<String, Found>,
    order: Vec<String>,
    /// `type Link<T> = Option<Box<Node<T>>>`
    aliases: BTreeMap<String, (Vec<String>, Type)>,
}

impl Items {
    /// Whether a type or an alias of this name is in the files.
    fn has(&self, name: &str) -> bool {
        self.types.contains_key(name) || self.aliases.contains_key(name)
    }

    fn add(&mut self, file: &str, items: Vec<Item>) {
        for item in items {
            match item {
                Item::Struct(item) => {
                    let attributes = Attributes::of(&item.attrs);
                    let newtype = matches!(&item.fields, Fields::Unnamed(f) if f.unnamed.len() == 1);
                    let transparent =
                        attributes.transparent || (newtype && !attributes.object && attributes.sig.is_none());
                    let name = item.ident.to_string();
                    self.found(Found {
                        file: file.into(),
                        sig: attributes.sig,
                        params: params(&item.generics),
                        derives: attributes.derives,
                        transparent,
                        is_enum: false,
                        variants: vec![(name.clone(), None, item.fields)],
                        name,
                    });
                }
                Item::Enum(item) => {
                    let attributes = Attributes::of(&item.attrs);
                    let variants = item.variants.into_iter();
                    let variants = variants
                        .map(|variant| {
                            let sig = Attributes::of(&variant.attrs).sig;
                            (variant.ident.to_string(), sig, variant.fields)
                        })
                        .collect();
                    self.found(Found {
                        file: file.into(),
                        name: item.ident.to_string(),
                        sig: attributes.sig,
                        params: params(&item.generics),
                        derives: attributes.derives,
                        transparent: false,
                        is_enum: true,
                        variants,
                    });
                }
                Item::Type(item) => {
                    self.aliases.insert(item.ident.to_string(), (params(&item.generics), *item.ty));
                }
                Item::Mod(item) => {
                    if let Some((_, items)) = item.content {
                        self.add(file, items);
                    }
                }
                _ => {}
            }
        }
    }

    fn found(&mut self, found: Found) {
        if !self.types.contains_key(&found.name) {
            self.order.push(found.name.clone());
            self.types.insert(found.name.clone(), found);
        }
    }
}

fn params(generics: &syn::Generics) -> Vec<String> {
    let types = generics.params.iter().filter_map(|param| match param {
        GenericParam::Type(ty) => Some(ty.ident.to_string()),
        _ => None,
    });
    types.collect()
}

/// `#[heap(…)]` and `#[derive(Heap)]`, also inside `#[cfg_attr(test, …)]`.
#[derive(Default)]
struct Attributes {
    derives: bool,
    transparent: bool,
    object: bool,
    sig: Option<String>,
    name: Option<String>,
    skip: bool,
    arena: bool,
    index: Option<Type>,
    null: Null,
}

impl Attributes {
    fn of(attrs: &[Attribute]) -> Attributes {
        let mut result = Attributes::default();
        attrs.iter().for_each(|attr| result.meta(&attr.meta));
        result
    }

    fn meta(&mut self, meta: &Meta) {
        let Meta::List(list) = meta else { return };
        let parse = || list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
        if list.path.is_ident("cfg_attr") {
            let metas = parse();
            metas.into_iter().flatten().skip(1).for_each(|meta| self.meta(&meta));
        } else if list.path.is_ident("derive") {
            let paths = list.parse_args_with(Punctuated::<syn::Path, Token![,]>::parse_terminated);
            let mut paths = paths.into_iter().flatten();
            self.derives |= paths.any(|path| path.segments.last().is_some_and(|s| s.ident == "Heap"));
        } else if list.path.is_ident("heap") {
            // `crate = path` is no meta item; nothing else is lost with it.
            let _ = list.parse_nested_meta(|meta| {
                let text = |meta: &syn::meta::ParseNestedMeta<'_>| -> syn::Result<Option<String>> {
                    Ok(match meta.value()?.parse()? {
                        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
                        _ => None,
                    })
                };
                if meta.path.is_ident("sig") {
                    self.sig = text(&meta)?;
                } else if meta.path.is_ident("name") {
                    self.name = text(&meta)?;
                } else if meta.path.is_ident("index") {
                    self.index = Some(meta.value()?.parse()?);
                } else {
                    self.skip |= meta.path.is_ident("skip");
                    self.arena |= meta.path.is_ident("arena");
                    self.transparent |= meta.path.is_ident("transparent");
                    self.object |= meta.path.is_ident("object");
                    // What the number is does not matter here.
                    if meta.path.is_ident("null") || meta.path.is_ident("end") {
                        self.null = Null::End;
                    }
                    if meta.input.peek(Token![=]) {
                        meta.value()?.parse::<Expr>()?;
                    }
                }
                Ok(())
            });
        }
    }
}

fn leak(text: impl Into<String>) -> &'static str {
    Box::leak(text.into().into_boxed_str())
}

struct Reader<'a> {
    items: &'a Items,
    types: Vec<TypeDesc>,
    numbers: BTreeMap<String, TypeIx>,
    /// Names of signatures that are taken.
    sigs: BTreeMap<String, String>,
}

impl<'a> Reader<'a> {
    fn new(items: &'a Items) -> Reader<'a> {
        Reader { items, types: Vec::new(), numbers: BTreeMap::new(), sigs: BTreeMap::new() }
    }

    fn graph(mut self) -> TypeGraph {
        let order: Vec<&Found> =
            self.items.order.iter().filter_map(|name| self.items.types.get(name)).collect();
        for found in &order {
            self.sigs.insert(found.sig.clone().unwrap_or_else(|| found.name.clone()), found.name.clone());
        }
        for found in order.into_iter().filter(|found| !found.transparent) {
            self.object(found);
        }
        TypeGraph { types: self.types, roots: Vec::new() }
    }

    fn object(&mut self, found: &'a Found) -> TypeIx {
        if let Some(&ix) = self.numbers.get(&found.name) {
            return ix;
        }
        let ix = TypeIx(self.types.len() as u32);
        self.numbers.insert(found.name.clone(), ix);
        let sig = leak(found.sig.clone().unwrap_or_else(|| found.name.clone()));
        let id = TypeId::of::<()>();
        let rust = leak(found.name.clone());
        self.types.push(TypeDesc { sig, rust, id, is_enum: found.is_enum, variants: Vec::new() });
        let variants = found.variants.iter().map(|(name, own, fields)| {
            let variant = match own {
                _ if !found.is_enum => sig.to_string(),
                Some(own) => own.clone(),
                // Two signatures cannot have one name: the variant needs `#[heap(sig = "…")]`.
                None if self.sigs.get(name).is_some_and(|other| *other != found.name) || *name == sig => {
                    format!("{}_{name}", found.name)
                }
                None => name.clone(),
            };
            self.sigs.insert(variant.clone(), found.name.clone());
            let style = match fields {
                Fields::Named(_) => Style::Named,
                Fields::Unnamed(_) => Style::Tuple,
                Fields::Unit => Style::Unit,
            };
            let fields = fields.iter().enumerate().map(|(i, field)| self.field(found, i, field)).collect();
            VariantDesc { sig: leak(variant), path: leak(name.clone()), style, fields }
        });
        let variants = variants.collect();
        self.types[ix.0 as usize].variants = variants;
        ix
    }

    fn field(&mut self, found: &Found, i: usize, field: &syn::Field) -> FieldDesc {
        let attributes = Attributes::of(&field.attrs);
        let rust = match &field.ident {
            Some(ident) => ident.to_string().trim_start_matches("r#").to_string(),
            None => format!("f{i}"),
        };
        let shape = match attributes.skip {
            true => Err("it is marked `#[heap(skip)]`".to_string()),
            false => self.shape(&field.ty, &found.params, &mut Vec::new()),
        };
        let shape = match (shape, &attributes.index) {
            (Ok(shape), _) if attributes.arena => Ok(tera_heap::arena_shape(shape)),
            (Ok(shape), Some(target)) => self.shape(target, &found.params, &mut Vec::new()).map(|target| {
                tera_heap::replace_ints(shape, target, Numbering { first: 0, null: attributes.null })
            }),
            (shape, _) => shape,
        };
        let shape = shape.unwrap_or_else(|why| Shape::Skip(leak(why)));
        let line = field.ident.as_ref().map_or(0, |ident| ident.span().start().line);
        FieldDesc {
            label: leak(attributes.name.unwrap_or_else(|| rust.clone())),
            rust: leak(rust),
            place: leak(format!("{}:{line}", found.file)),
            shape,
        }
    }

    /// The shape of a type; an error says why there is none.
    fn shape(&mut self, ty: &Type, params: &[String], aliases: &mut Vec<String>) -> Result<Shape, String> {
        match ty {
            Type::Paren(inner) => self.shape(&inner.elem, params, aliases),
            Type::Group(inner) => self.shape(&inner.elem, params, aliases),
            Type::Array(array) => {
                let len = match &array.len {
                    Expr::Lit(ExprLit { lit: Lit::Int(len), .. }) => len.base10_parse().unwrap_or(0),
                    _ => 0,
                };
                let element = self.shape(&array.elem, params, aliases)?;
                Ok(Shape::Seq(Seq::Array(len), Box::new(element)))
            }
            Type::Slice(slice) => {
                let element = self.shape(&slice.elem, params, aliases)?;
                Ok(Shape::Seq(Seq::BoxedSlice, Box::new(element)))
            }
            Type::Ptr(pointer) => {
                let wrap = match pointer.mutability {
                    syn::PointerMutability::Mut(_) => Wrap::RawMut,
                    _ => Wrap::RawConst,
                };
                self.shape(&pointer.elem, params, aliases).map(|inner| inner.wrap(wrap))
            }
            Type::Tuple(tuple) if tuple.elems.is_empty() => Ok(Shape::Unit("()")),
            Type::Tuple(tuple) => {
                let parts = tuple.elems.iter().map(|ty| self.shape(ty, params, aliases));
                let parts = parts.collect::<Result<Vec<_>, _>>()?;
                match parts.iter().any(|part| part.may_be_empty()) {
                    true => unknown("a part of the tuple may be empty"),
                    false => Ok(Shape::Tuple(parts)),
                }
            }
            Type::Path(path) => {
                let Some(segment) = path.path.segments.last() else { return unknown("no name") };
                let arguments: Vec<Type> = match &segment.arguments {
                    PathArguments::AngleBracketed(arguments) => arguments
                        .args
                        .iter()
                        .filter_map(|argument| match argument {
                            GenericArgument::Type(ty) => Some(ty.clone()),
                            _ => None,
                        })
                        .collect(),
                    _ => Vec::new(),
                };
                self.named(&segment.ident.to_string(), &arguments, params, aliases)
            }
            Type::Reference(reference) if matches!(&*reference.elem, Type::Path(p) if p.path.is_ident("str")) => {
                Ok(Shape::Text { make: "" })
            }
            Type::Reference(_) => unknown("a reference borrows from something that no instance has"),
            Type::FnPtr(_) => unknown("a function is no data"),
            Type::TraitObject(_) => unknown("what is behind `dyn` is not known"),
            _ => unknown("this kind of type is not known"),
        }
    }

    fn named(
        &mut self,
        name: &str,
        arguments: &[Type],
        params: &[String],
        aliases: &mut Vec<String>,
    ) -> Result<Shape, String> {
        let argument = |this: &mut Self, aliases: &mut Vec<String>, i: usize| match arguments.get(i) {
            Some(ty) => this.shape(ty, params, aliases).map(Box::new),
            None => Err(format!("`{name}` without its type arguments")),
        };
        let wrap = |wrap: Wrap| Ok::<_, String>(Some(wrap));
        let wrapper = match name {
            "Box" => wrap(Wrap::Box),
            "Rc" => wrap(Wrap::Rc),
            "Arc" => wrap(Wrap::Arc),
            "Weak" => wrap(Wrap::RcWeak),
            "NonNull" => wrap(Wrap::NonNull),
            "AtomicPtr" => wrap(Wrap::AtomicPtr),
            "Cell" => wrap(Wrap::Cell),
            "RefCell" => wrap(Wrap::RefCell),
            "UnsafeCell" => wrap(Wrap::UnsafeCell),
            "Mutex" => wrap(Wrap::Mutex),
            "RwLock" => wrap(Wrap::RwLock),
            _ => Ok(None),
        }?;
        if let Some(wrapper) = wrapper {
            if matches!(arguments.first(), Some(Type::Path(p)) if p.path.is_ident("str")) {
                return Ok(Shape::Text { make: "Box::from" });
            }
            return Ok(argument(self, aliases, 0)?.wrap(wrapper));
        }
        if let Some(int) = integer(name) {
            return Ok(int);
        }
        match name {
            "bool" | "AtomicBool" => Ok(Shape::Bool),
            "char" => Ok(Shape::Char),
            "String" => Ok(Shape::Text { make: "String::from" }),
            "PhantomData" => Ok(Shape::Unit("PhantomData")),
            "PhantomPinned" => Ok(Shape::Unit("PhantomPinned")),
            "f32" | "f64" => {
                Err("a specification has no floating point numbers; `#[heap(skip)]` the field".into())
            }
            // Nothing to a specification.
            "Pin" | "ManuallyDrop" | "Wrapping" | "Saturating" | "Reverse" | "NonZero" => {
                argument(self, aliases, 0).map(|inner| *inner)
            }
            "Cow" => match arguments.first() {
                Some(Type::Path(path)) if path.path.is_ident("str") => Ok(Shape::Text { make: "Cow::from" }),
                _ => unknown("a `Cow` of anything but `str` is not known"),
            },
            "Option" | "OnceCell" | "OnceLock" => {
                let inner = argument(self, aliases, 0)?;
                let is_link = matches!(&*inner, Shape::Wrap(wrap, _) if wrap.is_link());
                match inner.may_be_empty() && !is_link {
                    true => Err("an `Option` of what may be empty looks the same both ways".into()),
                    false => Ok(Shape::Option(inner)),
                }
            }
            "Vec" | "BinaryHeap" | "SmallVec" | "ArrayVec" => {
                Ok(Shape::Seq(Seq::Vec, argument(self, aliases, 0)?))
            }
            "VecDeque" | "LinkedList" => Ok(Shape::Seq(Seq::VecDeque, argument(self, aliases, 0)?)),
            "HashMap" | "BTreeMap" | "IndexMap" => {
                Ok(Shape::Map("map", argument(self, aliases, 0)?, argument(self, aliases, 1)?))
            }
            "HashSet" | "BTreeSet" | "IndexSet" => Ok(Shape::Set("set", argument(self, aliases, 0)?)),
            _ if params.iter().any(|param| param == name) || self.items.has(name) => {
                self.own(name, arguments, params, aliases)
            }
            "Ordering" => {
                let variants = ["Less", "Equal", "Greater"].map(|name| (name, Vec::new()));
                Ok(Shape::Object(self.foreign("Ordering", true, variants.into())))
            }
            "Result" => {
                let (ok, err) = (argument(self, aliases, 0)?, argument(self, aliases, 1)?);
                let variants = vec![("Ok", vec![("f0", *ok)]), ("Err", vec![("f0", *err)])];
                Ok(Shape::Object(self.foreign("Result", true, variants)))
            }
            "Range" => {
                let bound = argument(self, aliases, 0)?;
                let fields = vec![("start", (*bound).clone()), ("end", *bound)];
                Ok(Shape::Object(self.foreign("Range", false, vec![("Range", fields)])))
            }
            _ => self.own(name, arguments, params, aliases),
        }
    }

    /// An object type of the standard library, as the mapping has it.
    fn foreign(
        &mut self,
        name: &'static str,
        is_enum: bool,
        variants: Vec<(&'static str, Vec<(&'static str, Shape)>)>,
    ) -> TypeIx {
        let key = format!("<std {name}>");
        if let Some(&ix) = self.numbers.get(&key) {
            return ix;
        }
        let ix = TypeIx(self.types.len() as u32);
        let variants = variants.into_iter().map(|(sig, fields)| {
            let field = |(label, shape)| FieldDesc { label, rust: label, place: "", shape };
            let fields = fields.into_iter().map(field).collect();
            VariantDesc { sig, path: sig, style: Style::Named, fields }
        });
        let variants = variants.collect();
        self.types.push(TypeDesc { sig: name, rust: name, id: TypeId::of::<()>(), is_enum, variants });
        self.numbers.insert(key, ix);
        ix
    }

    /// A type parameter, an alias, or a type of the files.
    fn own(
        &mut self,
        name: &str,
        arguments: &[Type],
        params: &[String],
        aliases: &mut Vec<String>,
    ) -> Result<Shape, String> {
        if params.iter().any(|param| param == name) {
            return Ok(Shape::Object(self.parameter(name)));
        }
        if let Some((formal, ty)) = self.items.aliases.get(name) {
            if aliases.iter().any(|alias| alias == name) {
                return Err(format!("the alias `{name}` leads to itself"));
            }
            let mut ty = ty.clone();
            let mut substitution = Substitution { formal, actual: arguments };
            syn::visit_mut::visit_type_mut(&mut substitution, &mut ty);
            aliases.push(name.into());
            let shape = self.shape(&ty, params, aliases);
            aliases.pop();
            return shape;
        }
        match self.items.types.get(name) {
            Some(found) if found.transparent => {
                let field = found.variants[0].2.iter().next();
                let Some(field) = field else { return Err(format!("`{name}` has no field")) };
                if aliases.iter().any(|alias| alias == name) {
                    return Err(format!("the newtype `{name}` leads to itself"));
                }
                aliases.push(name.into());
                let shape = self.shape(&field.ty.clone(), &found.params, aliases);
                aliases.pop();
                shape
            }
            Some(found) => Ok(Shape::Object(self.object(found))),
            None => Err(format!(
                "`{name}` is not in these files; name its file too, `#[heap(skip)]` the field, or implement \
                 the mapping by hand"
            )),
        }
    }

    /// A signature without fields for a type parameter.
    fn parameter(&mut self, name: &str) -> TypeIx {
        let key = format!("<{name}>");
        if let Some(&ix) = self.numbers.get(&key) {
            return ix;
        }
        let sig = leak(name);
        let ix = TypeIx(self.types.len() as u32);
        let variants = vec![VariantDesc { sig, path: sig, style: Style::Unit, fields: Vec::new() }];
        self.types.push(TypeDesc { sig, rust: sig, id: TypeId::of::<()>(), is_enum: false, variants });
        self.numbers.insert(key, ix);
        ix
    }
}

fn unknown(what: &str) -> Result<Shape, String> {
    Err(format!("{what}; `#[heap(skip)]` the field, or implement the mapping by hand"))
}

/// The integer types, those in a `NonZero` and atomic ones: `NonZeroU8` and `AtomicU8` for `u8`.
fn integer(name: &str) -> Option<Shape> {
    let behind = name.strip_prefix("NonZero").or(name.strip_prefix("Atomic"));
    let plain = behind.map(str::to_ascii_lowercase);
    let int = |rust: &'static str, min: i128, max: i128| Some(Shape::Int { rust, min, max });
    match plain.as_deref().unwrap_or(name) {
        "i8" => int("i8", i8::MIN.into(), i8::MAX.into()),
        "i16" => int("i16", i16::MIN.into(), i16::MAX.into()),
        "i32" => int("i32", i32::MIN.into(), i32::MAX.into()),
        "i64" | "isize" => int("i64", i64::MIN.into(), i64::MAX.into()),
        "i128" => int("i128", i128::MIN, i128::MAX),
        "u8" => int("u8", 0, u8::MAX.into()),
        "u16" => int("u16", 0, u16::MAX.into()),
        "u32" => int("u32", 0, u32::MAX.into()),
        "u64" | "usize" => int("u64", 0, u64::MAX.into()),
        "u128" => int("u128", 0, i128::MAX),
        _ => None,
    }
}

/// Puts the arguments of an alias in place of its parameters.
struct Substitution<'a> {
    formal: &'a [String],
    actual: &'a [Type],
}

impl syn::visit_mut::VisitMut for Substitution<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::Path(path) = &*ty
            && let Some(ident) = path.path.get_ident()
            && let Some(i) = self.formal.iter().position(|formal| ident == formal)
            && let Some(actual) = self.actual.get(i)
        {
            *ty = actual.clone();
            return;
        }
        syn::visit_mut::visit_type_mut(self, ty);
    }
}
