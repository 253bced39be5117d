//! Policies that can be kept.

use std::fs;
use std::path::{Path, PathBuf};

use crate::store::{Context, StoreError};

/// A policy that survives the process: what `from_bytes` makes of `to_bytes` acts the same, to the bit.
pub trait Durable: Sized {
    /// The policy as bytes; equal policies have equal bytes.
    fn to_bytes(&self) -> Result<Vec<u8>, PolicyError>;

    /// The policy that these bytes stand for.
    fn from_bytes(bytes: &[u8]) -> Result<Self, PolicyError>;
}

/// Why a policy could not be kept or brought back.
pub type PolicyError = Box<dyn std::error::Error + Send + Sync>;

/// Why a stored policy could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It holds no policy of this class.
    #[error("{path} holds no policy of this class: {source}")]
    Policy {
        /// The file.
        path: PathBuf,
        /// Why.
        source: PolicyError,
    },
}

/// Reads a stored policy.
pub fn load_policy<P: Durable>(path: &Path) -> Result<P, LoadError> {
    let bytes = fs::read(path).context("read", path)?;
    P::from_bytes(&bytes).map_err(|source| LoadError::Policy { path: path.into(), source })
}
