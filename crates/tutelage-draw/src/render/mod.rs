//! A small software renderer: solids over a checkered floor, to animated GIFs and PNG strips.
//!
//! It needs no GPU and no display. Every pixel is cast as a ray against the exact shapes (spheres, capsules, boxes), so
//! what is seen is what the physics collides. The floor is the plane z = 0; its checker pattern has tiles of half a
//! metre, so that motion shows though the camera follows. Worlds that lie in a plane are drawn as flat shapes instead
//! ([`Picture`]).
//!
//! ```
//! use tutelage_draw::render::{Body, Camera, Pose, Renderer, Scene, Shape};
//!
//! let ball = Body {
//!     shape: Shape::Sphere { radius: 0.5 },
//!     pose: Pose { position: [0.0, 0.0, 0.5], rotation: [0.0, 0.0, 0.0, 1.0] },
//!     colour: [220, 90, 40],
//! };
//! let frame = Renderer::new(120, 90)?.render(&Scene { bodies: vec![ball] }, &Camera::beside([0.0, 0.0, 0.5], 3.0))?;
//! assert_eq!(frame.rgb().len(), 120 * 90 * 3);
//! # Ok::<(), tutelage_draw::render::RenderError>(())
//! ```

mod camera;
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
mod text;

pub use camera::Camera;
pub use error::RenderError;
pub use frame::{Frame, strip};
pub use gif_writer::GifWriter;
pub use ink::Ink;
pub use picture::{Mark, Picture, Rectangle};
pub use renderer::Renderer;
pub use scene::{Body, Colour, Pose, Scene, Shape};
