//! Sockets between processes, with a relay in the middle of each that counts.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// The header of a frame, and timely's of a message in it: six numbers of 64 bits each, the fourth and the fifth of which are the
/// length of what follows.
const HEADER: usize = 48;
const FRAME_LENGTH: std::ops::Range<usize> = 24..32;
const LENGTH: std::ops::Range<usize> = 32..40;

/// Messages and bytes so far, in all directions.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    messages: AtomicU64,
    bytes: AtomicU64,
}

impl Counts {
    pub(crate) fn now(&self) -> [u64; 2] {
        [&self.messages, &self.bytes].map(|count| count.load(Ordering::Relaxed))
    }
}

/// For each process a socket to each other one, `None` at its own number; with relays, if there is something to count with.
pub(crate) fn sockets(processes: usize, counts: Option<&Arc<Counts>>) -> io::Result<Vec<Vec<Option<TcpStream>>>> {
    let mut all: Vec<Vec<Option<TcpStream>>> = (0..processes).map(|_| (0..processes).map(|_| None).collect()).collect();
    for [a, b] in (0..processes).flat_map(|a| (0..a).map(move |b| [a, b])) {
        let [end_a, mut end_b] = pair()?;
        if let Some(counts) = counts {
            let [middle_b, end] = pair()?;
            relay(end_b.try_clone()?, middle_b.try_clone()?, Arc::clone(counts));
            relay(middle_b, end_b, Arc::clone(counts));
            end_b = end;
        }
        (all[a][b], all[b][a]) = (Some(end_a), Some(end_b));
    }
    Ok(all)
}

/// The two ends of a connection.
fn pair() -> io::Result<[TcpStream; 2]> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let ends = [TcpStream::connect(listener.local_addr()?)?, listener.accept()?.0];
    ends.iter().try_for_each(|end| end.set_nodelay(true))?;
    Ok(ends)
}

/// Hands messages on in a thread, until their sender has none left.
fn relay(from: TcpStream, to: TcpStream, counts: Arc<Counts>) {
    thread::spawn(move || {
        let mut from = BufReader::new(from);
        let mut to = BufWriter::new(to);
        while let Ok([messages, bytes]) = hand_on(&mut from, &mut to) {
            counts.messages.fetch_add(messages, Ordering::Relaxed);
            counts.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
        let _ = to.flush().and_then(|()| to.get_ref().shutdown(Shutdown::Write));
    });
}

/// Hands on one frame, and returns the number of messages in it and its bytes.
fn hand_on(from: &mut BufReader<TcpStream>, to: &mut BufWriter<TcpStream>) -> io::Result<[u64; 2]> {
    let mut header = [0; HEADER];
    from.read_exact(&mut header)?;
    let length = u64::from_le_bytes(header[FRAME_LENGTH].try_into().expect("8 bytes"));
    let mut frame = Vec::new();
    from.by_ref().take(length).read_to_end(&mut frame)?;
    to.write_all(&header)?;
    to.write_all(&frame)?;
    if from.buffer().is_empty() {
        to.flush()?;
    }
    let (mut at, mut messages) = (0, 0);
    while let Some(length) = frame.get(at..).and_then(|message| message.get(LENGTH)) {
        at += HEADER + u64::from_be_bytes(length.try_into().expect("8 bytes")) as usize;
        messages += 1;
    }
    Ok([messages, (HEADER + frame.len()) as u64])
}
