//! Memory that runs out.

/// So many bytes of memory more than the process has, and it gets none.
pub(crate) fn take_no_more_than(spare: u64) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:")?.trim().strip_suffix(" kB")).unwrap();
    let most = Some(size.trim().parse::<u64>().unwrap() * 1024 + spare);
    setrlimit(Resource::As, Rlimit { current: most, maximum: most }).unwrap();
}
