//! Readers do not allocate memory by the sizes in a header.

#![allow(clippy::unwrap_used)] // a failed step fails the test

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use tutelage::Spaces;
use tutelage::oracle::DurableOracle;
use tutelage_oracles::LeastSquares;
use tutelage_oracles::mlp::{MlpClassifier, MlpOracle, MlpPolicy, MlpSettings, MlpSettingsError};

/// The system allocator, recording the largest block.
struct CountingAllocator;

static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: forwards to the system allocator.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // SAFETY: forwarded.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: forwarded.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Returns a safetensors file with this header and these tensors (name, shape, actual bytes).
fn file(entry: &str, tensors: &[(&str, &str, usize)]) -> Vec<u8> {
    let mut end = 0;
    let mut describe = |(name, shape, bytes): &(&str, &str, usize)| {
        let start = end;
        end += bytes;
        format!(r#","{name}":{{"dtype":"F32","shape":[{shape}],"data_offsets":[{start},{end}]}}"#)
    };
    let tensors: String = tensors.iter().map(&mut describe).collect();
    let header = format!(r#"{{"__metadata__":{{"tutelage.policy":"{entry}"}}{tensors}}}"#);
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &vec![0; end]].concat()
}

fn entry(class: &str, action: &str, widths: &str, members: &str) -> String {
    let activation = if class == "mlp" { "tanh" } else { "none" };
    let clip = if action == "vector" { "-1,1" } else { "none" };
    format!(
        "version=1;class={class};action={action};widths={widths};activation={activation};clip={clip};members={members}"
    )
}

#[test]
fn false_headers_are_rejected_without_allocation() {
    let linear = |widths: &str, members: &str| entry("linear", "vector", widths, members);
    let weight = |shape: &'static str, bytes| [("layer.0.weight", shape, bytes), BIAS];
    const BIAS: (&str, &str, usize) = ("layer.0.bias", "1, 3", 12);
    // The tensors of a policy with widths 3,2,2,3.
    let small = [
        ("layer.0.weight", "1, 3, 2", 24),
        ("layer.0.bias", "1, 2", 8),
        ("layer.1.weight", "1, 2, 2", 16),
        ("layer.1.bias", "1, 2", 8),
        ("layer.2.weight", "1, 2, 3", 24),
        ("layer.2.bias", "1, 3", 12),
    ];
    let many = vec!["65536"; 40].join(",");
    let huge = "18446744073709551615, 18446744073709551615";
    let names: Vec<String> = (0..30_000).map(|n| n.to_string()).collect();
    let crowd: Vec<_> = names.iter().map(|name| (name.as_str(), "0", 0)).collect();
    let files = [
        file(&linear("3,3", "1"), &crowd),
        file(&linear("3,3", "1"), &weight("0, 65536", 0)),
        file(&linear("65536,65536", "1"), &weight("0, 65536", 0)),
        file(&linear("3,3", "1"), &weight("1099511627776, 3", 36)),
        file(&linear("3,3", "1099511627776"), &weight("1, 3, 3", 36)),
        file(&linear("3,3", "18446744073709551615"), &weight("1, 3, 3", 36)),
        file(&linear("3,3", "18446744073709551616"), &weight("1, 3, 3", 36)),
        file(&linear("3,3", "1"), &weight(huge, 36)),
        file(&entry("mlp", "vector", "3,65536,65536,3", "1"), &small),
        file(&entry("mlp", "index", "3,65536,65536,3", "1"), &small),
        file(&entry("mlp", "vector", "3,16000,16000,3", "1"), &small),
        file(&entry("mlp", "index", "3,16000,16000,3", "1"), &small),
        file(&entry("mlp", "vector", "3,2,2,3", "4000000000"), &small),
        file(&entry("mlp", "vector", &many, "1"), &small),
        [&u64::MAX.to_le_bytes()[..], b"{}"].concat(),
        [&(1u64 << 40).to_le_bytes()[..], b"{}"].concat(),
        vec![],
    ];
    let honest = file(&entry("mlp", "vector", "3,2,2,3", "1"), &small);
    MlpPolicy::from_safetensors(&honest).expect("the valid file");
    let wide = MlpSettings::new(&[16_000, 16_000]);
    let vectors = MlpOracle::new(wide.clone()).unwrap();
    let indices = MlpClassifier::new(wide).unwrap();
    let spaces = Spaces { states: 65_536, actions: 65_536 };
    for (i, bytes) in files.iter().enumerate() {
        LARGEST.store(0, Ordering::Relaxed);
        for spaces in [spaces, Spaces { states: 3, actions: 3 }] {
            assert!(vectors.decode(bytes, spaces).is_err(), "file {i}");
            assert!(indices.decode(bytes, spaces).is_err(), "file {i}");
            assert!(LeastSquares::default().decode(bytes, spaces).is_err(), "file {i}");
        }
        assert!(MlpPolicy::from_safetensors(bytes).is_err(), "file {i}");
        let largest = LARGEST.load(Ordering::Relaxed);
        assert!(largest < 64 << 10, "file {i}: a block of {largest} bytes for {}", bytes.len());
    }

    LARGEST.store(0, Ordering::Relaxed);
    let error = MlpOracle::new(MlpSettings::new(&[65_536, 65_536])).unwrap_err();
    assert_eq!(error, MlpSettingsError::TooLarge { parameters: 4_295_032_832 });
    assert!(LARGEST.load(Ordering::Relaxed) < 64 << 10);
}
