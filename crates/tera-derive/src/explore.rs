//! The derive `Candidate`: class and field domains of a type, and the view through which a predicate reads
//! candidates and real values alike.
//!
//! A struct gets a view `NameRef` with one accessor per field, a C-like enum is its own view, an enum with
//! payload gets a view `NameRef` whose `case()` is the enum `NameCase` of its unread fields. Everything
//! else follows from the field types by the trait `Field`, so that aliases work.

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
                Ok(Some(Slot { member, accessor, ty: &field.ty, label: format!("{owner}.{name}") }))
            })
            .collect()
    }

    /// Offsets of fields as expressions, and the sum of all widths.
    fn offsets(&self, first: usize, slots: &[&Slot<'i>]) -> (Vec<TokenStream>, TokenStream) {
        let krate = &self.krate;
        let mut sum = quote!(#first);
        let mut offsets = Vec::new();
        for slot in slots {
            let ty = slot.ty;
            offsets.push(sum.clone());
            sum = quote_spanned!(ty.span()=> #sum + <#ty as #krate::Field>::WIDTH);
        }
        (offsets, sum)
    }

    /// The parts of a product, as an expression of type `Vec<Part>`.
    fn parts(&self, slots: &[&Slot<'i>], offsets: &[TokenStream]) -> TokenStream {
        let krate = &self.krate;
        let parts = slots.iter().zip(offsets).map(|(slot, offset)| {
            let (ty, label) = (slot.ty, &slot.label);
            let name = label.rsplit('.').next().unwrap_or_default();
            quote!(#krate::Part {
                offset: #offset,
                name: #name,
                shape: declare.at(#label, <#ty as #krate::Field>::shape),
            })
        });
        quote!(::std::vec![#(#parts),*])
    }

    /// The initializer of one struct or variant.
    fn build(&self, fields: &Fields, slots: &[Option<Slot<'i>>], offsets: &[TokenStream]) -> TokenStream {
        let krate = &self.krate;
        let mut offsets = offsets.iter();
        let values = fields.iter().zip(slots).enumerate().map(|(at, (field, slot))| {
            let member = match &field.ident {
                Some(ident) => Member::Named(ident.clone()),
                None => Member::Unnamed(Index { index: at as u32, span: Span::call_site() }),
            };
            match slot {
                None => quote!(#member: ::std::default::Default::default()),
                Some(slot) => {
                    let (ty, offset) = (slot.ty, offsets.next());
                    quote!(#member: <#ty as #krate::Field>::build(builder, slot + #offset))
                }
            }
        });
        quote!({ #(#values),* })
    }

    fn structure(&self, fields: &'i Fields) -> Result<TokenStream> {
        let (name, vis, krate) = (&self.input.ident, &self.input.vis, &self.krate);
        let view = format_ident!("{name}Ref");
        let slots = self.slots(&name.to_string(), fields)?;
        let kept: Vec<_> = slots.iter().flatten().collect();
        let (offsets, width) = self.offsets(0, &kept);
        let parts = self.parts(&kept, &offsets);
        let build = self.build(fields, &slots, &offsets);
        let (_, type_args, where_clause) = self.generics.split_for_impl();
        let mut view_generics = self.generics.clone();
        view_generics.params.insert(0, syn::parse_quote!('view));
        let (view_impl, view_args, _) = view_generics.split_for_impl();
        let accessors = kept.iter().zip(&offsets).map(|(slot, offset)| {
            let (ty, member, accessor) = (slot.ty, &slot.member, &slot.accessor);
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
                #[inline]
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

    fn plain_enum(&self, variants: Vec<&Ident>) -> TokenStream {
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

    fn sum_enum(&self, variants: Vec<(&'i Ident, &'i Fields)>) -> Result<TokenStream> {
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
            let (mut offsets, mut sum) = (Vec::new(), width.clone());
            for slot in &kept {
                let ty = slot.ty;
                offsets.push(sum.clone());
                sum = quote_spanned!(ty.span()=> #sum + <#ty as #krate::Field>::WIDTH);
            }
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

                #[inline]
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
