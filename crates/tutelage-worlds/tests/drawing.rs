//! Every world can be drawn, and its picture moves as it does.

use std::error::Error;

use tutelage::{Action, Element, Stream};
use tutelage_draw::render::Renderer;
use tutelage_worlds::{CartPoleEnv, DriveEnv, DriveFiveEnv, GridEnv, PendulumEnv, World};

fn is_drawn_and_moves<W: World>() -> Result<(), Box<dyn Error>> {
    let mut world = W::default();
    let renderer = Renderer::new(160, 120)?;
    let before_any_episode = renderer.draw(&world.picture())?;
    assert_eq!(before_any_episode.size(), (160, 120));

    let (spaces, stream) = (world.spaces(), Stream::new(7));
    let mut state = vec![0.0; spaces.states];
    let mut action = vec![W::Action::default(); W::Action::width(spaces.actions)];
    let mut rng = stream.fork("act", 0).rng();
    world.reset(stream.rng(), &mut state)?;
    let first = renderer.draw(&world.picture())?;
    assert_eq!(renderer.draw(&world.clone().picture())?, first, "{}", W::NAME);
    for _ in 0..10 {
        W::Action::draw_uniform(spaces.actions, &mut rng, &mut action);
        if world.step(&action, &mut state)?.is_last() {
            break;
        }
    }
    assert_ne!(renderer.draw(&world.picture())?, first, "{}", W::NAME);
    Ok(())
}

#[test]
fn every_world_is_drawn_and_moves() -> Result<(), Box<dyn Error>> {
    is_drawn_and_moves::<CartPoleEnv>()?;
    is_drawn_and_moves::<PendulumEnv>()?;
    is_drawn_and_moves::<DriveEnv>()?;
    is_drawn_and_moves::<DriveFiveEnv>()?;
    is_drawn_and_moves::<GridEnv>()
}
