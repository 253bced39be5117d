//! How much memory this process has needed.

/// The most memory in bytes that the process has held at once, where the operating system tells (Linux does).
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_was_held_counts() {
        let held = std::hint::black_box(vec![1u8; 64 << 20]);
        assert!(peak_memory().unwrap() >= held.len() as u64);
    }
}
