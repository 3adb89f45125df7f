//! Newtypes: everything is said of the one field that is not skipped.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, Fields, Member, Result};

use super::Context;
use super::attributes::{FieldAttributes, Part};
use super::object::{prepare, shown_expression};

pub fn derive(context: &Context, fields: &Fields) -> Result<TokenStream> {
    let krate = &context.attributes.krate;
    let ident = &context.input.ident;
    let mut kept = None;
    let mut skipped = Vec::new();
    for (i, field) in fields.iter().enumerate() {
        let attributes = FieldAttributes::parse(&field.attrs)?;
        let prepared = prepare(i, field)?;
        match attributes.part {
            Part::Skip(value) => skipped.push((prepared.member, value)),
            Part::Mapped if kept.is_none() => kept = Some((prepared.member, field)),
            Part::Mapped => {
                return Err(Error::new_spanned(
                    field,
                    "a transparent struct is its one field: put `#[heap(skip)]` on the others",
                ));
            }
            Part::Arena | Part::Index(..) => {
                return Err(Error::new_spanned(
                    field,
                    "the field of a transparent newtype is mapped by its type; put `#[heap(object)]` on the struct",
                ));
            }
        }
    }
    let Some((member, field)) = kept else {
        return Err(Error::new_spanned(ident, "a transparent struct is its one field, but this has none"));
    };
    let ty = &field.ty;
    let (opening, closing) = shown(ident, fields, &member, &skipped);
    let others = skipped.iter().map(|(member, value)| quote!(#member: #value));
    let others = quote!(#(#others),*);
    let mapped = quote_spanned!(ty.span()=> <#ty as #krate::Mapped>);
    let concretize = quote_spanned!(ty.span()=> <#ty as #krate::Concretize>);
    let abstraction = quote_spanned!(ty.span()=> <#ty as #krate::Abstraction>);
    let (generics, ty_generics, where_clause) = context.generics.split_for_impl();

    // Whether the newtype is exactly one tuple depends on the field alone. The lifetime keeps the
    // compiler from judging the bound before it is used.
    let mut one_tuple = context.generics.clone();
    one_tuple.make_where_clause().predicates.push(syn::parse_quote!(for<'__trivial> #ty: #krate::OneTuple));
    let (_, _, one_tuple) = one_tuple.split_for_impl();

    Ok(quote! {
        #[automatically_derived]
        const _: () = {
            impl #generics #krate::Mapped for #ident #ty_generics #where_clause {
                const ONE_TUPLE: bool = #mapped::ONE_TUPLE;

                fn shape(__d: &mut #krate::Describer) -> #krate::Shape {
                    #mapped::shape(__d).wrap(#krate::Wrap::Newtype(#opening, #closing))
                }
            }

            impl #generics #krate::Concretize for #ident #ty_generics #where_clause {
                #[inline]
                fn concretize(
                    __c: &mut #krate::Concretizer<'_>,
                    __plan: &#krate::Plan,
                    __at: usize,
                ) -> ::core::result::Result<Self, #krate::Stop> {
                    ::core::result::Result::Ok(Self {
                        #member: #concretize::concretize(__c, __plan, __at)?,
                        #others
                    })
                }

                #[inline]
                fn from_tuple(
                    __c: &mut #krate::Concretizer<'_>,
                    __plan: &#krate::Plan,
                    __tuple: usize,
                ) -> ::core::result::Result<Self, #krate::Stop> {
                    ::core::result::Result::Ok(Self {
                        #member: #concretize::from_tuple(__c, __plan, __tuple)?,
                        #others
                    })
                }

                unsafe fn placed(
                    __this: *mut Self,
                    __c: &mut #krate::Concretizer<'_>,
                    __plan: &#krate::Plan,
                    __tuple: usize,
                ) {
                    unsafe { #concretize::placed(&raw mut (*__this).#member, __c, __plan, __tuple) }
                }

                unsafe fn survey(
                    __this: *mut Self,
                    __c: &mut #krate::Concretizer<'_>,
                    __plan: &#krate::Plan,
                    __at: usize,
                ) {
                    unsafe { #concretize::survey(&raw mut (*__this).#member, __c, __plan, __at) }
                }

                unsafe fn survey_tuple(
                    __this: *mut Self,
                    __c: &mut #krate::Concretizer<'_>,
                    __plan: &#krate::Plan,
                    __tuple: usize,
                ) {
                    unsafe { #concretize::survey_tuple(&raw mut (*__this).#member, __c, __plan, __tuple) }
                }
            }

            impl #generics #krate::Abstraction for #ident #ty_generics #where_clause {
                #[inline]
                fn abstraction(&self, __a: &mut #krate::Abstractor<'_>, __plan: &#krate::Plan, __at: usize) {
                    #abstraction::abstraction(&self.#member, __a, __plan, __at)
                }

                #[inline]
                fn to_tuple(
                    &self,
                    __a: &mut #krate::Abstractor<'_>,
                    __plan: &#krate::Plan,
                    __place: #krate::Place,
                ) -> ::core::option::Option<usize> {
                    #abstraction::to_tuple(&self.#member, __a, __plan, __place)
                }
            }

            impl #generics #krate::OneTuple for #ident #ty_generics #one_tuple {}
        };
    })
}

/// How Rust writes such a struct, before and behind the value of its field.
fn shown(
    ident: &Ident,
    fields: &Fields,
    member: &Member,
    skipped: &[(Member, syn::Expr)],
) -> (String, String) {
    let mut before = Vec::new();
    let mut behind = Vec::new();
    for field in fields.members() {
        match skipped.iter().find(|(skipped, _)| *skipped == field) {
            None => {}
            Some((Member::Named(name), value)) => behind.push(format!("{name}: {}", shown_expression(value))),
            Some((Member::Unnamed(at), value)) => {
                let is_before = matches!(member, Member::Unnamed(kept) if at.index < kept.index);
                let side = if is_before { &mut before } else { &mut behind };
                side.push(shown_expression(value));
            }
        }
    }
    let behind: String = behind.iter().map(|text| format!(", {text}")).collect();
    match member {
        Member::Named(name) => (format!("{ident} {{ {name}: "), format!("{behind} }}")),
        Member::Unnamed(_) => {
            let before: String = before.iter().map(|text| format!("{text}, ")).collect();
            (format!("{ident}({before}"), format!("{behind})"))
        }
    }
}
