//! Drive a car with range sensors around a closed track.

mod car;
mod env;
mod expert;
mod picture;
mod polyline;
mod track;

pub use env::{DriveEnv, DriveFiveEnv};
