//! Structs and enums with identity: one signature, or one per variant.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, Expr, Field, Fields, Path, Result, Type};

use super::Context;
use super::attributes::{FieldAttributes, Null, Part, VariantAttributes};

/// A variant, or the whole of a struct.
struct Variant {
    sig: String,
    /// `Self` or `Self::Name`
    path: TokenStream,
    /// As a user writes it.
    shown: String,
    style: &'static str,
    fields: Vec<PreparedField>,
}

pub(super) struct PreparedField {
    /// The name or position.
    pub(super) member: syn::Member,
    /// What it is bound to in patterns.
    local: Ident,
    label: String,
    ty: Type,
    part: Part,
}

impl Variant {
    fn new(sig: String, path: TokenStream, shown: String, fields: &Fields) -> Result<Variant> {
        let style = match fields {
            Fields::Named(_) => "Named",
            Fields::Unnamed(_) => "Tuple",
            Fields::Unit => "Unit",
        };
        let fields = fields.iter().enumerate().map(|(i, field)| prepare(i, field)).collect::<Result<_>>()?;
        Ok(Variant { sig, path, shown, style, fields })
    }

    /// `Self::Name { 0: f0, 1: f1 }`, for patterns and expressions alike.
    fn build(&self, values: impl Iterator<Item = TokenStream>) -> TokenStream {
        let path = &self.path;
        let members = self.fields.iter().map(|field| &field.member);
        quote!(#path { #(#members: #values),* })
    }

    fn pattern(&self) -> TokenStream {
        self.build(self.fields.iter().map(|field| field.local.to_token_stream()))
    }
}

pub(super) fn prepare(i: usize, field: &Field) -> Result<PreparedField> {
    let attributes = FieldAttributes::parse(&field.attrs)?;
    let member = match &field.ident {
        Some(ident) => syn::Member::Named(ident.clone()),
        None => syn::Member::Unnamed(syn::Index { index: i as u32, span: field.ty.span() }),
    };
    let plain = match &field.ident {
        Some(ident) => ident.to_string().trim_start_matches("r#").to_string(),
        None => format!("f{i}"),
    };
    Ok(PreparedField {
        member,
        local: format_ident!("__f{i}"),
        label: attributes.name.unwrap_or(plain),
        ty: field.ty.clone(),
        part: attributes.part,
    })
}

pub fn derive(context: &Context) -> Result<TokenStream> {
    let input = &context.input;
    let krate = &context.attributes.krate;
    let ident = &input.ident;
    let name = ident.to_string().trim_start_matches("r#").to_string();
    let sig = context.attributes.sig.clone().unwrap_or_else(|| name.clone());
    let (is_enum, variants) = match &input.data {
        Data::Enum(data) => {
            let variants = data
                .variants
                .iter()
                .map(|variant| {
                    let attributes = VariantAttributes::parse(&variant.attrs)?;
                    let ident = &variant.ident;
                    let plain = ident.to_string().trim_start_matches("r#").to_string();
                    let sig = attributes.sig.unwrap_or_else(|| plain.clone());
                    Variant::new(sig, quote!(Self::#ident), format!("{name}::{plain}"), &variant.fields)
                })
                .collect::<Result<Vec<_>>>()?;
            (true, variants)
        }
        Data::Struct(data) => {
            (false, vec![Variant::new(sig.clone(), quote!(Self), name.clone(), &data.fields)?])
        }
        Data::Union(_) => unreachable!("rejected before"),
    };

    let descriptions = variants.iter().map(|variant| describe(krate, variant));
    let makes = variants.iter().enumerate().map(|(v, variant)| make(krate, v, variants.len(), variant));
    let numbers = variants.iter().enumerate().map(|(v, variant)| {
        let path = &variant.path;
        quote!(#path { .. } => #v)
    });
    let visits = variants.iter().map(|variant| visit(krate, variant));
    let surveys = variants.iter().map(|variant| survey(krate, variant));
    let (generics, ty_generics, where_clause) = context.generics.split_for_impl();

    Ok(quote! {
        #[automatically_derived]
        const _: () = {
            impl #generics #krate::Mapped for #ident #ty_generics #where_clause {
                const ONE_TUPLE: bool = true;

                fn shape(__d: &mut #krate::Describer) -> #krate::Shape {
                    __d.object::<Self>(|__d| (#sig, #is_enum, ::std::vec![#(#descriptions),*]))
                }
            }

            impl #generics #krate::Concretize for #ident #ty_generics #where_clause {
                #[inline]
                fn from_tuple(
                    __c: &mut #krate::Concretizer<'_>,
                    __plan: &#krate::Plan,
                    __tuple: usize,
                ) -> ::core::result::Result<Self, #krate::Stop> {
                    __c.object::<Self>(__plan, __tuple)
                }

                #[inline]
                unsafe fn placed(
                    __this: *mut Self,
                    __c: &mut #krate::Concretizer<'_>,
                    __plan: &#krate::Plan,
                    __tuple: usize,
                ) {
                    __c.place(__this, __plan, __tuple);
                }

                unsafe fn survey_tuple(
                    __this: *mut Self,
                    __c: &mut #krate::Concretizer<'_>,
                    __plan: &#krate::Plan,
                    __tuple: usize,
                ) {
                    __c.place(__this, __plan, __tuple);
                }
            }

            impl #generics #krate::Abstraction for #ident #ty_generics #where_clause {
                #[inline]
                fn to_tuple(
                    &self,
                    __a: &mut #krate::Abstractor<'_>,
                    __plan: &#krate::Plan,
                    __place: #krate::Place,
                ) -> ::core::option::Option<usize> {
                    __a.object(self, __plan, __place)
                }
            }

            impl #generics #krate::OneTuple for #ident #ty_generics #where_clause {}

            #[allow(unused_variables, unused_unsafe, clippy::all)]
            impl #generics #krate::Heap for #ident #ty_generics #where_clause {
                fn make(
                    __c: &mut #krate::Concretizer<'_>,
                    __variant: usize,
                    __fields: &[#krate::Plan],
                    __at: usize,
                ) -> ::core::result::Result<Self, #krate::Stop> {
                    ::core::result::Result::Ok(match __variant { #(#makes),* })
                }

                #[inline]
                fn variant(&self) -> usize {
                    match self { #(#numbers),* }
                }

                fn visit(&self, __a: &mut #krate::Abstractor<'_>, __fields: &[#krate::Plan], __at: usize) {
                    match self { #(#visits),* }
                }

                unsafe fn survey_fields(
                    __this: *mut Self,
                    __c: &mut #krate::Concretizer<'_>,
                    __fields: &[#krate::Plan],
                    __at: usize,
                ) {
                    match unsafe { &mut *__this } { #(#surveys),* }
                }
            }
        };
    })
}

fn describe(krate: &Path, variant: &Variant) -> TokenStream {
    let Variant { sig, shown, style, .. } = variant;
    let style = format_ident!("{style}");
    let fields = variant.fields.iter().map(|field| {
        let PreparedField { label, ty, .. } = field;
        let rust = match &field.member {
            syn::Member::Named(ident) => ident.to_string(),
            syn::Member::Unnamed(index) => index.index.to_string(),
        };
        let shape = match &field.part {
            Part::Skip(expr) => {
                let text = shown_expression(expr);
                quote!(#krate::Shape::Skip(#text))
            }
            Part::Mapped => quote_spanned!(ty.span()=> <#ty as #krate::Mapped>::shape(__d)),
            Part::Arena => {
                quote_spanned!(ty.span()=> #krate::arena_shape(<#ty as #krate::Mapped>::shape(__d)))
            }
            Part::Index(target, numbering) => {
                let first = match &numbering.first {
                    Some(first) => quote!((#first) as i128),
                    None => quote!(0),
                };
                let null = match &numbering.null {
                    Null::Absent => quote!(#krate::Null::Absent),
                    Null::Number(null) => quote!(#krate::Null::Number((#null) as i128)),
                    Null::End => quote!(#krate::Null::End),
                };
                quote_spanned! {ty.span()=>
                    {
                        let __shape = <#ty as #krate::Mapped>::shape(__d);
                        #krate::index_shape::<#target>(
                            __shape,
                            #krate::Numbering { first: #first, null: #null },
                            __d,
                        )
                    }
                }
            }
        };
        // With the span of the field, and so of its edition: no path that the edition of 2015 reads otherwise.
        let place = quote_spanned!(ty.span()=> concat!(file!(), ":", line!()));
        quote!(#krate::FieldDesc { label: #label, rust: #rust, place: #place, shape: #shape })
    });
    quote! {
        #krate::VariantDesc {
            sig: #sig,
            path: #shown,
            style: #krate::Style::#style,
            fields: ::std::vec![#(#fields),*],
        }
    }
}

/// The expression as printed source is to have it.
pub(super) fn shown_expression(expr: &Expr) -> String {
    match expr.to_token_stream().to_string() {
        text if text.contains("core :: default :: Default :: default") => "Default::default()".into(),
        text => text,
    }
}

fn make(krate: &Path, v: usize, n: usize, variant: &Variant) -> TokenStream {
    let value = |i: usize, field: &PreparedField| {
        let ty = &field.ty;
        match &field.part {
            Part::Skip(expr) => expr.to_token_stream(),
            _ => quote_spanned! {ty.span()=>
                <#ty as #krate::Concretize>::concretize(__c, &__fields[#i], __at)?
            },
        }
    };
    let fields = || variant.fields.iter().enumerate();
    let arenas: Vec<usize> =
        fields().filter(|(_, field)| matches!(field.part, Part::Arena)).map(|(i, _)| i).collect();
    let value = if arenas.is_empty() {
        variant.build(fields().map(|(i, field)| value(i, field)))
    } else {
        // Indices are resolved against arenas, and arenas may grow by indices: those come first and last.
        let opened = arenas.iter().map(|i| quote!(__c.open_arena(&__fields[#i], __at);));
        let (last, first): (Vec<_>, Vec<_>) = fields().partition(|(i, _)| arenas.contains(i));
        let lets = first.into_iter().chain(last).map(|(i, field)| {
            let local = &field.local;
            let value = value(i, field);
            quote!(let #local = #value;)
        });
        let built = variant.pattern();
        quote! {{
            let __outer = __c.arena();
            #(#opened)*
            #(#lets)*
            __c.close_arena(__outer);
            #built
        }}
    };
    match v + 1 == n {
        true => quote!(_ => #value),
        false => quote!(#v => #value),
    }
}

fn visit(krate: &Path, variant: &Variant) -> TokenStream {
    let pattern = variant.pattern();
    let visits = variant.fields.iter().enumerate().map(|(i, field)| {
        let PreparedField { ty, local, .. } = field;
        match &field.part {
            Part::Skip(_) => TokenStream::new(),
            _ => quote_spanned! {ty.span()=>
                <#ty as #krate::Abstraction>::abstraction(#local, __a, &__fields[#i], __at);
            },
        }
    });
    let opened = variant.fields.iter().enumerate().filter(|(_, field)| matches!(field.part, Part::Arena)).map(
        |(i, PreparedField { ty, local, .. })| {
            quote_spanned!(ty.span()=> #krate::ArenaField::open(#local, __a, &__fields[#i], __at);)
        },
    );
    quote!(#pattern => { #(#opened)* #(#visits)* })
}

fn survey(krate: &Path, variant: &Variant) -> TokenStream {
    let pattern = variant.pattern();
    let surveys = variant.fields.iter().enumerate().map(|(i, field)| {
        let PreparedField { ty, local, .. } = field;
        match &field.part {
            Part::Skip(_) => TokenStream::new(),
            _ => {
                let survey = quote_spanned! {ty.span()=>
                    <#ty as #krate::Concretize>::survey(#local, __c, &__fields[#i], __at)
                };
                // The keyword is the macro's: crates that forbid unsafe code do not mean ours.
                quote!(if __fields[#i].links { unsafe { #survey }; })
            }
        }
    });
    quote!(#pattern => { #(#surveys)* })
}
