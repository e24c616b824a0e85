//! Views without a browser, to see how many the server bears: each looks at a city, follows the frames, and measures the time
//! between them. Some may stop reading, to be dropped.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Parser;
use futures_util::{SinkExt, StreamExt};
use quadrille_live::globe::{Place, project};
use quadrille_live::message::CORNERS_MAX;
use quadrille_live::reader::Mirror;
use serde_json::json;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;

/// Opens views of a live map that is being served, and prints what they were sent.
#[derive(Debug, Parser)]
#[command(name = "load")]
struct Options {
    /// The address of the server
    address: SocketAddr,
    /// How many views are read
    #[arg(long, default_value_t = 20)]
    views: u32,
    /// How many of them draw the costliest zone that is allowed: a star of crossing corners over all of the country. They are not
    /// measured
    #[arg(long, default_value_t = 0)]
    stars: u32,
    /// How many more stop reading after the first frame
    #[arg(long, default_value_t = 0)]
    stuck: u32,
    /// How long, in seconds
    #[arg(long, default_value_t = 30)]
    seconds: u64,
}

/// Longitudes and latitudes of cities.
const CITIES: [[f64; 2]; 10] = [
    [-74.0, 40.7],
    [-87.7, 41.9],
    [-84.4, 33.7],
    [-97.0, 32.8],
    [-118.3, 34.0],
    [-104.9, 39.7],
    [-80.2, 25.8],
    [-122.3, 37.7],
    [-77.0, 38.9],
    [-93.2, 44.9],
];
/// Half the widths of views, in degrees.
const HALVES: [f32; 3] = [0.7, 1.5, 3.0];

/// All that a view was sent.
#[derive(Debug, Default)]
struct Sent {
    bytes: usize,
    gaps: Vec<Duration>,
    /// How many ticks the answers about stars took.
    answers: Vec<u32>,
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(run(&options))
}

async fn run(options: &Options) -> anyhow::Result<()> {
    let time = Duration::from_secs(options.seconds);
    let views =
        (0..options.views).map(|number| tokio::spawn(read(options.address, number, number < options.stars, time)));
    let views = views.collect::<Vec<_>>();
    let stuck = (0..options.stuck).map(|_| tokio::spawn(stop_reading(options.address, time))).collect::<Vec<_>>();
    let mut all = Sent::default();
    for view in views {
        let sent = view.await??;
        all.bytes += sent.bytes;
        all.gaps.extend(sent.gaps);
        all.answers.extend(sent.answers);
    }
    all.gaps.sort_unstable();
    let at = |percent: usize| all.gaps.get((all.gaps.len() * percent / 100).min(all.gaps.len().saturating_sub(1)));
    let [half, most, longest] =
        [50, 99, 100].map(|percent| at(percent).copied().unwrap_or_default().as_secs_f64() * 1e3);
    println!(
        "{} views, {} frames: between two {half:.0} ms (median), {most:.0} ms (99 of 100), {longest:.0} ms (longest)",
        options.views,
        all.gaps.len()
    );
    println!("{:.1} kB/s a view", thousands(all.bytes) / time.as_secs_f64() / f64::from(options.views));
    if let (Some(least), Some(most)) = (all.answers.iter().min(), all.answers.iter().max()) {
        println!("{} stars: {} answers, after {least} to {most} ticks", options.stars, all.answers.len());
    }
    for view in stuck {
        println!("{}", view.await??);
    }
    Ok(())
}

fn thousands(bytes: usize) -> f64 {
    u32::try_from(bytes / 1000).map_or(f64::INFINITY, f64::from)
}

/// Reads a view of a city that wanders a little.
async fn read(address: SocketAddr, number: u32, draws: bool, time: Duration) -> anyhow::Result<Sent> {
    let (mut socket, _) = connect_async(format!("ws://{address}/live")).await.context("cannot connect")?;
    let ([x, y], half) = (project(CITIES[number as usize % CITIES.len()]), HALVES[number as usize % HALVES.len()]);
    let (begun, mut sent, mut last) = (Instant::now(), Sent::default(), None);
    if draws {
        let zone = json!({ "zone": { "number": number, "shape": { "polygon": star() } } });
        socket.send(Message::text(zone.to_string())).await?;
    }
    let mut mirror = Mirror::default();
    while begun.elapsed() < time {
        let message = socket.next().await.context("the server has closed a view that was read")??;
        let Message::Binary(bytes) = message else {
            sent.bytes += message.len();
            continue;
        };
        sent.bytes += bytes.len();
        if draws {
            mirror.zone_ticks = 0;
            mirror.follow(&bytes)?;
            sent.answers.extend(Some(mirror.zone_ticks).filter(|&ticks| 0 < ticks));
        } else if let Some(last) = last.replace(Instant::now()) {
            sent.gaps.push(last.elapsed());
        }
        // Panned in every tenth frame, as by a hand that stops now and then.
        if !draws && sent.gaps.len().is_multiple_of(10) {
            let x = x + half * 0.3 * (begun.elapsed().as_secs_f32() * 0.2).sin();
            let view = [x - half, y - 0.6 * half, x + half, y + 0.6 * half];
            socket.send(Message::text(json!({ "view": view }).to_string())).await?;
        }
    }
    Ok(sent)
}

fn star() -> Vec<Place> {
    let corners = CORNERS_MAX as u16;
    let turns = (0..corners).map(|corner| f32::from(corner) * std::f32::consts::PI * (1.0 - 1.0 / f32::from(corners)));
    turns.map(|turn| [-96.0 + 30.0 * turn.cos(), 42.0 + 20.0 * turn.sin()]).collect()
}

/// Asks for a large view and does not read on; tells when the server has dropped it.
async fn stop_reading(address: SocketAddr, time: Duration) -> anyhow::Result<String> {
    let (mut socket, _) = connect_async(format!("ws://{address}/live")).await.context("cannot connect")?;
    let [x, y] = project(CITIES[1]);
    let view = json!({ "view": [x - 4.0, y - 2.4, x + 4.0, y + 2.4] });
    socket.send(Message::text(view.to_string())).await?;
    tokio::time::sleep(time.mul_f32(0.9)).await;
    // Whatever the system has kept comes first, then the end.
    let rest = async { while let Some(Ok(_)) = socket.next().await {} };
    let ended = tokio::time::timeout(Duration::from_secs(5), rest).await.is_ok();
    Ok(format!("a view that stopped reading was {}dropped", if ended { "" } else { "not " }))
}
