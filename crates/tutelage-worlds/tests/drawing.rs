//! Every world can be drawn, and its picture moves as it does.

use tutelage::{Action, Element, Stream};
use tutelage_render::Renderer;
use tutelage_worlds::{CartPole, Drive, DriveFive, Grid, Pendulum, World};

fn is_drawn_and_moves<W: World>() {
    let mut world = W::default();
    let renderer = Renderer::new(160, 120).unwrap();
    let before_any_episode = renderer.draw(&world.picture()).unwrap();
    assert_eq!(before_any_episode.size(), (160, 120));

    let spaces = world.spaces();
    let mut state = vec![0.0; spaces.states];
    let mut action = vec![W::Action::default(); W::Action::width(spaces.actions)];
    let stream = Stream::new(7);
    let mut rng = stream.fork("act", 0).rng();
    world.reset(stream.rng(), &mut state).unwrap();
    let first = renderer.draw(&world.picture()).unwrap();
    assert_eq!(renderer.draw(&world.clone().picture()).unwrap(), first, "{}", W::NAME);
    for _ in 0..10 {
        W::Action::draw_uniform(spaces.actions, &mut rng, &mut action);
        if world.step(&action, &mut state).unwrap().is_last() {
            break;
        }
    }
    assert_ne!(renderer.draw(&world.picture()).unwrap(), first, "{}", W::NAME);
}

#[test]
fn every_world_is_drawn_and_moves() {
    is_drawn_and_moves::<CartPole>();
    is_drawn_and_moves::<Pendulum>();
    is_drawn_and_moves::<Drive>();
    is_drawn_and_moves::<DriveFive>();
    is_drawn_and_moves::<Grid>();
}
