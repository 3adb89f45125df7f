//! `#[testera::check(…)]`: a free function with arguments becomes an ordinary `#[test]` that
//! supplies them all.
//!
//! The function itself stays as it is, as the subject, inside a function `__testera_NAME`. Around it
//! stands an implementation of `testera::Subject` (argument names, owned argument types, how each is
//! passed) and a call that runs the contract: on all inputs for the test `NAME`, on one for
//! `testera::replay!(NAME(…))`. A marker text in the binary lets `tera check` find contracts without
//! running anything.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Error, Expr, ExprLit, FnArg, Ident, ItemFn, Lit, LitStr, Pat, Result, Token, Type};

/// `#[check("list.als", requires = "…", scope = 5, keep_going)]`
pub struct Settings {
    spec: Option<LitStr>,
    entries: Vec<(Ident, Option<Expr>)>,
}

impl Parse for Settings {
    fn parse(input: ParseStream<'_>) -> Result<Settings> {
        let mut settings = Settings { spec: None, entries: Vec::new() };
        while !input.is_empty() {
            if input.peek(LitStr) {
                let spec: LitStr = input.parse()?;
                if settings.spec.replace(spec.clone()).is_some() {
                    return Err(Error::new(spec.span(), "a contract has one specification"));
                }
            } else {
                let key: Ident = input.parse()?;
                let value =
                    if input.parse::<Option<Token![=]>>()?.is_some() { Some(input.parse()?) } else { None };
                if settings.entries.iter().any(|(other, _)| *other == key) {
                    return Err(Error::new(key.span(), format!("`{key}` is given twice")));
                }
                settings.entries.push((key, value));
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(settings)
    }
}

/// How an argument is passed.
pub enum Passing {
    Value,
    Shared,
    Mutable,
}

pub struct Argument {
    pub name: String,
    pub owned: TokenStream,
    pub passing: Passing,
}

impl Argument {
    /// The type of the value that a replay is given.
    pub fn given(&self) -> TokenStream {
        let owned = &self.owned;
        match self.passing {
            Passing::Value => quote!(#owned),
            Passing::Shared => quote!(&#owned),
            Passing::Mutable => quote!(&mut #owned),
        }
    }

    /// How it is passed, as a value of `testera::Passing`.
    pub fn passing(&self) -> TokenStream {
        match self.passing {
            Passing::Value => quote!(::testera::Passing::Value),
            Passing::Shared => quote!(::testera::Passing::Shared),
            Passing::Mutable => quote!(::testera::Passing::Mutable),
        }
    }
}

pub fn expand(settings: Settings, function: ItemFn) -> Result<TokenStream> {
    let signature = &function.sig;
    refuse_what_cannot_be_tested(&function)?;
    let arguments = signature.inputs.iter().map(argument).collect::<Result<Vec<_>>>()?;
    let steps = settings.steps()?;
    let predicate = settings.predicate();
    let name = &signature.ident;
    if let Some(requires) = predicate
        && settings.has_no_formula()
    {
        return Ok(crate::explore_attribute::check(requires, &function, &arguments, &steps));
    }
    let (shared, own): (Vec<_>, Vec<_>) = function.attrs.iter().partition(|a| is_for_all(a));
    let mut subject = function.clone();
    subject.attrs.clear();
    subject.vis = syn::Visibility::Inherited;
    let output = match &signature.output {
        syn::ReturnType::Default => quote!(()),
        syn::ReturnType::Type(_, ty) => quote!(#ty),
    };
    let names = arguments.iter().map(|a| &a.name);
    let owned: Vec<_> = arguments.iter().map(|a| &a.owned).collect();
    let passings = arguments.iter().map(Argument::passing);
    let passed = arguments.iter().enumerate().map(|(i, a)| {
        let i = syn::Index::from(i);
        match a.passing {
            Passing::Value => quote!(::core::ptr::read(&raw const (*args).#i)),
            Passing::Shared => quote!(&(*args).#i),
            Passing::Mutable => quote!(&mut (*args).#i),
        }
    });
    let spec = settings.spec.as_ref().map(LitStr::value).unwrap_or_default();
    let call = quote_spanned!(name.span()=> #name(#(#passed),*));
    let contract = contract(&function, &spec);
    let run = match predicate {
        None => quote!(::testera::run_test(__contract, __Subject, __given.path())),
        Some(requires) => {
            let source = crate::explore_attribute::predicate(
                requires,
                &arguments,
                quote!(::testera::explored::Judged::new(__Subject)),
            );
            quote!(::testera::run_explored(__contract, &#source, __given.path()))
        }
    };
    let runner = runner(name);
    let given = arguments.iter().map(Argument::given);
    let replay = replay(name, &arguments);
    Ok(quote! {
        #[test]
        #(#shared)*
        #(#own)*
        fn #name() {
            #runner(::testera::Given::Nothing);
        }

        #(#shared)*
        #[doc(hidden)]
        #[allow(non_snake_case, unused_variables, clippy::ptr_arg, clippy::type_complexity)]
        fn #runner(__given: ::testera::Given<'_, (#(#given,)*)>) {
            #subject

            struct __Subject;
            impl ::testera::Subject for __Subject {
                type Args = (#(#owned,)*);
                type Output = #output;
                const NAMES: &'static [&'static str] = &[#(#names),*];
                const PASSING: &'static [::testera::Passing] = &[#(#passings),*];
                #[inline]
                #[allow(unused_variables)]
                unsafe fn call(&self, args: *mut Self::Args) -> Self::Output {
                    unsafe { #call }
                }
            }

            let __contract = #contract #(#steps)*;
            match __given {
                ::testera::Given::Values(__given) => { #replay }
                __given => { #run }
            }
        }
    })
}

/// The contract of a function, known by the mark that it leaves in the binary.
pub fn contract(function: &ItemFn, spec: &str) -> TokenStream {
    let name = &function.sig.ident;
    let body = body_text(function);
    quote! {{
        static MARK: &str = ::core::concat!(
            "\u{1}testera contract\u{1}", ::core::module_path!(), "::", ::core::stringify!(#name),
            "\u{1}", #spec, "\u{1}", ::core::file!(), "\u{1}", ::core::line!(), "\u{1}"
        );
        ::testera::Contract::marked(MARK, ::core::env!("CARGO_MANIFEST_DIR")).body(#body)
    }}
}

/// The function that has the contract `name`, and runs it.
pub fn runner(name: &Ident) -> Ident {
    quote::format_ident!("__testera_{}", name.unraw(), span = name.span())
}

/// Whether an attribute is about everything that the contract becomes; others are the test's.
pub fn is_for_all(attribute: &syn::Attribute) -> bool {
    ["cfg", "cfg_attr", "allow", "expect", "warn", "deny"].iter().any(|name| attribute.path().is_ident(name))
}

/// One call on given values, judged.
fn replay(name: &Ident, arguments: &[Argument]) -> TokenStream {
    let index = |i: usize| syn::Index::from(i);
    let places = arguments.iter().enumerate().map(|(i, a)| {
        let i = index(i);
        match a.passing {
            Passing::Value => quote!(&raw const __given.#i),
            Passing::Shared => quote!(&raw const *__given.#i),
            Passing::Mutable => quote!(&raw mut *__given.#i),
        }
    });
    let passed = arguments.iter().enumerate().map(|(i, a)| {
        let i = index(i);
        match a.passing {
            Passing::Value => quote!(__given.#i),
            Passing::Shared => quote!(&*__places.#i),
            Passing::Mutable => quote!(&mut *__places.#i),
        }
    });
    let read = |i: usize| {
        let place = index(i);
        quote!(__a.root(#i, &*__places.#place);)
    };
    let all = (0..arguments.len()).map(read);
    let left = arguments.iter().enumerate().filter(|(_, a)| !matches!(a.passing, Passing::Value));
    let left = left.map(|(i, _)| read(i));
    quote! {
        let __places = (#(#places,)*);
        let __call = ::testera::begin_replay::<__Subject>(__contract, |__a| unsafe { #(#all)* });
        let __output = __call.run(|| unsafe { #name(#(#passed),*) });
        ::testera::end_replay::<__Subject>(__call, __output.as_ref(), |__a| unsafe { #(#left)* });
    }
}

fn refuse_what_cannot_be_tested(function: &ItemFn) -> Result<()> {
    let signature = &function.sig;
    let refuse = |span: Span, text: &str| Err(Error::new(span, text));
    if let Some(asyncness) = &signature.asyncness {
        return refuse(
            asyncness.span(),
            "a contract cannot be checked on an `async fn`: block on the future in a plain one",
        );
    }
    if !signature.generics.params.is_empty() {
        return refuse(
            signature.generics.span(),
            "a contract needs concrete types: write a function that calls this one with the types to test",
        );
    }
    if let Some(receiver) = signature.receiver() {
        return refuse(
            receiver.span(),
            "a test cannot have a receiver: write a free function whose argument is the value, and call the method in it",
        );
    }
    if signature.inputs.is_empty() {
        return refuse(
            signature.ident.span(),
            "a contract is about arguments, and this function has none: for a program with choices use `#[testera::explore]`",
        );
    }
    Ok(())
}

fn argument(input: &FnArg) -> Result<Argument> {
    let FnArg::Typed(typed) = input else {
        return Err(Error::new(input.span(), "a test cannot have a receiver"));
    };
    let Pat::Ident(pattern) = &*typed.pat else {
        return Err(Error::new(typed.pat.span(), "the specification needs a name for this argument"));
    };
    let name = pattern.ident.to_string();
    let name = name.strip_prefix("r#").unwrap_or(&name).to_owned();
    let (inner, passing) = match &*typed.ty {
        Type::Reference(reference) if reference.mutability.is_some() => (&*reference.elem, Passing::Mutable),
        Type::Reference(reference) => (&*reference.elem, Passing::Shared),
        other => (other, Passing::Value),
    };
    let owned = match inner {
        Type::Slice(slice) => {
            let element = &slice.elem;
            quote!(::std::vec::Vec<#element>)
        }
        Type::Path(path) if path.path.is_ident("str") => quote!(::std::string::String),
        other => quote!(#other),
    };
    Ok(Argument { name, owned, passing })
}

impl Settings {
    /// `requires = path`: inputs come from the predicate.
    fn predicate(&self) -> Option<&Expr> {
        let requires = self.entries.iter().find(|(key, _)| key == "requires").and_then(|(_, v)| v.as_ref());
        requires.filter(|value| matches!(value, Expr::Path(_)))
    }

    /// Nothing is said in relations: the function asserts by itself.
    fn has_no_formula(&self) -> bool {
        let formulas = ["ensures", "invariant", "panics_when"];
        self.spec.is_none() && !self.entries.iter().any(|(key, _)| formulas.iter().any(|name| key == name))
    }

    /// Calls on the builder, one per setting.
    fn steps(&self) -> Result<Vec<TokenStream>> {
        let mut steps = Vec::new();
        if let Some(spec) = &self.spec {
            check_exists(spec)?;
            steps.push(quote!(.spec(#spec)));
        }
        let is_predicate = |key: &Ident| key == "requires" && self.predicate().is_some();
        for (key, value) in self.entries.iter().filter(|(key, _)| !is_predicate(key)) {
            steps.push(step(key, value.as_ref())?);
        }
        Ok(steps)
    }
}

pub fn step(key: &Ident, value: Option<&Expr>) -> Result<TokenStream> {
    let literal = match value {
        Some(Expr::Lit(ExprLit { lit, .. })) => Some(lit),
        _ => None,
    };
    let name = key.to_string();
    let wants = |what: &str| Err(Error::new(key.span(), format!("`{name}` wants {what}")));
    match (name.as_str(), literal) {
        ("requires", Some(Lit::Str(_)))
        | ("ensures" | "invariant" | "panics_when" | "result" | "name", Some(Lit::Str(_))) => {
            Ok(quote!(.#key(#value)))
        }
        ("ensures" | "invariant" | "panics_when" | "result" | "name", _) => wants("a text in quotes"),
        ("requires", _) => wants("a formula in quotes, or the path of a function"),
        ("scope", Some(Lit::Int(n))) => {
            let text = n.base10_digits();
            Ok(quote!(.scope(#text)))
        }
        ("scope", Some(Lit::Str(_))) => Ok(quote!(.scope(#value))),
        ("scope", _) => wants("a number, or a text in the grammar of commands such as \"3, exactly 4 Node\""),
        ("keep_going" | "allow_leaks", None) => Ok(quote!(.#key())),
        ("keep_going" | "allow_leaks", Some(_)) => wants("no value"),
        ("time", Some(Lit::Float(_) | Lit::Int(_))) => Ok(quote!(.time((#value) as f64))),
        ("time", _) => wants("a number of seconds"),
        ("memory", Some(Lit::Int(_))) => Ok(quote!(.memory(#value))),
        ("memory", _) => wants("a number of bytes"),
        _ => Err(Error::new(
            key.span(),
            format!(
                "a contract has no setting `{name}`: there are requires, ensures, invariant, scope, \
                 panics_when, result, keep_going, allow_leaks, time, memory, name"
            ),
        )),
    }
}

/// A specification that is not there is an error where its name stands, not when the test runs.
fn check_exists(spec: &LitStr) -> Result<()> {
    let text = spec.value();
    if text.contains('\n') || text.contains("sig ") {
        return Ok(()); // the specification itself
    }
    let source = proc_macro::Span::call_site().local_file();
    let beside = source.as_deref().and_then(std::path::Path::parent).map(|dir| dir.join(&text));
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(|dir| std::path::Path::new(&dir).join(&text));
    let places: Vec<_> = beside.into_iter().chain(manifest).collect();
    if places.is_empty() || places.iter().any(|place| place.is_file()) {
        return Ok(());
    }
    let places: Vec<_> = places.iter().map(|place| place.display().to_string()).collect();
    Err(Error::new(
        spec.span(),
        format!("there is no such specification; looked for {}", places.join(" and ")),
    ))
}

/// The statements of the function as its author wrote them, for the reproducer.
fn body_text(function: &ItemFn) -> String {
    let text = function.block.span().source_text().unwrap_or_default();
    let inner = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')).unwrap_or(&text);
    inner.trim().to_owned()
}
