//! Drive a car with range sensors around a closed track.

mod car;
mod env;
mod expert;
mod five;
mod picture;
mod plane;
mod polyline;
mod track;

pub use env::DriveEnv;
pub use five::DriveFiveEnv;
