//! What a Rust type looks like to the mapping: which objects it has, and the shape of each field.
//!
//! A [`Shape`] is the type of a field with everything that is no object written out: how many
//! columns it adds to the field's relation, what its containers are called in Rust, and which
//! object type stands at its end. Object types (structs and enums that have an identity) are
//! interned in a [`TypeGraph`], so recursive types are finite.
//!
//! Invariant: the description depends on types alone. It is made once per contract and shared by
//! binding, ownership facts, the printer of Rust expressions and the search of `tera-explore`.

use std::any::TypeId;

/// Index of an object type in [`TypeGraph::types`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeIx(pub u32);

/// A Rust type that appears in relations. Implemented by the derive for objects and by this crate
/// for the containers and scalars of the standard library.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be mapped to a specification",
    label = "the mapping does not know `{Self}`",
    note = "if it is your type: put `#[derive(Heap)]` on it",
    note = "if the specification does not speak of it: put `#[heap(skip)]` on the field (filled with `Default::default()`, or with `#[heap(skip = expression)]`)",
    note = "if it is a foreign type: implement `Mapped`, `Concretize` and `Abstraction` for it, or for a newtype around it"
)]
pub trait Mapped: Sized + 'static {
    /// Whether the type is [`crate::OneTuple`]; for code that is generic over both.
    const ONE_TUPLE: bool = false;

    fn shape(d: &mut Describer) -> Shape;
}

/// The shape of a value: what a relation has to say about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// An integer type with its least and greatest value.
    Int {
        rust: &'static str,
        min: i128,
        max: i128,
    },
    Bool,
    Char,
    /// `String`, `Box<str>`, …; `make` turns a literal into a value: `String::from`.
    Text {
        make: &'static str,
    },
    /// A struct or enum with identity.
    Object(TypeIx),
    /// A pointer or cell around another shape; it adds no column.
    Wrap(Wrap, Box<Shape>),
    /// At most one.
    Option(Box<Shape>),
    /// One more column in front: the position.
    Seq(Seq, Box<Shape>),
    Set(&'static str, Box<Shape>),
    /// The columns of the key, then those of the value.
    Map(&'static str, Box<Shape>, Box<Shape>),
    /// The columns of each component in turn.
    Tuple(Vec<Shape>),
    /// A number that names an element of the innermost enclosing arena of these objects; the column holds the
    /// object.
    Index {
        rust: &'static str,
        target: TypeIx,
        numbering: Numbering,
    },
    /// No column: the specification does not know this field. The text is the Rust expression
    /// that fills it.
    Skip(&'static str),
    /// No information: `()`, `PhantomData`. The text is its Rust expression.
    Unit(&'static str),
}

/// How integers name the elements of an arena.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Numbering {
    /// The number of the first element.
    pub first: i128,
    pub null: Null,
}

/// The number that names no element.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Null {
    #[default]
    Absent,
    Number(i128),
    /// The one behind that of the last element.
    End,
}

/// Pointers and cells.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wrap {
    Box,
    Rc,
    Arc,
    RcWeak,
    ArcWeak,
    /// `*mut T`
    RawMut,
    /// `*const T`
    RawConst,
    NonNull,
    AtomicPtr,
    /// `Pin<Box<T>>`
    Pinned,
    Cell,
    RefCell,
    UnsafeCell,
    Mutex,
    RwLock,
    /// Around an option, like the next.
    OnceCell,
    OnceLock,
    /// A newtype: the text before and behind the value, `Key(` and `)`.
    Newtype(&'static str, &'static str),
}

/// Sequences.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Seq {
    Vec,
    VecDeque,
    BoxedSlice,
    Array(usize),
    /// A `Vec` marked `#[heap(arena)]`: its elements are named by [`Shape::Index`].
    Arena,
    /// Another type; the text is the path of its constructor from a `Vec`: `SmallVec::from_vec`.
    Other(&'static str),
}

impl Wrap {
    /// Whether the pointee lives as long as this pointer does: `Box`, pinned or not, `Rc`, `Arc`.
    pub fn owns(self) -> bool {
        matches!(self, Wrap::Box | Wrap::Pinned | Wrap::Rc | Wrap::Arc)
    }

    /// Whether what is inside can be replaced through a shared pointer.
    pub fn is_cell(self) -> bool {
        matches!(
            self,
            Wrap::Cell
                | Wrap::RefCell
                | Wrap::UnsafeCell
                | Wrap::Mutex
                | Wrap::RwLock
                | Wrap::OnceCell
                | Wrap::OnceLock
        )
    }

    /// Whether this is an address and nothing more.
    pub fn is_raw(self) -> bool {
        matches!(self, Wrap::RawMut | Wrap::RawConst | Wrap::NonNull | Wrap::AtomicPtr)
    }

    /// Whether this is a pointer that neither owns nor keeps alive.
    pub fn is_link(self) -> bool {
        self.is_raw() || matches!(self, Wrap::RcWeak | Wrap::ArcWeak)
    }
}

impl Shape {
    pub fn wrap(self, wrap: Wrap) -> Shape {
        Shape::Wrap(wrap, Box::new(self))
    }

    /// How many columns a value of this shape adds to a relation in its natural form.
    pub fn columns(&self) -> usize {
        match self {
            Shape::Skip(_) | Shape::Unit(_) => 0,
            Shape::Wrap(_, inner) | Shape::Option(inner) | Shape::Set(_, inner) => inner.columns(),
            Shape::Seq(_, element) => 1 + element.columns(),
            Shape::Map(_, key, value) => key.columns() + value.columns(),
            Shape::Tuple(parts) => parts.iter().map(Shape::columns).sum(),
            _ => 1,
        }
    }

    /// Whether a value may have no tuple at all.
    pub fn may_be_empty(&self) -> bool {
        match self {
            Shape::Option(_) | Shape::Set(..) | Shape::Map(..) | Shape::Skip(_) | Shape::Unit(_) => true,
            Shape::Seq(Seq::Array(n), element) => *n == 0 || element.may_be_empty(),
            Shape::Seq(..) => true,
            // A null or dangling pointer has no tuple.
            Shape::Wrap(wrap, inner) => (wrap.is_link() && *wrap != Wrap::NonNull) || inner.may_be_empty(),
            Shape::Tuple(parts) => parts.iter().any(Shape::may_be_empty),
            Shape::Index { numbering, .. } => numbering.null != Null::Absent,
            _ => false,
        }
    }

    /// Calls `f` on this shape and every shape inside it, outermost first.
    pub fn walk<'a>(&'a self, f: &mut impl FnMut(&'a Shape)) {
        f(self);
        match self {
            Shape::Wrap(_, inner) | Shape::Option(inner) | Shape::Seq(_, inner) | Shape::Set(_, inner) => {
                inner.walk(f)
            }
            Shape::Map(_, key, value) => {
                key.walk(f);
                value.walk(f);
            }
            Shape::Tuple(parts) => parts.iter().for_each(|part| part.walk(f)),
            _ => {}
        }
    }
}

/// A struct or enum with identity, and the signature it is.
#[derive(Clone, Debug)]
pub struct TypeDesc {
    /// The name of the signature.
    pub sig: &'static str,
    /// The Rust type, for messages.
    pub rust: &'static str,
    pub id: TypeId,
    pub is_enum: bool,
    /// A struct has one variant, of its own name.
    pub variants: Vec<VariantDesc>,
}

impl TypeDesc {
    /// An enum without payload: its values are constants, not objects.
    pub fn is_plain_enum(&self) -> bool {
        self.is_enum && self.variants.iter().all(|v| v.fields.is_empty())
    }
}

#[derive(Clone, Debug)]
pub struct VariantDesc {
    /// The name of the signature (for a struct that of the type).
    pub sig: &'static str,
    /// How Rust builds it: `Node`, `Expr::Add`.
    pub path: &'static str,
    pub style: Style,
    pub fields: Vec<FieldDesc>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    Named,
    Tuple,
    Unit,
}

#[derive(Clone, Debug)]
pub struct FieldDesc {
    /// The name of the field in the specification.
    pub label: &'static str,
    /// Its Rust name, or its position in a tuple struct.
    pub rust: &'static str,
    /// Where the field is declared: `src/list.rs:12`.
    pub place: &'static str,
    pub shape: Shape,
}

/// An argument or result: what a contract starts from.
#[derive(Clone, Debug)]
pub struct RootDesc {
    pub label: String,
    pub shape: Shape,
    /// It has no value before the call.
    pub is_result: bool,
}

/// All object types reachable from the roots of a contract.
#[derive(Clone, Default, Debug)]
pub struct TypeGraph {
    pub types: Vec<TypeDesc>,
    pub roots: Vec<RootDesc>,
}

impl TypeGraph {
    pub fn ty(&self, ix: TypeIx) -> &TypeDesc {
        &self.types[ix.0 as usize]
    }
}

/// Collects the [`TypeGraph`].
#[derive(Default)]
pub struct Describer {
    graph: TypeGraph,
    known: Vec<TypeId>,
}

impl Describer {
    pub fn new() -> Describer {
        Describer::default()
    }

    /// Adds an argument of this name.
    pub fn root<T: Mapped>(&mut self, label: impl Into<String>) -> &mut Describer {
        let shape = T::shape(self);
        self.graph.roots.push(RootDesc { label: label.into(), shape, is_result: false });
        self
    }

    /// Adds the result.
    pub fn result<T: Mapped>(&mut self, label: impl Into<String>) -> &mut Describer {
        let shape = T::shape(self);
        self.graph.roots.push(RootDesc { label: label.into(), shape, is_result: true });
        self
    }

    pub fn finish(self) -> TypeGraph {
        self.graph
    }

    /// The object type `T`: its signature, whether it is an enum, and its variants. `describe` is
    /// called the first time only, so it may describe fields that lead back to `T`.
    pub fn object<T: 'static>(
        &mut self,
        describe: impl FnOnce(&mut Describer) -> (&'static str, bool, Vec<VariantDesc>),
    ) -> Shape {
        let id = TypeId::of::<T>();
        if let Some(ix) = self.known.iter().position(|&known| known == id) {
            return Shape::Object(TypeIx(ix as u32));
        }
        let ix = self.known.len();
        self.known.push(id);
        self.graph.types.push(TypeDesc {
            sig: "",
            rust: std::any::type_name::<T>(),
            id,
            is_enum: false,
            variants: Vec::new(),
        });
        let (sig, is_enum, variants) = describe(self);
        self.graph.types[ix] = TypeDesc { sig, rust: std::any::type_name::<T>(), id, is_enum, variants };
        Shape::Object(TypeIx(ix as u32))
    }
}
