//! A NATS server that a test starts for itself. Without one, tests say so and pass.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{env, fs, thread};

/// A server, killed when it is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
}

/// Where the variable `NATS_SERVER` says, or in the path.
fn found() -> Option<PathBuf> {
    let named = env::var_os("NATS_SERVER").map(PathBuf::from);
    let path = env::var_os("PATH").unwrap_or_default();
    let beside = env::split_paths(&path).chain(["/usr/sbin".into()]).map(|dir| dir.join("nats-server"));
    named.or_else(|| beside.into_iter().find(|program| program.is_file()))
}

impl Server {
    /// Starts a server that keeps its files in a directory.
    pub(crate) fn start(dir: &Path) -> Option<Self> {
        let Some(program) = found() else {
            println!("no nats-server is found, so nothing was tried");
            return None;
        };
        let ports = tempfile::tempdir().unwrap();
        let mut command = Command::new(program);
        command.args(["-js", "-a", "127.0.0.1", "-p", "-1", "-sd"]).arg(dir).arg("--ports_file_dir").arg(ports.path());
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let file = ports.path().join(format!("nats-server_{}.ports", child.id()));
        let mut server = Server { child, address: String::new() };
        while server.address.is_empty() {
            assert!(server.child.try_wait().unwrap().is_none(), "the server ended");
            thread::sleep(Duration::from_millis(5));
            let told = fs::read_to_string(&file).unwrap_or_default();
            server.address = told.split('"').find(|word| word.starts_with("nats://")).unwrap_or_default().into();
        }
        Some(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}
