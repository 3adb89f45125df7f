//! `#[derive(Heap)]`: how a type becomes a signature.
//!
//! The macro sees tokens, not types, so it names no shape: it hands each field to the traits of
//! `tera-heap` by the field's type as written, at the span of that type. A field that cannot be
//! mapped is therefore an error of the compiler that points at the field and says what to do.

mod attributes;
mod object;
mod transparent;

use proc_macro2::TokenStream;
use syn::{Data, DeriveInput, Error, Fields, GenericParam, Generics, Result};

use attributes::TypeAttributes;

/// Everything about the type that each implementation needs.
struct Context {
    input: DeriveInput,
    attributes: TypeAttributes,
    /// The generics with the bounds of the mapping.
    generics: Generics,
}

pub fn derive(tokens: TokenStream) -> Result<TokenStream> {
    let input: DeriveInput = syn::parse2(tokens)?;
    let attributes = TypeAttributes::parse(&input.attrs)?;
    let generics = bounded(&input.generics, &attributes)?;
    let context = Context { input, attributes, generics };
    match &context.input.data {
        Data::Union(_) => Err(Error::new_spanned(
            &context.input.ident,
            "a union does not know which of its fields is there: implement `Mapped`, `Concretize` and \
             `Abstraction` by hand",
        )),
        Data::Struct(data) if context.attributes.is_transparent(&data.fields) => {
            transparent::derive(&context, &data.fields)
        }
        Data::Enum(data) if data.variants.is_empty() => Err(Error::new_spanned(
            &context.input.ident,
            "an enum without variants has no values: there is nothing to map",
        )),
        _ => object::derive(&context),
    }
}

/// Every type parameter becomes `OneTuple`, unless the user says otherwise.
fn bounded(generics: &Generics, attributes: &TypeAttributes) -> Result<Generics> {
    let mut generics = generics.clone();
    let krate = &attributes.krate;
    for param in &mut generics.params {
        match param {
            GenericParam::Lifetime(lifetime) => {
                return Err(Error::new_spanned(
                    lifetime,
                    "a value with a lifetime borrows from something that no instance has: derive `Heap` on an \
                     owning type, or implement the traits by hand for `'static`",
                ));
            }
            GenericParam::Type(ty) => {
                ty.default = None;
                match attributes.bound {
                    None => ty.bounds.push(syn::parse_quote!(#krate::OneTuple)),
                    Some(_) => ty.bounds.push(syn::parse_quote!('static)),
                }
            }
            GenericParam::Const(param) => param.default = None,
        }
    }
    if let Some(bound) = &attributes.bound {
        generics.make_where_clause().predicates.extend(bound.iter().cloned());
    }
    Ok(generics)
}

/// The one field of a newtype.
fn only_field(fields: &Fields) -> Option<&syn::Field> {
    let mut iter = fields.iter();
    iter.next().filter(|_| iter.next().is_none())
}
