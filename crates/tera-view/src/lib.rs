//! DOT, SVG, tables, JSON and XML of instances.
