//! `#[derive(Persist)]`: a value is its fields, one after the other; see `petrio_persist::Persist`.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Field, Fields, Generics, LitStr, WhereClause, parse_quote};

/// How a field gets over a save.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Written and read.
    Content,
    /// Not written: what is restored keeps its own.
    Keep,
    /// Not written: begins anew with its default.
    Skip,
    /// A pointer to something that every state of the System shares; its number is written.
    Shared,
    /// A pointer to something that changes and that others point to as well; its content is written, and restored where it is.
    Inside,
}

/// A value that can be saved and read again, by its fields.
///
/// A field may be `#[persist(keep)]` (a parameter or a function: what is restored keeps its own, and none can be made from nothing),
/// `#[persist(skip)]` (scratch: begins with its default), `#[persist(shared)]` (an `Arc` of what is part of the System) or `#[persist(inside)]` (an `Arc` of a
/// cell that others point to, too: its content is restored where it is). A type may be `#[persist(part)]` (there is one whenever a state is
/// read, so that nothing makes one of what was written) and say what its parameters must be able to do (`#[persist(bound = "…")]`).
#[proc_macro_derive(Persist, attributes(persist))]
pub fn persist(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    written(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// The fields of a struct or a variant.
struct Parts<'i> {
    names: Vec<Ident>,
    ways: Vec<Way>,
    fields: &'i Fields,
}

impl<'i> Parts<'i> {
    fn of(fields: &'i Fields) -> syn::Result<Self> {
        let name = |(number, field): (usize, &Field)| match &field.ident {
            Some(name) => format_ident!("field_{}", name.to_string().trim_start_matches("r#")),
            None => format_ident!("field_{number}"),
        };
        let names = fields.iter().enumerate().map(name).collect();
        let ways = fields.iter().map(way).collect::<syn::Result<_>>()?;
        Ok(Self { names, ways, fields })
    }

    fn each(&self) -> impl Iterator<Item = (&Ident, Way)> {
        self.names.iter().zip(self.ways.iter().copied())
    }

    /// `{ a: field_a, … }` or `(field_0, …)`, to take apart and to put together.
    fn pattern(&self) -> TokenStream {
        let names = &self.names;
        match self.fields {
            Fields::Named(fields) => {
                let own = fields.named.iter().map(|field| &field.ident);
                quote!({ #(#own: #names),* })
            }
            Fields::Unnamed(_) => quote!((#(#names),*)),
            Fields::Unit => TokenStream::new(),
        }
    }

    fn save(&self) -> TokenStream {
        let each = self.each().map(|(name, way)| match way {
            Way::Content => quote!(::petrio_persist::Persist::save(#name, to);),
            Way::Shared => quote!(to.shared(#name);),
            Way::Inside => quote!(::petrio_persist::Inside::save(&*#name, to);),
            Way::Keep | Way::Skip => quote!(let _ = #name;),
        });
        quote!(#(#each)*)
    }

    fn restore(&self) -> TokenStream {
        let each = self.each().map(|(name, way)| match way {
            Way::Content => quote!(::petrio_persist::Persist::restore(#name, from)?;),
            Way::Shared => quote!(*#name = from.shared()?;),
            Way::Inside => quote!(::petrio_persist::Inside::restore(&*#name, from)?;),
            Way::Keep => quote!(let _ = #name;),
            Way::Skip => quote!(*#name = ::core::default::Default::default();),
        });
        quote!(#(#each)*)
    }

    /// Whether what is restored keeps nothing of what was there.
    fn is_plain(&self) -> TokenStream {
        if self.ways.iter().any(|way| matches!(way, Way::Keep | Way::Inside)) {
            return quote!(false);
        }
        let written = self.fields.iter().zip(&self.ways).filter(|(_, way)| **way == Way::Content);
        let each = written.map(|(field, _)| {
            let ty = &field.ty;
            quote!(&& <#ty as ::petrio_persist::Persist>::PLAIN)
        });
        quote!(true #(#each)*)
    }

    /// Statements that read the fields; of what can't be made from nothing, one that says so.
    fn load(&self, whole: &TokenStream) -> TokenStream {
        if self.ways.iter().any(|way| matches!(way, Way::Keep | Way::Inside)) {
            return quote!(Err(from.not_from_nothing(::core::any::type_name::<Self>())));
        }
        let each = self.each().map(|(name, way)| match way {
            Way::Content => quote!(let #name = ::petrio_persist::Persist::load(from)?;),
            Way::Shared => quote!(let #name = from.shared()?;),
            Way::Skip | Way::Keep | Way::Inside => quote!(let #name = ::core::default::Default::default();),
        });
        let pattern = self.pattern();
        quote!(#(#each)* Ok(#whole #pattern))
    }
}

fn way(field: &Field) -> syn::Result<Way> {
    let mut way = Way::Content;
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("persist")) {
        attribute.parse_nested_meta(|meta| {
            way = if meta.path.is_ident("keep") {
                Way::Keep
            } else if meta.path.is_ident("skip") {
                Way::Skip
            } else if meta.path.is_ident("shared") {
                Way::Shared
            } else if meta.path.is_ident("inside") {
                Way::Inside
            } else {
                return Err(meta.error("`keep`, `skip`, `shared` or `inside` was expected"));
            };
            Ok(())
        })?;
    }
    Ok(way)
}

fn written(input: &DeriveInput) -> syn::Result<TokenStream> {
    let name = &input.ident;
    let said = Said::of(input)?;
    let (mut plain, (save, mut load, restore)) = match &input.data {
        Data::Struct(data) => {
            let parts = Parts::of(&data.fields)?;
            (parts.is_plain(), of_struct(&parts))
        }
        Data::Enum(data) => {
            let variants = data.variants.iter().map(|variant| {
                let parts = Parts::of(&variant.fields)?;
                Ok((&variant.ident, parts))
            });
            let variants = variants.collect::<syn::Result<Vec<_>>>()?;
            let each = variants.iter().map(|(_, parts)| parts.is_plain());
            (quote!(true #(&& #each)*), of_enum(&variants))
        }
        Data::Union(data) => {
            return Err(syn::Error::new_spanned(data.union_token, "a union doesn't say what it is"));
        }
    };
    if said.is_part {
        plain = quote!(false);
        load = quote!(Err(from.not_from_nothing(::core::any::type_name::<Self>())));
    }
    let generics = said.bounded(input);
    let (of, arguments, bounds) = generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #of ::petrio_persist::Persist for #name #arguments #bounds {
            const PLAIN: bool = #plain;
            fn save(&self, to: &mut ::petrio_persist::Writer<'_>) {
                let _ = &to;
                #save
            }
            fn load(from: &mut ::petrio_persist::Reader<'_>) -> ::core::result::Result<Self, ::petrio_persist::Damage> {
                let _ = &from;
                #load
            }
            fn restore(
                &mut self,
                from: &mut ::petrio_persist::Reader<'_>,
            ) -> ::core::result::Result<(), ::petrio_persist::Damage> {
                if Self::PLAIN {
                    *self = ::petrio_persist::Persist::load(from)?;
                    return Ok(());
                }
                #restore
                Ok(())
            }
        }
    })
}

/// What a type says of itself.
#[derive(Default)]
struct Said {
    /// `#[persist(bound = "…")]`: what its types must be able to do, where that isn't `Persist` for each.
    bound: Option<WhereClause>,
    /// `#[persist(part)]`: it is a part of the System, which is there whenever a state is read and never made of one.
    is_part: bool,
}

impl Said {
    fn of(input: &DeriveInput) -> syn::Result<Self> {
        let mut said = Self::default();
        for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("persist")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("part") {
                    said.is_part = true;
                    return Ok(());
                }
                if !meta.path.is_ident("bound") {
                    return Err(meta.error("`bound` or `part` was expected"));
                }
                let text: LitStr = meta.value()?.parse()?;
                said.bound = Some(syn::parse_str(&format!("where {}", text.value()))?);
                Ok(())
            })?;
        }
        Ok(said)
    }

    /// The generics with what their types must be able to do.
    fn bounded(self, input: &DeriveInput) -> Generics {
        let mut generics = input.generics.clone();
        match self.bound {
            Some(bound) => generics.make_where_clause().predicates.extend(bound.predicates),
            None => generics
                .type_params_mut()
                .for_each(|parameter| parameter.bounds.push(parse_quote!(::petrio_persist::Persist))),
        }
        generics
    }
}

fn of_struct(parts: &Parts<'_>) -> (TokenStream, TokenStream, TokenStream) {
    let (pattern, save, restore) = (parts.pattern(), parts.save(), parts.restore());
    (
        quote!(let Self #pattern = self; #save),
        parts.load(&quote!(Self)),
        quote!(let Self #pattern = self; #restore),
    )
}

fn of_enum(variants: &[(&Ident, Parts<'_>)]) -> (TokenStream, TokenStream, TokenStream) {
    let number = |number: usize| number as u64;
    let save = variants.iter().enumerate().map(|(tag, (name, parts))| {
        let (tag, pattern, save) = (number(tag), parts.pattern(), parts.save());
        quote!(Self::#name #pattern => { to.number(#tag); #save })
    });
    let load = variants.iter().enumerate().map(|(tag, (name, parts))| {
        let (tag, load) = (number(tag), parts.load(&quote!(Self::#name)));
        quote!(#tag => { #load })
    });
    // Where it is the same variant, what is kept stays.
    let same = variants.iter().enumerate().filter(|(_, (_, parts))| !parts.names.is_empty());
    let restore = same.map(|(tag, (name, parts))| {
        let (tag, pattern, restore) = (number(tag), parts.pattern(), parts.restore());
        quote!((#tag, Self::#name #pattern) => { from.number()?; #restore })
    });
    (
        quote!(match self { #(#save)* }),
        quote!(match from.number()? { #(#load)* other => Err(from.no_such_variant(other, ::core::any::type_name::<Self>())) }),
        quote! {
            match (from.next_number()?, &mut *self) {
                #(#restore)*
                _ => *self = ::petrio_persist::Persist::load(from)?,
            }
        },
    )
}
