//! Every shape, there and back, over the specification that its types imply.

mod arenas;
mod containers;
mod dead;
mod facts;
mod foreign;
mod linked;
mod printed;
mod shapes;
mod support;
