//! The derive of a struct: a view with one accessor per field.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Fields, Result};

use super::Context;

impl<'i> Context<'i> {
    pub(super) fn structure(&self, fields: &'i Fields) -> Result<TokenStream> {
        let (name, vis, krate) = (&self.input.ident, &self.input.vis, &self.krate);
        let view = format_ident!("{name}Ref");
        let slots = self.slots(&name.to_string(), fields)?;
        let kept: Vec<_> = slots.iter().flatten().collect();
        let (offsets, width) = self.offsets(quote!(0_usize), &kept);
        let parts = self.parts(&kept, &offsets);
        let build = self.build(fields, &slots, &offsets);
        let (_, type_args, where_clause) = self.generics.split_for_impl();
        let mut view_generics = self.generics.clone();
        view_generics.params.insert(0, syn::parse_quote!('view));
        let (view_impl, view_args, _) = view_generics.split_for_impl();
        let accessors = kept.iter().zip(&offsets).map(|(slot, offset)| {
            let (ty, member, accessor, krate) = (slot.ty, &slot.member, &slot.accessor, &slot.krate);
            let as_field = format_ident!("{}_field", accessor.to_string().trim_start_matches("r#"));
            let doc = format!("Reads `{}`.", slot.label);
            let doc_field = format!("`{}` as a field, not yet read.", slot.label);
            quote_spanned! {ty.span()=>
                #[doc = #doc]
                #[inline(always)]
                #vis fn #accessor(self) -> <#ty as #krate::Field>::View<'view> {
                    match self.0.place() {
                        #krate::Place::Candidate(candidate, slot) => {
                            <#ty as #krate::Field>::read(candidate, slot + #offset)
                        }
                        #krate::Place::Real(value) => <#ty as #krate::Field>::view(&value.#member),
                    }
                }
                #[doc = #doc_field]
                #[inline]
                #vis fn #as_field(self) -> #krate::FieldRef<'view, #ty> {
                    match self.0.place() {
                        #krate::Place::Candidate(candidate, slot) => {
                            #krate::FieldRef::candidate(candidate, slot + #offset)
                        }
                        #krate::Place::Real(value) => #krate::FieldRef::real(&value.#member),
                    }
                }
            }
        });
        let accessors = quote!(#(#accessors)*);
        let view_type = self.view_type(&view, &view_generics);
        let (generics, _, _) = self.generics.split_for_impl();
        let text = name.to_string();
        Ok(quote! {
            #view_type

            #[allow(dead_code, private_interfaces, clippy::should_implement_trait)]
            impl #view_impl #view #view_args #where_clause {
                #accessors
            }

            impl #generics #krate::Field for #name #type_args #where_clause {
                const WIDTH: usize = #width;
                const CLASS: ::std::option::Option<&'static str> = ::std::option::Option::Some(#text);
                type View<'view> = #view #view_args;

                fn shape(declare: &mut #krate::Declare) -> #krate::Shape {
                    #krate::Shape::Product(#parts)
                }
                #[inline(always)]
                fn read_at(candidate: &#krate::Candidate, at: usize) -> Self::View<'_> {
                    #view(#krate::Handle::inline(candidate, at))
                }
                #[inline]
                fn read(candidate: &#krate::Candidate, slot: usize) -> Self::View<'_> {
                    #view(#krate::Handle::inline(candidate, slot))
                }
                #[inline]
                fn view(value: &Self) -> Self::View<'_> {
                    #view(#krate::Handle::real(value))
                }
                #[allow(unused_variables)]
                fn build(builder: &mut #krate::Builder<'_>, slot: usize) -> Self {
                    Self #build
                }
            }

            impl #generics #krate::Structure for #name #type_args #where_clause {
                const NAME: &'static str = #text;
                type Ref<'view> = #view #view_args;
                #[inline(always)]
                fn view_at(at: #krate::Handle<'_, Self>) -> Self::Ref<'_> {
                    #view(at)
                }
            }
        })
    }
}
