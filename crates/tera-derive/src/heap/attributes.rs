//! `#[heap(...)]` on types, variants and fields.

use proc_macro2::Span;
use syn::meta::ParseNestedMeta;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, Fields, LitStr, Path, Result, Token, Type, WherePredicate};

use super::only_field;

pub struct TypeAttributes {
    pub krate: Path,
    pub sig: Option<String>,
    pub bound: Option<Punctuated<WherePredicate, Token![,]>>,
    transparent: bool,
    object: bool,
}

impl TypeAttributes {
    pub fn parse(attrs: &[Attribute]) -> Result<TypeAttributes> {
        let mut result = TypeAttributes {
            krate: syn::parse_quote!(::testera::heap),
            sig: None,
            bound: None,
            transparent: false,
            object: false,
        };
        each(attrs, |meta| {
            if meta.path.is_ident("crate") {
                result.krate = meta.value()?.parse()?;
            } else if meta.path.is_ident("sig") {
                result.sig = Some(name(&meta)?);
            } else if meta.path.is_ident("bound") {
                let text: LitStr = meta.value()?.parse()?;
                result.bound = Some(text.parse_with(Punctuated::parse_terminated)?);
            } else if meta.path.is_ident("transparent") {
                result.transparent = true;
            } else if meta.path.is_ident("object") {
                result.object = true;
            } else {
                return Err(meta.error(
                    "unknown option: on a type there are `sig = \"…\"`, `transparent`, `object`, \
                     `bound = \"…\"` and `crate = path`",
                ));
            }
            Ok(())
        })?;
        reject_packed(attrs)?;
        Ok(result)
    }

    /// Whether the struct is only a name for its one field.
    pub fn is_transparent(&self, fields: &Fields) -> bool {
        self.transparent
            || (!self.object
                && self.sig.is_none()
                && matches!(fields, Fields::Unnamed(_))
                && only_field(fields).is_some())
    }
}

#[derive(Default)]
pub struct VariantAttributes {
    pub sig: Option<String>,
}

impl VariantAttributes {
    pub fn parse(attrs: &[Attribute]) -> Result<VariantAttributes> {
        let mut result = VariantAttributes::default();
        each(attrs, |meta| {
            if meta.path.is_ident("sig") {
                result.sig = Some(name(&meta)?);
                return Ok(());
            }
            Err(meta.error("unknown option: on a variant there is `sig = \"…\"`"))
        })?;
        Ok(result)
    }
}

/// How a field takes part.
#[allow(clippy::large_enum_variant)]
pub enum Part {
    /// By its type.
    Mapped,
    /// Filled with this expression.
    Skip(Expr),
    /// `#[heap(arena)]`: a `Vec` whose elements are named by their positions.
    Arena,
    /// `#[heap(index = Node)]`: such positions.
    Index(Type, Numbering),
}

/// How numbers are positions.
#[derive(Default)]
pub struct Numbering {
    /// `first = 1`: the number of the first element.
    pub first: Option<Expr>,
    pub null: Null,
}

/// The number that names nothing.
#[derive(Default)]
pub enum Null {
    #[default]
    Absent,
    /// `null = u32::MAX`
    Number(Box<Expr>),
    /// `end`: the one behind the last.
    End,
}

pub struct FieldAttributes {
    pub name: Option<String>,
    pub part: Part,
}

impl FieldAttributes {
    pub fn parse(attrs: &[Attribute]) -> Result<FieldAttributes> {
        let mut result = FieldAttributes { name: None, part: Part::Mapped };
        let mut numbering = Numbering::default();
        let mut said = None;
        each(attrs, |meta| {
            let part = if meta.path.is_ident("name") {
                result.name = Some(name(&meta)?);
                return Ok(());
            } else if meta.path.is_ident("skip") {
                Part::Skip(match meta.input.peek(Token![=]) {
                    true => meta.value()?.parse()?,
                    false => syn::parse_quote!(::core::default::Default::default()),
                })
            } else if meta.path.is_ident("arena") {
                Part::Arena
            } else if meta.path.is_ident("index") {
                Part::Index(meta.value()?.parse()?, Numbering::default())
            } else if ["null", "first", "end"].iter().any(|word| meta.path.is_ident(word)) {
                said = Some(meta.path.span());
                if meta.path.is_ident("first") {
                    numbering.first = Some(meta.value()?.parse()?);
                    return Ok(());
                }
                if !matches!(numbering.null, Null::Absent) {
                    return Err(meta.error("`null` and `end` exclude each other"));
                }
                numbering.null = match meta.path.is_ident("end") {
                    true => Null::End,
                    false => Null::Number(Box::new(meta.value()?.parse()?)),
                };
                return Ok(());
            } else {
                return Err(meta.error(
                    "unknown option: on a field there are `name = \"…\"`, `skip`, `skip = expression`, \
                     `arena`, `index = Type` and with it `null = value`, `end` and `first = value`",
                ));
            };
            if !matches!(result.part, Part::Mapped) {
                return Err(meta.error("`skip`, `arena` and `index` exclude each other"));
            }
            result.part = part;
            Ok(())
        })?;
        match (&mut result.part, said) {
            (Part::Index(_, slot), _) => *slot = numbering,
            (_, Some(span)) => {
                return Err(Error::new(
                    span,
                    "`null`, `end` and `first` say how an index is to be read: they stand beside `index = Type`",
                ));
            }
            (_, None) => {}
        }
        Ok(result)
    }
}

fn each(attrs: &[Attribute], mut f: impl FnMut(ParseNestedMeta) -> Result<()>) -> Result<()> {
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("heap")) {
        attr.parse_nested_meta(&mut f)?;
    }
    Ok(())
}

fn name(meta: &ParseNestedMeta) -> Result<String> {
    let text: LitStr = meta.value()?.parse()?;
    match text.value() {
        value if value.is_empty() => Err(Error::new(text.span(), "a name is wanted")),
        value => Ok(value),
    }
}

fn reject_packed(attrs: &[Attribute]) -> Result<()> {
    let mut packed: Option<Span> = None;
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("repr")) {
        attr.parse_nested_meta(|meta| {
            if meta.path.is_ident("packed") {
                packed = Some(meta.path.span());
            }
            if meta.input.peek(syn::token::Paren) {
                let inside;
                syn::parenthesized!(inside in meta.input);
                inside.parse::<proc_macro2::TokenStream>()?;
            }
            Ok(())
        })?;
    }
    match packed {
        Some(span) => Err(Error::new(
            span,
            "the fields of a packed struct cannot be pointed to: implement `Mapped`, `Concretize` and \
             `Abstraction` by hand",
        )),
        None => Ok(()),
    }
}
