//! The derive of an enum: without payload it is its own view; with payload the view says which case it is,
//! with the fields of the case not yet read.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Fields, Ident, Result};

use super::Context;

impl<'i> Context<'i> {
    pub(super) fn plain_enum(&self, variants: Vec<&Ident>) -> TokenStream {
        let (name, krate) = (&self.input.ident, &self.krate);
        let n = variants.len();
        let variant_names = variants.iter().map(|variant| variant.to_string());
        let numbers: Vec<_> = (0..n as i64).collect();
        let last = numbers.len() - 1;
        let (earlier, final_variant) = (&variants[..last], variants[last]);
        let earlier_numbers = &numbers[..last];
        quote! {
            impl #krate::Field for #name {
                const WIDTH: usize = 1;
                type View<'view> = #name;
                const BY_FIRST_SLOT: bool = true;

                fn shape(declare: &mut #krate::Declare) -> #krate::Shape {
                    let default = #krate::DefaultValues::Fixed { lo: 0, n: #n };
                    let domain = declare.domain(default, (0, #n as i128 - 1));
                    #krate::Shape::Data { domain: declare.name(domain, &[#(#variant_names),*]) }
                }
                #[inline(always)]
                fn read(candidate: &#krate::Candidate, slot: usize) -> #name {
                    Self::read_as(candidate, slot, candidate.get(slot))
                }
                #[inline(always)]
                fn read_as(_: &#krate::Candidate, _: usize, first: i64) -> #name {
                    match first {
                        #(#earlier_numbers => #name::#earlier,)*
                        _ => #name::#final_variant,
                    }
                }
                #[inline(always)]
                fn view(value: &Self) -> #name {
                    match value {
                        #(#name::#variants => #name::#variants,)*
                    }
                }
                fn build(builder: &mut #krate::Builder<'_>, slot: usize) -> Self {
                    Self::read(builder.candidate(), slot)
                }
                fn encode(view: #name) -> ::std::option::Option<i64> {
                    match view {
                        #(#name::#variants => ::std::option::Option::Some(#numbers),)*
                    }
                }
            }
        }
    }

    pub(super) fn sum_enum(&self, variants: Vec<(&'i Ident, &'i Fields)>) -> Result<TokenStream> {
        let (name, vis, krate) = (&self.input.ident, &self.input.vis, &self.krate);
        let (view, case) = (format_ident!("{name}Ref"), format_ident!("{name}Case"));
        let mut view_generics = self.generics.clone();
        view_generics.params.insert(0, syn::parse_quote!('view));
        let (view_impl, view_args, _) = view_generics.split_for_impl();
        let (generics, type_args, where_clause) = self.generics.split_for_impl();

        let mut width = quote!(1_usize);
        let (mut shapes, mut cases, mut of_candidate) = (Vec::new(), Vec::new(), Vec::new());
        let (mut of_real, mut builds) = (Vec::new(), Vec::new());
        for (number, (variant, fields)) in variants.iter().enumerate() {
            let slots = self.slots(&format!("{name}::{variant}"), fields)?;
            let kept: Vec<_> = slots.iter().flatten().collect();
            let (offsets, sum) = self.offsets(width, &kept);
            width = sum;
            shapes.push(self.parts(&kept, &offsets));
            let build = self.build(fields, &slots, &offsets);
            let types: Vec<_> = kept.iter().map(|slot| slot.ty).collect();
            let names: Vec<_> = kept.iter().map(|slot| &slot.accessor).collect();
            let members: Vec<_> = kept.iter().map(|slot| &slot.member).collect();
            let doc = format!("`{name}::{variant}`; its fields are not yet read.");
            let (declaration, pattern) = match fields {
                Fields::Named(_) => (
                    quote!(#variant { #(#names: #krate::FieldRef<'view, #types>),* }),
                    quote!(#variant { #(#names),* }),
                ),
                Fields::Unnamed(_) => {
                    (quote!(#variant(#(#krate::FieldRef<'view, #types>),*)), quote!(#variant(#(#names),*)))
                }
                Fields::Unit => (quote!(#variant), quote!(#variant)),
            };
            cases.push(quote!(#[doc = #doc] #declaration));
            let number = number as i64;
            let last = number as usize + 1 == variants.len();
            let arm = if last { quote!(_) } else { quote!(#number) };
            of_candidate.push(quote!(#arm => {
                #(let #names = #krate::FieldRef::candidate(candidate, slot + #offsets);)*
                #case::#pattern
            }));
            of_real.push(quote!(#name::#variant { #(#members: #names,)* .. } => {
                #(let #names = #krate::FieldRef::real(#names);)*
                #case::#pattern
            }));
            builds.push(quote!(#arm => #name::#variant #build));
        }
        let view_type = self.view_type(&view, &view_generics);
        let (text, n) = (name.to_string(), variants.len());
        let variant_names = variants.iter().map(|(variant, _)| variant.to_string());
        let doc = format!("The variants of a [`{name}`].");
        Ok(quote! {
            #view_type

            #[doc = #doc]
            #[allow(dead_code, private_interfaces)]
            #vis enum #case #view_generics #where_clause {
                #(#cases),*
            }
            impl #view_impl ::std::clone::Clone for #case #view_args #where_clause {
                #[inline]
                fn clone(&self) -> Self {
                    *self
                }
            }
            impl #view_impl ::std::marker::Copy for #case #view_args #where_clause {}

            #[allow(dead_code, private_interfaces)]
            impl #view_impl #view #view_args #where_clause {
                /// Reads which variant it is.
                #[inline]
                #vis fn case(self) -> #case #view_args {
                    match self.0.place() {
                        #krate::Place::Candidate(candidate, slot) => {
                            Self::case_as(candidate, slot, candidate.get(slot))
                        }
                        #krate::Place::Real(value) => Self::case_of(value),
                    }
                }
                /// Does the test hold of the variant? In the search, other variants are never tried; see
                /// `FieldRef::require`.
                #[inline]
                #vis fn require_case(self, mut test: impl FnMut(#case #view_args) -> bool) -> bool {
                    match self.0.place() {
                        #krate::Place::Candidate(candidate, slot) => candidate
                            .get_where(slot, |first| test(Self::case_as(candidate, slot, first)))
                            .is_some(),
                        #krate::Place::Real(value) => test(Self::case_of(value)),
                    }
                }
                #[inline]
                fn case_as(candidate: &'view #krate::Candidate, slot: usize, first: i64) -> #case #view_args {
                    match first {
                        #(#of_candidate)*
                    }
                }
                #[inline]
                #[allow(non_shorthand_field_patterns, clippy::redundant_field_names)]
                fn case_of(value: &'view #name #type_args) -> #case #view_args {
                    match value {
                        #(#of_real)*
                    }
                }
            }

            impl #generics #krate::Field for #name #type_args #where_clause {
                const WIDTH: usize = #width;
                const CLASS: ::std::option::Option<&'static str> = ::std::option::Option::Some(#text);
                type View<'view> = #view #view_args;

                #[inline(always)]
                fn read_at(candidate: &#krate::Candidate, at: usize) -> Self::View<'_> {
                    #view(#krate::Handle::inline(candidate, at))
                }
                fn shape(declare: &mut #krate::Declare) -> #krate::Shape {
                    let default = #krate::DefaultValues::Fixed { lo: 0, n: #n };
                    let domain = declare.at(#text, |declare| declare.domain(default, (0, #n as i128 - 1)));
                    let domain = declare.name(domain, &[#(#variant_names),*]);
                    #krate::Shape::Sum { domain, variants: ::std::vec![#(#shapes),*] }
                }
                #[inline]
                fn read(candidate: &#krate::Candidate, slot: usize) -> Self::View<'_> {
                    #view(#krate::Handle::inline(candidate, slot))
                }
                #[inline]
                fn view(value: &Self) -> Self::View<'_> {
                    #view(#krate::Handle::real(value))
                }
                fn build(builder: &mut #krate::Builder<'_>, slot: usize) -> Self {
                    match builder.candidate().get(slot) {
                        #(#builds,)*
                    }
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
