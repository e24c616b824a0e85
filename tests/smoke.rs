//! x
use quadrille::*;
fn rng(s: &mut u64) -> u64 {
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    *s
}
fn run<S: Scalar, const D: usize>(seed: u64, n: usize, settings: LayerSettings) {
    let mut s = seed;
    let world = Rect::<S, D>::new([S::from(0); D], [S::from(64); D]);
    let mut index = SpatialIndex::<usize, S, D>::new(world).unwrap();
    let pts = index.add_point_layer().unwrap();
    let rects = index.add_rect_layer_with(settings).unwrap();
    let mut model: Vec<(Handle, Rect<S, D>, bool)> = vec![];
    for step in 0..n {
        let c = |s: &mut u64| S::from((rng(s) % 72) as u16) - S::from(4);
        let p: [S; D] = std::array::from_fn(|_| c(&mut s));
        let r = {
            let e = 1 << (rng(&mut s) % 6);
            let q: [S; D] = std::array::from_fn(|a| p[a] + S::from((rng(&mut s) % e) as u16));
            Rect::new(p, q)
        };
        match rng(&mut s) % 10 {
            0..=2 => {
                let h = index.insert(pts, p, step).unwrap();
                model.push((h, Rect::at(p), true));
            }
            3..=4 => {
                let h = index.insert(rects, r, step).unwrap();
                model.push((h, r, false));
            }
            5..=6 if !model.is_empty() => {
                let i = rng(&mut s) as usize % model.len();
                let m = &mut model[i];
                if m.2 {
                    index.move_to(m.0, p).unwrap();
                    m.1 = Rect::at(p);
                } else {
                    index.move_to(m.0, r).unwrap();
                    m.1 = r;
                }
            }
            _ if !model.is_empty() && (step / 2000) % 2 == 1 => {
                let i = rng(&mut s) as usize % model.len();
                let m = model.swap_remove(i);
                index.remove(m.0).unwrap();
            }
            _ => {}
        }
        index.check_integrity().unwrap();
        if step % 10 == 0 {
            let mut a: Vec<_> = index.intersecting(r).map(|o| o.handle()).collect();
            a.sort();
            let mut b: Vec<_> = model.iter().filter(|m| m.1.intersects(&r)).map(|m| m.0).collect();
            b.sort();
            assert_eq!(a, b);
            let mut a: Vec<_> = index.contained_in(r).map(|o| o.handle()).collect();
            a.sort();
            let mut b: Vec<_> = model.iter().filter(|m| r.contains(&m.1)).map(|m| m.0).collect();
            b.sort();
            assert_eq!(a, b);
            let mut a: Vec<_> = index.containing(r).map(|o| o.handle()).collect();
            a.sort();
            let mut b: Vec<_> = model.iter().filter(|m| m.1.contains(&r)).map(|m| m.0).collect();
            b.sort();
            assert_eq!(a, b);
            assert_eq!(index.iter().count(), model.len());
        }
    }
    println!("{:?}", index.stats());
    index.shrink_to_fit();
    index.check_integrity().unwrap();
    index.set_world(Rect::new([S::from(3); D], [S::from(40); D])).unwrap();
    index.check_integrity().unwrap();
    assert_eq!(index.iter().count(), model.len());
}
#[test]
fn a() {
    for (i, st) in [
        LayerSettings::new(),
        LayerSettings::new().split_above(0),
        LayerSettings::new().split_above(3),
        LayerSettings::new().split_above(100).depth_max(1),
    ]
    .into_iter()
    .enumerate()
    {
        let i = i as u64;
        run::<f32, 2>(1234567 + i, 8000, st);
        run::<f64, 2>(7234567 + i, 4000, st);
        run::<f32, 3>(777567 + i, 4000, st);
        run::<f64, 3>(9934567 + i, 4000, st);
    }
}
