//! A small software renderer for environments.
//!
//! An environment that implements [`Render`] describes itself as a [`Drawing`]: shapes in a plane ([`Picture`]), solids
//! above a floor ([`Scene`]), or pixels ([`Frame`]). A [`Renderer`] turns drawings into frames, which can be written as PNG
//! files or joined into GIFs and strips.
//!
//! Solids are ray traced against their exact shapes, so a picture shows what the physics collides. The floor is the plane
//! z = 0. Its checker pattern has tiles of one meter, so that motion is visible although the camera follows.
//!
//! ```
//! use tutelage_draw::Color;
//! use tutelage_draw::render::{Body, Camera, Pose, Renderer, Scene, Shape};
//!
//! let ball = Body {
//!     shape: Shape::Sphere { radius: 0.5 },
//!     pose: Pose { position: [0.0, 0.0, 0.5], rotation: [0.0, 0.0, 0.0, 1.0] },
//!     color: Color::new(220, 90, 40),
//! };
//! let scene = Scene { bodies: vec![ball], camera: Camera::from_side([0.0, 0.0, 0.5], 3.0) };
//! let frame = Renderer::new(120, 90)?.draw(&scene.into())?;
//! assert_eq!(frame.rgb().len(), 120 * 90 * 3);
//! # Ok::<(), tutelage_draw::render::RenderError>(())
//! ```

mod camera;
mod drawing;
mod error;
mod frame;
mod gif_writer;
mod ground;
mod ink;
mod light;
mod palette;
mod picture;
mod raster;
mod renderer;
mod scene;
mod solid;

pub use camera::Camera;
pub use drawing::{Drawing, Render};
pub use error::RenderError;
pub use frame::{Frame, strip};
pub use gif_writer::GifWriter;
pub use ink::Ink;
pub use picture::{Mark, Picture, Rectangle};
pub use renderer::Renderer;
pub use scene::{Body, Pose, Scene, Shape};
