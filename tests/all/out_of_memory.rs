//! Memory that runs out, at each allocation of a script in turn: the process ends as the standard library ends it, with the
//! number of bytes that it did not get, and never hangs, panics or touches memory that is not its own.

use std::env;
use std::hint::black_box;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use quadrille::{
    AnyOf, Ball, Contacts, Corridor, GreatCircle, LayerSettings, Octree, Polygon, Quadtree, Rect, SearchBuffer, Watch,
};

use crate::allocation::LEFT;

/// In the child: after how many allocations memory runs out.
const VARIABLE: &str = "ALLOCATIONS_LEFT";
/// The words that the child prints at its end.
const DONE: &str = "there was memory for all of it";
/// No run of the script takes so long.
const HUNG: Duration = Duration::from_secs(60);
/// The signal that `abort` raises.
const ABORTED: i32 = 6;
/// How many children run at a time.
const AT_ONCE: usize = 2;

/// Changes of all kinds, then questions of all kinds.
fn script() {
    let world = Rect::new([0.0_f32, 0.0], [100.0, 100.0]);
    let mut index = Quadtree::<u16>::new(world).unwrap();
    let points = index.add_point_layer_with(LayerSettings::new().split_above(8)).unwrap();
    let boxes = index.add_rect_layer().unwrap();
    let place = |n: u16| [f32::from(n * 37 % 101), f32::from(n * 53 % 103)];
    let mut items: Vec<_> = (0..300).map(|n| (place(n), n)).collect();
    index.sort_by_place::<quadrille::Points, _, _>(&mut items, |item| item.0);
    let handles = index.insert_batch(points, items).unwrap();
    let wide = |n: u16| Rect::new(place(n), place(n).map(|at| at + f32::from(n % 7)));
    let mut others: Vec<_> = (0..100).map(|n| index.insert(boxes, wide(n), 7).unwrap()).collect();
    index.insert(boxes, Rect::new([-500.0, 3.0], [-100.0, 3.1]), 8).unwrap();
    changed(&mut index, &handles, &mut others);
    asked(&index, &handles);
    let mut space = Octree::<u8, f64>::new(Rect::new([0.0; 3], [1.0; 3])).unwrap();
    let crowd = space.add_point_layer().unwrap();
    space.insert_batch(crowd, (0..200_u8).map(|n| ([f64::from(n) / 256.0; 3], n))).unwrap();
    assert_eq!(space.pairs().within(0.01).count(), 199);
    space.clear();
}

fn changed(index: &mut Quadtree<u16>, handles: &[quadrille::Handle], others: &mut Vec<quadrille::Handle>) {
    let points = index.point_layer(index.layers().next().unwrap()).unwrap();
    index.update(points, |_, _, at| at.min().map(|at| (at * 1.5 + 7.0) % 100.0)).unwrap();
    #[cfg(feature = "rayon")]
    index.par_update(points, |_, value, at| at.min().map(|at| (at + f32::from(*value)) % 100.0)).unwrap();
    assert!(index.move_batch(handles[..200].iter().map(|&handle| (handle, [50.0, 50.0]))).refused.is_empty());
    index.remove_batch(others.drain(..60)).unwrap();
    index.retain(|_, _, value| *value % 5 != 0);
    while !index.optimize_step(40).done {}
    index.optimize();
    index.set_world(Rect::new([-10.0, -10.0], [110.0, 110.0])).unwrap();
    index.shrink_to_fit();
    let copy = index.clone();
    assert_eq!(copy.check_integrity(), Ok(()));
    drop(index.clone().drain());
}

fn asked(index: &Quadtree<u16>, handles: &[quadrille::Handle]) {
    let lake = Polygon::new((0..40_u8).map(|n| [f32::from(n), f32::from(n % 9)])).with_ring([[3.0, 9.0], [5.0, 9.0]]);
    let river = Corridor::new((0..40_u8).map(|n| [f32::from(n) * 2.0, f32::from(n % 9)]), 3.0);
    black_box(index.intersecting(&lake).excluding(&handles[..9]).count() + index.intersecting(&river).count());
    black_box(index.intersecting(AnyOf::new([Ball::new([9.0, 9.0], 5.0), Ball::new([50.0, 50.0], 2.0)])).count());
    let mut cursor = index.iter().pause().distinct();
    while !cursor.run(index, 50, |_| {}).unwrap().done {}
    let mut buffer = SearchBuffer::new();
    black_box(index.nearest([20.0, 20.0]).reusing(&mut buffer).count());
    black_box(index.nearest_by(GreatCircle::new([20.0, 20.0])).take(30).count());
    black_box(index.join(index).within(1.0).count());
    index.neighbors().within(3.0).for_each(|_, others| _ = black_box(others.count()));
    let (mut watch, mut contacts) = (Watch::new(), Contacts::new());
    watch.poll(index.intersecting(Ball::new([50.0, 50.0], 30.0))).unwrap();
    contacts.poll(index.pairs().within(1.0)).unwrap();
    contacts.poll_moved(&handles[..20], index.pairs_of(&handles[..20]).within(2.0)).unwrap();
}

/// The outcome of a child that does not hang.
fn finished(mut child: Child, left: usize) -> Output {
    let begin = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if HUNG < begin.elapsed() {
            child.kill().expect("a child");
            panic!("it hangs with {left} allocations");
        }
        thread::sleep(Duration::from_millis(1));
    }
    child.wait_with_output().expect("its output")
}

/// A child's script until memory runs out; in it, this test is the script.
#[test]
fn at_each_allocation() {
    if let Ok(left) = env::var(VARIABLE) {
        LEFT.store(left.parse().expect("a number"), Ordering::Relaxed);
        script();
        LEFT.store(usize::MAX, Ordering::Relaxed);
        println!("{DONE}");
        return;
    }
    let begun = |left: usize| {
        let mut command = Command::new(env::current_exe().expect("this program"));
        command.args(["out_of_memory::at_each_allocation", "--exact", "--nocapture", "--test-threads=1"]);
        // On one thread the same allocation is always the same one.
        command.env(VARIABLE, left.to_string()).env("RAYON_NUM_THREADS", "1").env_remove("RUST_BACKTRACE");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a child")
    };
    for left in (0..).step_by(AT_ONCE) {
        let children: Vec<_> = (left..left + AT_ONCE).map(|left| (left, begun(left))).collect();
        let mut is_done = false;
        for (left, child) in children {
            let Output { status, stdout, stderr } = finished(child, left);
            let [stdout, stderr] = [stdout, stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
            if stdout.contains(DONE) && status.success() {
                is_done = true;
                continue;
            }
            assert_eq!(status.signal(), Some(ABORTED), "{left} allocations: {status}\n{stderr}");
            assert!(stderr.contains("memory allocation of ") && !stderr.contains("panicked"), "{left}: {stderr}");
        }
        if is_done {
            assert!(300 < left, "{left} allocations");
            return;
        }
    }
}
