//! Instruction sets and their numbers of lanes.

use std::fmt;

use crate::Error;
use crate::algebra::Algebra;
use crate::lane_group::{DynLaneGroup, LaneGroup};
use crate::multibody::MultiBody;
use crate::plane::Plane;
use crate::space::Space;

/// The instruction set of a [`crate::World`]. All give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InstructionSet {
    /// One lane, on any processor.
    Portable,
    /// Four lanes in registers of AVX2.
    Avx2,
    /// Eight lanes in registers of AVX-512.
    Avx512,
}

impl InstructionSet {
    /// All instruction sets.
    pub const ALL: [InstructionSet; 3] =
        [InstructionSet::Portable, InstructionSet::Avx2, InstructionSet::Avx512];

    /// Returns the number of lanes.
    pub fn lanes(self) -> usize {
        match self {
            InstructionSet::Portable => 1,
            InstructionSet::Avx2 => 4,
            InstructionSet::Avx512 => 8,
        }
    }

    /// Whether this processor supports it.
    pub fn is_available(self) -> bool {
        match self {
            InstructionSet::Portable => true,
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => std::arch::is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => {
                std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512vl")
                    && std::arch::is_x86_feature_detected!("avx512dq")
            }
            #[cfg(not(target_arch = "x86_64"))]
            InstructionSet::Avx2 | InstructionSet::Avx512 => false,
        }
    }

    /// Returns the supported instruction set with the most lanes.
    pub fn widest() -> InstructionSet {
        let available = InstructionSet::ALL.into_iter().filter(|set| set.is_available());
        available.max_by_key(|set| set.lanes()).unwrap_or(InstructionSet::Portable)
    }

    /// Creates the lanes of a world.
    pub(crate) fn build(
        self,
        multibody: MultiBody,
        planar: bool,
    ) -> Result<Box<dyn DynLaneGroup>, Error> {
        if planar { self.build_in::<Plane>(multibody) } else { self.build_in::<Space>(multibody) }
    }

    fn build_in<A: Algebra>(self, multibody: MultiBody) -> Result<Box<dyn DynLaneGroup>, Error> {
        if !self.is_available() {
            return Err(Error::Instructions(self));
        }
        Ok(match self {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => Box::new(LaneGroup::<A, crate::simd::Avx2>::new(multibody)),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => Box::new(LaneGroup::<A, crate::simd::Avx512>::new(multibody)),
            _ => Box::new(LaneGroup::<A, f64>::new(multibody)),
        })
    }
}

impl fmt::Display for InstructionSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            InstructionSet::Portable => "portable",
            InstructionSet::Avx2 => "AVX2",
            InstructionSet::Avx512 => "AVX-512",
        })
    }
}
