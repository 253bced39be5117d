//! Every environment can be drawn, and its drawing changes with its state.

use std::error::Error;

use tutelage::{Element, Stream};
use tutelage_draw::render::Renderer;
use tutelage_worlds::{CartPoleEnv, DriveEnv, DriveFiveEnv, GridEnv, PendulumEnv, World};

fn check_drawing<W: World>() -> Result<(), Box<dyn Error>> {
    let mut world = W::default();
    let renderer = Renderer::new(160, 120)?;
    let before_any_episode = renderer.draw(&world.render())?;
    assert_eq!(before_any_episode.size(), (160, 120));

    let (spaces, stream) = (world.spaces(), Stream::new(7));
    let mut state = vec![0.0; spaces.states];
    let mut action = vec![W::Action::default(); W::Action::width(spaces.actions)];
    let mut rng = stream.fork("act", 0).rng();
    world.reset(stream.rng(), &mut state)?;
    let first = renderer.draw(&world.render())?;
    assert_eq!(renderer.draw(&world.clone().render())?, first);
    for _ in 0..10 {
        W::Action::draw_uniform(spaces.actions, &mut rng, &mut action);
        if world.step(&action, &mut state)?.is_last() {
            break;
        }
    }
    assert_ne!(renderer.draw(&world.render())?, first);
    Ok(())
}

#[test]
fn drawings_change_with_the_state() -> Result<(), Box<dyn Error>> {
    check_drawing::<CartPoleEnv>()?;
    check_drawing::<PendulumEnv>()?;
    check_drawing::<DriveEnv>()?;
    check_drawing::<DriveFiveEnv>()?;
    check_drawing::<GridEnv>()
}
