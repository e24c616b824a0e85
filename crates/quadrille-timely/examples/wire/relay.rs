//! Sockets between processes, with a relay in the middle of each that counts.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Timely's header of a message: six numbers of 64 bits, the fifth of which is the length of what follows.
const HEADER: usize = 48;
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
    for a in 0..processes {
        for b in 0..a {
            let [end_a, mut end_b] = pair()?;
            if let Some(counts) = counts {
                let [middle_b, end] = pair()?;
                relay(end_b.try_clone()?, middle_b.try_clone()?, Arc::clone(counts));
                relay(middle_b, end_b, Arc::clone(counts));
                end_b = end;
            }
            (all[a][b], all[b][a]) = (Some(end_a), Some(end_b));
        }
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
        while let Ok(bytes) = hand_on(&mut from, &mut to) {
            counts.messages.fetch_add(1, Ordering::Relaxed);
            counts.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
        let _ = to.flush().and_then(|()| to.get_ref().shutdown(Shutdown::Write));
    });
}

/// Hands on one message, and returns its bytes.
fn hand_on(from: &mut BufReader<TcpStream>, to: &mut BufWriter<TcpStream>) -> io::Result<u64> {
    let mut header = [0; HEADER];
    from.read_exact(&mut header)?;
    let length = u64::from_be_bytes(header[LENGTH].try_into().expect("8 bytes"));
    to.write_all(&header)?;
    io::copy(&mut from.by_ref().take(length), to)?;
    if from.buffer().is_empty() {
        to.flush()?;
    }
    Ok(HEADER as u64 + length)
}
