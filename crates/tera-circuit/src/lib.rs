//! And-inverter graph, sparse boolean matrices, exact integers, clause encoding.
