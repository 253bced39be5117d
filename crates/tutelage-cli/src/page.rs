//! What the commands with a page share: the server's arguments, and how tasks are drawn.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use serde::Serialize;
use tutelage::{Bounds, Element, Env, EnvError, Rng, SpaceKind, Spaces, Step};
use tutelage_draw::render::Renderer;
use tutelage_envs::Locomotion;
use tutelage_lab::{Stage, Task, robot_frame};
use tutelage_teach::{
    Access, Axis, Controls, Server, ServerConfig, ServerError, Show, Site, Token, View,
};

use crate::output::{Output, note};

/// Arguments of the page's server.
#[derive(clap::Args)]
pub(crate) struct PageArgs {
    /// Port to listen on; 0 selects a free port
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1", value_name = "IP")]
    listen: IpAddr,
    /// Allow an address that other machines can reach; anyone with the token can use the page
    #[arg(long, alias = "beyond-this-machine")]
    allow_remote: bool,
    /// Keep the token in this file, so that the URL survives a restart [default: a new token]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

#[derive(Serialize)]
struct Address<'a> {
    url: &'a str,
}

impl PageArgs {
    /// Serves a page and prints its URL.
    pub(crate) fn serve(&self, site: Site, what: &str, output: &Output) -> anyhow::Result<Server> {
        let token = match &self.token_file {
            Some(file) => Token::kept_in(file)?,
            None => Token::random()?,
        };
        let config = ServerConfig {
            address: SocketAddr::new(self.listen, self.port),
            access: if self.allow_remote { Access::Remote } else { Access::Local },
            ..ServerConfig::local(self.port, token)
        };
        let server = Server::start(config, site).map_err(|error| match error {
            ServerError::Remote { .. } => anyhow::anyhow!("{error} with --allow-remote"),
            error => error.into(),
        })?;
        if !self.listen.is_loopback() {
            note(&format!(
                "warning: other machines can reach {} over an unencrypted connection; anyone with the token can use the page",
                server.address()
            ));
        }
        let url = server.url();
        output.json(&Address { url: &url })?;
        output.say(&format!("{what}\n\n    {url}\n\nPress Ctrl-C to stop."))?;
        Ok(server)
    }
}

/// How a person sets an action of a task.
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

/// A robot with its expert's observations.
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
