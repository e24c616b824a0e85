//! A live map in a browser: a recorded day of air traffic in one index, sent view by view.
//!
//! One task, the [`hub`], owns the index and moves every aircraft ten times a second. Each browser has a [`view`] there,
//! which is a few watches: after each tick they tell what has entered, moved and left, and that is sent, nothing else.
//!
//! - [`globe`]: the projection of the map, and distances over the globe.
//! - [`sky`]: the index, and the names of all that is in it.
//! - [`fleet`]: the aircraft in the air.
//! - [`message`]: what a browser may ask, checked.
//! - [`frame`]: what is sent to it, as bytes; [`reader`] reads them again.
//! - [`follow`], [`survey`], [`zone`], [`select`], [`overview`]: the queries of a view.
//! - [`view`]: one browser's view.
//! - [`around`]: how many are around airports.
//! - [`rivals`]: the cost of the same frame by other means.
//! - [`scan`]: the same answers by linear scans, for tests.
//! - [`times`]: how long ticks take.
//! - [`hub`]: the writer, and all views.
//! - [`server`]: the web server.

pub mod globe;
pub mod sky;
pub mod fleet;
pub mod message;
pub mod frame;
pub mod reader;
pub mod follow;
pub mod survey;
pub mod zone;
pub mod select;
pub mod overview;
pub mod view;
pub mod around;
pub mod scan;
pub mod rivals;
pub mod times;
pub mod hub;
pub mod server;
