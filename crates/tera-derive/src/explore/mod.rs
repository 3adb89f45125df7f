//! The derive `Candidate`: class and field domains of a type, and the view through which a predicate reads
//! candidates and real values alike.
//!
//! A struct gets a view `NameRef` with one accessor per field, a C-like enum is its own view, an enum with
//! payload gets a view `NameRef` whose `case()` is the enum `NameCase` of its unread fields. Everything
//! else follows from the field types by the trait `Field`, so that aliases work.

mod enums;
mod structure;

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Fields, Generics, Ident, Index, Member, Path, Result, Type};

pub(crate) fn derive(input: TokenStream) -> Result<TokenStream> {
    let input: DeriveInput = syn::parse2(input)?;
    let context = Context::new(&input)?;
    match &input.data {
        Data::Struct(data) => context.structure(&data.fields),
        Data::Enum(data) if data.variants.is_empty() => {
            Err(Error::new(input.ident.span(), "an enum without variants has no values to search for"))
        }
        Data::Enum(data) if data.variants.iter().all(|variant| variant.fields.is_empty()) => {
            Ok(context.plain_enum(data.variants.iter().map(|variant| &variant.ident).collect()))
        }
        Data::Enum(data) => {
            let variants = data.variants.iter().map(|variant| (&variant.ident, &variant.fields)).collect();
            context.sum_enum(variants)
        }
        Data::Union(_) => Err(Error::new(
            input.ident.span(),
            "a union does not say which of its fields is present; implement `Field` by hand",
        )),
    }
}

/// What the attribute `#[candidate(...)]` says.
#[derive(Default)]
struct Attributes {
    skip: bool,
    krate: Option<Path>,
}

fn attributes(attrs: &[syn::Attribute]) -> Result<Attributes> {
    let mut found = Attributes::default();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("candidate")) {
        attr.parse_nested_meta(|meta| {
            if meta.path.is_ident("skip") {
                found.skip = true;
                Ok(())
            } else if meta.path.is_ident("crate") {
                found.krate = Some(meta.value()?.parse()?);
                Ok(())
            } else {
                Err(meta.error("expected `skip` (on a field) or `crate = path` (on the type)"))
            }
        })?;
    }
    Ok(found)
}

struct Context<'i> {
    input: &'i DeriveInput,
    /// Where the traits are.
    krate: TokenStream,
    /// With `Field` bounds on the type parameters.
    generics: Generics,
}

/// One field that is not skipped.
struct Slot<'i> {
    member: Member,
    /// The name of the accessor.
    accessor: Ident,
    ty: &'i Type,
    /// The field in a path, `Node.info`.
    label: String,
    /// Where the traits are, for code that is to blame the type of the field: all of its tokens lie there,
    /// so that the compiler says once, and at the right place, what is wrong with the type.
    krate: TokenStream,
}

fn respan(tokens: TokenStream, span: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            token.set_span(span);
            token
        })
        .collect()
}

impl<'i> Context<'i> {
    fn new(input: &'i DeriveInput) -> Result<Self> {
        if let Some(lifetime) = input.generics.lifetimes().next() {
            return Err(Error::new(
                lifetime.span(),
                "a candidate owns what it is made of: borrowed fields cannot be searched for",
            ));
        }
        let krate = match attributes(&input.attrs)?.krate {
            Some(path) => quote!(#path),
            // The crate of the traits has its own name for its tests, examples and benchmarks.
            None if std::env::var("CARGO_PKG_NAME").is_ok_and(|name| name == "tera-explore") => {
                quote!(::tera_explore)
            }
            None => quote!(::testera::explore),
        };
        let mut generics = input.generics.clone();
        for parameter in generics.type_params_mut() {
            parameter.bounds.push(syn::parse_quote!(#krate::Field));
        }
        Ok(Context { input, krate, generics })
    }

    fn slots(&self, owner: &str, fields: &'i Fields) -> Result<Vec<Option<Slot<'i>>>> {
        fields
            .iter()
            .enumerate()
            .map(|(at, field)| {
                if attributes(&field.attrs)?.skip {
                    return Ok(None);
                }
                let (member, accessor, name) = match &field.ident {
                    Some(ident) => {
                        let name = ident.to_string();
                        let name = name.trim_start_matches("r#").to_string();
                        (Member::Named(ident.clone()), ident.clone(), name)
                    }
                    None => {
                        let index = Index { index: at as u32, span: field.ty.span() };
                        (Member::Unnamed(index), format_ident!("field_{at}"), at.to_string())
                    }
                };
                let krate = respan(self.krate.clone(), field.ty.span());
                Ok(Some(Slot { member, accessor, ty: &field.ty, label: format!("{owner}.{name}"), krate }))
            })
            .collect()
    }

    /// Offsets of fields as expressions, and the sum of all widths.
    fn offsets(&self, first: TokenStream, slots: &[&Slot<'i>]) -> (Vec<TokenStream>, TokenStream) {
        let mut sum = first;
        let mut offsets = Vec::new();
        for slot in slots {
            let (ty, krate) = (slot.ty, &slot.krate);
            offsets.push(sum.clone());
            sum = quote_spanned!(ty.span()=> #sum + <#ty as #krate::Field>::WIDTH);
        }
        (offsets, sum)
    }

    /// The parts of a product, as an expression of type `Vec<Part>`.
    fn parts(&self, slots: &[&Slot<'i>], offsets: &[TokenStream]) -> TokenStream {
        let parts = slots.iter().zip(offsets).map(|(slot, offset)| {
            let (ty, label, krate) = (slot.ty, &slot.label, &slot.krate);
            let name = label.rsplit('.').next().unwrap_or_default();
            quote_spanned!(ty.span()=> #krate::Part {
                offset: #offset,
                name: #name,
                shape: declare.at(#label, <#ty as #krate::Field>::shape),
            })
        });
        quote!(::std::vec![#(#parts),*])
    }

    /// The initializer of one struct or variant.
    fn build(&self, fields: &Fields, slots: &[Option<Slot<'i>>], offsets: &[TokenStream]) -> TokenStream {
        let mut offsets = offsets.iter();
        let values = fields.iter().zip(slots).enumerate().map(|(at, (field, slot))| {
            let member = match &field.ident {
                Some(ident) => Member::Named(ident.clone()),
                None => Member::Unnamed(Index { index: at as u32, span: Span::call_site() }),
            };
            match slot {
                None => quote!(#member: ::std::default::Default::default()),
                Some(slot) => {
                    let (ty, offset, krate) = (slot.ty, offsets.next(), &slot.krate);
                    let value = quote_spanned!(ty.span()=>
                        <#ty as #krate::Field>::build(builder, slot + #offset));
                    quote!(#member: #value)
                }
            }
        });
        quote!({ #(#values),* })
    }

    /// The type of a view with what every view has.
    fn view_type(&self, view: &Ident, view_generics: &Generics) -> TokenStream {
        let (name, vis, krate) = (&self.input.ident, &self.input.vis, &self.krate);
        let (_, type_args, where_clause) = self.generics.split_for_impl();
        let (view_impl, view_args, _) = view_generics.split_for_impl();
        let doc = format!("The view of a [`{name}`]: of a candidate in a search, or of a real one.");
        quote! {
            #[doc = #doc]
            #vis struct #view #view_generics (#krate::Handle<'view, #name #type_args>) #where_clause;

            impl #view_impl ::std::clone::Clone for #view #view_args #where_clause {
                #[inline(always)]
                fn clone(&self) -> Self {
                    *self
                }
            }
            impl #view_impl ::std::marker::Copy for #view #view_args #where_clause {}
            impl #view_impl ::std::cmp::PartialEq for #view #view_args #where_clause {
                #[inline(always)]
                fn eq(&self, other: &Self) -> bool {
                    self.0 == other.0
                }
            }
            impl #view_impl ::std::cmp::Eq for #view #view_args #where_clause {}
            impl #view_impl ::std::hash::Hash for #view #view_args #where_clause {
                fn hash<H: ::std::hash::Hasher>(&self, state: &mut H) {
                    ::std::hash::Hash::hash(&self.0, state);
                }
            }
            impl #view_impl ::std::fmt::Debug for #view #view_args #where_clause {
                fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                    ::std::fmt::Debug::fmt(&self.0, f)
                }
            }
            impl #view_impl #krate::Object for #view #view_args #where_clause {
                #[inline(always)]
                fn address(self) -> usize {
                    self.0.address()
                }
                #[inline(always)]
                fn number(self) -> ::std::option::Option<usize> {
                    self.0.number()
                }
            }
            impl #view_impl #krate::Within<'view> for #view #view_args #where_clause {
                fn candidate(self) -> ::std::option::Option<&'view #krate::Candidate> {
                    self.0.owner()
                }
            }
            impl #view_impl ::std::convert::From<&'view #name #type_args> for #view #view_args #where_clause {
                #[inline]
                fn from(value: &'view #name #type_args) -> Self {
                    #view(#krate::Handle::real(value))
                }
            }
        }
    }
}
