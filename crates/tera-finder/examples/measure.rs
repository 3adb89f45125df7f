//! Scratch: times of families built by hand.
use std::time::Instant;
use tera_finder::*;
use tera_rel::*;

struct B {
    p: Problem,
}
type N = NodeId;
impl B {
    fn new() -> B {
        B { p: Problem::default() }
    }
    fn sort(&mut self, name: &str, n: usize) -> Vec<AtomId> {
        let a: Vec<AtomId> =
            (0..n).map(|i| self.p.universe.push(format!("{name}${i}"), AtomKind::Object)).collect();
        self.p.sorts.push(a.clone());
        a
    }
    fn fixed(&mut self, name: &str, n: usize) -> Vec<AtomId> {
        (0..n).map(|i| self.p.universe.push(format!("{name}${i}"), AtomKind::Object)).collect()
    }
    fn ints(&mut self, lo: i64, hi: i64) -> Vec<AtomId> {
        (lo..=hi).map(|i| self.p.universe.push(format!("{i}"), AtomKind::Int(i))).collect()
    }
    fn set(&self, a: &[AtomId]) -> TupleSet {
        TupleSet::unary(self.p.universe.len(), a.iter().copied())
    }
    fn exact(&mut self, name: &str, a: &[AtomId]) -> N {
        let s = self.set(a);
        let r = self.p.add_relation(name, Role::Visible, s.clone(), s);
        self.a(Node::Relation(r))
    }
    fn upto(&mut self, name: &str, a: &[AtomId]) -> N {
        let s = self.set(a);
        let n = self.p.universe.len();
        let r = self.p.add_relation(name, Role::Visible, TupleSet::empty(1, n), s);
        self.a(Node::Relation(r))
    }
    fn rel(&mut self, name: &str, cols: &[&[AtomId]]) -> N {
        let n = self.p.universe.len();
        let mut u = self.set(cols[0]);
        for c in &cols[1..] {
            let c = self.set(c);
            u = u.product(&c);
        }
        let r = self.p.add_relation(name, Role::Visible, TupleSet::empty(cols.len(), n), u);
        self.a(Node::Relation(r))
    }
    fn a(&mut self, n: Node) -> N {
        self.p.arena.add(n)
    }
    fn fact(&mut self, n: N) {
        self.p.conjuncts.push(n)
    }
    fn iden(&mut self) -> N {
        let n = self.p.universe.len();
        let mut s = TupleSet::empty(2, n);
        for i in 0..n {
            s.insert_index(i * n + i);
        }
        self.p.arena.constant(s)
    }
    fn bin(&mut self, o: ExprOp, a: N, b: N) -> N {
        self.a(Node::Binary(o, a, b))
    }
    fn join(&mut self, a: N, b: N) -> N {
        self.bin(ExprOp::Join, a, b)
    }
    fn and_(&mut self, a: N, b: N) -> N {
        self.bin(ExprOp::Intersect, a, b)
    }
    fn or_(&mut self, a: N, b: N) -> N {
        self.bin(ExprOp::Union, a, b)
    }
    fn clo(&mut self, a: N) -> N {
        self.a(Node::Closure(a))
    }
    fn star(&mut self, a: N) -> N {
        let c = self.clo(a);
        let i = self.iden();
        self.or_(c, i)
    }
    fn tr(&mut self, a: N) -> N {
        self.a(Node::Transpose(a))
    }
    fn size(&mut self, t: SizeTest, a: N) -> N {
        self.a(Node::Size(t, a))
    }
    fn sub(&mut self, a: N, b: N) -> N {
        self.a(Node::Subset(a, b))
    }
    fn eq(&mut self, a: N, b: N) -> N {
        self.a(Node::Equal(a, b))
    }
    fn all(&mut self, dom: N, f: impl FnOnce(&mut B, N) -> N) -> N {
        let v = self.p.arena.fresh_var(1);
        let x = self.a(Node::Var(v));
        let body = f(self, x);
        self.a(Node::Quant(Quant::All, [Decl { var: v, mult: DeclMult::One, domain: dom }].into(), body))
    }
    fn mult(&mut self, dom: N, rel: N, t: SizeTest) {
        let f = self.all(dom, |b, x| {
            let j = b.join(x, rel);
            b.size(t, j)
        });
        self.fact(f)
    }
    fn typed(&mut self, rel: N, l: N, r: N) {
        let p = self.bin(ExprOp::Product, l, r);
        let s = self.sub(rel, p);
        self.fact(s)
    }
}
fn digraph(n: usize) -> B {
    let mut b = B::new();
    let a = b.sort("N", n);
    b.exact("N", &a);
    b.rel("r", &[&a, &a]);
    b
}
fn dag(n: usize) -> B {
    let mut b = B::new();
    let a = b.sort("N", n);
    b.exact("N", &a);
    let r = b.rel("e", &[&a, &a]);
    let c = b.clo(r);
    let i = b.iden();
    let x = b.and_(i, c);
    let f = b.size(SizeTest::No, x);
    b.fact(f);
    b
}
fn poset(n: usize) -> B {
    let mut b = B::new();
    let a = b.sort("N", n);
    let s = b.exact("N", &a);
    let r = b.rel("le", &[&a, &a]);
    let i = b.iden();
    let i2 = b.bin(ExprOp::DomainRestrict, s, i);
    let f = b.sub(i2, r);
    b.fact(f);
    let j = b.join(r, r);
    let f = b.sub(j, r);
    b.fact(f);
    let t = b.tr(r);
    let x = b.and_(r, t);
    let f = b.sub(x, i);
    b.fact(f);
    b
}
fn graph(n: usize) -> B {
    let mut b = B::new();
    let a = b.sort("V", n);
    b.exact("V", &a);
    let r = b.rel("adj", &[&a, &a]);
    let t = b.tr(r);
    let f = b.eq(r, t);
    b.fact(f);
    let i = b.iden();
    let x = b.and_(i, r);
    let f = b.size(SizeTest::No, x);
    b.fact(f);
    b
}
fn tree(n: usize) -> B {
    let mut b = B::new();
    let a = b.sort("N", n);
    let s = b.exact("N", &a);
    let r = b.rel("parent", &[&a, &a]);
    b.mult(s, r, SizeTest::Lone);
    let c = b.clo(r);
    let i = b.iden();
    let x = b.and_(i, c);
    let f = b.size(SizeTest::No, x);
    b.fact(f);
    // one n | no n.parent : the set of n without parent = N - parent.N
    let p = b.join(r, s);
    let roots = b.bin(ExprOp::Difference, s, p);
    let f = b.size(SizeTest::One, roots);
    b.fact(f);
    b
}
fn function(n: usize) -> B {
    let mut b = B::new();
    let a = b.sort("N", n);
    let s = b.exact("N", &a);
    let r = b.rel("f", &[&a, &a]);
    b.mult(s, r, SizeTest::One);
    b
}
fn array(n: usize) -> B {
    let mut b = B::new();
    let x = b.sort("A", n);
    let y = b.sort("B", n);
    let z = b.sort("C", n);
    b.rel("r", &[&x, &y, &z]);
    b
}
fn sum(b: &mut B, e: N) -> N {
    b.a(Node::SumSet(e))
}
fn list(n: usize) -> B {
    let mut b = B::new();
    let l = b.fixed("List", 1);
    let a = b.sort("Node", n);
    let k = b.ints(-4, 3);
    let ls = b.exact("List", &l);
    let s = b.exact("Node", &a);
    let ks = b.exact("Int", &k);
    let h = b.rel("header", &[&l, &a]);
    let nx = b.rel("next", &[&a, &a]);
    let e = b.rel("elem", &[&a, &k]);
    b.mult(ls, h, SizeTest::Lone);
    b.mult(s, nx, SizeTest::Lone);
    b.mult(s, e, SizeTest::One);
    let _ = ks;
    let vals = TupleSet::unary(b.p.universe.len(), k[4..7].iter().copied());
    let vals = b.p.arena.constant(vals);
    let se = b.join(s, e);
    let f = b.sub(se, vals);
    b.fact(f);
    let c = b.clo(nx);
    let i = b.iden();
    let x = b.and_(i, c);
    let f = b.size(SizeTest::No, x);
    b.fact(f);
    let st = b.star(nx);
    let lh = b.join(ls, h);
    let r = b.join(lh, st);
    let f = b.eq(s, r);
    b.fact(f);
    b
}
fn heap(n: i64) -> B {
    let mut b = B::new();
    let h = b.fixed("Heap", 1);
    let k = b.ints(-16, 15);
    let hs = b.exact("Heap", &h);
    let ks = b.exact("Int", &k);
    let cap = b.rel("capacity", &[&h, &k]);
    let size = b.rel("size", &[&h, &k]);
    let at = b.rel("at", &[&h, &k, &k]);
    b.mult(hs, cap, SizeTest::One);
    b.mult(hs, size, SizeTest::One);
    let hat = b.join(hs, at);
    b.mult(ks, hat, SizeTest::Lone);
    let hc = b.join(hs, cap);
    let hsz = b.join(hs, size);
    let zero = b.a(Node::Int(0));
    let nn = b.a(Node::Int(n));
    let c = sum(&mut b, hc);
    let z = sum(&mut b, hsz);
    for (x, lo, hi) in [(c, zero, nn), (z, zero, c)] {
        let f = b.a(Node::Compare(IntCmp::Gte, x, lo));
        b.fact(f);
        let f = b.a(Node::Compare(IntCmp::Lte, x, hi));
        b.fact(f);
    }
    let f = b.all(ks, |b, i| {
        let v = b.join(i, hat);
        let some = b.size(SizeTest::Some, v);
        let iv = b.a(Node::SumSet(i));
        let g = b.a(Node::Compare(IntCmp::Gte, iv, zero));
        let l = b.a(Node::Compare(IntCmp::Lt, iv, z));
        let r = b.a(Node::And([g, l].into()));
        b.a(Node::Iff(some, r))
    });
    b.fact(f);
    let f = b.all(ks, |b, i| {
        let v = b.join(i, hat);
        let some = b.size(SizeTest::Some, v);
        let iv = b.a(Node::SumSet(v));
        let g = b.a(Node::Compare(IntCmp::Gte, iv, zero));
        let l = b.a(Node::Compare(IntCmp::Lte, iv, nn));
        let r = b.a(Node::And([g, l].into()));
        b.a(Node::Implies(some, r))
    });
    b.fact(f);
    let f = b.all(ks, |b, i| {
        let iv = b.a(Node::SumSet(i));
        let g = b.a(Node::Compare(IntCmp::Gt, iv, zero));
        let l = b.a(Node::Compare(IntCmp::Lt, iv, z));
        let pre = b.a(Node::And([g, l].into()));
        let one = b.a(Node::Int(1));
        let two = b.a(Node::Int(2));
        let m = b.a(Node::IntBinary(IntOp::Sub, iv, one));
        let d = b.a(Node::IntBinary(IntOp::Div, m, two));
        let da = b.a(Node::IntAtom(d));
        let v = b.join(i, hat);
        let pv = b.join(da, hat);
        let v = b.a(Node::SumSet(v));
        let pv = b.a(Node::SumSet(pv));
        let le = b.a(Node::Compare(IntCmp::Lte, v, pv));
        b.a(Node::Implies(pre, le))
    });
    b.fact(f);
    b
}
fn lower_const(b: &mut B, pairs: impl Iterator<Item = (AtomId, AtomId)>) -> N {
    let n = b.p.universe.len();
    let mut s = TupleSet::empty(2, n);
    for (x, y) in pairs {
        s.insert(&[x, y]);
    }
    b.p.arena.constant(s)
}
fn bst(n: usize, exact: bool, colors: bool) -> B {
    let mut b = B::new();
    let k = b.fixed("Key", n);
    let t = b.fixed("Tree", 1);
    let a = b.sort("Node", n);
    let ks = b.exact("Key", &k);
    let ts = b.exact("Tree", &t);
    let s = if exact { b.exact("Node", &a) } else { b.upto("Node", &a) };
    let root = b.rel("root", &[&t, &a]);
    let left = b.rel("left", &[&a, &a]);
    let right = b.rel("right", &[&a, &a]);
    let key = b.rel("key", &[&a, &k]);
    let _ = colors;
    b.mult(ts, root, SizeTest::Lone);
    for f in [left, right] {
        b.mult(s, f, SizeTest::Lone);
    }
    b.mult(s, key, SizeTest::One);
    if !exact {
        b.typed(root, ts, s);
        b.typed(left, s, s);
        b.typed(right, s, s);
        b.typed(key, s, ks);
    }
    let lr = b.or_(left, right);
    let st = b.star(lr);
    let tr = b.join(ts, root);
    let reach = b.join(tr, st);
    let f = b.eq(s, reach);
    b.fact(f);
    let clo = b.clo(lr);
    let kk = k.clone();
    let lt = lower_const(
        &mut b,
        (0..n).flat_map(|i| {
            let kk = kk.clone();
            (i + 1..n).map(move |j| (kk[i], kk[j]))
        }),
    );
    let f = b.all(s, |b, x| {
        let r = b.join(x, clo);
        let i = b.sub(x, r);
        b.a(Node::Not(i))
    });
    b.fact(f);
    let f = b.all(s, |b, x| {
        let r = b.join(lr, x);
        b.size(SizeTest::Lone, r)
    });
    b.fact(f);
    let f = b.all(s, |b, x| {
        let l = b.join(x, left);
        let r = b.join(x, right);
        let i = b.and_(l, r);
        b.size(SizeTest::No, i)
    });
    b.fact(f);
    for (side, less) in [(left, true), (right, false)] {
        let f = b.all(s, |b, x| {
            let l = b.join(x, side);
            let dom = b.join(l, st);
            b.all(dom, |b, c| {
                let ck = b.join(c, key);
                let xk = b.join(x, key);
                let (p, q) = if less { (ck, xk) } else { (xk, ck) };
                let up = b.join(p, lt);
                b.sub(q, up)
            })
        });
        b.fact(f);
    }
    b
}
fn sortedlist(n: usize) -> B {
    let mut b = B::new();
    let v = b.fixed("Value", n);
    let sen = b.fixed("Sentinel", 1);
    let e = b.sort("Entry", n);
    let mut links = sen.clone();
    links.extend(&e);
    b.exact("Value", &v);
    let ss = b.exact("Sentinel", &sen);
    let es = b.upto("Entry", &e);
    let ls = b.or_(ss, es);
    let later = b.rel("later", &[&links, &links]);
    let earlier = b.rel("earlier", &[&links, &links]);
    let value = b.rel("value", &[&e, &v]);
    b.typed(later, ls, ls);
    b.typed(earlier, ls, ls);
    let vs = b.set(&v);
    let vs = b.p.arena.constant(vs);
    b.typed(value, es, vs);
    b.mult(ls, later, SizeTest::One);
    b.mult(ls, earlier, SizeTest::One);
    b.mult(es, value, SizeTest::One);
    let t = b.tr(later);
    let f = b.eq(earlier, t);
    b.fact(f);
    let st = b.star(later);
    let r = b.join(ss, st);
    let f = b.eq(ls, r);
    b.fact(f);
    let vv = v.clone();
    let lte = lower_const(
        &mut b,
        (0..n).flat_map(|i| {
            let vv = vv.clone();
            (i..n).map(move |j| (vv[i], vv[j]))
        }),
    );
    let f = b.all(es, |b, x| {
        let l = b.join(x, later);
        let pre = b.sub(l, es);
        let xv = b.join(x, value);
        let lv = b.join(l, value);
        let up = b.join(xv, lte);
        let post = b.sub(lv, up);
        b.a(Node::Implies(pre, post))
    });
    b.fact(f);
    b
}
fn main() {
    let only: Vec<String> = std::env::args().skip(1).collect();
    let rows: Vec<(&str, u64, f64, B)> = vec![
        ("list6", 729, 0.01, list(6)),
        ("bst7", 2950, 0.03, bst(7, false, false)),
        ("bst9", 51822, 1.0, bst(9, false, false)),
        ("tree12", 4766, 0.06, tree(12)),
        ("tree15", 87811, 1.0, tree(15)),
        ("function12", 57903, 0.35, function(12)),
        ("array3", 638536, 1.0, array(3)),
        ("dag5", 302, 0.005, dag(5)),
        ("dag6", 5984, 0.02, dag(6)),
        ("dag7", 243668, 1.0, dag(7)),
        ("digraph4", 3044, 0.01, digraph(4)),
        ("digraph5", 291968, 1.0, digraph(5)),
        ("poset6", 318, 0.005, poset(6)),
        ("poset8", 16999, 0.06, poset(8)),
        ("poset9", 183231, 1.0, poset(9)),
        ("graph8", 12346, 0.06, graph(8)),
        ("graph9", 274668, 1.5, graph(9)),
        ("heap8", 1005075, 0.5, heap(8)),
        ("heap9", 10391382, 4.0, heap(9)),
        ("sorted7", 3432, 0.1, sortedlist(7)),
        ("sorted11", 705432, 1.0, sortedlist(11)),
    ];
    for (name, want, limit, b) in rows {
        if !only.is_empty() && !only.iter().any(|o| name.starts_with(o.as_str())) {
            continue;
        }
        let t = Instant::now();
        let tr = translate(&b.p, &TranslateOptions::default()).unwrap();
        let t1 = t.elapsed();
        let options = EnumerateOptions {
            deadline: Some(Instant::now() + std::time::Duration::from_secs(20)),
            ..Default::default()
        };
        let s = count(&b.p, &options).unwrap();
        let el = t.elapsed() - t1;
        let st = s.statistics;
        println!(
            "{name:10} {:>9} {} {:7.3} s (limit {limit:6}) tr {:.4} cells {} vars {} clauses {} dec {} conf {} props {} checks {} nodes {} refut {} {:?}",
            s.count,
            if s.count == want { "ok " } else { "BAD" },
            el.as_secs_f64(),
            t1.as_secs_f64(),
            tr.n_visible,
            st.variables,
            st.clauses,
            st.decisions,
            st.conflicts,
            st.propagations,
            st.checks,
            st.check_nodes,
            st.refutations,
            s.verdict
        );
    }
}
