use std::path::Path;

use quadrille_airspace::clock::Minute;
use quadrille_airspace::data::Tables;
use quadrille_airspace::schedule::Schedule;
use serde_json::Value;

use super::*;
use crate::message::{Spot, Zone};
use crate::reader::Mirror;

/// The other end of a seat.
struct Browser {
    id: ViewId,
    messages: mpsc::Receiver<Message>,
    dropped: oneshot::Receiver<()>,
    mirror: Mirror,
    texts: Vec<Value>,
}

impl Browser {
    fn join(hub: &mut Hub<'_>) -> Result<Self, TooManyViews> {
        let (queue, messages) = mpsc::channel(QUEUE);
        let (alive, dropped) = oneshot::channel();
        let (answer, mut joined) = oneshot::channel();
        hub.obey(Command::Join(Seat { queue, alive }, answer));
        let id = joined.try_recv().unwrap()?;
        Ok(Self { id, messages, dropped, mirror: Mirror::default(), texts: Vec::new() })
    }

    fn read(&mut self) {
        while let Ok(message) = self.messages.try_recv() {
            match message {
                Message::Binary(bytes) => self.mirror.follow(&bytes).unwrap(),
                Message::Text(text) => self.texts.push(serde_json::from_str(&text).unwrap()),
                other => panic!("{other:?}"),
            }
        }
    }

    /// The last text with this key.
    fn text(&self, key: &str) -> Option<&Value> {
        self.texts.iter().rev().find_map(|text| text.get(key))
    }
}

fn with_hub(views: usize, play: impl FnOnce(&mut Hub<'_>)) {
    let tables = Tables::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../airspace/data/us-air")).unwrap();
    let schedule = Schedule::new(&tables, 1);
    let mut sky = Sky::new(&tables, &schedule).unwrap();
    let fleet = Fleet::new(&mut sky, Minute::wrapping(12 * 60), 0.1).unwrap();
    play(&mut Hub::new(sky, fleet, Limits { views, listed: 20_000 }));
}

fn everything() -> Shape {
    Shape::Rect(Rect::new(project([-170.0, 10.0]), project([-60.0, 72.0])))
}

#[test]
fn views_beyond_the_limit_are_refused_until_one_leaves() {
    with_hub(2, |hub| {
        let first = Browser::join(hub).unwrap();
        let _second = Browser::join(hub).unwrap();
        let refused = Browser::join(hub).err().unwrap();
        assert_eq!(refused.to_string(), "too many views: there are 2, limit 2; try again later");
        hub.obey(Command::Leave(first.id));
        assert!(Browser::join(hub).is_ok());
    });
}

#[test]
fn a_view_that_is_not_read_is_dropped_and_the_others_miss_nothing() {
    with_hub(9, |hub| {
        let mut others: Vec<_> = (0..3).map(|_| Browser::join(hub).unwrap()).collect();
        let mut stuck = Browser::join(hub).unwrap();
        for tick in 1..=2 * QUEUE as u32 {
            hub.tick().unwrap();
            for other in &mut others {
                other.read();
                assert_eq!(other.mirror.tick, tick);
            }
        }
        let status = hub.status();
        assert_eq!((&status["dropped"], status["views"].as_array().unwrap().len()), (&Value::from(1), 3));
        assert_eq!(stuck.dropped.try_recv(), Err(oneshot::error::TryRecvError::Closed));
        // Its memory is bounded: what the queue holds is all there is.
        stuck.read();
        assert!(stuck.mirror.tick < QUEUE as u32);
        assert_eq!(others[0].dropped.try_recv(), Err(oneshot::error::TryRecvError::Empty));
    });
}

#[test]
fn a_refused_message_is_answered_and_changes_nothing() {
    with_hub(9, |hub| {
        let mut browser = Browser::join(hub).unwrap();
        hub.tick().unwrap();
        browser.read();
        let before = (browser.mirror.view, browser.mirror.layers[1].clone());
        for text in ["", "[]", r#"{"view":[3,3,1,1]}"#, r#"{"layers":["sharks"]}"#, r#"{"zone":{"number":1}}"#] {
            browser.texts.clear();
            hub.obey(Command::Ask(browser.id, Request::parse(text)));
            hub.tick().unwrap();
            browser.read();
            assert!(browser.text("error").is_some_and(Value::is_string), "{text}");
            assert_eq!((browser.mirror.view, browser.mirror.layers[1].clone()), before);
        }
        // It is still listened to.
        hub.obey(Command::Ask(browser.id, Request::parse(r#"{"view":[-100,30,-90,40]}"#)));
        hub.tick().unwrap();
        browser.read();
        assert!(browser.mirror.view.iter().eq(&[-100.0, 30.0, -90.0, 40.0]));
    });
}

#[test]
fn every_view_has_its_own_part_of_the_map() {
    with_hub(9, |hub| {
        let mut browsers: Vec<_> = (0..5).map(|_| Browser::join(hub).unwrap()).collect();
        for (browser, west) in browsers.iter().zip([-120.0_f32, -110.0, -100.0, -90.0, -80.0]) {
            let view = Rect::new([west, 25.0], [west + 12.0, 50.0]);
            hub.obey(Command::Ask(browser.id, Ok(Request::View(view))));
        }
        for _ in 0..20 {
            hub.tick().unwrap();
            for browser in &mut browsers {
                browser.read();
                let [left, bottom, right, top] = browser.mirror.view;
                let scan = Scan::of(&hub.sky, &hub.fleet, &Shape::Rect(Rect::new([left, bottom], [right, top])));
                let ids: Vec<_> = scan.aircraft.iter().map(|&(id, ..)| id).collect();
                assert_eq!(browser.mirror.layers[0].keys().copied().collect::<Vec<_>>(), ids);
            }
        }
    });
}

#[test]
fn who_is_selected_has_the_neighbors_that_a_scan_finds() {
    with_hub(9, |hub| {
        let mut browser = Browser::join(hub).unwrap();
        let all = Scan::of(&hub.sky, &hub.fleet, &everything()).aircraft;
        let mut over = 0;
        for &(id, _, at) in all.iter().step_by(100) {
            hub.obey(Command::Ask(browser.id, Ok(Request::Select(Some(Spot { at, reach: 0.001 })))));
            browser.read();
            let selected = browser.text("selected").unwrap();
            let nearest = Nearest::of(&hub.sky, &hub.fleet, id).unwrap();
            assert_eq!(selected["id"], id);
            assert_eq!(selected["over"].as_str(), nearest.over.as_deref());
            over += usize::from(nearest.over.is_some());
            let near = |km: &Value, expected: f64| (km.as_f64().unwrap() - expected).abs() < 1e-9;
            assert!(near(&selected["airport"]["km"], nearest.airport.unwrap().1));
            let neighbors = selected["neighbors"].as_array().unwrap();
            assert_eq!(neighbors.len(), nearest.neighbors.len());
            for (neighbor, expected) in neighbors.iter().zip(nearest.neighbors) {
                assert!(near(&neighbor["km"], expected.1), "{neighbor} is not {expected:?}");
            }
        }
        assert!(10 < over, "{over} over counties");
        hub.obey(Command::Ask(browser.id, Ok(Request::Select(Some(Spot { at: [0.0, 0.0], reach: 1.0 })))));
        browser.read();
        assert_eq!(browser.text("selected"), Some(&Value::Null));
    });
}

#[test]
fn while_all_is_paused_views_still_answer() {
    with_hub(9, |hub| {
        let mut browser = Browser::join(hub).unwrap();
        hub.tick().unwrap();
        hub.inspect(Inspect::Pause(true));
        let zone = Zone { number: 1, shape: everything() };
        hub.obey(Command::Ask(browser.id, Ok(Request::Zone(Some(zone)))));
        hub.tick().unwrap();
        browser.read();
        let scan = Scan::of(&hub.sky, &hub.fleet, &everything());
        assert_eq!((browser.mirror.tick, scan.tick), (1, 1));
        assert_eq!(browser.mirror.zone.len(), scan.aircraft.len());
        hub.inspect(Inspect::Pause(false));
        hub.tick().unwrap();
        browser.read();
        assert_eq!(browser.mirror.tick, 2);
    });
}

#[test]
fn around_airports_there_are_as_many_as_a_scan_finds_and_a_frame_has_its_cost() {
    with_hub(9, |hub| {
        let mut browser = Browser::join(hub).unwrap();
        for _ in 0..RACE {
            hub.tick().unwrap();
            browser.read();
        }
        let counts = browser.text("around").unwrap().as_array().unwrap();
        hub.around.ask(&hub.sky);
        let balls = hub.around.balls().iter().copied().step_by(30);
        let found = balls.map(|ball| Scan::of(&hub.sky, &hub.fleet, &Shape::Circle(ball)).aircraft.len());
        assert!(found.eq(hub.around.counts().iter().copied().step_by(30)));
        assert_eq!(counts.len(), hub.around.counts().len());
        assert!(3000 < counts.len() && 1000 < hub.around.counts().iter().sum::<usize>());
        let race = browser.text("race").unwrap();
        assert_eq!(race["questions"], 1 + counts.len());
        assert!(race["micros"].as_array().unwrap().iter().all(|micros| 0.0 < micros.as_f64().unwrap()));
    });
}
