//! How much memory hostile uploads take: alone in its process, for the peak is the process's.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "skill_files/support.rs"]
#[expect(dead_code, reason = "the other suite uses the rest")]
mod support;

use skillfile::UploadError;
use support::{HEAD, Zipped, deflated_zeros, read_zip, zip};

const MIB: u64 = 1024 * 1024;

fn status_bytes(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

/// 256 entries that share the same 16 KB, each of which grows to 16 MiB.
fn overlapping_bomb() -> Vec<u8> {
    let packed = deflated_zeros(16 << 20, 1);
    let mut zeros = crc32fast::Hasher::new();
    zeros.update(&vec![0; 16 << 20]);
    let crc = zeros.finalize();
    let entry = |n: usize| Zipped {
        packed: packed.clone(),
        declared: 16 << 20,
        crc,
        shares: (n > 0).then_some(1),
        ..Zipped::new(&format!("demo/{n}"), b"")
    };
    let skill = Zipped::new("demo/SKILL.md", HEAD.as_bytes());
    zip(&std::iter::once(skill).chain((0..256).map(entry)).collect::<Vec<_>>())
}

#[test]
fn a_zip_of_42_kb_that_unpacks_to_4_gb_is_refused_in_less_than_64_mib() {
    let bomb = overlapping_bomb();
    assert!(bomb.len() < 42_000, "{}", bomb.len());
    let before = status_bytes("VmRSS:");
    assert!(matches!(read_zip(&bomb), Err(UploadError::Unpacked { limit: 67_108_864 })));
    // The peak is of the whole process, so what was really taken is at most this.
    let grown = status_bytes("VmHWM:") - before;
    assert!(grown < 64 * MIB, "{grown}");
}
