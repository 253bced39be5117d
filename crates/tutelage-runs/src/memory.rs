//! Peak memory of this process.

/// Returns the most memory in bytes that this process has held at once, or `None` if the platform does not report it.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn peak_memory_includes_live_allocations() {
        let held = std::hint::black_box(vec![1u8; 64 << 20]);
        assert!(peak_memory().unwrap() >= held.len() as u64);
    }
}
