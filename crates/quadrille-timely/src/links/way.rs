//! All that links ask of a connection and of the clock, in one place. A simulation takes the place of both.

use std::fmt::Debug;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

/// A connection to another process, and the clock.
pub(crate) trait Way: Debug + Send + Sync {
    /// Waits for bytes, a while; none are the end. After that while the error is `WouldBlock` or `TimedOut`.
    fn read(&self, bytes: &mut [u8]) -> io::Result<usize>;

    fn write_all(&self, bytes: &[u8]) -> io::Result<()>;

    /// The longest that a later write may take.
    fn hurry(&self, limit: Duration);

    /// Nothing is written any more; whoever waits to write is woken.
    fn end(&self);

    fn now(&self) -> Instant {
        Instant::now()
    }

    fn sleep(&self, time: Duration) {
        thread::sleep(time);
    }
}

impl Way for TcpStream {
    fn read(&self, bytes: &mut [u8]) -> io::Result<usize> {
        Read::read(&mut &*self, bytes)
    }

    fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        Write::write_all(&mut &*self, bytes)
    }

    fn hurry(&self, limit: Duration) {
        let _ = self.set_write_timeout(Some(limit));
    }

    fn end(&self) {
        // It may be closed already.
        let _ = self.shutdown(Shutdown::Write);
    }
}
