//! All that links ask of a connection and of the clock, in one place. A simulation takes the place of both.

use std::fmt::Debug;
use std::io::{self, IoSlice, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::Duration;

/// A connection to another process, and the clock.
pub(crate) trait Way: Debug + Send + Sync {
    /// Waits for bytes, a while; none are the end. After that while the error is `WouldBlock` or `TimedOut`.
    fn read(&self, bytes: &mut [u8]) -> io::Result<usize>;

    /// Waits for room for some of these bytes, a while, in the same way.
    fn write(&self, parts: &[IoSlice<'_>]) -> io::Result<usize>;

    /// Nothing is written any more; whoever waits to write is woken.
    fn end(&self);

    fn sleep(&self, time: Duration) {
        thread::sleep(time);
    }
}

impl Way for TcpStream {
    fn read(&self, bytes: &mut [u8]) -> io::Result<usize> {
        Read::read(&mut &*self, bytes)
    }

    fn write(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        Write::write_vectored(&mut &*self, parts)
    }

    fn end(&self) {
        // It may be closed already.
        let _ = self.shutdown(Shutdown::Write);
    }
}
