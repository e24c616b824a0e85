//! The connections between the processes of a world.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use crate::kept::planted;

/// How long a process waits for the others.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a caller may take to identify itself.
const MANNERS: Duration = Duration::from_secs(2);

/// One socket for each other process: this one connects to those with smaller numbers, the others connect to it. All send a
/// token that only they know, so that a process of an earlier start, or another program, is not taken for one of them.
pub(crate) fn connect(
    listener: &TcpListener,
    addresses: &[SocketAddr],
    me: usize,
    token: u64,
) -> io::Result<Vec<Option<TcpStream>>> {
    let until = Instant::now() + PATIENCE;
    let mut sockets: Vec<Option<TcpStream>> = addresses.iter().map(|_| None).collect();
    for (other, address) in addresses.iter().enumerate().take(me) {
        let mut socket = call(address, until)?;
        socket.write_all(&greeting(token, me))?;
        sockets[other] = Some(socket);
    }
    listener.set_nonblocking(true)?;
    while sockets.iter().enumerate().any(|(other, socket)| other > me && socket.is_none()) {
        match listener.accept() {
            Ok((socket, _)) => {
                if let Some((other, socket)) = meet(socket, token, MANNERS)
                    && other > me
                    && other < sockets.len()
                {
                    sockets[other] = Some(socket);
                }
            }
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
            Err(_) => (),
        }
        nap(until)?;
    }
    for socket in sockets.iter().flatten() {
        socket.set_nodelay(true)?;
    }
    Ok(sockets)
}

fn call(address: &SocketAddr, until: Instant) -> io::Result<TcpStream> {
    loop {
        match TcpStream::connect(address) {
            Ok(socket) => return Ok(socket),
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => nap(until)?,
            Err(error) => return Err(error),
        }
    }
}

/// The caller's socket and number, if it is one of ours and says so in time.
fn meet(socket: TcpStream, token: u64, limit: Duration) -> Option<(usize, TcpStream)> {
    socket.set_nonblocking(false).ok()?;
    let mut caller = Until { socket, end: Instant::now() + limit };
    let number = heard(&mut caller, token)?;
    caller.socket.set_read_timeout(None).ok()?;
    Some((number, caller.socket))
}

/// Reads up to a moment, however slowly bytes come.
struct Until {
    socket: TcpStream,
    end: Instant,
}

impl Read for Until {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.socket.set_read_timeout(Some(left))?;
        self.socket.read(bytes)
    }
}

/// The words with which a process says who it is.
pub(crate) fn greeting(token: u64, me: usize) -> Vec<u8> {
    [token, me as u64].into_iter().flat_map(u64::to_le_bytes).collect()
}

/// The number in a greeting, if it has the token.
pub(crate) fn heard(caller: &mut impl Read, token: u64) -> Option<usize> {
    let mut words = [0; 16];
    caller.read_exact(&mut words).ok()?;
    let [said, number] = [&words[..8], &words[8..]].map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes")));
    let is_ours = said == token || planted("a token that is not compared");
    is_ours.then(|| usize::try_from(number).ok()).flatten()
}

fn nap(until: Instant) -> io::Result<()> {
    if Instant::now() > until {
        return Err(io::Error::new(io::ErrorKind::TimedOut, "the other processes did not come within 30 s"));
    }
    thread::sleep(Duration::from_millis(1));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each byte of its greeting comes in time, the whole does not.
    #[test]
    fn a_caller_that_drips_bytes_is_let_go() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let call = move |pause| {
            thread::spawn(move || {
                let mut socket = TcpStream::connect(address).unwrap();
                let mut send = |byte| {
                    thread::sleep(pause);
                    socket.write_all(&[byte]).is_ok()
                };
                greeting(7, 1).into_iter().all(&mut send)
            })
        };
        let limit = Duration::from_millis(500);
        let slow = call(Duration::from_millis(200));
        assert!(meet(listener.accept().unwrap().0, 7, limit).is_none());
        let quick = call(Duration::ZERO);
        assert_eq!(meet(listener.accept().unwrap().0, 7, Duration::from_secs(10)).map(|(number, _)| number), Some(1));
        assert!(quick.join().unwrap());
        slow.join().unwrap();
    }
}
