//! Which process this is: the environment that a supervisor gives to those it starts.

use std::env::{self, VarError};
use std::io;
use std::net::{SocketAddr, TcpListener};
use thiserror::Error;

/// The number of the process, from 0.
pub(crate) const NUMBER: &str = "QUADRILLE_PROCESS";
/// The addresses of all processes, with commas between them.
pub(crate) const ADDRESSES: &str = "QUADRILLE_ADDRESSES";
/// How often all were started before.
pub(crate) const ATTEMPT: &str = "QUADRILLE_ATTEMPT";
/// A number that all processes of an attempt share, and nobody else.
pub(crate) const TOKEN: &str = "QUADRILLE_TOKEN";
/// The number under which the system knows the supervisor.
pub(crate) const SUPERVISOR: &str = "QUADRILLE_SUPERVISOR";

/// Which process this is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Not started by a supervisor: it may become one.
    Supervisor,
    /// One of several processes that a [`Supervisor`](crate::Supervisor) has started.
    Process {
        /// Its number, from 0.
        number: usize,
        /// The addresses of all processes, its own among them; [`listener`] is bound to that one already.
        addresses: Vec<SocketAddr>,
        /// How often all were started before.
        attempt: usize,
        /// A number that only the processes of this attempt know: they show it to each other when they connect.
        token: u64,
    },
}

/// The environment is not one that a supervisor sets.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RoleError {
    /// A variable is missing, though others are set.
    #[error("the variable {name} is missing, though {NUMBER} is set")]
    Missing {
        /// Its name.
        name: &'static str,
    },
    /// A variable has a value that cannot be read.
    #[error("the variable {name} is {value:?}: {wanted} is wanted")]
    Value {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: String,
        /// The form that it should have.
        wanted: String,
    },
    /// The supervisor is dead already, or started this process indirectly.
    #[error("the supervisor, process {supervisor}, is not the parent of this process; is it dead?")]
    Orphan {
        /// The number under which the system knew it.
        supervisor: u32,
    },
}

/// Reads from the environment which process this is.
///
/// On Linux it makes a started process die with its supervisor, even if that one is killed. Call it in a thread that lives as
/// long as the process does, such as the main one: the request ends with its thread.
///
/// # Errors
///
/// [`RoleError`], where the variables are not those that a supervisor sets.
pub fn role() -> Result<Role, RoleError> {
    let number = match env::var(NUMBER) {
        Err(VarError::NotPresent) => return Ok(Role::Supervisor),
        _ => read(NUMBER, "the number of a process")?,
    };
    die_with(read(SUPERVISOR, "the number of a process of the system")?)?;
    Ok(Role::Process {
        number,
        addresses: addresses(number)?,
        attempt: read(ATTEMPT, "a count")?,
        token: read(TOKEN, "a number of 64 bits")?,
    })
}

/// The listening socket of this process, bound to its own address. Connections that came before this call wait in it.
///
/// On Unix the supervisor hands it over as standard input, so that nobody can take the port in between; elsewhere the
/// address is bound anew.
///
/// # Errors
///
/// The system's, or that the standard input is no socket that listens at `address`.
pub fn listener(address: SocketAddr) -> io::Result<TcpListener> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let listener = TcpListener::from(io::stdin().as_fd().try_clone_to_owned()?);
        let bound = listener.local_addr()?;
        if bound != address {
            let text = format!("the standard input listens at {bound}, not at {address}");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        Ok(listener)
    }
    #[cfg(not(unix))]
    TcpListener::bind(address)
}

fn addresses(number: usize) -> Result<Vec<SocketAddr>, RoleError> {
    let text: String = read(ADDRESSES, "a list of addresses")?;
    let bad = |wanted: String| RoleError::Value { name: ADDRESSES, value: text.clone(), wanted };
    let addresses: Result<Vec<SocketAddr>, _> = text.split(',').map(str::parse).collect();
    let addresses = addresses.map_err(|_| bad("a list of addresses".into()))?;
    if number < addresses.len() {
        Ok(addresses)
    } else {
        Err(bad(format!("an address of each process, also of number {number},")))
    }
}

fn read<T: std::str::FromStr>(name: &'static str, wanted: &str) -> Result<T, RoleError> {
    let value = match env::var(name) {
        Ok(value) => value,
        Err(VarError::NotPresent) => return Err(RoleError::Missing { name }),
        Err(VarError::NotUnicode(value)) => value.to_string_lossy().into_owned(),
    };
    value.parse().map_err(|_| RoleError::Value { name, value, wanted: wanted.into() })
}

#[cfg(target_os = "linux")]
fn die_with(supervisor: u32) -> Result<(), RoleError> {
    use rustix::process::{Signal, getppid, set_parent_process_death_signal};
    // It fails for no signal that exists.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    // It may have died before.
    let parent = getppid().map_or(0, |parent| parent.as_raw_nonzero().get().unsigned_abs());
    if parent == supervisor { Ok(()) } else { Err(RoleError::Orphan { supervisor }) }
}

#[cfg(not(target_os = "linux"))]
fn die_with(_: u32) -> Result<(), RoleError> {
    Ok(())
}
