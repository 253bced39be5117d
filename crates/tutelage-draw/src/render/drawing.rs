//! Environments that can be drawn.

use tutelage::Env;

use crate::render::{Frame, Picture, Scene};

/// An environment that can be drawn.
pub trait Render: Env<State = f32> {
    /// Describes what the environment looks like now.
    fn render(&self) -> Drawing;
}

/// A boxed environment is drawn like the environment in the box.
impl<E: Render + ?Sized> Render for Box<E> {
    fn render(&self) -> Drawing {
        (**self).render()
    }
}

/// What an environment looks like at one moment.
#[derive(Clone, Debug, PartialEq)]
pub enum Drawing {
    /// Shapes in a plane.
    Picture(Picture),
    /// Solids above a floor.
    Scene(Scene),
    /// Pixels that the environment drew itself.
    Frame(Frame),
}

impl Drawing {
    /// Returns the picture if the environment is drawn in a plane.
    pub fn into_picture(self) -> Option<Picture> {
        if let Self::Picture(picture) = self { Some(picture) } else { None }
    }
}

impl From<Picture> for Drawing {
    fn from(picture: Picture) -> Self {
        Self::Picture(picture)
    }
}

impl From<Scene> for Drawing {
    fn from(scene: Scene) -> Self {
        Self::Scene(scene)
    }
}
