//! Newtypes: everything is said of the one field.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, Fields, Result};

use super::attributes::{FieldAttributes, Part};
use super::{Context, only_field};

pub fn derive(context: &Context, fields: &Fields) -> Result<TokenStream> {
    let krate = &context.attributes.krate;
    let ident = &context.input.ident;
    let Some(field) = only_field(fields) else {
        return Err(Error::new_spanned(ident, "only a struct with one field can be transparent"));
    };
    if !matches!(FieldAttributes::parse(&field.attrs)?.part, Part::Mapped) {
        return Err(Error::new_spanned(
            field,
            "the field of a transparent newtype is mapped by its type; put `#[heap(object)]` on the struct",
        ));
    }
    let ty = &field.ty;
    let member = match &field.ident {
        Some(ident) => syn::Member::Named(ident.clone()),
        None => syn::Member::Unnamed(syn::Index { index: 0, span: ty.span() }),
    };
    let path = ident.to_string();
    let is_tuple = matches!(fields, Fields::Unnamed(_));
    let opening = match &member {
        syn::Member::Named(name) => format!("{path} {{ {name}: "),
        syn::Member::Unnamed(_) => format!("{path}("),
    };
    let closing = if is_tuple { ")" } else { " }" };
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
                    ::core::result::Result::Ok(Self { #member: #concretize::concretize(__c, __plan, __at)? })
                }

                #[inline]
                fn from_tuple(
                    __c: &mut #krate::Concretizer<'_>,
                    __plan: &#krate::Plan,
                    __tuple: usize,
                ) -> ::core::result::Result<Self, #krate::Stop> {
                    ::core::result::Result::Ok(Self { #member: #concretize::from_tuple(__c, __plan, __tuple)? })
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
