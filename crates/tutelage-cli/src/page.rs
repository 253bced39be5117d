//! What the commands with a page share: where it is, and how tasks are shown on it.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use serde::Serialize;
use tutelage::{Bounds, Element, Env, EnvError, Rng, SpaceKind, Spaces, Step};
use tutelage_draw::render::Renderer;
use tutelage_envs::Locomotion;
use tutelage_lab::{Stage, Task, robot_frame};
use tutelage_teach::{Axis, Controls, Limits, Reach, Server, Show, Site, Token, View};

use crate::output::{Output, note};

/// Where a page is.
#[derive(clap::Args)]
pub(crate) struct PageArgs {
    /// The port; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The address to listen on
    #[arg(long, default_value = "127.0.0.1", value_name = "IP")]
    listen: IpAddr,
    /// Allow an address that other machines can reach: whoever finds the token there has the page
    #[arg(long)]
    beyond_this_machine: bool,
    /// Keep the token in this file, so that the address stays the same [default: a new token at every start]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

#[derive(Serialize)]
struct Address<'a> {
    url: &'a str,
}

impl PageArgs {
    /// Serves a page and says where.
    pub(crate) fn serve(&self, site: Site, what: &str, output: &Output) -> anyhow::Result<Server> {
        let token = match &self.token_file {
            Some(file) => Token::kept_in(file)?,
            None => Token::random()?,
        };
        let address = SocketAddr::new(self.listen, self.port);
        let reach = if self.beyond_this_machine { Reach::Beyond } else { Reach::ThisMachine };
        let server = Server::start(address, reach, token, Limits::default(), site)?;
        if !self.listen.is_loopback() {
            note(&format!(
                "warning: other machines can reach {}, unencrypted; whoever sees the token can use the page",
                server.address()
            ));
        }
        let url = server.url();
        output.json(&Address { url: &url })?;
        output.say(&format!("{what}\n\n    {url}\n\nCtrl-C ends it."))?;
        Ok(server)
    }
}

/// How a person acts in a task, where they can.
pub(crate) fn controls(task: Task) -> Controls {
    let words = task.words();
    let text = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    match (task.actions(), task.bounds()) {
        (SpaceKind::Continuous, Some(bounds)) => {
            let end = |i: usize, which: usize| words.ends.get(i).map_or("", |ends| ends[which]);
            let axis = |i: usize| Axis {
                name: words.actions.get(i).map_or(format!("number {}", i + 1), |n| (*n).into()),
                low_label: end(i, 0).into(),
                high_label: end(i, 1).into(),
                low: bounds.low()[i],
                high: bounds.high()[i],
            };
            Controls::Axes((0..bounds.width()).map(axis).collect())
        }
        _ => Controls::Choice(text(words.actions)),
    }
}

/// A task that is drawn in the plane.
pub(crate) struct Flat<A>(pub(crate) Box<dyn Stage<A>>);

/// A robot, as its expert sees it.
pub(crate) struct Robot<E> {
    pub(crate) env: E,
    pub(crate) body: fn(&E) -> &Locomotion,
    pub(crate) renderer: Renderer,
}

macro_rules! same_env {
    ($env:tt) => {
        fn spaces(&self) -> Spaces {
            self.$env.spaces()
        }

        fn horizon(&self) -> usize {
            self.$env.horizon()
        }

        fn bounds(&self) -> Bounds {
            self.$env.bounds()
        }

        fn reset(&mut self, rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
            self.$env.reset(rng, state)
        }

        fn step(&mut self, action: &[Self::Action], state: &mut [f32]) -> Result<Step, EnvError> {
            self.$env.step(action, state)
        }
    };
}

impl<A: Element> Env for Flat<A> {
    type State = f32;
    type Action = A;
    same_env!(0);
}

impl<A: Element> Show for Flat<A> {
    fn look(&self) -> View {
        View::Shapes(self.0.picture())
    }
}

impl<E: Env<State = f32, Action = f32>> Env for Robot<E> {
    type State = f32;
    type Action = f32;
    same_env!(env);
}

impl<E: Env<State = f32, Action = f32>> Show for Robot<E> {
    fn look(&self) -> View {
        let frame = robot_frame(&self.renderer, &(self.body)(&self.env).snapshot());
        View::Png(frame.map_or(vec![], |frame| frame.to_png()))
    }
}
